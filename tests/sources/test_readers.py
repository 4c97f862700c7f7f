from __future__ import annotations

import gzip
from pathlib import Path

import pandas as pd
import pytest

from sonmf.datasets import PRESETS, read_altered_consciousness, read_mimic_iv_ed, read_neiss
from sonmf.sources import TableError, open_table
from sonmf.text import NotesVectorizer

CONSCIOUSNESS = Path(__file__).parents[2].parent / "shared/data/altered_consciousness/triage.csv.gz"
NECK = Path(__file__).parents[2].parent / "shared/data/neiss_neck/neiss_neck_2003_2022.csv.gz"

NEISS = (
    "CPSC_Case_Number\tTreatment_Date\tAge\tSex\tRace\tDisposition\tProduct_1\tNarrative_1\n"
    "001\t01/02/2020\t34\t1\t2\t1\t4057\t34YOM FELL OFF LADDER. DX: FRACTURE NECK\n"
    "002\t01/02/2020\t209\t2\t0\t4\t1842\t9MOF FELL DOWN STAIRSDX CHI ADMITTED\n"
    "003\t01/03/2020\t0\t0\t\t2\t\tDX FX\n"
    "004\t01/03/2020\t99\t2\t1\t5\t\t99YOF SLID OUT OF BED >>DX HIP PAIN\n"
    "005\t01/03/2020\t40\t1\t1\t6\t\tHIT BY BAT, DIAGNOSIS: CONTUSION\n"
    "006\t01/03/2020\t40\t1\t1\t8\t\tNO PULSE ON ARRIVAL\n"
    "007\t01/03/2020\t40\t1\t1\t\t\tINDEX FINGER CAUGHT IN DOOR\n"
)


@pytest.fixture
def year(tmp_path):
    path = tmp_path / "neiss2020.tsv"
    path.write_text(NEISS)
    return path


def test_neiss_codes_become_words(year):
    frame = read_neiss(year)
    assert list(frame) == ["id", "note", "disposition", "age", "sex", "date", "race", "product"]
    assert frame["id"].tolist() == [f"00{i}" for i in range(1, 8)]
    assert frame["disposition"].tolist() == [
        "discharged", "admitted", "transferred", "observation", "left", "died", "unknown",
    ]  # fmt: skip
    assert frame["age"].iloc[:2].tolist() == [34, 0.75]
    assert frame["age"].isna().tolist() == [False, False, True, False, False, False, False]
    assert [sex if isinstance(sex, str) else None for sex in frame["sex"][:3]] == ["M", "F", None]
    assert frame["race"].iloc[0] == "black"


def test_neiss_notes_end_where_the_diagnosis_begins(year):
    notes = [note if isinstance(note, str) else None for note in read_neiss(year)["note"]]
    assert notes == [
        "34YOM FELL OFF LADDER",
        "9MOF FELL DOWN STAIRS",
        None,
        "99YOF SLID OUT OF BED",
        "HIT BY BAT",
        "NO PULSE ON ARRIVAL",
        "INDEX FINGER CAUGHT IN DOOR",
    ]


def test_neiss_years_are_put_together_whatever_their_columns(year, tmp_path):
    old = tmp_path / "neiss2005.csv.gz"
    header = "CPSC Case #,trmt_date,age,sex,diag,disposition,narr1,narr2\n"
    old.write_bytes(gzip.compress((header + "9,1/1/2005,5,Male,57,4.0,FELL OFF ,SWING DX FX\n").encode()))
    frame = read_neiss(year, old)
    assert len(frame) == 8
    assert list(frame) == ["id", "note", "disposition", "age", "sex", "date"]  # those that both files have
    assert frame.iloc[-1].tolist() == ["9", "FELL OFF SWING", "admitted", 5.0, "M", "1/1/2005"]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("Disposition\t", "Outcome\t", "has no column 'disposition'"),
        ("Narrative_1", "Story", "has no column 'narrative'"),
        (
            "\t4\t1842",
            "\t3\t1842",
            "row 2, column 'Disposition': a value such as 9 is not in NEISS as disposition: it has the codes 1, 2, 4",
        ),
        ("\t34\t", "\told\t", "row 1, column 'Age': a text of 3 letters is not in NEISS as age"),
    ],
)
def test_what_neiss_does_not_have_is_named(year, old, new, message):
    year.write_text(NEISS.replace(old, new))
    with pytest.raises(TableError, match=message) as caught:
        read_neiss(year)
    assert str(year) in str(caught.value)


