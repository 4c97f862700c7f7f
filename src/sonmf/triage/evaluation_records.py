"""What is kept of an evaluation: its settings, the mean figures of each method, and its curves, each declared once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any, Literal, NotRequired, TypedDict

from msgspec import Meta, Struct

from sonmf.triage.factorisations import WordSettings
from sonmf.triage.records import TITLES, Bin, Roc
from sonmf.triage.strict_json import NaturalNumber, Share, require

KEY = ("complaint", "method", "n_topics", "inputs")
NOTES, COLUMNS, BOTH = "notes", "columns", "notes + columns"
FIGURES = {
    "residual": "residual",
    "F_sparsity": "sparsity of F",
    "G_sparsity": "sparsity of G",
    **TITLES,
    "condition": "condition number",
    "correlation": "largest correlation",
    "npmi": "coherence (NPMI)",
    "diversity": "diversity",
    "overlap": "overlap",
    "topics_used": "features used",
    "seconds": "seconds",
}
"""The figures of a fit by name, as people call them."""


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

    roc: Roc
    reliability: list[Bin]
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


class EvaluationRecord(Struct, frozen=True):
    """What a report keeps of an evaluation."""

    summary: Annotated[list[MeanFigures], Meta(min_length=1)]
    curves: list[MeanCurves]
    left_out: dict[str, str]
    settings: EvaluationSettings

    def __post_init__(self) -> None:
        rows: tuple[Sequence[Mapping[str, object]], ...] = (self.summary, self.curves)
        judged, drawn = ([tuple(row[name] for name in KEY) for row in some] for some in rows)
        require(judged == drawn and len(set(judged)) == len(judged), "figures and curves are not about the same methods")
