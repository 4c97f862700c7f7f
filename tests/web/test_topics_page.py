"""The page of topics in a browser: one is chosen, searched for, renamed."""

from msgspec.structs import replace
from screens import DESKTOP, LONG, PHONE

from sonmf.triage import TriageModel, model_report, topics_together
from sonmf.triage.records import Month
from sonmf.web.served_model import ServedModel


def test_a_topic_is_chosen_and_shows_its_words_and_notes(page, model_file):
    one = TriageModel.load(model_file).models_["Cough"]
    page.goto("/?complaint=Cough")
    page.wait_for_selector("#topic svg")
    assert page.locator("#topics .topic").count() == one.n_topics
    weakest = int(one.strength.argmin())
    page.click(f"[data-topic='{weakest}']")
    assert page.inner_text("#topic-name") == one.names[weakest]
    assert "lowers the odds of admission" in page.inner_text("#topic")
    strongest = one.topics(1)[weakest].positive[0][0]
    assert strongest in page.inner_text("#topic .chart")
    page.click("text=How to read the words")
    told = page.inner_text("#topic")
    assert model_report.about_words(one) in told
    assert all(sentence in told for sentence in model_report.about_topic(one.topics(model_report.WORDS)[weakest]))
    assert "generated" in page.inner_text("#topic h3 .tag")
    assert page.locator("blockquote.note").count() > 0


def test_a_topic_that_may_be_chance_is_marked_in_the_list_and_explained(page, model_file):
    scores = [found.score for found in TriageModel.load(model_file).models_["Cough"].record.stability]
    page.goto("/?complaint=Cough")
    page.wait_for_selector("#topic svg")
    marked = page.locator("#topics .topic:has(.unstable)").evaluate_all("them => them.map(one => Number(one.dataset.topic))")
    assert sorted(marked) == [k for k, score in enumerate(scores) if score < 0.8]
    for k in (scores.index(min(scores)), scores.index(max(scores))):
        page.click(f"[data-topic='{k}']")
        word = "stable" if scores[k] >= 0.8 else "unstable"
        assert f"This topic is {word}: " in page.inner_text("#topic")
        assert "null" not in page.inner_text("#topic")


def test_a_searched_word_shows_which_topics_it_speaks_for(page, model_file):
    one = TriageModel.load(model_file).models_["Cough"]
    page.goto("/?complaint=Cough")
    page.fill("#word", "syncope")
    page.wait_for_selector(".pulls li")
    weights = one.components[:, one.spellings.index("syncope")]
    topic = int(abs(weights).argmax())
    first = page.inner_text(".pulls li >> nth=0")
    assert first.startswith(f"syncope speaks {'for' if weights[topic] > 0 else 'against'} {one.names[topic]}")
    assert "A figure is the weight of the word in the topic" in page.inner_text("#found")
    page.click(".pulls button >> nth=0")
    assert page.inner_text("#topic-name") == one.names[topic]
    page.fill("#word", "zebra")
    page.wait_for_selector("text=No topic of this complaint knows a word like")


def test_a_dot_of_the_map_opens_its_topic_and_on_a_phone_the_map_is_a_list(page, model_file):
    one = TriageModel.load(model_file).models_["Cough"]
    page.goto("/?complaint=Cough")
    page.wait_for_selector("#map svg")
    assert page.locator("#map g[data-topic]").count() == one.n_topics
    page.click("#map g[data-topic='2'] circle")
    assert page.inner_text("#topic-name") == one.names[2]
    assert page.get_attribute("#map g.chosen", "data-topic") == "2"
    assert page.evaluate("new URLSearchParams(location.search).get('topic')") == "2"
    page.set_viewport_size(PHONE)
    page.wait_for_selector("#map .topic-list")
    page.click("#map .topic-list a >> nth=0")
    largest = max(range(one.n_topics), key=lambda k: one.record.occurrence.energy[k])
    assert page.inner_text("#topic-name") == one.names[largest]


