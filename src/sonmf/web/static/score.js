/* Score a patient as note and columns are typed. */
import { byId, complaintChooser, latest, make, notice, send } from "./app.js";
import * as explanation from "./explanation.js";
import * as fields from "./fields.js";

const EMPTY = "The forecast appears here as you type.";
const limit = Number(byId("form").dataset.limit);

const reveal = (known) => document.querySelectorAll("[data-why]").forEach((part) => (part.hidden = !known));

function show(why) {
  byId("probability").replaceChildren(...explanation.probability(why));
  byId("pieces").replaceChildren(...explanation.pieces(why));
  byId("words").replaceChildren(...explanation.words(why));
  byId("sum").textContent = explanation.sum(why);
  byId("contributions").replaceChildren(...explanation.contributions(why));
  fields.stated(why.columns);
  reveal(true);
}

function nothing(content) {
  byId("probability").replaceChildren(content);
  reveal(false);
}

const score = latest(async (signal) => {
  const note = byId("note").value,
    columns = fields.values();
  if (!note.trim() && !Object.keys(columns).length) return nothing(make("p", { class: "muted" }, EMPTY));
  if (new Blob([note]).size > limit)
    return nothing(notice(`the note is larger than ${limit.toLocaleString("en")} bytes: shorten it`));
  byId("forecast").setAttribute("aria-busy", "true");
  try {
    show(await send("explain", { note, complaint: byId("complaint").value, columns }, { signal }));
  } catch (error) {
    if (error.name === "AbortError") throw error;
    nothing(notice(error.message));
  }
  byId("forecast").removeAttribute("aria-busy");
}, 150);

byId("form").addEventListener("submit", (event) => event.preventDefault());
byId("note").addEventListener("input", () => score());
complaintChooser(async (complaint) => {
  try {
    await fields.show(complaint, () => score());
    score();
  } catch (error) {
    nothing(notice(error.message));
  }
});
