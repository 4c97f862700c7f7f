"""The page of a model over time: whole, alone, a table behind every chart, and readable on a phone."""

import re
from itertools import pairwise

import pytest
from msgspec.structs import replace
from pages import BANNER, NAMESPACES, Page
from screens import CLIPPED, DESKTOP, PHONE
from wards import ODD

from sonmf.monitoring import Budget, Calendar, Drift, Figure, Period
from sonmf.monitoring.overview import make_overview
from sonmf.triage import TriageModel
from sonmf.web.monitor_page import TITLES, monitor_html, points_of


def months(model, complaint, off):
    """Half a year, the last three months of which are off."""
    for month in range(7, 13):
        score = off * (month > 9)
        figures = [
            Figure("calibration", score / 50, 0.0, 0.02, score, -0.07, 0.07),
            Figure("slope", 1 - score / 20, 1.0, 0.05, -score, 0.8, 1.2),
            Figure("auroc", 0.81, 0.8, 0.02, 0.5, 0.7, 0.9),
            Figure("brier", 0.16, 0.16, 0.01, 0.1, 0.12, 0.2),
        ]
        drift = [
            Drift("words", "", 0.05 + score / 100, 0.04, 0.05, 0.07),
            Drift("topic", "0", 0.05, 0.0, 0.1, 0.2),
            Drift("topic", "1", 0.31, 0.0, 0.1, 0.35),
            Drift("column", "hr", 0.02, 0.0, 0.1, 0.2),
            Drift("forecast", "", 0.01, 0.0, 0.1, 0.2),
        ]
        yield Period(model.sha256_, "month", f"2024-{month:02d}", complaint, 300, 290, 100, 90.25, figures, drift)


@pytest.fixture(scope="module")
def found(fitted):
    model = TriageModel.load(fitted)
    periods = [one for name, off in (("", 4), ("Cough", 0), (ODD, 5)) for one in months(model, name, off)]
    return make_overview(
        model, periods, Budget(Calendar("month"), 2), "model.sonmf new.csv", "2025-01-01T00:00:00+00:00", others=2
    )


@pytest.fixture(scope="module")
def html(found):
    return monitor_html(found)


def test_nothing_can_be_fetched_and_nothing_is_taken_for_markup(html):
    assert set(re.findall(r"https?://[^\s\"'`)<]+", html)) == NAMESPACES | BANNER
    page = Page(html)
    assert page.all("img", "iframe", "link", "form") == []
    assert ODD in page.text


def test_the_verdict_stands_first_and_each_complaint_has_its_own(html, found):
    text = Page(html).text
    said = "forecasts run 3.4 points low since October 2024: 300 admitted where 270.8 were expected"
    assert f"Alarm, all complaints: {said}. Recalibrate the model: sonmf update model.sonmf new.csv -o NEW_MODEL." in text
    assert [one.alarm for one in found.verdicts] == [True, False, True]
    assert "Well: 600 of 1,740 patients admitted from July 2024 to December 2024 where 541.5 were expected" in text
    assert "The history has 2 more lines" in text


def test_an_option_of_a_command_is_not_broken_and_print_names_what_it_leaves_out(found, html):
    page = monitor_html(found._replace(remedies=["Refit the model: sonmf update <m> new.csv --how refit -o NEW_MODEL"]))
    assert 'sonmf update &lt;m&gt; new.csv <span class="unbroken">--how</span> refit' in page
    assert "its button “Print all” prints them" in Page(html).text


def test_limits_stay_within_what_a_figure_can_be(found):
    verdict = found.verdicts[0]
    for name in ("auroc", "brier"):
        wide = [replace(figure, low=-0.2, high=1.1) if figure.name == name else figure for figure in verdict.periods[0].figures]
        few = verdict._replace(periods=[replace(verdict.periods[0], figures=wide)])
        (point,) = points_of(found, few, name)
        assert (point["low"], point["high"]) == (0, 1)


def test_every_chart_has_a_table_with_the_same_figures(html, found):
    page = Page(html)
    charts = [attrs for attrs, _ in page.all("div") if attrs.get("data-chart")]
    tables = [text for attrs, text in page.all("details") if "as a table" in text and "fold" not in attrs.get("class", "")]
    panels = [points for one in found.verdicts for name in TITLES if (points := points_of(found, one, name))]
    assert len(charts) == len(panels) == 3 * 10
    assert len(tables) == len(panels) + 3  # and one of all drift
    for panel, table in zip(panels, [text for text in tables if "Drift of everything" not in text], strict=True):
        assert table.count("beyond") == sum(point["beyond"] for point in panel)
        assert all(point["period"] in table for point in panel)
    for attrs in charts:
        assert "its limits" in attrs["aria-label"]