def test_names_on_the_map_and_on_the_compass_cover_nothing(page):
    for size, drawings in ((DESKTOP, ("#map svg.plot", "#compass svg.plot")), (PHONE, ("#compass svg.plot",))):
        page.set_viewport_size(size)
        page.goto("/?complaint=")
        page.wait_for_selector("#topic svg")
        page.click("#compass-title")
        for drawing in drawings:
            page.locator(drawing).scroll_into_view_if_needed()
            assert page.evaluate(COVERED, drawing) == []


def test_the_compass_says_how_often_two_topics_meet(page, model_file):
    one = TriageModel.load(model_file).models_["Cough"]
    page.goto("/?complaint=Cough")
    page.wait_for_selector("#map svg")
    page.click("#compass-title")
    page.wait_for_selector("#compass svg.plot")
    page.select_option("#compass select >> nth=0", "1")
    page.select_option("#compass select >> nth=1", "3")
    both = page.locator(".corners > div", has_text=f"for {one.names[1]}, for {one.names[3]}").inner_text()
    counted = one.record.occurrence.notes[1][3]
    assert (f"{counted:,} notes (" if counted else "fewer than 10 notes") in both
    word = one.topics(1)[1].positive[0][0]
    assert word in page.locator("#compass svg.plot").text_content()
    assert "+0.20" in page.locator("#compass .tick").all_text_contents()  # the axes have a scale


def test_the_axes_of_the_compass_are_two_topics(page):
    page.goto("/?complaint=Cough")
    page.wait_for_selector("#map svg")
    page.click("#compass-title")
    page.wait_for_selector("#compass svg.plot")
    across, up = page.locator("#compass select").all()
    for chosen, other in ((across, up), (up, across), (across, up)):
        free = chosen.locator("option:not(:disabled)").evaluate_all("them => them.map(one => one.value)")
        for value in free:
            chosen.select_option(value)
            assert other.input_value() != value
            assert other.locator("option:disabled").evaluate_all("them => them.map(one => one.value)") == [value]
            assert page.locator(".corners > div").count() == 4
        assert len(free) == chosen.locator("option").count() - 1


def test_a_model_without_counts_says_that_there_is_no_map(open_tab, live, model_file):
    model = TriageModel.load(model_file)
    for one in model.by_name_.values():
        model.put(replace(one, record=replace(one.record, occurrence=None)))
    page = open_tab(live(ServedModel(model, model_file)))
    page.goto("/?complaint=Cough")
    page.wait_for_selector("#topic svg")
    assert "Fit it again to see it" in page.inner_text("#map")
    assert "Fit it again to see it" in page.text_content("#compass")


def test_a_month_with_few_notes_is_a_gap_in_the_line_and_few_in_the_table(open_tab, live, model_file):
    model = TriageModel.load(model_file)
    one = model.models_["Cough"]
    shares = {1: 0.4, 2: 0.4, 3: 0, 5: 0.3, 6: 0.2}  # April has fewer than 10 notes in all
    months = [Month(f"2026-{month:02}", 100, [round(100 * share)] * one.n_topics) for month, share in shares.items()]
    model.put(replace(one, record=replace(one.record, occurrence=replace(one.record.occurrence, months=months))))
    page = open_tab(live(ServedModel(model, model_file)))
    page.goto("/?complaint=Cough")
    over_time = page.locator("h3:has-text('Over time') + .chart")
    over_time.locator("svg").wait_for()
    assert over_time.locator("[aria-label='line'] path").get_attribute("d").count("M") == 2
    assert over_time.locator("[aria-label='dot'] circle").count() == 4
    rows = page.locator("#topic tr", has_text="2026-").all_text_contents()
    assert [row.strip().removeprefix("2026-") for row in rows] == ["0140.0%", "0240.0%", "03few", "04few", "0530.0%", "0620.0%"]
    assert "“few” in the table, if fewer than 10 of its notes show the topic" in page.inner_text("#topic")


def test_a_topic_leads_to_the_one_like_it_of_another_complaint(page, model_file):
    model = TriageModel.load(model_file)
    alike = topics_together.elsewhere(model, "Cough")
    topic = next(k for k, found in enumerate(alike) if found)
    best = alike[topic][0]
    page.goto(f"/?complaint=Cough&topic={topic}")
    page.wait_for_selector("#topic svg")
    page.click("h3:has-text('In other complaints') + p a >> nth=0")
    page.wait_for_selector(f"#topic-name:has-text({best.name!r})")
    assert page.input_value("#complaint") == best.complaint


