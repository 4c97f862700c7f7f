/* A list of patients: the file goes to the server, forecasts come back a part at a time; sorting, filtering and the download
   are done here. Only one page of the table is in the document, however long the list. */
import { answer, byId, counted, latest, make, named, notice, percent, reach, remark, send, signed } from "./app.js";
import * as explanation from "./explanation.js";

const PAGE = 50;
const [ID, COMPLAINT, PROBABILITY, TOPICS, WORDS, COLUMNS, REMARK, NOTE, COUNTS, VALUES] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9];
const HEAD = [["patient", ID], ["admission", PROBABILITY], ["complaint", COMPLAINT], ["topics", null], ["words", null], ["columns", null], ["note", null], ["remark", REMARK]];
const limit = Number(byId("form").dataset.limit);
const collator = new Intl.Collator("en", { numeric: true });
let rows = [], names = [], shown = [], page = 0, order = { column: PROBABILITY, down: true }, running = null, chosen = null;

const parts = (list) => list.map(([name, value]) => `${name} ${signed(value)}`).join("; ");
const searched = (row) => `${row[ID]}\n${row[COMPLAINT]}\n${row[NOTE]}\n${row[REMARK]}`.toLowerCase();

/* ---- scoring ---- */

async function choose(file) {
  offer([]);
  await score(file);
}

async function score(file) {
  stop();
  if (file.size > limit) return say(`${file.name} is larger than ${counted(limit)} bytes: split it, or start \`sonmf serve\` with --max-list`);
  const controller = new AbortController();
  [running, chosen] = [controller, file];
  begin(file);
  try {
    await follow(await sent(file, controller.signal), controller);
  } catch (error) {
    if (running !== controller) return;
    if (error.columns) offer(error.columns, asked());
    end(error.name === "AbortError" ? null : error.message);
  }
}

async function sent(file, signal) {
  const query = new URLSearchParams({ name: file.name, ...asked() });
  const headers = { "content-type": "application/octet-stream" };
  const response = await reach(`list?${query}`, { method: "POST", headers, body: file, signal });
  return response.ok ? response : answer(response);
}

async function follow(response, controller) {
  for await (const line of lines(response.body)) {
    if (running !== controller) return;
    if (line.error) throw new Error(line.error);
    if (line.beds) return finish(line.beds, line.remark);
    if (line.file) offer(line.file.columns, line.file);
    for (const row of line.rows) rows.push(row);
    names = line.columns;
    byId("bar").value = line.share;
    byId("progress-text").textContent = `${counted(rows.length)} patients scored, ${percent(line.share)} of the file`;
  }
  throw new Error("the answer broke off: try again");
}

/* Which columns of the file hold what: "" leaves it to the server. */
const FIELDS = ["text", "group", "id"];
const asked = () => Object.fromEntries(FIELDS.map((id) => [id, byId(id).value]));

function offer(columns, chosen = {}) {
  for (const id of FIELDS) {
    const [usual] = byId(id).options;
    byId(id).replaceChildren(usual, ...columns.map((name) => make("option", { value: name }, name)));
    byId(id).value = columns.includes(chosen[id]) ? chosen[id] : "";
  }
}

async function* lines(stream) {
  const reader = stream.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    const found = (rest + value).split("\n");
    rest = found.pop();
    for (const line of found) yield JSON.parse(line);
  }
}

function begin(file) {
  rows = [];
  byId("message").replaceChildren();
  byId("result").hidden = true;
  byId("progress").hidden = false;
  byId("bar").value = 0;
  byId("progress-text").textContent = `Reading ${file.name} …`;
}

function stop() {
  running?.abort();
  running = null;
}

function end(problem) {
  running = null;
  byId("progress").hidden = true;
  if (problem) say(problem);
}

function say(sentence) {
  const choose = sentence.includes("has no column");
  byId("message").replaceChildren(notice(choose ? `${sentence}. Choose the column in the list above.` : sentence));
  if (choose) byId("columns").open = true;
}

function finish(beds, without) {
  end(null);
  const complaints = [...new Set(rows.map((row) => row[COMPLAINT]))].filter(Boolean).sort(collator.compare);
  byId("only").replaceChildren(make("option", { value: "" }, "all"), ...complaints.map((name) => make("option", { value: name }, name)));
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
  const only = byId("only").value, least = Number(byId("least").value) / 100;
  shown = rows.filter((row) => (!only || row[COMPLAINT] === only) && row[PROBABILITY] >= least && (!words.length || has(row, words)));
  const { column, down } = order, way = down ? -1 : 1;
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
  byId("where").textContent = shown.length ? `${counted(first)}–${counted(Math.min(PAGE * (page + 1), shown.length))} of ${counted(shown.length)}` : "No patient matches the filter";
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
  return make("th", { scope: "col", "aria-sort": mine ? (order.down ? "descending" : "ascending") : "none", class: column === PROBABILITY && "number" },
    make("button", { type: "button", class: "sort", "data-column": column, onclick: sort }, title, make("span", { "aria-hidden": "true" }, mine ? (order.down ? " ▼" : " ▲") : " ↕")));
}

