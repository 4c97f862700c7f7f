"""Differences between two models on the same patients: laws, and other ways to the same figures."""

import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import expit
from wards import ward

from sonmf.errors import InputError
from sonmf.triage import TriageModel, compare, measures
from sonmf.triage.measures import COMPARED
from sonmf.triage.model_comparison import (
    OUTCOMES,
    Comparison,
    compare_forecasts,
    compare_on,
)
from sonmf.triage.patients import Patients
from sonmf.triage.records import Difference
from sonmf.triage.strict_json import as_json


def drawn(n, seed):
    """Two forecasts, one nearer to the truth, and outcomes."""
    random = np.random.default_rng(seed)
    truth = random.normal(0, 1.5, n)
    a, b = (truth + random.normal(0, noise, n) for noise in (1.5, 0.5))
    return np.round(a, 1), b, (random.random(n) < expit(truth)).astype(float)  # rounded: some are equal


@given(st.integers(0, 1000))
def test_a_model_differs_from_itself_by_nothing_at_all(seed):
    a, _, y = drawn(200, seed)
    found = compare_forecasts(a, a, y, ["Cough", "Fall"] * 100)
    assert {(one.difference, one.low, one.high) for one in found.differences} == {(0.0, 0.0, 0.0)}
    assert [found.moved(outcome) for outcome in OUTCOMES] == [(0, 0), (0, 0)]
    assert found.verdict() == "A and B make the same forecasts for these patients."


@given(st.integers(0, 1000))
def test_the_order_of_the_models_only_changes_the_sign(seed):
    a, b, y = drawn(300, seed)
    there, back = compare_forecasts(a, b, y, thresholds=(0.2, 0.6)), compare_forecasts(b, a, y, thresholds=(0.6, 0.2))
    for one, other in zip(there.differences, back.differences, strict=True):
        assert (one.difference, one.low, one.high) == (-other.difference, -other.high, -other.low)
        assert (one.a, one.b) == (other.b, other.a)
    for outcome in OUTCOMES:
        assert there.moves[outcome] == np.transpose(back.moves[outcome]).tolist()
        assert there.moved(outcome) == back.moved(outcome)[::-1]


def test_the_figures_are_those_of_the_report():
    a, _, y = drawn(500, 1)
    compared, known = compare_forecasts(a, a, y), measures.figures(a, y)
    for name in ("auroc", "log_loss", "brier", "calibration_slope"):
        assert compared[name].a == pytest.approx(getattr(known, name), abs=1e-12)
    assert compared["calibration_in_the_large"].a == pytest.approx(expit(a).mean() - y.mean())


def test_the_area_has_the_standard_error_of_delong_by_his_definition():
    a, b, y = drawn(80, 2)
    yes, no = y == 1, y == 0

    def placements(odds):
        wins = (odds[yes][:, None] > odds[no]) + 0.5 * (odds[yes][:, None] == odds[no])
        return wins.mean(axis=1), wins.mean(axis=0)

    (va, wa), (vb, wb) = placements(a), placements(b)
    variance = np.var(vb - va, ddof=1) / yes.sum() + np.var(wb - wa, ddof=1) / no.sum()
    found = compare_forecasts(a, b, y)["auroc"]
    assert (found.high - found.low) / 2 == pytest.approx(1.959964 * np.sqrt(variance), rel=1e-6)


def test_the_intervals_agree_with_a_bootstrap():
    a, b, y = drawn(800, 3)
    random = np.random.default_rng(0)
    draws = [measures.differences(a[i], b[i], y[i]) for i in random.integers(0, 800, (400, 800))]
    for one, *others in zip(measures.differences(a, b, y), *draws, strict=True):
        spread = np.std([other.difference for other in others])
        assert (one.high - one.low) / 2 / 1.96 == pytest.approx(spread, rel=0.15), one.name


