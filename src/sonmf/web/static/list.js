/* A list of patients: the file goes to the server, forecasts come back a part at a time; sorting, filtering and the download
   are done here. Only one page of the table is in the document, however long the list. */
import { byId, counted, latest, make, named, notice, percent, remark, send, signed } from "./app.js";
import * as explanation from "./explanation.js";
import { say, uploader } from "./upload.js";

const PAGE = 50;
const [ID, COMPLAINT, PROBABILITY, TOPICS, WORDS, COLUMNS, REMARK, NOTE, COUNTS, VALUES] = [
  0, 1, 2, 3, 4, 5, 6, 7, 8, 9,
];
const HEAD = [
  ["patient", ID],
  ["admission", PROBABILITY],
  ["complaint", COMPLAINT],
  ["topics", null],
  ["words", null],
  ["columns", null],
  ["note", null],
  ["remark", REMARK],
];
const collator = new Intl.Collator("en", { numeric: true });
let rows = [],
  names = [],
  shown = [],
  page = 0,
  order = { column: PROBABILITY, down: true };

const parts = (list) => list.map(([name, value]) => `${name} ${signed(value)}`).join("; ");
const searched = (row) => `${row[ID]}\n${row[COMPLAINT]}\n${row[NOTE]}\n${row[REMARK]}`.toLowerCase();

/* ---- scoring ---- */

const sending = uploader({
  path: "list",
  fields: ["text", "group", "id"],
  begin: () => (rows = []),
  line: (found) => {
    if (found.beds) return finish(found.beds, found.remark);
    for (const row of found.rows) rows.push(row);
    names = found.columns;
    return `${counted(rows.length)} patients scored, ${percent(found.share)} of the file`;
  },
});

function finish(beds, without) {
  const complaints = [...new Set(rows.map((row) => row[COMPLAINT]))].filter(Boolean).sort(collator.compare);
  byId("only").replaceChildren(
    make("option", { value: "" }, "all"),
    ...complaints.map((name) => make("option", { value: name }, name)),
  );
  byId("without").replaceChildren(...[remark(without)].filter(Boolean));
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
  const only = byId("only").value,
    least = Number(byId("least").value) / 100;
  shown = rows.filter(
    (row) => (!only || row[COMPLAINT] === only) && row[PROBABILITY] >= least && (!words.length || has(row, words)),
  );
  const { column, down } = order,
    way = down ? -1 : 1;
  if (column === PROBABILITY) shown.sort((a, b) => way * (a[column] - b[column]));
  else shown.sort((a, b) => way * collator.compare(a[column], b[column]));
  page = 0;
  draw();
}

const has = (row, words) => {
  const text = searched(row);
  return words.every((word) => text.includes(word));
};

function draw() {
  byId("head").replaceChildren(...HEAD.map(head));
  byId("rows").replaceChildren(...shown.slice(PAGE * page, PAGE * (page + 1)).map(line));
  const first = shown.length ? PAGE * page + 1 : 0;
  byId("where").textContent = shown.length
    ? `${counted(first)}–${counted(Math.min(PAGE * (page + 1), shown.length))} of ${counted(shown.length)}`
    : "No patient matches the filter";
  byId("previous").disabled = page === 0;
  byId("next").disabled = PAGE * (page + 1) >= shown.length;
  byId("download").disabled = !shown.length;
}

function head([title, column]) {
  if (column === null) return make("th", { scope: "col" }, title);
  const mine = order.column === column;
  const sort = () => {
    order = { column, down: mine ? !order.down : column === PROBABILITY };
    select();
    byId("head").querySelector(`[data-column="${column}"]`).focus();
  };
  return make(
    "th",
    {
      scope: "col",
      "aria-sort": mine ? (order.down ? "descending" : "ascending") : "none",
      class: column === PROBABILITY && "number",
    },
    make(
      "button",
      { type: "button", class: "sort", "data-column": column, onclick: sort },
      title,
      make("span", { "aria-hidden": "true" }, mine ? (order.down ? " ▼" : " ▲") : " ↕"),
    ),
  );
}

const line = (row) =>
  make(
    "tr",
    {},
    make(
      "th",
      { scope: "row" },
      make("button", { type: "button", class: "link", onclick: () => explain(row) }, row[ID] || "–"),
    ),
    make("td", { class: "number" }, percent(row[PROBABILITY], 1)),
    make("td", {}, row[COMPLAINT]),
    make("td", {}, ...named(parts(row[TOPICS]))),
    make("td", {}, parts(row[WORDS])),
    make("td", {}, parts(row[COLUMNS])),
    make("td", { class: "cut", title: row[NOTE].slice(0, 500) }, row[NOTE].slice(0, 160)),
    make("td", {}, row[REMARK]),
  );

function turn(step) {
  page += step;
  draw();
}

/* ---- beds, of all patients or of those the filter leaves ---- */

function showBeds(beds) {
  const all = beds.patients === rows.length;
  const figure = (title, value, more = "") =>
    make("div", {}, make("dt", {}, title), make("dd", {}, value, make("small", {}, more)));
  const gone = rows.filter((row) => !row[COUNTS]).length;
  byId("gone").textContent = gone
    ? `${counted(gone)} ${gone > 1 ? "patients are" : "patient is"} not counted among the beds: the fit left out patients with their outcome.`
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

const countBeds = latest(async (signal) => {
  try {
    showBeds(
      await send(
        "beds",
        { probabilities: shown.filter((row) => row[COUNTS]).map((row) => row[PROBABILITY]) },
        { signal },
      ),
    );
  } catch (error) {
    if (error.name === "AbortError") throw error;
    say(error.message);
  }
}, 100);

const filter = latest(async () => {
  select();
  countBeds();
}, 120);

/* ---- one patient ---- */

async function explain(row) {
  byId("patient-title").textContent = `Patient ${row[ID]}`;
  byId("patient-body").replaceChildren(make("p", { class: "muted" }, "Loading …"));
  byId("patient").showModal();
  try {
    const why = await send("explain", {
      note: row[NOTE],
      complaint: row[COMPLAINT],
      columns: Object.fromEntries(names.map((name, k) => [name, row[VALUES][k]])),
    });
    const note = make(
      "div",
      { class: "note-text", role: "group", "aria-label": "The note", tabindex: 0 },
      ...explanation.pieces(why),
    );
    byId("patient-body").replaceChildren(
      ...explanation.probability(why),
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

/* A cell that a spreadsheet would take for a formula begins with an apostrophe instead; as formulas.py has it. */
const NUMBER = /^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$/;
export const cell = (value) => {
  const text = /^[=+\-@\t\r\n]/.test(value) && !NUMBER.test(value) ? `'${value}` : String(value);
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};

function download() {
  const record = (row) =>
    [row[ID], row[COMPLAINT], row[PROBABILITY], parts(row[TOPICS]), parts(row[WORDS]), parts(row[COLUMNS]), row[REMARK]]
      .map(cell)
      .join(",");
  const text = ["id,complaint,probability,top_topics,top_words,top_columns,remark", ...shown.map(record)].join("\n");
  const address = URL.createObjectURL(new Blob([text, "\n"], { type: "text/csv" }));
  make("a", { href: address, download: `${sending.name().replace(/(\.[a-z]{2,7}){1,2}$/i, "")}-forecast.csv` }).click();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}

/* ---- events ---- */

byId("previous").addEventListener("click", () => turn(-1));
byId("next").addEventListener("click", () => turn(1));
byId("download").addEventListener("click", download);
for (const id of ["filter", "only", "least"]) byId(id).addEventListener("input", () => filter());
