"""What is written in any of the usual forms is read back; what only looks like a measurement is not."""

from __future__ import annotations

import math
import re
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sonmf.datasets import COMPLAINTS, cases, make_triage_notes
from sonmf.datasets.writing import write_vitals
from sonmf.text import located, measurements
from sonmf.text.note_numbers import COLUMNS, RANGES

MG_DL = 18.016

FORMS = {  # name: (forms with {} for the number as it is written, its values, from that number to the result)
    "age": [
        (
            ["{}yof", "{} y/o m", "{}yo", "{} YR OLD", "a {} year old", "{}-year-old", "{} Y O F", "{}y.o.", "{}YF"],
            (2, 105),
            float,
        ),
        (["{} mo M", "{}MOF", "{} month old", "{} m/o girl"], (1, 23), lambda months: months / 12),
        (["{} wk old", "{} week old boy", "{} wk f"], (1, 30), lambda weeks: weeks * 7 / 365.25),
        (["{} day old"], (1, 30), lambda days: days / 365.25),
    ],
    "saturation": [
        (
            ["sat {}% ra", "SpO2 {}", "O2 sat {}% on RA", "sats {}", "{}% RA", "pulse ox {}%", "sats on ra {}", "o2 {}%"],
            (40, 100),
            float,
        )
    ],
    "heart_rate": [(["HR {}", "P {}", "pulse {}", "hr: {}", "HR{}", "heart rate of {}", "{} bpm", "p={}"], (25, 240), float)],
    "respiratory_rate": [(["RR {}", "resp {}", "R {}", "resps {}/min", "RR={}", "respiratory rate {}"], (10, 80), float)],
    "temperature": [
        (["T {}.4", "temp {}.4", "T{}.4C", "{}.4 C", "tmax {}.4", "febrile at {}.4", "{}.4 temp"], (30, 42), lambda c: c + 0.4),
        (["T {}.3", "temp {}.3F", "{}.3F", "fever to {}.3"], (94, 108), lambda f: (f + 0.3 - 32) / 1.8),
    ],
    "pain": [
        (
            ["pain {}/10", "{}/10 pain", "pain scale {}", "{}/10 chest pain", "pain {} out of 10", "headache {}/10"],
            (0, 10),
            float,
        )
    ],
    "gcs": [(["GCS {}", "GCS={}", "gcs of {}", "gcs{}", "GCS now {}", "GCS {}/15"], (3, 15), float)],
    "glucose": [
        (["BGL {}.9", "CBG {}.9", "sugar {}.9", "glucose {}.9mmol/L", "bs of {}.9"], (1, 34), lambda mmol: mmol + 0.9),
        (["BS {}", "glucose {}", "blood sugar was {}", "FSBS {} mg/dl"], (36, 600), lambda mg: mg / MG_DL),
        (["BS {} mg/dL"], (20, 600), lambda mg: mg / MG_DL),
        (["BGL {} mmol"], (1, 60), float),
    ],
    "days": [
        (["x{}d", "x {} days", "for {} days", "{} days ago", "x {}/7", "past {} days", "{} day hx of"], (1, 30), float),
        (["x{} wks", "for {} weeks", "x {}/52", "{}wks ago"], (1, 30), lambda weeks: weeks * 7),
        (["x{}h", "x{} hrs", "{} hours ago", "{}hrs ago"], (1, 72), lambda hours: hours / 24),
        (["x {} months", "x {}/12", "{} mths ago"], (1, 30), lambda months: months * 365.25 / 12),
        (["x{} min"], (1, 90), lambda minutes: minutes / 1440),
    ],
}
FILLERS = st.lists(
    st.sampled_from(
        [
            "pt",
            "fell",
            "neck",
            "c/o",
            "sob,",
            "hit head.",
            "R hand",
            "L arm;",
            "denies n/v",
            "hx htn",
            "no loc",
            "on 5 mg",
            "x2",
        ]
    ),
    min_size=1,
    max_size=4,
).map(" ".join)


@st.composite
def written(draw, name):
    """A measurement as text, and its value."""
    forms, (low, high), value = draw(st.sampled_from(FORMS[name]))
    number = draw(st.integers(low, high))
    text = draw(st.sampled_from(forms)).format(number)
    return draw(st.sampled_from([str, str.upper, str.lower]))(text), value(number)


@given(st.data(), st.permutations(list(FORMS)), FILLERS)
def test_what_is_written_is_read_back(data, names, filler):
    chosen = {name: data.draw(written(name)) for name in names[: data.draw(st.integers(1, len(names)))]}
    note = f"{filler}, " + "".join(f"{text}, {data.draw(FILLERS)}, " for text, _ in chosen.values())
    row = measurements([note]).loc[0]
    assert {name: row[name] for name in chosen} == pytest.approx({name: value for name, (_, value) in chosen.items()}), note
    assert row.drop(["sex", *chosen]).isna().all(), note