def test_the_intervals_hold_the_true_difference_as_often_as_they_say():
    exact = compare_forecasts(*drawn(400_000, 0))
    held = dict.fromkeys(COMPARED, 0)
    for seed in range(1, 201):
        for one in compare_forecasts(*drawn(300, seed)).differences:
            held[one.name] += one.low <= exact[one.name].difference <= one.high
    assert all(0.9 <= count / 200 <= 0.99 for count in held.values()), held


def test_patients_are_counted_once_in_the_table_of_moves():
    a, b, y = drawn(500, 4)
    found = compare_forecasts(a, b, y, thresholds=(0.1, 0.5))
    assert found.groups == ["0% to 10%", "10% to 50%", "50% to 100%"]
    assert np.sum(found.moves["admitted"]) == y.sum() == found.admitted
    assert np.sum(list(found.moves.values())) == 500
    p, q = expit(a), expit(b)
    up = (p <= 0.5) & (q > 0.5) | (p <= 0.1) & (q > 0.1)
    assert found.moved("not admitted")[0] == np.sum(up & (y == 0))


def test_the_better_model_is_named_and_chance_is_called_chance():
    a, b, y = drawn(3000, 5)
    assert compare_forecasts(a, b, y).verdict("old", "new").startswith("new is better on these patients")
    assert compare_forecasts(b, a, y).verdict("new", "old").startswith("new is better on these patients")
    noise = b + np.random.default_rng(0).normal(0, 0.01, 3000)
    assert "could be chance" in compare_forecasts(b, noise, y).verdict()
    assert "AUROC the same [" in compare_forecasts(b, b / 2, y).verdict()


def test_models_are_compared_on_what_each_reads():
    notes, dispositions, complaints = ward(600)
    model = TriageModel(n_topics=4, own_models="always").fit(notes, dispositions, complaints)
    pooled = TriageModel(n_topics=4, own_models="always").fit(notes, dispositions)
    later, came, named = ward(400, seed=9)
    named[:5] = ["Rare"] * 5
    found = compare(pooled, model, later, came, named)
    odds = [one.log_odds(later, names) for one, names in ((pooled, None), (model, named))]
    y = (np.array(came) == "admitted").astype(float)
    assert found.differences == compare_forecasts(*odds, y).differences
    assert {loss.complaint for loss in found.complaints} == {"Cough", "Fall"}
    assert as_json(found)["patients"] == 400


def test_what_cannot_be_compared_is_refused():
    a, b, y = drawn(100, 6)
    with pytest.raises(ValueError, match="cannot tell the models apart: only 0 of 100 notes are admitted"):
        compare_forecasts(a, b, 0 * y)
    with pytest.raises(ValueError, match="probabilities between 0 and 1"):
        compare_forecasts(a, b, y, thresholds=(0.0, 0.5))
    notes, dispositions, _ = ward(300)
    model = TriageModel(n_topics=2, own_models="always").fit(notes, dispositions)
    other = TriageModel(n_topics=2, positive="discharged", own_models="always").fit(notes, dispositions)
    with pytest.raises(ValueError, match="forecast different outcomes: 'admitted' and 'discharged'"):
        compare(model, other, notes, dispositions)
    table = Patients.read(pd.DataFrame({"note": notes, "disposition": dispositions}))
    home = np.flatnonzero(table.outcomes == 0)
    some, others = np.delete(np.arange(300), home[:9]), np.delete(np.arange(300), home[-9:])
    for rows in (others, others[:-1]):
        with pytest.raises(InputError, match="the models read different patients of this table"):
            compare_on(model, model, table.only(some), table.only(rows))


def test_a_figure_that_cannot_be_had_is_null_in_json():
    nothing = float("nan")
    slope = Difference("", 30, 10, "calibration_slope", nothing, 1.0, nothing, nothing, nothing)
    kept = as_json(Comparison(30, 10, [slope], [0.5], {"admitted": [[1]]}, []))
    assert json.loads(json.dumps(kept, allow_nan=False))["differences"][0]["a"] is None
