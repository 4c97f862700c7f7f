"""What a fit reports, typed once: the same schema writes and reads the model file and names the figures for people."""

from __future__ import annotations

import math
from dataclasses import MISSING, dataclass, field, fields, is_dataclass
from functools import cache
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, NotRequired, TypeVar, Union, get_args, get_origin, get_type_hints, is_typeddict

import msgspec

from sonmf.triage.strict_json import Exactly

T = TypeVar("T")
Closed = Annotated[T, "no other keys"]
"""An object whose file may have no key that is not known: it could change the meaning of the others."""


@dataclass(frozen=True)
class Figures:
    """How good forecasts are; NaN if all patients have the same outcome."""

    accuracy: Annotated[float, "accuracy"]
    auroc: Annotated[float, "AUROC"]
    auprc: Annotated[float, "AUPRC"]
    log_loss: Annotated[float, "log loss"]
    brier: Annotated[float, "Brier score"]
    calibration_slope: Annotated[float, "calibration slope"]
    calibration_slope_error: float
    """Its standard error; NaN in files of version 1, where the calibration had seen the outcomes."""


_ANNOTATED = get_type_hints(Figures, include_extras=True)
TITLES = {name: hint.__metadata__[0] for name, hint in _ANNOTATED.items() if hint is not float}
"""The figures by name, as people call them."""


@dataclass(frozen=True)
class OutOfFold(Figures):
    """The same of patients that neither classifier nor sigmoid had seen."""

    roc: list[float]
    """Share of the admitted found, at each share of false alarms."""


@dataclass(frozen=True)
class ByTopics(Figures):
    """The same for one number of topics that was tried."""

    n_topics: int
    residual: float


@dataclass(frozen=True)
class Subgroup(Figures):
    """The same for the patients with one value of a column."""

    column: str
    value: str
    n: int
    admitted: float
    forecast: float


@dataclass(frozen=True)
class Bin:
    """Patients with similar forecasts: how many, the mean forecast, the share admitted."""

    n: int
    forecast: float
    admitted: float


@dataclass(frozen=True)
class Lasso:
    """The path of lambda, and the one that was chosen."""

    rule: str
    chosen: int
    lambdas: list[float]
    loss: list[float]
    loss_error: list[float]
    topics_used: int
    duality_gap: float


@dataclass(frozen=True)
class Calibration:
    """The sigmoid."""

    slope: float
    offset: float
    reliability: list[Bin]


@dataclass(frozen=True)
class Merit:
    """The signals, and for each number of them shown, the patients and the admitted among them.

    Examples
    --------
    >>> from sonmf.triage import Merit
    >>> Merit(topics=[3, 7], patients=[50, 40, 10], admitted=[5, 10, 8]).rates()
    [0.1, 0.25, 0.8]
    """

    topics: list[int]
    """Numbers of topics; the numbers of columns follow those of the topics."""
    patients: list[int]
    admitted: list[int]

    def rates(self) -> list[float]:
        """Admission rate by the number of signals shown; NaN where there is no patient."""
        return [a / n if n else float("nan") for a, n in zip(self.admitted, self.patients, strict=True)]


@dataclass(frozen=True)
class Point:
    """A value of a number and its effect."""

    value: float
    effect: float


@dataclass(frozen=True)
class ValueBin:
    """Patients with similar values: how many, mean value, mean effect, share admitted."""

    n: int
    value: float
    effect: float
    admitted: float


@dataclass(frozen=True)
class Level:
    """Patients with one level of a category."""

    level: str
    n: int
    effect: float
    admitted: float


@dataclass(frozen=True)
class Word:
    """A word of a text, with the log-odds per unit of its weight."""

    word: str
    effect: float


@dataclass(frozen=True)
class Shape:
    """The effect of a column as people see it: a curve with its data, a bar a level, or words."""

    name: str
    kind: str
    measured: bool
    missing: float
    """Share of the patients without a value."""
    moves: float
    """Standard deviation of what it adds to the log-odds."""
    missing_effect: float | None
    """None if every patient has a value."""
    curve: list[Point]
    bins: list[ValueBin]
    levels: list[Level]
    words: list[Word]


@dataclass(frozen=True)
class LeadingWords:
    """The words on one side of a topic, the strongest first."""

    columns: list[int]
    """Places in the vocabulary."""
    correlations: list[float]
    """Of each word with the topic over the training notes."""


@dataclass(frozen=True)
class LeadingOfTopic:
    """What tells the meaning of a topic."""

    positive: LeadingWords
    negative: LeadingWords
    negative_share: float
    """Of the energy of the topic over the training notes."""


@dataclass(frozen=True)
class Found:
    """How far a topic is found again in fits to other draws of the patients: mean cosine, and what 90% lie between."""

    score: float
    low: float
    high: float


@dataclass(frozen=True)
class RankError:
    """A number of topics that was tried: its error on unseen words, what it loses against the best, and the error of that."""

    n_topics: int
    error: float
    excess: float
    excess_error: float


