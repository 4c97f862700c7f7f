/* How good is it: the figures of a complaint as the report has them; evaluation and model card came with the page. */
import { getHtml, latestOnly } from "./api.js";
import { byId, chooseComplaint, nodesWithCharts, showIn } from "./app.js";

const load = latestOnly((signal, complaint) =>
  showIn(byId("quality"), async () => {
    const found = await getHtml("/quality/complaint", { complaint }, signal);
    const [first, ...rest] = found.querySelectorAll("body > .fold");
    first.open = true;
    for (const fold of rest) fold.open = false;
    return nodesWithCharts(found);
  }),
);

chooseComplaint((complaint) => load(complaint));
