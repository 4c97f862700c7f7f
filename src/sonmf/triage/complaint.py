"""The model of one complaint: the forecaster, and what a report tells about it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from msgspec import Struct
from msgspec.structs import asdict, replace
from sklearn.metrics import roc_auc_score

from sonmf import metrics, stability
from sonmf.rank import RankChoice
from sonmf.text import NotesVectorizer, Topic, located
from sonmf.text.note_numbers import measurement_columns, read_measurements
from sonmf.text.note_reader import as_notes
from sonmf.text.topic_words import Ranking, Side, by_correlation, in_words
from sonmf.triage import classifier, forecaster, lasso, measures, merit, records
from sonmf.triage.column_effects import Column, shape
from sonmf.triage.columns import Columns, is_missing
from sonmf.triage.drift_reference import make_reference
from sonmf.triage.explanation import ColumnPart, Explanation, TopicPart, cut_into_pieces
from sonmf.triage.forecaster import NO_KNOWN_WORD, EncodedPatients, Forecaster, ForecasterFit, Settings
from sonmf.triage.patients import Patients
from sonmf.types import Array, Matrix

DIGITS = 4  # of a correlation that is kept
UNSTABLE = " (unstable)"  # after the name of such a topic


class ComplaintModel(Struct, frozen=True, eq=False, dict=True):
    """x (word weights) -> z = F'x -> log-odds = intercept + effects'z + columns, for the patients of one complaint.

    The forecast itself is ``forecaster``; what is added here is for people: names and words of topics, explanations, and how
    the fit went.

    Examples
    --------
    >>> from sonmf.datasets import make_triage_notes
    >>> from sonmf.triage import TriageModel
    >>> notes = make_triage_notes(500, complaints=["Fever"], random_state=0)
    >>> fitted = TriageModel(n_topics=5).fit(notes["note"], notes["disposition"]).pooled_model_
    >>> fitted.components.shape == (fitted.n_topics, len(fitted.words))
    True
    """

    name: str
    """Of the complaint; empty for the model of all complaints."""
    forecaster: Forecaster
    labels: tuple[str, ...]
    """Names that a person has given to topics; an empty text for a topic without one."""
    record: records.FitRecord
    """How the fit went."""

    @property
    def components(self) -> Array:
        """F', a topic a row."""
        assert self.forecaster.components is not None, "a complaint's model has topics"
        return self.forecaster.components

    @property
    def effects(self) -> Array:
        """Log-odds per unit of each topic, calibration included."""
        return self.forecaster.effects

    @property
    def intercept(self) -> float:
        """Log-odds of a note in which all topics are 0."""
        return self.forecaster.intercept

    @property
    def columns(self) -> tuple[Column, ...]:
        """The columns and measurements that count."""
        return self.forecaster.columns

    @property
    def vectorizer(self) -> NotesVectorizer:
        """How notes become words."""
        return self.forecaster.vectorizer

    @property
    def n_notes(self) -> int:
        """Number of training notes."""
        return self.forecaster.n_notes

    @property
    def n_admitted(self) -> int:
        """Number of training notes of admitted patients."""
        return self.forecaster.n_admitted

    @property
    def base_rate(self) -> float:
        """Share of admissions among the training notes."""
        return self.forecaster.base_rate

    @property
    def n_topics(self) -> int:
        """Number of topics."""
        return len(self.components)

    def with_labels(self, labels: Mapping[int, str]) -> ComplaintModel:
        """The same model with other names for these topics, by number."""
        return replace(self, labels=tuple(labels.get(k, label) for k, label in enumerate(self.labels)))

    @cached_property
    def words(self) -> list[str]:
        """The vocabulary, in the order of the columns of ``components``."""
        return [str(word) for word in self.vectorizer.get_feature_names_out()]

    @cached_property
    def spellings(self) -> list[str]:
        """The vocabulary as people spell it."""
        return [self.vectorizer.spelling_[word] for word in self.words]

    @property
    def names(self) -> list[str]:
        """What to call each topic: the name a person gave it, its seed words, or its two strongest words.

        A topic that other draws of the patients do not give is marked, so that nobody builds on it wherever it is quoted.
        """
        marks = [UNSTABLE if topic.unstable else "" for topic in self.record.stability] or [""] * self.n_topics
        names = zip(self.labels, self.seeds, self._two_words, marks, strict=True)
        return [(label or seed or words) + mark for label, seed, words, mark in names]

    @property
    def seeds(self) -> list[str]:
        """The seed words of each topic; empty for those that the fit found."""
        return [*self.record.seeds, *[""] * (self.n_topics - len(self.record.seeds))]

    @cached_property
    def _two_words(self) -> list[str]:
        return ["/".join(word for word, _ in topic.positive) or f"topic {k}" for k, topic in enumerate(self.topics(2))]

    @property
    def centre(self) -> Array:
        """Mean of each topic over the training notes."""
        return self.forecaster.moments.centre[: self.n_topics]

    @cached_property
    def scale(self) -> Array:
        """Standard deviation of each topic over the training notes, 0 where it is constant."""
        return lasso.without_rounding(self.forecaster.moments.scale[: self.n_topics])

    @cached_property
    def correlation(self) -> Array:
        """Correlations of the topics over the training notes; those of a constant topic are 0."""
        covariance = self.forecaster.moments.covariance[: self.n_topics, : self.n_topics]
        return lasso.per_scale(lasso.per_scale(covariance, self.scale).T, self.scale)

    @property
    def strength(self) -> Array:
        """Change of the log-odds when a topic rises by one standard deviation."""
        return np.asarray(self.effects * self.scale)

    def topics(self, n: int = 5, filler: Iterable[str] | None = None) -> list[Topic]:
        """Each topic in its leading words, as people spell them; ``filler`` as for ``top_words``."""
        return in_words(self.record.leading_words, self.spellings, n, self.labels, filler)

    def explain(self, note: str | None, given: Columns, remark: str = "") -> Explanation:
        """The log-odds of a patient in exact parts; ``given`` has one value in each column. The note is read once."""
        (note,) = as_notes([note])
        forecaster, analysis, numbers = self.forecaster, self.vectorizer.analyse(note), located(note)
        stated = measurement_columns([{number.name: number.value for number in numbers}])
        values = forecaster.column_values(given, stated, rows=())
        patient = forecaster.encode_words(analysis.row, values)
        X = patient.X
        log_odds = float(forecaster.log_odds(patient)[0])
        known = bool(forecaster.known(X)[0])
        columns = self._column_parts(patient, given, stated)
        in_note = {part.name.lower(): part.contribution for part in columns if part.measured}
        word_parts = zip(X.indices, X.data * forecaster.word_effects[X.indices], strict=True)
        by_feature = {self.words[place]: part for place, part in word_parts}
        (strange,) = forecaster.remarks(patient)
        return Explanation(
            probability=float(measures.probability(log_odds)),
            log_odds=log_odds,
            intercept=self.intercept if known else forecaster.base_log_odds,
            topics=self._topic_parts(X) if known else [],
            columns=columns,
            base_rate=self.base_rate,
            model=self.name,
            unknown=analysis.unknown,
            pieces=cut_into_pieces(note, analysis, by_feature if known else {}, numbers, in_note),
            remark="; ".join(filter(None, [remark, "" if known else NO_KNOWN_WORD, *strange, forecaster.not_given(patient)])),
        )

    def _column_parts(self, patient: EncodedPatients, given: Columns, stated: Columns) -> list[ColumnPart]:
        """What each column adds; a part is measured if its value comes from the note."""
        parts = []
        for column, values, contribution in zip(self.columns, patient.values, patient.column_parts[0], strict=True):
            value = None if values is None else plain_value(values[0])
            in_note = column.filled(None, stated.get(column.name.lower()))
            from_note = value is not None and in_note is not None and in_note[0] == value
            own = column.measured or is_missing(given.get(column.name, [None])[0])
            parts.append(ColumnPart(column.name, value, float(contribution), from_note and own))
        return sorted(parts, key=lambda part: -abs(part.contribution))

    def _topic_parts(self, X: Matrix) -> list[TopicPart]:
        """Topic by word: effect_k F_jk x_j."""
        words = [self.spellings[j] for j in X.indices]
        table = self.effects[:, None] * self.components[:, X.indices] * X.data
        order = np.argsort(-np.abs(table.sum(axis=1)), kind="stable")
        names = self.names
        return [
            TopicPart(int(k), names[k], float(table[k].sum()), dict(zip(words, map(float, table[k]), strict=True)))
            for k in order
            if self.effects[k] != 0
        ]

    def merit(self, patients: EncodedPatients, y: Array) -> records.Merit:
        """Admission rate of these patients by the number of signals shown."""
        centre = np.append(self.effects * self.centre, np.zeros(len(self.columns)))
        scale = np.append(np.abs(self.effects) * self.scale, [shape.moves for shape in self.record.columns])
        return merit.tally(self.forecaster.parts(patients), y, self.record.merit.topics, centre, scale)


