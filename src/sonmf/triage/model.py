"""From notes to a calibrated, explained forecast of admission."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from sonmf.errors import InputError
from sonmf.text import NotesVectorizer
from sonmf.triage import complaint_fit, evaluation_file, measures, model_file, topic_labels
from sonmf.triage.axes import NotesAndOutcomes, no_others, notes_of_others
from sonmf.triage.column_effects import Text
from sonmf.triage.columns import Table, kinds_of
from sonmf.triage.complaint import ComplaintModel
from sonmf.triage.evaluation_results import Evaluation
from sonmf.triage.factorisations import METHODS, fewest_named, vectorizer_for
from sonmf.triage.fit_checks import fit_checks
from sonmf.triage.forecaster import Settings, fits_to_choose
from sonmf.triage.forecasts import Forecasts
from sonmf.triage.inputs import (
    AUTO,
    N_TOPICS,
    OUTCOME_AXES,
    POOLED,
    check_outcome_axes,
    check_random_state,
    check_rule,
    check_seeds,
    is_auto,
    one_sided,
    split_by_size,
    topic_numbers,
)
from sonmf.triage.lineage import Step, now, package_versions
from sonmf.triage.patients import Patients
from sonmf.triage.provenance import Provenance
from sonmf.triage.warm_start import WarmStart
from sonmf.types import Array

BETTER, ALWAYS = "better", "always"
UNUSED = "no model uses column {!r}: too few of its values are known or occur more than once; leave it out, or give its kind"


class TriageModel(Forecasts, ClassifierMixin, BaseEstimator):
    """P(admitted | patient) = sigma(intercept + effects'F'x + axis_effects'A'x + sum over columns f_j(c_j)).

    Each complaint has such a model. x holds the weights of a note's words, and F the signed topics of the complaint, which are
    found without the outcome. A holds directions of words made from the outcome, orthogonal to the topics
    (``sonmf.OutcomeAxes``): words that speak for admission and against it beyond what the topics explain. Patients of the fit
    are scored by axes made without their fold. c holds columns beside the note, and what the note states in numbers (age,
    vital signs: ``sonmf.text.measurements``). f_j is piecewise linear for a number, and has one value for each level of a
    category. Effects come from an L1 logistic regression on all of these together. Cross-validation chooses its lambda, and
    one sigmoid on out-of-fold scores calibrates it. The log-odds are a sum, so every forecast can be explained exactly. A
    pooled model over all notes serves complaints with few notes, and complaints that it has never seen.

    Parameters
    ----------
    n_topics : int, sequence of int or "auto", default=10
        Number of topics of each complaint. Of several numbers, cross-validation takes the one with the smallest held-out log
        loss. A complaint with fewer words than this has as many topics as words. With ``"auto"`` each complaint has the number
        that its words support, as ``sonmf.select_rank`` finds it without the outcome.
    method : str, default="sonmf"
        One of ``"sonmf"``, ``"binary-sonmf"``, ``"binary-sonmf-plain"`` (no intercept), ``"nmf"``, ``"onmf"``,
        ``"semi-nmf"``, ``"logistic-nmf"``, ``"svd"``.
    vectorizer : NotesVectorizer, optional
        How notes become words. The default has the weighting that the method is made for, and ``negation="mark"``, which keeps
        what a note denies apart from what it reports. Give one with ``drop_words`` if the notes name the outcome.
    rule : {"min", "1se"}, default="min"
        Whether to take the lambda with the smallest held-out loss, or the largest within one standard error of it, which uses
        fewer topics.
    min_notes : int, default=200
        Complaints with fewer notes, or fewer than ten of either outcome, use the pooled model.
    own_models : {"better", "always"}, default="better"
        With ``"better"``, a complaint with enough notes has a model of its own only if that is better: its log loss on held-out
        patients of the complaint is smaller than that of the pooled model by more than one standard error. With ``"always"`` it
        has one in any case, for the sake of its topics.
    positive : str or other label, optional
        The value of ``disposition`` that means admitted; by default "admitted", 1, True or "yes", whichever occurs.
    random_state : int, default=0
        Seed of the folds and the start.
    measurements : bool, default=True
        Read age, sex, vital signs and the like from the notes, as ``sonmf.text.measurements`` does, and use them as features.
    kinds : mapping of str to {"number", "category", "text"}, optional
        The kind of a column whose values do not show it. For example, a triage level from 1 to 5 is taken for a number.
    seed_topics : sequence of str, optional
        Words of topics that you want in every complaint, one string for each topic: ``["chest pain pressure"]``. They are the
        first topics, and stay what the notes with these words make them (``sonmf.text.seed_topics``); the fit finds the
        others around them. Words that do not occur in a complaint are ignored there. For ``method="sonmf"``.
    outcome_axes : int, default=2
        Number of directions of words to make from the outcome, at most 4. With 0 there are none, and every direction comes from
        the notes alone. If a complaint has fewer than 20 patients of either outcome, its axes are made from all patients.

    Attributes
    ----------
    models_ : dict of str to ComplaintModel
        By complaint.
    pooled_model_ : ComplaintModel
        The model of all complaints.
    pooled_ : dict of str to str
        Complaints that use the pooled model, with the reason. Those of fewer than ``min_df`` patients share one name, because
        their own could identify a patient.
    classes_ : ndarray of shape (2,)
        The two dispositions, the one that means admitted last.
    sha256_ : str
        SHA-256 of the file that the model was last saved to or loaded from. Later changes of the model do not alter it.
    remarks_ : list of str
        What a user should know about the columns of the fit. Usually it is empty, and in a loaded model always.
    provenance_ : Provenance or None
        File, columns, meaning of the outcomes and rows left out, if the model was fitted to a table; None after ``fit``.
    evaluations_ : list of Evaluation
        The results of ``sonmf evaluate --model``, each with its notes and settings. They are kept beside the model's file.
    created_ : str
        Day and time (UTC) of the fit or the update that made the model.
    versions_ : dict of str to str
        The packages that it was made with.
    lineage_ : list of Step
        For a model that was updated: the first fit, every update since, and this model last. Otherwise empty.

    Examples
    --------
    >>> from sonmf.datasets import make_triage_notes
    >>> from sonmf.triage import TriageModel
    >>> notes = make_triage_notes(2000, complaints=["Cough"], random_state=0)
    >>> model = TriageModel(n_topics=10).fit(
    ...     notes["note"], notes["disposition"], notes["complaint"]
    ... )
    >>> model.predict_proba(["cough x3d, fever, no sob"], ["Cough"]).shape
    (1, 2)
    >>> why = model.explain("cough x3d, fever, no sob", "Cough")
    >>> parts = [part.contribution for part in (*why.topics, *why.axes, *why.columns)]
    >>> abs(why.intercept + sum(parts) - why.log_odds) < 1e-10
    True
    >>> model.pooled_model_.axis_names
    ['admission itself 1', 'admission itself 2']
    """

    def __init__(
        self,
        n_topics: int | Sequence[int] | str = N_TOPICS,
        method: str = "sonmf",
        *,
        vectorizer: NotesVectorizer | None = None,
        rule: str = "min",
        min_notes: int = 200,
        own_models: str = "better",
        positive: object = None,
        random_state: int = 0,
        measurements: bool = True,
        kinds: Mapping[str, str] | None = None,
        seed_topics: Sequence[str] | None = None,
        outcome_axes: int = OUTCOME_AXES,
    ) -> None:
        self.n_topics = n_topics
        self.method = method
        self.vectorizer = vectorizer
        self.rule = rule
        self.min_notes = min_notes
        self.own_models = own_models
        self.positive = positive
        self.random_state = random_state
        self.measurements = measurements
        self.kinds = kinds
        self.seed_topics = seed_topics
        self.outcome_axes = outcome_axes

    def fit(
        self,
        notes: Iterable[object],
        disposition: Iterable[object],
        complaint: Iterable[object] | None = None,
        columns: Table = None,
        *,
        subgroups: Mapping[str, Iterable[object]] | None = None,
        stability: int = 0,
        progress: Callable[[int, int, str], None] | None = None,
    ) -> Self:
        """Learn topics and classifier of each complaint.

        Parameters
        ----------
        notes : iterable of str
            None and NaN count as empty.
        disposition : iterable
            The outcome: two values.
        complaint : iterable of str, optional
            Without it there is only the pooled model.
        columns : DataFrame or mapping of str to iterable, optional
            What else is known about each patient at triage: age, vital signs, triage level. None and NaN are missing. Rows
            match by position. A column replaces the measurement of the same name.
        subgroups : mapping of str to iterable, optional
            Columns such as sex or age band: out-of-fold figures are kept for each of their values, for the model card.
        stability : int, default=0
            Number of other draws of the patients to which the topics are fitted again; the model keeps how far each topic is
            found again, as ``sonmf.stability.bootstrap`` does. Only a fit can compute it, because a model keeps no note.
        progress : callable, optional
            Called as ``progress(done, total, complaint)`` after each fit; the pooled model has an empty name.

        Returns
        -------
        self
        """
        self._checked_parameters()
        fewest = fewest_named(self.vectorizer)
        patients = Patients.given(notes, disposition, complaint, columns, subgroups, self.positive, fewest)
        self.fit_patients(patients, progress, stability=stability)
        for remark in self.remarks_:
            warnings.warn(remark, UserWarning, stacklevel=2)
        return self

    def fit_patients(
        self,
        patients: Patients,
        progress: Callable[[int, int, str], None] | None = None,
        *,
        stability: int = 0,
        earlier: TriageModel | None = None,
    ) -> Self:
        """Fit to a table of patients. The request for them becomes the ``provenance_`` of the model.

        Parameters
        ----------
        patients : Patients
        progress : callable, optional
            As for ``fit``.
        stability : int, default=0
            As for ``fit``.
        earlier : TriageModel, optional
            Its complaints keep their numbers of topics, and SONMF starts from these.

        Returns
        -------
        self
        """
        topics = self._checked_parameters()
        if stability < 0:
            raise InputError(
                f"stability={stability} must be at least 0: it is the number of fits to other draws of the patients"
            )
        counts = patients.counts()
        own, pooled = split_by_size(counts, self.min_notes, fewest_named(self.vectorizer))
        if reason := one_sided(*map(sum, zip(*counts.values(), strict=True))):
            raise InputError(f"disposition: {reason}")
        kinds = kinds_of(patients.columns, self.kinds)
        before = earlier.by_name_ if earlier is not None else {}
        models = self._fit_complaints(patients, [POOLED, *own], topics, kinds, progress, stability, before)
        if self.own_models == BETTER:
            pooled |= {name: reason for name in own if (reason := _loses(models[name]))}
        models = {name: fitted for name, fitted in models.items() if name not in pooled}
        self.pooled_ = pooled  # nothing is assigned before all fits are done: a failed fit leaves the model as it was
        self.classes_ = patients.classes
        self.pooled_model_ = models.pop(POOLED)
        self.models_ = models
        self.provenance_: Provenance | None = None if patients.frame is None else patients.recorded
        self.evaluations_: list[Evaluation] = []
        self.lineage_: list[Step] = []
        self.created_, self.versions_ = now(), package_versions()
        self.sha256_ = ""
        unused = [UNUSED.format(name) for name in patients.columns if name not in self.columns_]
        self.remarks_ = fit_checks(patients, kinds, vectorizer_for(self.method, self.vectorizer)) + unused
        return self

    def _fit_complaints(
        self,
        patients: Patients,
        names: list[str],
        topics: list[int],
        kinds: Mapping[str, str],
        progress: Callable[[int, int, str], None] | None,
        stability: int,
        earlier: Mapping[str, ComplaintModel],
    ) -> dict[str, ComplaintModel]:
        """The models of all complaints, by name. One with an earlier model has as many topics as that, and starts from them."""
        auto = is_auto(self.n_topics)
        usual = Settings(
            method=self.method,
            vectorizer=self.vectorizer,
            rule=self.rule,
            seed=self.random_state,
            kinds=kinds,
            text_topics=topics if auto else [min(topics)],
            auto=auto,
            seeds=list(self.seed_topics or []),
            outcome_axes=self.outcome_axes,
        )
        plans = {name: _plan(usual, topics, earlier.get(name), strict_seeds=name == POOLED) for name in names}
        total = sum(fits_to_choose(numbers, settings.auto) + 1 + stability for numbers, settings in plans.values())
        done = count(1)
        models: dict[str, ComplaintModel] = {}
        of_all: Array | None = None  # held-out log-odds of the model of all complaints, which is fitted first
        for name, (numbers, settings) in plans.items():

            def advance(name: str = name) -> None:
                if progress is not None:
                    progress(next(done), total, name)

            def others(name: str = name) -> NotesAndOutcomes:
                return no_others() if name == POOLED else notes_of_others(patients, np.flatnonzero(patients.names == name))

            own = patients.of_complaint(name)
            pooled = None if of_all is None else of_all[patients.names == name]
            choose = self.own_models == BETTER
            models[name], odds = complaint_fit.fit(
                name, own, numbers, settings, self.measurements, stability, advance, pooled, choose=choose, others=others
            )
            of_all = odds if name == POOLED else of_all
        return models

    @property
    def tried_(self) -> list[int]:
        """The numbers of topics that were tried; with ``n_topics="auto"`` those that the models have."""
        if is_auto(self.n_topics):
            return sorted({fitted.n_topics for fitted in self.by_name_.values()})
        return topic_numbers(self.n_topics)

    def save(self, path: str | Path) -> None:
        """Write the model to one file, which contains no note (see ``docs/format.md``), and its evaluations beside it.

        Parameters
        ----------
        path : str or Path
        """
        check_is_fitted(self)
        self.sha256_ = model_file.save(self, Path(path))
        if self.evaluations_:
            evaluation_file.write(self, Path(path))

    @classmethod
    def load(cls, path: str | Path, expect_sha256: str | None = None) -> Self:
        """Read a model file, and the names of topics and the evaluations kept beside it; nothing in it is executed.

        Parameters
        ----------
        path : str or Path
        expect_sha256 : str, optional
            Refuse any other file than the one with this SHA-256, in hexadecimal digits.

        Returns
        -------
        TriageModel
        """
        model: Self = model_file.load(cls, Path(path), expect_sha256)
        topic_labels.apply(model, Path(path))
        model.evaluations_ = evaluation_file.read(Path(path))
        return model

    def _checked_parameters(self) -> list[int]:
        if self.method not in METHODS:
            raise InputError(f"method={self.method!r} is not known: choose one of {', '.join(METHODS)}")
        if self.own_models not in (BETTER, ALWAYS):
            raise InputError(f"own_models={self.own_models!r} must be {BETTER!r} or {ALWAYS!r}")
        check_rule(self.rule)
        check_random_state(self.random_state)
        if is_auto(self.n_topics) and METHODS[self.method].weighting == "binary":
            raise InputError(f"n_topics={AUTO!r} is not for method={self.method!r}, which has no squared error: give a number")
        check_outcome_axes(self.outcome_axes)
        check_seeds(self.seed_topics, self.method, numbers := topic_numbers(self.n_topics))
        return numbers


def _loses(fitted: ComplaintModel) -> str:
    """Why a complaint is better served by the model of all complaints, with the figures of both; empty if it is not."""
    by_figure = {difference.name: difference for difference in fitted.record.against_pooled}
    loss, area = by_figure["log_loss"], by_figure["auroc"]
    error = (loss.high - loss.low) / (2 * measures.FARTHEST)
    if loss.difference < -error:
        return ""
    return (
        f"because a model of its own is not clearly better for its {loss.patients:,} patients: log loss {loss.b:.3f} instead "
        f"of {loss.a:.3f}, AUROC {area.b:.3f} instead of {area.a:.3f}"
    )


def _plan(
    usual: Settings, topics: list[int], earlier: ComplaintModel | None, *, strict_seeds: bool
) -> tuple[list[int], Settings]:
    """Numbers of topics to try, and how to fit."""
    if earlier is None:
        return topics, replace(usual, strict_seeds=strict_seeds)
    start = WarmStart(earlier.words, earlier.components)
    texts = [len(column.components) for column in earlier.columns if isinstance(column, Text)]
    text_topics = [max(texts, default=min(usual.text_topics))]
    return [earlier.n_topics], replace(usual, auto=False, text_topics=text_topics, strict_seeds=False, start=start)
