/* Topics: choose one for its words, its typical notes and its effect; rename it; search the topics in which a word pulls. */
import {
  behind,
  byId,
  chart,
  complaintChooser,
  counted,
  latest,
  make,
  named,
  notice,
  percent,
  read,
  send,
  shown,
  signed,
  table,
} from "./app.js";

const ORIGINS = { generated: "generated, not of patients", given: "from the file given with --notes" };
let model = { topics: [] };

const direction = (strength) => (strength > 0 ? "raises" : strength < 0 ? "lowers" : "neither");
const odds = (topic) => (topic.strength === 0 ? "no effect" : `odds × ${topic.odds.toFixed(2)}`);
const unstable = (topic) =>
  topic.stability && !topic.stability.stable ? make("span", { class: "tag unstable" }, "unstable") : null;
const some = (words) =>
  words
    .slice(0, 4)
    .map(([word]) => word)
    .join(", ");

const load = latest(async (signal, complaint) => {
  await shown(byId("topics"), async () => {
    model = await read("topics", { complaint }, signal);
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
      make("span", { class: "topic-name", title: topic.name }, ...named(topic.name)),
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
  const words = [...topic.positive, ...topic.negative].map(([word, weight]) => [
    word,
    weight > 0 ? "towards" : "away",
    signed(weight),
  ]);
  return [
    heading(topic),
    make("p", {}, make("span", { class: `effect ${direction(topic.strength)}` }, topic.effect)),
    ...(topic.stability ? [make("p", { class: "small" }, `This topic is ${topic.stability.in_words}.`)] : []),
    make("h3", {}, "Words"),
    make(
      "p",
      { class: "small muted" },
      "Right: words that show the topic. Left: words that speak against it. ",
      model.about_words,
    ),
    chart("topicBars", topic),
    ...topic.about.map((sentence) => make("p", { class: "small muted" }, sentence)),
    behind("The words as a table", table(`Words of topic ${topic.number}`, ["word", "pulls", model.ranked_by], words)),
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
      make("h2", { id: "topic-name" }, ...named(topic.name)),
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
        await send(
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

const search = latest(async (signal) => {
  const word = byId("word").value.trim();
  byId("found").hidden = !word;
  if (!word) return;
  await shown(byId("found"), async () => {
    const { found } = await read("search", { complaint: byId("complaint").value, word }, signal);
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
      ...named(row.name),
    ),
    make("span", { class: "muted" }, ` ${signed(row.weight)}`),
  );

byId("search").addEventListener("submit", (event) => event.preventDefault());
byId("word").addEventListener("input", () => search());
complaintChooser((complaint) => {
  load(complaint);
  search();
});
