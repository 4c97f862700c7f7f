/* What the values of a column add to a forecast. */
import { counted, percent, signed } from "../format.js";
import { chart, INK, LOWERS, NEITHER, plot, RAISES } from "./base.js";

/* A bent line above and below nothing; dots where the patients are, as log-odds against those of all patients. */
function drawEffectOfNumber({ curve, bins, base, name, unit }, width) {
  const logit = (share) => Math.log(share / (1 - share));
  const dots = bins.map((d) => ({ ...d, odds: logit((d.n * d.admitted + 0.5) / (d.n + 1)) - logit(base) }));
  const line = curve.flatMap((to, k) => {
    const from = curve[k - 1];
    if (!from || from.effect * to.effect >= 0) return [to];
    const share = from.effect / (from.effect - to.effect);
    return [{ value: from.value + share * (to.value - from.value), effect: 0 }, to];
  });
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
      x: { label: unit && unit !== name ? `${name}, ${unit}` : name, ticks: 5, labelArrow: "none" },
      y: {
        label: "adds to the log-odds",
        grid: true,
        ticks: 5,
        nice: true,
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
