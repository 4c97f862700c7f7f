"""PSI and unknown words: nothing by chance, everything that matters."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sonmf.monitoring.drift import MORE_UNKNOWN, TOLERATED, of_counts, of_words, psi
from sonmf.triage.drift_reference import word_counts

COUNTS = st.lists(st.integers(0, 1000), min_size=2, max_size=12).filter(any)


@given(COUNTS, st.data())
def test_psi_is_a_symmetric_distance(then, data):
    now = data.draw(st.lists(st.integers(0, 1000), min_size=len(then), max_size=len(then)))
    assert psi(then, now) >= 0
    assert psi(then, now) == pytest.approx(psi(now, then))
    assert psi(then, then) == 0


@pytest.mark.parametrize("n", [60, 300, 3000])
@pytest.mark.parametrize("cells", [2, 10])
def test_chance_is_what_the_limits_say(n, cells):
    random, chance, m = np.random.default_rng(0), 0.01, 4000
    shares = np.arange(1, cells + 1) / np.arange(1, cells + 1).sum() if cells == 2 else np.full(cells, 1 / cells)
    found = [of_counts("topic", "0", random.multinomial(m, shares), random.multinomial(n, shares), chance) for _ in range(600)]
    assert np.mean([one.value > one.chance for one in found]) < 3 * chance
    assert np.mean([one.alarm for one in found]) < chance


def test_the_limit_falls_to_the_tolerated_psi_with_patients_and_rises_with_fewer():
    shares = np.full(10, 0.1)
    limits = [of_counts("topic", "0", 10**6 * shares, n * shares, 1e-5).limit for n in (50, 500, 5000, 10**6)]
    assert limits == sorted(limits, reverse=True)
    assert TOLERATED < limits[-1] < 1.1 * TOLERATED
    assert limits[0] > 0.25  # the rule of thumb would call chance a large change


def test_a_level_that_was_never_seen_is_found():
    then, now = np.array([500, 500, 0]), np.array([150, 150, 100])
    assert of_counts("column", "sex", then, now, 1e-5).alarm
    assert of_counts("column", "sex", np.array([500, 0]), np.array([70, 0]), 1e-5) is None  # nothing to compare


def notes(random, n, share):
    words = random.poisson(20, n)
    return word_counts(np.column_stack([words, random.binomial(words, np.clip(random.beta(2, 2 / share - 2, n), 0, 1))]))


def test_unknown_words_alarm_when_there_are_clearly_more():
    random = np.random.default_rng(0)
    fit = notes(random, 3000, 0.05)
    same = [of_words(fit, notes(random, 200, 0.05), 0.01) for _ in range(500)]
    assert np.mean([one.value > one.chance for one in same]) < 0.03
    assert not any(one.alarm for one in same)
    more = [of_words(fit, notes(random, 200, 0.05 + 4 * MORE_UNKNOWN), 1e-5) for _ in range(50)]
    assert all(one.alarm for one in more)
    assert of_words(fit, word_counts(np.zeros((30, 2), int)), 0.01) is None
