"""Patients in a temporary store are the patients in memory, and nothing of them is left behind."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from wards import ward

from sonmf.engines.blocks import resident
from sonmf.triage import TriageModel, fit_memory
from sonmf.triage.columns import kinds_of
from sonmf.triage.inputs import complaint_names
from sonmf.triage.temporary_store import TemporaryStore
from sonmf.triage.training_patients import PatientsInMemory, split_by_size

CLASSES = np.array(["discharged", "admitted"], object)
PATIENT = st.tuples(
    st.one_of(st.none(), st.text(max_size=5)),
    st.sampled_from(CLASSES),
    st.sampled_from([None, "Cough", "Fall"]),
    st.text(max_size=2),
)


def stored(patients, cuts=()):
    store = TemporaryStore(CLASSES)
    for part in np.split(np.arange(len(patients)), sorted(min(cut, len(patients)) for cut in cuts)):
        notes, dispositions, complaints, sexes = zip(*(patients[i] for i in part), strict=True) if len(part) else ([],) * 4
        store.add(notes, dispositions, complaints, {"sex": sexes})
    return store


def wards(n):
    notes, dispositions, complaints = ward(n)
    return list(zip(notes, dispositions, complaints, ["F", "M"] * (n // 2), strict=True))


@given(st.lists(PATIENT, min_size=1, max_size=12), st.lists(st.integers(0, 12), max_size=3))
def test_a_store_holds_the_patients_in_their_order_however_they_came(patients, cuts):
    notes, dispositions, complaints, sexes = zip(*patients, strict=True)
    names = complaint_names(complaints, len(notes))
    listed = PatientsInMemory(list(notes), np.array(dispositions, object), names, CLASSES, {"sex": np.array(sexes, object)}, {})
    with stored(patients, cuts) as store:
        assert len(store) == len(patients)
        assert store.counts() == listed.counts()
        for name in {"", *names}:
            here, there = listed.part(name), store.part(name)
            assert [note or "" for note in here.notes] == there.notes
            assert np.array_equal(here.y, there.y)
            assert here.subgroups["sex"].tolist() == there.subgroups["sex"].tolist()
            text = sum(len(note.encode()) + len("{}") for note in there.notes)  # no columns
            assert store.sizes()[name] == (len(there.notes), text)


def test_the_model_of_all_complaints_sees_those_drawn_and_the_others_see_all():
    with stored(wards(400)) as store:
        everyone, cough = store.part(""), store.part("Cough")
        store.draw(100, seed=1)
        drawn = store.part("")
        assert len(drawn.notes) == 100
        left = iter(zip(everyone.notes, everyone.y, strict=True))
        assert all(patient in left for patient in zip(drawn.notes, drawn.y, strict=True))  # in order, each once
        assert store.part("Cough").notes == cough.notes
        store.draw(100, seed=2)
        assert store.part("").notes != drawn.notes
        store.draw(10**6, seed=2)
        assert store.part("").notes == everyone.notes


KEEPER = """
import os, time
from sonmf.triage.temporary_store import TemporaryStore

store = TemporaryStore(["discharged", "admitted"])
store.add([f"{n} canary " + "word " * 200 for n in range(9000)], ["admitted"] * 9000)
for name in os.listdir("/proc/self/fd"):
    link = f"/proc/self/fd/{name}"
    if os.path.islink(link) and os.stat(link).st_size > 1e6:
        print(os.readlink(link), oct(os.stat(link).st_mode & 0o777), flush=True)
time.sleep(60)
"""


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="only Linux lists the open files of a process")
def test_a_killed_process_leaves_no_note_and_nobody_could_read_them_before(tmp_path):
    environment = os.environ | {"TMPDIR": str(tmp_path)}
    process = subprocess.Popen([sys.executable, "-c", KEEPER], stdout=subprocess.PIPE, text=True, env=environment)
    path, deleted, mode = process.stdout.readline().split()
    there = list(tmp_path.rglob("*"))
    process.send_signal(signal.SIGKILL)
    process.communicate()
    assert Path(path).parent == tmp_path
    assert (deleted, mode) == ("(deleted)", "0o600")
    assert there == list(tmp_path.rglob("*")) == []


FULL = """
import resource
from sonmf import files
from sonmf.triage.temporary_store import TemporaryStore