const line = (row) => make("tr", {},
  make("th", { scope: "row" }, make("button", { type: "button", class: "link", onclick: () => explain(row) }, row[ID] || "–")),
  make("td", { class: "number" }, percent(row[PROBABILITY], 1)),
  make("td", {}, row[COMPLAINT]),
  make("td", {}, ...named(parts(row[TOPICS]))),
  make("td", {}, parts(row[WORDS])),
  make("td", {}, parts(row[COLUMNS])),
  make("td", { class: "cut", title: row[NOTE].slice(0, 500) }, row[NOTE].slice(0, 160)),
  make("td", {}, row[REMARK]));

function turn(step) {
  page += step;
  draw();
}

/* ---- beds, of all patients or of those the filter leaves ---- */

function showBeds(beds) {
  const all = beds.patients === rows.length;
  const figure = (title, value, more = "") => make("div", {}, make("dt", {}, title), make("dd", {}, value, make("small", {}, more)));
  const gone = rows.filter((row) => !row[COUNTS]).length;
  byId("gone").textContent = gone ? `${counted(gone)} ${gone > 1 ? "patients are" : "patient is"} not counted among the beds: the fit left out patients with their outcome.` : "";
  byId("beds").replaceChildren(
    figure("patients", counted(beds.patients), all ? "" : ` of ${counted(rows.length)}`),
    figure("expected admissions", beds.expected.toLocaleString("en", { minimumFractionDigits: 1, maximumFractionDigits: 1 })),
    figure(`${percent(beds.level)} interval`, `${counted(beds.low)} to ${counted(beds.high)}`));
}

const countBeds = latest(async (signal) => {
  try {
    showBeds(await send("beds", { probabilities: shown.filter((row) => row[COUNTS]).map((row) => row[PROBABILITY]) }, { signal }));
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
    const why = await send("explain", { note: row[NOTE], complaint: row[COMPLAINT], columns: Object.fromEntries(names.map((name, k) => [name, row[VALUES][k]])) });
    const note = make("div", { class: "note-text", role: "group", "aria-label": "The note", tabindex: 0 }, ...explanation.pieces(why));
    byId("patient-body").replaceChildren(...explanation.probability(why), note, ...explanation.words(why), make("h3", {}, "Where it comes from"), ...explanation.contributions(why));
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
  const record = (row) => [row[ID], row[COMPLAINT], row[PROBABILITY], parts(row[TOPICS]), parts(row[WORDS]), parts(row[COLUMNS]), row[REMARK]].map(cell).join(",");
  const text = ["id,complaint,probability,top_topics,top_words,top_columns,remark", ...shown.map(record)].join("\n");
  const address = URL.createObjectURL(new Blob([text, "\n"], { type: "text/csv" }));
  make("a", { href: address, download: `${chosen.name.replace(/(\.[a-z]{2,7}){1,2}$/i, "")}-forecast.csv` }).click();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}

/* ---- events ---- */

const drop = byId("drop");
for (const kind of ["dragover", "dragleave", "drop"]) {
  document.addEventListener(kind, (event) => {
    event.preventDefault(); // a file dropped beside the field must not replace the page
    drop.classList.toggle("over", kind === "dragover");
    if (kind === "drop" && event.dataTransfer.files.length) choose(event.dataTransfer.files[0]);
  });
}
byId("file").addEventListener("change", (event) => event.target.files.length && choose(event.target.files[0]));
byId("file").addEventListener("click", (event) => (event.target.value = "")); // the same file may be chosen again
byId("form").addEventListener("submit", (event) => event.preventDefault());
byId("cancel").addEventListener("click", () => {
  stop();
  end(null);
});
byId("previous").addEventListener("click", () => turn(-1));
byId("next").addEventListener("click", () => turn(1));
byId("download").addEventListener("click", download);
for (const id of FIELDS) byId(id).addEventListener("change", () => chosen && score(chosen));
for (const id of ["filter", "only", "least"]) byId(id).addEventListener("input", () => filter());
