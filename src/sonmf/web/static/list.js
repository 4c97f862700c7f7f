/* A list of patients: the file goes to the server, forecasts come back a part at a time; sorting, filtering and the download
   are done here. Only one page of the table is in the document, however long the list. The head of the table, which the server draws,
   names the fields of a row, and what the downloaded file calls them. */
import { latestOnly, sendJson } from "./api.js";
import { breakable, byId, download, make, notice, remark } from "./app.js";
import * as explanation from "./explanation.js";
import { counted, percent, signed } from "./format.js";
import { showMessage, uploader } from "./upload.js";

const PAGE = 25;
const CUT = 160; // characters of a note
const columns = [...byId("head").cells].map((cell) => ({ cell, ...cell.dataset }));
const collator = new Intl.Collator("en", { numeric: true });
let rows = [];
let shown = [];
let page = 0;
let order = { field: "probability", down: true };
let threshold = 0; // none
const isFlagged = (row) => threshold > 0 && row.probability >= threshold;

const shortened = (note) => (note.length > CUT ? `${note.slice(0, CUT + 1).replace(/\s+\S*$/, "")}…` : note);
const inWords = (parts) => parts.map(({ name, value }) => `${name} ${signed(value)}`).join("; ");
const CELLS = {
  id: (row) =>
    make(
      "th",
      { scope: "row" },
      make("button", { type: "button", class: "link", onclick: () => explain(row) }, row.id || "–"),
    ),
  probability: (row) =>
    make(
      "td",
      { class: isFlagged(row) ? "number flagged" : "number" },
      percent(row.probability, 1),
      ...(isFlagged(row) ? [make("span", { class: "visually-hidden" }, " flagged")] : []),
    ),
  topics: (row) => make("td", { class: "moved" }, ...breakable(inWords(row.topics))),
  words: (row) => make("td", {}, inWords(row.words)),
  columns: (row) => make("td", { class: "moved" }, inWords(row.columns)),
  note: (row) => make("td", { class: "cut", title: row.note.slice(0, 500) }, shortened(row.note)),
};

/* ---- scoring ---- */

const upload = uploader({
  path: "list",
  fields: ["text", "group", "id"],
  begin: () => {
    rows = [];
  },
  line: (found) => {
    if (found.beds) return finish(found.beds, found.remark);
    for (const row of found.rows) rows.push(row);
    return `${counted(rows.length)} patients scored, ${percent(found.share)} of the file`;
  },
});

function finish(beds, remarks) {
  const complaints = [...new Set(rows.map((row) => row.complaint))].filter(Boolean).sort(collator.compare);
  byId("only").replaceChildren(
    make("option", { value: "" }, "all"),
    ...complaints.map((name) => make("option", { value: name }, name)),
  );
  byId("remarks").replaceChildren(...[remark(remarks)].filter(Boolean));
  byId("filter").value = "";
  byId("least").value = 0;
  byId("result").hidden = false;
  select();
  showBeds(beds);
  byId("result").scrollIntoView({ block: "nearest" });
}

/* ---- the table ---- */

function select() {
  const words = byId("filter").value.toLowerCase().split(/\s+/).filter(Boolean);
  const only = byId("only").value;
  const least = Number(byId("least").value) / 100;
  shown = rows.filter(
    (row) => (!only || row.complaint === only) && row.probability >= least && (!words.length || contains(row, words)),
  );
  const { field, down } = order;
  const compare = field === "probability" ? (a, b) => a - b : collator.compare;
  shown.sort((a, b) => (down ? -1 : 1) * compare(a[field], b[field]));
  page = 0;
  draw();
  showFlagged();
}

/* What a threshold means for the patients that are shown, if the forecasts are right. */
function showFlagged() {
  threshold = Number(byId("threshold").value) / 100;
  byId("threshold-value").textContent = threshold ? percent(threshold) : "no threshold";
  const flagged = shown.filter(isFlagged);
  const expected = (patients) => d3.sum(patients, (row) => row.probability).toFixed(1);
  byId("flagged").textContent = threshold
    ? `${counted(flagged.length)} of ${counted(shown.length)} patients are flagged: ${expected(flagged)} of them are expected ` +
      `to be admitted, and ${expected(shown.filter((row) => !isFlagged(row)))} of the others.`
    : "";
}

function contains(row, words) {
  const text = `${row.id}\n${row.complaint}\n${row.note}\n${row.remark}`.toLowerCase();
  return words.every((word) => text.includes(word));
}

