"""The page that tells how good the forecast is, in a browser."""

from itertools import pairwise

import pytest
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


DRAW = """async ([file, name, data]) => {
  const drawing = (await import(`/static/charts/${file}.js`))[name];
  const box = document.createElement("div");
  document.body.append(box);
  drawing(box, data, 400);
  const marks = (label, part) => [...box.querySelectorAll(`[aria-label="${label}"] ${part}`)];
  return {
    ticks: marks("x-axis tick label", "text").map((one) => one.textContent),
    dots: marks("dot", "circle").map((one) => Number(one.getAttribute("cx"))),
    bars: marks("bar", "rect").map((one) => Number(one.getAttribute("width"))),
    legend: [...box.querySelectorAll(".legend > span")].map((one) => one.textContent),
  };
}"""


def test_a_column_with_a_long_tail_shows_where_most_patients_are(page):
    page.goto("/quality")
    curve = [{"value": value, "effect": effect} for value, effect in ((0, 0.1), (3, -0.1), (1826, 0.2))]
    bins = [{"value": value, "effect": 0, "n": 100, "admitted": 0.3} for value in (0, 1, 3, 5, 7, 60)]
    column = {"curve": curve, "bins": bins, "base": 0.3, "name": "days", "unit": ""}
    drawn = page.evaluate(DRAW, ["columns", "effectOfNumber", column])
    assert drawn["ticks"] == ["0", "1", "10", "100", "1,000"]
    assert drawn["dots"][4] - drawn["dots"][0] > 80  # of 400 pixels, for 7 of 1826 days
    even = column | {"curve": [{"value": 0, "effect": 0.1}, {"value": 90, "effect": 0.2}]}
    assert page.evaluate(DRAW, ["columns", "effectOfNumber", even])["ticks"] == ["0", "20", "40", "60", "80"]


def test_effects_of_nearly_nothing_have_bars_of_nearly_nothing(page):
    page.goto("/quality")
    sides = {scale: [{"name": "F", "value": scale}, {"name": "M", "value": -scale / 2}] for scale in (0.002, 2)}
    faint, strong = (page.evaluate(DRAW, ["topics", "contributions", rows]) for rows in sides.values())
    assert max(faint["bars"]) < 5 < 100 < max(strong["bars"])
    assert strong["legend"] == ["adds to the log-odds", "takes from them"]


def test_the_diagonals_have_a_name(page):
    page.goto("/quality?complaint=Cough")
    page.wait_for_selector("[data-chart='calibration'] svg")
    named = page.locator("[data-chart='roc'] .legend, [data-chart='calibration'] .legend").all_inner_texts()
    assert named == ["forecasts by chance", "forecasts that are right"]


@pytest.mark.parametrize("strongest", [0.04, 0.6, 0.9])
@pytest.mark.parametrize("width", [190, 300, 800])
def test_the_scale_of_words_can_be_read_in_a_narrow_card(page, width, strongest):
    page.goto("/quality")
    words = [{"name": "shortness", "value": strongest}, {"name": "no palpitations", "value": -strongest / 8}]
    box = """([words, width]) => import("/static/charts/topics.js").then(({ topicBars }) => {
      const box = document.createElement("div");
      document.body.append(box);
      topicBars(box, { positive: words.slice(0, 1), negative: words.slice(1), unit: "correlation" }, width);
      return [...box.querySelectorAll('[aria-label="x-axis tick label"] text')]
        .map((one) => [one.textContent, one.getBoundingClientRect().left, one.getBoundingClientRect().right]);
    })"""
    ticks = page.evaluate(box, [words, width])
    assert all(right < left for (_, _, right), (_, left, _) in pairwise(ticks))
    assert "0" in [text for text, _, _ in ticks]
    assert 0 < float(ticks[-1][0]) <= strongest
