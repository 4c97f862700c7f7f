import dataclasses
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from wards import ward

from sonmf.triage import Evaluation, TriageModel, model_report
from sonmf.triage.kept_evaluations import KeptEvaluation, evaluations_path, keep, read
from sonmf.triage.provenance import Fingerprint, Provenance, rows_by_value

TEXT = st.text(max_size=6)
COUNTS = st.dictionaries(TEXT, st.integers(0, 10**6), max_size=4)
ASKED = st.builds(
    Provenance, source=TEXT, text=TEXT, label=TEXT, group=st.none() | TEXT, positive=st.tuples(TEXT),
    negative=st.tuples(TEXT, TEXT), admitted=COUNTS, not_admitted=COUNTS, left_out=COUNTS, rows=st.integers(0, 10**9),
    preset=st.none() | TEXT,
    subgroups=st.tuples(TEXT), data=TEXT,
)  # fmt: skip


def asked(**changes):
    usual = {"source": "june.csv", "text": "note", "label": "out", "group": None, "positive": ("in",), "negative": ("home",)}
    counts = {"admitted": {"in": 5}, "not_admitted": {"home": 7}, "left_out": {"left": 2}, "rows": 14}
    return Provenance(**usual | counts | changes)


@given(ASKED)
def test_it_comes_back_from_json_as_it_was(one):
    assert Provenance.from_json(json.loads(json.dumps(one.as_json()))) == one


@pytest.mark.parametrize(
    "change",
    [
        {"rows": -1},
        {"rows": 1.5},
        {"positive": "in"},
        {"positive": [1]},
        {"admitted": {"in": "5"}},
        {"text": None},
        {"more": 1},
    ],
    ids=str,
)
def test_what_is_not_as_it_was_written_is_refused(change):
    with pytest.raises(ValueError, match=f"provenance.*{next(iter(change))}"):
        Provenance.from_json(asked().as_json() | change)


@pytest.mark.parametrize("found", [None, [], "x", {}])
def test_what_is_no_provenance_is_refused(found):
    with pytest.raises(ValueError, match="provenance"):
        Provenance.from_json(found)


def test_only_outcomes_that_the_fit_left_out_are_left_out():
    one = asked()
    assert [one.leaves_out(value) for value in ("in", "home", " left ", "new", None, float("nan"), "", " ")] == [
        False, False, True, True, False, False, False, False,
    ]  # fmt: skip
    assert not asked(negative=()).leaves_out("left")  # it meant not admitted


@given(st.dictionaries(st.text(min_size=1, max_size=60), st.integers(1, 30), max_size=30), st.integers(1, 10), st.booleans())
def test_no_row_is_lost_and_no_text_is_named(counts, fewest, asks):
    asked = list(counts)[:2] if asks else []
    found = rows_by_value(counts, fewest, asked)
    assert sum(found.values()) == sum(counts.values())
    for value, rows in counts.items():
        if value in asked:
            assert found[value] == rows
        elif len(value) > 40 or (rows < fewest and len(value) > 2):
            assert found.get(value) is None or value.startswith("(")


@given(st.lists(st.tuples(st.none() | TEXT, st.sampled_from("ab"), st.none() | TEXT), max_size=8), st.integers(0, 8))
def test_a_fingerprint_is_that_of_the_rows_however_they_are_cut(rows, cut):
    def mark(*parts):
        made = Fingerprint()
        for part in parts:
            made.add(*(zip(*part, strict=True) if part else ([], [], [])))
        return made.hexdigest()

    assert mark(rows) == mark(rows[:cut], rows[cut:])
    for k in range(len(rows)):
        assert mark(rows) != mark([*rows[:k], ("other note", *rows[k][1:]), *rows[k + 1 :]])


@pytest.fixture
def judged():
    rows = [{"complaint": "", "method": "words", "n_topics": 0, "inputs": "notes", "fits": 2, "auroc": 0.8}]
    curve = rows[0] | {"roc": [0.5] * 101, "reliability": [{"n": 3, "forecast": 0.5, "admitted": 1}]}
    words = {"weighting": "tfidf", "min_df": 5, "negation": None, "drop_words": None}
    settings = {
        "methods": ["words"],
        "n_topics": [4],
        "folds": 2,
        "repeats": 1,
        "rule": "min",
        "min_notes": 200,
        "columns": {},
        "measurements": True,
        "words": words,
    }
    return {"summary": rows, "curves": [curve], "left_out": {}, "settings": settings}


def test_evaluations_are_kept_beside_the_model_and_repeated_ones_replaced(model, judged, tmp_path):
    path = tmp_path / "m.sonmf"
    model.save(path)
    before = path.read_bytes()
    loaded = TriageModel.load(path)
    for source in ("june.csv", "july.csv", "june.csv"):
        keep(loaded, path, KeptEvaluation(asked(source=source), judged, "2026-01-01"))
    again = TriageModel.load(path)
    assert [one.asked.source for one in again.evaluations_] == ["july.csv", "june.csv"]
    assert again.evaluations_ == loaded.evaluations_
    assert path.read_bytes() == before
    again.save(tmp_path / "copy.sonmf")
    assert read(tmp_path / "copy.sonmf") == again.evaluations_
    model.save(tmp_path / "new.sonmf")
    assert not evaluations_path(tmp_path / "new.sonmf").exists()


def test_an_evaluation_of_an_earlier_version_says_that_nobody_knows_what_it_is_about(model, judged):
    judged.pop("settings")
    old = KeptEvaluation.earlier(judged)
    told = model_report.evaluation(old, model)
    assert told["title"] == "Kept by an earlier version"
    assert "did not write down what it is about" in told["differs"][0]
    assert not told["same_patients"]


def test_figures_of_an_earlier_version_say_that_the_calibration_had_seen_the_outcomes(model):
    one = model.models_["Cough"]
    assert "had not seen the outcome" in model_report.complaint(one)["judged"]
    earlier = dataclasses.replace(one.record.out_of_fold, calibration_slope_error=float("nan"))
    old = dataclasses.replace(one, record=dataclasses.replace(one.record, out_of_fold=earlier))
    assert "the calibration had seen the outcomes" in model_report.complaint(old)["judged"]


def test_a_model_remembers_how_it_was_asked(tmp_path):
    notes, dispositions, _ = ward(200)
    model = TriageModel(3).fit(notes, dispositions)
    assert model.provenance_ is None
    model.save(tmp_path / "a.sonmf")
    assert TriageModel.load(tmp_path / "a.sonmf").provenance_ is None
    model.provenance_ = asked()
    model.save(tmp_path / "b.sonmf")
    assert TriageModel.load(tmp_path / "b.sonmf").provenance_ == asked()


def test_an_evaluation_knows_its_settings():
    assert Evaluation([], {}).as_json()["settings"] == {}
