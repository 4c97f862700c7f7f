/* How good is it: the figures of a complaint as the report has them; evaluation and model card came with the page. */
import { getHtml, latestOnly } from "./api.js";
import { byId, chooseComplaint, nodesWithCharts, showIn } from "./app.js";

const load = latestOnly((signal, complaint) =>
  showIn(byId("quality"), async () => {
    const found = await getHtml("/quality/complaint", { complaint }, signal);
    for (const fold of found.querySelectorAll("body > .fold")) fold.open = true;
    return nodesWithCharts(found);
  }),
);

chooseComplaint((complaint) => load(complaint));
