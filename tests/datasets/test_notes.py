from __future__ import annotations

import re
from itertools import chain

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss, roc_auc_score
from sklearn.preprocessing import StandardScaler

from sonmf.datasets import COMPLAINTS, cases, make_triage_notes, notes
from sonmf.datasets.cases import AGES, ALL, STAGES
from sonmf.datasets.phrases import PICTURES, WORDS, divide, fitting_phrases
from sonmf.datasets.writing import Fragments, slip
from sonmf.text import NotesVectorizer, measurements

MANY = 50_000
SIGNS = ["temperature", "heart_rate", "respiratory_rate", "systolic", "diastolic", "saturation"]
TOLD = re.compile(
    r"\b(?:admit|admis|discharg|hospitali|inpatient|transfer|releas|observation|expired|eloped|ama\b|lwbs|deceased|icu\b)",
    re.IGNORECASE,
)
BOTH = [(PICTURES[name], picture) for name in COMPLAINTS for picture in PICTURES[name].pictures]
names = pytest.mark.parametrize(("complaint", "picture"), BOTH, ids=[picture.name for picture in ALL])


@pytest.fixture(scope="module")
def frame():
    return make_triage_notes(MANY, details=True, random_state=0)


def within(observed, expected, n, errors=4):
    return abs(observed - expected) <= errors * np.sqrt(expected * (1 - expected) / n)


def test_columns_are_those_promised(frame):
    assert list(make_triage_notes(3, random_state=0)) == ["complaint", "note", "disposition"]
    assert list(frame)[:5] == ["complaint", "note", "disposition", "age", "sex"]
    assert list(frame)[5:] == [*SIGNS, "esi", "ambulance"]
    assert len(frame) == MANY
    assert set(frame["esi"].dropna()) == {1, 2, 3, 4, 5}
    assert frame["ambulance"].dtype.kind == "b"
    assert set(frame["disposition"]) == {"admitted", "discharged"}
    assert set(frame["sex"]) == {"F", "M"}
    assert frame["age"].dtype.kind == "i"
    assert frame["age"].between(0, 99).all()


def test_complaints_and_admissions_are_as_frequent_as_in_the_paper(frame):
    total = sum(facts.documents for facts in COMPLAINTS.values())
    for name, facts in COMPLAINTS.items():
        rows = frame[frame["complaint"] == name]
        assert within(len(rows) / MANY, facts.documents / total, MANY), name
        assert within((rows["disposition"] == "admitted").mean(), 1 - facts.discharged_pct / 100, len(rows)), name


def test_the_same_seed_gives_the_same_notes():
    first, second = (make_triage_notes(500, random_state=7) for _ in range(2))
    assert first.equals(second)
    assert make_triage_notes(500, random_state=np.random.default_rng(7)).equals(first)
    assert not make_triage_notes(500, random_state=8).equals(first)


def test_details_do_not_change_the_notes():
    plain, detailed = (make_triage_notes(500, details=details, random_state=7) for details in (False, True))
    assert detailed[list(plain)].equals(plain)


def test_a_vital_sign_of_the_note_is_the_one_of_the_column(frame):
    """Phrases such as "fever to 103" and "sats 70s with medics" tell what others measured before."""
    some = frame[:10_000]
    read = measurements(some["note"])
    before = some["note"].str.contains(r"fever|febrile|temp(?:erature)? (?:of|to|up)|tmax|rectal", case=False)
    read.loc[before, "temperature"] = np.nan
    for name in SIGNS:
        both = read[name].notna() & some[name].notna()
        assert both.mean() > 0.05, name
        assert ((read[name] - some[name])[both].abs() < 0.051).mean() > 0.95, name  # °C to a tenth


def test_arrival_in_the_note_is_the_one_of_the_column(frame):
    came, notes = frame["ambulance"], frame["note"]
    assert came[notes.str.contains(r"\b(?:via|bib) ems|by ambulance|by squad|911 called", case=False)].all()
    assert not came[notes.str.contains(r"\bby pov\b|ambulatory to triage", case=False)].any()


def test_cells_are_missing_as_in_real_tables_and_more_of_those_who_are_well(frame):
    missing = frame[[*SIGNS, "esi"]].isna()
    assert missing.mean().between(0.015, 0.08).all()
    assert not frame[["age", "sex", "ambulance"]].isna().any(axis=None)
    assert (missing["systolic"] == missing["diastolic"]).all()
    any_missing = missing.any(axis=1)
    admitted = frame["disposition"] == "admitted"
    assert admitted[any_missing].mean() < admitted[~any_missing].mean()