def test_both_kinds_of_threshold_are_said(html):
    rows = [re.findall(r">([^<]+)</t[dh]>", row) for row in re.findall(r"<tr>.*?</tr>", html)]
    assert ["0.310", "0.100", "0.350", "large", "more than chance"] in [row[-5:] for row in rows]
    assert "Rule of thumb: below 0.1 little, above 0.25 large" in Page(html).text


def test_periods_without_outcomes_have_drift_alone(found, fitted):
    model = TriageModel.load(fitted)
    periods = [replace(one, judged=0, admitted=0, expected=0.0, figures=[]) for one in months(model, "", 0)]
    text = Page(monitor_html(make_overview(model, periods, Budget(Calendar("month"), 2), "m n", "2025"))).text
    assert "no outcome is known yet" in text
    assert "Unknown words" in text
    assert "AUROC by month" not in text


@pytest.fixture
def reading(browser, html, tmp_path):
    (tmp_path / "monitor.html").write_text(html, "utf-8")
    with browser.new_context() as context:

        def opened(size):
            tab = context.new_page()
            tab.errors = []
            tab.on("pageerror", lambda error: tab.errors.append(str(error)))
            tab.on("console", lambda message: tab.errors.append(message.text))
            tab.set_viewport_size(size)
            tab.goto((tmp_path / "monitor.html").as_uri())
            tab.click("text=Unfold all")
            tab.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
            tab.evaluate("window.dispatchEvent(new Event('beforeprint'))")
            tab.wait_for_timeout(100)
            return tab

        yield opened


@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_it_fits_the_screen_and_is_accessible(reading, check_accessible, size):
    tab = reading(size)
    assert tab.errors == []
    assert tab.evaluate("document.documentElement.scrollWidth") <= size["width"]
    assert tab.evaluate(CLIPPED) == []
    assert tab.locator("svg.plot").count() == 30
    assert tab.evaluate("window.attacked") is None
    check_accessible(tab)


@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_every_chart_says_its_unit_and_what_its_marks_are_and_no_month_covers_another(reading, size):
    tab = reading(size)
    panels = tab.locator("[data-chart=control]")
    units = panels.evaluate_all(
        "all => all.map(one => one.querySelector('[aria-label=\"y-axis label\"]').textContent.slice(2))"
    )
    assert units == 3 * [
        "beds",
        "beds",
        "admitted less expected, of all patients",
        "slope",
        "AUROC",
        "Brier score",
        "of all words",
        *3 * ["PSI"],
    ]
    legends = panels.locator(".legend").all_inner_texts()
    assert len(legends) == len(units)
    assert legends[2].split("\n") == ["found", "expected", "limits", "beyond"]
    ends = panels.evaluate_all("""all => all.map(one => [...one.querySelectorAll('[aria-label="x-axis tick label"] text')].map(
      text => { const box = text.getBoundingClientRect(); return [box.left, box.right]; }))""")
    for places in ends:
        assert len(places) > 1
        assert all(one[1] < then[0] for one, then in pairwise(places))


def test_what_is_beyond_its_limits_is_a_diamond(reading):
    tab = reading(DESKTOP)
    panel = tab.locator("[data-chart=control]").nth(2)  # calibration, all complaints
    colours = panel.locator("[aria-label=dot] path").evaluate_all("(all) => all.map((one) => one.getAttribute('fill'))")
    assert len(colours) == 6
    assert colours.count("#b2182b") == 3


def test_the_summary_is_printed_on_few_pages(browser, html, tmp_path):
    (tmp_path / "monitor.html").write_text(html, "utf-8")
    with browser.new_context() as context:
        tab = context.new_page()
        tab.goto((tmp_path / "monitor.html").as_uri())
        tab.wait_for_selector("text=Unfold all")
        assert 1 <= len(re.findall(rb"/Type\s*/Page\b", tab.pdf(format="A4"))) <= 4
        tab.emulate_media(media="print")
        spare = """() => [...document.querySelectorAll("#s1 .chart")].map(
          (chart) => chart.getBoundingClientRect().bottom - chart.lastElementChild.getBoundingClientRect().bottom)"""
        assert max(tab.evaluate(spare)) < 10  # no gap under a chart
