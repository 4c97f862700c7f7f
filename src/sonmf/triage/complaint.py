"""One complaint: words -> signed topics -> calibrated log-odds, linear from end to end."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from sonmf import metrics
from sonmf.text import NotesVectorizer, Topic, top_words
from sonmf.threads import Array
from sonmf.triage import classifier, lasso, measures, merit
from sonmf.triage.explanation import Explanation, TopicPart
from sonmf.triage.methods import METHODS, project

NO_KNOWN_WORD = "the note has no word that the model knows: this is the base rate of the complaint"


@dataclass(frozen=True)
class ComplaintModel:
    """x (word weights) -> z = F'x -> log-odds = intercept + effects'z, for the notes of one complaint."""

    name: str
    vectorizer: NotesVectorizer
    components: Array
    """F', a topic a row."""
    effects: Array
    """Log-odds per unit of each topic, calibration included."""
    intercept: float
    centre: Array
    """Mean of each topic over the training notes."""
    scale: Array
    """Standard deviation of each topic over the training notes, 0 where it is constant."""
    correlation: Array
    """Of the topics over the training notes."""
    signals: list[int]
    """The topics that signal admission most, for the merit system."""
    n_notes: int
    n_admitted: int
    labels: list[str]
    """Names that a person has given the topics; empty where there is none."""
    record: dict[str, Any] = field(default_factory=dict)
    """How the fit went, in plain numbers: see ``docs/format.md``."""

    @property
    def base_rate(self) -> float:
        """Share of admissions among the training notes."""
        return self.n_admitted / self.n_notes

    @property
    def n_topics(self) -> int:
        """Number of topics."""
        return len(self.components)

    @property
    def components_(self) -> Array:
        """F' under the name that ``top_words`` looks for."""
        return self.components

    @cached_property
    def word_effects(self) -> Array:
        """Log-odds per unit of each word's weight: F effects."""
        return np.asarray(self.effects @ self.components)

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
        """What to call each topic: the name a person gave it, or its two strongest words."""
        return [label or words for label, words in zip(self.labels, self._two_words, strict=True)]

    @cached_property
    def _two_words(self) -> list[str]:
        return ["/".join(word for word, _ in topic.positive) for topic in self.topics(2)]

    @property
    def strength(self) -> Array:
        """Change of the log-odds when a topic rises by one standard deviation."""
        return np.asarray(self.effects * self.scale)

    def topics(self, n: int = 5) -> list[Topic]:
        """Each topic in its strongest words, as people spell them."""
        return top_words(self, self.spellings, n, self.labels)

    def log_odds(self, X: Any) -> Array:
        """Of weighted notes; those without a known word get the base rate."""
        known = np.diff(X.indptr) > 0
        return np.where(known, X @ self.word_effects + self.intercept, self._base_log_odds)

    @property
    def _base_log_odds(self) -> float:
        return float(np.log(self.n_admitted / (self.n_notes - self.n_admitted)))

    def explain(self, note: str, remark: str = "") -> Explanation:
        """The log-odds of a note in exact parts."""
        X = self.vectorizer.transform([note])
        unknown = self.vectorizer.unknown_words(note)
        log_odds = float(self.log_odds(X)[0])
        p = float(measures.probability(log_odds))
        known = len(X.indices) > 0
        remark = "; ".join(filter(None, [remark, "" if known else NO_KNOWN_WORD]))
        intercept = self.intercept if known else log_odds
        parts = self._parts(X) if known else []
        return Explanation(p, log_odds, intercept, parts, self.base_rate, self.name, unknown, remark)

    def _parts(self, X: Any) -> list[TopicPart]:
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

    def merit(self, X: Any, y: Array) -> merit.Merit:
        """Admission rate of these notes by the number of signalling topics shown."""
        counts = merit.count(project(X, self.components), self.signals, self.effects, self.centre, self.scale)
        return merit.tally(counts, y, self.signals)


def fit(
    name: str,
    notes: Sequence[Any],
    y: Array,
    *,
    vectorizer: NotesVectorizer,
    method: str,
    n_topics: Sequence[int],
    rule: str,
    seed: int,
    subgroups: dict[str, Any],
) -> ComplaintModel:
    """Vectorise, factorise for each number of topics asked for, keep the one with the smallest held-out log loss."""
    X = vectorizer.fit_transform(notes)
    tried = sorted({min(k, *X.shape) for k in n_topics})
    fits = [_try(X, y, method, k, rule, seed) for k in tried]
    factorisation, chosen, odds, _ = min(fits, key=lambda one: one[-1]["log_loss"])
    Z = project(X, factorisation.components_)
    model = ComplaintModel(
        name=name,
        vectorizer=vectorizer,
        components=np.ascontiguousarray(factorisation.components_, np.float64),
        effects=chosen.effects,
        intercept=chosen.intercept,
        centre=Z.mean(axis=0),
        scale=lasso.without_rounding(Z.std(axis=0)),
        correlation=correlation(Z),
        signals=merit.signals(Z, chosen.effects),
        n_notes=len(y),
        n_admitted=int(y.sum()),
        labels=[""] * len(factorisation.components_),
    )
    record = _record(model, X, y, factorisation, chosen, odds, subgroups) | {"by_topics": [row for *_, row in fits]}
    model.record.update(record)
    return model


def correlation(Z: Any) -> Array:
    """Between the columns; a constant one correlates with nothing."""
    scaled = lasso.standardised(Z).Z
    return np.asarray(scaled.T @ scaled / len(scaled))


def _try(
    X: Any, y: Array, method: str, k: int, rule: str, seed: int
) -> tuple[Any, classifier.Classifier, Array, dict[str, float]]:
    factorisation = METHODS[method].fit(X, k, seed)
    Z = project(X, factorisation.components_)
    fitted = classifier.fit(Z, y, rule, seed)
    odds = classifier.held_out(Z, y, np.diff(X.indptr) > 0, fitted)
    return factorisation, fitted, odds, {"n_topics": k, "residual": residual(factorisation, X)} | measures.figures(odds, y)


def residual(factorisation: Any, X: Any) -> float:
    """Mean square of X - GF', or the mean cost for 0/1 data."""
    if hasattr(factorisation, "mean_cost_"):
        return float(factorisation.mean_cost_)
    if hasattr(factorisation, "reconstruction_err_"):
        return float(factorisation.reconstruction_err_**2 / (X.shape[0] * X.shape[1]))
    return metrics.average_residual(X, factorisation.transform(X), factorisation.components_)


def _record(
    model: ComplaintModel,
    X: Any,
    y: Array,
    factorisation: Any,
    fitted: classifier.Classifier,
    odds: Array,
    columns: dict[str, Any],
) -> dict[str, Any]:
    """Everything about the fit that a report shows; from held-out log-odds wherever it judges the forecast."""
    path = fitted.path
    return {
        "residual": residual(factorisation, X),
        "objective": [float(value) for value in getattr(factorisation, "objective_history_", [])],
        "lasso": {
            "rule": fitted.rule,
            "chosen": fitted.chosen,
            "lambdas": path.lambdas.tolist(),
            "loss": path.loss.tolist(),
            "loss_error": path.loss_error.tolist(),
            "topics_used": int(np.count_nonzero(fitted.effects)),
            "duality_gap": path.gap,
        },
        "calibration": {
            "slope": fitted.slope,
            "offset": fitted.offset,
            "reliability": measures.reliability(measures.probability(odds), y),
        },
        "out_of_fold": measures.figures(odds, y) | {"roc": measures.roc(odds, y)},
        "merit": model.merit(X, y)._asdict(),
        "subgroups": measures.subgroups(odds, y, columns),
    }
