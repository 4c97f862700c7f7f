"""The page that tells how good the forecast is, in a browser."""

from msgspec.structs import replace
from wards import ward

from sonmf.triage import TriageModel, evaluate
from sonmf.triage.provenance import Provenance
from sonmf.web.report_page import report_html
from sonmf.web.served_model import ServedModel

UNFOLD = "document.querySelectorAll('details').forEach((one) => { one.open = true; })"


def test_the_page_has_the_figures_of_the_report(page, model_file):
    page.goto("/quality?complaint=Cough")
    page.wait_for_selector("#quality svg")
    tables = "all => all.map(one => one.textContent)"
    own = page.eval_on_selector_all("main table", tables)
    report = page.context.new_page()
    report.set_content(report_html(TriageModel.load(model_file)))
    assert set(own) <= set(report.eval_on_selector_all("main table", tables))
    assert len(own) > 10


def test_quality_shows_figures_curves_and_card(page, model_file):
    one = TriageModel.load(model_file).models_["Cough"]
    page.goto("/quality?complaint=Cough")
    page.wait_for_selector("#quality svg")
    assert page.evaluate("document.documentElement.scrollHeight") < 3500  # the summary; what is folded names itself
    page.evaluate(UNFOLD)
    text = page.inner_text("main")
    assert f"{one.record.out_of_fold.auroc:.3f}" in text
    for heading in (
        "How good is the forecast?",
        "How many signals does a patient show?",
        "Figures by subgroup",
        "Columns and numbers in the notes",
        "Intended use",
        "Limits of use",
    ):
        assert heading in text
    assert "1 complaint with fewer than 5 patients: the model of all complaints is used, too few patients" in text
    assert "It is not a medical device" in text
    assert "supported on Linux" in text
    assert "Rare" not in text


def test_an_evaluation_stands_under_its_label(browser, live, model_file):
    model = TriageModel.load(model_file)
    counts = {"admitted": {"in": 300}, "not_admitted": {"home": 500}, "left_out": {"left": 12}, "rows": 812}
    model.provenance_ = Provenance("june <b>.csv", "note", "outcome", "complaint", ("in",), ("home",), **counts, data="1")
    notes, dispositions, complaints = ward(300)
    found = evaluate(notes, dispositions, complaints, methods=["words"], min_notes=100, folds=2, processes=1)
    model.evaluations_ = [replace(found, asked=replace(model.provenance_, source="july <b>.csv", data="2"))]
    with browser.new_context(base_url=live(ServedModel(model, model_file))) as context:
        tab = context.new_page()
        tab.goto("/quality?complaint=Cough")
        tab.wait_for_selector("#quality svg")
        tab.click("#evaluation-title")
        tab.wait_for_selector("#evaluation h3:has-text('july <b>.csv')")
        tab.click("#card-title")
        text = tab.inner_text("main")
        assert "Not about the model as it was fitted:\n" in text
        assert "judged on another file: july <b>.csv" in text
        assert "another number of topics: 10" in text
        assert "bag of words" in text
        assert "admitted: 300 in; not admitted: 500 home; 12 rows left out: 12 left" in text
        slope = model.models_["Cough"].record.out_of_fold
        low, high = slope.intervals["calibration_slope"]
        assert f"{slope.calibration_slope:.2f} [{low:.2f}, {high:.2f}]" in " ".join(text.split())
        tab.click("text=What it is about")
        tab.wait_for_selector("td:has-text('812 rows')")


def test_the_diagonals_have_a_name(page):
    page.goto("/quality?complaint=Cough")
    page.wait_for_selector("[data-chart='calibration'] svg")
    named = page.locator("[data-chart='roc'] .legend, [data-chart='calibration'] .legend").all_inner_texts()
    assert named == ["forecasts by chance", "forecasts that are right"]