resource.setrlimit(resource.RLIMIT_FSIZE, (10**6, 10**6))
with TemporaryStore(["discharged", "admitted"]) as store:
    try:
        store.add(["word " * 200] * 9000, ["admitted"] * 9000)
    except OSError as error:
        print(files.sentence(error))
"""


def test_a_full_disk_is_said_with_the_folder_and_the_remedy():
    said = subprocess.run([sys.executable, "-c", FULL], capture_output=True, text=True, check=True).stdout
    assert re.fullmatch(r"the temporary folder \(TMPDIR\): [a-zA-Z/ ]+; free some space, .*\n", said)


def test_a_note_that_is_no_text_is_named_by_its_row():
    with stored(wards(10)) as store, pytest.raises(ValueError, match="note 11 is int, not text"):
        store.add(["fine", 3], ["admitted"] * 2)


@given(st.integers(1, 10**6), st.integers(0, 10**9), st.lists(st.integers(1, 200), min_size=1, max_size=4))
def test_more_of_anything_needs_more_memory(notes, text, topics):
    least = fit_memory.bytes_needed(notes, text, topics)
    assert fit_memory.bytes_needed(notes + 1, text, topics) > least
    assert fit_memory.bytes_needed(notes, text + 1, topics) > least
    assert fit_memory.bytes_needed(notes, text, [*topics, max(topics)]) > least
    assert fit_memory.bytes_needed(notes, text, topics, features=1) > least
    assert fit_memory.bytes_needed(notes, text, max(topics) + 1) > fit_memory.bytes_needed(notes, text, max(topics))


def taken():
    return max(resident(), fit_memory.PROCESS) + fit_memory.LATER


def test_what_does_not_fit_is_refused_and_what_the_sentence_asks_for_is_enough():
    model = TriageModel(100)
    with stored(wards(2000)) as store:
        with pytest.raises(
            ValueError, match=r"is too little for the 1,0\d\d notes of \w+: give \d+MB, or fewer topics"
        ) as caught:
            fit_memory.keep_within(taken() + 10**7, store, model)
        assert "at random" in fit_memory.keep_within(re.search(r"give (\d+MB)", str(caught.value))[1], store, model)
        assert len(store.part("").notes) >= max(
            len(store.part(name).notes) for name in split_by_size(store.counts(), 200, 5)[0]
        )
        assert fit_memory.keep_within(taken() + 10**9, store, model) == ""


def test_columns_and_measurements_are_counted():
    columns = {
        "hr": [60.5, None, 90] * 10,
        "esi": ["1", "2", "3"] * 10,
        "history": [f"{k} long gone with old asthma" for k in range(30)],
    }
    with TemporaryStore(CLASSES) as store:
        store.add(["81yom hr 90", "fall", "sat 84%"] * 10, ["admitted", "discharged", "discharged"] * 10, columns=columns)
        bent, kinds = fit_memory.BENT, {"esi": "category"}
        assert fit_memory.of_columns(store, TriageModel([7, 9], measurements=False, kinds=kinds)) == bent + 3 + 7
        assert (
            fit_memory.of_columns(store, TriageModel(7, kinds=kinds)) == bent + 3 + 7 + 4 * bent
        )  # age, sex, pulse and saturation are stated


def test_one_column_is_in_memory_at_a_time():
    columns = {f"x{j}": [f"{j} {k} " + "long " * 20 for k in range(3000)] for j in range(8)}
    with TemporaryStore(CLASSES) as store:
        store.add(["a"] * 3000, ["admitted", "discharged", "discharged"] * 1000, columns=columns)
        tracemalloc.start()
        assert set(kinds_of(store.columns(), None).values()) == {"text"}
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < 0.5 * sum(sys.getsizeof(value) for values in columns.values() for value in values)
        assert store.columns()["x3"].tolist() == columns["x3"]
        with pytest.raises(KeyError):
            store.columns()["x9"]


def test_without_complaints_all_notes_must_fit():
    patients = [(note, outcome, None, "") for note, outcome, *_ in wards(2000)]
    with stored(patients) as store, pytest.raises(ValueError, match="too little for the 2,000 notes of all complaints"):
        fit_memory.keep_within(taken() + 10**7, store, TriageModel(100))


def test_no_memory_at_all():
    with pytest.raises(ValueError, match=r"memory=100MB leaves no room for notes: .*; give at least \d+MB"):
        fit_memory.room("100MB")
