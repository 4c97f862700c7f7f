"""The pages in a real browser: what a person sees and does, on a model fitted here."""

import csv
import json
import os
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest
from emergency import department
from screens import DESKTOP, LONG, PHONE
from wards import GRAVE, ward

from sonmf.beds import Asked, look_ahead
from sonmf.beds.clock import in_words
from sonmf.cli.beds import Columns, read_patients
from sonmf.sources import open_table
from sonmf.triage import TriageModel, evaluate, model_report
from sonmf.triage.kept_evaluations import KeptEvaluation
from sonmf.triage.patient_scores import in_short
from sonmf.triage.provenance import Provenance
from sonmf.web.rendering import report_html
from sonmf.web.served import Served

ATTACK = (
    """syncope <script>window.attacked = 1</script> <img src=x onerror="window.attacked = 1"> </textarea><b>bold</b> ankle"""
)
PAGES = ["/", "/score", "/list", "/beds", "/quality"]


@pytest.fixture
def address(live, model_file):
    return live(Served(TriageModel.load(model_file), model_file))


@pytest.fixture
def page(browser, address):
    """A tab; whatever a test does in it, no request leaves the machine, nothing is complained of, no attack runs."""
    context = browser.new_context(base_url=address)
    context.set_default_timeout(120_000)  # a loaded machine is slow
    tab = context.new_page()
    asked, complaints = [], []
    tab.on("request", lambda request: asked.append(request.url))
    tab.on("console", lambda message: complaints.append(message.text) if message.type in ("error", "warning") else None)
    tab.on("pageerror", lambda error: complaints.append(str(error)))
    yield tab
    attacked = tab.evaluate("window.attacked")
    context.close()
    assert attacked is None
    assert [url for url in asked if not url.startswith((address, "data:", "blob:"))] == []
    assert complaints == []


def type_note(page, note, complaint="Cough"):
    page.goto("/score")
    page.select_option("#complaint", complaint)
    page.fill("#note", note)
    page.wait_for_selector("#contributions svg")


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
    told = page.inner_text("#topic")
    assert model_report.about_words(one) in told
    assert all(sentence in told for sentence in model_report.about_topic(one.topics(model_report.WORDS)[weakest]))
    assert "generated" in page.inner_text("#topic .tag >> nth=1")
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


def test_a_searched_word_shows_where_it_pulls(page, model_file):
    one = TriageModel.load(model_file).models_["Cough"]
    page.goto("/?complaint=Cough")
    page.fill("#word", "syncope")
    page.wait_for_selector(".pulls li")
    weights = one.components[:, one.spellings.index("syncope")]
    topic = int(abs(weights).argmax())
    first = page.inner_text(".pulls li >> nth=0")
    assert first.startswith(f"syncope pulls {'towards' if weights[topic] > 0 else 'away from'} {one.names[topic]}")
    page.click(".pulls button >> nth=0")
    assert page.inner_text("#topic-name") == one.names[topic]
    page.fill("#word", "zebra")
    page.wait_for_selector("text=No topic of this complaint knows a word like")


def test_a_name_survives_a_reload_and_a_restart(page, live, model_file):
    page.goto("/?complaint=Cough&topic=3")
    page.click("#rename")
    page.fill("#name", "<b>wheeze</b> 🫁")
    page.keyboard.press("Enter")
    page.wait_for_selector("#topic-name:has-text('<b>wheeze</b> 🫁')")
    page.reload()
    page.wait_for_selector("#topic-name:has-text('<b>wheeze</b> 🫁')")
    assert page.inner_text("[data-topic='3'] .topic-name") == "<b>wheeze</b> 🫁"
    again = live(Served(TriageModel.load(model_file), model_file))
    found = page.request.get(f"{again}/api/v1/topics?complaint=Cough").json()["topics"]
    assert next(topic["name"] for topic in found if topic["number"] == 3) == "<b>wheeze</b> 🫁"


def test_a_name_can_be_left_as_it_was(page):
    page.goto("/?complaint=Cough&topic=3")
    before = page.inner_text("#topic-name")
    page.click("#rename")
    page.fill("#name", "other")
    page.keyboard.press("Escape")
    assert page.inner_text("#topic-name") == before