function draw() {
  for (const { cell, field } of columns) if (cell.ariaSort) showOrder(cell, field);
  byId("rows").replaceChildren(...shown.slice(PAGE * page, PAGE * (page + 1)).map(line));
  byId("table").classList.toggle("unremarkable", !rows.some((row) => row.remark));
  const first = shown.length ? PAGE * page + 1 : 0;
  byId("where").textContent = shown.length
    ? `${counted(first)}–${counted(Math.min(PAGE * (page + 1), shown.length))} of ${counted(shown.length)}`
    : "No patient matches the filter";
  byId("previous").disabled = page === 0;
  byId("next").disabled = PAGE * (page + 1) >= shown.length;
  byId("download").disabled = !shown.length;
}

function showOrder(cell, field) {
  const mine = order.field === field;
  cell.ariaSort = mine ? (order.down ? "descending" : "ascending") : "none";
  cell.querySelector("span").textContent = mine ? (order.down ? " ▼" : " ▲") : " ↕";
}

function sortBy(field) {
  order = { field, down: order.field === field ? !order.down : field === "probability" };
  select();
}

const line = (row) => make("tr", {}, ...columns.map(({ field }) => CELLS[field]?.(row) ?? make("td", {}, row[field])));

function turn(step) {
  page += step;
  draw();
}

/* ---- beds, of all patients or of those the filter leaves ---- */

function showBeds(beds) {
  const all = beds.patients === rows.length;
  const figure = (title, value, more = "") =>
    make("div", {}, make("dt", {}, title), make("dd", {}, value, make("small", {}, more)));
  const gone = rows.filter((row) => !row.counted).length;
  byId("gone").textContent = gone
    ? `${counted(gone)} ${gone > 1 ? "patients are" : "patient is"} not counted among the beds: ` +
      "the fit left out patients with their outcome."
    : "";
  byId("beds").replaceChildren(
    figure("patients", counted(beds.patients), all ? "" : ` of ${counted(rows.length)}`),
    figure(
      "expected admissions",
      beds.expected.toLocaleString("en", { minimumFractionDigits: 1, maximumFractionDigits: 1 }),
    ),
    figure(`${percent(beds.level)} interval`, `${counted(beds.low)} to ${counted(beds.high)}`),
  );
}

const countBeds = latestOnly(async (signal) => {
  const probabilities = shown.filter((row) => row.counted).map((row) => row.probability);
  try {
    showBeds(await sendJson("beds", { probabilities }, { signal }));
  } catch (error) {
    if (error.name === "AbortError") throw error;
    showMessage(error.message);
  }
}, 100);

const filter = latestOnly(async () => {
  select();
  countBeds();
}, 120);

/* ---- one patient ---- */

async function explain(row) {
  byId("patient-title").textContent = `Patient ${row.id}`;
  byId("patient-body").replaceChildren(make("p", { class: "muted" }, "Loading …"));
  byId("patient").showModal();
  try {
    const why = await sendJson("explain", { note: row.note, complaint: row.complaint, columns: row.values });
    const note = make(
      "div",
      { class: "note-text", role: "group", "aria-label": "The note", tabindex: 0 },
      ...explanation.pieces(why),
    );
    byId("patient-body").replaceChildren(
      ...explanation.probability(why),
      byId("legend").content.cloneNode(true),
      note,
      ...explanation.words(why),
      make("h3", {}, "Where it comes from"),
      ...explanation.contributions(why),
    );
  } catch (error) {
    byId("patient-body").replaceChildren(notice(error.message));
  }
}

/* ---- download ---- */

/* A cell that a spreadsheet would take for a formula begins with an apostrophe instead; as files.py has it. */
const NUMBER = /^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$/;
function csvCell(value) {
  const text = /^[=+\-@\t\r\n]/.test(value) && !NUMBER.test(value) ? `'${value}` : String(value);
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function downloadTable() {
  const flag = (field, value) => (threshold && field === "probability" ? [value] : []); // as `sonmf predict --threshold`
  const exported = columns.filter((column) => column.exported);
  const record = (row) =>
    exported
      .flatMap(({ field }) => [row[field], ...flag(field, isFlagged(row) ? "yes" : "no")])
      .map((value) => csvCell(Array.isArray(value) ? inWords(value) : value))
      .join(",");
  const head = exported.flatMap(({ field, exported: name }) => [name, ...flag(field, "flagged")]).join(",");
  download(upload.fileName(), "forecast.csv", [head, ...shown.map(record)].join("\n"), "text/csv");
}

/* ---- events ---- */

for (const { cell, field } of columns) cell.querySelector("button")?.addEventListener("click", () => sortBy(field));
byId("previous").addEventListener("click", () => turn(-1));
byId("next").addEventListener("click", () => turn(1));
byId("download").addEventListener("click", downloadTable);
byId("threshold").addEventListener("input", () => {
  showFlagged();
  draw();
});
for (const id of ["filter", "only", "least"]) byId(id).addEventListener("input", () => filter());
