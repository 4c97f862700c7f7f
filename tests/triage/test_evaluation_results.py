"""The sentence on an evaluation agrees with the figures, computed in another way."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from sonmf.triage.evaluation_results import verdict

RIVALS = {("sonmf", 10): "SONMF with 10 topics", ("svd", 10): "TruncatedSVD with 10 topics", ("words", 0): "bag of words"}


def rows(losses, aurocs=None):
    """Losses by rival, one a fold."""
    return [
        {"complaint": "", "repeat": 0, "fold": fold, "method": method, "n_topics": k, "log_loss": loss, "inputs": "notes"}
        | {"auroc": (aurocs or {}).get((method, k), [0.7] * 99)[fold]}
        for (method, k), some in losses.items()
        for fold, loss in enumerate(some)
    ]


FOLDS = st.lists(st.floats(0.1, 1.0), min_size=4, max_size=4)


@given(st.fixed_dictionaries(dict.fromkeys(RIVALS, FOLDS)))
def test_rivals_are_put_on_the_side_where_a_paired_t_statistic_puts_them(losses):
    said = verdict(rows(losses))
    best = min(losses, key=lambda rival: np.mean(losses[rival]))
    assert said.startswith(f"{RIVALS[best]} has the smallest log loss ({np.mean(losses[best]):.3f}), ")
    assert re.findall(r"\.(?!\d)", said) == ["."]  # one sentence
    far, _, near = said.partition("; ")[0].removeprefix(RIVALS[best]).partition("by less than one ahead of")
    clear, close = [], False
    for rival in set(RIVALS) - {best}:
        paired = np.subtract(losses[rival], losses[best])
        t = stats.ttest_1samp(paired, 0).statistic if np.ptp(paired) > 0 else 9 * np.sign(paired.mean())
        clear.append(t > 1)
        close = close or abs(t - 1) < 1e-6  # where rounding decides
        if RIVALS[rival] in near + far and abs(t - 1) > 1e-6:
            assert (RIVALS[rival] in far) == (t > 1)
    assert close or ("no method is behind it by more than one standard error" in said) == (not any(clear))


def test_the_difference_is_paired():
    hard = np.array([0.2, 0.9, 0.3, 0.8])  # folds differ far more than the methods do
    steady = {("words", 0): hard, ("sonmf", 10): hard + np.array([0.01, 0.012, 0.01, 0.011])}
    lead = "by more than one standard error ahead of SONMF with 10 topics, the next and the default (0.0108 ± 0.0005)"
    assert lead in verdict(rows(steady))


def test_the_next_the_words_and_the_default_are_named():
    losses = {("nmf", 9): [0.1, 0.1], ("onmf", 9): [0.2, 0.21], ("words", 0): [0.3, 0.31], ("sonmf", 5): [0.41, 0.4]}
    losses[("sonmf", 50)] = [0.5, 0.51]
    said = verdict(rows(losses))
    roles = re.findall(r"(ONMF with 9 topics, the next|bag of words|SONMF with 5 topics, the default) \(", said)
    assert len(roles) == 3
    assert "50 topics" not in said


def test_auroc_is_better_when_it_is_larger():
    losses = {rival: [0.5, 0.5, 0.5] for rival in RIVALS}
    aurocs = {("sonmf", 10): [0.8, 0.81, 0.8], ("svd", 10): [0.7, 0.7, 0.71], ("words", 0): [float("nan"), 0.6, 0.6]}
    said = verdict(rows(losses, aurocs))
    assert "it has the largest AUROC (0.805) too." in said  # the fold without words is left out for all
    losses[("svd", 10)] = [0.4, 0.41, 0.4]
    assert "; SONMF with 10 topics has the largest AUROC (0.805)." in verdict(rows(losses, aurocs))


@pytest.mark.parametrize("losses", [{}, {("sonmf", 10): [0.5, 0.6]}, {("sonmf", 10): [0.5], ("words", 0): [0.6]}])
def test_nothing_is_said_where_nothing_can_be_compared(losses):
    assert verdict(rows(losses)) == ""


def test_columns_are_several():
    inputs = {0: "columns", 10: "notes + columns"}
    for losses, said in (
        ({("sonmf", 0): [0.1, 0.11], ("sonmf", 10): [0.2, 0.22]}, "the columns alone have the smallest log loss (0.105), "),
        ({("sonmf", 0): [0.2, 0.22], ("sonmf", 10): [0.1, 0.11]}, "; the columns alone have the largest AUROC (0.900)."),
        ({("sonmf", 0): [0.1, 0.11], ("sonmf", 10): [0.2, 0.22]}, "; they have the largest AUROC (0.900) too."),
    ):
        judged = rows(losses, {("sonmf", 0): [0.9, 0.9]})
        assert said in verdict([{**row, "inputs": inputs[row["n_topics"]]} for row in judged])