def test_neiss_needs_a_file():
    with pytest.raises(ValueError, match="at least one file"):
        read_neiss()


@pytest.mark.data
def test_the_prepared_neck_injuries():
    frame, prepared = read_neiss(NECK), pd.read_csv(NECK)
    assert frame["disposition"].tolist() == prepared["disposition"].tolist()
    assert frame["age"].equals(prepared["age"])
    assert (frame["sex"] == prepared["sex"].str[0]).all()
    notes = zip(frame["note"].fillna(""), prepared["narrative_nodx"].fillna(""), strict=True)
    assert all(cut.startswith(note) for note, cut in notes)
    assert not frame["note"].str.contains(r"\bDX|DX\b").any()
    counted = frame["disposition"].isin(PRESETS["neiss"].positive + PRESETS["neiss"].negative)
    assert counted.sum() == 6747 + 3603  # shared/data/README.md


STAYS = (
    "subject_id,hadm_id,stay_id,intime,outtime,gender,race,arrival_transport,disposition\n"
    "10,20,30,2180-05-06,2180-05-07,F,WHITE,AMBULANCE,ADMITTED\n"
    "10,,31,2181-05-06,2181-05-07,F,WHITE,WALK IN,HOME\n"
    "11,,32,2180-01-01,2180-01-01,M,ASIAN,WALK IN,ELOPED\n"
    "12,,33,2180-01-01,2180-01-01,M,OTHER,WALK IN,\n"
)
SEEN = (
    "subject_id,stay_id,temperature,heartrate,resprate,o2sat,sbp,dbp,pain,acuity,chiefcomplaint\n"
    '10,31,98.4,70,16,97,106,63,critical,3,"Abd pain, Distention"\n'
    "10,30,99.1,91,24,88,178,92,0,2,Dyspnea\n"
    "11,32,,,,,,,,,\n"
)


@pytest.fixture
def stays(tmp_path):
    (tmp_path / "edstays.csv").write_text(STAYS)
    (tmp_path / "triage.csv.gz").write_bytes(gzip.compress(SEEN.encode()))
    return tmp_path


def test_mimic_stays_meet_their_triage(stays):
    frame = read_mimic_iv_ed(stays)
    assert frame["id"].tolist() == ["30", "31", "32", "33"]
    assert frame["note"].iloc[:2].tolist() == ["Dyspnea", "Abd pain, Distention"]
    assert frame["note"].iloc[2:].isna().all()
    assert frame["disposition"].tolist() == ["admitted", "discharged", "left", "unknown"]
    assert frame["acuity"].iloc[:2].tolist() == [2, 3]
    assert frame["pain"].isna().tolist() == [False, True, True, True]
    assert {"sex", "race", "subject_id", "sbp", "o2sat"} <= set(frame)


def test_mimic_by_its_files_or_its_outer_folder(stays):
    frame = read_mimic_iv_ed(stays)
    assert read_mimic_iv_ed(stays / "edstays.csv").equals(frame)
    assert read_mimic_iv_ed(stays / "edstays.csv", stays / "triage.csv.gz").equals(frame)
    inner = stays / "mimic-iv-ed" / "ed"
    inner.mkdir(parents=True)
    for name in ("edstays.csv", "triage.csv.gz"):
        (stays / name).rename(inner / name)
    assert read_mimic_iv_ed(inner.parent).equals(frame)


def test_what_mimic_lacks_is_named(stays):
    with pytest.raises(TableError, match=r"edstays\.cvs does not exist \(did you mean 'edstays\.csv'\?\)"):
        read_mimic_iv_ed(stays / "edstays.cvs", stays / "triage.csv.gz")
    (stays / "triage.csv.gz").write_bytes(gzip.compress(SEEN.replace("acuity", "esi").encode()))
    with pytest.raises(TableError, match=r"triage\.csv\.gz has no column 'acuity'"):
        read_mimic_iv_ed(stays)
    (stays / "edstays.csv").write_text(STAYS.replace(",31,", ",30,"))
    (stays / "triage.csv.gz").write_bytes(gzip.compress(SEEN.encode()))
    with pytest.raises(TableError, match=r"edstays\.csv row 2 has the stay_id of an earlier row"):
        read_mimic_iv_ed(stays)
    (stays / "triage.csv.gz").unlink()
    with pytest.raises(TableError, match=r"has no triage\.csv\.gz or triage\.csv: give the folder 'ed'"):
        read_mimic_iv_ed(stays)


