"""What a fitted model says about patients, each of whom is served by the model of the complaint."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
from sklearn.utils.validation import check_is_fitted

from sonmf.errors import InputError
from sonmf.sources.errors import did_you_mean
from sonmf.triage import measures
from sonmf.triage.admission_count import Beds, expected_admissions
from sonmf.triage.columns import Table, column_arrays
from sonmf.triage.complaint import ComplaintModel
from sonmf.triage.explanation import Explanation
from sonmf.triage.factorisations import fewest_named
from sonmf.triage.inputs import POOLED, check_lengths, complaint_name, complaint_names, note_list
from sonmf.triage.patient_scores import Scored
from sonmf.triage.patients import Patients
from sonmf.triage.records import Merit
from sonmf.types import Array


class Forecasts:
    """The part of ``TriageModel`` that needs only the models of the complaints, however they were fitted."""

    classes_: Array
    models_: dict[str, ComplaintModel]
    """The models of the complaints that have one of their own, by name."""
    pooled_model_: ComplaintModel
    pooled_: dict[str, str]
    """Why the other complaints have none."""

    def predict_proba(self, notes: Iterable[object], complaint: Iterable[object] | None = None, columns: Table = None) -> Array:
        """Probabilities of the two ``classes_``, discharged and admitted.

        Parameters
        ----------
        notes, complaint, columns
            As for ``fit``; what a column that is not given adds is expected from the rest of the patient.

        Returns
        -------
        ndarray of shape (n_notes, 2)
        """
        p = measures.probability(self.log_odds(notes, complaint, columns))
        return np.column_stack([1 - p, p])

    def predict(self, notes: Iterable[object], complaint: Iterable[object] | None = None, columns: Table = None) -> Array:
        """The likelier of the two ``classes_``.

        Parameters
        ----------
        notes, complaint, columns
            As for ``fit``; what a column that is not given adds is expected from the rest of the patient.

        Returns
        -------
        ndarray of shape (n_notes,)
        """
        return np.asarray(self.classes_[(self.log_odds(notes, complaint, columns) > 0).astype(int)])

    def score(
        self,
        notes: Iterable[object],
        disposition: Iterable[object],
        complaint: Iterable[object] | None = None,
        columns: Table = None,
    ) -> float:
        """Share of the notes whose disposition is the likelier one.

        Parameters
        ----------
        notes, disposition, complaint, columns
            As for ``fit``; what a column that is not given adds is expected from the rest of the patient.

        Returns
        -------
        float
        """
        return float(np.mean(self.predict(notes, complaint, columns) == np.asarray(list(disposition), object)))

    def log_odds(self, notes: Iterable[object], complaint: Iterable[object] | None = None, columns: Table = None) -> Array:
        """log(p / (1 - p)) of admission.

        Parameters
        ----------
        notes, complaint, columns
            As for ``fit``; what a column that is not given adds is expected from the rest of the patient.

        Returns
        -------
        ndarray of shape (n_notes,)
        """
        check_is_fitted(self)
        return Scored(self, Patients.arriving(notes, complaint, columns)).log_odds

    def expected_admissions(
        self, notes: Iterable[object], complaint: Iterable[object] | None = None, columns: Table = None, level: float = 0.9
    ) -> Beds:
        """sum of P(admitted): beds to prepare for these patients, with an interval.

        Every patient counts, so leave out those who have gone: a model that was fitted without patients who left still expects
        some of them in a bed. ``provenance_.leaves_out(outcome)`` tells which outcomes the fit left out.

        Parameters
        ----------
        notes, complaint, columns
            As for ``fit``; what a column that is not given adds is expected from the rest of the patient.
        level : float, default=0.9

        Returns
        -------
        Beds
        """
        return expected_admissions(self.predict_proba(notes, complaint, columns)[:, 1], level)

    def explain(self, note: str, complaint: str | None = None, columns: Mapping[str, object] | None = None) -> Explanation:
        """log-odds = intercept + topics + axes + columns, and each topic or axis = its words: one forecast in exact parts.

        Parameters
        ----------
        note : str
        complaint : str, optional
        columns : mapping of str to number or str, optional
            One value for each column that is known.

        Returns
        -------
        Explanation
        """
        given = {str(name): np.array([value], object) for name, value in (columns or {}).items()}
        return self.model_for(complaint).explain(note, given, self.remark(complaint))

    def merit(
        self, notes: Iterable[object], disposition: Iterable[object], complaint: str | None = None, columns: Table = None
    ) -> Merit:
        """Admission rate by the number of signals (topics, axes and columns) a patient shows, for the notes of one complaint.

        Parameters
        ----------
        notes, disposition, columns
            As for ``fit``.
        complaint : str, optional

        Returns
        -------
        Merit
        """
        model = self.model_for(complaint)
        y = (np.asarray(list(disposition), object) == self.classes_[1]).astype(float)
        return model.merit(model.forecaster.encode(notes := note_list(notes), column_arrays(columns, len(notes))), y)

    def model_for(self, complaint: object) -> ComplaintModel:
        """The model that serves a complaint.

        Parameters
        ----------
        complaint : str or None

        Returns
        -------
        ComplaintModel
        """
        check_is_fitted(self)
        return self.models_.get(complaint_name(complaint), self.pooled_model_)

    def named_model(self, complaint: str) -> ComplaintModel:
        """The model of a complaint that has one of its own, or of all for the empty name.

        Any other name is refused, and one that is pooled told apart.
        """
        check_is_fitted(self)
        if complaint in self.by_name_:
            return self.by_name_[complaint]
        if reason := self.pooled_.get(complaint):
            raise InputError(f"{complaint!r} has no model of its own: {reason}; the model of all complaints serves it")
        there = ", ".join(self.models_) or "only the model of all complaints"
        raise InputError(
            f"the model has no complaint {complaint!r}{did_you_mean(complaint, [*self.models_, *self.pooled_])}: it has {there}"
        )

    def remark(self, complaint: object) -> str:
        """Why the pooled model serves this complaint; empty if it has its own model, or if none was named."""
        name = complaint_name(complaint)
        if name in self.models_ or name == POOLED:
            return ""
        few = fewest_named(self.pooled_model_.vectorizer)
        reason = self.pooled_.get(name, f"it does not occur in the training notes, or in fewer than {few} of them")
        return f"the model of all complaints is used for {name!r}: {reason}"

    def by_model(self, complaint: Iterable[object] | None, n: int) -> list[tuple[ComplaintModel, Array]]:
        """Which rows of n notes each model serves."""
        check_is_fitted(self)
        names = complaint_names(complaint, n)
        check_lengths(n, {"complaint": names})
        models = np.array([name if name in self.models_ else POOLED for name in names], object)
        return [(self.model_for(name), np.flatnonzero(models == name)) for name in sorted(set(models))]

    def put(self, model: ComplaintModel) -> None:
        """Put a model in the place of the one of the same complaint."""
        if model.name == POOLED:
            self.pooled_model_ = model
        else:
            self.models_ = self.models_ | {model.name: model}

    @property
    def by_name_(self) -> dict[str, ComplaintModel]:
        """Every model by complaint, first that of all complaints, whose name is empty."""
        return {POOLED: self.pooled_model_, **self.models_}

    @property
    def columns_(self) -> list[str]:
        """The columns beside the note that any of the models uses."""
        return self._columns_where(measured=False)

    @property
    def measured_(self) -> list[str]:
        """The measurements, read from the note, that any of the models uses."""
        return self._columns_where(measured=True)

    def _columns_where(self, *, measured: bool) -> list[str]:
        columns = [column for model in self.by_name_.values() for column in model.columns]
        return list(dict.fromkeys(column.name for column in columns if column.measured == measured))
