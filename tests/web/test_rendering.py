"""Figures, ranges and tables as the templates of pages and reports write them."""

import math
from types import SimpleNamespace

import pytest
from evaluations import made_up

from sonmf.triage.evaluation_results import BOTH, COLUMNS, NOTES
from sonmf.triage.records import GroupEffect
from sonmf.web.rendering import as_read, decimals, environment, percent, pivot, significant, value_range


def test_filters_of_templates_can_be_read_twice():
    text = "{% set odd = [1, 2, 3]|FILTER %}{{ odd|join }}{{ odd|join }}"
    for used in ("map('string')", "select('odd')", "reject('odd')", "unique", "batch(2)|map('join')", "slice(1)|map('join')"):
        once = environment().from_string(text.replace("FILTER", used)).render()
        assert once[: len(once) // 2] == once[len(once) // 2 :] != ""
    assert environment().from_string("{{ {'a': 1}|items }}").render() == "[(&#39;a&#39;, 1)]"


def test_a_scale_names_its_end_once():
    shape = {"name": "gcs", "kind": "number", "low": 5.0, "high": 15.0}
    assert value_range(SimpleNamespace(**shape, unit="of 15")) == "5 to 15"
    assert value_range(SimpleNamespace(**shape, unit="mmHg")) == "5 to 15 mmHg"
    assert value_range(SimpleNamespace(**shape, unit="%")) == "5 to 15%"


def test_words_stand_in_every_row_of_the_paper_s_table():
    rows = [
        {"complaint": "Cough", "method": method, "n_topics": k, "inputs": inputs, "accuracy": accuracy, "auroc": 0.5}
        for method, k, inputs, accuracy in (
            ("sonmf", 10, BOTH, 0.8),
            ("sonmf", 20, BOTH, 0.9),
            ("nmf", 20, BOTH, 0.6),
            ("words", 0, BOTH, 0.7),
            ("sonmf", 0, COLUMNS, 0.4),
            ("sonmf", 10, NOTES, 0.5),
        )
    ]
    judged = made_up(rows).methods
    table = pivot(judged, "accuracy")
    means = [[cell and cell.value for cell in row["cells"]] for row in table["rows"]]
    assert table["methods"] == ["SONMF", "NMF", "bag of words"]
    assert [(row["inputs"], row["n_topics"]) for row in table["rows"]] == [(NOTES, 10), (COLUMNS, 0), (BOTH, 10), (BOTH, 20)]
    assert means == [[0.5, None, None], [0.4, None, None], [0.8, None, 0.7], [0.9, 0.6, 0.7]]
    admitted = judged[0].admitted / judged[0].patients
    assert {row["base"] for row in table["rows"]} == {max(admitted, 1 - admitted)}


@pytest.mark.parametrize("show", [decimals, percent, significant])
def test_a_missing_figure_is_a_dash(show):
    assert show(None) == show(math.nan) == show(math.inf) == "\N{EN DASH}"
    assert show(0.25) in ("0.250", "25.0%", "0.2500")
    assert decimals(-0.0001, 2) == "0.00"


def test_groups_that_people_read_as_the_same_are_one():
    groups = [GroupEffect(97.6, 0.1, 100, 0.5), GroupEffect(98.2, 0.3, 300, 0.25), GroupEffect(99.0, -0.2, 50, 1.0)]
    first, second = as_read(groups, "saturation")
    assert second == groups[2]
    assert (first.n, first.n * first.admitted) == (400, 50 + 75)
    assert (first.value, first.effect) == (pytest.approx(98.05), pytest.approx(0.25))
    assert as_read(groups, "lactate") == groups  # 97.6, 98.2 and 99 are read as such


@pytest.mark.parametrize(
    ("value", "shown"),
    [(0.72, "0.720"), (25.6, "25.6"), (115.2, "115"), (-0.05, "\N{MINUS SIGN}0.0500"), (1e-15, "0"), (0.0, "0")],
)
def test_figures_in_a_column_have_as_many_digits(value, shown):
    assert significant(value, 3) == shown
