/* Two topics as axes: the words on the sides of both, and how many documents show two sides together. */
import { counted, percent, signed } from "../format.js";
import { AGAINST, FOR, legend, NEITHER, textWidth } from "./base.js";
import { cut, labelPlace, overlaps } from "./map.js";

const DRAWN = 40; // words, the strongest
const LISTED = 8; // words of a corner
const TICKS = [-0.5, -0.2, -0.05, 0.05, 0.2, 0.5]; // weights
const SIDES = ["for", "against"];
const COLOURS = [
  { title: "for the topic in which the word counts most", colour: FOR },
  { title: "against it", colour: AGAINST },
];

export function compass(element, data, width = element.clientWidth || 600) {
  element.setAttribute("role", "group");
  element.compassAxes ??= usualAxes(data);
  const draw = () => {
    const shown = d3.create("div").attr("class", "compass");
    shown.append(() => compassDrawing(data, element.compassAxes, Math.min(width, 900)));
    shown.append(() => legend(COLOURS));
    shown.append(() => corners(data, element.compassAxes));
    element.querySelector(".compass").replaceWith(shown.node());
    choosers.forEach(disableOther);
  };
  // A topic on both axes would meet itself.
  const disableOther = (field, axis) => {
    const options = d3.select(field).selectAll("option");
    options.property("disabled", (_, k) => k === element.compassAxes[1 - axis]);
  };
  const choosers = ["Across", "Up"].map((label, axis) => chooser(label, data.topics, element.compassAxes, axis, draw));
  const row = d3.create("div").attr("class", "controls");
  for (const one of choosers) row.append(() => one);
  element.replaceChildren(row.node(), d3.create("div").attr("class", "compass").node());
  draw();
}

/* The two topics that come together in most documents beyond those by chance. */
function usualAxes(data) {
  const { documents, topics } = data;
  const pairs = d3.cross(d3.range(topics.length), d3.range(topics.length)).filter(([a, b]) => a < b);
  return [...(d3.greatest(pairs, ([a, b]) => documents[a][b] - byChance(data, a, b)) ?? [0, 0])];
}

const byChance = ({ documents, total }, a, b) => (documents[a][a] * documents[b][b]) / total;

function chooser(label, topics, axes, axis, draw) {
  const field = d3.create("label").attr("class", "field").text(label);
  const select = field.append("select").attr("autocomplete", "off");
  select
    .selectAll("option")
    .data(topics)
    .join("option")
    .attr("value", (_, k) => k)
    .text((name) => name);
  select.property("value", axes[axis]).on("change", (event) => {
    axes[axis] = Number(event.target.value);
    draw();
  });
  return field.node();
}

function wordsOn({ words, weights }, [across, up]) {
  return words.map((name, j) => ({ name, across: weights[j][across], up: weights[j][up] }));
}

/* Weights on a scale of square roots: most of them are close to 0. */
function compassDrawing(data, axes, width) {
  const height = Math.round(Math.min(480, Math.max(300, 0.7 * width))),
    strength = (d) => Math.hypot(d.across, d.up);
  const words = wordsOn(data, axes)
    .sort((a, b) => d3.descending(strength(a), strength(b)))
    .slice(0, DRAWN);
  const most = d3.max(words, (d) => Math.max(Math.abs(d.across), Math.abs(d.up))) || 1;
  const scale = (name, low, high) => {
    const [least, largest] = d3.extent(words, (d) => d[name]);
    return d3.scaleSqrt([Math.min(least, -0.1 * most), Math.max(largest, 0.1 * most)], [low, high]);
  };
  const x = scale("across", 40, width - 40),
    y = scale("up", height - 34, 34);
  const svg = d3.create("svg").attr("viewBox", [0, 0, width, height]).attr("width", width).attr("class", "plot");
  const names = axes.map((axis) => cut(data.topics[axis]));
  svg.attr("role", "img").attr("aria-label", `Words on ${names[0]} and ${names[1]}; the boxes below list them.`);
  svg
    .append("path")
    .attr("d", `M0,${y(0)}H${width}M${x(0)},0V${height}`)
    .attr("stroke", NEITHER);
  const dots = words.map((d) => ({ ...d, x: x(d.across), y: y(d.up), r: 3 }));
  const taken = dots.map((d) => ({ left: d.x - 3, right: d.x + 3, top: d.y - 3, bottom: d.y + 3 }));
  taken.push(...axisTitles(svg, names, x(0), y(0), width, height, taken));
  taken.push(...tickLabels(svg, x, true, y(0), taken));
  taken.push(...tickLabels(svg, y, false, x(0), taken));
  for (const dot of dots) {
    const place = labelPlace(dot, taken, width, height);
    if (place)
      svg
        .append("text")
        .attr("x", place.x)
        .attr("y", place.y + 12)
        .text(place.text);
  }
  const marks = svg.selectAll("g.word").data(dots).join("g").attr("class", "word");
  marks.append("title").text((d) => `${d.name}\n${d3.format("+.2f")(d.across)} across, ${d3.format("+.2f")(d.up)} up`);
  marks
    .append("circle")
    .attr("cx", (d) => d.x)
    .attr("cy", (d) => d.y)
    .attr("r", 3)
    .attr("fill", sideColour);
  return svg.node();
}

