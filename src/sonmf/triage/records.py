"""What a fit reports: each record is declared once, for the model file, the report and the JSON API."""

from __future__ import annotations

from itertools import pairwise
from typing import Annotated, Generic, Literal, TypeVar

from msgspec import Meta, Struct

from sonmf.stability import UNSTABLE
from sonmf.text.topic_words import Ranking
from sonmf.triage.columns import Kind
from sonmf.triage.strict_json import Correlation, NaturalNumber, NumberOrNaN, Share, require

Value = TypeVar("Value", float, str)

TITLES = {
    "accuracy": "accuracy",
    "auroc": "AUROC",
    "auprc": "AUPRC",
    "log_loss": "log loss",
    "brier": "Brier score",
    "calibration_slope": "calibration slope",
}
"""The figures by name, as people call them."""

PatientCount = Annotated[int, Meta(ge=1, le=10**18)]
"""A number of patients that is never 0."""

Roc = Annotated[list[NumberOrNaN], Meta(min_length=101, max_length=101)]
"""The share of the admitted that are found at 0, 1, ... 100% of false alarms."""


class Figures(Struct, frozen=True):
    """How good forecasts are; a figure is NaN if all patients have the same outcome."""

    accuracy: NumberOrNaN
    auroc: NumberOrNaN
    auprc: NumberOrNaN
    log_loss: NumberOrNaN
    brier: NumberOrNaN
    calibration_slope: NumberOrNaN
    calibration_slope_error: NumberOrNaN
    """Standard error of the calibration slope."""


class ByTopics(Figures, frozen=True):
    """The figures for one number of topics that was tried."""

    n_topics: NaturalNumber
    residual: NumberOrNaN


class Estimate(Struct, frozen=True):
    """A figure with its standard error and its 95% interval; NaN where the patients cannot tell."""

    value: NumberOrNaN
    error: NumberOrNaN
    low: NumberOrNaN
    high: NumberOrNaN


class Difference(Struct, frozen=True):
    """A figure of two models on the same patients: b - a, with a 95% interval."""

    complaint: str
    """The name of the complaint; empty for all patients."""
    patients: int
    admitted: int
    name: str
    """The name of the figure."""
    a: NumberOrNaN
    b: NumberOrNaN
    difference: NumberOrNaN
    low: NumberOrNaN
    high: NumberOrNaN

    @property
    def clear(self) -> bool:
        """Whether the interval leaves out no difference."""
        return self.low > 0 or self.high < 0


class Subgroup(Struct, frozen=True):
    """The figures of the patients with one value of a column."""

    column: str
    value: str
    n: PatientCount
    admitted: Estimate
    forecast: Share
    """The mean forecast."""
    auroc: Estimate
    log_loss: Estimate
    calibration_slope: Estimate


class Threshold(Struct, frozen=True):
    """What it costs to prepare for every patient whose forecast is at least the threshold: shares of all patients judged."""

    threshold: Share
    flagged: Estimate
    missed: Estimate
    """The share of patients who are admitted and not flagged."""
    in_vain: Estimate
    """The share of patients who are flagged and not admitted."""
    sensitivity: Estimate
    """The share of the admitted who are flagged."""
    ppv: Estimate
    """The share of the flagged who are admitted; NaN where nobody is flagged."""
    net_benefit: Estimate
    """Admitted patients who are flagged, less those prepared for in vain at the price that the threshold gives them; for each
    patient. It is 0 where one prepares for nobody."""
    prepare_for_all: float
    """The net benefit of preparing for everyone."""


class OutOfFold(Figures, frozen=True):
    """The figures of patients that neither classifier nor sigmoid had seen."""

    intervals: dict[str, tuple[NumberOrNaN, NumberOrNaN]]
    """The 95% interval of each figure by name: how far other patients could move it."""
    roc: Roc
    thresholds: list[Threshold]
    """What it costs to prepare for those forecast at least so much, and the decision curve."""

    def __post_init__(self) -> None:
        require(set(self.intervals) == set(TITLES), "not every figure has an interval")


