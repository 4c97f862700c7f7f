/* One forecast, taken apart: the probability beside the base rate, the note word by word, the topics behind it. */
import { behind, chart, make, named, percent, remark, signed, table } from "./app.js";

const LEVELS = 5;
const SHOWN = 8; // topics; the others are added up

export function probability(why) {
  const gauge = make("div", { class: "gauge", "aria-hidden": "true" }, make("span", { class: "gauge-value" }), make("span", { class: "gauge-base" }));
  gauge.style.setProperty("--value", why.probability);
  gauge.style.setProperty("--base", why.base_rate);
  return [
    make("p", { class: "forecast" }, percent(why.probability, 1)),
    gauge,
    make("p", {}, `Base rate ${percent(why.base_rate, 1)} `, make("span", { class: "muted" }, `(${why.title})`)),
    remark(why.remark),
  ].filter(Boolean);
}

/* Colour by what a word adds, beside the word that adds most; an underline and a table say the same without colour. */
export function pieces(why) {
  const most = Math.max(...why.pieces.map((piece) => Math.abs(piece.contribution)), 1e-9);
  return why.pieces.map((piece) => {
    if (piece.known === false) return make("span", { class: "piece unknown", title: "unknown to the model" }, piece.text);
    if (piece.contribution === 0) return piece.text;
    const level = Math.max(1, Math.ceil((LEVELS * Math.abs(piece.contribution)) / most));
    const effect = piece.contribution > 0 ? "raises" : "lowers";
    return make("span", { class: `piece ${effect}`, "data-level": level, title: `${effect} the log-odds by ${signed(piece.contribution)}` }, piece.text);
  });
}

export function words(why) {
  const counting = why.pieces.filter((piece) => piece.contribution !== 0).sort((a, b) => Math.abs(b.contribution) - Math.abs(a.contribution));
  const unknown = why.unknown.length ? make("p", {}, `Words the model does not know: ${why.unknown.join(", ")}.`) : null;
  const rows = counting.map((piece) => [piece.text, piece.contribution > 0 ? "raises" : "lowers", signed(piece.contribution)]);
  return [unknown, rows.length ? behind("The words as a table", table("What each word adds to the log-odds", ["word", "effect", "log-odds"], rows)) : null].filter(Boolean);
}

export function sum(why) {
  const topics = why.log_odds - why.intercept;
  return `Log-odds ${signed(why.log_odds)} = intercept ${signed(why.intercept)} and topics ${signed(topics)}.`;
}

export function contributions(why) {
  const rest = why.topics.slice(SHOWN);
  const rows = why.topics.slice(0, SHOWN).map((topic) => ({ name: topic.name, value: topic.contribution }));
  if (rest.length) rows.push({ name: `${rest.length} other topics`, value: rest.reduce((total, topic) => total + topic.contribution, 0) });
  if (!rows.length) return [make("p", { class: "muted" }, "No topic of the model shows in this note.")];
  const listed = rows.map((row) => [make("span", {}, ...named(row.name)), row.value > 0 ? "raises" : "lowers", signed(row.value)]);
  return [chart("contributions", rows), behind("The topics as a table", table("What each topic adds to the log-odds", ["topic", "effect", "log-odds"], listed))];
}
