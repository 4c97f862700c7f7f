/* What it costs to prepare for every patient whose forecast is at least a threshold. */
import { counted, percent } from "../format.js";
import { chart, FAINT, INK, legend, plot, SERIES, seriesStyle } from "./base.js";

const COSTS = [
  { name: "flagged", title: "flagged", ...seriesStyle(0) },
  { name: "in_vain", title: "prepared for in vain", ...seriesStyle(1) },
  { name: "missed", title: "missed", ...seriesStyle(3) },
];
const thresholdAxis = { label: "threshold", tickFormat: "%", ticks: 6, labelArrow: "none", labelAnchor: "center" };
const thresholdFrame = (width) => ({
  width,
  height: 260,
  marginLeft: 46,
  marginBottom: 38,
  marginTop: 26,
  marginRight: 14,
});
const of100 = (share) => counted(Math.round(100 * share)).replace("-", "−");

function drawThresholdCosts(rows, width) {
  const title = (d) =>
    `prepare from ${percent(d.threshold)} on\nof 100 patients ${of100(d.flagged.value)} flagged, ${of100(d.missed.value)} missed, ` +
    `${of100(d.in_vain.value)} in vain`;
  return [
    plot({
      ...thresholdFrame(width),
      x: thresholdAxis,
      y: { label: "of 100 patients", tickFormat: (d) => of100(d), grid: true, ticks: 5, zero: true },
      marks: [
        ...COSTS.flatMap(({ name, colour, dash }) => [
          Plot.areaY(rows, {
            x: "threshold",
            y1: (d) => d[name].low,
            y2: (d) => d[name].high,
            fill: colour,
            fillOpacity: 0.15,
          }),
          Plot.line(rows, {
            x: "threshold",
            y: (d) => d[name].value,
            stroke: colour,
            strokeWidth: 2,
            strokeDasharray: dash,
          }),
        ]),
        Plot.dot(rows, { x: "threshold", y: (d) => d.flagged.value, r: 3, fill: SERIES[0], title, tip: true }),
        Plot.ruleY([0], { stroke: INK }),
      ],
    }),
    legend(COSTS),
  ];
}

/* Preparing for all loses without end at high thresholds: below the model's own lowest value nothing is to be seen. */
function drawDecisionCurve(rows, width) {
  const lines = [
    { title: "this model", colour: SERIES[0], dash: "none", value: (d) => d.net_benefit.value },
    { title: "prepare for all", colour: SERIES[1], dash: "7 3", value: (d) => d.prepare_for_all },
    { title: "prepare for none", colour: FAINT, dash: "2 3", value: () => 0 },
  ];
  const top = d3.max(rows, (d) => d.net_benefit.high) || 0.1,
    bottom = Math.min(
      -0.15 * top,
      d3.min(rows, (d) => d.net_benefit.low),
    );
  const title = (d) =>
    `prepare from ${percent(d.threshold)} on\nnet benefit ${d3.format(".3f")(d.net_benefit.value)} for each patient\n` +
    `prepare for all ${d3.format(".3f")(d.prepare_for_all)}`;
  return [
    plot({
      ...thresholdFrame(width),
      clip: true,
      x: thresholdAxis,
      y: { label: "net benefit of 100", domain: [bottom, top], tickFormat: (d) => of100(d), grid: true, ticks: 5 },
      marks: [
        Plot.areaY(rows, {
          x: "threshold",
          y1: (d) => d.net_benefit.low,
          y2: (d) => d.net_benefit.high,
          fill: SERIES[0],
          fillOpacity: 0.15,
        }),
        ...lines.map(({ colour, dash, value }) =>
          Plot.line(rows, {
            x: "threshold",
            y: value,
            stroke: colour,
            strokeWidth: 2,
            strokeDasharray: dash,
            clip: true,
          }),
        ),
        Plot.dot(rows, { x: "threshold", y: (d) => d.net_benefit.value, r: 3, fill: SERIES[0], title, tip: true }),
      ],
    }),
    legend(lines),
  ];
}

function drawThresholds(rows, width) {
  const size = Math.min(460, width < 620 ? width : width / 2 - 12);
  return [drawThresholdCosts(rows, size), drawDecisionCurve(rows, size)].map((nodes) => {
    const side = document.createElement("div");
    side.append(...nodes);
    return side;
  });
}

export const thresholds = chart(
  (rows) =>
    `Of 100 patients: ${rows.map((d) => `from ${percent(d.threshold)} on ${of100(d.flagged.value)} flagged`).join(", ")}.`,
  drawThresholds,
);
