/* Topics: their words, and what they add to a forecast. */
import { signed } from "../format.js";
import {
  AGAINST,
  chart,
  FOR,
  INK,
  LOWERS,
  legend,
  NEITHER,
  plot,
  RAISES,
  shortened,
  towards,
  widthOf,
} from "./base.js";

const TICK = 34; // pixels that the number of a tick takes

/* As many ticks as have room; of those that would cover each other 0 and the largest. */
function fewTicks(values, room) {
  const range = d3.extent([0, ...values]);
  const choices = [5, 4, 3, 2].map((count) => d3.ticks(...range, count));
  const fitting = choices.find((ticks) => ticks.length > 1 && ticks.length * TICK <= room);
  return fitting ?? [0, d3.max(choices[0])];
}

function drawTopicBars({ positive, negative, unit }, width) {
  const side = (words, sign) => words.map(({ name, value }, rank) => ({ name, rank, value: sign * Math.abs(value) }));
  const right = side(positive, 1),
    left = side(negative, -1),
    both = [...right, ...left];
  const margins = [left, right].map((words) =>
    words.length
      ? widthOf(
          words.map((d) => d.name),
          width,
          left.length ? 0.34 : 0.5,
        )
      : 10,
  );
  const options = { x: "value", y: "rank" };
  const title = (d) => `${d.name}  ${signed(d.value)}`;
  return [
    plot({
      width,
      height: 21 * Math.max(right.length, left.length) + 44,
      marginLeft: margins[0],
      marginRight: margins[1],
      marginTop: 6,
      marginBottom: 38,
      x: {
        domain: d3.extent([0, ...both.map((d) => d.value)]),
        label: unit,
        labelAnchor: "center",
        labelArrow: "none",
        ticks: fewTicks(
          both.map((d) => d.value),
          width - margins[0] - margins[1],
        ),
        tickFormat: "~g",
        tickSize: 3,
      },
      y: { axis: null, type: "band", domain: d3.range(Math.max(right.length, left.length)), padding: 0.22 },
      marks: [
        Plot.barX(both, { ...options, fill: (d) => (d.value > 0 ? FOR : AGAINST), title, tip: true }),
        Plot.ruleX([0], { stroke: INK }),
        Plot.text(right, { ...options, text: "name", textAnchor: "start", dx: 5, ...shortened(margins[1]) }),
        Plot.text(left, { ...options, text: "name", textAnchor: "end", dx: -5, ...shortened(margins[0]) }),
      ],
    }),
    legend([
      { title: "for the topic", colour: FOR },
      ...(left.length ? [{ title: "against it", colour: AGAINST }] : []),
    ]),
  ];
}

const listed = (words) => words.map(({ name }) => name).join(", ") || "none";
export const topicBars = chart(
  (d) => `Words for the topic: ${listed(d.positive)}; against it: ${listed(d.negative)}.`,
  drawTopicBars,
);

const LEAST_EFFECT = 0.1; // log-odds: bars that are smaller all of them stay small

function drawContributions(rows, width) {
  const largest = Math.max(
    LEAST_EFFECT,
    d3.max(rows, (d) => Math.abs(d.value)),
  );
  const order = (d) => rows.indexOf(d);
  const title = (d) => `${d.name}  ${signed(d.value)}`;
  const names = (sign) =>
    Plot.text(
      rows.filter((d) => (d.value < 0 ? -1 : 1) === sign),
      {
        x: 0,
        y: order,
        text: "name",
        dx: -6 * sign,
        textAnchor: sign > 0 ? "end" : "start",
        ...shortened(width / 2 - 14),
      },
    );
  const amounts = (sign) =>
    Plot.text(
      rows.filter((d) => (d.value < 0 ? -1 : 1) === sign),
      {
        x: "value",
        y: order,
        text: (d) => signed(d.value),
        dx: 5 * sign,
        textAnchor: sign > 0 ? "start" : "end",
      },
    );
  return [
    plot({
      width,
      height: 26 * rows.length + 12,
      marginLeft: 48,
      marginRight: 48,
      marginTop: 6,
      marginBottom: 6,
      x: { axis: null, domain: [-largest, largest] },
      y: { axis: null, type: "band", domain: d3.range(rows.length), padding: 0.25 },
      marks: [
        Plot.barX(rows, { x: "value", y: order, fill: (d) => towards(d.value), title, tip: true }),
        Plot.ruleX([0], { stroke: INK }),
        names(1),
        names(-1),
        amounts(1),
        amounts(-1),
      ],
    }),
    legend([
      { title: "adds to the log-odds", colour: RAISES },
      { title: "takes from them", colour: LOWERS },
    ]),
  ];
}

export const contributions = chart(
  (rows) => `Log-odds: ${rows.map((d) => `${d.name} ${signed(d.value)}`).join(", ")}.`,
  drawContributions,
);

/* Topics and columns by the size of their effect, all to the right: a column has no one direction. */
function drawRanking(rows, width) {
  const left = widthOf(
    rows.map((d) => d.name),
    width,
    0.45,
  );
  const order = (d) => rows.indexOf(d);
  const title = (d) => `${d.name}\nodds × ${d.odds.toFixed(2)}\nraises: ${d.raising}\nlowers: ${d.lowering}`;
  const colour = (d) => (d.way === "raises" ? RAISES : d.way === "lowers" ? LOWERS : NEITHER);
  return [
    plot({
      width: Math.min(width, 760),
      height: 24 * rows.length + 12,
      marginLeft: left,
      marginRight: 56,
      marginTop: 6,
      marginBottom: 6,
      x: { axis: null, domain: [0, d3.max(rows, (d) => d.size) || 1] },
      y: { axis: null, type: "band", domain: d3.range(rows.length), padding: 0.25 },
      marks: [
        Plot.barX(rows, { x: "size", y: order, fill: colour, title, tip: true }),
        Plot.ruleX([0], { stroke: INK }),
        Plot.text(rows, { x: 0, y: order, text: "name", dx: -6, textAnchor: "end", ...shortened(left - 10) }),
        Plot.text(rows, { x: "size", y: order, text: (d) => `× ${d.odds.toFixed(2)}`, dx: 5, textAnchor: "start" }),
      ],
    }),
    legend([
      { title: "raises the odds", colour: RAISES },
      { title: "lowers them", colour: LOWERS },
      { title: "column, either way", colour: NEITHER },
    ]),
  ];
}

export const ranking = chart(
  (rows) => `Odds for one standard deviation: ${rows.map((d) => `${d.name} × ${d.odds.toFixed(2)}`).join(", ")}.`,
  drawRanking,
);