@given(st.integers(70, 240), st.integers(35, 69), st.sampled_from(["BP {}/{}", "b/p {}/{}", "bp{}/{}", "{}/{}"]), FILLERS)
def test_both_pressures_are_read_or_neither(systolic, diastolic, form, filler):
    row = measurements([f"{filler}, {form.format(systolic, diastolic)} now", form.format(diastolic, systolic)])
    assert row[["systolic", "diastolic"]].loc[0].tolist() == [systolic, diastolic]
    assert row[["systolic", "diastolic"]].loc[1].isna().all()


EXAMPLES = {
    # age and sex
    "81YOF": {"age": 81, "sex": "F"},
    "28YOM DIRT BIKE": {"age": 28, "sex": "M"},
    "44 y/o m c/o cp": {"age": 44, "sex": "M"},
    "78yo f": {"age": 78, "sex": "F"},
    "3 mo M": {"age": 0.25, "sex": "M"},
    "18MOF": {"age": 1.5, "sex": "F"},
    "A 5 YR OLD FEMALE": {"age": 5, "sex": "F"},
    "15 Y O F": {"age": 15, "sex": "F"},
    "92 YR": {"age": 92},
    "YO F FELL": {"sex": "F"},
    "48YOWF in bed": {"age": 48, "sex": "F"},
    "50 yo white male": {"age": 50, "sex": "M"},
    "24F c/o rash": {"age": 24, "sex": "F"},
    "33 YR OLDMALE": {"age": 33, "sex": "M"},
    "61 y/o femlae": {"age": 61, "sex": "F"},
    "66 yo f cat tripped over": {"age": 66, "sex": "F"},
    "57F hx: dvt": {"age": 57, "sex": "F"},
    "72 yo, pushed by another male": {"age": 72},
    "states she fell": {"sex": "F"},
    "elderly woman, his wife called": {"sex": "F"},
    "2 yo m, 10 yo f cousin hit him": {"age": 2, "sex": "M"},
    "fell off 10 y/o bike": {},
    "struck by 14 yom": {},
    "seizures since age 12": {},
    "surgery 5 yrs ago": {},
    "ex 30 weeker": {},
    "17 weeks pregnant": {},
    "44 yo for f/u": {"age": 44},
    "since 9am": {},
    "did 10 yoga classes": {},
    "cough 2 weeks, male": {"sex": "M"},
    "44 yo, male": {"age": 44, "sex": "M"},
    "29 Y R OLD FEMALE": {"age": 29, "sex": "F"},
    # vital signs
    "sats in the 80's": {"saturation": 80},
    "SPO2 RA 86": {"saturation": 86},
    "sat on couch, 2 beers": {},
    "spo2 966%": {},
    "hr 120's": {"heart_rate": 120},
    "sats RA 79 HR 144 rr 9": {"saturation": 79, "heart_rate": 144, "respiratory_rate": 9},
    "walked 1 hr 20 min": {},
    "50 km/hr, 20 mph": {},
    "P2G1": {},
    "G3 P10": {},
    "s/p 40 ft fall": {},
    "p 20 min": {},
    "R hand, R 5th finger": {},
    "r 39": {"respiratory_rate": 39},
    "BP 62, HR 38": {"systolic": 62, "heart_rate": 38},
    "BP 90/palp": {"systolic": 90},
    "BP 80/40, now 120/80": {"systolic": 80, "diastolic": 40},
    "180/95 at home": {"systolic": 180, "diastolic": 95},
    "180/95, BP 120/80": {"systolic": 120, "diastolic": 80},
    "BP 80, later 130/70": {"systolic": 80},
    "on 12/25/2019 and 5/10": {},
    "vision 20/40": {},
    "insulin 70/30, augmentin 875/125 mg": {},
    "T12 fracture, L2-3": {},
    "T 10-12 FX": {},
    "T38.2C": {"temperature": 38.2},
    "T 99 c/o cough": {"temperature": pytest.approx(37.222, abs=1e-3)},
    "seen 38 c/o cough": {},
    "went up t 92%": {},
    "lives alone. 96f, weak": {},
    # pain, consciousness, glucose
    "abd pain radiating to back, 8/10": {"pain": 8},
    "neck pain since 5/10": {},
    "neck pain 3 days": {},
    "pain x2": {},
    "seen 5/10": {},
    "normally GCS 15, now GCS 12": {"gcs": 12},
    "GCS as per medics 8": {"gcs": 8},
    "gcs improved, 12 lead normal": {},
    "BGL .7": {"glucose": 0.7},
    "BS 28": {},
    "BS x4 quadrants, bs 5 units": {},
    "glucose 25g given": {},
    # days since onset
    "x2, a&o x3": {},
    "emesis x 4 w/ ems": {},
    "since yesterday": {"days": 1},
    "fell last night": {"days": 0.5},
    "fell 3 days ago from 10 ft": {"days": 3},
    "two weeks ago": {"days": 14},
    "x a couple of days": {"days": 2},
    "x 2-3/7": {"days": 2},
    "2 weeks of cough": {"days": 14},
    "loc x 5 min": {},
    "q4h, every 2 weeks": {},
    "smoker for 30 years": {},
    # other numbers
    "in 2022 took 5 mg, fell 20 feet": {},
    "call 403-555-1234 or 555 1234": {},
    "apt 120, 88 main st, room 37": {},
}


