/* How good a forecast is, and how its fit went. */
import { counted, percent } from "../format.js";
import { chart, FAINT, INK, legend, NEITHER, plot, SERIES, seriesStyle } from "./base.js";

const styled = (curves) => curves.map((curve, k) => ({ ...curve, ...seriesStyle(k) }));
const DIAGONAL = { colour: FAINT, dash: "3 3" };
const keyed = (curves, diagonal) => legend([...(curves.length > 1 ? curves : []), { title: diagonal, ...DIAGONAL }]);
const shareAxis = (label) => ({ label, domain: [0, 1], tickFormat: "%", ticks: 5, grid: true });
const titles = ({ curves }) => curves.map((curve) => curve.title).join(", ");

function square(width, x, y, marks) {
  const size = Math.min(width, 420);
  return plot({
    width: size,
    height: size,
    marginLeft: 46,
    marginBottom: 40,
    marginRight: 16,
    marginTop: 26,
    x: shareAxis(x),
    y: shareAxis(y),
    r: { range: [0, 6] },
    marks: [
      Plot.line(
        [
          [0, 0],
          [1, 1],
        ],
        { stroke: DIAGONAL.colour, strokeDasharray: DIAGONAL.dash },
      ),
      ...marks,
    ],
  });
}

function drawRoc({ curves }, width) {
  const lines = styled(curves);
  const title = (name) => (d) =>
    `${name}\nfinds ${percent(d.detected)} of the admitted\nat ${percent(d.falseAlarms)} false alarms`;
  const points = (shares) => shares.map((detected, k) => ({ falseAlarms: k / 100, detected }));
  const marks = lines.map(({ roc: shares, colour, dash, title: name }) =>
    Plot.line(points(shares), {
      x: "falseAlarms",
      y: "detected",
      stroke: colour,
      strokeWidth: 2,
      strokeDasharray: dash,
      title: title(name),
      tip: lines.length === 1,
    }),
  );
  return [
    square(width, "false alarms among those not admitted", "admitted patients found", marks),
    keyed(lines, "forecasts by chance"),
  ];
}

export const roc = chart((d) => `ROC curves: ${titles(d)}.`, drawRoc);

function drawCalibration({ curves }, width) {
  const lines = styled(curves);
  const title = (d) => `forecast ${percent(d.forecast)}\nadmitted ${percent(d.admitted)}\n${counted(d.n)} patients`;
  const place = { x: "forecast", y: "admitted" };
  // A line through bins of one or two patients would jump between nought and all of them.
  const solid = (bins) => bins.filter((d) => d.n > 0.03 * d3.sum(bins, (one) => one.n));
  const marks = lines.flatMap(({ bins, colour, dash }) => [
    Plot.line(solid(bins), { ...place, stroke: colour, strokeWidth: 1.5, strokeDasharray: dash }),
    Plot.dot(bins, { ...place, r: "n", fill: colour, fillOpacity: 0.75, title, tip: true }),
  ]);
  return [square(width, "forecast", "admitted", marks), keyed(lines, "forecasts that are right")];
}

export const calibration = chart((d) => `Forecast against share admitted: ${titles(d)}.`, drawCalibration);

const LEAST = 0.1; // of a figure: an axis that is shorter would make nothing look like much

/* The range of an axis around the values, never so narrow that chance fills it. */
function rangeOf(values) {
  const [low, high] = d3.extent(values);
  const more = Math.max(0, LEAST * Math.abs((low + high) / 2) - (high - low)) / 2;
  return [low - more, high + more];
}

function drawByTopics({ rows, panels }, width) {
  const size = width < 560 ? width : width / panels.length - 8;
  return panels.map(({ name, title: label }) =>
    plot({
      width: size,
      height: 190,
      marginLeft: 58,
      marginBottom: 36,
      marginTop: 28,
      marginRight: 20,
      x: { label: "topics", ticks: rows.map((d) => d.n_topics), tickFormat: "d" },
      y: { label, domain: rangeOf(rows.map((d) => d[name])), grid: true, ticks: 4, nice: 4, inset: 6 },
      marks: [
        Plot.line(rows, { x: "n_topics", y: name, stroke: SERIES[0], strokeWidth: 2 }),
        Plot.dot(rows, {
          x: "n_topics",
          y: name,
          fill: SERIES[0],
          r: 4,
          tip: true,
          title: (d) => `${d.n_topics} topics\n${label} ${d3.format(".4~f")(d[name])}`,
        }),
      ],
    }),
  );
}

export const byTopics = chart(
  (d) => `Figures for ${d.rows.map((row) => row.n_topics).join(", ")} topics.`,
  drawByTopics,
);

function drawConvergence(objective, width) {
  const last = objective[objective.length - 1];
  const rows = objective.map((value, k) => ({ iteration: k + 1, above: 100 * (value / last - 1) }));
  const options = { x: "iteration", y: "above" };
  const title = (d) => `after iteration ${d.iteration}\n${d3.format(".3~r")(d.above)}% above the last`;
  return [
    plot({
      width: Math.min(width, 560),
      height: 220,
      marginLeft: 66,
      marginBottom: 38,
      marginTop: 28,
      marginRight: 20,
      x: { label: "iteration", nice: true },
      y: { label: "objective, % above the last", grid: true, ticks: 5, nice: 5 },
      marks: [
        Plot.line(rows, { ...options, stroke: SERIES[0], strokeWidth: 2 }),
        Plot.dot(rows, { ...options, r: 2.5, fill: SERIES[0], title, tip: true }),
      ],
    }),
  ];
}

export const convergence = chart((d) => `Objective over ${d.length} iterations.`, drawConvergence);

function drawMerit(rows, width) {
  const known = rows.filter((d) => d.patients > 0);
  const patients = new Map(rows.map((d) => [d.shown, d.patients]));
  const top = Math.max(0.1, d3.max(known, (d) => d.rate) || 0);
  const title = (d) => `${d.shown} signals\n${counted(d.admitted)} of ${counted(d.patients)} admitted`;
  return [
    plot({
      width: Math.min(width, 560),
      height: 260,
      marginTop: 32,
      marginBottom: 56,
      marginLeft: 46,
      marginRight: 10,
      x: {
        type: "band",
        domain: rows.map((d) => d.shown),
        padding: 0.3,
        tickSize: 0,
        tickFormat: (k) => `${k}\n${counted(patients.get(k))}`,
        label: "signals shown, patients below",
        labelArrow: "none",
        labelAnchor: "center",
      },
      y: { label: "admitted", tickFormat: "%", domain: [0, top], nice: 5, grid: true, ticks: 5 },
      marks: [
        Plot.barY(known, { x: "shown", y: "rate", fill: NEITHER, title, tip: true }),
        Plot.text(known, { x: "shown", y: "rate", text: (d) => percent(d.rate), dy: -9 }),
        Plot.ruleY([0], { stroke: INK }),
      ],
    }),
  ];
}

const rated = (d) => `${d.shown}: ${d.patients ? percent(d.rate) : "no patients"}`;
export const merit = chart((rows) => `Share admitted by signals shown: ${rows.map(rated).join(", ")}.`, drawMerit);
