"""One table of patients for every entrance: which rows count, what their outcomes mean, and what is said of the others."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs
from wards import ward

from sonmf.beds import BedOptions
from sonmf.beds.patient_list import PatientList
from sonmf.monitoring import Calendar
from sonmf.monitoring.patients_by_period import PatientsByPeriod
from sonmf.sources import open_table
from sonmf.triage import Provenance, TriageModel
from sonmf.triage.patient_stream import PatientStream, notes_by_complaint, read_as_fitted
from sonmf.triage.patients import Patients
from sonmf.triage.strict_json import decode, encode

VALUES = ["home", "ward", "ICU", "left", " ward ", "Ward", "HOME", None, "", "  "]
LABELS = st.lists(st.sampled_from(VALUES), max_size=30).map(lambda labels: ["home", "ward", *labels])
WARD_OR_HOME = Provenance.request(positive=("ward",), negative=("home",))
PATIENT = {"complaint": "Cough", "note": "syncope", "age": 40}


@pytest.fixture(scope="module")
def model():
    notes, dispositions, complaints = ward(450)
    return TriageModel(n_topics=4, own_models="always").fit(notes, dispositions, complaints)


@pytest.fixture
def asked_as(model, monkeypatch):
    """The model, as if it had been fitted to patients that were asked for in this way."""

    def ask(provenance):
        monkeypatch.setattr(model, "provenance_", provenance)
        return model

    return ask


def table(labels):
    words = ["syncope", "cough", "rash", "sepsis"]
    return pd.DataFrame(
        {
            "note": [f"{words[k % 4]} note{k}" for k in range(len(labels))],
            "disposition": labels,
            "complaint": [("Cough", "Fall", None)[k % 3] for k in range(len(labels))],
            "age": range(len(labels)),
            "arrival": [f"2024-01-{k % 28 + 1:02} 10:00" for k in range(len(labels))],
        }
    )


def written(folder, labels, ending=".csv"):
    path = folder / f"notes{ending}"
    frame = table(labels)
    frame.to_parquet(path) if ending == ".parquet" else frame.to_csv(path, index=False)
    return path


def meaning(label):
    return {"ward": 1.0, "home": 0.0}.get((label or "").strip().lower())


@given(labels=LABELS, ending=st.sampled_from([".csv", ".parquet"]))
def test_every_row_counts_once_or_is_said_to_be_left_out(tmp_path_factory, labels, ending):
    path = written(tmp_path_factory.mktemp("notes"), labels, ending)
    patients = Patients.read(open_table(path), WARD_OR_HOME)
    counted = [k for k, label in enumerate(labels) if meaning(label) is not None]
    assert patients.rows.tolist() == counted
    assert patients.notes == [table(labels)["note"][k] for k in counted]
    assert patients.disposition == [{1.0: "ward", 0.0: "home"}[meaning(labels[k])] for k in counted]
    left = len(labels) - len(counted)
    asked = patients.asked
    assert [sum(rows.values()) for rows in (asked.admitted, asked.not_admitted, asked.left_out)] == [
        patients.outcomes.sum(), (patients.outcomes == 0).sum(), left,
    ]  # fmt: skip
    assert asked.rows == len(labels)
    assert [remark.split(":")[0] for remark in patients.remarks] == (
        [f"{left} row{'s' * (left > 1)} left out by disposition"] if left else []
    )


@given(labels=LABELS, groups=st.booleans())
def test_asked_again_as_it_was_written_down_it_is_the_same_table(labels, groups):
    asked = Provenance.request(
        positive=("ward",),
        negative=("home",),
        columns=("age",),
        kinds={"age": "number"},
        missing=("3",),
        subgroups=("age",) if groups else (),
    )
    first = Patients.read(table(labels), asked)
    again = Patients.read(table(labels), like=decode(Provenance, encode(first.recorded)))
    assert again.recorded == first.recorded
    for name in ("notes", "complaint", "disposition", "remarks"):
        assert getattr(again, name) == getattr(first, name)
    for mine, its in ((first.columns, again.columns), (first.subgroups, again.subgroups)):
        assert {name: values.tolist() for name, values in mine.items()} == {
            name: values.tolist() for name, values in its.items()
        }


@given(labels=LABELS, rows=st.integers(1, 40))
def test_any_split_into_chunks_gives_the_same_patients(model, labels, rows):
    whole = PatientStream(model, table(labels)).read()
    stream = PatientStream(model, table(labels), rows=rows)
    chunks = list(stream.scored())
    assert [note for chunk in chunks for note in chunk.patients.notes] == whole.notes
    for name in ("rows", "outcomes", "left_out", "names"):
        together = np.concatenate([getattr(chunk.patients, name) for chunk in chunks])
        np.testing.assert_array_equal(together, getattr(whole, name))
    together = np.concatenate([chunk.log_odds for chunk in chunks])
    np.testing.assert_allclose(together, model.log_odds(whole.notes, whole.complaint), rtol=1e-12)
    remarks = [score.remark for chunk in chunks for score in chunk.explained()]
    assert remarks == [score.remark for score in stream.score(whole).explained()]


@given(labels=LABELS, negative=st.sampled_from([("home",), ()]))
def test_every_entrance_agrees_on_who_is_admitted_and_who_is_left_out(model, labels, negative):
    frame = table(labels)
    fitted = Patients.read(frame, Provenance.request(positive=("ward",), negative=negative))
    model.provenance_ = fitted.recorded
    try:
        stream = PatientStream(model, frame, keep=["arrival"], rows=7)
        whole = stream.read()
        np.testing.assert_array_equal(np.flatnonzero(np.isfinite(whole.outcomes)), fitted.rows)
        np.testing.assert_array_equal(whole.outcomes[fitted.rows], fitted.outcomes)
        assert whole.left_out.sum() + sum(not (label or "").strip() for label in labels) == len(frame) - len(fitted)
        updated = read_as_fitted(model, frame)
        assert (updated.rows.tolist(), updated.outcomes.tolist()) == (fitted.rows.tolist(), fitted.outcomes.tolist())
        monitored = [
            scored.patients
            for scored, _ in PatientsByPeriod(model, frame, Provenance.request(time="arrival"), Calendar("month"))
        ]
        counted = whole.only(np.flatnonzero(~whole.left_out))
        np.testing.assert_array_equal(np.concatenate([some.rows for some in monitored]), counted.rows)
        np.testing.assert_array_equal(np.concatenate([some.outcomes for some in monitored]), counted.outcomes)
        listed = PatientList(stream, BedOptions())
        for scored in stream.scored():
            listed.add(scored)
        beds, _ = listed.patients()
        assert Counter(beds.admitted[np.isfinite(beds.admitted)]) == Counter(fitted.outcomes)
        assert len(beds.arrival) == len(counted)
    finally:
        model.provenance_ = None


@given(st.lists(st.sampled_from(["admitted", "Admitted", " ADMITTED", "home", "Home "]), max_size=20))
def test_values_that_differ_in_case_or_blanks_are_one(labels):
    labels = ["admitted", "home", *labels]
    plain = Patients.read(table([label.strip().lower() for label in labels]), Provenance.request())
    spelled = Patients.read(table(labels), Provenance.request())
    assert spelled.outcomes.tolist() == plain.outcomes.tolist()
    assert spelled.asked.admitted == plain.asked.admitted
    assert list(spelled.asked.not_admitted.values()) == list(plain.asked.not_admitted.values())
    assert Counter(spelled.disposition)["admitted"] == sum(label.strip().lower() == "admitted" for label in labels)


def test_whole_numbers_are_the_same_outcome_however_a_file_writes_them(tmp_path):
    asked = Provenance.request(positive=("1",), negative=("0",))
    whole, gaps = ([1, 0, 1, 0], [1, 0, None, 1])
    for name, labels, expected in (("text.csv", whole, whole), ("floats.csv", gaps, [1, 0, 1]), ("f.parquet", gaps, [1, 0, 1])):
        frame = table(labels)
        frame.to_parquet(tmp_path / name) if name.endswith("parquet") else frame.to_csv(tmp_path / name, index=False)
        assert Patients.read(open_table(tmp_path / name), asked).outcomes.tolist() == expected


def test_a_model_from_python_knows_its_two_outcomes_and_no_other(model):
    labels = ["admitted", "Discharged", "left", None]
    for patients in (PatientStream(model, table(labels)).read(), next(iter(PatientStream(model, table(labels), rows=4)))):
        np.testing.assert_array_equal(patients.outcomes, [1, 0, np.nan, np.nan])
        assert not patients.left_out.any()
    learned = read_as_fitted(model, table(labels))
    assert learned.disposition == ["admitted", "discharged"]
    assert learned.remarks == ("2 rows left out by disposition: 1 (missing), 1 (1 other value)",)


def test_reading_returns_its_remarks_and_prints_nothing(tmp_path, capsys):
    path = written(tmp_path, ["admitted", "home", "left", None] * 6 + ["daughter"])  # where a row has shifted
    patients = Patients.read(open_table(path), Provenance.request(subgroups=("age",)))
    assert patients.remarks == (
        "6 rows left out by disposition: 6 (missing)",
        "not admitted: 6 home, 6 left, 1 (1 other value) (choose with --negative)",
    )
    assert Counter(patients.disposition) == {"admitted": 6, "not admitted": 13}
    assert capsys.readouterr() == ("", "")


def test_one_outcome_is_refused_with_the_rows_that_are_left_out(tmp_path):
    path = written(tmp_path, ["admitted"] * 3 + [None] * 2)
    with pytest.raises(
        ValueError, match=r"'admitted' in column 'disposition' \(2 rows left out .* \(missing\)\): patients of both"
    ):
        Patients.read(open_table(path))


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"positive": ("wrad",)}, r"--positive wrad: column 'disposition' has no such value \(did you mean 'ward'\?\)"),
        ({"positive": ("ward",), "negative": ("hme",)}, "--negative hme: column 'disposition' has no such value"),
        ({"label": "dispositon"}, r"has no column 'dispositon' \(did you mean 'disposition'\?\)"),
        ({"preset": "nice"}, "--preset nice: there are altered-consciousness, neiss, mimic-iv-ed"),
        ({"positive": ("ward",), "columns": ("note",)}, "--column note: it is the note or the outcome"),
        ({"positive": ("ward",), "subgroups": ("age:18", "age:65")}, "--subgroup age is given twice: name each column once"),
        ({"positive": ("ward",), "columns": ("pulse",)}, "has no column 'pulse'"),
    ],
)
def test_what_cannot_be_meant_is_refused(asked, message):
    with pytest.raises(ValueError, match=message):
        Patients.read(table(["home", "ward"] * 5), Provenance.request(**asked))


def test_a_stream_takes_the_columns_of_the_fit_where_they_are_there_else_the_usual_ones(asked_as):
    frame = table(["home", "ward"])
    fitted = structs.replace(WARD_OR_HOME, text="narrative", group="cc", label="fate", rows=9)
    renamed = frame.rename(columns={"note": "narrative", "complaint": "cc", "disposition": "fate"})
    for rows in (frame, renamed, renamed.assign(note="zebra", complaint="Nowhere")):
        patients = PatientStream(asked_as(fitted), rows).read()
        assert (patients.notes, patients.names.tolist()) == (list(frame["note"]), ["Cough", "Fall"])
    with pytest.raises(ValueError, match="has no column 'narrative'"):
        PatientStream(asked_as(fitted), frame.drop(columns="note"))
    with pytest.raises(ValueError, match="has no column 'ward'"):
        PatientStream(asked_as(fitted), frame, keep=["ward"])


def test_what_is_missing_is_said(model):
    stream = PatientStream(model, table(["home"]).drop(columns="complaint"))
    (said,) = stream.remarks
    assert said.startswith("the table has no column 'complaint', so every patient gets the model of all complaints")


def test_typical_notes_are_listed_by_complaint(model):
    found = notes_by_complaint(PatientStream(model, table(["home"] * 6), rows=4))
    assert {name: len(notes) for name, notes in found.items()} == {"": 6, "Cough": 2, "Fall": 2}


def test_a_code_for_missing_is_one_however_its_file_spells_it(tmp_path):
    frame = pd.DataFrame({"note": ["a", "b", "c"], "disposition": ["admitted", "home", "home"], "age": [999, None, 40]})
    asked = Provenance.request(columns=("age",), missing=("999",), subgroups=("age:65",))
    for name, cells in (("text.csv", frame.astype({"age": "Int64"})), ("floats.csv", frame), ("floats.parquet", frame)):
        cells.to_parquet(tmp_path / name) if name.endswith("parquet") else cells.to_csv(tmp_path / name, index=False)
        patients = Patients.read(open_table(tmp_path / name), asked)
        assert [value is None or value != value for value in patients.columns["age"]] == [True, True, False]
        assert patients.subgroups["age"].tolist() == ["unknown", "unknown", "under 65"]


def test_ages_are_in_bands_of_twenty_years():
    patients = Patients.read(table(["admitted", "home"] * 20), Provenance.request(subgroups=("age",)))
    assert patients.subgroups["age"].tolist() == ["under 20"] * 20 + ["20 to under 40"] * 20
    asked = Provenance.request(subgroups=("age:15",))
    assert set(Patients.read(table(["admitted", "home"] * 20), asked).subgroups["age"]) == {"under 15", "15 and over"}
