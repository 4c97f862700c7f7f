"""The fit of the model of one complaint: the best number of topics, and what a report says about the fit."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from msgspec.structs import asdict
from sklearn.metrics import roc_auc_score

from sonmf import metrics, stability
from sonmf.rank import RankChoice
from sonmf.text.cooccurrence import cooccurrence, sides_shown
from sonmf.text.note_numbers import read_measurements
from sonmf.text.topic_words import Ranking, Side, by_correlation
from sonmf.triage import classifier, forecaster, lasso, measures, merit, records
from sonmf.triage.axes import NotesAndOutcomes, no_others
from sonmf.triage.column_effects import shape
from sonmf.triage.complaint import ComplaintModel
from sonmf.triage.drift_reference import make_reference
from sonmf.triage.factorisations import project
from sonmf.triage.forecaster import ForecasterFit, Settings
from sonmf.triage.patients import Patients
from sonmf.types import Array, Matrix

DIGITS = 4  # of a correlation that is kept


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
    others: Callable[[], NotesAndOutcomes] = no_others,
) -> tuple[ComplaintModel, Array]:
    """Fit a forecaster for each requested number of topics, and keep the one with the smallest held-out log loss.

    The topics are then compared with those of ``replicates`` fits to other draws; ``advance`` is called after every fit. Also
    returns the held-out log-odds of the patients. The held-out log-odds by the model of all complaints
    (``pooled``) are compared with them. Where one of the two models is then chosen (``choose``), the figures are those of the
    one that the patients of the other folds choose. ``others`` are the patients of other complaints, for the outcome axes where
    there are too few here.
    """
    notes, y = patients.notes, patients.outcomes
    stated = read_measurements(notes) if measurements else {}
    fits = forecaster.fit(notes, y, patients.columns, stated, n_topics, settings, advance, patients.person, others)
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
    """The forecast of each patient by fits without that patient's fold."""
    return classifier.held_out(fit.features, y, fit.forecaster.known(fit.patients.X), fit.classifier)


def _figures_of_fit(fit: ForecasterFit, odds: Array, y: Array) -> records.ByTopics:
    """How well a fit with one number of topics does on the held-out log-odds of its patients."""
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
    components, parts = chosen.factorisation.components_, chosen.forecaster.parts(encoded)
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
        leading_words=_leading_words(encoded.X, components),
        axes=_axis_records(chosen),
        replicates=replicates,
        stability=stability,
        ranks=_ranks(chosen.rank_choice),
        seeds=chosen.seeds,
        reference=reference,
        occurrence=occurrence(project(encoded.X, components), patients.times),
    )


def occurrence(Z: Array, times: Array | None = None) -> records.Occurrence:
    """Which topics occur in the same notes, from XF and the times of arrival; numbers of notes below 10 are left out."""
    energy, correlations, notes = cooccurrence(Z, measures.SMALLEST)
    shown = sides_shown(Z)[:, : Z.shape[1]]
    in_month = np.full(len(Z), "NaT", "datetime64[M]") if times is None else times.astype("datetime64[M]")
    names, of_months = np.unique(in_month[~np.isnat(in_month)], return_counts=True)
    of_months = _without_small(of_months[:, None], len(Z))[:, 0]
    kept = names[of_months > 0]
    of_topics = np.array([shown[in_month == month].sum(axis=0) for month in kept]).reshape(len(kept), Z.shape[1])
    rows = zip(kept, of_months[of_months > 0], _without_small(of_topics, shown.sum(axis=0)), strict=True)
    months = [records.Month(str(month), int(there), topics.tolist()) for month, there, topics in rows]
    return records.Occurrence(
        np.round(energy, DIGITS).tolist(), np.round(correlations, DIGITS).tolist(), notes.tolist(), months
    )


def _without_small(counts: Array, totals: Array | int) -> Array:
    """Months by what is counted; numbers below 10 are 0, and so is the next smallest where the total would tell them."""
    kept = np.where(counts < measures.SMALLEST, 0, counts)
    hidden = totals - kept.sum(axis=0)
    for column in np.flatnonzero(kept.any(axis=0) & (hidden > 0) & (hidden < measures.SMALLEST)):
        of_months = kept[:, column]
        of_months[np.ma.masked_equal(of_months, 0).argmin()] = 0
    return kept


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
    """The leading words of each topic, which are found while the notes are at hand."""

    def rounded(side: Side) -> Side:
        return [(place, round(correlation, DIGITS)) for place, correlation in side]

    return [
        Ranking(rounded(positive), rounded(negative), round(share or 0.0, DIGITS))
        for positive, negative, share in by_correlation(X, components)
    ]


def _axis_records(chosen: ForecasterFit) -> list[records.AxisRecord]:
    """The words and the scores of each outcome axis over the training notes."""
    axes, scores = chosen.forecaster.axes, chosen.patients.axis_scores
    scales = lasso.without_rounding(scores.std(axis=0))
    rows = zip(_leading_words(chosen.patients.X, axes), scores.mean(axis=0), scales, strict=True)
    return [records.AxisRecord(words, float(centre), float(scale)) for words, centre, scale in rows]


def _ranks(choice: RankChoice | None) -> list[records.RankError]:
    if choice is None:
        return []
    curve = choice.curve
    rows = zip(curve.ranks, curve.mean, curve.excess, curve.excess_error, strict=True)
    return [records.RankError(int(k), *map(float, row)) for k, *row in rows]