def test_a_name_survives_a_reload_and_a_restart(open_tab, live, model_file):
    page = open_tab(live(ServedModel(TriageModel.load(model_file), model_file)))
    page.goto("/?complaint=Cough&topic=3")
    page.click("#rename")
    page.fill("#name", "<b>wheeze</b> 🫁")
    page.keyboard.press("Enter")
    page.wait_for_selector("#topic-name:has-text('<b>wheeze</b> 🫁')")
    page.reload()
    page.wait_for_selector("#topic-name:has-text('<b>wheeze</b> 🫁')")
    assert page.inner_text("[data-topic='3'] .topic-name").startswith("<b>wheeze</b> 🫁")
    again = live(ServedModel(TriageModel.load(model_file), model_file))
    topics = page.request.get(f"{again}/api/v1/topics?complaint=Cough").json()["topics"]
    assert next(topic["label"] for topic in topics if topic["number"] == 3) == "<b>wheeze</b> 🫁"


def test_a_name_can_be_left_as_it_was(page):
    page.goto("/?complaint=Cough&topic=3")
    before = page.inner_text("#topic-name")
    page.click("#rename")
    page.fill("#name", "other")
    page.keyboard.press("Escape")
    assert page.inner_text("#topic-name") == before
    page.click("#rename")
    assert page.input_value("#name") != "other"


def test_names_of_topics_break_between_words(open_tab, live, model_file):
    page = open_tab(live(ServedModel(TriageModel.load(model_file), model_file)))
    page.goto("/?complaint=Cough&topic=1")
    page.wait_for_selector("#topic svg")
    for number, name in enumerate([*LONG, "Immunocompromised", "pneumonoultramicroscopicsilicovolcanoconiosis " * 2]):
        asked = {"complaint": "Cough", "topic": number, "name": name[:80]}
        assert page.request.put("/api/v1/topics/name", data=asked).ok
    for size in (DESKTOP, PHONE):
        page.set_viewport_size(size)
        page.reload()
        page.wait_for_selector("#topic svg")
        assert [word for word in page.evaluate(BROKEN) if not word.startswith("pneumono")] == []
        long = page.locator("[data-topic='3'] .topic-name")
        assert long.get_attribute("title") == long.inner_text()
        assert page.evaluate("document.documentElement.scrollWidth") <= size["width"]


def test_everything_is_reached_with_the_keyboard(page):
    page.goto("/?complaint=Cough")
    page.wait_for_selector("#topic svg")
    reached = []
    for _ in range(20):
        page.keyboard.press("Tab")
        reached.append(
            page.evaluate("document.activeElement.id || document.activeElement.className || document.activeElement.tagName")
        )
    assert {"skip-link", "complaint", "word", "topic"} <= set(reached)


BROKEN = r"""() => {
  const broken = [], range = document.createRange();
  for (const element of document.querySelectorAll(".topic-name, #topic-name")) {
    const texts = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
      for (const word of texts.currentNode.data.matchAll(/[^\s/-]+/g)) {
        range.setStart(texts.currentNode, word.index);
        range.setEnd(texts.currentNode, word.index + word[0].length);
        if (new Set([...range.getClientRects()].map((box) => box.top)).size > 1) broken.push(word[0]);
      }
    }
  }
  return broken;
}"""
COVERED = r"""(drawing) => {
  const boxes = [...document.querySelectorAll(`${drawing} text`)].map((one) => [one.textContent, one.getBoundingClientRect()]);
  const overlap = (a, b) => a.left < b.right - 2 && b.left < a.right - 2 && a.top < b.bottom - 4 && b.top < a.bottom - 4;
  const dots = [...document.querySelectorAll(`${drawing} circle`)].map((one) => ["a dot", one.getBoundingClientRect()]);
  return boxes.flatMap(([name, box], k) =>
    [...boxes.slice(k + 1), ...dots].filter(([, other]) => overlap(box, other)).map(([other]) => `${name} and ${other}`));
}"""
"""Texts of a drawing that lie on each other or on a dot."""
