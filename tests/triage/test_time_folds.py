"""Trained on the past: no fold learns from what came later, and every later patient is judged once."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from wards import ward

from sonmf.triage import evaluate
from sonmf.triage.time_folds import before_and_within, edges_of

DAYS = st.lists(st.integers(0, 9999), min_size=12, max_size=60, unique=True)


@given(DAYS, st.integers(1, 4), st.booleans())
def test_periods_follow_each_other_and_hold_all_later_patients(days, folds, missing):
    times = np.datetime64("2020-01-01") + np.array(days)
    if missing:
        times[0] = "NaT"
    later = np.sort(times[~np.isnat(times)])[int(0.7 * np.isfinite(times).sum()) :]
    assume(len(set(later.tolist())) == len(later) >= folds and (times < later[0]).any())
    edges = edges_of(times, folds)
    judged = np.concatenate([before_and_within(times, edges, fold)[1] for fold in range(folds)])
    assert sorted(judged) == np.flatnonzero(times >= edges[0]).tolist()
    for fold in range(folds):
        before, within = before_and_within(times, edges, fold)
        assert len(within)
        assert times[before].max() < times[within].min()


def test_a_begin_that_leaves_nobody_is_refused():
    times = np.arange("2020-01", "2021-01", dtype="datetime64[M]")
    for since, n in (("2019-01", 12), ("2022-01", 0)):
        with pytest.raises(ValueError, match=f"there are {n} of 12 patients: some must be before it, and some after"):
            edges_of(times, 2, since)
    with pytest.raises(ValueError, match="no value at all"):
        edges_of(np.array(["NaT"], "datetime64[s]"), 2)


@pytest.fixture(scope="module")
def drifting():
    """From June on grave words no longer mean admission: a model of the past fails, random folds do not show it."""
    notes, dispositions, _ = ward(900)
    times = np.sort(np.datetime64("2020-01-01") + np.random.default_rng(0).integers(0, 300, 900))
    late = times >= np.datetime64("2020-08-01")
    flipped = {"admitted": "discharged", "discharged": "admitted"}
    return notes, [flipped[one] if away else one for one, away in zip(dispositions, late, strict=True)], times, late


def test_a_split_by_time_sees_what_a_random_one_hides(drifting):
    notes, dispositions, times, late = drifting
    asked = {"methods": ["words"], "measurements": False, "processes": 1, "positive": "admitted"}
    (random,) = evaluate(notes, dispositions, folds=2, **asked).summary()
    by_time = evaluate(notes, dispositions, times=times, since="2020-08-01", folds=1, **asked)
    (found,) = by_time.summary()
    assert found["auroc"] < 0.35 < random["auroc"]
    assert found["auroc_low"] < found["auroc"] < found["auroc_high"]
    assert found["auroc_high"] - found["auroc_low"] == pytest.approx(2 * 1.96 * found["auroc_error"], rel=0.3)
    assert by_time.settings.periods[0] == "2020-08-01T00:00:00"
    assert by_time.methods[0].patients == sum(group.n for group in by_time.methods[0].reliability) == late.sum()


def test_complaints_that_end_too_early_are_named(drifting):
    notes, dispositions, times, _ = drifting
    complaint = np.where((times < np.datetime64("2020-05-01")) & (np.arange(900) % 2 == 0), "Gone", "Here")
    asked = {"methods": ["words"], "measurements": False, "processes": 1, "positive": "admitted", "min_notes": 20}
    found = evaluate(notes, dispositions, complaint, times=times, folds=2, **asked)
    assert {method.complaint for method in found.methods} == {"Here"}
    assert "in the period from 2020-" in found.left_out["Gone"]
