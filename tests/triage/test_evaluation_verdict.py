"""The sentences on an evaluation agree with the losses of the patients, computed in another way."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from sonmf.triage.evaluation_verdict import Rival, verdict

RIVALS = {
    Rival("sonmf", 10): "SONMF with 10 topics",
    Rival("svd", 10): "TruncatedSVD with 10 topics",
    Rival("words", 0): "bag of words",
}
SAME = dict.fromkeys(RIVALS, 0.7)
PATIENTS = st.lists(st.floats(0.1, 1.0), min_size=4, max_size=4).map(np.array)


@given(st.fixed_dictionaries(dict.fromkeys(RIVALS, PATIENTS)))
def test_rivals_are_put_on_the_side_where_a_paired_t_statistic_puts_them(losses):
    first, *said = verdict(losses, {})
    best = min(losses, key=lambda rival: losses[rival].mean())
    assert first.lower().startswith(f"{RIVALS[best].lower()} has the smallest log loss, {losses[best].mean():.3f} [")
    clear = " ".join(sentence for sentence in said if sentence.startswith("That is better by more than two standard errors"))
    close = " ".join(sentence for sentence in said if sentence.startswith("That is not clearly better than"))
    tests = {}
    for rival in set(RIVALS) - {best}:
        paired = losses[rival] - losses[best]
        tests[rival] = stats.ttest_1samp(paired, 0).statistic if np.ptp(paired) > 0 else 9 * np.sign(paired.mean())
    if any(abs(t - 2) < 1e-6 for t in tests.values()):
        return  # rounding decides
    for rival, t in tests.items():
        if RIVALS[rival] in clear + close:
            assert (RIVALS[rival] in clear) == (t > 2)
    assert any("No other is behind by more than two standard errors" in sentence for sentence in said) == (
        max(tests.values()) <= 2
    )


@given(st.fixed_dictionaries(dict.fromkeys(RIVALS, PATIENTS)))
def test_every_sentence_is_short(losses):
    for sentence in verdict(losses, SAME):
        assert re.findall(r"\.(?!\d)", sentence) == ["."]
        assert len(sentence.split()) < 40


def test_the_difference_is_paired():
    hard = np.array([0.2, 0.9, 0.3, 0.8])  # patients differ far more than the methods do
    losses = {Rival("words", 0): hard, Rival("sonmf", 10): hard + np.array([0.01, 0.012, 0.01, 0.011])}
    lead = (
        "That is better by more than two standard errors than SONMF with 10 topics, the next and the default (0.0108 ± 0.0005)."
    )
    assert lead in verdict(losses, {})


def test_the_next_the_words_and_the_default_are_named():
    losses = {
        Rival("nmf", 9): [0.1, 0.1],
        Rival("onmf", 9): [0.2, 0.21],
        Rival("words", 0): [0.3, 0.31],
        Rival("sonmf", 5): [0.41, 0.4],
    }
    losses[Rival("sonmf", 50)] = [0.5, 0.51]
    said = " ".join(verdict({rival: np.array(values) for rival, values in losses.items()}, {}))
    roles = re.findall(r"(ONMF with 9 topics, the next|bag of words|SONMF with 5 topics, the default) \(", said)
    assert len(roles) == 3
    assert "50 topics" not in said


def test_auroc_is_better_when_it_is_larger():
    losses = dict.fromkeys(RIVALS, np.array([0.5, 0.5, 0.5]))
    aurocs = dict(zip(RIVALS, (0.805, 0.7, 0.6), strict=True))
    assert verdict(losses, aurocs)[-1] == "SONMF with 10 topics has the largest AUROC too, 0.805."
    losses[Rival("svd", 10)] = np.array([0.4, 0.41, 0.4])
    assert verdict(losses, aurocs)[-1] == "SONMF with 10 topics has the largest AUROC, 0.805."


@pytest.mark.parametrize(
    "losses", [{}, {Rival("sonmf", 10): [0.5, 0.6]}, {Rival("sonmf", 10): [0.5], Rival("words", 0): [0.6]}]
)
def test_nothing_is_said_where_nothing_can_be_compared(losses):
    assert verdict({rival: np.array(values) for rival, values in losses.items()}, {}) == []


def test_columns_are_several():
    columns, both = Rival("sonmf", 0, "columns"), Rival("sonmf", 10)
    losses = {columns: np.array([0.1, 0.11]), both: np.array([0.2, 0.22])}
    said = verdict(losses, {columns: 0.9, both: 0.8})
    assert said[0].startswith("The columns alone have the smallest log loss, 0.105 [")
    assert said[-1] == "The columns alone have the largest AUROC too, 0.900."
