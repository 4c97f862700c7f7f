"""Patients on a shelf are the patients in memory, and nothing of them is left behind."""

from __future__ import annotations

import re
import tempfile

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from wards import ward

from sonmf.engines.blocks import resident
from sonmf.triage import TriageModel, memory
from sonmf.triage.inputs import complaint_names
from sonmf.triage.patients import Listed, apart
from sonmf.triage.shelf import Shelf

CLASSES = np.array(["discharged", "admitted"], object)
PATIENT = st.tuples(
    st.one_of(st.none(), st.text(max_size=5)),
    st.sampled_from(CLASSES),
    st.sampled_from([None, "Cough", "Fall"]),
    st.text(max_size=2),
)


def shelved(patients, cuts=()):
    shelf = Shelf(CLASSES)
    for part in np.split(np.arange(len(patients)), sorted(min(cut, len(patients)) for cut in cuts)):
        notes, dispositions, complaints, sexes = zip(*(patients[i] for i in part), strict=True) if len(part) else ([],) * 4
        shelf.add(notes, dispositions, complaints, {"sex": sexes})
    return shelf


def wards(n):
    notes, dispositions, complaints = ward(n)
    return list(zip(notes, dispositions, complaints, ["F", "M"] * (n // 2), strict=True))


@given(st.lists(PATIENT, min_size=1, max_size=12), st.lists(st.integers(0, 12), max_size=3))
def test_a_shelf_holds_the_patients_in_their_order_however_they_came(patients, cuts):
    notes, dispositions, complaints, sexes = zip(*patients, strict=True)
    names = complaint_names(complaints, len(notes))
    listed = Listed(list(notes), np.array(dispositions, object), names, {"sex": np.array(sexes, object)}, CLASSES)
    with shelved(patients, cuts) as shelf:
        assert len(shelf) == len(patients)
        assert shelf.counts() == listed.counts()
        for name in {"", *names}:
            here, there = listed.part(name), shelf.part(name)
            assert [note or "" for note in here.notes] == there.notes
            assert np.array_equal(here.y, there.y)
            assert here.subgroups["sex"].tolist() == there.subgroups["sex"].tolist()
            text = sum(len(note.encode()) for note in there.notes)
            assert shelf.sizes()[name] == (len(there.notes), text)


def test_the_model_of_all_complaints_sees_those_drawn_and_the_others_see_all():
    with shelved(wards(400)) as shelf:
        everyone, cough = shelf.part(""), shelf.part("Cough")
        shelf.draw(100, seed=1)
        drawn = shelf.part("")
        assert len(drawn.notes) == 100
        left = iter(zip(everyone.notes, everyone.y, strict=True))
        assert all(patient in left for patient in zip(drawn.notes, drawn.y, strict=True))  # in order, each once
        assert shelf.part("Cough").notes == cough.notes
        shelf.draw(100, seed=2)
        assert shelf.part("").notes != drawn.notes
        shelf.draw(10**6, seed=2)
        assert shelf.part("").notes == everyone.notes


def test_nothing_is_left_in_the_temporary_folder(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with shelved(wards(10)):
        (folder,) = tmp_path.iterdir()
        assert folder.stat().st_mode & 0o077 == 0  # nobody else may read the notes
    assert list(tmp_path.iterdir()) == []


def test_a_note_that_is_no_text_is_named_by_its_row():
    with shelved(wards(10)) as shelf, pytest.raises(ValueError, match="note 11 is int, not text"):
        shelf.add(["fine", 3], ["admitted"] * 2)


@given(st.integers(1, 10**6), st.integers(0, 10**9), st.lists(st.integers(1, 200), min_size=1, max_size=4))
def test_more_of_anything_needs_more_memory(notes, text, topics):
    least = memory.needed(notes, text, topics)
    assert memory.needed(notes + 1, text, topics) > least
    assert memory.needed(notes, text + 1, topics) > least
    assert memory.needed(notes, text, [*topics, max(topics)]) > least
    assert memory.needed(notes, text, max(topics) + 1) > memory.needed(notes, text, max(topics))


def taken():
    return max(resident(), memory.PROCESS) + memory.LATER


def test_what_does_not_fit_is_refused_and_what_the_sentence_asks_for_is_enough():
    model = TriageModel(100)
    with shelved(wards(2000)) as shelf:
        with pytest.raises(
            ValueError, match=r"is too little for the 1,0\d\d notes of \w+: give \d+MB, or fewer topics"
        ) as caught:
            memory.keep_within(taken() + 10**7, shelf, model)
        assert "at random" in memory.keep_within(re.search(r"give (\d+MB)", str(caught.value))[1], shelf, model)
        assert len(shelf.part("").notes) >= max(len(shelf.part(name).notes) for name in apart(shelf.counts(), 200)[0])
        assert memory.keep_within(taken() + 10**9, shelf, model) == ""


def test_without_complaints_all_notes_must_fit():
    patients = [(note, outcome, None, "") for note, outcome, *_ in wards(2000)]
    with shelved(patients) as shelf, pytest.raises(ValueError, match="too little for the 2,000 notes of all complaints"):
        memory.keep_within(taken() + 10**7, shelf, TriageModel(100))


def test_no_memory_at_all():
    with pytest.raises(ValueError, match=r"memory=100MB leaves no room for notes: .*; give at least \d+MB"):
        memory.room("100MB")
