"""The paper's protocol: stratified folds, repeated; words, topics and classifier are learned from the training folds alone."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from sklearn.model_selection import StratifiedKFold

from sonmf import jobs, metrics
from sonmf.text import NotesVectorizer
from sonmf.text.note_numbers import measured
from sonmf.threads import Array
from sonmf.triage import forecaster, measures, merit, records
from sonmf.triage.columns import Columns, kinds_of, listed
from sonmf.triage.complaint import correlation, residual
from sonmf.triage.forecaster import WORDS, Fit, Read, Settings, anything_measured
from sonmf.triage.inputs import (
    AUTO,
    FEWEST,
    POOLED,
    check_lengths,
    check_rule,
    check_seeds,
    complaint_names,
    is_auto,
    topic_numbers,
    two_classes,
)
from sonmf.triage.methods import METHODS, fewest_named, project, vectorizer_for, word_settings
from sonmf.triage.patients import Count, apart, too_few
from sonmf.triage.periods import before_and_within, edges_of, judged_in_all

NOTES, COLUMNS, BOTH = "notes", "columns", "notes + columns"
KEY = ("complaint", "method", "n_topics", "inputs")
UNNAMED = "(no complaint)"
RIVALS = ("sonmf", "nmf", "onmf", "semi-nmf", "svd", WORDS)
TITLES = {name: method.title for name, method in METHODS.items()} | {WORDS: "bag of words"}
BIN_EDGES = np.linspace(0, 1, 21)
FIGURES = {
    "residual": "residual",
    "F_sparsity": "sparsity of F",
    "G_sparsity": "sparsity of G",
    **records.TITLES,
    "condition": "condition number",
    "correlation": "largest correlation",
    "npmi": "coherence (NPMI)",
    "diversity": "diversity",
    "overlap": "overlap",
    "topics_used": "features used",
    "seconds": "seconds",
}


class Cell(NamedTuple):
    """One fit: a method with so many topics on all folds but one."""

    complaint: str
    method: str
    n_topics: int
    repeat: int
    fold: int
    inputs: str = BOTH
    """What counts: notes, columns or both."""


class Study(NamedTuple):
    """What every process needs to know."""

    notes: list[Any]
    y: Array
    members: dict[str, Any]
    subgroups: dict[str, Any]
    columns: Columns
    stated: Columns
    """What the notes state, where that may count."""
    settings: Settings
    folds: int
    times: Array | None = None
    """Of all patients, where folds are periods."""
    edges: Array | None = None
    """Begin of each period, and the end of the last."""

    def split(self, rows: Array, fold: int, seed: int) -> tuple[Array, Array]:
        """Which of these patients a fold is learned from, and which it is judged on."""
        if self.times is not None and self.edges is not None:
            return before_and_within(self.times[rows], self.edges, fold)
        y = self.y[rows]
        train, test = list(StratifiedKFold(self.folds, shuffle=True, random_state=seed).split(y, y))[fold]
        return train, test


class Evaluation:
    """One row for each cell, and what they add up to."""

    def __init__(self, rows: list[dict[str, Any]], left_out: dict[str, str], settings: Mapping[str, Any] | None = None) -> None:
        self.rows = rows
        """Complaint, method, n_topics, repeat, fold, the figures, and under ``curves``, ``merit``, ``subgroups`` the rest."""
        self.left_out = left_out
        """Complaints that could not be evaluated, with the reason."""
        self.settings = dict(settings or {})
        """Methods, numbers of topics, folds, repeats and what else the figures depend on besides the notes."""

    def frame(self) -> Any:
        """The figures as a DataFrame, a row a cell."""
        import pandas as pd

        return pd.DataFrame([{k: v for k, v in row.items() if not isinstance(v, list | dict)} for row in self.rows])

    def summary(self) -> list[dict[str, Any]]:
        """Mean and standard error over folds and repeats, for each complaint, method and number of topics."""
        return [dict(zip(KEY, key, strict=True)) | {"fits": len(rows)} | _moments(rows) for key, rows in self._groups()]

    def _groups(self) -> Iterable[tuple[tuple[Any, ...], list[dict[str, Any]]]]:
        groups: dict[tuple[Any, ...], list[dict[str, Any]]] = {}
        for row in self.rows:
            groups.setdefault(tuple(row[name] for name in KEY), []).append(row)
        return groups.items()

    def as_json(self) -> dict[str, Any]:
        """What a model file or a report keeps: the summary, mean curves, calibration, merit and subgroups."""
        return {
            "summary": self.summary(),
            "curves": [dict(zip(KEY, key, strict=True)) | _curve(rows) for key, rows in self._groups()],
            "left_out": self.left_out,
            "settings": self.settings,
        }


def _curve(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """The curves of several fits as one."""
    bins = np.sum([row["bins"] for row in rows], axis=0)
    return {
        "roc": np.mean([row["roc"] for row in rows], axis=0).round(4).tolist(),
        "reliability": [{"n": int(n), "forecast": float(p / n), "admitted": float(a / n)} for n, p, a in bins.tolist() if n],
        "merit": np.sum([row["merit"] for row in rows], axis=0).astype(int).tolist(),
        "subgroups": _merged_subgroups(rows),
    }


def _moments(rows: list[dict[str, Any]]) -> dict[str, float]:
    """Mean of each figure over the fits, and its standard error."""
    found: dict[str, float] = {}
    for name in FIGURES:
        values, weights = np.array([(row.get(name), _precision(row, name)) for row in rows], float).T
        known = np.isfinite(values) & np.isfinite(weights)
        if known.any():
            found[name], found[f"{name}_error"] = weighted_mean(values[known], weights[known])
    return found | _intervals([row for row in rows if "draws" in row])


def _intervals(rows: list[dict[str, Any]]) -> dict[str, float]:
    """Standard errors and 95% intervals of means over periods, from draws of the patients of each; none without draws."""
    if not rows:
        return {}
    precision = sum(_precision(row, "calibration_slope") for row in rows)
    found = {"calibration_slope_error": precision**-0.5}
    for name in rows[0]["draws"]:
        means = np.mean([row["draws"][name] for row in rows], axis=0)
        low, high = np.quantile(means, [0.025, 0.975])
        found |= {f"{name}_error": float(means.std(ddof=1)), f"{name}_low": float(low), f"{name}_high": float(high)}
    return found


def _precision(row: dict[str, Any], name: str) -> float:
    """A slope counts by its own precision: the plain mean over small folds is far above the slope of all their patients."""
    if name != "calibration_slope":
        return 1.0
    error = row.get(f"{name}_error")
    return error**-2 if error else float("nan")


def weighted_mean(values: Array, weights: Array) -> tuple[float, float]:
    """Mean and standard error; with equal weights, the usual ones. One value has no error."""
    share = weights / weights.sum()
    mean = float(share @ values)
    n = len(values)
    return mean, float(np.sqrt(n / (n - 1) * (share**2 @ (values - mean) ** 2))) if n > 1 else 0.0


def _merged_subgroups(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    groups: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for row in rows:
        for one in row["subgroups"]:
            groups.setdefault((one["column"], one["value"]), []).append(one)
    merged = []
    for (column, value), parts in groups.items():
        weight = np.array([part["n"] for part in parts], float)
        names = ["admitted", "forecast", *records.TITLES]
        table = np.array([[np.nan if part[name] is None else part[name] for name in names] for part in parts], float)
        known = np.isfinite(table)
        share = weight[:, None] * known
        means = np.where(known, table, 0).T @ weight / np.maximum(share.sum(axis=0), 1)
        fits = len(rows)
        merged.append(
            {"column": column, "value": value, "n": round(weight.sum() / fits)} | dict(zip(names, means.tolist(), strict=True))
        )
    return merged


def evaluate(
    notes: Iterable[Any],
    disposition: Iterable[Any],
    complaint: Iterable[Any] | None = None,
    columns: Any = None,
    *,
    methods: Sequence[str] = RIVALS,
    n_topics: int | Sequence[int] = 50,
    folds: int = 5,
    repeats: int = 1,
    subgroups: Mapping[str, Iterable[Any]] | None = None,
    vectorizer: NotesVectorizer | None = None,
    rule: str = "min",
    min_notes: int = 200,
    positive: Any = None,
    random_state: int = 0,
    times: Any = None,
    since: Any = None,
    measurements: bool = True,
    kinds: Mapping[str, str] | None = None,
    seed_topics: Sequence[str] | None = None,
    processes: int | None = None,
    folder: str | Path | None = None,
    progress: Callable[[int, int, Cell], None] | None = None,
) -> Evaluation:
    """Mean and standard error of each figure over folds x repeats, for each method: the paper's comparison on your notes.

    Parameters
    ----------
    notes, disposition, complaint, columns : iterables
        As for ``TriageModel.fit``. Where there are columns or measurements, the first method is judged three times: with the
        notes, with the columns, and with both; the others with both.
    methods : sequence of str
        Names of ``TriageModel``'s methods, and ``"words"`` for the plain bag of words.
    n_topics : int or sequence of int, default=50
    folds : int, default=5
    repeats : int, default=1
        The paper uses 20.
    subgroups : mapping of str to iterable, optional
        Columns for whose values figures are wanted.
    times : array of datetime64, optional
        When each patient came. The folds are then periods: each is judged by a fit to all patients before it, as a model is
        used, and the errors are those of a bootstrap of its patients. Patients without a time (NaT) have no part.
    since : datetime64 or str, optional
        Begin of the first of these periods; by default the last 30% of the patients are judged.
    vectorizer, rule, min_notes, positive, random_state, measurements, kinds, seed_topics
        As for ``TriageModel``. Seed topics are those of ``"sonmf"`` alone, made in each fold from its training notes.
    processes : int, optional
        By default one a core, one thread each.
    folder : str or Path, optional
        Finished fits are kept there, and found again by the next call with the same notes and settings.
    progress : callable, optional
        Called as ``progress(done, total, cell)``.

    Returns
    -------
    Evaluation

    Examples
    --------
    >>> from sonmf.datasets import make_triage_notes
    >>> from sonmf.triage import evaluate
    >>> notes = make_triage_notes(400, complaints=["Fever"], random_state=0)
    >>> found = evaluate(notes["note"], notes["disposition"], methods=["words"], folds=2, processes=1)
    >>> 0.5 < found.summary()[0]["auroc"] < 1
    True
    """
    notes, labels = list(notes), np.asarray(list(disposition), object)
    named = fewest_named(vectorizer)
    y = (labels == two_classes(labels, positive, named)[1]).astype(float)
    names = complaint_names(complaint, len(notes))
    check_lengths(len(notes), {"disposition": labels, "complaint": names})
    if is_auto(n_topics):
        raise ValueError(f"n_topics={AUTO!r} is for a fit: give numbers of topics to be judged, such as [10, 50]")
    topics = topic_numbers(n_topics)
    check_rule(rule)
    if not methods:
        raise ValueError(f"methods is empty: choose from {', '.join(TITLES)}")
    if unknown := [method for method in methods if method not in TITLES]:
        raise ValueError(f"methods has {unknown[0]!r}: choose from {', '.join(TITLES)}")
    given = listed(columns, len(notes))
    kinds = kinds_of(given, kinds)
    if complaint is not None:
        names[names == POOLED] = UNNAMED
    if times is not None:
        times = np.asarray(times, "datetime64[s]")
        check_lengths(len(notes), {"times": times})
    edges = None if times is None else edges_of(times, folds, since)
    members, left_out = _members(names, y, min_notes, named, fewest=max(FEWEST, 2 * folds))
    if edges is not None:
        members, early = judged_in_all(members, y, times, edges)
        left_out |= early
    if not members:
        raise ValueError(f"no complaint can be evaluated: {'; '.join(f'{k}: {v}' for k, v in left_out.items())}")
    groups = {name: np.asarray(list(values), object) for name, values in (subgroups or {}).items()}
    check_lengths(len(notes), groups)
    stated = measured(notes) if measurements else {}
    seeds = list(seed_topics or [])
    check_seeds(seeds, "sonmf", topics)
    settings = Settings(methods[0], vectorizer, rule, random_state, kinds, [min(topics)], seeds=seeds, strict_seeds=False)
    study = Study(notes, y, members, groups, given, stated, settings, folds, times, edges)
    cells = plan(members, methods, topics, folds, repeats, with_columns=bool(given) or anything_measured(stated))
    with tempfile.TemporaryDirectory() as scratch:
        place = Path(folder) if folder is not None else Path(scratch)
        words = word_settings(vectorizer_for("sonmf", vectorizer))
        asked_for = [notes, y, members, groups, given, kinds, measurements, words, rule, folds, random_state, times, edges]
        jobs.claim(place, [*asked_for, *seeds])
        tasks = {place / "fits" / f"{_name(cell, members)}.json": cell for cell in cells}
        done = 0

        def advance(cell: Cell) -> None:
            nonlocal done
            done += 1
            if progress is not None:
                progress(done, len(cells), cell)

        found = jobs.run(run_cell, tasks, processes or os.cpu_count() or 1, advance, (study,), _read_cell)
        rows = [cell._asdict() | found[path] for path, cell in tasks.items()]
    asked = {
        "methods": list(methods),
        "n_topics": topics,
        "folds": folds,
        "repeats": repeats,
        "rule": rule,
        "min_notes": min_notes,
        "random_state": random_state,
        "columns": kinds,
        "measurements": measurements,
        "words": words,
        "periods": [] if edges is None else np.datetime_as_string(edges).tolist(),
        "seed_topics": seeds,
    }
    return Evaluation(rows, left_out, asked)


def _members(names: Array, y: Array, min_notes: int, named: int, fewest: int) -> tuple[dict[str, Any], dict[str, str]]:
    """The rows of each complaint that can be evaluated, and why the others cannot."""
    members = {name: np.flatnonzero(names == name) for name in sorted(set(names))}
    counts = {name: Count(len(rows), int(y[rows].sum())) for name, rows in members.items()}
    if list(counts) == [POOLED]:
        reason = too_few(counts[POOLED], min_notes, fewest)
        return ({}, {POOLED: reason}) if reason else (members, {})
    own, left_out = apart(counts, min_notes, named, fewest)
    return {name: members[name] for name in own}, left_out


def plan(
    members: Mapping[str, Any], methods: Sequence[str], n_topics: Sequence[int], folds: int, repeats: int, *, with_columns: bool
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


def run_cell(cell: Cell, study: Study) -> dict[str, Any]:
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
    found: dict[str, Any] = _of_the_topics(fitted.factorisation, fitted.read.X) if fitted.factorisation is not None else {}
    found |= vars(measures.figures(odds, y[test]))
    used = int(np.count_nonzero(fitted.classifier.effects))
    found |= {"topics_used": used, "seconds": seconds, "gap": fitted.classifier.path.gap}
    if study.edges is not None:
        found["draws"] = measures.bootstrap(odds, y[test], seed)
    return found | {
        "roc": measures.roc(odds, y[test]),
        "bins": _bins(measures.probability(odds), y[test]),
        "merit": _merit(fitted, read, y[test]),
        "subgroups": records.as_json(measures.subgroups(odds, y[test], subgroups)),
    }


def patients(study: Study, rows: Array, inputs: str) -> tuple[list[Any], Columns, Columns]:
    """Notes, columns and measurements, as far as they count."""
    given, stated = (
        {} if inputs == NOTES else {name: values[rows] for name, values in some.items()}
        for some in (study.columns, study.stated)
    )
    return [study.notes[i] for i in rows], given, stated


def _read_cell(found: dict[str, Any]) -> dict[str, Any]:
    """What ``run_cell`` returned, unless the file holds something else."""
    for name in (*records.TITLES, "roc", "bins", "merit", "subgroups"):
        found[name]
    return found


def _of_the_topics(factorisation: Any, X: Any) -> dict[str, float]:
    """Residual, sparsity, collinearity of the features (the paper's argument for orthogonal topics), and how topics read."""
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
    found = merit.judged(fitted.forecaster.parts(fitted.read), fitted.forecaster.parts(read), y)
    padding = [0] * (merit.SIGNALS + 1 - len(found.patients))
    return [found.patients + padding, found.admitted + padding]


def _bins(p: Array, y: Array) -> list[list[float]]:
    """Patients, sum of forecasts, sum of admissions in bins of equal width, which add up over folds."""
    place = np.clip(np.digitize(p, BIN_EDGES) - 1, 0, len(BIN_EDGES) - 2)
    size = len(BIN_EDGES) - 1
    columns = [np.bincount(place, weights, size) for weights in (np.ones(len(p)), p, y)]
    return np.column_stack(columns).round(6).tolist()  # type: ignore[no-any-return]


def _name(cell: Cell, members: Mapping[str, Any]) -> str:
    inputs = cell.inputs.replace(" ", "")
    place = list(members).index(cell.complaint)
    return f"{place}-{cell.method}-{inputs}-k{cell.n_topics}-repeat{cell.repeat}-fold{cell.fold}"
