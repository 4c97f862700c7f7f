"""Which method is best, in a few sentences; one is ahead of another only by more than two standard errors.

Differences are paired patient by patient, each beside its own standard error.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from sonmf.triage import measures
from sonmf.triage.evaluation_results import BOTH, COLUMNS, DEFAULT, NOTES, TITLES, FoldForecasts, JudgedMethod
from sonmf.triage.forecaster import WORDS
from sonmf.triage.measures import Statistic
from sonmf.types import Array

CLEAR = 2.0  # standard errors


class Rival(NamedTuple):
    """A method with a number of topics, and the inputs it has seen."""

    method: str
    n_topics: int
    inputs: str = BOTH
    """The inputs; ``BOTH`` also if there were only notes, because the sentence then need not mention them."""

    def __str__(self) -> str:
        if self.inputs == COLUMNS:
            return "the columns alone"
        topics = f" with {self.n_topics} topic{'s' if self.n_topics > 1 else ''}"
        alone = " on the notes alone" if self.inputs == NOTES else ""
        return TITLES[self.method] + ("" if self.method == WORDS else topics) + alone

    @property
    def has(self) -> str:
        """The verb that follows the name of the method."""
        return "have" if self.inputs == COLUMNS else "has"


def judge_rivals(methods: Sequence[JudgedMethod], fits: Sequence[Sequence[FoldForecasts]], y: Array) -> list[str]:
    """The verdict on judged methods and their fits, over the patients of all complaints.

    A patient counts once, by the mean loss over the repeats; AUROC is the mean over the folds of all complaints.
    """
    same = len({method.inputs for method in methods}) == 1
    losses: dict[Rival, Array] = {}
    aurocs: dict[Rival, list[float]] = {}
    for method, forecasts in zip(methods, fits, strict=True):
        rival = Rival(method.method, method.n_topics, BOTH if same else method.inputs)
        total = losses.setdefault(rival, np.zeros(len(y)))
        repeats = sum(len(fit.places) for fit in forecasts) / method.patients
        for fit in forecasts:
            total[fit.places] += measures.losses(fit.log_odds, y[fit.places]) / repeats
        aurocs.setdefault(rival, []).extend(method.fits["auroc"])
    judged = np.unique(np.concatenate([fit.places for forecasts in fits for fit in forecasts]))
    known = np.isfinite(list(aurocs.values())).all(axis=0)
    areas = {rival: float(np.mean(np.array(values)[known])) for rival, values in aurocs.items()} if known.any() else {}
    return verdict({rival: loss[judged] for rival, loss in losses.items()}, areas)


def verdict(losses: Mapping[Rival, Array], aurocs: Mapping[Rival, float]) -> list[str]:
    """Which method has the smallest log loss, which are behind it, and which has the largest AUROC; empty for a single one.

    ``losses`` has the log loss of each patient by rival, in the same order. Of the others the sentences name the next, the bag
    of words, the default method, and what has seen less.
    """
    if len(losses) < 2 or min(map(len, losses.values())) < 2:
        return []
    best, *others = sorted(losses, key=lambda rival: float(losses[rival].mean()))
    loss = measures.mean(losses[best]).estimate()
    behind = {rival: measures.mean(losses[rival] - losses[best]) for rival in others}
    sentences = [f"{_capital(best)} {best.has} the smallest log loss, {loss.value:.3f} [{loss.low:.3f}, {loss.high:.3f}]."]
    sentences += _lead(best, behind)
    if aurocs:
        first = max(aurocs, key=lambda rival: (aurocs[rival], rival == best))
        too = " too" if first == best else ""
        sentences.append(f"{_capital(first)} {first.has} the largest AUROC{too}, {aurocs[first]:.3f}.")
    return sentences


def _lead(best: Rival, behind: Mapping[Rival, Statistic]) -> list[str]:
    """Which methods the best one is ahead of by more than two standard errors, and which it is not."""
    if not any(map(is_clear, behind.values())):
        return ["No other is behind by more than two standard errors, so they may be equally good."]
    clear: list[str] = []
    close: list[str] = []
    for rival, role in _roles(best, list(behind)).items():
        difference = behind[rival]
        (clear if is_clear(difference) else close).append(f"{rival}{role} ({difference.value:.4f} ± {difference.error:.4f})")
    sentences = [f"That is better by more than two standard errors than {' and than '.join(clear)}."] if clear else []
    return sentences + ([f"That is not clearly better than {' or than '.join(close)}."] if close else [])


def is_clear(difference: Statistic) -> bool:
    """Whether a difference is larger than two standard errors."""
    return difference.value > CLEAR * difference.error


def _capital(rival: Rival) -> str:
    text = str(rival)
    return text[0].upper() + text[1:]


def _roles(best: Rival, others: list[Rival]) -> dict[Rival, str]:
    """The methods to name, each with its role: the next, the bag of words, and the default at its best number of topics."""
    default = next((rival for rival in (best, *others) if rival.method == DEFAULT and rival.inputs == BOTH), None)
    named = {others[0]: ", the next"}
    named |= {rival: "" for rival in others[1:] if rival.method == WORDS or rival.inputs != BOTH}
    if default == others[0]:
        named[default] = ", the next and the default"
    elif default is not None and default != best:
        named[default] = ", the default"
    return named
