"""The result of an evaluation: what it is about, the mean figures and curves of each method, and a sentence on them.

Differences between methods are paired fold by fold, each beside its own standard error.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple, NotRequired, TypeAlias, TypedDict

import numpy as np
from msgspec import Meta, Struct

from sonmf.triage import records
from sonmf.triage.factorisations import METHODS, WordSettings
from sonmf.triage.forecaster import WORDS
from sonmf.triage.strict_json import NaturalNumber, Share
from sonmf.types import Array

if TYPE_CHECKING:
    import pandas as pd

KEY = ("complaint", "method", "n_topics", "inputs")
NOTES, COLUMNS, BOTH = "notes", "columns", "notes + columns"
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
"""The figures of a fit by name, as people call them."""
TITLES = {name: method.title for name, method in METHODS.items()} | {WORDS: "bag of words"}
"""The methods, as people call them."""
DEFAULT = "sonmf"
ALL, NOTES_ALONE = "all", "the notes alone"

Row: TypeAlias = dict[str, Any]
"""Figures by name, and what they are figures of: a row of a table whose columns depend on what was judged."""


class EvaluationSettings(Struct, frozen=True):
    """What the figures depend on besides the notes."""

    methods: list[str]
    n_topics: list[NaturalNumber]
    folds: NaturalNumber
    repeats: NaturalNumber
    rule: str
    min_notes: NaturalNumber
    random_state: NaturalNumber
    columns: dict[str, str]
    """The kind of each."""
    measurements: bool
    words: WordSettings
    periods: list[str]
    """Where they begin, and where the last one ends; empty where folds are not periods."""
    seed_topics: list[str]


class Judged(TypedDict):
    """What a row of figures or curves is about."""

    complaint: str
    method: str
    n_topics: NaturalNumber
    inputs: Literal["notes", "columns", "notes + columns"]


if TYPE_CHECKING:
    MeanFigures = dict[str, Any]
    """The mean of each figure by name, with ``_error``, ``_low`` and ``_high`` where they are known."""
else:
    _ENDS = ("", "_error", "_low", "_high")
    MeanFigures = TypedDict(
        "MeanFigures",
        {
            **Judged.__annotations__,
            "fits": NaturalNumber,
            **{f"{name}{end}": NotRequired[float | None] for name in FIGURES for end in _ENDS},
        },
    )


class MeanCurves(Judged):
    """The curves of several fits as one."""

    roc: records.Roc
    reliability: list[records.Bin]
    merit: Annotated[list[list[NaturalNumber]], Meta(min_length=2, max_length=2)]
    """Patients and admitted, by the number of signals shown."""
    subgroups: list[SubgroupMeans]


class SubgroupMeans(TypedDict):
    """Mean figures of the patients with one value of a column."""

    column: str
    value: str
    n: NaturalNumber
    admitted: Share
    forecast: Share
    accuracy: float | None
    auroc: float | None
    auprc: float | None
    log_loss: float | None
    brier: float | None
    calibration_slope: float | None


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

    def curves(self) -> list[MeanCurves]:
        """Mean ROC curve, calibration, merit and subgroups, for each complaint, method and number of topics."""
        return [_curve(key, rows) for key, rows in self._groups()]


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
    moments: dict[str, float] = {}
    for name in FIGURES:
        values, weights = np.array([(row.get(name), _precision(row, name)) for row in rows], float).T
        known = np.isfinite(values) & np.isfinite(weights)
        if known.any():
            moments[name], moments[f"{name}_error"] = weighted_mean(values[known], weights[known])
    return moments | _intervals([row for row in rows if "draws" in row])


def _intervals(rows: list[Row]) -> dict[str, float]:
    """Standard errors and 95% intervals of means over periods, from draws of the patients of each; none without draws."""
    if not rows:
        return {}
    precision = sum(_precision(row, "calibration_slope") for row in rows)
    intervals = {"calibration_slope_error": precision**-0.5}
    for name in rows[0]["draws"]:
        means = np.mean([row["draws"][name] for row in rows], axis=0)
        low, high = np.quantile(means, [0.025, 0.975])
        intervals |= {f"{name}_error": float(means.std(ddof=1)), f"{name}_low": float(low), f"{name}_high": float(high)}
    return intervals


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
        for subgroup in row["subgroups"]:
            groups.setdefault((subgroup["column"], subgroup["value"]), []).append(subgroup)
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


class Rival(NamedTuple):
    """A method with a number of topics, and the inputs it has seen."""

    method: str
    n_topics: int
    inputs: str

    def __str__(self) -> str:
        if self.inputs == COLUMNS:
            return "the columns alone"
        topics = f" with {self.n_topics} topic{'s' if self.n_topics > 1 else ''}"
        alone = " on the notes alone" if self.inputs == NOTES_ALONE else ""
        return TITLES[self.method] + ("" if self.method == WORDS else topics) + alone

    @property
    def has(self) -> str:
        """The verb after it."""
        return "have" if self.inputs == COLUMNS else "has"


class Behind(NamedTuple):
    """How much worse than the best: the mean difference over the folds, and its standard error."""

    mean: float
    error: float

    @property
    def clear(self) -> bool:
        """Whether the difference is larger than its standard error."""
        return self.mean > self.error

    def __str__(self) -> str:
        return f"{self.mean:.4f} ± {self.error:.4f}"


def verdict(rows: Sequence[Row]) -> str:
    """One sentence on the rows of an ``Evaluation``: who has the smallest log loss, ahead of whom, and who the largest AUROC.

    Of the others it names the next, the bag of words, the default method, and what has seen less. Folds of all complaints
    count alike. Empty where there is nothing to compare.
    """
    same = len({row["inputs"] for row in rows}) == 1  # then it goes without saying
    alone = {NOTES: ALL if same else NOTES_ALONE, COLUMNS: COLUMNS, BOTH: ALL}
    rows = [{**row, "inputs": alone[row["inputs"]]} for row in rows]
    losses, aurocs = _pair_by_fold(rows, "log_loss"), _pair_by_fold(rows, "auroc")
    if not _comparable(losses):
        return ""
    best, *others = sorted(losses, key=lambda rival: float(losses[rival].mean()))
    behind = {}
    for rival in others:
        differences = losses[rival] - losses[best]
        behind[rival] = Behind(float(differences.mean()), float(differences.std(ddof=1) / np.sqrt(len(differences))))
    clauses = [_lead(best, behind), _largest(best, aurocs) if _comparable(aurocs) else ""]
    return f"{best} {best.has} the smallest log loss ({losses[best].mean():.3f}){'; '.join(filter(None, clauses))}."


def _comparable(values: Mapping[Rival, Array]) -> bool:
    return len(values) > 1 and all(len(folds) > 1 for folds in values.values())


def _lead(best: Rival, behind: Mapping[Rival, Behind]) -> str:
    """Ahead of whom by more than the standard error, and of whom not."""
    if not any(distance.clear for distance in behind.values()):
        return ", but no method is behind it by more than one standard error"
    near: list[str] = []
    far: list[str] = []
    for rival, role in _roles(best, list(behind)).items():
        (far if behind[rival].clear else near).append(f"{rival}{role} ({behind[rival]})")
    parts = [f"by more than one standard error ahead of {' and '.join(far)}"] if far else []
    parts += [f"by less than one ahead of {' and '.join(near)}"] if near else []
    return ", " + ", ".join(parts)


def _largest(best: Rival, aurocs: Mapping[Rival, Array]) -> str:
    """Who has the largest AUROC."""
    first = max(aurocs, key=lambda rival: (float(aurocs[rival].mean()), rival == best))
    figure = f"the largest AUROC ({aurocs[first].mean():.3f})"
    same = "they" if best.inputs == COLUMNS else "it"
    return f"{same} {best.has} {figure} too" if first == best else f"{first} {first.has} {figure}"


def _pair_by_fold(rows: Sequence[Row], figure: str) -> dict[Rival, Array]:
    """The figure of each rival on the folds where all of them have one, in the same order."""
    tables: dict[Rival, dict[tuple[str, int, int], float]] = {}
    for row in rows:
        fold = row["complaint"], row["repeat"], row["fold"]
        value = row.get(figure)
        if value is not None and np.isfinite(value):
            tables.setdefault(Rival(row["method"], row["n_topics"], row["inputs"]), {})[fold] = value
    shared = set.intersection(*map(set, tables.values())) if tables else set()
    return {rival: np.array([table[fold] for fold in sorted(shared)]) for rival, table in tables.items()}


def _roles(best: Rival, others: list[Rival]) -> dict[Rival, str]:
    """Those to name, and as what: the next, the bag of words, and the default with the number of topics that suits it."""
    default = next((rival for rival in (best, *others) if rival.method == DEFAULT and rival.inputs == ALL), None)
    named = {others[0]: ", the next"}
    named |= {rival: "" for rival in others[1:] if rival.method == WORDS or rival.inputs != ALL}
    if default == others[0]:
        named[default] = ", the next and the default"
    elif default is not None and default != best:
        named[default] = ", the default"
    return named