def test_each_word_is_coloured_by_what_it_adds(page, model_file):
    model = TriageModel.load(model_file)
    note = f"81yo {GRAVE[0]} at home, ankle zebra {GRAVE[1]} refill"
    type_note(page, note)
    assert page.inner_text("#pieces") == note
    assert page.inner_text(".forecast") == f"{model.predict_proba([note], ['Cough'])[0, 1]:.1%}"
    shown = page.eval_on_selector_all("#pieces .piece", "all => all.map(one => [one.textContent, one.className, one.title])")
    expected = []
    for piece in model.explain(note, "Cough").pieces:
        if piece.known is False:
            expected.append([piece.text, "piece unknown", "unknown to the model"])
        elif piece.contribution or piece.measurement:
            effect = "raises" if piece.contribution > 0 else "lowers" if piece.contribution < 0 else ""
            said = f"{effect} the log-odds by {amount(piece.contribution)}" if effect else "no effect"
            number = "number" if piece.measurement else ""
            classes = " ".join(filter(None, ["piece", number, effect]))
            expected.append([piece.text, classes, ": ".join(filter(None, [piece.measurement, said]))])
    assert shown == expected
    assert any(title.startswith("age: ") for *_, title in shown)
    assert ["zebra", "piece unknown", "unknown to the model"] in shown
    assert "Base rate" in page.inner_text("#probability")


def amount(value):
    return f"{value:+.2f}".replace("-", "\N{MINUS SIGN}")


def test_columns_are_typed_beside_the_note_and_stand_among_the_topics(page, model_file):
    model = TriageModel.load(model_file)
    note, columns = "81yo syncope sepsis", {"hr": 140, "level": "2", "history": "heart failure", "age": 17}
    type_note(page, note)
    assert "Not given, so without effect: hr, level, coin, history" in page.inner_text("#probability")
    assert page.get_attribute("[data-column='age']", "placeholder") == "81 in the note"
    page.click("text=Numbers read from the note")
    page.select_option("[data-column='level']", "2")
    for name in ("hr", "history", "age"):
        page.fill(f"[data-column='{name}']", str(columns[name]))
    why = model.explain(note, "Cough", columns)
    page.wait_for_selector(f".forecast:has-text('{why.probability:.1%}')")
    assert "Not given, so without effect: coin" in page.inner_text("#probability")
    page.click("#contributions summary")
    cells = page.eval_on_selector_all(
        "#contributions tbody tr", "all => all.map(row => [...row.cells].map(one => one.textContent))"
    )
    parts = [(part.name, "topic", part.contribution) for part in why.topics]
    parts += [(f"{part.name} {in_short(part.value)}", "column", part.contribution) for part in why.columns if part.contribution]
    parts.sort(key=lambda part: -abs(part[2]))
    shown = [[name, source, "raises" if value > 0 else "lowers", amount(value)] for name, source, value in parts]
    assert cells[:10] == shown[:10]
    assert {"hr 140", "age 17"} <= {name for name, *_ in cells}
    assert page.locator("#pieces .number").count() == 0  # the age that was typed counts, not the one in the note
    page.fill("#note", "")  # columns count without a note
    page.wait_for_selector("text=The note has no word that the model knows")
    page.select_option("#complaint", "")  # what was typed stays
    page.wait_for_selector("#probability:has-text('All complaints')")
    assert page.input_value("[data-column='hr']") == "140"


def test_a_list_takes_columns_from_the_file(page, model_file, tmp_path):
    model = TriageModel.load(model_file)
    (tmp_path / "in.csv").write_text("note,complaint,hr,level\n81yo syncope,Cough,140,2\n")
    why = model.explain("81yo syncope", "Cough", {"hr": 140, "level": "2"})
    page.goto("/list")
    page.set_input_files("#file", tmp_path / "in.csv")
    page.wait_for_selector("#rows tr", state="visible")
    assert page.inner_text("#without") == "Not given, so without effect: coin, history."
    strongest = [f"{part.name} {in_short(part.value)} {amount(part.contribution)}" for part in why.columns if part.contribution]
    assert page.inner_text("#rows tr:first-child td:nth-child(6)") == "; ".join(strongest[:3])
    page.click("#rows button")
    page.wait_for_selector("#patient-body .note-text")
    assert page.inner_text("#patient-body .forecast") == f"{why.probability:.1%}" == page.inner_text("#rows td.number")