@pytest.mark.parametrize(
    ("name", "edges"),
    [
        ("age", [0, 20, 35, 50, 65, 80, 100]),
        ("temperature", [30, 38.2, 38.9, 43]),
        ("heart_rate", [60, 85, 100, 115, 220]),
        ("respiratory_rate", [0, 17, 20, 23, 70]),
        ("saturation", [0, 90, 93, 96, 101]),
        ("esi", [1, 2, 3, 4, 5]),
        ("ambulance", [0, 1, 2]),
    ],
)
def test_the_old_the_febrile_the_fast_and_the_hypoxic_are_admitted_more_often(frame, name, edges):
    grown = frame[frame["age"] >= 18] if name != "age" else frame  # a fast heart is usual in a child
    place = np.searchsorted(edges, grown[name][grown[name].notna()].astype(float), side="right")
    rates = (grown["disposition"] == "admitted")[grown[name].notna()].groupby(place).mean()
    rates = rates[(rates.index > 0)].to_numpy()
    steps = np.diff(rates) * (-1 if name in ("saturation", "esi") else 1)
    assert (steps > 0).all(), rates


@pytest.mark.parametrize("complaint", ["Cough", "Shortness of Breath"])
def test_the_note_tells_more_than_all_columns_and_the_columns_add_to_it(complaint):
    frame = make_triage_notes(6000, complaints=[complaint], details=True, random_state=0)
    admitted = (frame["disposition"] == "admitted").to_numpy()
    words = NotesVectorizer(min_df=5).fit_transform(frame["note"])
    numbers = frame[["age", *SIGNS, "esi", "ambulance"]].astype(float)
    columns = sparse.csr_matrix(0.3 * StandardScaler().fit_transform(numbers.fillna(numbers.median())))
    losses, areas = [], []
    for X in (columns, words, sparse.hstack([words, columns]).tocsr()):
        model = LogisticRegression(max_iter=1000).fit(X[:4000], admitted[:4000])
        forecast = model.predict_proba(X[4000:])[:, 1]
        losses.append(log_loss(admitted[4000:], forecast))
        areas.append(roc_auc_score(admitted[4000:], forecast))
    assert areas[1] > areas[0] + 0.03
    assert areas[2] > areas[0] + 0.04
    assert losses[2] < losses[1]


def test_some_complaints_only():
    frame = make_triage_notes(300, complaints=["Stroke", "Cough"], random_state=0)
    assert set(frame["complaint"]) == {"Stroke", "Cough"}


def test_no_model_can_do_better_than_the_true_probability_which_has_an_auroc_of_about_093():
    """Measured on fresh patients with drawn outcomes; the calibration drew others and integrated the outcome out."""
    rng = np.random.default_rng(1)
    found = []
    for name in COMPLAINTS:
        _, probability = notes._patients(20_000, [name], rng)
        found.append(roc_auc_score(rng.random(20_000) < probability, probability))
        assert 0.91 < found[-1] < 0.95, name
    assert 0.92 < np.mean(found) < 0.94


def test_the_words_tell_most_of_it():
    rng = np.random.default_rng(2)
    patients, probability = notes._patients(9000, ["Cough"], rng)
    admitted = rng.random(9000) < probability
    X = NotesVectorizer().fit_transform(notes.write(patients, rng))
    train, test = slice(0, 6000), slice(6000, None)
    model = LogisticRegression(max_iter=1000).fit(X[train], admitted[train])
    read = roc_auc_score(admitted[test], model.decision_function(X[test]))
    assert 0.76 < read < roc_auc_score(admitted[test], probability[test])


@given(st.lists(st.floats(0.01, 0.99), min_size=2, max_size=8))
def test_the_expected_auroc_is_its_naive_version(values):
    p = np.unique(values)
    if len(p) < 2:
        return
    right, wrong = np.array([(a * (1 - b), b * (1 - a)) for i, a in enumerate(p) for b in p[:i]]).sum(axis=0)
    assert cases._expected_auroc(p) == pytest.approx(right / (right + wrong))


def test_notes_look_like_notes(frame):
    notes = frame["note"]
    length = notes.str.split().str.len()
    assert length.between(10, 40).all()
    assert 20 < length.mean() < 28
    assert notes.str.contains(r"\b(?:denies|denied|no|neg|negative|without)\b", case=False).mean() > 0.6
    assert notes.str.contains(r"\b(?:bp \d+/\d|hr \d|pulse \d|temp \d|sat \d|spo2 \d|pox \d|vss)", case=False).mean() > 0.3
    assert 0.1 < (notes == notes.str.upper()).mean() < 0.2
    assert not notes.str.contains(r"[{}*|\x00-\x1f]").any()  # nothing of the templates is left
    assert not notes.str.contains(r"\b(?:f|m|baby|child|kid|young|middle|adult|old|grown): ").any()
    assert notes.nunique() > 0.999 * MANY


def test_the_vocabulary_is_large_and_misspelt(frame):
    words = set(re.findall(r"[a-z']+", " ".join(frame["note"]).lower()))
    assert len(words) > 5000
    assert {"diarrhea", "diarhea", "wheezing", "weezing"} <= words
    assert len(words & {form for forms in WORDS["misspelled"].values() for form in forms}) > 200


