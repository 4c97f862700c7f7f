"""What a person is told before a fit, and folds that keep a patient together."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from wards import ward

from sonmf.datasets import make_triage_notes
from sonmf.errors import InputError
from sonmf.text import NotesVectorizer
from sonmf.triage import TriageModel, evaluation
from sonmf.triage.columns import kinds_of
from sonmf.triage.fit_checks import fit_checks
from sonmf.triage.lasso import fold_numbers
from sonmf.triage.patients import Patients
from sonmf.triage.provenance import Provenance


def checks(notes, dispositions, columns=None, kinds=None, **words):
    patients = Patients.given(notes, dispositions, columns=columns)
    return fit_checks(patients, kinds_of(patients.columns, kinds), NotesVectorizer(**words))


def test_a_level_that_gives_the_outcome_away_is_named_and_others_are_not():
    notes, dispositions, _ = ward(1000)
    sick = np.array(dispositions) == "admitted"
    payer = np.random.default_rng(0).choice(["state", "private"], 1000).astype(object)
    payer[np.flatnonzero(sick)[:100]] = "self pay"
    payer[np.flatnonzero(~sick)[:3]] = "self pay"
    payer[np.flatnonzero(sick)[100:120]] = "rare"  # too few to say
    (sentence,) = checks(notes, dispositions, {"payer": payer})
    assert "column 'payer': the level 'self pay' gives the outcome away (97.1% of its 103 patients are admitted" in sentence


@pytest.mark.parametrize("complaint", ["Cough", "Stroke", "Fever", None])
def test_columns_of_honest_patients_raise_no_alarm(complaint):
    frame = make_triage_notes(3000, complaints=complaint and [complaint], details=True, random_state=2)
    columns = frame[["age", "sex", "temperature", "heart_rate", "respiratory_rate", "saturation", "ambulance"]]
    assert checks(frame["note"], frame["disposition"], columns) == []


def test_an_imputed_mean_that_repeats_is_remarked_on():
    notes, dispositions, _ = ward(600)
    age = np.random.default_rng(0).integers(18, 95, 600).astype(float)
    assert checks(notes, dispositions, {"age": age}) == []
    age[:60] = age[60:].mean()
    (sentence,) = checks(notes, dispositions, {"age": age})
    assert sentence.startswith("column 'age': 10% of the values equal the mean of the others, and may stand for missing ones")


def test_a_complaint_that_is_a_stop_word_can_be_kept():
    notes, dispositions, _ = ward(600)
    notes[:80] = ["OTHER"] * 80
    (sentence,) = checks(notes, dispositions)
    assert "80 notes have no words but 'other' and other stop words" in sentence
    assert "--keep-words other" in sentence
    assert checks(notes, dispositions, keep_words=["Other"]) == []
    assert "other" in NotesVectorizer(keep_words=["Other"]).fit(notes).vocabulary_
    assert "other" not in NotesVectorizer().fit(notes).vocabulary_


@given(st.integers(0, 10**6), st.integers(2, 5))
def test_a_person_is_in_one_fold(seed, folds):
    random = np.random.default_rng(seed)
    y = np.tile([0.0, 1.0], 100)
    person = random.integers(0, 60, 200)
    fold = fold_numbers(y, person, folds, seed % 1000)
    assert all(len(set(fold[person == one])) == 1 for one in set(person))
    assert set(fold_numbers(y, None, folds, 0)) == set(range(folds))
    with pytest.raises(InputError, match=f"patients in 200 rows is {folds - 1}, and must be at least {folds}: name the column"):
        fold_numbers(y, person % (folds - 1), folds)


@pytest.fixture(scope="module")
def visits():
    """Each patient comes three times with the same note, and the outcome is a coin that falls once for each."""
    random = np.random.default_rng(0)
    words = np.array([f"{a}{b}{c}" for a in "bcdfg" for b in "aeiou" for c in "klmnp"])
    notes = np.repeat([" ".join(random.choice(words, 12)) for _ in range(150)], 3)
    outcomes = np.repeat(random.permutation(["admitted", "discharged"] * 75), 3)
    return pd.DataFrame({"note": notes, "disposition": outcomes, "who": np.repeat(np.arange(150), 3)})


def test_figures_of_repeated_patients_are_honest_with_a_column_that_identifies_them(visits):
    areas = []
    for who in (None, "who"):
        patients = Patients.read(visits, Provenance.request(patient=who))
        model = TriageModel(80, min_notes=50).fit_patients(patients)
        areas.append(model.pooled_model_.record.out_of_fold.auroc)
        settings = evaluation.evaluation_settings(patients, methods=["words"], n_topics=[5], folds=3, min_notes=50)
        areas.append(evaluation.evaluate_patients(patients, settings, processes=1).summary()[0]["auroc"])
    leaky, leaky_judged, fair, fair_judged = areas
    assert min(leaky, leaky_judged) > 0.8
    assert max(fair, fair_judged) < 0.65
    assert model.provenance_.patient == "who"
    assert "450 rows of 150 patients: folds keep a patient together" in patients.facts


def test_the_period_of_the_data_is_kept(visits):
    frame = visits.assign(came=["2024-03-01 10:00"] * 449 + ["2024-05-31 23:00"])
    patients = Patients.read(frame, Provenance.request(time="came"))
    assert patients.recorded.period == ("2024-03-01", "2024-05-31")
    assert "arrivals from 2024-03-01 to 2024-05-31" in patients.facts