def test_the_page_has_the_figures_of_the_report(page, model_file):
    page.goto("/quality?complaint=Cough")
    page.wait_for_selector("#quality svg")
    tables = "all => all.map(one => one.textContent)"
    own = page.eval_on_selector_all("main table", tables)
    report = page.context.new_page()
    report.set_content(report_html(TriageModel.load(model_file)))
    assert set(own) <= set(report.eval_on_selector_all("main table", tables))
    assert len(own) > 10


def test_the_forecast_follows_the_typing_and_drops_stale_answers(page, model_file):
    model = TriageModel.load(model_file)
    held = []
    page.route("**/explain", lambda route: held.append(route), times=1)
    page.goto("/score?complaint=Cough")
    with page.expect_request("**/explain"):  # the first question is under way, and held back
        page.fill("#note", "ankle")
    page.fill("#note", "syncope sepsis")
    page.wait_for_selector("#contributions svg")
    expected = f"{model.predict_proba(['syncope sepsis'], ['Cough'])[0, 1]:.1%}"
    assert page.inner_text(".forecast") == expected
    held.pop().continue_()
    page.wait_for_timeout(300)
    assert page.inner_text(".forecast") == expected
    page.fill("#note", "")
    page.wait_for_selector("text=The forecast appears here as you type")
    assert page.locator("#pieces").is_hidden()


def test_a_note_without_a_known_word_says_so(page):
    page.goto("/score")
    page.fill("#note", "zebra")
    page.wait_for_selector("text=The note has no word that the model knows")


def test_a_malicious_note_is_text_everywhere(page, tmp_path):
    type_note(page, ATTACK)
    assert page.inner_text("#pieces") == ATTACK
    assert page.locator("#pieces b, #pieces img, #pieces script").count() == 0
    table = pd.DataFrame({"id": [f"<b>{ATTACK}"], "note": [ATTACK], "complaint": [ATTACK]})
    table.to_csv(tmp_path / "attack.csv", index=False)
    page.goto("/list")
    page.set_input_files("#file", tmp_path / "attack.csv")
    page.click("#rows button")
    page.wait_for_selector("#patient-body .note-text")
    assert ATTACK in page.inner_text("#patient-title")
    assert page.inner_text("#patient-body .note-text") == ATTACK
    assert page.locator("main img, main b, dialog img, dialog b").count() == 0


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    notes, _, complaints = ward(50_000, seed=2)
    path = tmp_path_factory.mktemp("list") / "patients.csv"
    frame = pd.DataFrame({"id": range(50_000), "note": notes, "complaint": complaints})
    frame.to_csv(path, index=False)
    return path


WATCH = """() => {
  window.longest = 0;
  let before = performance.now();
  setInterval(() => {
    window.longest = Math.max(window.longest, performance.now() - before);
    before = performance.now();
  }, 10);
}"""
DROP = """() => {
  const dataTransfer = new DataTransfer();
  dataTransfer.items.add(new File(["note\\nsyncope\\n"], "drop.csv"));
  const event = new DragEvent("drop", { dataTransfer, bubbles: true, cancelable: true });
  document.getElementById("drop").dispatchEvent(event);
}"""


