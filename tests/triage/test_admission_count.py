import itertools
import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sonmf.triage import admission_count, expected_admissions


@given(st.lists(st.floats(0, 1), min_size=1, max_size=9))
def test_the_distribution_is_that_of_all_outcomes_counted(p):
    mass = np.zeros(len(p) + 1)
    for outcome in itertools.product([0, 1], repeat=len(p)):
        mass[sum(outcome)] += np.prod([q if o else 1 - q for q, o in zip(p, outcome, strict=True)])
    np.testing.assert_allclose(admission_count.distribution(np.array(p)), mass, atol=1e-12)


@pytest.mark.parametrize("n", [0, 1, 63, 64, 65, 128, 500, 1000])
def test_blocks_and_one_by_one_agree(n):
    p = np.random.default_rng(0).random(n)
    mass = np.ones(1)
    for chance in p:
        mass = np.convolve(mass, [1 - chance, chance])
    np.testing.assert_allclose(admission_count.distribution(p), mass, atol=1e-12)


def test_the_interval_holds_nine_in_ten_simulated_shifts():
    random = np.random.default_rng(0)
    p = random.beta(1, 4, 60)
    found = expected_admissions(p)
    admitted = (random.random((20000, 60)) < p).sum(axis=1)
    assert found.expected == pytest.approx(p.sum())
    assert 0.9 <= np.mean((admitted >= found.low) & (admitted <= found.high)) < 0.96


def test_certain_patients_leave_no_doubt():
    assert expected_admissions([1.0, 1.0, 0.0])[:3] == (2.0, 2, 2)
    assert expected_admissions([])[:3] == (0.0, 0, 0)


def test_a_million_patients_are_quick_and_sound():
    p = np.random.default_rng(0).random(1_000_000)
    began = time.process_time()
    found = expected_admissions(p)
    assert time.process_time() - began < 5
    spread = np.sqrt((p * (1 - p)).sum())
    assert found.low == pytest.approx(p.sum() - 1.645 * spread, abs=2)
    assert found.high == pytest.approx(p.sum() + 1.645 * spread, abs=2)


@pytest.mark.parametrize(("p", "level"), [([1.2], 0.9), ([-0.1], 0.9), ([0.5], 1.0), ([np.nan], 0.9)])
def test_impossible_numbers_are_refused(p, level):
    with pytest.raises(ValueError, match="must be between 0 and 1"):
        expected_admissions(p, level)
