"""The result of an evaluation: what it is about, the figures and curves of each method, and a few sentences on them.

One record: the terminal, the tables, ``evaluation.json``, the file beside the model and the report all read it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple, TypeAlias

import numpy as np
from msgspec import Meta, Struct, field, structs

from sonmf.triage import measures, records
from sonmf.triage.factorisations import METHODS, WordSettings, vectorizer_for, word_settings
from sonmf.triage.forecaster import WORDS
from sonmf.triage.inputs import N_TOPICS, OUTCOME_AXES
from sonmf.triage.measures import Statistic
from sonmf.triage.patients import Patients
from sonmf.triage.provenance import Provenance
from sonmf.triage.records import Bin, Estimate, Subgroup, Threshold
from sonmf.triage.strict_json import NaturalNumber, NumberOrNaN, require
from sonmf.types import Array

if TYPE_CHECKING:
    import pandas as pd

KEY = ("complaint", "method", "n_topics", "inputs")
NOTES, COLUMNS, BOTH = "notes", "columns", "notes + columns"
INPUTS = (NOTES, COLUMNS, BOTH)
"""What a method has seen of the patients, from the least to everything."""
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
RIVALS = ("sonmf", "nmf", "onmf", "semi-nmf", "svd", WORDS)

Row: TypeAlias = dict[str, Any]
"""A row of a table: figures by name, and what they describe. Its columns depend on what was judged."""


class EvaluationSettings(Struct, frozen=True, kw_only=True):
    """What the figures depend on besides the notes."""

    methods: list[str] = field(default_factory=lambda: list(RIVALS))
    n_topics: list[NaturalNumber] = field(default_factory=lambda: [N_TOPICS])
    folds: NaturalNumber = 5
    repeats: NaturalNumber = 1
    rule: str = "min"
    min_notes: NaturalNumber = 200
    random_state: NaturalNumber = 0
    columns: dict[str, str] = {}
    """The kind of each column."""
    measurements: bool = True
    words: WordSettings = word_settings(vectorizer_for(DEFAULT, None))
    periods: list[str] = []
    """The beginnings of the periods, and the end of the last one; empty if folds are not periods."""
    seed_topics: list[str] = []
    outcome_axes: NaturalNumber = OUTCOME_AXES
    """Number of directions of words made from the outcome, in addition to the topics of every method."""


class FoldForecasts(NamedTuple):
    """What one fit says of the patients that it has not seen, and figures of the fit itself."""

    places: Array
    """The places of these patients among all that were given."""
    log_odds: Array
    figures: dict[str, float]
    """Figures of the factorisation and the classifier, which need no outcome of these patients."""
    merit: list[list[int]]
    """Patients and admitted, by the number of signals shown."""


class JudgedMethod(Struct, frozen=True):
    """A method with a number of topics and its inputs, judged on the patients of one complaint."""

    complaint: str
    method: str
    n_topics: NaturalNumber
    inputs: Literal["notes", "columns", "notes + columns"]
    patients: NaturalNumber
    """Patients who are judged, each once in a repeat."""
    admitted: NaturalNumber
    fits: dict[str, list[NumberOrNaN]]
    """Each figure by name, with a value for each fit: fold after fold, repeat after repeat."""
    figures: dict[str, Estimate]
    """The mean of each over the fits, and its error over them; for periods its error over the patients. An interval tells how
    far other patients could move what the same fits achieve; figures of a factorisation have none."""
    roc: records.Roc
    reliability: list[Bin]
    merit: Annotated[list[list[NaturalNumber]], Meta(min_length=2, max_length=2)]
    """Patients and admitted, by the number of signals shown."""
    subgroups: list[Subgroup]
    thresholds: list[Threshold]
    """What it costs to prepare for those forecast at least so much, and the decision curve."""
    days: float | None
    """Days from the first of these patients to the last, if folds are periods."""

    def __post_init__(self) -> None:
        require(len({len(values) for values in self.fits.values()}) == 1, "figures are not about the same fits")

    @classmethod
    def of(cls, key: Sequence[Any], fits: Sequence[FoldForecasts], patients: Patients) -> JudgedMethod:
        """Judge fits that between them forecast each patient of a complaint equally often.

        Fits to growing parts of the past are not independent, so the error of a mean over periods is that of its patients.
        """
        y, times = patients.outcomes, patients.times
        complaint, method, n_topics, inputs = key
        judged = [measures.with_influences(fit.log_odds, y[fit.places]) for fit in fits]
        places, odds = _by_repeat(fits)
        outcomes = y[places]
        bins = sum(measures.sums_in_bins(measures.probability(fit.log_odds), y[fit.places]) for fit in fits)
        values = _values(fits, judged, y)
        return cls(
            complaint=complaint,
            method=method,
            n_topics=n_topics,
            inputs=inputs,
            patients=len(places),
            admitted=int(outcomes.sum()),
            fits=values,
            figures=_means(values, fits, judged, y, times is not None),
            roc=_mean_roc(fits, y),
            reliability=[Bin(int(n), float(p / n), float(a / n)) for n, p, a in np.asarray(bins).tolist() if n],
            merit=np.sum([fit.merit for fit in fits], axis=0).astype(int).tolist(),
            subgroups=measures.subgroups(odds, outcomes, {name: values[places] for name, values in patients.subgroups.items()}),
            thresholds=measures.thresholds(odds, outcomes),
            days=None if times is None else float(np.ptp(times[places]) / np.timedelta64(1, "D")) + 1,
        )

    @property
    def title(self) -> str:
        """The method as people call it."""
        return TITLES.get(self.method, self.method)

    @property
    def row(self) -> Row:
        """The mean of each figure by name, with ``_error``, ``_low`` and ``_high`` where they are known."""
        row: Row = {name: getattr(self, name) for name in KEY} | {"title": self.title}
        row["fits"] = len(next(iter(self.fits.values())))
        for name, figure in self.figures.items():
            row |= {name: figure.value, f"{name}_error": figure.error}
            if np.isfinite(figure.low):
                row |= {f"{name}_low": figure.low, f"{name}_high": figure.high}
        return row


def _mean_roc(fits: Sequence[FoldForecasts], y: Array) -> list[float]:
    """The mean of the ROC curves of the folds with both outcomes; NaN where there is none."""
    both = [fit for fit in fits if measures.fewer(y[fit.places])]
    curves = [measures.roc(fit.log_odds, y[fit.places]) for fit in both] or [[float("nan")] * len(measures.FALSE_ALARMS)]
    return [float(share) for share in np.mean(curves, axis=0).round(4)]


def _by_repeat(fits: Sequence[FoldForecasts]) -> tuple[Array, Array]:
    """The places of the patients, and their log-odds with a row for each repeat."""
    places = np.concatenate([fit.places for fit in fits])
    order = np.argsort(places, kind="stable")  # the forecasts of a patient in the order of the repeats
    each = np.unique(places)
    log_odds = np.concatenate([fit.log_odds for fit in fits])[order]
    return each, log_odds.reshape(len(each), -1).T


def _values(fits: Sequence[FoldForecasts], judged: Sequence[Mapping[str, Statistic]], y: Array) -> dict[str, list[float]]:
    """Each figure by name, with a value for each fit."""
    rows: list[dict[str, float]] = []
    for fit, figures in zip(fits, judged, strict=True):
        error = measures.calibration_slope(fit.log_odds, y[fit.places])[1]
        own = {name: figures[name].value for name in records.TITLES} | {"calibration_slope_error": error}
        rows.append(fit.figures | own)
    return {name: [row.get(name, float("nan")) for row in rows] for name in {name: None for row in rows for name in row}}


def _means(
    values: Mapping[str, list[float]],
    fits: Sequence[FoldForecasts],
    judged: Sequence[Mapping[str, Statistic]],
    y: Array,
    by_time: bool,
) -> dict[str, Estimate]:
    """The mean of each figure over the fits, with its error and its interval."""
    means: dict[str, Estimate] = {}
    for name in filter(values.__contains__, FIGURES):
        each, weights = np.array(values[name], float), np.ones(len(fits))
        if name == "calibration_slope":  # by precision: the plain mean over small folds is far above the slope of all patients
            weights = np.array(values["calibration_slope_error"], float) ** -2.0
        known = np.isfinite(each) & np.isfinite(weights)
        if not known.any():
            continue
        mean, error = weighted_mean(each[known], weights[known])
        means[name] = Estimate(mean, error, float("nan"), float("nan"))
        if name in records.TITLES:
            share = np.where(known, weights, 0) / weights[known].sum()
            terms = zip(share, (fit.places for fit in fits), (figures[name] for figures in judged), strict=True)
            figure = measures.weighted_sum((term for term in terms if term[0]), len(y))
            places = np.unique(np.concatenate([fit.places for fit, counts in zip(fits, known, strict=True) if counts]))
            interval = measures.interval(name, figure, y[places])
            means[name] = Estimate(mean, interval.error if by_time else error, interval.low, interval.high)
    return means


def weighted_mean(values: Array, weights: Array) -> tuple[float, float]:
    """Mean and standard error; with equal weights, the usual ones. One value has no error."""
    share = weights / weights.sum()
    mean = float(share @ values)
    n = len(values)
    return mean, float(np.sqrt(n / (n - 1) * (share**2 @ (values - mean) ** 2))) if n > 1 else 0.0


class Evaluation(Struct, frozen=True):
    """The methods side by side on patients that they have not seen.

    Examples
    --------
    >>> from sonmf.datasets import make_triage_notes
    >>> from sonmf.triage import evaluate
    >>> notes = make_triage_notes(400, complaints=["Fever"], random_state=0)
    >>> judged = evaluate(
    ...     notes["note"],
    ...     notes["disposition"],
    ...     methods=["sonmf"],
    ...     n_topics=[4],
    ...     folds=2,
    ...     processes=1,
    ... )
    >>> [
    ...     (row["method"], row["n_topics"], row["fits"])
    ...     for row in judged.summary()
    ...     if row["inputs"] == "notes"
    ... ]
    [('sonmf', 4, 2)]
    """

    asked: Provenance
    """The patients, and what their outcomes mean."""
    date: str
    """Day and time (UTC) at which it was made."""
    settings: EvaluationSettings
    methods: Annotated[list[JudgedMethod], Meta(min_length=1)]
    together: list[JudgedMethod]
    """The methods judged over the patients of all complaints; empty if there is only one."""
    verdict: list[str]
    """A few sentences on which method is best."""
    left_out: dict[str, str]
    """Complaints that could not be evaluated, with the reason."""

    def __post_init__(self) -> None:
        keys = [tuple(getattr(method, name) for name in KEY) for method in self.methods]
        require(len(set(keys)) == len(keys), "a method is there twice")

    @property
    def leading(self) -> JudgedMethod:
        """The first requested method, on all patients, with all inputs and the number of topics that suits it best."""
        own = [method for method in self.together or self.methods if method.method == self.settings.methods[0]]
        return min(own, key=lambda method: (-INPUTS.index(method.inputs), method.figures["log_loss"].value))

    def summary(self) -> list[Row]:
        """The mean of each figure by name for each method, with ``_error``, ``_low`` and ``_high`` where they are known."""
        return [method.row for method in self.methods]

    def frame(self) -> pd.DataFrame:
        """The figures as a DataFrame, a row a fit."""
        import pandas as pd

        rows = []
        for method in self.methods:
            key = {name: getattr(method, name) for name in KEY}
            for number, values in enumerate(zip(*method.fits.values(), strict=True)):
                repeat, fold = divmod(number, self.settings.folds)
                rows.append(key | {"repeat": repeat, "fold": fold} | dict(zip(method.fits, values, strict=True)))
        return pd.DataFrame(rows)

    def table(self, name: Literal["subgroups", "thresholds"]) -> pd.DataFrame:
        """The subgroups or the thresholds of every method, by complaint and together; figures have ``_low`` and ``_high``."""
        import pandas as pd

        rows = []
        for method in (*self.methods, *self.together):
            for record in getattr(method, name):
                row: Row = {name: getattr(method, name) for name in KEY}
                for figure, value in structs.asdict(record).items():
                    row[figure] = value.value if isinstance(value, Estimate) else value
                    row |= {f"{figure}_low": value.low, f"{figure}_high": value.high} if isinstance(value, Estimate) else {}
                rows.append(row)
        return pd.DataFrame(rows)

    def asks_the_same(self, other: Evaluation) -> bool:
        """Whether two evaluations are about the same patients and settings."""
        return (self.asked, self.settings) == (other.asked, other.settings)
