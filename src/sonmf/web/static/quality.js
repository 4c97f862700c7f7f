/* How good is it: figures out of fold, the curves behind them, and the model card. */
import { behind, byId, chart, complaintChooser, counted, latest, make, percent, read, remark, shown, table } from "./app.js";

const FIGURES = { auroc: "AUROC", auprc: "AUPRC", accuracy: "accuracy", log_loss: "log loss", brier: "Brier score", calibration_slope: "calibration slope" };
const number = (value, digits = 3) => (value === null || value === undefined ? "–" : value.toFixed(digits));
const slopeError = (row) => (row.calibration_slope_error === null ? "" : `± ${number(row.calibration_slope_error, 2)}`);
const slope = (row) => `${number(row.calibration_slope, 2)} ${slopeError(row)}`.trim();
const pair = (title, value, more) => make("div", {}, make("dt", {}, title), make("dd", {}, value, more ? make("small", {}, more) : null));
const sheet = (title, ...content) => make("section", { class: "sheet" }, make("h2", {}, title), ...content);

const load = latest((signal, complaint) => shown(byId("quality"), async () => {
  const found = await read("quality", { complaint }, signal);
  return [glance(found), compared(found), make("div", { class: "columns halves" }, roc(found), calibration(found)), merit(found), subgroups(found), fit(found), tradeOffs(found)].filter(Boolean);
}));

const glance = (found) => sheet(found.title,
  make("p", { class: "muted" }, found.judged),
  make("dl", { class: "figures" },
    pair("notes", counted(found.n_notes)), pair("admitted", percent(found.base_rate, 1)),
    ...Object.entries(FIGURES).map(([name, title]) => (name === "calibration_slope"
      ? pair(title, number(found.figures[name], 2), slopeError(found.figures))
      : pair(title, number(found.figures[name]))))));

function roc({ curves }) {
  const rows = curves.map(({ title, points }) => [title, ...[10, 20, 50].map((k) => percent(points[k].true))]);
  return sheet("Admitted patients found", chart("roc", { curves }), behind("As a table", table("Admitted patients found at a share of false alarms", ["curve", "10%", "20%", "50%"], rows)));
}

function calibration({ curves }) {
  const rows = curves.flatMap(({ title, bins }) => bins.map((bin) => [title, percent(bin.forecast), percent(bin.admitted), counted(bin.n)]));
  return sheet("Forecast and outcome", chart("calibration", { curves: curves.filter((curve) => curve.own) }), behind("As a table", table("Patients by forecast", ["curve", "forecast", "admitted", "patients"], rows)));
}

function compared({ evaluations }) {
  if (!evaluations.length) return sheet("Beside other methods", make("p", { class: "muted" }, "No evaluation is kept beside this model. To add one: sonmf evaluate NOTES --model MODEL."));
  return sheet("Beside other methods", ...evaluations.flatMap(evaluated));
}

/* One evaluation under its label: where it is not about the model as it was fitted, its figures, what it is about. */
function evaluated({ title, about, differs, rows }) {
  const cell = (row, name) => (row[name] === undefined ? "–" : `${number(row[name])} ± ${number(row[`${name}_error`])}`);
  return [make("h3", {}, title), ...differs.map((one) => remark(`Not about the model as it was fitted: ${one}.`)),
    rows.length ? table(`Mean and standard error over ${rows[0].fits} fits on notes they had not seen`,
      ["method", "topics", ...Object.values(FIGURES)],
      rows.map((row) => [row.title, row.n_topics ? String(row.n_topics) : "–", ...Object.keys(FIGURES).map((name) => cell(row, name))]))
      : make("p", { class: "muted" }, "This complaint was not evaluated."),
    Object.keys(about).length ? behind(`What it is about: ${title}`, table(`What ${title} is about`, ["what", "value"], Object.entries(about))) : null];
}

const merit = ({ merit: found }) => sheet("Signals of admission",
  make("p", {}, found.topics.length ? `How many of these topics a patient shows: ${found.topics.join(", ")}.` : "No topic signals admission."),
  chart("merit", found.rows),
  behind("As a table", table("Patients by signals shown", ["signals", "patients", "admitted", "share"],
    found.rows.map((row) => [String(row.shown), counted(row.patients), counted(row.admitted), row.rate === null ? "–" : percent(row.rate)]))));

function subgroups({ subgroups: found }) {
  if (!found.length) return null;
  return sheet("By subgroup", table("Figures on patients whose outcome had not been seen", ["column", "value", "patients", "admitted", "forecast", "AUROC", "calibration slope"],
    found.map((row) => [row.column, row.value, counted(row.n), percent(row.admitted, 1), percent(row.forecast, 1), number(row.auroc), slope(row)])));
}

const fit = (found) => sheet("The fit",
  make("p", {}, `${found.n_topics} topics of ${counted(found.n_words)} words; ${found.lasso.topics_used} of the topics are used by the classifier.`),
  found.objective.length > 1 ? chart("convergence", found.objective) : null,
  found.by_topics.length > 1 ? chart("byTopics", found.by_topics) : null,
  behind("Numbers of topics as a table", table("By number of topics", ["topics", "residual", "AUROC", "log loss"],
    found.by_topics.map((row) => [String(row.n_topics), number(row.residual, 4), number(row.auroc), number(row.log_loss)]))));

function tradeOffs({ trade_offs: found }) {
  const rows = found.topics.map((name, k) => [`${found.numbers[k]} ${name}`, ...found.correlation[k].map((value) => value.toFixed(2).replace("-", "−"))]);
  return sheet("How topics trade off",
    make("p", { class: "muted" }, "Correlation over the training notes of the topics with the largest effects."),
    chart("tradeOffs", found),
    behind("As a table", table("Correlation of topics", ["topic", ...found.numbers.map(String)], rows)));
}

const loadCard = () => shown(byId("card"), async () => {
  const card = await read("card");
  const facts = {
    purpose: card.purpose, method: card.method, outcome: card.outcome.in_words,
    notes: counted(card.n_notes), "base rate": percent(card.base_rate, 1), complaints: String(card.complaints), created: card.created ?? "–",
    ...Object.fromEntries(Object.entries(card.parameters).map(([name, value]) => [name, String(value)])),
    versions: Object.entries(card.versions).map((pair) => pair.join(" ")).join(", "),
  };
  const pooled = Object.entries(card.pooled);
  return [
    make("h2", { id: "card-title" }, "Model card"),
    make("dl", { class: "facts" }, ...Object.entries(facts).flatMap(([name, value]) => [make("dt", {}, name), make("dd", {}, value)])),
    make("h3", {}, "Limits of use"), make("ul", {}, ...card.limits.map((limit) => make("li", {}, limit))),
    ...(pooled.length ? [make("h3", {}, "Complaints served by the model of all complaints"), make("ul", {}, ...pooled.map(([name, why]) => make("li", {}, `${name}: ${why}`)))] : []),
  ];
});

loadCard();
complaintChooser((complaint) => load(complaint));