def test_a_long_list_is_scored_sorted_filtered_and_downloaded(page, large, model_file, tmp_path):
    page.goto("/list")
    page.evaluate(WATCH)
    page.set_input_files("#file", large)
    page.wait_for_selector("#progress-text:has-text('patients scored')")
    page.wait_for_selector("#rows tr", state="visible")
    chances = pd.Series(page_probabilities(model_file, large))
    assert "50,000" in page.inner_text("#beds")
    assert f"{chances.sum():,.1f}" in page.inner_text("#beds")
    assert page.inner_text("#rows tr:first-child td:nth-child(2)") == f"{chances.max():.1%}"
    page.click("[data-column='2']")
    assert page.inner_text("#rows tr:first-child td:nth-child(2)") == f"{chances.min():.1%}"
    page.click("[data-column='0']")
    assert page.inner_text("#where") == "1\N{EN DASH}50 of 50,000"
    page.click("#next")
    assert page.inner_text("#where") == "51\N{EN DASH}100 of 50,000"
    page.fill("#filter", "syncope sepsis")
    both = [("syncope" in note and "sepsis" in note) for note in pd.read_csv(large)["note"]]
    page.wait_for_selector(f"#beds:has-text('{sum(both):,} of 50,000')")
    assert f"{chances[both].sum():,.1f}" in page.inner_text("#beds")
    with page.expect_download() as download:
        page.click("#download")
    download.value.save_as(tmp_path / "out.csv")
    assert download.value.suggested_filename == "patients-forecast.csv"
    assert len(pd.read_csv(tmp_path / "out.csv")) == sum(both)
    waiting = max(1, os.getloadavg()[0] / os.cpu_count())  # others on this machine slow the page down, too
    assert page.evaluate("window.longest") < 1000 * waiting  # milliseconds in which the page did not answer


def page_probabilities(model_file, path):
    frame = pd.read_csv(path, dtype=str)
    return TriageModel.load(model_file).predict_proba(frame["note"], frame["complaint"])[:, 1]


def test_a_download_holds_no_formula(page, tmp_path):
    strange = ["=1+1", "+1", "-1.5e3", "-1-1", "+1 555", "@x", "\tx", 'a "b", c', "plain"]
    with (tmp_path / "in.csv").open("w", newline="") as file:
        csv.writer(file).writerows([["id", "note"], *([name, "syncope"] for name in strange)])
    page.goto("/list")
    page.set_input_files("#file", tmp_path / "in.csv")
    with page.expect_download() as download:
        page.click("#download")
    download.value.save_as(tmp_path / "out.csv")
    with (tmp_path / "out.csv").open(newline="") as file:
        found = {row["id"] for row in csv.DictReader(file)}
    assert found == {"'=1+1", "+1", "-1.5e3", "'-1-1", "'+1 555", "'@x", "'\tx", 'a "b", c', "plain"}


def test_a_file_is_dropped_cancelled_or_refused(page, large, tmp_path):
    page.goto("/list")
    page.set_input_files("#file", large)
    page.click("#cancel")
    assert page.locator("#progress").is_hidden()
    page.evaluate(DROP)
    page.wait_for_selector("#rows tr", state="visible")
    assert page.inner_text("#where") == "1\N{EN DASH}1 of 1"
    assert page.locator("#message .notice").count() == 0


def test_a_refused_file_says_why_and_is_scored_once_its_column_is_named(browser, address, tmp_path):
    (tmp_path / "x.csv").write_text("text\nsyncope\n")
    with browser.new_context(base_url=address) as context:  # a refusal is an error on the console of the browser
        tab = context.new_page()
        tab.goto("/list")
        tab.set_input_files("#file", tmp_path / "x.csv")
        tab.wait_for_selector("text=x.csv has no column 'note'")
        assert "Choose the column in the list above." in tab.inner_text("#message")
        assert tab.inner_text("#message").startswith("x.csv")  # the name of a file is left as it is
        assert [one.inner_text() for one in tab.locator("#text option").all()] == ["note", "text"]
        tab.select_option("#text", "text")
        tab.wait_for_selector("#rows tr", state="visible")
        assert tab.locator("#message .notice").count() == 0


def test_a_server_that_is_gone_is_missed(browser, address):
    with browser.new_context(base_url=address) as context:
        tab = context.new_page()
        tab.goto("/score")
        tab.route("**/explain", lambda route: route.abort())
        tab.fill("#note", "syncope")
        tab.wait_for_selector("text=The server does not answer")


