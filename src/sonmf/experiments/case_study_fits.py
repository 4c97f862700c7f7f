"""The case study as the paper's authors ran it, on their notes: 20 trials of 5 folds, features XF, LASSO by glmnet's rules.

Words and weights come from all notes (``authors_words``), so a little of the test folds leaks in. Each method is run for 100
iterations on the training rows, as in the authors' scripts. Residual or cost and the shares of zeros are those of all rows
after 200 iterations, as in the paper's text.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from math import isfinite, nan
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import csr_array
from sklearn.model_selection import StratifiedKFold

from sonmf import jobs, metrics
from sonmf.experiments import authors_words, case_study_methods
from sonmf.experiments.case_study_methods import BINARY, METHODS
from sonmf.frames import DataFrame, pandas
from sonmf.triage import lasso, measures
from sonmf.triage.complaint_fit import residual
from sonmf.triage.factorisations import METHODS as OURS
from sonmf.triage.factorisations import project
from sonmf.types import Array

if TYPE_CHECKING:
    from pandas.api.typing import DataFrameGroupBy

COMPLAINT = "Altered Level of Consciousness"
TOPICS = (10, 30, 50, 100, 150)
TRIALS, FOLDS, INNER_FOLDS = 20, 5, 10
CORES = 2  # for which the tables give the time of a study
ALL_ROWS = -1  # in place of a fold: the factorisation of all notes
ITERATIONS, ITERATIONS_OF_ALL = 100, 200
LEAST_FALL = 1e-5  # of the cost on all notes in an iteration, below which logNMF stops
STARTS = 5  # factorisations of all notes, where the start is drawn
PRINTED = ("sonmf-paper", "nmf", "onmf", "semi-nmf", "binary-sonmf-paper", "logistic-nmf")
"""The methods whose figures the paper prints."""
WORDS = ("words", "words-binary")
QUICK_METHODS, QUICK_TOPICS = ("sonmf-paper", "nmf", "onmf", "semi-nmf", "sonmf"), (10, 30)


class CaseStudyFit(NamedTuple):
    """One fit: a method on all folds but one, or on all rows."""

    method: str
    n_topics: int
    trial: int
    fold: int

    @property
    def name(self) -> str:
        fold = "whole" if self.fold == ALL_ROWS else f"fold{self.fold}"
        return f"{self.method}-k{self.n_topics}-trial{self.trial}-{fold}"


def plan(chosen: Sequence[str], n_topics: Sequence[int], trials: int) -> list[CaseStudyFit]:
    """Every fit to make, trial by trial, so that an interrupted run has whole trials."""
    fits = []
    for trial in range(trials):
        for method in chosen:
            folds = list(range(FOLDS))
            if method not in WORDS and trial < (STARTS if METHODS[method].drawn else 1):
                folds.append(ALL_ROWS)
            for k in [0] if method in WORDS else sorted(n_topics, reverse=True):
                fits += [CaseStudyFit(method, k, trial, fold) for fold in folds]
    return fits


def run(
    notes: Sequence[object],
    admitted: ArrayLike,
    *,
    chosen: Sequence[str],
    n_topics: Sequence[int],
    trials: int,
    seed: int,
    processes: int | None,
    folder: Path,
    advance: Callable[[int, CaseStudyFit], None],
) -> None:
    """Make the fits that are not on disk yet; ``advance`` gets their number and each of them."""
    counts, _ = authors_words.counts(notes)
    y = np.asarray(admitted, float)
    place = jobs.claim(folder, [counts.data, counts.indices, y, seed])
    fits = plan(chosen, n_topics, trials)
    tasks = {place / f"{fit.name}.json": fit for fit in fits}
    jobs.run(run_fit, tasks, processes or jobs.cores(), lambda fit: advance(len(fits), fit), (counts, y, seed))


def run_fit(fit: CaseStudyFit, counts: csr_array, y: Array, seed: int) -> dict[str, float | str]:
    """Factorise and, unless all rows were requested, classify the fold that is left out.

    ``_min`` is lambda.min's figure. Seconds are processor time.
    """
    method = METHODS[fit.method]
    X = authors_words.present(counts) if method.weighting == BINARY else authors_words.weighted(counts)
    began = time.process_time()
    if fit.fold == ALL_ROWS:
        return fit._asdict() | factorise(fit, X, seed)[1] | {"seconds": time.process_time() - began}
    splits = StratifiedKFold(FOLDS, shuffle=True, random_state=seed + fit.trial)
    train, test = list(splits.split(y, y))[fit.fold]
    Z, Z_test = X[train], X[test]
    if fit.method not in WORDS:
        components, _ = factorise(fit, X[train], seed)
        Z, Z_test = project(Z, components), project(Z_test, components)
    factorised = time.process_time()
    path = lasso.fit_path(Z, y[train], folds=INNER_FOLDS, random_state=seed + fit.trial)
    at, best = path.choose("1se"), path.choose("min")
    ended = time.process_time()
    figures, at_best = (
        measures.figures(Z_test @ path.coefficients[place] + path.intercepts[place], y[test]) for place in (at, best)
    )
    return fit._asdict() | {
        "accuracy": figures.accuracy,
        "auroc": figures.auroc,
        "log_loss": figures.log_loss,
        "accuracy_min": at_best.accuracy,
        "auroc_min": at_best.auroc,
        "features": int(np.count_nonzero(path.coefficients[at])),
        "seconds": ended - began,
        "lasso_seconds": ended - factorised,
    }


def factorise(fit: CaseStudyFit, X: csr_array, seed: int) -> tuple[Array, dict[str, float]]:
    """The topics (topics x words) and, of all rows, residual or cost with the shares of zeros."""
    method, whole = METHODS[fit.method], fit.fold == ALL_ROWS
    if method.solver is None:
        model = OURS[fit.method].fit(X, fit.n_topics, seed + fit.trial)
        if not whole:
            return model.components_, {}
        F, G, error = model.components_.T, model.transform(X), residual(model, X)
    else:
        random = np.random.RandomState([seed, fit.trial, fit.n_topics])
        iterations = ITERATIONS_OF_ALL if whole else ITERATIONS
        fall = LEAST_FALL if whole else 0.0
        F, G, error = case_study_methods.fit(method, X, fit.n_topics, random, iterations, fall)
    return F.T, {"residual": error, "F_sparsity": metrics.sparsity(F), "G_sparsity": metrics.sparsity(G)}


def finished(folder: Path) -> DataFrame:
    """Every fit that is on disk, one row each."""
    return pandas().DataFrame([json.loads(path.read_text()) for path in sorted((folder / "fits").glob("*.json"))])


class TableLine(NamedTuple):
    """A method at one K: means over whole trials; NaN for what was not measured."""

    method: str
    k: int
    trials: int
    accuracy: float
    sd: float = nan
    """Standard deviation of the accuracy of a trial."""
    minutes: float = nan
    """Time that all trials take."""
    residual: float = nan
    residual_error: float = nan
    F_sparsity: float = nan
    F_sparsity_error: float = nan
    G_sparsity: float = nan
    G_sparsity_error: float = nan


def summary(rows: DataFrame) -> list[TableLine]:
    """One line for each method and K, in the order of the table."""
    lines = []
    for (method, k), fits in by_line(rows):
        folds, whole = fits[fits["fold"] != ALL_ROWS], fits[fits["fold"] == ALL_ROWS]
        trials = whole_trials(folds, "trial")["accuracy"].mean()
        minutes = folds["seconds"].mean() * TRIALS * FOLDS / CORES / 60
        line = TableLine(method, int(k), len(trials), trials.mean(), trials.std(), minutes)
        for name in ("residual", "F_sparsity", "G_sparsity"):
            if name in whole:
                line = line._replace(**{name: whole[name].mean(), f"{name}_error": whole[name].sem()})
        lines.append(line)
    return lines


def whole_trials(folds: DataFrame, trial: str) -> DataFrameGroupBy:
    """Fits grouped by trial, without trials that do not have all their folds yet."""
    return folds.groupby(trial).filter(lambda fits: len(fits) == FOLDS).groupby(trial)


def by_line(rows: DataFrame) -> list[tuple[tuple[str, int], DataFrame]]:
    """The fits of each method and K, in the order of the table."""
    order = {method: place for place, method in enumerate(METHODS)}
    return sorted(rows.groupby(["method", "n_topics"]), key=lambda item: (order[item[0][0]], item[0][1]))


def error_of_difference(line: TableLine, lines: Sequence[TableLine]) -> float:
    """The standard error of our mean minus the paper's, which are both means over trials.

    The spread of a trial is pooled over the lines of the same method, because a method that depends on its start varies more
    than the others; it is pooled over all lines if no line of the method has two trials.
    """
    known = [other for other in lines if isfinite(other.sd)]
    spread = [other.sd for other in known if other.method == line.method] or [other.sd for other in known]
    return float(np.sqrt(np.mean(np.square(spread)) * (1 / line.trials + 1 / TRIALS))) if spread else nan
