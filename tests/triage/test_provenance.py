import json
import os

import pytest
from evaluations import made_up
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs
from wards import ward

from sonmf.triage import TriageModel, model_card, model_report
from sonmf.triage.evaluation_file import evaluations_path, keep, read
from sonmf.triage.provenance import Fingerprint, Provenance, rows_by_value
from sonmf.triage.strict_json import as_json, decode, encode
from sonmf.triage.topic_labels import labels_path
from sonmf.web.rendering import pivot

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
    assert decode(Provenance, encode(one)) == one


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
    with pytest.raises(ValueError, match=next(iter(change))):
        decode(Provenance, encode(as_json(asked()) | change))


@pytest.mark.parametrize("found", [None, [], "x", {}])
def test_what_is_no_provenance_is_refused(found):
    with pytest.raises(ValueError, match=r"Expected `object`|missing required field"):
        decode(Provenance, encode(found))


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
    return made_up([{"complaint": "", "method": "words", "n_topics": 0, "inputs": "notes", "auroc": 0.8}])


def test_evaluations_are_kept_beside_the_model_and_repeated_ones_replaced(model, judged, tmp_path):
    path = tmp_path / "m.sonmf"
    model.save(path)
    before = path.read_bytes()
    loaded = TriageModel.load(path)
    for source in ("june.csv", "july.csv", "june.csv"):
        keep(loaded, path, structs.replace(judged, asked=asked(source=source)))
    again = TriageModel.load(path)
    assert [one.asked.source for one in again.evaluations_] == ["july.csv", "june.csv"]
    assert again.evaluations_ == loaded.evaluations_
    assert path.read_bytes() == before
    again.save(tmp_path / "copy.sonmf")
    assert read(tmp_path / "copy.sonmf") == again.evaluations_
    model.save(tmp_path / "new.sonmf")
    assert not evaluations_path(tmp_path / "new.sonmf").exists()


def test_a_model_remembers_how_it_was_asked(tmp_path):
    notes, dispositions, _ = ward(200)
    model = TriageModel(3).fit(notes, dispositions)
    assert model.provenance_ is None
    model.save(tmp_path / "a.sonmf")
    assert TriageModel.load(tmp_path / "a.sonmf").provenance_ is None
    model.provenance_ = asked()
    model.save(tmp_path / "b.sonmf")
    assert TriageModel.load(tmp_path / "b.sonmf").provenance_ == asked()


def test_an_evaluation_that_ended_meanwhile_stays(model, judged, tmp_path):
    path = tmp_path / "m.sonmf"
    model.save(path)
    long, short = TriageModel.load(path), TriageModel.load(path)  # both run at the same time
    keep(short, path, structs.replace(judged, asked=asked(source="june.csv")))
    keep(long, path, structs.replace(judged, asked=asked(source="july.csv")))
    assert [one.asked.source for one in read(path)] == ["june.csv", "july.csv"]


def test_a_pipe_in_place_of_evaluations_or_names_is_refused(model, tmp_path):
    path = tmp_path / "m.sonmf"
    model.save(path)
    for beside in (evaluations_path(path), labels_path(path)):
        os.mkfifo(beside)
        with pytest.raises(ValueError, match="it is not a file on a disk"):
            TriageModel.load(path)
        beside.unlink()


def variations(value, place=()):
    """A record of JSON with one value after another missing or of another kind."""
    for key in list(value) if isinstance(value, dict) else range(min(len(value), 2)):
        was = value[key]
        others = [None, "text", -1, 2.5, 1e300, True, [], {}, [[]], "x" * 10_000]
        for other in others:
            value[key] = other
            yield (*place, key, str(other)[:9])
        value[key] = was
        if isinstance(value, dict):
            del value[key]
            yield (*place, key, "missing")
            value[key] = was
        if isinstance(was, dict | list):
            yield from variations(was, (*place, key))


def test_damaged_evaluations_are_refused_in_a_sentence_or_reported(model, judged, tmp_path):
    path = tmp_path / "m.sonmf"
    model.save(path)
    loaded = TriageModel.load(path)
    loaded.provenance_ = asked()
    keep(loaded, path, structs.replace(judged, asked=asked()))
    written = json.loads(evaluations_path(path).read_text())
    tried = refused = 0
    for _ in variations(written):
        tried += 1
        evaluations_path(path).write_text(json.dumps(written))
        try:
            loaded.evaluations_ = read(path)
        except ValueError as error:
            refused += 1
            assert len(str(error).splitlines()) == 1  # noqa: PT017
            continue
        evaluations = model_card.evaluations(loaded)
        model_report.complaint(loaded.pooled_model_, evaluated=model_card.curves_beside(loaded, "", evaluations))
        for evaluation in evaluations:
            pivot(evaluation.methods, "auroc")
    assert tried > 500
    assert refused > tried / 2