@dataclass(frozen=True)
class Histogram:
    """How the patients of the fit are distributed over a topic, a column or the forecast; it holds no value of a patient."""

    kind: str
    """Forecast, topic or column."""
    name: str
    """Of the column; the number of the topic."""
    edges: list[float]
    """Between one range and the next; none for a category, which has its levels."""
    counts: list[int]
    """Patients in each range or level, and last those without a value or with a level that the fit did not keep."""


@dataclass(frozen=True)
class WordCounts:
    """Words of some notes, and those among them that the model does not know."""

    notes: int
    words: int
    unknown: int
    spread: float
    """Sum over the notes of (unknown - share x words) squared."""


@dataclass(frozen=True)
class Reference:
    """What later patients are compared with, to see whether they have changed."""

    histograms: list[Histogram]
    words: WordCounts


@dataclass(frozen=True)
class Record:
    """How the fit of one complaint went."""

    by_topics: list[ByTopics]
    residual: float
    objective: list[float]
    lasso: Lasso
    calibration: Calibration
    out_of_fold: OutOfFold
    merit: Merit
    subgroups: list[Subgroup]
    columns: list[Shape]
    leading_words: list[LeadingOfTopic] = field(default_factory=list)
    """Of each topic; empty in files before version 3, where words are ranked by their weights."""
    replicates: int = 0
    """Fits to other draws of the patients, for ``stability``."""
    stability: list[Found] = field(default_factory=list)
    """Of each topic; empty without replicates, and in files that were written before there were any."""
    ranks: list[RankError] = field(default_factory=list)
    """How the number of topics was found; empty where it was given."""
    seeds: list[str] = field(default_factory=list)
    """Words of the first topics, where they were asked for."""
    reference: Reference | None = None
    """None in files that were written before there was one."""


def as_json(value: object) -> Any:
    """What JSON can hold of a record or a part of it; null for NaN.

    Examples
    --------
    >>> from sonmf.triage.records import Bin, as_json, from_json
    >>> as_json([Bin(3, 0.25, float("nan"))])
    [{'n': 3, 'forecast': 0.25, 'admitted': None}]
    >>> from_json(Bin, {"n": 3, "forecast": 0.25, "admitted": None}).forecast
    0.25
    """
    if isinstance(value, str | int):
        return value
    if isinstance(value, msgspec.Struct):
        return msgspec.to_builtins(value)
    if is_dataclass(value):
        return {one.name: as_json(getattr(value, one.name)) for one in fields(value)}
    if isinstance(value, list | tuple):
        return [as_json(item) for item in value]
    if isinstance(value, dict):
        return {name: as_json(item) for name, item in value.items()}
    return None if isinstance(value, float) and not math.isfinite(value) else value


def from_json(kind: type[T], value: object) -> T:
    """The record of this kind from JSON of the shape that ``shape_of`` gives."""
    found: T = _from_json(kind, value)
    return found


def _from_json(kind: Any, value: Any) -> Any:
    if _is_struct(kind):
        return msgspec.convert(value, kind)
    if is_dataclass(kind) or is_typeddict(kind):
        given = [(name, hint) for name, hint in _hints(kind).items() if name in value]
        return kind(**{name: _from_json(hint, value[name]) for name, hint in given})
    if (several := get_origin(kind)) in (list, tuple):
        item = get_args(kind)[0]
        return several(value if item in (str, int) else [_from_json(item, one) for one in value])
    if several in (Union, UnionType):
        first = get_args(kind)[0]
        return value if value is None or not (is_dataclass(first) or _is_struct(first)) else _from_json(first, value)
    if kind is float:
        return float("nan") if value is None else float(value)
    return value


def _is_struct(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, msgspec.Struct)


_hints = cache(get_type_hints)  # a model file holds a hundred records of a few kinds


def shape_of(kind: Any, number: object = float) -> Any:
    """The shape of the JSON of a dataclass or a TypedDict, for ``strict_json.validate``.

    What has a default may be missing. A number in a dataclass is null where it is NaN; ``number`` is its shape.
    """
    if _is_struct(kind):
        hints = get_type_hints(kind)
        return {one.name + "?" * (not one.required): shape_of(hints[one.name]) for one in msgspec.structs.fields(kind)}
    if is_dataclass(kind):
        hints = get_type_hints(kind)
        optional = {one.name for one in fields(kind) if (one.default, one.default_factory) != (MISSING, MISSING)}
        return {one.name + "?" * (one.name in optional): shape_of(hints[one.name], (float, None)) for one in fields(kind)}
    if is_typeddict(kind):
        hints = get_type_hints(kind, include_extras=True)
        optional = {name for name, hint in hints.items() if get_origin(hint) is NotRequired}
        hints |= {name: get_args(hints[name])[0] for name in optional}
        return {name + "?" * (name in optional): shape_of(hint) for name, hint in hints.items()}
    origin, inner = get_origin(kind), get_args(kind)
    if origin is Annotated:
        return Exactly(shape_of(inner[0]))
    if origin is Literal:
        return frozenset(inner)
    if origin in (Union, UnionType):
        return tuple(shape_of(one) for one in inner)
    if origin in (list, tuple):
        return [shape_of(inner[0], number)]
    if origin is dict:
        return {str: shape_of(inner[1], number)}
    return None if kind is NoneType else number if kind is float else kind