def test_no_note_says_what_became_of_the_patient(frame):
    told = frame["note"][frame["note"].str.contains(TOLD.pattern, case=False)]
    assert told.tolist() == []


def test_age_and_sex_agree_with_the_words(frame):
    fertile = (frame["sex"] == "F") & frame["age"].between(AGES[1], AGES[2] - 1)
    assert not frame["note"][~fertile].str.contains("pregnan|postpartum|prenatal vit", case=False).any()
    assert not frame["note"][frame["sex"] == "F"].str.contains("prostat", case=False).any()
    assert not frame["note"][frame["age"] < AGES[1]].str.contains("lives alone|smoker|retired|coumadin", case=False).any()
    opener = frame["note"].str.extract(r"^(?:pt is |patient is )?(\d+) ?(?:yo|y/o|yr|year)", flags=re.IGNORECASE)[0].dropna()
    assert len(opener) > MANY / 2
    assert (opener.astype(int) == frame["age"][opener.index]).all()


def test_children_have_few_illnesses_and_the_old_have_many():
    rng = np.random.default_rng(3)
    patients, _ = notes._patients(20_000, None, rng)
    count = (patients.history != cases.NOTHING).sum(axis=1)
    means = [count[patients.stage == stage].mean() for stage in range(len(STAGES))]
    assert means == sorted(means)
    repeated = [len({i for i in row if i >= 0}) < (row >= 0).sum() for row in patients.history]
    assert not any(repeated)


@names
def test_a_picture_does_not_deny_what_it_says(complaint, picture):
    said = " ; ".join([*picture.mild, *picture.usual, *picture.severe, *picture.chief, *complaint.chief])
    denied = [symptom for symptom in picture.denied if re.search(rf"\b{re.escape(symptom)}\b", said)]
    assert denied == []


@names
def test_a_picture_has_something_to_say_of_each_patient(complaint, picture):
    first, last = np.searchsorted(AGES, picture.ages, side="right")
    lists = [picture.mild, picture.usual, picture.severe, picture.denied, complaint.calm, picture.ill or complaint.ill]
    for stage in STAGES[first : last + 1]:
        for sex in "fm":
            for phrases in lists:
                assert min(map(len, divide(fitting_phrases(phrases, stage, sex), 3))) > 0, (stage, sex, phrases)


@given(st.lists(st.sampled_from(["a", "*b", "c", "*d", "e", "f"]), unique=True), st.integers(1, 4))
def test_parts_share_no_phrase_and_stars_stand_together(phrases, count):
    parts = divide(phrases, count)
    assert len(parts) == count
    assert sorted(chain(*parts)) == sorted(phrase.strip("*") for phrase in phrases)
    assert {phrase[1:] for phrase in phrases if phrase.startswith("*")} <= set(parts[0])


def test_marks_choose_the_patients():
    phrases = ["a", "f: b", "young: c", "young f: d", "*grown m: e", "kid: f"]
    assert fitting_phrases(phrases, "young", "f") == ["a", "b", "c", "d"]
    assert fitting_phrases(phrases, "old", "m") == ["a", "*e"]
    assert fitting_phrases(phrases, "baby", "f") == ["a", "b", "f"]


@given(st.text(alphabet="abcd 12/", min_size=4, max_size=20), st.floats(0, 0.999), st.floats(0, 0.999))
def test_a_slip_stays_inside_a_word(note, where, kind):
    slipped = slip(note, where, kind)
    assert abs(len(slipped) - len(note)) <= 1
    assert re.sub("[a-d]", "", slipped) == re.sub("[a-d]", "", note)
    assert [bool(word) for word in slipped.split(" ")] == [bool(word) for word in note.split(" ")]


@given(
    st.lists(st.tuples(st.sampled_from(["sob", "chest pain", "x3d"]), st.sampled_from([", ", "/", " or ", " - "])), min_size=1)
)
def test_words_are_counted_as_a_reader_counts_them(pieces):
    text = Fragments.of(["start"])
    for phrase, separator in pieces:
        text = text + Fragments.between([separator]) + Fragments.of([phrase])
    assert text.words[0] == len(text.text[0].split())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"n": 0}, "n=0 must be a whole number of notes"),
        ({"n": 2.5}, "n=2.5"),
        ({"n": 5, "complaints": ["cough"]}, r"complaint 'cough' is unknown \(did you mean 'Cough'\?\): choose among Altered"),
        ({"n": 5, "complaints": ["Chest Pain"]}, "'Chest Pain' is unknown: choose among"),
        ({"n": 5, "complaints": "Cough"}, "complaints='Cough' must be a list"),
        ({"n": 5, "complaints": []}, r"complaints=\[\] must be a list"),
    ],
)
def test_bad_input_is_named(arguments, message):
    with pytest.raises(ValueError, match=message):
        make_triage_notes(**arguments)
