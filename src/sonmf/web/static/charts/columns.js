/* What the values of a column add to a forecast. */
import { counted, percent, signed } from "../format.js";
import { chart, INK, LOWERS, NEITHER, plot, RAISES } from "./base.js";

const SKEWED = 0.05; // of a long range: where half of the patients have less, the axis has steps of ten
const LONG = 100;
const STEPS = 24; // of a straight piece on such an axis

/* The axis of the values: most patients have had their complaint for a few days, and some for years. */
function valueAxis(curve, bins) {
  const [low, high] = d3.extent(curve, (d) => d.value);
  const middle = bins.length ? bins[bins.length >> 1].value : high;
  if (low < 0 || high < LONG || middle - low > SKEWED * (high - low)) return { ticks: 5 };
  const powers = d3.range(Math.floor(Math.log10(high)) + 1).map((power) => 10 ** power);
  return { type: "symlog", ticks: [0, ...powers].filter((tick) => tick >= low), tickFormat: d3.format(",") };
}

/* Straight pieces as many short ones, which bend with an axis of powers. */
const finely = (line) =>
  line.flatMap((to, k) => {
    const from = line[k - 1];
    if (!from) return [to];
    const between = d3.interpolateObject(from, to);
    return d3.range(1, STEPS + 1).map((step) => ({ ...between((step / STEPS) ** 3) })); // it returns one object again and again
  });

/* A bent line above and below nothing; dots where the patients are, as log-odds against those of all patients. */
function drawEffectOfNumber({ curve, bins, base, name, unit }, width) {
  const logit = (share) => Math.log(share / (1 - share));
  const dots = bins.map((d) => ({ ...d, odds: logit((d.n * d.admitted + 0.5) / (d.n + 1)) - logit(base) }));
  const bent = curve.flatMap((to, k) => {
    const from = curve[k - 1];
    if (!from || from.effect * to.effect >= 0) return [to];
    const share = from.effect / (from.effect - to.effect);
    return [{ value: from.value + share * (to.value - from.value), effect: 0 }, to];
  });
  const axis = valueAxis(curve, bins);
  const line = axis.type ? finely(bent) : bent;
  const side = (sign, fill) =>
    Plot.areaY(line, { x: "value", y1: 0, y2: (d) => sign * Math.max(0, sign * d.effect), fill, fillOpacity: 0.16 });
  const title = (d) =>
    `${name} about ${d3.format(".3~g")(d.value)}\n${percent(d.admitted)} of ${counted(d.n)} admitted\nadds ${signed(d.effect)}`;
  return [
    plot({
      width,
      height: 210,
      marginLeft: 40,
      marginBottom: 38,
      marginTop: 26,
      marginRight: 14,
      x: { label: unit && unit !== name ? `${name}, ${unit}` : name, labelArrow: "none", ...axis },
      y: {
        label: "adds to the log-odds",
        grid: true,
        ticks: 5,
        nice: 5,
        tickFormat: (d) => (d ? d3.format("+~f")(d) : "0"),
      },
      marks: [
        side(1, RAISES),
        side(-1, LOWERS),
        Plot.ruleY([0], { stroke: INK }),
        Plot.line(line, { x: "value", y: "effect", stroke: INK, strokeWidth: 2 }),
        Plot.dot(dots, { x: "value", y: "odds", r: 3.5, fill: NEITHER, fillOpacity: 0.75, title, tip: true }),
      ],
    }),
  ];
}

export const effectOfNumber = chart(
  (d) => `What ${d.name} adds to the log-odds: ${d.curve.map((at) => `${at.value} ${signed(at.effect)}`).join(", ")}.`,
  drawEffectOfNumber,
);