def plain_value(value: float | str | None) -> float | str | None:
    """A value of a column, None where it is missing."""
    if isinstance(value, str) or value is None:
        return value
    return None if value != value else float(value)


def fit(
    name: str,
    patients: Patients,
    n_topics: Sequence[int],
    settings: Settings,
    measurements: bool,
    replicates: int,
    advance: Callable[[], None],
    pooled: Array | None = None,
    *,
    choose: bool = False,
) -> tuple[ComplaintModel, Array]:
    """Fit a forecaster for each number of topics asked for, and keep the one with the smallest held-out log loss.

    The topics are then compared with those of ``replicates`` fits to other draws; ``advance`` is called after every fit. Also
    returns the held-out log-odds of the patients. The held-out log-odds by the model of all complaints
    (``pooled``) are compared with them. Where one of the two models is then chosen (``choose``), the figures are those of the
    one that the patients of the other folds choose.
    """
    notes, y = patients.notes, patients.outcomes
    stated = read_measurements(notes) if measurements else {}
    fits = forecaster.fit(notes, y, patients.columns, stated, n_topics, settings, advance, patients.person)
    held_out = [_held_out(fit, y) for fit in fits]
    by_topics = [_figures_of_fit(fit, of_fit.odds, y) for fit, of_fit in zip(fits, held_out, strict=True)]
    best = int(np.argmin([figures.log_loss for figures in by_topics]))
    chosen = fits[best]
    odds = classifier.best_without_each_fold(held_out)
    judged = classifier.better_without_each_fold(odds, pooled, y, held_out[0].fold) if choose and pooled is not None else odds
    advance()
    model = ComplaintModel(
        name=name,
        forecaster=chosen.forecaster,
        labels=("",) * len(chosen.factorisation.components_),
        record=_record(
            chosen,
            patients,
            judged,
            against_pooled=[] if pooled is None else measures.differences(pooled, odds, y),
            by_topics=by_topics,
            residual=by_topics[best].residual,
            replicates=replicates,
            stability=_stability(chosen, replicates, settings.seed, advance),
            reference=make_reference(chosen.forecaster, chosen.patients, notes, measures.probability(held_out[best].odds)),
        ),
    )
    return model, odds