def test_quality_shows_figures_curves_and_card(page, model_file):
    one = TriageModel.load(model_file).models_["Cough"]
    page.goto("/quality?complaint=Cough")
    page.wait_for_selector("#quality svg")
    text = page.inner_text("main")
    assert f"{one.record.out_of_fold.auroc:.3f}" in text
    for heading in (
        "How good is the forecast?",
        "How many signals does a patient show?",
        "Figures by subgroup",
        "Columns and numbers in the notes",
        "Limits of use",
    ):
        assert heading in text
    assert "1 complaint with fewer than 5 patients: the model of all complaints is used, too few patients" in text
    assert "Rare" not in text


def test_an_evaluation_stands_under_its_label(browser, live, model_file):
    model = TriageModel.load(model_file)
    counts = {"admitted": {"in": 300}, "not_admitted": {"home": 500}, "left_out": {"left": 12}, "rows": 812}
    model.provenance_ = Provenance("june <b>.csv", "note", "outcome", "complaint", ("in",), ("home",), **counts, data="1")
    notes, dispositions, complaints = ward(300)
    found = evaluate(notes, dispositions, complaints, methods=["words"], min_notes=100, folds=2, processes=1)
    model.evaluations_ = [KeptEvaluation.today(replace(model.provenance_, source="july <b>.csv", data="2"), found.as_json())]
    with browser.new_context(base_url=live(Served(model, model_file))) as context:
        tab = context.new_page()
        tab.goto("/quality?complaint=Cough")
        tab.wait_for_selector("#evaluation h3:has-text('july <b>.csv')")
        tab.wait_for_selector("#quality svg")
        text = tab.inner_text("main")
        assert "Not about the model as it was fitted:\n" in text
        assert "judged on another file: july <b>.csv" in text
        assert "another number of topics: 50" in text
        assert "bag of words" in text
        assert "admitted: 300 in; not admitted: 500 home; 12 rows left out: 12 left" in text
        slope = model.models_["Cough"].record.out_of_fold
        assert f"{slope.calibration_slope:.2f} ± {slope.calibration_slope_error:.2f}" in text
        tab.click("text=What it is about")
        tab.wait_for_selector("td:has-text('812 rows')")


def test_patients_who_left_are_not_counted_among_the_beds(browser, live, model_file, tmp_path):
    model = TriageModel.load(model_file)
    counts = {"admitted": {}, "not_admitted": {}, "left_out": {}, "rows": 0}
    model.provenance_ = Provenance("june.csv", "note", "outcome", None, ("in",), ("home",), **counts)
    (tmp_path / "ward.csv").write_text("note,outcome\nsyncope,left\nankle,home\nfever,\n")
    with browser.new_context(base_url=live(Served(model, model_file))) as context:
        tab = context.new_page()
        tab.goto("/list")
        tab.set_input_files("#file", tmp_path / "ward.csv")
        tab.wait_for_selector("#rows tr", state="visible")
        assert "2 of 3" in tab.text_content("#beds")
        assert "1 patient is not counted among the beds" in tab.inner_text("#gone")
        tab.fill("#filter", "syncope")  # the one who left is alone in the table
        tab.wait_for_selector("#beds:has-text('0 of 3')")


def test_the_complaint_stays_chosen(page):
    page.goto("/")
    page.select_option("#complaint", "")
    page.wait_for_selector("#facts:has-text('All complaints')")
    page.click("text=How good is it")
    page.wait_for_selector("#quality h2:has-text('All complaints')")


@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
@pytest.mark.parametrize("path", PAGES)
def test_pages_fit_and_are_accessible(page, check_accessible, path, size, tmp_path):
    page.set_viewport_size(size)
    fill(page, path, tmp_path)
    assert page.evaluate("document.documentElement.scrollWidth") <= size["width"]
    check_accessible(page)


