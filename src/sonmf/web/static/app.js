/* What the pages share: asking the server, elements made from data, a complaint that stays chosen. Markup comes only from the
   server's own templates, which escape what they are given. */

export const byId = (id) => document.getElementById(id);
export const percent = (share, digits = 0) => `${(100 * share).toFixed(digits)}%`;
export const signed = (value) => `${value < 0 ? "−" : "+"}${Math.abs(value).toFixed(2)}`;
export const counted = (number) => number.toLocaleString("en");

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
export const named = (name) => name.split(/(?<=\/)/).flatMap((part, k) => (k ? [make("wbr"), part] : [part]));

export async function answer(response) {
  const found = await response.json();
  if (!response.ok) throw Object.assign(new Error(found.error), { columns: found.columns });
  return found;
}

export async function reach(path, options) {
  try {
    return await fetch(path.startsWith("/") ? path : `/api/v1/${path}`, options);
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Error("the server does not answer: is `sonmf serve` still running?");
  }
}

export const read = async (path, parameters = {}, signal) =>
  answer(await reach(`${path}?${new URLSearchParams(parameters)}`, { signal }));

/* A piece of a page as the server draws it, with its charts; scripts in it do not run. */
export async function drawn(path, parameters, signal) {
  const response = await reach(`${path}?${new URLSearchParams(parameters)}`, { signal });
  const found = parsed(await response.text());
  if (!response.ok) throw new Error(found.querySelector("main p").textContent);
  return pieces(found);
}

export const parsed = (html) => new DOMParser().parseFromString(html, "text/html");

export function pieces(found) {
  for (const element of found.querySelectorAll("[data-chart]"))
    charted(element, element.dataset.chart, JSON.parse(element.nextElementSibling.textContent));
  return [...found.body.childNodes];
}

export const send = async (path, fields, { method = "POST", signal } = {}) =>
  answer(
    await reach(path, {
      method,
      signal,
      headers: { "content-type": "application/json" },
      body: JSON.stringify(fields),
    }),
  );

/* Only the newest question counts: an older one that is still under way is dropped, and so is its answer. */
export function latest(question, wait = 0) {
  let timer, controller;
  return (...asked) => {
    clearTimeout(timer);
    controller?.abort();
    controller = new AbortController();
    const { signal } = controller;
    timer = setTimeout(async () => {
      try {
        await question(signal, ...asked);
      } catch (error) {
        if (error.name !== "AbortError") throw error;
      }
    }, wait);
  };
}

const capital = (sentence) => (/^\S*\.\S/.test(sentence) ? sentence : sentence[0].toUpperCase() + sentence.slice(1)); // a file keeps its name
const written = (sentence) => make("p", {}, `${capital(sentence)}${/[.?!]$/.test(sentence) ? "" : "."}`);
export const notice = (sentence) => make("div", { class: "notice caution", role: "alert" }, written(sentence));
export const remark = (sentence) => (sentence ? make("div", { class: "notice" }, written(sentence)) : null);

/* Show what went wrong in place of what was asked for. */
export async function shown(element, work) {
  element.setAttribute("aria-busy", "true");
  try {
    element.replaceChildren(...(await work()));
  } catch (error) {
    if (error.name === "AbortError") throw error;
    element.replaceChildren(notice(error.message));
  }
  element.removeAttribute("aria-busy");
}

export const chart = (kind, data) => charted(make("div", { class: "chart" }), kind, data);

/* A chart is drawn when its element is in the page and has a width; drawn again when the width changes. */
function charted(element, kind, data) {
  let width = 0;
  new ResizeObserver(() => {
    if (!element.isConnected || element.clientWidth === width) return;
    width = element.clientWidth;
    sonmfCharts[kind](element, data);
  }).observe(element);
  return element;
}

export function table(caption, head, rows) {
  const cell = (tag, numeric) => (value, k) =>
    make(tag, { class: numeric[k] && "number", scope: tag === "th" && "col" }, value);
  const numeric = head.map((_, k) => k > 0 && rows.every((row) => /^[−+×]?\s?[\d.,]+%?( ±.*)?$|^–$/.test(row[k])));
  return make(
    "div",
    { class: "scroll", tabindex: 0, role: "region", "aria-label": caption },
    make(
      "table",
      {},
      make("caption", {}, caption),
      make("thead", {}, make("tr", {}, ...head.map(cell("th", numeric)))),
      make("tbody", {}, ...rows.map((row) => make("tr", {}, ...row.map(cell("td", numeric))))),
    ),
  );
}

export const behind = (title, ...content) => make("details", {}, make("summary", {}, title), ...content);

/* The complaint in the address, or the one chosen last on any page. */
export function complaintChooser(changed) {
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
