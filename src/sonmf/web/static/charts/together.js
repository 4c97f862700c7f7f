/* How topics trade off, and how often they occur over time. */
import { percent, signed } from "../format.js";
import { chart, INK, INSTEAD, legend, plot, shortened, TOGETHER, widthOf } from "./base.js";

function drawTradeOffs({ topics, numbers, correlation }, width) {
  const shown = topics.map((name, k) => ({ name, number: numbers ? numbers[k] : k + 1 }));
  const cells = d3
    .cross(d3.range(topics.length), d3.range(topics.length))
    .filter(([a, b]) => a !== b)
    .map(([a, b]) => ({ a, b, value: correlation[a][b] }));
  const largest = Math.max(0.2, d3.max(cells, (d) => Math.abs(d.value)) || 0);
  const shades = d3.piecewise([INSTEAD, "white", TOGETHER]);
  const colour = (value) => shades(0.5 + (0.5 * value) / largest);
  const names = shown.map(({ name, number }) => `${number}  ${name}`);
  const size = Math.min(width, 760),
    left = widthOf(names, size, 0.42);
  const cell = Math.min((size - left - 8) / topics.length, 46);
  const title = (d) => `${names[d.a]}\n${names[d.b]}\ncorrelation ${signed(d.value)}`;
  const place = { x: "b", y: "a" };
  return [
    plot({
      width: left + cell * topics.length + 8,
      height: Math.max(cell, 22) * topics.length + 40,
      marginLeft: left,
      marginTop: 34,
      marginRight: 8,
      marginBottom: 6,
      padding: 0.06,
      x: { type: "band", domain: d3.range(topics.length), axis: null },
      y: { type: "band", domain: d3.range(topics.length), axis: null },
      marks: [
        Plot.axisX({
          anchor: "top",
          label: null,
          tickSize: 0,
          tickRotate: cell < 24 ? -90 : 0,
          tickFormat: (k) => String(shown[k].number),
        }),
        Plot.cell(cells, { ...place, fill: (d) => colour(d.value), title, tip: true }),
        cell < 34
          ? null
          : Plot.text(cells, {
              ...place,
              text: (d) => d3.format(".2f")(d.value),
              fontSize: 11,
              fill: (d) => (d3.lab(colour(d.value)).l < 58 ? "white" : INK),
            }),
        Plot.text(names, {
          y: (_, k) => k,
          text: (d) => d,
          frameAnchor: "left",
          textAnchor: "end",
          dx: -8,
          ...shortened(left - 10),
        }),
      ],
    }),
    legend([
      { title: `often together, ${signed(largest)}`, colour: colour(largest) },
      { title: "no more than by chance, 0", colour: colour(0) },
      { title: `rather one or the other, ${signed(-largest)}`, colour: colour(-largest) },
    ]),
  ];
}

export const tradeOffs = chart((d) => `Correlations of ${d.topics.length} topics.`, drawTradeOffs);

const EACH_MONTH = 8; // months, at most, that are all named

const monthShare = ({ share }) => (share === null ? "few" : percent(share));

/* A month without a share is a gap in the line. */
function drawMonths(rows, width) {
  const start = (d) => new Date(`${d.month}-01T00:00:00Z`);
  const place = { x: start, y: "share" };
  const title = (d) => `${d.month}\n${percent(d.share, 1)}`;
  return [
    plot({
      width: Math.min(width, 560),
      height: 170,
      marginTop: 28,
      marginLeft: 46,
      marginRight: 20,
      x: {
        type: "utc",
        label: null,
        ...(rows.length <= EACH_MONTH && { ticks: rows.map(start), tickFormat: "%b\n%Y" }),
      },
      y: { label: "notes that show it", tickFormat: "%", zero: true, nice: 4, grid: true, ticks: 4 },
      marks: [
        Plot.line(rows, { ...place, stroke: INK, strokeWidth: 2 }),
        Plot.dot(rows, { ...place, fill: INK, r: 3, title, tip: true }),
      ],
    }),
  ];
}

export const months = chart(
  (rows) => `Share of the notes by month: ${rows.map((d) => `${d.month} ${monthShare(d)}`).join(", ")}.`,
  drawMonths,
);
