"""What a report, a page and the JSON API tell of a model: each record once; its fields are the keys of the JSON."""

from __future__ import annotations

from typing import Any

from msgspec import Struct, field

from sonmf.triage.columns import Kind
from sonmf.triage.lineage import Step
from sonmf.triage.records import Bin, ByTopics, Calibration, Figures, Lasso, RankError, Shape, Subgroup, TopicStability

Words = list[tuple[str, float]]
"""Words with their weight or correlation."""

Row = dict[str, Any]
"""Figures or curves of an evaluation, as ``evaluation_records`` declares them, and ``title``, the name of the method."""


class StabilityReport(TopicStability, frozen=True):
    """How far a topic comes back in fits to other draws of the patients, and what that means."""

    stable: bool
    in_words: str


class TopicReport(Struct, frozen=True):
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


class ColumnReport(Struct, frozen=True):
    """What can be given for a column."""

    name: str
    kind: Kind
    measured: bool
    unit: str
    low: float | None
    high: float | None
    levels: list[str]


class ColumnEffectReport(Shape, frozen=True):
    """The effect of a column, and what can be given for it."""

    unit: str
    low: float | None
    high: float | None


class TradeOffs(Struct, frozen=True):
    """Which topics come together, and which come instead of each other."""

    topics: list[str]
    numbers: list[int]
    correlation: list[list[float]]


class MeritRow(Struct, frozen=True):
    """Patients who show a number of signals."""

    shown: int
    patients: int
    admitted: int
    rate: float | None


class MeritReport(Struct, frozen=True):
    """The signals by name, and a row for each number of them."""

    topics: list[str]
    rows: list[MeritRow]


class RocPoint(Struct, frozen=True):
    """The share of the admitted that are found at a share of false alarms."""

    false_alarms: float = field(name="false")
    detected: float | None = field(name="true")


class Curve(Struct, frozen=True):
    """ROC and calibration of a model or of a method in an evaluation; ``own`` where it is the model or its method."""

    title: str
    own: bool
    points: list[RocPoint]
    bins: list[Bin]


class ComplaintReport(Struct, frozen=True):
    """One complaint."""

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
    columns: list[ColumnEffectReport]
    trade_offs: TradeOffs
    by_topics: list[ByTopics]
    ranks: list[RankError]
    ranks_in_words: str
    residual: float
    objective: list[float]
    lasso: Lasso
    judged: str
    figures: Figures
    roc: list[RocPoint]
    calibration: Calibration
    merit: MeritReport
    subgroups: list[Subgroup]


class WordInTopic(Struct, frozen=True):
    """A word of a topic, with its weight there."""

    word: str
    topic: int
    name: str
    weight: float


class EvaluationReport(Struct, frozen=True):
    """An evaluation, what it is about, and where that is not the model as it was fitted."""

    title: str
    about: dict[str, str]
    differs: list[str]
    same_patients: bool
    by_time: bool
    rows: list[Row]
    curves: list[Row]
    left_out: dict[str, str]


class OutcomeReport(Struct, frozen=True):
    """Rows by value of the outcome."""

    column: str | None
    admitted: dict[str, int]
    not_admitted: dict[str, int]
    left_out: dict[str, int]
    in_words: str


class StepReport(Step, frozen=True, kw_only=True):
    """A step of the lineage, and the same as a sentence."""

    in_words: str


class CardReport(Struct, frozen=True):
    """The model card."""

    purpose: str
    outcome: OutcomeReport
    source: str | None
    n_notes: int
    base_rate: float
    complaints: int
    method: str
    columns: list[ColumnEffectReport]
    parameters: dict[str, object]
    lineage: list[StepReport]
    created: str
    versions: dict[str, str]
    limits: list[str]
