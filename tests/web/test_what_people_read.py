"""People read labels, units and rounded figures, on every page and in print: never the name of a column or of a marked word."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest
from pages import Page
from wards import ward

from sonmf.cli import predict
from sonmf.cli.terminal import Terminal
from sonmf.datasets import make_triage_notes
from sonmf.triage import TriageModel, model_report
from sonmf.triage.labels import TENTHS
from sonmf.web.application import application
from sonmf.web.pages import EXAMPLES
from sonmf.web.rendering import effect_bars
from sonmf.web.report_page import report_html
from sonmf.web.served_model import ServedModel

RAW = re.compile(r"\b(?:heart_rate|respiratory_rate|not_\w+)\b|[-\N{MINUS SIGN}]0\.0+\b(?!\d)|\bTrue\b|\bFalse\b(?! alarms)")
NOTE = "81 yo f c/o SOB x3 days, orthopnea, leg edema, denies fever, sat 84% ra"


@pytest.fixture(scope="module")
def model():
    frame = make_triage_notes(600, complaints=["Shortness of Breath", "Cough"], details=True, random_state=0)
    fitted = TriageModel(n_topics=4, random_state=0, own_models="always")
    names = ["age", "sex", "temperature", "heart_rate", "respiratory_rate", "saturation", "esi", "ambulance"]
    return fitted.fit(
        frame["note"],
        frame["disposition"],
        frame["complaint"],
        frame[names],
        subgroups={"heart_rate": frame["heart_rate"] > 100},
    )


@pytest.fixture(scope="module")
def served(model, tmp_path_factory):
    path = tmp_path_factory.mktemp("vitals") / "model.sonmf"
    model.save(path)
    return ServedModel(TriageModel.load(path), path)


def raw_in(html):
    """What nobody should read in a page: in its text, in what a screen reader says, and in its charts.

    Code is what a file or a command must have.
    """
    page = Page(re.sub("<code>.*?</code>", "", html))
    said = [
        value for _, attrs, _ in page.tags for name, value in attrs.items() if name in ("aria-label", "title", "placeholder")
    ]
    named = re.findall(r'"(?:name|title|value)": ?"([^"]*)"', json.dumps(page.data))
    return sorted({found for text in (page.text, *filter(None, said), *named) for found in RAW.findall(text)})


def test_the_report_has_labels(model):
    html = report_html(model)
    assert raw_in(html) == []
    text = Page(html).text
    for label in ("heart rate", "triage level (ESI)", "oxygen saturation", "per minute"):
        assert label in text


@pytest.mark.parametrize("path", ["/", "/score", "/list", "/beds", "/quality"])
def test_pages_have_labels(served, client_of, path):
    assert raw_in(client_of(application(served)).get(path).text) == []


@pytest.mark.parametrize("complaint", ["", "Cough"])
def test_the_parts_of_pages_have_labels(served, client_of, complaint):
    for path in ("/quality/complaint", "/topics/complaint"):
        html = client_of(application(served)).get(path, params={"complaint": complaint}).text
        assert raw_in(f"<body>{html}</body>" if "<body" not in html else html) == []


def test_whole_numbers_stay_whole_and_temperatures_have_a_tenth(model):
    for column in model_report.columns(model.pooled_model_):
        for value in filter(None, (column.low, column.high)):
            assert round(value, int(column.name in TENTHS)) == value, column.name


def test_a_truth_is_yes_or_no_and_a_word_of_a_text_stays_as_it_is():
    notes, dispositions, _ = ward(400)
    hints = [(np.array(dispositions) == "admitted") ^ (np.arange(400) % every == 0) for every in (4, 3)]
    given = {"remark": np.where(hints[0], "true emergency", "false alarm"), "urgent": hints[1].astype(str)}
    fitted = TriageModel(3, kinds={"remark": "text", "urgent": "category"}).fit(notes, dispositions, columns=given)
    words, levels = (next(one for one in model_report.columns(fitted.pooled_model_) if one.name == name) for name in given)
    assert {bar["name"] for bar in effect_bars(levels)} == {"yes", "no"} == {levels.least.value, levels.most.value}
    drawn = {bar["name"]: bar["value"] for bar in effect_bars(words)}
    assert drawn == pytest.approx({word.value: word.effect for word in words.words}, abs=1e-4)
    assert {"true", "false"} < drawn.keys()
    assert {words.least.value, words.most.value} < drawn.keys()


def test_the_printed_explanation_has_labels(model, capsys):
    predict.explain(Terminal(width=200), model.explain(NOTE, "Cough", {"heart_rate": 112, "esi": 2, "ambulance": True}), NOTE)
    said = capsys.readouterr().out
    assert RAW.findall(said) == []
    assert "heart rate 112" in said
    assert "expected from the rest of the patient: temperature, respiratory rate" in said


def test_an_empty_field_shows_what_the_note_says_and_the_example_is_of_the_complaint(live, open_tab, served):
    page = open_tab(live(served))
    page.goto("/score?complaint=Cough")
    page.wait_for_selector("[data-column='heart_rate']")
    assert page.inner_text("label[for='column-heart_rate']") == "heart rate (per minute)"
    assert page.get_attribute("#note", "placeholder").endswith(EXAMPLES["Cough"])
    before = page.get_attribute("[data-column='saturation']", "placeholder")
    page.fill("#note", NOTE)
    page.wait_for_selector("[data-column='saturation'][placeholder='84 in the note']")
    assert RAW.findall(page.inner_text("body")) == []
    page.fill("#note", NOTE.replace("3 days", "4 months"))
    page.wait_for_selector("[data-column='days'][placeholder='122 in the note']", state="attached")
    page.fill("#note", "cough")
    page.wait_for_function("old => document.querySelector(\"[data-column='saturation']\").placeholder === old", arg=before)
    page.fill("#note", NOTE)
    page.wait_for_selector("[data-column='saturation'][placeholder='84 in the note']")
    page.fill("#note", "")
    page.wait_for_selector("text=The forecast appears here as you type")
    assert page.get_attribute("[data-column='saturation']", "placeholder") == before
    page.select_option("#complaint", "Shortness of Breath")
    page.wait_for_function(
        "end => document.querySelector('#note').placeholder.endsWith(end)", arg=EXAMPLES["Shortness of Breath"]
    )
