"""What a report, a page and the JSON API tell of a model: the keys of their objects, each once."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict

from sonmf.types import Json

if TYPE_CHECKING:
    from sonmf.triage.evaluation_results import Row

Words = list[tuple[str, float]]
"""Words with their weight or correlation."""


class StabilityReport(TypedDict):
    """How far a topic is found again in fits to other draws of the patients."""

    score: float
    low: float
    high: float
    stable: bool
    in_words: str


class TopicReport(TypedDict):
    """One topic."""

    number: int
    name: str
    label: str
    strength: float
    odds: float
    effect: str
    positive: Words
    negative: Words
    negative_share: float | None
    about: list[str]
    stability: StabilityReport | None
    examples: list[str]


class ColumnReport(TypedDict):
    """What can be given for a column; in a report also the fields of ``records.Shape``, its effect."""

    name: str
    kind: str
    measured: bool
    unit: str
    low: float | None
    high: float | None
    levels: list[str]


class TradeOffs(TypedDict):
    """Which topics come together, and which come instead of each other."""

    topics: list[str]
    numbers: list[int]
    correlation: list[list[float]]


class MeritRow(TypedDict):
    """Patients who show a number of signals."""

    shown: int
    patients: int
    admitted: int
    rate: float | None


class MeritReport(TypedDict):
    """The signals by name, and a row for each number of them."""

    topics: list[str]
    rows: list[MeritRow]


class ComplaintReport(TypedDict):
    """One complaint; what is Json here is that of the same field of ``records.Record``."""

    name: str
    title: str
    n_notes: int
    n_admitted: int
    base_rate: float
    n_words: int
    n_topics: int
    intercept: float
    topics: list[TopicReport]
    about_words: str
    ranked_by: str
    replicates: int
    stability_in_words: str
    columns: list[dict[str, object]]
    trade_offs: TradeOffs
    by_topics: Json
    ranks: Json
    ranks_in_words: str
    residual: float
    objective: list[float]
    lasso: Json
    judged: str
    figures: dict[str, float | None]
    roc: list[dict[str, float]]
    """The share of the admitted found (``true``) at each share of false alarms (``false``)."""
    calibration: Json
    merit: MeritReport
    subgroups: Json


class WordFound(TypedDict):
    """A word of a topic, with its weight there."""

    word: str
    topic: int
    name: str
    weight: float


class EvaluationReport(TypedDict):
    """An evaluation, what it is about, and where that is not the model as it was fitted."""

    title: str
    about: dict[str, str]
    differs: list[str]
    same_patients: bool
    by_time: bool
    rows: list[Row]
    curves: list[Row]
    left_out: dict[str, str]


class OutcomeReport(TypedDict):
    """Rows by value of the outcome."""

    column: str | None
    admitted: dict[str, int]
    not_admitted: dict[str, int]
    left_out: dict[str, int]
    in_words: str


class CardReport(TypedDict):
    """The model card."""

    purpose: str
    outcome: OutcomeReport
    source: str | None
    n_notes: int
    base_rate: float
    complaints: int
    method: str
    columns: list[dict[str, object]]
    parameters: dict[str, object]
    lineage: list[dict[str, Json]]
    """The fields of each ``lineage.Step``, and ``in_words`` the same as a sentence."""
    created: str
    versions: dict[str, str]
    limits: list[str]
