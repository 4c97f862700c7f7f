/* A figure of a model by period. */
import { ALARM, chart, FAINT, NEITHER, plot, SERIES } from "./base.js";

/* What was found in each period on what may be found there: a grey bar a period; beyond it a red diamond. */
function drawControl({ rows, share, drift }, width) {
  const names = rows.map((d) => d.period);
  const every = Math.ceil(rows.length / Math.max(2, Math.floor(width / 105)));
  const number = share ? d3.format(".1%") : d3.format(",.4~f");
  const title = (d) =>
    `${d.period}${d.what ? `\n${d.what}` : ""}\n${number(d.value)}, ${drift ? "in the fit" : "expected"} ${number(d.expected)}\n` +
    `${drift ? `limit ${number(d.high)}` : `limits ${number(d.low)} to ${number(d.high)}`}`;
  const at = { x: "period", y: "value" };
  return [
    plot({
      width: Math.min(width, 640),
      height: 200,
      marginLeft: 52,
      marginBottom: 30,
      marginTop: 14,
      marginRight: 20,
      x: {
        type: "point",
        domain: names,
        padding: 0.6,
        label: null,
        ticks: names.filter((_, k) => k % every === 0),
        tickSize: 3,
      },
      y: { label: null, grid: true, ticks: 5, nice: true, tickFormat: share ? "%" : undefined },
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
  ];
}

export const control = chart((d) => d.rows.map((row) => `${row.period} ${row.value}`).join(", "), drawControl);
