/* Score a patient as note and columns are typed. */
import { latestOnly, sendJson } from "./api.js";
import { byId, chooseComplaint, make, notice } from "./app.js";
import * as explanation from "./explanation.js";
import * as fields from "./fields.js";
import { counted } from "./format.js";

const EMPTY = "The forecast appears here as you type.";
const limit = Number(byId("form").dataset.limit);

function reveal(known) {
  for (const part of document.querySelectorAll("[data-why]")) part.hidden = !known;
}

function show(why) {
  byId("probability").replaceChildren(...explanation.probability(why));
  byId("pieces").replaceChildren(...explanation.pieces(why));
  byId("words").replaceChildren(...explanation.words(why));
  byId("sum").textContent = explanation.sum(why);
  byId("contributions").replaceChildren(...explanation.contributions(why));
  fields.showRead(why.columns);
  reveal(true);
}

function showNothing(content) {
  byId("probability").replaceChildren(content);
  fields.showRead([]);
  reveal(false);
}

const score = latestOnly(async (signal) => {
  const note = byId("note").value;
  const columns = fields.values();
  if (!note.trim() && !Object.keys(columns).length) return showNothing(make("p", { class: "muted" }, EMPTY));
  if (new Blob([note]).size > limit)
    return showNothing(notice(`the note is larger than ${counted(limit)} bytes: shorten it`));
  byId("forecast").setAttribute("aria-busy", "true");
  try {
    show(await sendJson("explain", { note, complaint: byId("complaint").value, columns }, { signal }));
  } catch (error) {
    if (error.name === "AbortError") throw error;
    showNothing(notice(error.message));
  }
  byId("forecast").removeAttribute("aria-busy");
}, 150);

byId("form").addEventListener("submit", (event) => event.preventDefault());
byId("note").addEventListener("input", () => {
  offerExample();
  score();
});

const example = () => byId("complaint").selectedOptions[0].dataset.example;
function offerExample() {
  byId("example").hidden = !example() || byId("note").value !== "";
}
byId("example").addEventListener("click", () => {
  byId("note").value = example();
  byId("note").focus();
  offerExample();
  score();
});
chooseComplaint(async (complaint) => {
  offerExample();
  byId("note").placeholder = example() ? `Type or paste a note, such as: ${example()}` : "Type or paste a note";
  try {
    await fields.show(complaint, () => score());
    score();
  } catch (error) {
    showNothing(notice(error.message));
  }
});
