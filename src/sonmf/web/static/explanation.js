/* One forecast, taken apart: the probability beside the base rate, the note word by word, topics and columns behind it. */
import { breakable, chart, details, make, remark, table } from "./app.js";
import { percent, signed } from "./format.js";

const LEVELS = 5;
const SHOWN = 10; // topics and columns; the others are added up
const ABOUT_AXES =
  "Admission itself: words that speak for admission or against it beyond what the topics explain. " +
  "Unlike topics, they are found with the outcomes of past patients.";

export function probability(why) {
  const gauge = make(
    "div",
    { class: "gauge", "aria-hidden": "true" },
    make("span", { class: "gauge-value" }),
    make("span", { class: "gauge-base" }),
  );
  gauge.style.setProperty("--value", why.probability);
  gauge.style.setProperty("--base", why.base_rate);
  return [
    make("p", { class: "forecast" }, percent(why.probability, 1)),
    gauge,
    make("p", {}, `Base rate ${percent(why.base_rate, 1)} `, make("span", { class: "muted" }, `(${why.title})`)),
    remark(why.remark),
  ].filter(Boolean);
}

/* Colour by what a word or number adds, beside the one that adds most; an underline and a table say the same without colour. */
export function pieces(why) {
  const most = Math.max(...why.pieces.map((piece) => Math.abs(piece.contribution)), 1e-9);
  return why.pieces.map((piece) => {
    if (piece.known === false)
      return make("span", { class: "piece unknown", title: "unknown to the model" }, piece.text);
    if (piece.contribution === 0 && !piece.measurement) return piece.text;
    const level = Math.max(1, Math.ceil((LEVELS * Math.abs(piece.contribution)) / most));
    const classes = ["piece", piece.measurement && "number", effect(piece.contribution)].filter(Boolean).join(" ");
    const title = [piece.label, said(piece.contribution)].filter(Boolean).join(": ");
    return make("span", { class: classes, "data-level": level, title }, piece.text);
  });
}

const effect = (value) => (value > 0 ? "raises" : value < 0 ? "lowers" : "");
const said = (value) => (value === 0 ? "no effect" : `${effect(value)} the log-odds by ${signed(value)}`);

export function words(why) {
  const counting = why.pieces
    .filter((piece) => piece.contribution !== 0)
    .sort((a, b) => Math.abs(b.contribution) - Math.abs(a.contribution));
  const unknown = why.unknown.length
    ? make("p", {}, `Words the model does not know: ${why.unknown.join(", ")}.`)
    : null;
  const columns = [
    { title: "word", of: (piece) => (piece.label ? `${piece.text} (${piece.label})` : piece.text) },
    { title: "effect", of: (piece) => effect(piece.contribution) },
    { title: "log-odds", of: (piece) => signed(piece.contribution), numeric: true },
  ];
  const listed = counting.length
    ? details("The words as a table", table("What each word adds to the log-odds", columns, counting))
    : null;
  return [unknown, listed].filter(Boolean);
}

const total = (parts) => parts.reduce((sum, part) => sum + part.contribution, 0);

export function sum(why) {
  const columns = why.columns.length ? ` and columns ${signed(total(why.columns))}` : "";
  const axes = why.axes.length ? `, admission itself ${signed(total(why.axes))}` : "";
  return `Log-odds ${signed(why.log_odds)} = intercept ${signed(why.intercept)}, topics ${signed(total(why.topics))}${axes}${columns}.`;
}

/* Topics, outcome axes and columns in one order, by size. */
export function contributions(why) {
  const columns = why.columns.map((part) => ({
    ...part,
    name: `${part.label} ${part.shown}`,
    from: part.measured ? "read from the note" : "column",
  }));
  const all = [
    ...why.topics.map((part) => ({ ...part, from: "topic" })),
    ...why.axes.map((part) => ({ ...part, from: "made from the outcome" })),
    ...columns.filter((part) => part.contribution !== 0),
  ];
  all.sort((a, b) => Math.abs(b.contribution) - Math.abs(a.contribution));
  const rest = all.slice(SHOWN);
  const rows = all.slice(0, SHOWN).map((part) => ({ name: part.name, from: part.from, value: part.contribution }));
  if (rest.length)
    rows.push({ name: `${rest.length} ${rest.length > 1 ? "others" : "other"}`, from: "", value: total(rest) });
  if (!rows.length) return [make("p", { class: "muted" }, "Nothing that the model knows moves this forecast.")];
  const listed = [
    { title: "what", of: (row) => breakable(row.name) },
    { title: "from", of: (row) => row.from },
    { title: "effect", of: (row) => effect(row.value) },
    { title: "log-odds", of: (row) => signed(row.value), numeric: true },
  ];
  return [
    chart("contributions", rows),
    why.axes.length ? make("p", { class: "small muted" }, ABOUT_AXES) : "",
    details("As a table", table("What each topic and column adds to the log-odds", listed, rows)),
  ];
}