class Bin(Struct, frozen=True):
    """Patients with similar forecasts: how many, the mean forecast, the share admitted."""

    n: PatientCount
    forecast: Share
    admitted: Share


class Lasso(Struct, frozen=True):
    """The path of lambda, and the place in it that was chosen."""

    rule: str
    chosen: NaturalNumber
    lambdas: list[float]
    loss: list[NumberOrNaN]
    loss_error: list[NumberOrNaN]
    topics_used: NaturalNumber
    duality_gap: NumberOrNaN

    def __post_init__(self) -> None:
        whole = self.chosen < len(self.lambdas) == len(self.loss) == len(self.loss_error)
        require(whole, "the path of lambda is incomplete")


class Calibration(Struct, frozen=True):
    """The sigmoid, and how reliable the forecasts are."""

    slope: float
    offset: float
    reliability: list[Bin]


class Merit(Struct, frozen=True):
    """The signals, and for each number of them shown, the patients and the admitted among them.

    Examples
    --------
    >>> from sonmf.triage import Merit
    >>> Merit(topics=[3, 7], patients=[50, 40, 10], admitted=[5, 10, 8]).rates()
    [0.1, 0.25, 0.8]
    """

    topics: list[NaturalNumber]
    """Numbers of topics; those of the outcome axes and then of the columns follow."""
    patients: list[NaturalNumber]
    admitted: list[NaturalNumber]

    def __post_init__(self) -> None:
        whole = len(self.patients) == len(self.admitted) == len(self.topics) + 1
        require(whole, "the table of signals is incomplete")
        possible = all(a <= n for a, n in zip(self.admitted, self.patients, strict=True))
        require(possible, "the table of signals has more admitted than patients")

    def rates(self) -> list[float]:
        """Admission rate by the number of signals shown; NaN where there is no patient."""
        return [a / n if n else float("nan") for a, n in zip(self.admitted, self.patients, strict=True)]


class ValueEffect(Struct, Generic[Value], frozen=True):
    """What a value of a column adds to the log-odds: a number, a level, or a unit of a word's weight."""

    value: Value
    effect: float


class GroupEffect(ValueEffect[Value], Generic[Value], frozen=True):
    """Patients with one level or with similar numbers, whose mean is the value: their mean effect, and what became of them."""

    n: PatientCount
    admitted: Share


class Shape(Struct, frozen=True):
    """The effect of a column as people see it: a curve with its data, a bar a level, or words."""

    name: str
    kind: Kind
    measured: bool
    missing: Share
    """Share of the patients without a value."""
    moves: Annotated[float, Meta(ge=0)]
    """Standard deviation of what it adds to the log-odds."""
    auroc_without: Share | None
    """Held-out AUROC where this column is not given and the others are; None for what is read from the note."""
    missing_effect: float | None
    """What a missing value adds; None if every patient has a value."""
    curve: list[ValueEffect[float]]
    """For a number: the effect at both ends of the range of the fit, and where the line bends."""
    bins: list[GroupEffect[float]]
    levels: list[GroupEffect[str]]
    words: list[ValueEffect[str]]


class AxisRecord(Struct, frozen=True):
    """A direction of words that was made from the outcome, over the training notes, each scored without its fold."""

    leading_words: Ranking
    """Words that speak for admission, and words that speak against it."""
    centre: float
    """Mean of the scores."""
    scale: Annotated[float, Meta(ge=0)]
    """Standard deviation of the scores."""


class TopicStability(Struct, frozen=True):
    """How far a topic comes back in fits to other draws of the patients: mean cosine, and what 90% lie between."""

    score: Correlation
    low: Correlation
    high: Correlation

    @property
    def unstable(self) -> bool:
        """Whether other draws of the patients give a topic that differs much."""
        return self.score < UNSTABLE


class RankError(Struct, frozen=True):
    """A number of topics that was tried: its error on unseen words, what it loses against the best, and the error of that."""

    n_topics: NaturalNumber
    error: NumberOrNaN
    excess: NumberOrNaN
    excess_error: NumberOrNaN


HistogramKind = Literal["forecast", "topic", "column"]


