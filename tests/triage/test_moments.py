"""A column that is missing is expected from the rest of the patient, and the probability is averaged over what stays open."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import expit
from sklearn.metrics import roc_auc_score
from wards import ward

from sonmf.datasets import make_triage_notes
from sonmf.triage import TriageModel
from sonmf.triage.model_update import apply_line
from sonmf.triage.moments import Moments, shrinkage
from sonmf.triage.patient_stream import PatientStream
from sonmf.triage.recalibration import Line


@given(st.integers(0, 10**6))
def test_what_is_expected_is_the_regression_on_what_is_known(seed):
    random = np.random.default_rng(seed)
    mixed = random.normal(size=(400, 6)) @ random.normal(size=(6, 6)) + random.normal(size=6)
    topics, parts = mixed[:, :3], mixed[:, 3:]
    moments = Moments.of(topics, parts, np.zeros(parts.shape, bool))
    missing = np.zeros(parts.shape, bool)
    missing[:, [0, 2]] = True
    expected, variance = moments.expect(topics, np.where(missing, 0.0, parts), missing)
    A = np.column_stack([np.ones(400), topics, parts[:, 1]])
    fitted = A @ np.linalg.lstsq(A, parts[:, [0, 2]], rcond=None)[0]
    spread = parts[:, [0, 2]].std(axis=0)
    np.testing.assert_allclose(expected[:, [0, 2]] / spread, fitted / spread, atol=0.2)  # a little ridge
    assert (expected[:, 1] == parts[:, 1]).all()
    left = (parts[:, [0, 2]] - fitted).sum(axis=1).var()
    assert variance.sum(axis=1) == pytest.approx(np.full(400, left), rel=0.2, abs=0.02 * spread.sum() ** 2)
    assert (variance[:, 1] == 0).all()


@pytest.mark.parametrize("variance", [0.0, 0.3, 2.0])
def test_shrunk_log_odds_are_those_of_the_mean_probability(variance):
    eta = np.linspace(-4, 4, 9)
    at, weights = np.polynomial.hermite_e.hermegauss(60)
    mean = expit(eta[:, None] + np.sqrt(variance) * at) @ weights / weights.sum()
    np.testing.assert_allclose(expit(shrinkage(variance) * eta), mean, atol=0.02)


@pytest.fixture(scope="module")
def patients():
    return make_triage_notes(3000, complaints=["Cough"], details=True, random_state=1)


@pytest.fixture(scope="module")
def model(patients):
    """Fitted without what notes state, so that a column that is not given is not known at all."""
    train = patients[:2000]
    kinds = {"esi": "category", "ambulance": "category", "sex": "category"}
    columns = train[["esi", "ambulance", "heart_rate", "saturation"]]
    kinds = {name: kinds[name] for name in columns if name in kinds}
    plain = TriageModel(5, measurements=False, kinds=kinds, outcome_axes=0)  # so that columns count for much
    return plain.fit(train["note"], train["disposition"], columns=columns)


def test_without_columns_as_many_are_expected_as_by_a_model_that_never_had_them(model, patients):
    test = patients[2000:]
    y = (test["disposition"] == "admitted").to_numpy()
    words = TriageModel(5, measurements=False, outcome_axes=0).fit(patients[:2000]["note"], patients[:2000]["disposition"])
    without, never = (one.predict_proba(test["note"])[:, 1] for one in (model, words))
    assert abs(without.sum() - y.sum()) < 2.5 * np.sqrt((without * (1 - without)).sum())
    assert roc_auc_score(y, without) > roc_auc_score(y, never) - 0.01
    blind = model.pooled_model_.forecaster
    topics_only = blind.log_odds(
        blind.encode(list(test["note"]), {})._replace(column_parts=np.zeros((len(test), len(blind.columns))))
    )
    assert expit(topics_only).sum() < without.sum() - 5  # what was forecast when a missing column added nothing


def test_absent_empty_and_missing_are_the_same(model, patients):
    notes = patients[2000:2200]["note"]
    absent = model.log_odds(notes)
    for nothing in (None, float("nan"), pd.NA, " "):
        empty = {name: [nothing] * len(notes) for name in model.columns_}
        np.testing.assert_allclose(model.log_odds(notes, columns=empty), absent, atol=1e-12)


def test_a_forecast_does_not_depend_on_the_other_patients_of_its_chunk(model, patients):
    some = patients[2000:2030].reset_index(drop=True)
    some.loc[::3, "esi"] = np.nan
    some.loc[::4, "heart_rate"] = np.nan
    whole = model.log_odds(some["note"], columns=some[model.columns_])
    alone = [model.log_odds([row["note"]], columns=row[model.columns_].to_frame().T)[0] for _, row in some.iterrows()]
    np.testing.assert_allclose(alone, whole, atol=1e-12)


def test_a_recalibrated_model_says_the_line_of_the_old_one_also_where_columns_are_missing(model, patients):
    one, line = model.pooled_model_, Line(0.4, 0.7)
    notes = [*patients[2000:2050]["note"], "zzz"]
    for columns in ({}, {"esi": np.array([2.0, None, 3.0] * 17, object)}):
        before, after = (
            fitted.forecaster.log_odds(fitted.forecaster.encode(notes, columns)) for fitted in (one, apply_line(one, line))
        )
        np.testing.assert_allclose(after, line.of(before), atol=1e-12)


def test_a_strong_column_that_a_file_does_not_have_is_a_warning_with_what_it_costs(model, patients):
    stream = PatientStream(model, patients[2000:2100][["note", "ambulance", "heart_rate"]])
    shape = {shape.name: shape for shape in model.pooled_model_.record.columns}
    assert shape["esi"].auroc_without < model.pooled_model_.record.out_of_fold.auroc - 0.005
    assert "not given, so expected from the rest of the patient: esi, saturation. WARNING: " in stream.absent
    assert f"without esi (AUROC {shape['esi'].auroc_without:.3f} instead of" in stream.absent


def test_a_column_that_is_nearly_empty_is_told_once_all_are_scored(model, patients):
    frame = patients[2000:2100].assign(esi=np.nan)
    frame.iloc[:30, frame.columns.get_loc("heart_rate")] = 900
    frame["ambulance"] = "perhaps"
    stream = PatientStream(model, frame)
    assert len(list(stream.scored())) == 1
    sentences = dict(sentence.split(": ", 1) for sentence in stream.strange_values)
    assert "missing in 100% of the patients (2% in the fit), and expected from the rest of the patient" in sentences["esi"]
    assert "forecasts are worse without esi" in sentences["esi"]
    assert "values far outside the range of the fit" in sentences["heart_rate"]
    assert sentences["ambulance"].endswith("values unknown to the fit, and count as missing: it knows False, True")


def stating(n, seed=0):
    """Patients whose notes state age and sex, as two columns do."""
    notes, dispositions, _ = ward(n, seed)
    random = np.random.default_rng(seed)
    sick = np.array([outcome == "admitted" for outcome in dispositions])
    age = np.round(np.clip(random.normal(40 + 25 * sick, 15), 1, 99))
    sex = np.where(random.random(n) < 0.5, "Frau", "Herr").astype(object)
    letters = np.where(sex == "Frau", "F", "M")
    stated = [f"{a:.0f}YO{s} {note.split('yo ')[1]}" for a, s, note in zip(age, letters, notes, strict=True)]
    return stated, dispositions, pd.DataFrame({"Age": age, "Sex": sex})


def test_an_empty_cell_falls_back_on_what_the_note_states():
    notes, dispositions, columns = stating(600)
    model = TriageModel(5).fit(notes, dispositions, columns=columns)
    given = model.log_odds(notes, columns=columns)
    np.testing.assert_allclose(model.log_odds(notes), given, atol=1e-12)
    np.testing.assert_allclose(model.log_odds(notes, columns=columns.assign(Age=None, Sex=None)), given, atol=1e-12)
    why = model.explain("86YOF cough", columns={"Sex": "Herr"})
    parts = {part.name: part for part in why.columns}
    assert (parts["Age"].value, parts["Age"].measured) == (86.0, True)
    assert (parts["Sex"].value, parts["Sex"].measured) == ("Herr", False)
    assert "Age" not in why.remark
    assert "Age" in model.explain("cough").remark
    alone = TriageModel(5, measurements=False).fit(notes, dispositions, columns=columns)
    assert not any(column.stated for column in alone.pooled_model_.columns)


def test_a_note_in_another_unit_does_not_fill_a_column():
    notes, dispositions, _ = ward(600)
    random = np.random.default_rng(0)
    fahrenheit = random.normal(99, 1.5, 600).round(1)
    celsius = [f"{note}, T {(degrees - 32) / 1.8:.1f} C" for note, degrees in zip(notes, fahrenheit, strict=True)]
    for texts in (celsius, notes):
        model = TriageModel(5).fit(texts, dispositions, columns={"temperature": fahrenheit})
        (column,) = (column for column in model.pooled_model_.columns if column.name == "temperature")
        assert not column.stated


@pytest.mark.parametrize("seed", range(5))
def test_columns_that_are_seldom_known_together_give_no_effects_beyond_all_patients(seed):
    """Pairs that were known of different patients can have correlations that contradict each other."""
    rng = np.random.default_rng(seed)
    shared, none = rng.normal(size=(1000, 1)), np.empty((1000, 0))
    parts = shared * [1, -1, 1, 1, -1, 1] + 0.3 * rng.normal(size=(1000, 6))
    moments = Moments.of(none, parts, rng.random(parts.shape) < 0.6)
    assert np.linalg.eigvalsh(moments.covariance).min() > -1e-9
    expected, _ = moments.expect(none, parts, rng.random(parts.shape) < 0.3)
    assert np.abs((expected - moments.centre) / moments.scale).max() < 10
