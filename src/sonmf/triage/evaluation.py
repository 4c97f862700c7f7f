"""The paper's protocol: stratified folds, repeated; words, topics and classifier are learned from the training folds alone."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from sonmf import jobs
from sonmf.text import NotesVectorizer
from sonmf.text.note_numbers import measured
from sonmf.triage import records
from sonmf.triage.columns import column_arrays, kinds_of
from sonmf.triage.evaluation_fits import Cell, Study, file_name, plan, read_cell, run_cell
from sonmf.triage.factorisations import METHODS, fewest_named, vectorizer_for, word_settings
from sonmf.triage.forecaster import WORDS, Settings, anything_measured
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
from sonmf.triage.time_folds import complaints_to_judge, edges_of
from sonmf.triage.training_patients import Count, split_by_size, too_few
from sonmf.types import Array

KEY = ("complaint", "method", "n_topics", "inputs")
UNNAMED = "(no complaint)"
RIVALS = ("sonmf", "nmf", "onmf", "semi-nmf", "svd", WORDS)
TITLES = {name: method.title for name, method in METHODS.items()} | {WORDS: "bag of words"}
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


class Evaluation:
    """One row for each cell, and what they add up to.

    Examples
    --------
    >>> from sonmf.datasets import make_triage_notes
    >>> from sonmf.triage import evaluate
    >>> notes = make_triage_notes(400, complaints=["Fever"], random_state=0)
    >>> found = evaluate(notes["note"], notes["disposition"], methods=["sonmf"], n_topics=[4], folds=2, processes=1)
    >>> [(row["method"], row["n_topics"], row["fits"]) for row in found.summary() if row["inputs"] == "notes"]
    [('sonmf', 4, 2)]
    """

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
    given = column_arrays(columns, len(notes))
    kinds = kinds_of(given, kinds)
    if complaint is not None:
        names[names == POOLED] = UNNAMED
    if times is not None:
        times = np.asarray(times, "datetime64[s]")
        check_lengths(len(notes), {"times": times})
    edges = None if times is None else edges_of(times, folds, since)
    members, left_out = _members(names, y, min_notes, named, fewest=max(FEWEST, 2 * folds))
    if edges is not None:
        members, early = complaints_to_judge(members, y, times, edges)
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
        tasks = {place / "fits" / f"{file_name(cell, members)}.json": cell for cell in cells}
        done = 0

        def advance(cell: Cell) -> None:
            nonlocal done
            done += 1
            if progress is not None:
                progress(done, len(cells), cell)

        found = jobs.run(run_cell, tasks, processes or os.cpu_count() or 1, advance, (study,), read_cell)
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
    own, left_out = split_by_size(counts, min_notes, named, fewest)
    return {name: members[name] for name in own}, left_out