class Histogram(Struct, frozen=True):
    """How the patients of the fit are distributed over a topic, a column or the forecast; it holds no value of a patient."""

    kind: HistogramKind
    name: str
    """The name of a column, or the number of a topic or outcome axis; the numbers of axes follow those of the topics."""
    edges: list[float]
    """The edges between ranges; empty for a category, which has levels."""
    counts: list[NaturalNumber]
    """Patients in each range or level; the last number counts those without a value, or with a level that was not kept."""

    def __post_init__(self) -> None:
        require(all(low < high for low, high in pairwise(self.edges)), "the edges of a histogram are not sorted")
        require(sum(self.counts) > 0, "a histogram is empty")


class WordCounts(Struct, frozen=True):
    """Words of some notes, and those among them that the model does not know."""

    notes: PatientCount
    words: NaturalNumber
    unknown: NaturalNumber
    spread: Annotated[float, Meta(ge=0)]
    """Sum over the notes of (unknown - share x words) squared."""

    def __post_init__(self) -> None:
        require(self.unknown <= self.words, "there are more unknown words than words")


class Reference(Struct, frozen=True):
    """What later patients are compared with, to see whether they have changed."""

    histograms: list[Histogram]
    words: WordCounts


class Month(Struct, frozen=True):
    """How many notes of a month show each topic; 0 also where the total would tell a number below 10 of another month."""

    month: Annotated[str, Meta(pattern=r"^\d{4}-(0[1-9]|1[0-2])$")]
    notes: PatientCount
    topics: list[NaturalNumber]

    def __post_init__(self) -> None:
        require(all(notes <= self.notes for notes in self.topics), "more notes of a month show a topic than there are")


class Occurrence(Struct, frozen=True):
    """Which topics occur in the same notes; a number of notes below 10 is written as 0, for it could identify a patient."""

    energy: list[Share]
    """The share of each topic in ||G||^2, G = [XF]+."""
    correlation: list[list[Correlation]]
    """Correlations between the amounts G of two topics; 0 where fewer than 10 notes show one of them."""
    notes: list[list[NaturalNumber]]
    """Notes that show both of two sides of topics: the sides for each topic come first, then those against each."""
    months: list[Month]
    """Notes by month of arrival, if it was known, without months of fewer than 10 and without those that tell of them."""

    def __post_init__(self) -> None:
        k = len(self.energy)
        square = [len(row) for row in self.correlation] == [k] * k and [len(row) for row in self.notes] == [2 * k] * (2 * k)
        require(square and all(len(month.topics) == k for month in self.months), "the topics that meet are not the same ones")
        require(all(a.month < b.month for a, b in pairwise(self.months)), "the months are not in order")
        tables: list[list[list[float]] | list[list[int]]] = [self.correlation, self.notes]
        require(all(list(map(list, zip(*rows, strict=True))) == rows for rows in tables), "topics do not meet both ways")


class FitRecord(Struct, frozen=True):
    """How the fit of one complaint went."""

    by_topics: list[ByTopics]
    residual: NumberOrNaN
    objective: list[NumberOrNaN]
    lasso: Lasso
    calibration: Calibration
    out_of_fold: OutOfFold
    against_pooled: list[Difference]
    """Each figure on held-out patients by the model of all complaints and by this one; empty for the former itself."""
    merit: Merit
    subgroups: list[Subgroup]
    columns: list[Shape]
    leading_words: list[Ranking]
    """The leading words of each topic, by place in the vocabulary, with their correlations over the training notes."""
    axes: list[AxisRecord]
    """A record for each outcome axis."""
    replicates: NaturalNumber
    """Fits to other draws of the patients, for ``stability``."""
    stability: list[TopicStability]
    """The stability of each topic; empty without replicates."""
    ranks: list[RankError]
    """How the number of topics was found; empty where it was given."""
    seeds: list[str]
    """The seed words of the first topics, if a person requested some."""
    reference: Reference
    occurrence: Occurrence | None = None
    """Which topics occur together in the notes of the fit; None in a file from before this was kept."""
