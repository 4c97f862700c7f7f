"""The page on which a patient is scored, in a browser."""

from screens import amount, type_note
from wards import GRAVE

from sonmf.triage import TriageModel
from sonmf.triage.labels import in_short
from sonmf.web.pages import EXAMPLES


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


def test_columns_are_typed_beside_the_note_and_stand_among_the_topics(page, model_file):
    model = TriageModel.load(model_file)
    note, columns = "81yo syncope sepsis", {"hr": 140, "level": "2", "history": "heart failure", "age": 17}
    type_note(page, note)
    assert "Not given, so expected from the rest of the patient: hr, level, coin, history" in page.inner_text("#probability")
    assert page.get_attribute("[data-column='age']", "placeholder") == "81 in the note"
    page.click("text=Numbers read from the note")
    page.select_option("[data-column='level']", "2")
    for name in ("hr", "history", "age"):
        page.fill(f"[data-column='{name}']", str(columns[name]))
    why = model.explain(note, "Cough", columns)
    page.wait_for_selector(f".forecast:has-text('{why.probability:.1%}')")
    assert "Not given, so expected from the rest of the patient: coin" in page.inner_text("#probability")
    page.click("#contributions summary")
    cells = page.eval_on_selector_all(
        "#contributions tbody tr", "all => all.map(row => [...row.cells].map(one => one.textContent))"
    )
    parts = [(part.name, "topic", part.contribution) for part in why.topics]
    parts += [(part.name, "made from the outcome", part.contribution) for part in why.axes]
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


def test_the_forecast_follows_the_typing_and_drops_stale_answers(page, model_file):
    model = TriageModel.load(model_file)
    held = []
    page.route("**/explain", lambda route: held.append(route), times=1)
    page.goto("/score?complaint=Cough")
    with page.expect_request("**/explain"):  # the first question is under way, and held back
        page.fill("#note", "ankle")
    with page.expect_event("requestfailed", lambda request: request.url.endswith("/explain")):  # it is dropped
        page.fill("#note", "syncope sepsis")
    page.wait_for_selector("#contributions svg")
    expected = f"{model.predict_proba(['syncope sepsis'], ['Cough'])[0, 1]:.1%}"
    assert page.inner_text(".forecast") == expected
    assert len(held) == 1
    page.fill("#note", "")
    page.wait_for_selector("text=The forecast appears here as you type")
    assert page.locator("#pieces").is_hidden()


def test_a_note_without_a_known_word_says_so(page):
    page.goto("/score")
    page.fill("#note", "zebra")
    page.wait_for_selector("text=The note has no word that the model knows")


def test_a_server_that_is_gone_is_missed(browser, address):
    with browser.new_context(base_url=address) as context:
        tab = context.new_page()
        tab.goto("/score")
        tab.route("**/explain", lambda route: route.abort())
        tab.fill("#note", "syncope")
        tab.wait_for_selector("text=The server does not answer")


def test_a_server_that_is_full_is_worth_another_try(browser, address):
    """uvicorn itself refuses a connection too many, with a plain text."""
    with browser.new_context(base_url=address) as context:
        tab = context.new_page()
        tab.goto("/score")
        tab.route("**/explain", lambda route: route.fulfill(status=503, content_type="text/plain; charset=utf-8", body="no"))
        tab.fill("#note", "syncope")
        tab.wait_for_selector("text=Too many are connected: try again in a minute")


def test_the_example_of_the_complaint_is_taken_with_one_click(page):
    page.goto("/score?complaint=Cough")
    page.click("#example")
    page.wait_for_selector("#contributions svg")
    assert page.input_value("#note") == EXAMPLES["Cough"]
    assert page.locator("#example").is_hidden()
    page.fill("#note", "")
    assert page.locator("#example").is_visible()
