/* Beds by the hour, how past forecasts of them did, and when patients arrive. */
import { percent } from "../format.js";
import { chart, INK, legend, plot, SERIES, seriesStyle } from "./base.js";

const faint = (colour) => d3.interpolateRgb("#ffffff", colour)(0.3);
const clockOf = (line) => line.until.slice(11, 16);

/* Beds expected from now on: those for patients who are present, above them those who arrive, and the interval of both. */
function drawBedsByHour({ lines, level }, width) {
  const title = (d) =>
    `${clockOf(d)}\n${d.expected.toFixed(1)} beds, ${percent(level)} interval ${d.low} to ${d.high}\n` +
    `${d.present.toFixed(1)} for those present, ${d.arriving.toFixed(1)} for those who arrive`;
  const place = { x: "hours" },
    last = lines[lines.length - 1].hours;
  const clock = (hours) => clockOf(lines.find((d) => d.hours === hours) || lines[0]);
  const room = Math.max(1, Math.ceil(lines.length / Math.max(2, Math.floor(width / 70))));
  return [
    plot({
      width: Math.min(width, 900),
      height: 300,
      marginLeft: 46,
      marginBottom: 38,
      marginTop: 26,
      marginRight: 24,
      x: {
        label: "until",
        domain: [0, last],
        ticks: lines.filter((_, k) => k % room === 0).map((d) => d.hours),
        tickFormat: clock,
        labelArrow: "none",
      },
      y: { label: "beds", grid: true, ticks: 6, nice: 6, zero: true },
      marks: [
        Plot.areaY(lines, { ...place, y1: 0, y2: "present", fill: faint(SERIES[2]) }),
        Plot.areaY(lines, { ...place, y1: "present", y2: "expected", fill: faint(SERIES[1]) }),
        Plot.ruleX(lines, { ...place, y1: "low", y2: "high", stroke: SERIES[0], strokeWidth: 2.5 }),
        Plot.line(lines, { ...place, y: "expected", stroke: INK, strokeWidth: 2 }),
        Plot.dot(lines, { ...place, y: "expected", fill: INK, r: 3, title, tip: true }),
        Plot.ruleY([0], { stroke: INK }),
      ],
    }),
    legend([
      { title: `expected, with the ${percent(level)} interval`, colour: INK, dash: "none" },
      { title: "for those present", colour: faint(SERIES[2]) },
      { title: "for those who arrive", colour: faint(SERIES[1]) },
    ]),
  ];
}

export const bedsByHour = chart(
  (d) => `Beds expected: ${d.lines.map((line) => `${line.expected.toFixed(1)} by ${clockOf(line)}`).join(", ")}.`,
  drawBedsByHour,
);

const smallFrame = (width) => ({
  width: Math.min(width, 460),
  height: 230,
  marginLeft: 46,
  marginBottom: 38,
  marginTop: 26,
  marginRight: 14,
});

function drawPit(shares, width) {
  const rows = shares.map((share, k) => ({ share, from: k / shares.length, to: (k + 1) / shares.length }));
  const title = (d) =>
    `${percent(d.from)} to ${percent(d.to)} of the forecast\n${d3.format(".1%")(d.share)} of the outcomes`;
  return [
    plot({
      ...smallFrame(width),
      x: {
        label: "part of the forecast below the outcome",
        tickFormat: "%",
        ticks: 5,
        labelArrow: "none",
        labelAnchor: "center",
      },
      y: { label: "outcomes", tickFormat: "%", grid: true, ticks: 4, nice: 4 },
      marks: [
        Plot.rectY(rows, {
          x1: "from",
          x2: "to",
          y: "share",
          fill: SERIES[0],
          fillOpacity: 0.75,
          inset: 0.5,
          title,
          tip: true,
        }),
        Plot.ruleY([1 / shares.length], { stroke: INK, strokeDasharray: "3 3" }),
        Plot.ruleY([0], { stroke: INK }),
      ],
    }),
  ];
}

export const pit = chart(
  (shares) => `Outcomes in each tenth of their forecast: ${shares.map((share) => percent(share)).join(", ")}.`,
  drawPit,
);

function drawObservedByHour(rows, width) {
  const title = (d) => `forecasts of ${d.hour}:00\n${d.observed.toFixed(2)} beds, ${d.expected.toFixed(2)} expected`;
  const lines = [
    { name: "observed", title: "observed", ...seriesStyle(0) },
    { name: "expected", title: "expected", ...seriesStyle(1) },
  ];
  return [
    plot({
      ...smallFrame(width),
      x: { label: "hour of the forecast", ticks: 6, labelArrow: "none", labelAnchor: "center" },
      y: { label: "beds", grid: true, ticks: 4, nice: 4, zero: true },
      marks: [
        ...lines.map(({ name, colour, dash }) =>
          Plot.line(rows, { x: "hour", y: name, stroke: colour, strokeWidth: 2, strokeDasharray: dash }),
        ),
        Plot.dot(rows, { x: "hour", y: "observed", fill: SERIES[0], r: 3, title, tip: true }),
      ],
    }),
    legend(lines),
  ];
}

const observedAndExpected = (d) => `${d.hour}:00 ${d.observed.toFixed(1)} and ${d.expected.toFixed(1)}`;
export const observedByHour = chart(
  (rows) => `Beds observed and expected: ${rows.map(observedAndExpected).join(", ")}.`,
  drawObservedByHour,
);

function drawArrivalRates({ rates, weekdays }, width) {
  const cells = rates.flatMap((day, k) => day.map((rate, hour) => ({ day: weekdays[k].slice(0, 3), hour, rate })));
  const most = d3.max(cells, (d) => d.rate) || 1;
  const colour = d3.scaleSequential(d3.interpolateGreys).domain([0, most]);
  return [
    plot({
      width: Math.min(width, 900),
      height: 220,
      marginLeft: 40,
      marginBottom: 36,
      marginTop: 8,
      marginRight: 8,
      padding: 0.05,
      x: {
        type: "band",
        label: "hour",
        tickSize: 0,
        labelArrow: "none",
        labelAnchor: "center",
        tickFormat: (d) => (width < 600 && d % 3 ? "" : String(d)),
      },
      y: { type: "band", label: null, domain: weekdays.map((day) => day.slice(0, 3)), tickSize: 0 },
      marks: [
        Plot.cell(cells, {
          x: "hour",
          y: "day",
          fill: (d) => colour(d.rate),
          title: (d) => `${d.day} ${d.hour}:00\n${d.rate.toFixed(1)} arrivals an hour`,
          tip: true,
        }),
      ],
    }),
    legend([0, most / 2, most].map((rate) => ({ title: `${rate.toFixed(1)} an hour`, colour: colour(rate) }))),
  ];
}

export const arrivalRates = chart(() => "Arrivals an hour by weekday and hour.", drawArrivalRates);
