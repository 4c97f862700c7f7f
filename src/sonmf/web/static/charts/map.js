/* Topics as dots: those that come in the same documents lie close together. On a phone they are a list. */
import { counted, percent } from "../format.js";
import { LOWERS, legend, NEITHER, RAISES, textWidth, towards } from "./base.js";

const NARROW = 480; // pixels below which a map is a list
const LARGEST_DOT = 24,
  SMALLEST_DOT = 5,
  COVERED = 0.08; // the share of the map that dots cover, at most
const SIDES_FREE = 105,
  ENDS_FREE = 36; // pixels for names beside the outermost dots
const LONGEST_LABEL = 30;
const FIRST = 10; // topics of a list, without unfolding anything
const LINE = 16; // pixels, the height of a label

export function topicMap(element, data, width = element.clientWidth || 600) {
  const narrow = width < NARROW;
  element.setAttribute("role", "group");
  element.replaceChildren(
    caption(data, narrow),
    narrow ? topicList(data) : mapDrawing(data, width),
    ...mapLegend(data.topics),
  );
}

const caption = ({ what }, narrow) =>
  d3
    .create("p")
    .attr("class", "small muted")
    .text(
      narrow
        ? `The topics with the most in the ${what} come first.`
        : `Topics that occur in the same ${what} lie close together: read neighbourhoods, not axes, since a plane cannot preserve ` +
            `all distances. The larger a dot, the more of the topic is in the ${what}. ` +
            "Point at a dot for its words; choose it to read the topic.",
    )
    .node();

const effectOf = ({ strength }) =>
  strength === null ? "" : strength > 0 ? "raises the odds" : strength < 0 ? "lowers the odds" : "little or no effect";

function about(topic, { what, total }) {
  const shown = topic.documents ? `in ${counted(topic.documents)} ${what} (${percent(topic.documents / total)})` : "";
  return [topic.name, topic.words.join(", "), shown, effectOf(topic)].filter(Boolean).join("\n");
}

const linkTo = ({ number }, { href }) => document.querySelector(`a[href=${JSON.stringify(href + number)}]`);

function mapDrawing(data, width) {
  const [wide, high] = ["x", "y"].map((name) => spanOf(data.topics, name));
  const height = Math.round(Math.min(520, Math.max(300, 2 * ENDS_FREE + ((width - 2 * SIDES_FREE) * high) / wide)));
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

const extentOf = (topics, name) => d3.extent(topics, (d) => d[name]);
const middleOf = (topics, name) => d3.mean(extentOf(topics, name));
const spanOf = (topics, name) => extentOf(topics, name)[1] - extentOf(topics, name)[0] || 1e-9;

/* Where each topic goes, on one scale across and up. Its dot is pushed off those that it would cover; the largest have the first
   choice of a place for their names. */
function spread(topics, width, height) {
  const unit = Math.min((width - 2 * SIDES_FREE) / spanOf(topics, "x"), (height - 2 * ENDS_FREE) / spanOf(topics, "y"));
  const across = (d) => width / 2 + unit * (d.x - middleOf(topics, "x"));
  const down = (d) => height / 2 - unit * (d.y - middleOf(topics, "y"));
  const most = d3.max(topics, (d) => d.energy) || 1;
  const areas = (Math.PI * d3.sum(topics, (d) => d.energy)) / most || 1;
  const largest = Math.min(LARGEST_DOT, Math.sqrt((COVERED * width * height) / areas));
  const dots = topics.map((d) => ({
    ...d,
    r: Math.max(SMALLEST_DOT, largest * Math.sqrt(d.energy / most)),
    x: across(d),
    y: down(d),
    home: [across(d), down(d)],
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
  for (let step = 0; step < 200; step++) {
    forces.tick();
    for (const dot of dots) dot.y = Math.min(height - dot.r - 2, Math.max(dot.r + 2, dot.y));
  }
  const taken = dots.map(({ x, y, r }) => ({ left: x - r, right: x + r, top: y - r, bottom: y + r }));
  for (const dot of [...dots].sort((a, b) => b.r - a.r)) dot.label = labelPlace(dot, taken, width, height);
  return dots;
}

export const cut = (name) => (name.length > LONGEST_LABEL ? `${name.slice(0, LONGEST_LABEL - 1)}…` : name);

/* The first free place around a dot, from the right on; none if all would cover something. */
export function labelPlace({ x, y, r, name }, taken, width, height) {
  const text = cut(name);
  const wide = textWidth(text);
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

export const overlaps = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;

function topicList(data) {
  const order = [...data.topics].sort((a, b) => b.energy - a.energy);
  const box = d3.create("div").attr("class", "topic-list");
  box.append(() => entriesOf(order.slice(0, FIRST), data));
  const rest = order.slice(FIRST);
  if (rest.length) {
    const more = box.append("details");
    more.append("summary").text(`${rest.length} more ${rest.length > 1 ? "topics" : "topic"}`);
    more.append(() => entriesOf(rest, data));
  }
  return box.node();
}

function entriesOf(topics, data) {
  const list = d3.create("ul");
  const entries = list.selectAll("li").data(topics).join("li");
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

/* Of the effects that there are; none where there is no outcome. */
function mapLegend(topics) {
  const effects = [
    { title: "raises the odds of admission", colour: RAISES, has: (d) => d.strength > 0 },
    { title: "lowers them", colour: LOWERS, has: (d) => d.strength < 0 },
    { title: "little or no effect", colour: NEITHER, has: (d) => d.strength === 0 },
  ].filter(({ has }) => topics.some(has));
  return effects.length ? [legend(effects)] : [];
}
