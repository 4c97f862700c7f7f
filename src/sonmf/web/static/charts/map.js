/* Topics as dots: those that come in the same documents lie close together. On a phone they are a list. */
import { counted, percent } from "../format.js";
import { LETTER_WIDTH, LOWERS, legend, NEITHER, RAISES, towards } from "./base.js";

const NARROW = 480; // pixels below which a map is a list
const LARGEST_DOT = 24,
  SMALLEST_DOT = 5;
const LONGEST_LABEL = 30;
const LINE = 16; // pixels, the height of a label

export function topicMap(element, data, width = element.clientWidth || 600) {
  const narrow = width < NARROW;
  element.setAttribute("role", narrow ? "group" : "img");
  element.replaceChildren(...(narrow ? [topicList(data)] : [mapDrawing(data, width)]), ...mapLegend(data, narrow));
}

const effectOf = ({ strength }) =>
  strength === null
    ? ""
    : strength > 0
      ? "raises the odds"
      : strength < 0
        ? "lowers the odds"
        : "no effect on the odds";

function about(topic, { what, total }) {
  const shown = topic.documents ? `in ${counted(topic.documents)} ${what} (${percent(topic.documents / total)})` : "";
  return [topic.name, topic.words.join(", "), shown, effectOf(topic)].filter(Boolean).join("\n");
}

const linkTo = ({ number }, { href }) => document.querySelector(`a[href=${JSON.stringify(href + number)}]`);

function mapDrawing(data, width) {
  const height = Math.round(Math.min(480, Math.max(300, 0.5 * width)));
  const dots = spread(data.topics, width, height);
  const chosen = document.querySelector("[data-chosen]")?.dataset.chosen;
  const svg = d3.create("svg").attr("viewBox", [0, 0, width, height]).attr("width", width).attr("class", "plot map");
  svg.attr("aria-hidden", "true"); // the table below has every link
  const links = svg
    .selectAll("g")
    .data(dots)
    .join("g")
    .attr("data-topic", (d) => d.number)
    .classed("chosen", (d) => String(d.number) === chosen)
    .on("click", (_, d) => linkTo(d, data).click());
  links.append("title").text((d) => about(d, data));
  links
    .append("circle")
    .attr("cx", (d) => d.x)
    .attr("cy", (d) => d.y)
    .attr("r", (d) => d.r)
    .attr("fill", (d) => (d.strength === null ? NEITHER : towards(d.strength)));
  links
    .filter((d) => d.label)
    .append("text")
    .attr("x", (d) => d.label.x)
    .attr("y", (d) => d.label.y + 0.75 * LINE)
    .text((d) => d.label.text);
  return svg.node();
}

/* Where each topic goes, its dot pushed off those it would cover; the largest have the first choice of a place for their names. */
function spread(topics, width, height) {
  const most = d3.max(topics, (d) => d.energy) || 1;
  const scale = (name, low, high) =>
    d3.scaleLinear(
      d3.extent(topics, (d) => d[name]),
      [low, high],
    );
  const across = scale("x", 90, width - 120),
    down = scale("y", height - 36, 36);
  const dots = topics.map((d) => ({
    ...d,
    r: Math.max(SMALLEST_DOT, LARGEST_DOT * Math.sqrt(d.energy / most)),
    x: across(d.x),
    y: down(d.y),
    home: [across(d.x), down(d.y)],
  }));
  const forces = d3
    .forceSimulation(dots)
    .force(
      "x",
      d3.forceX((d) => d.home[0]),
    )
    .force(
      "y",
      d3.forceY((d) => d.home[1]),
    )
    .force(
      "apart",
      d3.forceCollide((d) => d.r + 4),
    )
    .stop();
  forces.tick(200);
  for (const dot of dots) dot.y = Math.min(height - dot.r - 2, Math.max(dot.r + 2, dot.y));
  const taken = dots.map(({ x, y, r }) => ({ left: x - r, right: x + r, top: y - r, bottom: y + r }));
  for (const dot of [...dots].sort((a, b) => b.r - a.r)) dot.label = labelPlace(dot, taken, width, height);
  return dots;
}

export const cut = (name) => (name.length > LONGEST_LABEL ? `${name.slice(0, LONGEST_LABEL - 1)}…` : name);

/* The first free place around a dot, from the right on; none if all would cover something. */
export function labelPlace({ x, y, r, name }, taken, width, height) {
  const text = cut(name);
  const wide = text.length * LETTER_WIDTH;
  const corners = [
    [x + r + 4, y - LINE / 2],
    [x - r - 4 - wide, y - LINE / 2],
    [x - wide / 2, y + r + 2],
    [x - wide / 2, y - r - 2 - LINE],
    [x + r, y + 0.5 * r],
    [x + r, y - 0.5 * r - LINE],
    [x - r - wide, y + 0.5 * r],
    [x - r - wide, y - 0.5 * r - LINE],
  ];
  for (const [left, top] of corners) {
    const box = { left, right: left + wide, top, bottom: top + LINE };
    const inside = box.left >= 0 && box.right <= width && box.top >= 0 && box.bottom <= height;
    if (!inside || taken.some((other) => overlaps(box, other))) continue;
    taken.push(box);
    return { x: left, y: top, text };
  }
  return null;
}

const overlaps = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;

function topicList(data) {
  const list = d3.create("ul").attr("class", "topic-list");
  const order = [...data.topics].sort((a, b) => b.energy - a.energy);
  const entries = list.selectAll("li").data(order).join("li");
  entries
    .append("span")
    .attr("class", "dot")
    .style("background", (d) => (d.strength === null ? NEITHER : towards(d.strength)));
  entries
    .append("a")
    .attr("href", (d) => data.href + d.number)
    .text((d) => d.name);
  entries
    .append("span")
    .attr("class", "small muted")
    .text((d) => [d.words.join(", "), effectOf(d)].filter(Boolean).join(" · "));
  return list.node();
}

function mapLegend({ topics, what }, narrow) {
  if (topics.every((d) => d.strength === null)) return [];
  return [
    legend([
      { title: "raises the odds of the outcome", colour: RAISES },
      { title: "lowers them", colour: LOWERS },
      {
        title: narrow ? "no effect" : `no effect; the larger the dot, the more of it is in the ${what}`,
        colour: NEITHER,
      },
    ]),
  ];
}