PATIENTS = (
    "DISPOSITION,CTAS,EMS,PainScale,Temp,Heart.Rate,Resp.Rate,SystolicBP,DistolicBP,SAT.O2,MedicalHistory,TriageNote\n"
    "A,2,Y,8/10,36.5,402,15,105,70,990,CHF,GCS 12\n"
    "D,3,N,,,75,0,300,200,100,,ETOH\n"
    "A,1,Y,11/10,45,20,3,40,15,30,,\n"
)


@pytest.fixture
def patients(tmp_path):
    path = tmp_path / "triage.csv"
    path.write_text(PATIENTS)
    return path


def test_impossible_vital_signs_are_missing_and_counted(patients):
    frame = read_altered_consciousness(patients)
    assert frame["disposition"].tolist() == ["admitted", "discharged", "admitted"]
    assert frame["heart_rate"].isna().tolist() == [True, False, False]
    assert frame["saturation"].isna().tolist() == [True, False, False]
    assert frame["respiratory_rate"].isna().tolist() == [False, True, False]
    assert frame["pain"].isna().tolist() == [False, True, True]
    assert frame[["systolic", "diastolic"]].notna().all(axis=None)  # the ends of a range are possible
    assert frame["note"].isna().tolist() == [False, False, True]
    assert frame.attrs["remarks"] == [
        "4 impossible values count as missing: 1 pain, 1 heart rate, 1 respiratory rate, 1 saturation"
    ]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("SAT.O2", "Sats", r"has no column 'SAT\.O2'"),
        ("D,3", "X,3", "row 2, column 'DISPOSITION': a text of 1 letter is not a value of the published file, which has A"),
        ("36.5", "warm", "row 1, column 'Temp': a text of 4 letters is not a value of the published file, which has a number"),
    ],
)
def test_what_the_published_file_does_not_have_is_named(patients, old, new, message):
    patients.write_text(PATIENTS.replace(old, new))
    with pytest.raises(TableError, match=message) as caught:
        read_altered_consciousness(patients)
    assert str(patients) in str(caught.value)


@pytest.mark.data
def test_the_papers_own_notes():
    frame = read_altered_consciousness(CONSCIOUSNESS)
    assert frame["disposition"].value_counts().to_dict() == {"admitted": 2670, "discharged": 2550}  # the paper's first row
    assert frame["note"].isna().sum() == 27  # shared/data/README.md
    raw = pd.read_csv(CONSCIOUSNESS)
    lost = raw.notna().sum().sum() - frame.drop(columns="id").notna().sum().sum()
    assert frame.attrs["remarks"][0].startswith(f"{lost} impossible values")
    assert frame["saturation"].max() <= 100 < raw["SAT.O2"].max()


@pytest.mark.parametrize(
    ("name", "source"), [("neiss", "year"), ("mimic-iv-ed", "stays"), ("altered-consciousness", "patients")]
)
def test_a_preset_names_columns_and_labels_that_its_reader_gives(name, source, request):
    preset = PRESETS[name]
    frame = preset.open(open_table(request.getfixturevalue(source))).read()
    assert {"id", preset.text, preset.label, *preset.subgroups} <= set(frame)
    assert {*preset.positive, *preset.negative} <= set(frame[preset.label])
    assert not set(preset.positive) & set(preset.negative)


def test_words_that_tell_the_outcome_are_dropped_in_all_their_forms():
    admitted = "ADMITTED ADMITS ADMISSION HOSPITALIZATION TRANSFERRED TRANSFERED TRANSFERRING XFER OBSERVED"
    others = "DISCHARGED DISCHARGES RELEASES EXPIRES ELOPED AMA LWBS"
    notes = [f"FELL ON LEFT HIP {word}" for word in f"{admitted} {others}".split()]
    for preset in (PRESETS["neiss"], PRESETS["mimic-iv-ed"]):  # written after the visit
        kept = set(NotesVectorizer(min_df=1, drop_words=preset.drop_words).fit(notes).vocabulary_)
        assert kept == {"fell", "left", "hip"}
