"""The report file in a real browser: what a person sees of it, unfolds and prints."""

import re

import pytest
from evaluations import made_up
from msgspec.structs import replace
from screens import CLIPPED, DESKTOP, LONG, PHONE

from sonmf.triage import TriageModel
from sonmf.triage.evaluation_results import FIGURES
from sonmf.web.rendering import environment
from sonmf.web.report_page import report_html
from sonmf.web.standalone import asset

SCROLLING = """() => [...document.querySelectorAll(".scroll")].filter((one) => one.scrollWidth > one.clientWidth + 1)
  .map((one) => one.ariaLabel)"""


@pytest.fixture(scope="module")
def report_file(fitted, tmp_path_factory):
    """A report of eight complaints, as many as the demo has, some topics with long names."""
    model = TriageModel.load(fitted)
    model.models_ = {name: replace(model.models_["Cough"], name=name) for name in (f"Cough {k}" for k in range(7))}
    for one in model.by_name_.values():
        model.put(one.with_labels(dict(enumerate(LONG))))
    path = tmp_path_factory.mktemp("report") / "report.html"
    path.write_text(report_html(model), "utf-8")
    return path.as_uri()


@pytest.fixture
def reading(browser, report_file):
    """``reading(size)`` opens the report."""
    with browser.new_context() as context:

        def opened(size=DESKTOP):
            tab = context.new_page()
            tab.set_viewport_size(size)
            tab.goto(report_file)
            tab.wait_for_selector("text=Unfold all")
            return tab

        yield opened


@pytest.mark.parametrize(("size", "most"), [(DESKTOP, 6000), (PHONE, 9000)], ids=["desktop", "phone"])
def test_the_report_opens_short_and_clips_nothing(reading, size, most):
    tab = reading(size)
    assert tab.evaluate("document.documentElement.scrollHeight") < most
    for button in ("Unfold all", "Fold all"):
        assert tab.evaluate("document.documentElement.scrollWidth") <= size["width"]
        assert tab.evaluate(CLIPPED) == []
        assert size == PHONE or tab.evaluate(SCROLLING) == []
        tab.click(f"text={button}")
        tab.evaluate(
            "document.querySelectorAll('details').forEach((one) => { one.open = true; })" if button == "Unfold all" else "0"
        )
        tab.wait_for_timeout(100)


@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_the_report_is_accessible(reading, check_accessible, size):
    check_accessible(reading(size))


@pytest.mark.parametrize("methods", [2, 8])
def test_all_figures_of_an_evaluation_fit(browser, methods):
    rows = [
        {"complaint": "Cough", "method": "semi-nmf", "n_topics": 50 + k, "inputs": "notes"} | dict.fromkeys(FIGURES, 0.12345)
        for k in range(methods)
    ]
    page = environment().from_string('{% from "_parts.html" import all_figures %}{{ all_figures(evaluation, "it") }}')
    table = page.render(evaluation=made_up(rows))
    with browser.new_context() as context:
        tab = context.new_page()
        tab.set_content(f"<style>{asset('style.css')}</style><div style='width: 886px'>{table}</div>")
        assert tab.evaluate(SCROLLING) == []


def seen(tab, selector):
    return [one.inner_text() for one in tab.locator(selector).all() if one.is_visible()]


def test_topics_that_lower_the_odds_are_seen_as_soon_as_a_complaint_is_unfolded(reading, fitted):
    one = TriageModel.load(fitted).models_["Cough"].with_labels(dict(enumerate(LONG)))
    order = [int(k) for k in one.strength.argsort() if one.strength[k] < 0]
    tab = reading()
    tab.click("nav.contents >> text=Cough 0")
    headings = [" ".join(text.split()) for text in seen(tab, "#c1 h4.lowers ~ .cards >> nth=0 >> h5")]
    assert headings == [f"{one.names[k]} topic {k}" for k in order[:3]]


def test_a_link_unfolds_what_it_leads_to(reading):
    tab = reading()
    assert not tab.locator("#c3-topics").is_visible()
    tab.click("nav.contents >> text=Cough 2")
    assert tab.locator("#c3-topics").is_visible()
    tab.locator("#c3 >> summary:has-text('as a table') >> nth=0").click()
    topic = tab.locator("#c3 details[open]:not(.fold) table.wide tbody a >> nth=-1")
    target = topic.get_attribute("href")
    topic.click()
    tab.wait_for_function(
        "target => document.querySelector(target).checkVisibility({ contentVisibilityAuto: true })", arg=target
    )


def test_the_report_is_read_with_the_keyboard(reading):
    tab = reading()
    fold = tab.locator("#c2 > .fold")
    fold.locator("summary >> nth=0").focus()
    tab.keyboard.press("Enter")
    assert fold.get_attribute("open") is not None
    tab.keyboard.press("Enter")
    assert fold.get_attribute("open") is None


def pages(tab):
    return len(re.findall(rb"/Type\s*/Page\b", tab.pdf(format="A4")))


def test_the_summary_is_printed_and_the_rest_on_demand(reading):
    tab = reading()
    assert 1 <= pages(tab) <= 4
    tab.evaluate("window.print = () => {}")
    tab.click("text=Print all")
    tab.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert tab.locator("details[data-print]:not([open])").count() == 0
    tab.emulate_media(media="print")
    hidden = """() => [...document.querySelectorAll("details[data-print]")]
      .map((one) => one.querySelector(":scope > :not(summary, script)"))
      .filter((one) => !one.checkVisibility({ contentVisibilityAuto: true })).length"""
    assert tab.evaluate(hidden) == 0
    assert tab.locator("[data-chart]:not(:has(svg))").count() == 0
    tab.emulate_media(media="null")
    tab.evaluate("dispatchEvent(new Event('afterprint'))")
    assert tab.locator("#c2 > .fold").get_attribute("open") is None
    assert 1 <= pages(tab) <= 4
