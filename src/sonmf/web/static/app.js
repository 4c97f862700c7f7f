/* What the pages share: elements made from data, charts, a complaint that stays chosen. Markup comes only from the server's own
   templates, which escape what they are given. */
import { CHARTS } from "./charts/index.js";

document.querySelector("nav [aria-current]")?.scrollIntoView({ block: "nearest", inline: "center" });

export const byId = (id) => document.getElementById(id);

/* make("p", { class: "muted" }, "text", child): attributes that are false or missing are left out, "on..." are listeners. */
export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value !== false && value !== undefined && value !== null)
      element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

/* The strongest words of a topic stand side by side with a slash; a line may end after it. */
export const breakable = (name) => name.split(/(?<=\/)/).flatMap((part, k) => (k ? [make("wbr"), part] : [part]));

const startsWithFileName = (sentence) => /^\S*\.\S/.test(sentence);
const capitalise = (text) => text[0].toUpperCase() + text.slice(1);
const asSentence = (text) =>
  make("p", {}, `${startsWithFileName(text) ? text : capitalise(text)}${/[.?!]$/.test(text) ? "" : "."}`);
export const notice = (text) => make("div", { class: "notice caution", role: "alert" }, asSentence(text));
export const remark = (text) => (text ? make("div", { class: "notice" }, asSentence(text)) : null);

/* Show what work() returns, or what went wrong. */
export async function showIn(element, work) {
  element.setAttribute("aria-busy", "true");
  try {
    element.replaceChildren(...(await work()));
  } catch (error) {
    if (error.name === "AbortError") throw error;
    element.replaceChildren(notice(error.message));
  }
  element.removeAttribute("aria-busy");
}

export const chart = (kind, data) => attachChart(make("div", { class: "chart" }), kind, data);

/* The nodes of a part of a page, each chart in it with its data. */
export function nodesWithCharts(html) {
  for (const element of html.querySelectorAll("[data-chart]"))
    attachChart(element, element.dataset.chart, JSON.parse(element.nextElementSibling.textContent));
  return [...html.body.childNodes];
}

/* A chart is drawn when its element is in the page and has a width; drawn again when the width changes. */
function attachChart(element, kind, data) {
  let width = 0;
  new ResizeObserver(() => {
    if (!element.isConnected || element.clientWidth === width) return;
    width = element.clientWidth;
    CHARTS[kind](element, data);
  }).observe(element);
  return element;
}

/* columns: { title, of: (row) => content, numeric }. */
export function table(caption, columns, rows) {
  const cells = (tag, content) =>
    columns.map((column) =>
      make(tag, { class: column.numeric && "number", scope: tag === "th" && "col" }, ...[content(column)].flat()),
    );
  return make(
    "div",
    { class: "scroll", tabindex: 0, role: "region", "aria-label": caption },
    make(
      "table",
      {},
      make("caption", {}, caption),
      make("thead", {}, make("tr", {}, ...cells("th", (column) => column.title))),
      make("tbody", {}, ...rows.map((row) => make("tr", {}, ...cells("td", (column) => column.of(row))))),
    ),
  );
}

export const details = (title, ...content) => make("details", {}, make("summary", {}, title), ...content);

/* What is named after a file: "ward.csv.gz" and "forecast.csv" make "ward-forecast.csv". */
export function download(source, name, content, type) {
  const address = URL.createObjectURL(new Blob([content, "\n"], { type }));
  make("a", { href: address, download: `${source.replace(/(\.[a-z]{2,7}){1,2}$/i, "")}-${name}` }).click();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}

/* The complaint in the address, or the one chosen last on any page. */
export function chooseComplaint(changed) {
  const select = byId("complaint");
  const known = [...select.options].map((option) => option.value);
  const wanted = new URLSearchParams(location.search).get("complaint") ?? sessionStorage.getItem("complaint");
  if (known.includes(wanted)) select.value = wanted;
  select.addEventListener("change", () => {
    sessionStorage.setItem("complaint", select.value);
    history.replaceState(null, "", `?${new URLSearchParams({ complaint: select.value })}`);
    changed(select.value);
  });
  changed(select.value);
}