@pytest.mark.parametrize("note", EXAMPLES)
def test_shorthand_and_its_traps(note):
    assert {one.name: one.value for one in located(note)} == EXAMPLES[note]


LABELLED = {
    "age": "{} yo",
    "saturation": "sat {}",
    "heart_rate": "HR {}",
    "respiratory_rate": "RR {}",
    "systolic": "BP {}",
    "diastolic": "BP 300/{}",
    "temperature": "T {} C",
    "pain": "pain {}/10",
    "gcs": "GCS {}",
    "glucose": "BGL {} mmol",
    "days": "x{} weeks",
}


@pytest.mark.parametrize("name", RANGES)
def test_values_outside_the_range_are_missing(name):
    numbers = range(10, 1000)
    values = measurements([LABELLED[name].format(number) for number in numbers])[name].to_numpy()
    read = ~np.isnan(values)
    in_range = np.array([RANGES[name].low <= number * (7 if name == "days" else 1) <= RANGES[name].high for number in numbers])
    assert (read == in_range).all()
    assert 0 < read.sum() < len(read)


@pytest.mark.parametrize("note", [None, math.nan, "", " \n", "no numbers"])
def test_nothing_in_nothing_out(note):
    frame = measurements([note])
    assert tuple(frame.columns) == COLUMNS
    assert frame.isna().all(axis=None)
    assert located(note) == []


TEXT = st.one_of(
    st.text(max_size=60), st.sampled_from(list(EXAMPLES)), st.sampled_from(list(FORMS)).flatmap(written).map(lambda one: one[0])
)
NOTES = st.lists(TEXT, max_size=4).map("; ".join)


@given(NOTES)
def test_places_are_inside_the_note_and_show_the_value(note):
    places = located(note)
    assert all(0 <= one.start < one.end <= len(note) for one in places)
    assert all(first.end <= second.start for first, second in pairwise(places))
    for one in places:
        text = note[one.start : one.end]
        assert re.fullmatch(r"[\d.]+" if re.search(r"\d", text) else "[a-zA-Z ]+", text)
    row = measurements([note]).loc[0].dropna().to_dict()
    assert row == {one.name: one.value for one in places}


@given(st.lists(NOTES, min_size=1, max_size=5), st.randoms())
def test_rows_do_not_depend_on_each_other_nor_on_case(notes, random):
    order = random.sample(range(len(notes)), len(notes))
    frame = measurements(notes)
    assert measurements([notes[i] for i in order]).equals(frame.loc[order].reset_index(drop=True))
    ascii_only = [note for note in notes if note.isascii()]
    assert measurements([note.upper() for note in ascii_only]).equals(measurements([note.lower() for note in ascii_only]))


def test_letters_that_change_length_in_lower_case_do_not_move_places():
    note = "İİİ HR 120 ½ temp 38.5°C 😀 pain 7/10"
    assert [note[one.start : one.end] for one in located(note)] == ["120", "38.5", "7"]


def test_age_and_sex_of_generated_notes():
    frame = make_triage_notes(2000, random_state=3, details=True)
    read = measurements(frame["note"])
    right = np.floor(read["age"]) == frame["age"]
    assert right.mean() > 0.99
    assert (right | read["age"].isna()).all()
    assert (read["sex"] == frame["sex"]).mean() > 0.98
    assert ((read["sex"] == frame["sex"]) | read["sex"].isna()).all()


def test_every_vital_sign_of_generated_notes_is_read():
    rng = np.random.default_rng(0)
    texts = write_vitals(cases.draw(rng.integers(0, len(COMPLAINTS), 500), rng).vitals, rng).text
    signs = measurements(texts).drop(columns=["age", "sex"])
    for text, row in zip(texts, signs.itertuples(index=False), strict=True):
        numbers = [float(number) for number in re.findall(r"[\d.]+", re.sub(r"o2|/10\b", "", text))]
        fahrenheit = [value * 1.8 + 32 if name == "temperature" else value for name, value in zip(signs, row, strict=True)]
        assert sorted(value for value in fahrenheit if value == value) == pytest.approx(sorted(numbers)), text


def test_vital_signs_read_from_their_phrases_are_those_of_the_patient():
    rng = np.random.default_rng(1)
    true = cases.draw(rng.integers(0, len(COMPLAINTS), 500), rng).vitals
    read = measurements(write_vitals(true, rng).text)[list(cases.VITALS)].to_numpy(copy=True)
    read[:, 0] = 1.8 * read[:, 0] + 32
    there = ~np.isnan(read)
    assert there.any(axis=0).all()
    assert read[there] == pytest.approx(true[there])


@pytest.mark.parametrize(
    ("note", "days"),
    [
        ("SMOKER, QUIT 8 YR AGO", None),
        ("two years ago had a stroke", None),
        ("hx MI 3 months ago, cp x2d", 2),
        ("s/p hip fx 5 months ago, fell 2 days ago", 2),
        ("PMH HTN. fell 2 weeks ago", 14),
        ("s/p fall 3 days ago", 3),
    ],
)
def test_history_is_no_onset(note, days):
    (found,) = measurements([note])["days"]
    assert np.isnan(found) if days is None else found == days