def _held_out(fit: ForecasterFit, y: Array) -> classifier.HeldOut:
    """What fits without the fold of each patient say of that patient."""
    return classifier.held_out(fit.features, y, fit.forecaster.known(fit.patients.X), fit.classifier)


def _figures_of_fit(fit: ForecasterFit, odds: Array, y: Array) -> records.ByTopics:
    """How good a fit with one number of topics is, by the held-out log-odds of its patients."""
    figures = asdict(measures.figures(odds, y))
    n_topics = len(fit.forecaster.effects)
    return records.ByTopics(n_topics=n_topics, residual=residual(fit.factorisation, fit.patients.X), **figures)


def _stability(chosen: ForecasterFit, replicates: int, seed: int, advance: Callable[[], None]) -> list[records.TopicStability]:
    """The stability of each topic; empty without replicates."""
    cosines = []
    for of_replicate in stability.replicates(chosen.factorisation, chosen.patients.X, replicates, random_state=seed):
        cosines.append(of_replicate)
        advance()
    if not cosines:
        return []
    scores, low, high, _ = stability.Stability.of(cosines)
    return [records.TopicStability(*map(float, row)) for row in zip(scores, low, high, strict=True)]


def correlation(Z: Matrix) -> Array:
    """The correlations between the columns; those of a constant column are 0."""
    scaled = lasso.standardise(Z).Z
    return np.asarray(scaled.T @ scaled / len(scaled))


