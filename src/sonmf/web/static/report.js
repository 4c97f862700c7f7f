/* Draws a chart when it comes near the screen, all of them before printing; unfolds what a link leads to; marks where the
   reader is in the contents. */
import { CHARTS } from "./charts/index.js";

const chartElements = document.querySelectorAll("[data-chart]");
const alreadyDrawn = new Set();

/* All widths are read before anything is drawn: reading one after drawing makes the browser lay out the whole page again. */
function drawCharts(elements) {
  const widths = elements.map((element) => element.clientWidth);
  elements.forEach((element, k) => {
    alreadyDrawn.add(element);
    CHARTS[element.dataset.chart](element, JSON.parse(element.nextElementSibling.textContent), widths[k]);
  });
}

const near = new IntersectionObserver(
  (entries) => {
    drawCharts(
      entries.filter((entry) => entry.isIntersecting && !alreadyDrawn.has(entry.target)).map((entry) => entry.target),
    );
  },
  { rootMargin: "600px" },
);
for (const element of chartElements) near.observe(element);

/* What is folded away has no width; it is drawn again when it is unfolded. */
function redraw() {
  const visible = [...alreadyDrawn].filter((element) => element.clientWidth);
  alreadyDrawn.clear();
  drawCharts(visible);
}

let width = window.innerWidth,
  waiting;
window.addEventListener("resize", () => {
  if (window.innerWidth === width) return;
  width = window.innerWidth;
  clearTimeout(waiting);
  waiting = setTimeout(redraw, 150);
});

/* What is printed: the summary, or everything if the button has asked for it. */
const unfolded = [];
window.addEventListener("beforeprint", () => {
  if (document.body.classList.contains("whole"))
    for (const details of document.querySelectorAll("details[data-print]:not([open])")) {
      details.open = true;
      unfolded.push(details);
    }
  drawCharts([...chartElements].filter((element) => !alreadyDrawn.has(element) && element.clientWidth));
});
window.addEventListener("afterprint", () => {
  document.body.classList.remove("whole");
  for (const details of unfolded.splice(0)) details.open = false;
});

/* A section unfolds with its link, and so does everything around what is linked to. */
function reveal(hash) {
  const target = hash && document.getElementById(hash.slice(1));
  if (!target) return;
  const fold = target.querySelector(":scope > .fold");
  if (fold) fold.open = true;
  for (let around = target.closest("details"); around; around = around.parentElement.closest("details"))
    around.open = true;
  target.scrollIntoView();
}
document.addEventListener("click", (event) => reveal(event.target.closest("a")?.hash)); // before the browser goes there
window.addEventListener("hashchange", () => reveal(location.hash));
reveal(location.hash);

const contents = document.querySelector(".contents");
const links = new Map([...contents.querySelectorAll("a")].map((link) => [link.hash.slice(1), link]));
const place = new IntersectionObserver(
  (entries) => {
    for (const { isIntersecting, target } of entries) {
      const link = links.get(target.id);
      link.ariaCurrent = isIntersecting ? "location" : null;
      if (isIntersecting) contents.scrollLeft = link.offsetLeft - contents.offsetLeft - 16;
    }
  },
  { rootMargin: "-20% 0px -80% 0px" },
);
for (const section of document.querySelectorAll("main > section")) place.observe(section);
window.addEventListener("scroll", () => {
  if (window.scrollY === 0) contents.scrollLeft = 0; // above the first section none of them is marked
});

/* Topics by their name, their words and their documents, not by those of their neighbours. */
const find = document.getElementById("find");
find?.addEventListener("input", () => {
  const word = find.value.trim().toLowerCase();
  const cards = [...document.querySelectorAll("#topic .topic")];
  for (const card of cards)
    card.hidden = ![...card.querySelectorAll("h3, .words td, .note")].some((part) =>
      part.textContent.toLowerCase().includes(word),
    );
  for (const more of document.querySelectorAll("#topic .more")) more.open ||= word !== "";
  const shown = cards.filter((card) => !card.hidden).length;
  document.getElementById("found").textContent = word ? `${shown} of ${cards.length} topics` : "";
});
if (find) find.closest("label").hidden = false;

/* Buttons for all folds and for printing all; without this script there are none, and each fold still works. */
function addButton(work) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "unfold";
  button.addEventListener("click", work);
  contents.append(button);
  return button;
}

const folds = [...document.querySelectorAll(".fold")];
if (folds.length) {
  const foldAll = addButton(() => {
    const open = !folds.every((fold) => fold.open);
    for (const fold of folds) fold.open = open;
  });
  const nameButton = () => {
    foldAll.textContent = folds.every((fold) => fold.open) ? "Fold all" : "Unfold all";
  };
  for (const fold of folds) fold.addEventListener("toggle", nameButton);
  nameButton();
  addButton(() => {
    document.body.classList.add("whole");
    window.print();
  }).textContent = "Print all";
}