def fill(page, path, folder):
    """Bring a page to where it shows everything it can."""
    if path == "/score":
        type_note(page, "syncope ankle zebra " + "longword" * 40)
    elif path == "/list":
        (folder / "in.csv").write_text("note,complaint\nsyncope,Cough\nzebra,Nowhere\n" + "longword" * 40 + ",Cough\n")
        page.goto(path)
        page.set_input_files("#file", folder / "in.csv")
        page.wait_for_selector("#rows tr", state="visible")
    elif path == "/beds":
        department_file(folder / "ed.csv")
        page.goto(path)
        page.click("#columns summary")
        page.set_input_files("#file", folder / "ed.csv")
        page.wait_for_selector("#drawn svg")
        page.select_option("#by", "ward")
        page.wait_for_selector("#beds-groups")
        for summary in page.locator("#drawn summary").all():
            summary.click()
        page.wait_for_load_state("networkidle")
    else:
        page.goto(f"{path}?complaint=Cough")
        page.wait_for_selector("main svg")
        page.wait_for_load_state("networkidle")


def department_file(path, **names):
    """Three weeks of patients with times."""
    found = department(3, a_day=12)
    notes, dispositions, complaints = ward(len(found.arrival))
    times = {"arrival": found.arrival, "gone": found.departure, "ward": found.group}
    table = pd.DataFrame({"note": notes, "complaint": complaints, "disposition": dispositions} | times)
    table.rename(columns=names).to_csv(path, index=False)


def test_beds_are_foreseen_as_on_the_command_line_and_kept_as_json(page, model_file, tmp_path):
    department_file(tmp_path / "ed.csv")
    page.goto("/beds")
    page.set_input_files("#file", tmp_path / "ed.csv")
    page.wait_for_selector("#drawn svg")
    offered = page.eval_on_selector_all("#until option", "all => all.map(one => one.value)")
    assert offered == ["", "note", "complaint", "disposition", "arrival", "gone", "ward"]
    assert page.input_value("#time") == "arrival"
    page.fill("#window", "4h")
    page.press("#window", "Tab")
    page.wait_for_selector("#hours-title:has-text('The next 4h')")
    page.select_option("#until", "gone")
    page.wait_for_selector("#result", state="hidden")
    page.wait_for_selector("#drawn svg")
    with page.expect_download() as kept:
        page.click("#download")
    told = json.loads(Path(kept.value.path()).read_text())
    asked = Asked(until="gone", window="4h")
    found, _ = read_patients(
        TriageModel.load(model_file), open_table(tmp_path / "ed.csv"), asked, asked.settings(), Columns(None, None, None)
    )
    assert told == look_ahead(found, found, asked.settings()).as_json()
    shown = page.eval_on_selector_all(
        "#beds-lines tbody tr", "rows => rows.map(row => [...row.cells].map(one => one.innerText))"
    )
    assert [row[:3] for row in shown] == [
        [in_words(line["until"]), f"{line['expected']:.1f}", f"{line['low']} to {line['high']}"]
        for line in told["everyone"]["lines"]
    ]


def test_beds_of_a_file_whose_column_is_not_known_are_foreseen_once_it_is_chosen(browser, address, tmp_path):
    department_file(tmp_path / "ed.csv", arrival="came")
    with browser.new_context(base_url=address) as context:
        tab = context.new_page()
        tab.goto("/beds")
        tab.set_input_files("#file", tmp_path / "ed.csv")
        tab.wait_for_selector("#message:has-text('has no column')")
        tab.select_option("#time", "came")
        tab.wait_for_selector("#drawn svg", timeout=120_000)
        tab.fill("#window", "-8h")
        tab.press("#window", "Tab")
        tab.wait_for_selector("#message:has-text('Window -8h: it would end before it starts')")


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


@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_names_of_topics_break_between_words(page, address, size):
    page.set_viewport_size(size)
    page.goto("/?complaint=Cough&topic=1")
    page.wait_for_selector("#topic svg")
    for number, name in enumerate([*LONG, "Immunocompromised", "pneumonoultramicroscopicsilicovolcanoconiosis " * 2]):
        asked = {"complaint": "Cough", "topic": number, "name": name[:80]}
        assert page.request.put("/api/v1/topics/name", data=asked).ok
    page.reload()
    page.wait_for_selector("#topic svg")
    broken = page.evaluate(BROKEN)
    assert [word for word in broken if not word.startswith("pneumono")] == []
    long = page.locator("[data-topic='3'] .topic-name")
    assert long.get_attribute("title") == long.inner_text()
    assert page.evaluate("document.documentElement.scrollWidth") <= size["width"]


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