/* The colour of the side that the word stands on most. */
const sideColour = (d) => ((Math.abs(d.across) > Math.abs(d.up) ? d.across : d.up) > 0 ? FOR : AGAINST);

/* What the ends of the axes mean; returns the room that they take. Those across stand where they cover fewest dots. */
function axisTitles(svg, [across, up], middle, centre, width, height, dots) {
  const beside = [-6, 16, -22, 32].map((down) => centre + down);
  const ends = [
    { text: `for ${across} →`, x: width, rows: beside, anchor: "end" },
    { text: "← against", x: 0, rows: beside, anchor: "start" },
    { text: `↑ for ${up}`, x: middle + 6, rows: [12], anchor: "start" },
    { text: "↓ against", x: middle + 6, rows: [height - 4], anchor: "start" },
  ];
  return ends.map(({ text, x, rows, anchor }) => {
    const wide = 1.15 * textWidth(text);
    const left = anchor === "end" ? x - wide : Math.min(x, Math.max(0, width - wide));
    const rooms = rows.map((y) => ({ left, right: left + wide, top: y - 13, bottom: y + 4 }));
    const least = d3.leastIndex(rooms, (room) => dots.filter((dot) => overlaps(room, dot)).length);
    const title = svg.append("text").attr("y", rows[least]).attr("text-anchor", anchor).text(text);
    title.attr("x", anchor === "end" ? x : left).attr("font-weight", 600);
    return rooms[least];
  });
}

/* Weights along an axis, where their numbers cover nothing; returns the room that they take. */
function tickLabels(svg, scale, across, crossing, taken) {
  const [low, high] = scale.domain(),
    rooms = [];
  for (const value of TICKS.filter((one) => low < one && one < high)) {
    const at = scale(value),
      wide = textWidth(signed(value)) + 4;
    const [left, top] = across ? [at - wide / 2, crossing + 4] : [crossing - wide - 4, at - 8];
    svg
      .append("path")
      .attr("d", across ? `M${at},${crossing}v4` : `M${crossing},${at}h-4`)
      .attr("stroke", NEITHER);
    const room = { left, right: left + wide, top, bottom: top + 14 };
    if ([...taken, ...rooms].some((other) => overlaps(room, other))) continue;
    rooms.push(room);
    const number = svg.append("text").attr("class", "tick").text(signed(value));
    number.attr("x", left + 2).attr("y", top + 12);
  }
  return rooms;
}

/* Four boxes, each where its corner is. */
function corners(data, axes) {
  const words = wordsOn(data, axes);
  const [across, up] = axes.map((axis) => data.topics[axis]);
  const boxes = d3.create("div").attr("class", "corners");
  for (const vertical of SIDES) {
    for (const horizontal of [...SIDES].reverse()) {
      const box = boxes.append("div");
      box.append("strong").text(`${horizontal} ${across}, ${vertical} ${up}`);
      box.append("div").text(cornerWords(words, horizontal, vertical) || "no word counts on both sides");
      box
        .append("div")
        .attr("class", "small muted")
        .text(meeting(data, axes, horizontal, vertical));
    }
  }
  return boxes.node();
}

function cornerWords(words, horizontal, vertical) {
  const [right, top] = [horizontal, vertical].map((side) => (side === "for" ? 1 : -1));
  return words
    .filter((d) => right * d.across > 0.02 && top * d.up > 0.02)
    .sort((a, b) => Math.abs(b.across * b.up) - Math.abs(a.across * a.up))
    .slice(0, LISTED)
    .map((d) => d.name)
    .join(", ");
}

/* How many documents show both sides, and how many would by chance; one side may be too rare to say. */
function meeting(data, axes, horizontal, vertical) {
  const { documents, topics, total, what, few } = data;
  const [a, b] = [horizontal, vertical].map((side, k) => axes[k] + topics.length * SIDES.indexOf(side));
  const both = documents[a][b],
    chance = byChance(data, a, b);
  const found = both ? `${counted(both)} ${both > 1 ? what : what.slice(0, -1)} (${inAll(both / total)})` : few;
  return chance ? `${found}; by chance ${chance < 10 ? chance.toFixed(1) : counted(Math.round(chance))}` : found;
}

const inAll = (share) => (share < 0.001 ? "less than 0.1%" : percent(share, 1));
