/* What the charts share. What a colour means is chosen in style.css. */

const palette = getComputedStyle(document.documentElement);
const colourOf = (name) => palette.getPropertyValue(`--${name}`).trim();
export const [RAISES, LOWERS, NEITHER, FOR, AGAINST, TOGETHER, INSTEAD, ALARM, INK, ACCENT] = [
  "raises",
  "lowers",
  "neither",
  "for",
  "against",
  "together",
  "instead",
  "alarm",
  "ink",
  "accent",
].map(colourOf);
export const FAINT = "#8c959f";
// Curves side by side, with a legend: none of them has a colour that means something.
export const SERIES = ["#1b1f24", "#b0417a", "#00788c", "#8c564b", "#6a737d"];
const DASHES = ["none", "7 3", "2 3", "9 3 2 3", "12 4"];
const pen = document.createElement("canvas").getContext("2d");
pen.font = `12px ${palette.getPropertyValue("--font")}`;
export const textWidth = (text) => pen.measureText(text).width; // pixels, in the font of the charts

/* draw(data, width) returns the nodes to show; label(data) says in words what they show. The result draws into an element, and draws
   again when it is called again. */
export function chart(label, draw) {
  return (element, data, width = element.clientWidth) => {
    element.replaceChildren(...draw(data, width || 600));
    element.setAttribute("role", "img");
    if (!element.hasAttribute("aria-label")) element.setAttribute("aria-label", label(data));
  };
}

/* Plot puts a <style> into each chart, which a strict Content-Security-Policy refuses: its rules are in style.css. */
export function plot(options) {
  const svg = Plot.plot({ className: "plot", ...options });
  for (const style of svg.querySelectorAll("style")) style.remove();
  svg.setAttribute("aria-hidden", "true");
  return svg;
}

export function legend(entries) {
  const box = document.createElement("div");
  box.className = "legend";
  for (const one of entries) {
    const entry = document.createElement("span");
    const drawing = d3.create("svg").attr("width", 26).attr("height", 12).attr("aria-hidden", "true");
    drawing.append(() => legendMark(one));
    entry.append(drawing.node(), one.title);
    box.append(entry);
  }
  return box;
}

/* A line if it has dashes ("none" is a whole line), a diamond, or a patch, which has an edge because white needs one. */
function legendMark({ colour, dash, diamond }) {
  if (dash)
    return d3
      .create("svg:path")
      .attr("d", "M0,6H26")
      .attr("stroke", colour)
      .attr("stroke-width", 2.5)
      .attr("stroke-dasharray", dash)
      .node();
  const shape = d3.create("svg:path").attr("fill", colour);
  if (diamond) return shape.attr("d", "M13,0L17,6L13,12L9,6Z").node();
  return shape.attr("d", "M0.5,1.5H25.5V10.5H0.5Z").attr("stroke", FAINT).attr("stroke-opacity", 0.6).node();
}

/* Pixels for the longest of the words, at most a share of the width. */
export const widthOf = (words, width, share) => Math.min(share * width, d3.max(words, textWidth) + 10);
export const towards = (strength) => (strength > 0 ? RAISES : strength < 0 ? LOWERS : NEITHER);
export const shortened = (pixels) => ({ textOverflow: "ellipsis", lineWidth: pixels / 12 });
export const seriesStyle = (k) => ({ colour: SERIES[k % SERIES.length], dash: DASHES[k % DASHES.length] });
