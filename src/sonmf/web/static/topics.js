/* Topics: choose one for its words, its typical notes and its effect; rename it; search the topics in which a word pulls. */
import { getJson, latestOnly, sendJson } from "./api.js";
import { breakable, byId, chart, chooseComplaint, details, make, notice, showIn, table } from "./app.js";
import { counted, percent, signed } from "./format.js";

const ORIGINS = { generated: "generated, not of patients", given: "from the file given with --notes" };
let model = { topics: [] };

const direction = (strength) => (strength > 0 ? "raises" : strength < 0 ? "lowers" : "neither");
const odds = (topic) => (topic.strength === 0 ? "no effect" : `odds × ${topic.odds.toFixed(2)}`);
const unstable = (topic) =>
  topic.stability && !topic.stability.stable ? make("span", { class: "tag unstable" }, "unstable") : null;
const some = (words) =>
  words
    .slice(0, 4)
    .map(({ word }) => word)
    .join(", ");

const load = latestOnly(async (signal, complaint) => {
  await showIn(byId("topics"), async () => {
    model = await getJson("topics", { complaint }, signal);
    byId("facts").textContent =
      `${model.title}: ${counted(model.n_notes)} notes, ${percent(model.base_rate)} admitted, ${model.topics.length} topics`;
    return groups();
  });
  const wanted = new URLSearchParams(location.search).get("topic");
  choose(model.topics.find((topic) => String(topic.number) === wanted) ?? model.topics[0]);
});

function groups() {
  const raising = model.topics.filter((topic) => topic.strength > 0);
  const lowering = model.topics.filter((topic) => topic.strength < 0).reverse();
  const without = model.topics.filter((topic) => topic.strength === 0);
  return [
    group("Raise the odds of admission", raising),
    group("Lower the odds", lowering),
    group("No effect on admission", without),
  ].flat();
}

const group = (title, topics) =>
  topics.length ? [make("h2", {}, `${title} (${topics.length})`), make("ul", {}, ...topics.map(entry))] : [];

const entry = (topic) =>
  make(
    "li",
    {},
    make(
      "button",
      { type: "button", class: "topic", "data-topic": topic.number, onclick: () => choose(topic, true) },
      make("span", { class: "topic-name", title: topic.name }, ...breakable(topic.name)),
      make("span", { class: "topic-words" }, some(topic.positive)),
      make("span", { class: `effect ${direction(topic.strength)}` }, odds(topic)),
      unstable(topic),
    ),
  );

function choose(topic, asked = false) {
  for (const button of byId("topics").querySelectorAll(".topic")) {
    if (Number(button.dataset.topic) === topic.number) button.setAttribute("aria-current", "true");
    else button.removeAttribute("aria-current");
  }
  byId("topic").replaceChildren(...detail(topic));
  if (asked) remember(topic);
  else reveal(byId("topics"));
}

/* The chosen entry in the middle of its own list; the page stays where it is. */
function reveal(list) {
  const entry = list.querySelector("[aria-current]");
  list.scrollTop = entry.offsetTop - (list.clientHeight - entry.clientHeight) / 2;
}

function remember(topic) {
  const address = new URL(location.href);
  address.searchParams.set("topic", topic.number);
  history.replaceState(null, "", address);
  byId("topic").focus({ preventScroll: true });
  byId("topic").scrollIntoView({ block: "nearest", behavior: "smooth" });
}

function detail(topic) {
  const columns = [
    { title: "word", of: ({ word }) => word },
    { title: "pulls", of: ({ weight }) => (weight > 0 ? "towards" : "away") },
    { title: model.ranked_by, of: ({ weight }) => signed(weight), numeric: true },
  ];
  const words = [...topic.positive, ...topic.negative];
  return [
    heading(topic),
    make("p", {}, make("span", { class: `effect ${direction(topic.strength)}` }, topic.effect)),
    ...(topic.stability ? [make("p", { class: "small" }, `This topic is ${topic.stability.in_words}.`)] : []),
    make("h3", {}, "Words"),
    make(
      "p",
      { class: "small muted" },
      "Right: words that speak for the topic. Left: words that speak against it. ",
      model.about_words,
    ),
    chart("topicBars", topic),
    ...topic.about.map((sentence) => make("p", { class: "small muted" }, sentence)),
    details("The words as a table", table(`Words of topic ${topic.number}`, columns, words)),
    make(
      "h3",
      {},
      "Typical notes ",
      model.examples && topic.examples.length ? make("span", { class: "tag" }, ORIGINS[model.examples]) : null,
    ),
    ...examples(topic),
  ];
}

function examples(topic) {
  if (topic.examples.length) return topic.examples.map((note) => make("blockquote", { class: "note" }, note));
  const why = model.examples
    ? "None of the notes at hand shows this topic."
    : "There are no notes at hand: start with sonmf serve --notes FILE to see yours here.";
  return [make("p", { class: "muted" }, why)];
}

function heading(topic) {
  const head = make("div", { class: "heading" });
  const show = () =>
    head.replaceChildren(
      make("h2", { id: "topic-name" }, ...breakable(topic.name)),
      make("span", { class: "tag" }, `topic ${topic.number}`),
      make(
        "button",
        { type: "button", class: "quiet", id: "rename", onclick: () => head.replaceChildren(renaming(topic, show)) },
        "Rename",
      ),
    );
  show();
  return head;
}

function renaming(topic, back) {
  const input = make("input", {
    id: "name",
    value: topic.label,
    maxlength: 80,
    autocomplete: "off",
    placeholder: topic.name,
  });
  const problem = make("div", {});
  const save = async (event) => {
    event.preventDefault();
    try {
      Object.assign(
        topic,
        await sendJson(
          "topics/name",
          { complaint: model.complaint, topic: topic.number, name: input.value },
          { method: "PUT" },
        ),
      );
      byId("topics").replaceChildren(...groups());
      choose(topic);
      byId("rename").focus();
    } catch (error) {
      problem.replaceChildren(notice(error.message));
    }
  };
  queueMicrotask(() => input.focus());
  return make(
    "form",
    { class: "rename", onsubmit: save, onkeydown: (event) => event.key === "Escape" && back() },
    make("label", { for: "name" }, "Name of this topic (empty: its strongest words)"),
    make(
      "div",
      { class: "row" },
      input,
      make("button", {}, "Save"),
      make("button", { type: "button", class: "quiet", onclick: back }, "Cancel"),
    ),
    problem,
  );
}

const search = latestOnly(async (signal) => {
  const word = byId("word").value.trim();
  byId("found").hidden = !word;
  if (!word) return;
  await showIn(byId("found"), async () => {
    const { found } = await getJson("search", { complaint: byId("complaint").value, word }, signal);
    if (!found.length)
      return [make("p", { class: "muted" }, `No topic of this complaint knows a word like “${word}”.`)];
    return [make("h2", {}, `Where “${word}” pulls`), make("ul", { class: "pulls" }, ...found.slice(0, 12).map(pull))];
  });
}, 150);

const pull = (row) =>
  make(
    "li",
    {},
    make("strong", {}, row.word),
    ` pulls ${row.weight > 0 ? "towards" : "away from"} `,
    make(
      "button",
      {
        type: "button",
        class: "link",
        onclick: () =>
          choose(
            model.topics.find((topic) => topic.number === row.topic),
            true,
          ),
      },
      ...breakable(row.name),
    ),
    make("span", { class: "muted" }, ` ${signed(row.weight)}`),
  );

byId("search").addEventListener("submit", (event) => event.preventDefault());
byId("word").addEventListener("input", () => search());
chooseComplaint((complaint) => {
  load(complaint);
  search();
});
