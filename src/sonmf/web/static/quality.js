/* How good is it: the figures of a complaint as the report has them; evaluation and model card came with the page. */
import { byId, complaintChooser, drawn, latest, shown } from "./app.js";

const load = latest((signal, complaint) =>
  shown(byId("quality"), async () => {
    const found = await drawn("/quality/complaint", { complaint }, signal);
    for (const part of found) if (part.className === "fold") part.open = true;
    return found;
  }),
);

complaintChooser((complaint) => load(complaint));
