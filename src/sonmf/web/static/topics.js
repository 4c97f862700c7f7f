/* Topics: choose one for its words, its typical notes and its effect; rename it; search the topics in which a word counts. The server
   draws the list and every topic. */
import { getHtml, getJson, latestOnly, sendJson } from "./api.js";
import { breakable, byId, chooseComplaint, make, nodesWithCharts, notice, showIn } from "./app.js";
import { signed } from "./format.js";

const FOUND = 12; // words and topics that a search shows

let parts = new Map(); // of the answer: "facts", "list", and each topic by its number
let complaint = ""; // whose parts these are

const load = latestOnly(async (signal, chosen) => {
  await showIn(byId("topics"), () => fetchList(chosen, signal));
  const topics = [...byId("topics").querySelectorAll("[data-topic]")].map((entry) => entry.dataset.topic);
  const wanted = new URLSearchParams(location.search).get("topic");
  if (topics.length) choose(topics.includes(wanted) ? wanted : topics[0]);
});

async function fetchList(chosen, signal) {
  const found = await getHtml("/topics/complaint", { complaint: chosen }, signal);
  nodesWithCharts(found);
  complaint = chosen;
  parts = new Map([...found.querySelectorAll("[data-part]")].map((part) => [part.dataset.part, part]));
  byId("facts").textContent = parts.get("facts").textContent;
  for (const part of ["map", "compass"]) byId(part).replaceChildren(parts.get(part));
  return [...parts.get("list").childNodes];
}

function choose(number, asked = false) {
  for (const button of byId("topics").querySelectorAll(".topic")) {
    if (button.dataset.topic === number) button.setAttribute("aria-current", "true");
    else button.removeAttribute("aria-current");
  }
  byId("map").dataset.chosen = number;
  for (const dot of byId("map").querySelectorAll("[data-topic]"))
    dot.classList.toggle("chosen", dot.dataset.topic === number);
  byId("topic").replaceChildren(parts.get(number));
  connectRenaming(Number(number));
  if (asked) remember(number);
  else reveal(byId("topics"));
}

/* The chosen entry in the middle of its own list; the page stays where it is. */
function reveal(list) {
  const entry = list.querySelector("[aria-current]");
  list.scrollTop = entry.offsetTop - (list.clientHeight - entry.clientHeight) / 2;
}

function remember(number) {
  const address = new URL(location.href);
  address.searchParams.set("topic", number);
  history.replaceState(null, "", address);
  byId("topic").focus({ preventScroll: true });
  byId("topic").scrollIntoView({ block: "nearest", behavior: "smooth" });
}

function connectRenaming(topic) {
  const heading = byId("topic").querySelector(".heading");
  const form = byId("renaming");
  const show = (renaming) => {
    heading.hidden = renaming;
    form.hidden = !renaming;
    form.reset();
    byId("name-problem").replaceChildren();
    if (renaming) byId("name").focus();
  };
  const save = async (event) => {
    event.preventDefault();
    const own = complaint;
    try {
      await sendJson("topics/name", { complaint: own, topic, name: byId("name").value }, { method: "PUT" });
      if (complaint !== own) return; // another one was chosen meanwhile
      byId("topics").replaceChildren(...(await fetchList(own)));
      choose(String(topic));
      byId("rename").focus();
    } catch (error) {
      byId("name-problem").replaceChildren(notice(error.message));
    }
  };
  byId("rename").onclick = () => show(true);
  byId("keep-name").onclick = () => show(false);
  form.onsubmit = save;
  form.onkeydown = (event) => {
    if (event.key === "Escape") show(false);
  };
}

const search = latestOnly(async (signal) => {
  const word = byId("word").value.trim();
  byId("found").hidden = !word;
  if (!word) return;
  await showIn(byId("found"), async () => {
    const { found } = await getJson("search", { complaint: byId("complaint").value, word }, signal);
    if (!found.length)
      return [make("p", { class: "muted" }, `No topic of this complaint knows a word like “${word}”.`)];
    const cut = found.length > FOUND ? ` The ${FOUND} strongest of ${found.length} are shown.` : "";
    const about = `A figure is the weight of the word in the topic, at most 1; below 0 the word is against the topic.${cut}`;
    return [
      make("h2", {}, `Topics with “${word}”`),
      make("ul", { class: "pulls" }, ...found.slice(0, FOUND).map(pull)),
      make("p", { class: "small muted" }, about),
    ];
  });
}, 150);

const pull = (row) =>
  make(
    "li",
    {},
    make("strong", {}, row.word),
    ` speaks ${row.weight > 0 ? "for" : "against"} `,
    make(
      "button",
      { type: "button", class: "link", onclick: () => choose(String(row.topic), true) },
      ...breakable(row.name),
    ),
    make("span", { class: "muted" }, ` ${signed(row.weight)}`),
  );

byId("topics").addEventListener("click", (event) => {
  const button = event.target.closest("[data-topic]");
  if (button) choose(button.dataset.topic, true);
});
/* A link to a topic of the same complaint changes what is shown, and loads no page. */
byId("content").addEventListener("click", (event) => {
  const link = event.target.closest("a[href*='topic=']");
  const asked = link && new URLSearchParams(link.getAttribute("href"));
  if (!asked || asked.get("complaint") !== complaint || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  choose(asked.get("topic"), true);
});
byId("map-fold").open = window.innerWidth > 760; // on a phone the list of topics stands above
byId("search").addEventListener("submit", (event) => event.preventDefault());
byId("word").addEventListener("input", () => search());
chooseComplaint((chosen) => {
  load(chosen);
  search();
});
