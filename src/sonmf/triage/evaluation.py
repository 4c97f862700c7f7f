"""The paper's protocol: stratified folds, repeated; words, topics and classifier are learned from the training folds alone."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import nullcontext
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from sonmf import jobs
from sonmf.text import NotesVectorizer
from sonmf.text.note_numbers import read_measurements
from sonmf.triage import records
from sonmf.triage.columns import Table, column_arrays, kinds_of
from sonmf.triage.evaluation_fits import Cell, Row, Study, complaints_to_judge, edges_of, file_name, plan, read_cell, run_cell
from sonmf.triage.evaluation_records import FIGURES, KEY, EvaluationRecord, EvaluationSettings, MeanCurves
from sonmf.triage.factorisations import METHODS, fewest_named, vectorizer_for, word_settings
from sonmf.triage.forecaster import WORDS, Settings, anything_measured
from sonmf.triage.inputs import (
    AUTO,
    FEWEST,
    POOLED,
    Count,
    check_lengths,
    check_rule,
    check_seeds,
    complaint_names,
    is_auto,
    split_by_size,
    too_few,
    topic_numbers,
    two_classes,
)
from sonmf.types import Array

if TYPE_CHECKING:
    import pandas as pd

UNNAMED = "(no complaint)"
RIVALS = ("sonmf", "nmf", "onmf", "semi-nmf", "svd", WORDS)
TITLES = {name: method.title for name, method in METHODS.items()} | {WORDS: "bag of words"}
Progress: TypeAlias = Callable[[int, int, Cell], None]


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

    def __init__(self, rows: list[Row], left_out: dict[str, str], settings: EvaluationSettings | None = None) -> None:
        self.rows = rows
        """Complaint, method, n_topics, repeat, fold, the figures, and under ``curves``, ``merit``, ``subgroups`` the rest."""
        self.left_out = left_out
        """Complaints that could not be evaluated, with the reason."""
        self.settings = settings
        """What the figures depend on besides the notes; None for rows that were put together by hand."""

    def frame(self) -> pd.DataFrame:
        """The figures as a DataFrame, a row a cell."""
        import pandas as pd

        return pd.DataFrame([{k: v for k, v in row.items() if not isinstance(v, list | dict)} for row in self.rows])

    def summary(self) -> list[Row]:
        """Mean and standard error over folds and repeats, for each complaint, method and number of topics."""
        return [dict(zip(KEY, key, strict=True)) | {"fits": len(rows)} | _moments(rows) for key, rows in self._groups()]

    def _groups(self) -> Iterable[tuple[tuple[object, ...], list[Row]]]:
        groups: dict[tuple[object, ...], list[Row]] = {}
        for row in self.rows:
            groups.setdefault(tuple(row[name] for name in KEY), []).append(row)
        return groups.items()

    def record(self) -> EvaluationRecord:
        """What a report keeps: the summary, mean curves, calibration, merit and subgroups."""
        assert self.settings is not None, "rows that were put together by hand are not kept"
        return EvaluationRecord(
            summary=self.summary(),
            curves=[_curve(key, rows) for key, rows in self._groups()],
            left_out=self.left_out,
            settings=self.settings,
        )


def _curve(key: tuple[Any, ...], rows: list[Row]) -> MeanCurves:
    """The curves of several fits as one."""
    complaint, method, n_topics, inputs = key
    bins = np.sum([row["bins"] for row in rows], axis=0)
    return MeanCurves(
        complaint=complaint,
        method=method,
        n_topics=n_topics,
        inputs=inputs,
        roc=np.mean([row["roc"] for row in rows], axis=0).round(4).tolist(),
        reliability=[records.Bin(int(n), float(p / n), float(a / n)) for n, p, a in bins.tolist() if n],
        merit=np.sum([row["merit"] for row in rows], axis=0).astype(int).tolist(),
        subgroups=_merged_subgroups(rows),
    )


def _moments(rows: list[Row]) -> dict[str, float]:
    """Mean of each figure over the fits, and its standard error."""
    found: dict[str, float] = {}
    for name in FIGURES:
        values, weights = np.array([(row.get(name), _precision(row, name)) for row in rows], float).T
        known = np.isfinite(values) & np.isfinite(weights)
        if known.any():
            found[name], found[f"{name}_error"] = weighted_mean(values[known], weights[known])
    return found | _intervals([row for row in rows if "draws" in row])


def _intervals(rows: list[Row]) -> dict[str, float]:
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


def _precision(row: Row, name: str) -> float:
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


def _merged_subgroups(rows: list[Row]) -> list[Any]:
    groups: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        for one in row["subgroups"]:
            groups.setdefault((one["column"], one["value"]), []).append(one)
    merged = []
    for (column, value), parts in groups.items():
        weight = np.array([part["n"] for part in parts], float)
        names = ["admitted", "forecast", *records.TITLES]
        table = np.array([[np.nan if part[name] is None else part[name] for name in names] for part in parts], float)
        known = np.isfinite(table)
        means = np.where(known, table, 0).T @ weight / np.maximum(weight @ known, 1)
        patients = round(weight.sum() / len(rows))
        merged.append({"column": column, "value": value, "n": patients} | dict(zip(names, means.tolist(), strict=True)))
    return merged


def evaluate(
    notes: Iterable[object],
    disposition: Iterable[object],
    complaint: Iterable[object] | None = None,
    columns: Table = None,
    *,
    methods: Sequence[str] = RIVALS,
    n_topics: int | Sequence[int] = 50,
    folds: int = 5,
    repeats: int = 1,
    subgroups: Mapping[str, Iterable[object]] | None = None,
    vectorizer: NotesVectorizer | None = None,
    rule: str = "min",
    min_notes: int = 200,
    positive: object = None,
    random_state: int = 0,
    times: ArrayLike | None = None,
    since: np.datetime64 | str | None = None,
    measurements: bool = True,
    kinds: Mapping[str, str] | None = None,
    seed_topics: Sequence[str] | None = None,
    processes: int | None = None,
    folder: str | Path | None = None,
    progress: Progress | None = None,
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
        used, and the errors are those of a bootstrap of its patients. Patients without a time (NaT) are left out.
    since : datetime64 or str, optional
        When the first of these periods begins; by default the last 30% of the patients are judged.
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
    n, named = len(notes), fewest_named(vectorizer)
    y = (labels == two_classes(labels, positive, named)[1]).astype(float)
    names = complaint_names(complaint, n)
    if complaint is not None:
        names[names == POOLED] = UNNAMED
    groups = {name: np.asarray(list(values), object) for name, values in (subgroups or {}).items()}
    arrivals = None if times is None else np.asarray(times, "datetime64[s]")
    check_lengths(n, {"disposition": labels, "complaint": names} | groups | ({} if arrivals is None else {"times": arrivals}))
    topics, seeds = _check_request(methods, n_topics, rule, list(seed_topics or []))
    given, stated = column_arrays(columns, n), read_measurements(notes) if measurements else {}
    kinds = kinds_of(given, kinds)
    edges = None if arrivals is None else edges_of(arrivals, folds, since)
    members, left_out = _members(names, y, min_notes, named, folds, arrivals, edges)
    settings = Settings(methods[0], vectorizer, rule, random_state, kinds, [min(topics)], seeds=seeds, strict_seeds=False)
    study = Study(notes, y, members, groups, given, stated, settings, folds, arrivals, edges)
    asked = EvaluationSettings(
        methods=list(methods),
        n_topics=topics,
        folds=folds,
        repeats=repeats,
        rule=rule,
        min_notes=min_notes,
        random_state=random_state,
        columns=kinds,
        measurements=measurements,
        words=word_settings(vectorizer_for("sonmf", vectorizer)),
        periods=[] if edges is None else np.datetime_as_string(edges).tolist(),
        seed_topics=seeds,
    )
    cells = plan(members, methods, topics, folds, repeats, with_columns=bool(given) or anything_measured(stated))
    with nullcontext(folder) if folder is not None else tempfile.TemporaryDirectory() as place:
        rows = _run(study, cells, asked, Path(place), processes or jobs.cores(), progress)
    return Evaluation(rows, left_out, asked)


def _check_request(
    methods: Sequence[str], n_topics: int | Sequence[int], rule: str, seeds: list[str]
) -> tuple[list[int], list[str]]:
    """The numbers of topics and the seed topics, or a ``ValueError``."""
    if is_auto(n_topics):
        raise ValueError(f"n_topics={AUTO!r} is for a fit: give numbers of topics to be judged, such as [10, 50]")
    topics = topic_numbers(n_topics)
    check_rule(rule)
    if not methods:
        raise ValueError(f"methods is empty: choose from {', '.join(TITLES)}")
    if unknown := [method for method in methods if method not in TITLES]:
        raise ValueError(f"methods has {unknown[0]!r}: choose from {', '.join(TITLES)}")
    check_seeds(seeds, "sonmf", topics)
    return topics, seeds


def _run(
    study: Study, cells: list[Cell], asked: EvaluationSettings, place: Path, processes: int, progress: Progress | None
) -> list[Row]:
    """A row for each cell; those that are found in the folder are not fitted again."""
    settings = [getattr(asked, name) for name in ("columns", "measurements", "words", "rule", "folds", "random_state")]
    patients = [study.notes, study.y, study.members, study.subgroups, study.columns]
    fits = jobs.claim(place, [*patients, *settings, study.times, study.edges, *asked.seed_topics])
    tasks = {fits / f"{file_name(cell, study)}.json": cell for cell in cells}
    done = count(1)

    def advance(cell: Cell) -> None:
        if progress is not None:
            progress(next(done), len(cells), cell)

    found = jobs.run(run_cell, tasks, processes, advance, (study,), read_cell)
    return [cell._asdict() | found[path] for path, cell in tasks.items()]


def _members(
    names: Array, y: Array, min_notes: int, named: int, folds: int, times: Array | None, edges: Array | None
) -> tuple[dict[str, Array], dict[str, str]]:
    """The rows of each complaint that can be evaluated, and why the others cannot; a ``ValueError`` where none can."""
    members = {name: np.flatnonzero(names == name) for name in sorted(set(names))}
    counts = {name: Count(len(rows), int(y[rows].sum())) for name, rows in members.items()}
    fewest = max(FEWEST, 2 * folds)
    if list(counts) == [POOLED]:
        reason = too_few(counts[POOLED], min_notes, fewest)
        own, left_out = [] if reason else [POOLED], {POOLED: reason} if reason else {}
    else:
        own, left_out = split_by_size(counts, min_notes, named, fewest)
    able = {name: members[name] for name in own}
    if times is not None and edges is not None:
        able, early = complaints_to_judge(able, y, times, edges)
        left_out |= early
    if not able:
        raise ValueError(f"no complaint can be evaluated: {'; '.join(f'{k}: {v}' for k, v in left_out.items())}")
    return able, left_out