def residual(factorisation: Any, X: Matrix) -> float:
    """Mean square of X - GF', or the mean cost for 0/1 data."""
    if hasattr(factorisation, "mean_cost_"):
        return float(factorisation.mean_cost_)
    if hasattr(factorisation, "reconstruction_err_"):
        return float(factorisation.reconstruction_err_**2 / (X.shape[0] * X.shape[1]))
    return metrics.average_residual(X, factorisation.transform(X), factorisation.components_)


def _record(
    chosen: ForecasterFit,
    patients: Patients,
    odds: Array,
    *,
    against_pooled: list[records.Difference],
    by_topics: list[records.ByTopics],
    residual: float,
    replicates: int,
    stability: list[records.TopicStability],
    reference: records.Reference,
) -> records.FitRecord:
    """Everything about the fit that a report shows; figures of the forecast are from the held-out log-odds ``odds``."""
    y, encoded, fitted, path = patients.outcomes, chosen.patients, chosen.classifier, chosen.classifier.path
    parts = chosen.forecaster.parts(encoded)
    without = _aurocs_without(chosen, y, odds)
    columns = zip(chosen.forecaster.columns, encoded.values, encoded.column_parts.T, without, strict=True)
    return records.FitRecord(
        against_pooled=against_pooled,
        by_topics=by_topics,
        residual=residual,
        objective=[float(value) for value in getattr(chosen.factorisation, "objective_history_", [])],
        lasso=records.Lasso(
            rule=fitted.rule,
            chosen=fitted.chosen,
            lambdas=path.lambdas.tolist(),
            loss=path.loss.tolist(),
            loss_error=path.loss_error.tolist(),
            topics_used=int(np.count_nonzero(chosen.forecaster.effects)),
            duality_gap=path.gap,
        ),
        calibration=records.Calibration(fitted.slope, fitted.offset, measures.reliability(measures.probability(odds), y)),
        out_of_fold=measures.out_of_fold(odds, y),
        merit=merit.judge(parts, parts, y),
        subgroups=measures.subgroups(odds, y, patients.subgroups),
        columns=[shape(column, values, parts_of, y, area) for column, values, parts_of, area in columns],
        leading_words=_leading_words(encoded.X, chosen.factorisation.components_),
        replicates=replicates,
        stability=stability,
        ranks=_ranks(chosen.rank_choice),
        seeds=chosen.seeds,
        reference=reference,
    )


def _aurocs_without(chosen: ForecasterFit, y: Array, odds: Array) -> list[float | None]:
    """The held-out AUROC if a column were not given, for each; None for measurements, which are in the note.

    What the fit says without the column is less or more than with it by so much; so are the held-out log-odds.
    """
    change = chosen.forecaster.without_each(chosen.patients) - chosen.forecaster.log_odds(chosen.patients)[:, None]
    return [
        None if column.measured else float(roc_auc_score(y, odds + by))
        for column, by in zip(chosen.forecaster.columns, change.T, strict=True)
    ]


def _leading_words(X: Matrix, components: Array) -> list[Ranking]:
    """The words that tell the meaning of each topic, found while the notes are there."""

    def rounded(side: Side) -> Side:
        return [(place, round(correlation, DIGITS)) for place, correlation in side]

    return [
        Ranking(rounded(positive), rounded(negative), round(share or 0.0, DIGITS))
        for positive, negative, share in by_correlation(X, components)
    ]


def _ranks(choice: RankChoice | None) -> list[records.RankError]:
    if choice is None:
        return []
    curve = choice.curve
    rows = zip(curve.ranks, curve.mean, curve.excess, curve.excess_error, strict=True)
    return [records.RankError(int(k), *map(float, row)) for k, *row in rows]
