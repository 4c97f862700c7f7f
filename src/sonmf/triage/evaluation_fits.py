"""One fit of an evaluation: learned from the training folds alone, judged on the fold that is left.

Folds are drawn at random, or they are periods: trained on the past, judged on what came later.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from msgspec.structs import asdict
from sklearn.model_selection import StratifiedKFold

from sonmf import metrics
from sonmf.triage import forecaster, measures, merit, records
from sonmf.triage.columns import TEXT, Columns
from sonmf.triage.complaint import correlation, residual
from sonmf.triage.evaluation_records import BOTH, COLUMNS, NOTES
from sonmf.triage.factorisations import project
from sonmf.triage.forecaster import WORDS, Fit, Read, Settings
from sonmf.triage.inputs import FEWEST, one_sided
from sonmf.triage.strict_json import as_json
from sonmf.types import Array, Matrix

BIN_EDGES = np.linspace(0, 1, 21)
LATER = 0.3  # of the patients are judged, unless it is said from when on

Row: TypeAlias = dict[str, Any]
"""Figures by name, and what they are figures of: a row of a table whose columns depend on what was judged."""


class Cell(NamedTuple):
    """One fit: a method with a number of topics, on all folds but one."""

    complaint: str
    method: str
    n_topics: int
    repeat: int
    fold: int
    inputs: str = BOTH
    """What the forecast is made from: notes, columns or both."""


class Study(NamedTuple):
    """What every process needs."""

    notes: list[object]
    y: Array
    members: dict[str, Array]
    """The rows of each complaint."""
    subgroups: dict[str, Array]
    columns: Columns
    stated: Columns
    """Measurements that the notes state; empty if they are not to be used."""
    settings: Settings
    folds: int
    times: Array | None = None
    """When each patient came, if folds are periods."""
    edges: Array | None = None
    """Where each period begins, and where the last one ends."""

    def split(self, rows: Array, fold: int, seed: int) -> tuple[Array, Array]:
        """Which of these patients a fold is fitted to, and which it is judged on."""
        if self.times is not None and self.edges is not None:
            return before_and_within(self.times[rows], self.edges, fold)
        y = self.y[rows]
        train, test = list(StratifiedKFold(self.folds, shuffle=True, random_state=seed).split(y, y))[fold]
        return train, test


def edges_of(times: Array, folds: int, since: np.datetime64 | str | None = None) -> Array:
    """Where each period begins, and where the last one ends; all have about equally many patients.

    Times that are not known are NaT. The first period begins ``since``; by default the last 30% of the patients are judged.
    """
    known = np.sort(times[~np.isnat(times)])
    if not len(known):
        raise ValueError("times has no value at all: name another column")
    begin = known[int((1 - LATER) * len(known))] if since is None else np.array(since, known.dtype)[()]
    later = known[known >= begin]
    if not len(later) or len(later) == len(known):
        raise ValueError(
            f"from {begin} on there are {len(later):,} of {len(known):,} patients: some must be before it, and some after; "
            f"they came from {known[0]} to {known[-1]}"
        )
    inner = later[[len(later) * k // folds for k in range(1, folds)]]
    edges = np.array([begin, *inner, later[-1] + 1], known.dtype)
    if (edges[1:] <= edges[:-1]).any():
        raise ValueError(
            f"folds={folds}: the patients from {begin} on have too few different times for so many periods: ask for fewer"
        )
    return edges


def before_and_within(times: Array, edges: Array, fold: int) -> tuple[Array, Array]:
    """The numbers of the patients before a period, and of those in it."""
    return np.flatnonzero(times < edges[fold]), np.flatnonzero((times >= edges[fold]) & (times < edges[fold + 1]))


def complaints_to_judge(
    members: Mapping[str, Array], y: Array, times: Array, edges: Array
) -> tuple[dict[str, Array], dict[str, str]]:
    """The complaints that have enough patients of both outcomes before each period and in it, and why the others have not."""
    left_out: dict[str, str] = {}
    for name, rows in members.items():
        for fold, begin in enumerate(edges[:-1]):
            before, within = (y[rows[some]] for some in before_and_within(times[rows], edges, fold))
            for some, when, fewest in ((before, "before", FEWEST), (within, "in the period from", 1)):
                if reason := one_sided(len(some), int(some.sum()), fewest):
                    left_out.setdefault(name, f"{when} {np.datetime_as_string(begin, 'D')} {reason}")
    return {name: rows for name, rows in members.items() if name not in left_out}, left_out


def plan(
    members: Iterable[str],
    methods: Sequence[str],
    n_topics: Sequence[int],
    folds: int,
    repeats: int,
    *,
    with_columns: bool,
) -> list[Cell]:
    """Every fit to make: complaints, then methods, then topics, then folds; words and columns have no number of topics."""
    kinds = [(method, k, BOTH) for method in methods for k in _topics(method, n_topics)]
    if with_columns:
        first = methods[0]
        kinds = [*((first, k, NOTES) for k in _topics(first, n_topics)), (first, 0, COLUMNS), *kinds]
    else:
        kinds = [(method, k, NOTES) for method, k, _ in kinds]
    return [
        Cell(complaint, method, k, repeat, fold, inputs)
        for repeat in range(repeats)
        for complaint in members
        for method, k, inputs in kinds
        for fold in range(folds)
    ]


def _topics(method: str, n_topics: Sequence[int]) -> list[int]:
    return [0] if method == WORDS else sorted(n_topics, reverse=True)


def run_cell(cell: Cell, study: Study) -> Row:
    """Fit on the training folds, judge on the fold that is left: the same pipeline as in a model."""
    rows = study.members[cell.complaint]
    y = study.y[rows]
    seed = study.settings.seed + cell.repeat
    train, test = study.split(rows, cell.fold, seed)
    settings = replace(study.settings, method=cell.method, seed=seed, notes=cell.inputs != COLUMNS)
    (notes, given, stated), unseen = (patients(study, rows[some], cell.inputs) for some in (train, test))
    began = time.perf_counter()
    (fitted,) = forecaster.fit(notes, y[train], given, stated, [cell.n_topics], settings)
    seconds = time.perf_counter() - began
    model = fitted.forecaster
    read = model.read(unseen[0], unseen[1], stated=unseen[2])
    odds = model.log_odds(read)
    subgroups = {name: values[rows][test] for name, values in study.subgroups.items()}
    found: Row = _of_the_topics(fitted.factorisation, fitted.read.X) if fitted.factorisation is not None else {}
    found |= asdict(measures.figures(odds, y[test]))
    used = int(np.count_nonzero(fitted.classifier.effects))
    found |= {"topics_used": used, "seconds": seconds, "gap": fitted.classifier.path.gap}
    if study.edges is not None:
        found["draws"] = measures.bootstrap(odds, y[test], seed)
    return found | {
        "roc": measures.roc(odds, y[test]),
        "bins": _bins(measures.probability(odds), y[test]),
        "merit": _merit(fitted, read, y[test]),
        "subgroups": as_json(measures.subgroups(odds, y[test], subgroups)),
    }


def patients(study: Study, rows: Array, inputs: str) -> tuple[list[object], Columns, Columns]:
    """Notes, columns and measurements; empty for what the inputs leave out."""
    given, stated = (
        {} if inputs == NOTES else {name: values[rows] for name, values in some.items()}
        for some in (study.columns, study.stated)
    )
    return [study.notes[i] for i in rows], given, stated


def read_cell(found: Row) -> Row:
    """What ``run_cell`` returned, or a ``KeyError`` if the file holds something else."""
    for name in (*records.TITLES, "roc", "bins", "merit", "subgroups"):
        found[name]
    return found


def _of_the_topics(factorisation: Any, X: Matrix) -> Row:
    """Residual, sparsity, collinearity of the features (the paper's argument for orthogonal topics), and coherence."""
    topics = factorisation.components_
    gram = correlation(project(X, topics))
    varies = np.diag(gram) > 0
    gram = gram[np.ix_(varies, varies)] if varies.any() else np.eye(1)
    values = np.linalg.eigvalsh(gram)
    return {
        "residual": residual(factorisation, X),
        "F_sparsity": metrics.sparsity(topics),
        "G_sparsity": metrics.sparsity(factorisation.transform(X)),
        "condition": float(np.sqrt(values[-1] / max(values[0], 1e-16 * values[-1]))),
        "correlation": float(np.abs(gram - np.diag(np.diag(gram))).max()),
        "npmi": metrics.npmi(topics, X),
        "diversity": metrics.diversity(topics),
        "overlap": metrics.overlap(topics),
    }


def _merit(fitted: Fit, read: Read, y: Array) -> list[list[int]]:
    """Patients and admissions of the test fold by the number of signals shown."""
    found = merit.judge(fitted.forecaster.parts(fitted.read), fitted.forecaster.parts(read), y)
    padding = [0] * (merit.SIGNALS + 1 - len(found.patients))
    return [found.patients + padding, found.admitted + padding]


def _bins(p: Array, y: Array) -> list[list[float]]:
    """Patients, sum of forecasts, sum of admissions in bins of equal width, which add up over folds."""
    place = np.clip(np.digitize(p, BIN_EDGES) - 1, 0, len(BIN_EDGES) - 2)
    size = len(BIN_EDGES) - 1
    columns = [np.bincount(place, weights, size) for weights in (np.ones(len(p)), p, y)]
    return np.column_stack(columns).round(6).tolist()  # type: ignore[no-any-return]


def file_name(cell: Cell, study: Study) -> str:
    """The name of the file that keeps the figures of a fit, without its ending; it tells fits apart that differ."""
    inputs = cell.inputs.replace(" ", "")
    place = list(study.members).index(cell.complaint)
    texts = TEXT in study.settings.kinds.values() and cell.inputs != NOTES
    of_texts = f"-texts{min(study.settings.text_topics)}" if texts else ""
    return f"{place}-{cell.method}-{inputs}-k{cell.n_topics}{of_texts}-repeat{cell.repeat}-fold{cell.fold}"
