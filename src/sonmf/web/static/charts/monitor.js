/* A figure of a model by period. */
import { ALARM, chart, FAINT, legend, NEITHER, plot, SERIES, textWidth } from "./base.js";

const PADDING = 0.6; // of the room of a period, at both ends
const LEFT = 52,
  RIGHT = 20;

/* What was found in each period on what may be found there: a grey bar a period; beyond it a red diamond. */
function drawControl({ rows, share, drift, unit }, outer) {
  const width = Math.min(outer, 640);
  const names = rows.map((d) => d.period);
  const room = (width - LEFT - RIGHT) / (rows.length - 1 + 2 * PADDING);
  const every = Math.ceil((d3.max(names, textWidth) + 10) / room);
  const number = share ? d3.format(".1%") : d3.format(",.4~f");
  const title = (d) =>
    `${d.period}${d.what ? `\n${d.what}` : ""}\n${number(d.value)}, ${drift ? "in the fit" : "expected"} ${number(d.expected)}\n` +
    `${drift ? `limit ${number(d.high)}` : `limits ${number(d.low)} to ${number(d.high)}`}`;
  const at = { x: "period", y: "value" };
  return [
    plot({
      width,
      height: 212,
      marginLeft: LEFT,
      marginBottom: 30,
      marginTop: 26,
      marginRight: RIGHT,
      x: {
        type: "point",
        domain: names,
        padding: PADDING,
        label: null,
        ticks: names.filter((_, k) => k % every === 0),
        tickSize: 3,
      },
      y: { label: unit, grid: true, ticks: 5, nice: 5, tickFormat: share ? "%" : undefined },
      marks: [
        Plot.ruleX(rows, {
          x: "period",
          y1: "low",
          y2: "high",
          stroke: FAINT,
          strokeOpacity: 0.35,
          strokeWidth: Math.min(14, (0.6 * width) / (rows.length + 2)),
        }),
        Plot.line(rows, { x: "period", y: "expected", stroke: NEITHER, strokeDasharray: "4 3" }),
        ...(rows.length > 1
          ? []
          : [Plot.text(rows, { x: "period", y: "expected", text: () => "– – –", fill: NEITHER })]),
        Plot.line(rows, { ...at, stroke: SERIES[0], strokeWidth: 1.5 }),
        Plot.dot(rows, {
          ...at,
          r: (d) => (d.beyond ? 6 : 3.5),
          symbol: (d) => (d.beyond ? "diamond" : "circle"),
          fill: (d) => (d.beyond ? ALARM : SERIES[0]),
          title,
          tip: true,
        }),
      ],
      symbol: { domain: ["circle", "diamond"], range: ["circle", "diamond"] },
      r: { type: "identity" },
    }),
    legend([
      { title: "found", colour: SERIES[0], dash: "none" },
      { title: drift ? "in the fit" : "expected", colour: NEITHER, dash: "4 3" },
      { title: drift ? "limit" : "limits", colour: d3.interpolateRgb("white", FAINT)(0.35) },
      ...(rows.some((d) => d.beyond) ? [{ title: "beyond", colour: ALARM, diamond: true }] : []),
    ]),
  ];
}

export const control = chart((d) => d.rows.map((row) => `${row.period} ${row.value}`).join(", "), drawControl);
