"""Patients with times from a table: by which clock, who counts, and what is refused."""

import numpy as np
import pandas as pd
import pytest
from msgspec.structs import replace
from wards import ward

from sonmf.beds import BedOptions
from sonmf.beds.patient_list import LOST, PatientList
from sonmf.sources import TableError
from sonmf.sources.source import FrameSource
from sonmf.triage import Provenance, TriageModel
from sonmf.triage.patient_stream import PatientStream
from sonmf.triage.provenance import Fingerprint


@pytest.fixture(scope="module")
def model():
    notes, dispositions, _ = ward(300)
    found = TriageModel(n_topics=4).fit(notes, dispositions)
    asked = ("ward.csv", "note", "disposition", None, ("admitted",), ("discharged",))
    found.provenance_ = Provenance(*asked, {"admitted": 1}, {"discharged": 1}, {}, 300)
    return found


def listed(model, asked, outcomes=None, **cells):
    frame = pd.DataFrame(cells, dtype=object).assign(note="syncope")
    if outcomes:
        frame["disposition"] = outcomes
    stream = PatientStream(model, FrameSource(frame, "ed.csv"), keep=asked.columns, rows=1)
    found = PatientList(stream, asked)
    for scored in stream.scored():
        found.add(scored)
    return found.patients()


def test_patients_come_in_the_order_of_their_arrival_with_their_own_values(model):
    arrival = ["2024-01-02 10:00", None, "2024-01-01 09:00", "2024-01-03 08:00"]
    wards, outcomes = ["b", "x", " a ", None], ["admitted", "admitted", "discharged", None]
    found, remarks = listed(model, BedOptions(by="ward", stay="2h"), outcomes, arrival=arrival, ward=wards)
    assert found.arrival.astype(str).tolist() == ["2024-01-01T09:00:00", "2024-01-02T10:00:00", "2024-01-03T08:00:00"]
    assert found.group.tolist() == ["a", "b", "unknown"]
    assert (found.departure - found.arrival == np.timedelta64(2, "h")).all()
    assert found.admitted[:2].tolist() == [0, 1]
    assert np.isnan(found.admitted[2])
    assert found.probability == pytest.approx(model.predict_proba(["syncope"])[0, 1])
    assert remarks == ["rows of ed.csv without arrival, which are left out: 1"]


def test_rows_that_repeat_another_are_told_of_and_count(model):
    arrival = ["2024-01-01 09:00", "2024-01-02 10:00", "2024-01-01 09:00", "2024-01-01 09:00"]
    found, remarks = listed(model, BedOptions(), ["admitted", "admitted", "admitted", "discharged"], arrival=arrival)
    assert len(found.arrival) == 4
    assert [said.rpartition(": ")[2] for said in remarks if "of another row" in said] == ["1"]


def test_outcomes_that_the_fit_left_out_do_not_count(model):
    found, remarks = listed(model, BedOptions(), ["left", "admitted"], arrival=["2024-01-01", "2024-01-02"])
    assert len(found.arrival) == 1
    assert remarks == ["rows of ed.csv that do not count, because the fit left out patients with their outcome: 1"]


def test_the_outcomes_of_a_model_from_python_are_known_by_their_names(model, monkeypatch):
    monkeypatch.setattr(model, "provenance_", None)
    arrival = ["2024-01-01", "2024-01-02", "2024-01-03", "2024-01-04"]
    found, remarks = listed(model, BedOptions(), ["admitted", "Discharged", "left", None], arrival=arrival)
    np.testing.assert_array_equal(found.admitted, [1, 0, np.nan, np.nan])
    assert remarks == []


def test_patients_whom_the_model_was_fitted_to_are_told_of(model, monkeypatch):
    arrival, outcomes, mark = ["2024-01-01", "2024-01-02", "2024-01-03"], ["admitted", None, "discharged"], Fingerprint()
    mark.add(["syncope"] * 2, ["admitted", "discharged"], None)
    monkeypatch.setattr(model, "provenance_", replace(model.provenance_, data=mark.hexdigest()))
    said = ["the model was fitted on the patients of ed.csv: forecasts of past days look better than they are"]
    assert listed(model, BedOptions(), outcomes, arrival=arrival)[1] == said
    assert listed(model, BedOptions(), outcomes[:2], arrival=arrival[:2])[1] == []


def test_local_times_and_instants_are_the_same_moments(model):
    local = ["2024-03-30 12:00", "2024-03-31 12:00"]
    instants = [pd.Timestamp(one, tz="Europe/Berlin") for one in local]
    asked = BedOptions(zone="Europe/Berlin")
    written, exact, text = (
        listed(model, asked, arrival=one)[0].arrival.tolist()
        for one in (local, instants, [one.isoformat() for one in instants])
    )
    assert written == exact == text


def test_instants_need_a_zone_and_mixed_ones_are_refused(model):
    with pytest.raises(TableError, match=r"ed\.csv column 'arrival' has times with an offset: give the zone of the clock"):
        listed(model, BedOptions(), arrival=["2024-03-30T12:00Z"])
    with pytest.raises(TableError, match=r"has times with a zone \(row \d\) and times without \(row \d\)"):
        listed(model, BedOptions(zone="UTC"), arrival=["2024-03-30T12:00Z", "2024-03-30T12:00"])
    with pytest.raises(
        TableError, match="of the columns 'arrival' and 'gone' only one has times with a zone: write both the same way"
    ):
        listed(model, BedOptions(zone="UTC", until="gone"), arrival=["2024-03-30T12:00Z"], gone=["2024-03-30T13:00"])


def test_a_departure_before_the_arrival_is_refused_with_its_row_and_the_remedy(model):
    told = r"rows of ed\.csv with a gone before their arrival: 1, first row 2 \(2024-01-01T08:00 before 2024-01-01T09:00\)"
    with pytest.raises(TableError, match=told):
        listed(model, BedOptions(until="gone"), arrival=["2024-01-01", "2024-01-01 09:00"], gone=[None, "2024-01-01 08:00"])


def test_who_leaves_in_the_hour_that_comes_twice_leaves_after_the_arrival(model):
    asked = BedOptions(zone="Europe/Berlin", until="gone")
    found, _ = listed(model, asked, arrival=["2024-10-27 02:50"], gone=["2024-10-27 02:10"])
    assert found.departure[0] - found.arrival[0] == np.timedelta64(20, "m")
    with pytest.raises(TableError, match=r"or give the zone of a clock that was set back \(--zone\)"):
        listed(model, asked._replace(zone=""), arrival=["2024-10-27 02:50"], gone=["2024-10-27 02:10"])


def test_a_patient_without_a_departure_is_there_until_lost(model):
    arrival, gone = ["2024-01-01 09:00", "2024-01-05 09:00", "2024-01-06 10:00"], [None, "2024-01-05 12:00", None]
    found, remarks = listed(model, BedOptions(until="gone"), arrival=arrival, gone=gone)
    assert (found.departure[[0, 2]] - found.arrival[[0, 2]] == LOST).all()
    assert remarks == ["patients of ed.csv without gone two days after their arrival, who are assumed to have left: 1"]


def test_the_order_of_days_is_asked_for_once(model):
    asked = BedOptions(time="arrival:day-first", until="gone")
    found, _ = listed(model, asked, arrival=["3/4/2024 09:00"], gone=["3/4/2024 10:00"])
    assert found.departure[0] == np.datetime64("2024-04-03T10:00:00")


def test_a_column_without_a_time_is_refused(model):
    with pytest.raises(TableError, match=r"ed\.csv has no row with a time in column 'arrival': name another column"):
        listed(model, BedOptions(), arrival=[None, ""])
