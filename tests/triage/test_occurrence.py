"""A model knows which topics came in the same notes, and in which months."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import torture_model_file as torture
from hypothesis import assume, given
from hypothesis import strategies as st
from wards import ward

from sonmf.sources.source import FrameSource
from sonmf.triage import ModelFileError, Patients, Provenance, TriageModel
from sonmf.triage.complaint_fit import occurrence
from sonmf.triage.factorisations import project
from sonmf.triage.strict_json import encode
from sonmf.triage.topics_together import by_month


@pytest.fixture(scope="module")
def frame():
    notes, dispositions, complaints = ward(900, complaints=("Cough", "Fall"))
    days = np.arange(900) // 10
    arrival = (np.datetime64("2026-01-29") + days).astype(str)
    return pd.DataFrame({"note": notes, "disposition": dispositions, "complaint": complaints, "arrival": arrival})


@pytest.fixture(scope="module")
def model(frame):
    patients = Patients.read(FrameSource(frame, "ward"), Provenance.request(time="arrival"))
    return TriageModel(6, own_models="always").fit_patients(patients)


@pytest.mark.parametrize("complaint", ["", "Cough"])
def test_it_is_that_of_the_notes_of_the_fit(model, frame, complaint):
    one = model.named_model(complaint)
    own = frame if not complaint else frame[frame["complaint"] == complaint]
    Z = project(one.vectorizer.transform(own["note"]), one.components)
    found = one.record.occurrence
    assert np.allclose(found.correlation, np.corrcoef(np.maximum(Z, 0).T), atol=1e-4)
    shown = np.sqrt((Z**2).mean(axis=0)) < Z
    assert np.diag(found.notes)[:6].tolist() == shown.sum(axis=0).tolist()
    rows_of = own.assign(month=own["arrival"].str[:7]).groupby("month").indices
    assert len(found.months) >= 2
    assert all(month.notes == len(rows_of[month.month]) for month in found.months)
    for month in found.months:
        counts = shown[rows_of[month.month]].sum(axis=0)
        assert all(kept in (0, count) for kept, count in zip(month.topics, counts, strict=True))
    assert complaint or any(0 in month.topics for month in found.months)


def test_no_number_below_ten_is_kept(model):
    for one in model.by_name_.values():
        counts = np.concatenate(
            [np.ravel(one.record.occurrence.notes), *[month.topics for month in one.record.occurrence.months]]
        )
        assert ((counts == 0) | (counts >= 10)).all()
        assert all(month.notes >= 10 for month in one.record.occurrence.months)


NOTES = st.tuples(st.integers(0, 30), st.integers(0, 30))  # of a month: those that show a topic, and those that do not


@given(undated=NOTES, months=st.lists(NOTES, max_size=6))
def test_no_number_below_ten_follows_by_subtraction(undated, months):
    groups = {"NaT": undated} | {f"2026-{number:02}": notes for number, notes in enumerate(months, 1)}
    Z = np.concatenate([[1.0] * shown + [0.0] * others for shown, others in groups.values()])
    assume(len(Z) >= 10 and 0 in Z)
    times = np.repeat(np.array(list(groups), "datetime64[M]"), [sum(notes) for notes in groups.values()])
    found = occurrence(Z[:, None], times)
    check_hidden(len(Z), {name: sum(groups[name]) for name in groups}, {month.month: month.notes for month in found.months})
    kept = {month.month: month.topics[0] for month in found.months}
    check_hidden(found.notes[0][0], {name: groups[name][0] for name in kept}, {name: n for name, n in kept.items() if n})


def check_hidden(total, counts, kept):
    """What is kept is true, what is hidden adds up to 0 or to 10 or more, and at most one large number is hidden for that."""
    assert kept.items() <= counts.items()
    hidden = total - sum(kept.values())
    assert hidden == 0 or hidden >= 10
    large = [n for name, n in counts.items() if name not in {*kept, "NaT"} and n >= 10]
    assert len(large) == 0 or (len(large) == 1 and 0 < hidden - large[0] < 10)


def test_each_month_from_the_first_to_the_last_has_its_share_or_none(model):
    for one in model.by_name_.values():
        months = one.record.occurrence.months
        for k in range(6):
            rows = by_month(one, k)
            assert [name for name, _ in rows] == pd.period_range(months[0].month, months[-1].month, freq="M").astype(
                str
            ).tolist()
            kept = {month.month: pytest.approx(month.topics[k] / month.notes, abs=1e-4) for month in months if month.topics[k]}
            assert {name: share for name, share in rows if share is not None} == kept


def test_patients_without_a_time_are_in_no_month():
    Z = np.random.default_rng(0).normal(size=(60, 3))
    times = np.array(["2026-03-01"] * 30 + ["NaT"] * 25 + ["2026-04-01"] * 5, "datetime64[s]")
    assert [(month.month, month.notes) for month in occurrence(Z, times).months] == [("2026-03", 30)]
    assert occurrence(Z).months == []


def test_a_file_keeps_it_and_an_older_one_has_none(model, tmp_path):
    model.save(tmp_path / "m.sonmf")
    again = TriageModel.load(tmp_path / "m.sonmf")
    assert encode(again.pooled_model_.record.occurrence) == encode(model.pooled_model_.record.occurrence)

    def older(header):
        for complaint in header["complaints"]:
            del complaint["record"]["occurrence"]
        return header

    (tmp_path / "old.sonmf").write_bytes(torture.changed((tmp_path / "m.sonmf").read_bytes(), older))
    assert TriageModel.load(tmp_path / "old.sonmf").pooled_model_.record.occurrence is None


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"topics": [10**6] * 6}, "more notes of a month show a topic than there are"),
        ({"month": "2026-13"}, "month"),
        ({"month": "2027-01"}, "the months are not in order"),
    ],
)
def test_months_that_no_fit_can_leave_are_refused(model, tmp_path, change, problem):
    def wrong(header):
        header["complaints"][0]["record"]["occurrence"]["months"][0] |= change
        return header

    path = tmp_path / "m.sonmf"
    model.save(path)
    path.write_bytes(torture.changed(path.read_bytes(), wrong))
    with pytest.raises(ModelFileError, match=problem):
        TriageModel.load(path)
