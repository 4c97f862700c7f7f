"""A model for the patients of today: the old one recalibrated, or refitted from its topics."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple, TypeAlias, TypeVar

import numpy as np
from msgspec.structs import replace

from sonmf.errors import InputError
from sonmf.stability import UNSTABLE
from sonmf.text import NotesVectorizer
from sonmf.triage import drift_reference, lineage, measures
from sonmf.triage.columns import Table
from sonmf.triage.complaint import ComplaintModel
from sonmf.triage.factorisations import fewest_named
from sonmf.triage.inputs import POOLED, one_sided
from sonmf.triage.lasso import FOLDS, fold_numbers
from sonmf.triage.lineage import RECALIBRATE, REFIT, How
from sonmf.triage.model import TriageModel
from sonmf.triage.model_comparison import Comparison, compare_forecasts
from sonmf.triage.patients import Patients
from sonmf.triage.recalibration import UNCHANGED, Line, closed_test, held_out
from sonmf.triage.records import Calibration, Difference, GroupEffect, Shape, ValueEffect
from sonmf.triage.warm_start import WarmStart
from sonmf.types import Array

WAYS = (RECALIBRATE, REFIT)
Effect = TypeVar("Effect", ValueEffect[float], ValueEffect[str], GroupEffect[float], GroupEffect[str])
SAME, ALIKE = UNSTABLE, 0.5
"""Cosines between an old and a new topic from which they count as the same one, and as one that has changed."""
WRONG_WAY_ROUND = "the higher the forecast, the fewer were admitted: no recalibration helps, so refit"
FEWEST_TO_REFIT = 100  # patients of either outcome
REFITS = 3  # to all patients but a part of them, which judges the refit

Progress: TypeAlias = Callable[[int, int, str], None]


class OldTopic(NamedTuple):
    """What became of an old topic."""

    place: int
    """The number of its counterpart; -1 if there is none."""
    cosine: float
    label: str
    """The name that a person gave the topic."""

    @property
    def same(self) -> bool:
        """Whether it is still the same topic."""
        return self.cosine >= SAME

    @property
    def alike(self) -> bool:
        """Whether the new topic is the same one or what has become of it; it then keeps the name."""
        return self.cosine >= ALIKE


class Change(NamedTuple):
    """What an update did to one complaint, and how good it is for patients who were not used for it."""

    name: str
    """The name of the complaint; empty for the model of all complaints."""
    notes: int
    """New patients."""
    admitted: int
    forecast: float
    """Share of admissions that the old model expected."""
    differences: list[Difference]
    """Of each figure: the old model, and updates that have not seen the patients they are judged on; empty if there were too
    few to learn from."""
    line: Line = UNCHANGED
    """What a recalibration did to the log-odds."""
    topics: list[OldTopic] | None = None
    """What became of each old topic in a refit; None for a complaint that had no model."""
    reason: str = ""
    """Why the complaint stays as it is, if it could not be judged."""

    def difference(self, figure: str) -> Difference | None:
        """The difference of a figure; None if it could not be judged."""
        return next((difference for difference in self.differences if difference.name == figure), None)


class Update(NamedTuple):
    """A new model, and what changed.

    Examples
    --------
    >>> from sonmf.datasets import make_triage_notes
    >>> from sonmf.triage import TriageModel, update
    >>> may, june = (
    ...     make_triage_notes(600, complaints=["Fever"], random_state=month)
    ...     for month in (5, 6)
    ... )
    >>> model = TriageModel(n_topics=3).fit(may["note"], may["disposition"])
    >>> updated = update(model, june["note"], june["disposition"])
    >>> [change.notes for change in updated.changes], updated.gone
    ([600], [])
    """

    model: TriageModel
    changes: list[Change]
    """The model of all complaints first."""
    comparison: Comparison
    """On the new patients: the old model and its recalibration, or its recalibration and the refit. Each patient is forecast by
    an update that has not seen that patient."""
    gone: list[str]
    """Complaints that had a model of their own, and have none now."""


def update(
    model: TriageModel,
    notes: Iterable[object],
    disposition: Iterable[object],
    complaint: Iterable[object] | None = None,
    columns: Table = None,
    *,
    how: str = RECALIBRATE,
    subgroups: Mapping[str, Iterable[object]] | None = None,
    source: str = "",
    progress: Progress | None = None,
) -> Update:
    """A new model from an old one and new patients; the old one stays as it is.

    ``"recalibrate"`` keeps words and topics, and their effects in proportion. The log-odds of each complaint become intercept +
    slope x log-odds by maximum likelihood, if a closed test at the 5% level rejects the old ones; see
    ``sonmf.triage.recalibration``. Forecasts are explained exactly, as before. It needs few patients: ten of each outcome.

    ``"refit"`` fits words, topics, columns and classifier to the new patients alone. A model keeps no patient, so give old and
    new ones together to learn from both. Each complaint keeps its number of topics, and SONMF starts from the old ones, so
    they keep their numbers, and most of them hardly change. New words are added, and words that have become rare are dropped.
    A name that a person gave goes to the new topic that matches, if their cosine is at least 0.5. Below 0.8 the topic has
    changed, so check whether the name still fits. The sign of a topic counts. A refit needs 100 patients of either outcome.
    It is judged by refits to two thirds of the patients, on the others.

    Parameters
    ----------
    model : TriageModel
    notes, disposition, complaint, columns
        As for ``TriageModel.fit``, of the new patients. Outcomes are named as in the fit.
    how : {"recalibrate", "refit"}, default="recalibrate"
    subgroups : mapping of str to iterable, optional
        As for ``TriageModel.fit``, for a refit.
    source : str, optional
        Name of the file that they are from, for the lineage.
    progress : callable, optional
        As for ``TriageModel.fit``.

    Returns
    -------
    Update

    Examples
    --------
    >>> from sonmf.datasets import make_triage_notes
    >>> from sonmf.triage import TriageModel, update
    >>> may, june = (
    ...     make_triage_notes(1500, complaints=["Cough"], random_state=month)
    ...     for month in (5, 6)
    ... )
    >>> model = TriageModel(n_topics=5).fit(may["note"], may["disposition"])
    >>> june.loc[june.index % 3 == 0, "disposition"] = "admitted"
    >>> updated = update(model, june["note"], june["disposition"])
    >>> change = updated.changes[0]
    >>> change.forecast < change.admitted / change.notes, change.line.intercept > 0
    (True, True)
    >>> change.difference("log_loss").clear
    True
    >>> [step.how for step in updated.model.lineage_]
    ['fit', 'recalibrate']
    """
    fewest = fewest_named(model.pooled_model_.vectorizer)
    patients = Patients.given(notes, disposition, complaint, columns, subgroups, model.classes_[1], fewest)
    return update_with(model, patients, how, source, progress)


def too_few_to_refit(patients: int, admitted: int, min_notes: int) -> str:
    """Why these patients are too few for a refit, as a clause; empty if they are enough.

    A refit forgets all that the old model has learned. Below ``min_notes`` patients, or 100 of either outcome, what it learns
    instead is mostly noise: recalibrate, or wait for more patients.

    Examples
    --------
    >>> from sonmf.triage.model_update import too_few_to_refit
    >>> too_few_to_refit(102, 22, 200)
    'a refit needs at least 200 patients, 100 of either outcome, and there are 102, of them 22 admitted'
    >>> too_few_to_refit(1000, 300, 200)
    ''
    """
    if patients >= min_notes and min(admitted, patients - admitted) >= FEWEST_TO_REFIT:
        return ""
    needed = f"at least {max(min_notes, 2 * FEWEST_TO_REFIT):,} patients, {FEWEST_TO_REFIT} of either outcome"
    return f"a refit needs {needed}, and there are {patients:,}, of them {admitted:,} admitted"


def update_with(
    model: TriageModel,
    patients: Patients,
    how: str = RECALIBRATE,
    source: str = "",
    progress: Progress | None = None,
) -> Update:
    """Update a model with a table of patients, as ``update`` does with lists."""
    if how not in WAYS:
        raise InputError(f"how={how!r} is not known: choose one of {', '.join(WAYS)}")
    way: How = RECALIBRATE if how == RECALIBRATE else REFIT
    reason = too_few_to_refit(len(patients), int(patients.outcomes.sum()), model.min_notes) if way == REFIT else ""
    if reason:
        raise InputError(f"{reason}: recalibrate instead, or wait for more patients")
    updated = recalibrate(model, patients) if way == RECALIBRATE else refit(model, patients, progress)
    updated.model.lineage_ = lineage.extend_lineage(model, way, source, patients.fingerprint, len(patients))
    return updated


def recalibrate(model: TriageModel, patients: Patients) -> Update:
    """Recalibrate every complaint that has enough patients of both outcomes, and the model of all complaints by all of them."""
    counts = patients.counts()
    names = [name for name in model.by_name_ if name == POOLED or name in counts]
    if reason := _too_few(patients):
        raise InputError(f"these patients do not show how to change the model: {reason}")
    new = copy.copy(model)
    changes = []
    for name in names:
        recalibrated, change = _recalibrate_one(model.by_name_[name], patients.of_complaint(name))
        new.put(recalibrated)
        changes.append(change)
    new.evaluations_, new.remarks_, new.sha256_ = [], [], ""
    new.created_, new.versions_ = lineage.now(), lineage.package_versions()
    before, after = _in_place(model, patients, _log_odds), _in_place(model, patients, _recalibrated_odds)
    return Update(new, changes, compare_forecasts(before, after, patients.outcomes), [])


def _recalibrate_one(model: ComplaintModel, patients: Patients) -> tuple[ComplaintModel, Change]:
    y, odds = patients.outcomes, _log_odds(model, patients)
    change = _change(model.name, odds, y)
    if reason := _too_few(patients):
        return model, change._replace(reason=reason)
    line = closed_test(odds, y)
    if not line.slope > 0:
        return model, change._replace(reason=WRONG_WAY_ROUND)
    compared = measures.differences(odds, held_out(odds, y, patients.person), y)
    return apply_line(model, line), change._replace(differences=compared, line=line)


def _too_few(patients: Patients) -> str:
    """Why these patients are too few to judge a recalibration; empty if there are enough."""
    y, person = patients.outcomes, patients.person
    reason = one_sided(len(y), int(y.sum()))
    if reason or person is None:
        return reason
    several = min(len(np.unique(person[y == outcome])) for outcome in (0, 1))
    return f"only {several} patients have one of the outcomes, and at least {FOLDS} are needed" if several < FOLDS else ""


def _change(name: str, odds: Array, y: Array) -> Change:
    """The patients of a complaint, and what the old model forecasts for them."""
    return Change(name, len(y), int(y.sum()), float(measures.probability(odds).mean()), [])


def _log_odds(model: ComplaintModel, patients: Patients) -> Array:
    rows = np.arange(len(patients)) if patients.rows is None else patients.rows
    return model.forecaster.log_odds(model.forecaster.encode(patients.notes, patients.columns, rows))


def _recalibrated_odds(model: ComplaintModel, patients: Patients) -> Array:
    """The log-odds of each patient after a recalibration to others, if there are enough of them."""
    odds = _log_odds(model, patients)
    return odds if _too_few(patients) else held_out(odds, patients.outcomes, patients.person)


def _in_place(model: TriageModel, patients: Patients, odds_of: Callable[[ComplaintModel, Patients], Array]) -> Array:
    """What ``odds_of`` says of each patient, given the model that serves the complaint of the patient."""
    odds, served = np.empty(len(patients)), np.array([name if name in model.models_ else POOLED for name in patients.names])
    for name in set(served):
        places = np.flatnonzero(served == name)
        odds[places] = odds_of(model.by_name_[name], patients.only(places))
    return odds


def apply_line(model: ComplaintModel, line: Line) -> ComplaintModel:
    """A copy of the model whose log-odds are moved along the line, with a slope above 0. Every part is still a sum."""
    if line == UNCHANGED:
        return model
    old = model.record.calibration
    now = line.after(Line(old.offset, old.slope))
    record = replace(
        model.record,
        calibration=Calibration(now.slope, now.intercept, old.reliability),
        columns=[_scale_shape(shape, line.slope) for shape in model.record.columns],
        reference=drift_reference.recalibrate_reference(model.record.reference, line),
    )
    forecaster = replace(
        model.forecaster,
        effects=line.slope * model.effects,
        axis_effects=line.slope * model.axis_effects,
        intercept=float(line.of(model.intercept)),
        columns=tuple(replace(column, effects=line.slope * column.effects) for column in model.columns),
        recalibration=line.after(model.forecaster.recalibration),
    )
    return replace(model, forecaster=forecaster, record=record)


def _scale_shape(shape: Shape, slope: float) -> Shape:
    """The effect of a column as people see it, multiplied by the slope."""

    def scale(rows: list[Effect]) -> list[Effect]:
        return [replace(row, effect=slope * row.effect) for row in rows]

    return replace(
        shape,
        moves=slope * shape.moves,
        missing_effect=None if shape.missing_effect is None else slope * shape.missing_effect,
        curve=scale(shape.curve),
        bins=scale(shape.bins),
        levels=scale(shape.levels),
        words=scale(shape.words),
    )


def refit(model: TriageModel, patients: Patients, progress: Progress | None = None) -> Update:
    """A model fitted like the old one, from its topics; their stability is measured again if the old fit measured it."""
    new = _fit_like(model, patients, _part(progress, 0), stability=model.pooled_model_.record.replicates)
    after, whole = _by_refits_to_others(model, patients, list(new.by_name_), progress)
    changes = []
    for name, fitted in new.by_name_.items():
        of_complaint, old = patients.of_complaint(name), model.by_name_.get(name)
        before = _log_odds(old or model.pooled_model_, of_complaint)
        compared = measures.differences(before, after[name], of_complaint.outcomes)
        change = _change(name, before, of_complaint.outcomes)._replace(differences=compared)
        if old is not None:
            counterparts = WarmStart(old.words, old.components).found_in(WarmStart(fitted.words, fitted.components))
            topics = [
                OldTopic(int(place), float(cosine), label)
                for place, cosine, label in zip(*counterparts, old.labels, strict=True)
            ]
            new.put(fitted.with_labels({topic.place: topic.label for topic in topics if topic.alike}))
            change = change._replace(topics=topics)
        changes.append(change)
    comparison = compare_forecasts(_in_place(model, patients, _recalibrated_odds), whole, patients.outcomes)
    return Update(new, changes, comparison, [name for name in model.models_ if name not in new.models_])


def _fit_like(
    model: TriageModel, patients: Patients, progress: Progress | None, stability: int = 0, share: float = 1.0
) -> TriageModel:
    """A model of these patients with the parameters, the kinds of columns and the words of an old one, from its topics.

    Where they are a ``share`` of all patients, a complaint needs only that share of ``min_notes`` for a model of its own.
    """
    new = TriageModel(**model.get_params(deep=False))
    new.set_params(min_notes=int(share * model.min_notes))
    here = patients.columns
    kinds: dict[str, str] = {
        column.name: column.kind for complaint in model.by_name_.values() for column in complaint.columns if not column.measured
    }
    kinds = {name: kind for name, kind in (kinds | dict(model.kinds or {})).items() if name in here}
    words = NotesVectorizer(**model.pooled_model_.vectorizer.get_params())
    new.set_params(vectorizer=words, kinds=kinds or None, positive=model.classes_[1])
    new.fit_patients(patients, progress, stability=stability, earlier=model)
    if model.provenance_ is not None:
        now = new.provenance_ or model.provenance_
        new.provenance_ = replace(now, time=model.provenance_.time)
    return new


def _by_refits_to_others(
    model: TriageModel, patients: Patients, names: Sequence[str], progress: Progress | None
) -> tuple[dict[str, Array], Array]:
    """Log-odds of each patient by a refit to the other thirds: by complaint, and of the model as a whole.

    A complaint that has too few patients in the other thirds is forecast by their model of all complaints, as it would be.
    """
    y, whole = patients.outcomes, np.empty(len(patients))
    members = {name: patients.names == name if name else np.ones(len(y), bool) for name in names}
    odds = {name: np.empty(len(y)) for name in names}
    in_fold = fold_numbers(y, patients.person, REFITS)
    for fold in range(REFITS):
        out, seen = np.flatnonzero(in_fold == fold), np.flatnonzero(in_fold != fold)
        refitted = _fit_like(model, patients.only(seen), _part(progress, fold + 1), share=(REFITS - 1) / REFITS)
        for name in names:
            places = out[members[name][out]]
            if len(places):
                odds[name][places] = _log_odds(refitted.by_name_.get(name, refitted.pooled_model_), patients.only(places))
        whole[out] = _in_place(refitted, patients.only(out), _log_odds)
    return {name: odds[name][member] for name, member in members.items()}, whole


def _part(progress: Progress | None, number: int) -> Progress | None:
    """The progress of one fit among all of them: to all patients, and to two thirds of them in turn."""
    if progress is None:
        return None
    return lambda done, total, name: progress(done + number * total, (REFITS + 1) * total, name)
