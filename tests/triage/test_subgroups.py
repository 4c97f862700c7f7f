"""Groups of patients: every patient is in one, and figures of the groups add up to those of all."""

import re

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from scipy.special import expit
from sklearn.metrics import roc_auc_score

from sonmf.errors import InputError
from sonmf.triage import measures
from sonmf.triage.subgroups import column_and_cuts, groups, in_order, in_words

NUMBERS = st.integers(-50, 200) | st.floats(-50, 200)


@given(st.lists(NUMBERS, min_size=1, max_size=4, unique=True), st.lists(NUMBERS, min_size=1))
def test_a_value_is_in_the_range_that_its_title_says(cuts, values):
    titles = groups("hr:" + ",".join(map(str, cuts)), [*values, None])
    for value, title in zip(values, titles, strict=False):
        ends = [float(end) for end in re.findall(r"-?\d[\d.e+-]*", title)]
        slack = 1e-4 * abs(value) + 1e-4  # titles are rounded
        if title.startswith("under"):
            assert value < ends[0] + slack
        else:
            assert value >= ends[0] - slack
            assert len(ends) == 1 or value < ends[1] + slack
    assert titles[-1] == "unknown"
    ordered = in_words(sorted(cuts))
    assert in_order({*titles}) == [title for title in (*dict.fromkeys(ordered), "unknown") if title in {*titles}]


def test_what_a_person_writes_is_read():
    assert column_and_cuts("age:65,18") == ("age", (18, 65))
    assert column_and_cuts("a:b") == ("a:b", ())
    assert column_and_cuts("triage:level:3") == ("triage:level", (3,))
    assert groups("sex", ["F", "M", None]).tolist() == ["F", "M", None]
    assert groups("Age", [3, "40", -5, "old", "inf"]).tolist() == ["under 20", "40 to under 60", *["unknown"] * 3]
    with pytest.raises(InputError, match="--subgroup sex:65: column 'sex' has no number, so leave out the cuts"):
        groups("sex:65", ["F", "M"])
    assert groups("age", ["20-39", "80+", None]).tolist() == ["20-39", "80+", None]


def drawn(n, seed, repeats=1):
    random = np.random.default_rng(seed)
    truth = random.normal(-0.5, 1.2, n)
    y = (random.random(n) < expit(truth)).astype(float)
    return truth + random.normal(0, 0.3, (repeats, n)), y, random.choice(["a", "b", "c"], n)


def test_groups_add_up_to_all_patients():
    odds, y, column = drawn(600, 0, repeats=3)
    rows = measures.subgroups(odds, y, {"ward": column})
    assert sum(row.n for row in rows) == 600
    assert sum(row.n * row.admitted.value for row in rows) == pytest.approx(y.sum())
    assert sum(row.n * row.forecast for row in rows) == pytest.approx(expit(odds).mean(axis=0).sum())
    loss = np.logaddexp(0, odds) - y * odds
    assert sum(row.n * row.log_loss.value for row in rows) == pytest.approx(loss.mean(axis=0).sum())
    for row in rows:
        member = column == row.value
        aurocs = [roc_auc_score(y[member], repeat[member]) for repeat in odds]
        assert row.auroc.value == pytest.approx(np.mean(aurocs))
        assert row.auroc.low < row.auroc.value < row.auroc.high


def test_a_group_of_fewer_than_ten_patients_is_not_shown():
    odds, y, _ = drawn(100, 1)
    assert [row.value for row in measures.subgroups(odds, y, {"ward": np.array(["few"] * 9 + ["many"] * 91)})] == ["many"]
    one_sided = measures.subgroups(odds, np.zeros(100), {"ward": np.array(["all"] * 100)})[0]
    assert np.isnan(one_sided.auroc.value)
    assert one_sided.admitted.low == 0 < one_sided.admitted.high


def test_all_that_is_missing_is_one_group():
    odds, y, _ = drawn(100, 2)
    column = np.array(["F"] * 20 + [None, float("nan"), " ", pd.NA] * 20, object)
    assert [(row.value, row.n) for row in measures.subgroups(odds, y, {"sex": column})] == [("F", 20), ("unknown", 80)]


def test_the_interval_of_a_share_is_wilsons():
    y = np.array([1.0] * 7 + [0.0] * 33)
    interval = measures.mean(y).share(len(y))
    expected = stats.binomtest(7, 40).proportion_ci(method="wilson")
    assert (interval.low, interval.high) == pytest.approx((expected.low, expected.high), rel=0.02)  # n - 1 for n


@pytest.mark.long
def test_intervals_hold_the_truth_as_often_as_they_say():
    exact = measures.subgroups(*drawn(600_000, 0)[:2], {"all": np.zeros(600_000)})[0]
    held = dict.fromkeys(("admitted", "auroc", "log_loss", "calibration_slope"), 0)
    for seed in range(1, 401):
        odds, y, _ = drawn(150, seed)
        (row,) = measures.subgroups(odds, y, {"all": np.zeros(150)})
        for name in held:
            truth, interval = getattr(exact, name).value, getattr(row, name)
            held[name] += interval.low <= truth <= interval.high
    assert all(0.92 <= count / 400 <= 0.98 for count in held.values()), held
