import copy
import dataclasses
import hashlib
import json
import pickle
from pathlib import Path

import numpy as np
import pytest
import torture_model_file as torture
from hypothesis import given
from hypothesis import strategies as st
from safetensors import safe_open
from safetensors.numpy import save_file
from wards import ward

from sonmf.text import NotesVectorizer
from sonmf.triage import ModelFileError, Provenance, TriageModel, strict_json, topic_labels
from sonmf.triage.factorisations import METHODS
from sonmf.triage.model_update import apply_line
from sonmf.triage.recalibration import Line

OLD = Path(__file__).with_name("version1.sonmf")  # written by sonmf 0.1: SVD, as many topics as words, two of them constant
FORECASTS = {"syncope today": 0.9753835400515092, "cough at home": 0.33495625983033106, "zebra": 0.35333333333333333}


@pytest.fixture
def path(model, tmp_path):
    model.save(tmp_path / "ward.sonmf")
    return tmp_path / "ward.sonmf"


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    """The bytes of a small model file with every part that one can have."""
    notes, dispositions, _ = ward(300)
    model = TriageModel(
        n_topics=[3, 5], vectorizer=NotesVectorizer(drop_words=["left"], abbreviations={"sob": "short of breath"})
    )
    model.fit(notes, dispositions, [None, None, "Rare", *[None] * 297], subgroups={"side": ["left", "right"] * 150})
    rows = {"admitted": {"ward": 106}, "not_admitted": {"home": 194}, "left_out": {"left": 3}, "rows": 303}
    words = {
        "source": "june.csv",
        "text": "note",
        "label": "outcome",
        "group": "complaint",
        "preset": "neiss",
        "time": "at",
        "data": "0a",
    }
    model.provenance_ = Provenance(**words, **rows, positive=("ward",), negative=("home",), subgroups=("side",))
    path = tmp_path_factory.mktemp("small") / "small.sonmf"
    model.save(path)
    return path.read_bytes()


def test_a_model_comes_back_as_it_was(model, path):
    again = TriageModel.load(path)
    notes, _, complaints = ward(100, seed=5)
    assert (again.predict_proba(notes, complaints) == model.predict_proba(notes, complaints)).all()
    assert again.explain("syncope zebra", "Rare") == model.explain("syncope zebra", "Rare")
    assert again.get_params() == model.get_params()
    assert [one.record for one in again.by_name_.values()] == [one.record for one in model.by_name_.values()]
    assert again.remarks_ == []


@pytest.mark.parametrize("topics", [3, 99])
@pytest.mark.parametrize("method", METHODS)
def test_what_any_method_fits_can_be_read_again(tmp_path, method, topics):
    notes, dispositions, _ = ward(220, seed=3)
    model = TriageModel(topics, method).fit(notes, dispositions)
    model.save(tmp_path / "m.sonmf")
    again = TriageModel.load(tmp_path / "m.sonmf")
    assert (again.predict_proba(notes) == model.predict_proba(notes)).all()
    assert np.isfinite(again.pooled_model_.scale).all()


def test_what_could_not_be_read_is_not_written(model, path):
    before = path.read_bytes()
    broken = copy.deepcopy(model)
    broken.put(dataclasses.replace(broken.pooled_model_, intercept=float("nan")))
    with pytest.raises(ValueError, match="intercept is null, not a number"):
        broken.save(path)
    assert path.read_bytes() == before


def test_a_name_that_is_taken_away_stays_away(model, path):
    named = copy.deepcopy(model)
    named.put(named.pooled_model_.with_labels({0: "asthma"}))
    named.save(path)
    topic_labels.rename(TriageModel.load(path), path, "", 0, "")
    assert TriageModel.load(path).pooled_model_.labels[0] == ""
    assert not topic_labels.has_names(path)
    topic_labels.rename(TriageModel.load(path), path, "", 1, "gout")
    assert TriageModel.load(path).pooled_model_.labels[:2] == ("", "gout")


def test_no_note_is_inside(path):
    notes, _, _ = ward(900)
    data = path.read_bytes()
    pairs = {" ".join(note.split()[i : i + 2]) for note in notes for i in range(1, 4)}
    assert not any(pair.encode() in data for pair in pairs)


def test_the_format_is_as_described(model, path):
    data = path.read_bytes()
    assert hashlib.sha256(data[:-32]).digest() == data[-32:]
    with safe_open(path, framework="numpy") as opened:  # the readers of others see the same
        metadata = opened.metadata()
        assert metadata["format"] == "sonmf-triage"
        assert metadata["version"] == "3"  # where an old sonmf looks
        assert opened.get_tensor("sha256").tobytes() == data[-32:]
        for number, (one, fitted) in enumerate(
            zip(json.loads(metadata["header"])["complaints"], model.by_name_.values(), strict=True)
        ):
            k, p = len(one["labels"]), len(one["vocabulary"])
            assert opened.get_tensor(f"{number}.components").shape == (k, p)
            assert (opened.get_tensor(f"{number}.components") == fitted.components).all()
            assert (opened.get_tensor(f"{number}.correlation") == fitted.correlation).all()
            assert opened.get_tensor(f"{number}.idf").shape == (p,)
            assert (one["name"], [column["name"] for column in one["columns"]]) == (
                fitted.name,
                [c.name for c in fitted.columns],
            )
    _, body = torture.unpacked(data)
    assert torture.packed(data[8 : -32 - len(body)], body) == data  # written by hand it is the same


def test_an_interrupted_save_leaves_the_old_file(model, path, monkeypatch):
    before = path.read_bytes()

    def broken(partial, arrays, metadata):
        partial.write_bytes(b"half a fi")
        raise OSError("disk full")

    monkeypatch.setattr("sonmf.triage.container.write", broken)
    with pytest.raises(OSError, match="disk full"):
        model.save(path)
    assert path.read_bytes() == before
    assert [p.name for p in path.parent.iterdir()] == [path.name]


def refused(path, pattern, **expected):
    with pytest.raises(ModelFileError, match=pattern) as caught:
        TriageModel.load(path, **expected)
    assert len(str(caught.value).splitlines()) == 1


def test_every_truncation_is_refused(path, tmp_path):
    data = path.read_bytes()
    for size in {0, 1, 7, 8, 9, 100, len(data) // 2, len(data) - 1}:
        (tmp_path / "short").write_bytes(data[:size])
        refused(tmp_path / "short", "damaged or cut short")


def test_foreign_files_are_refused(tmp_path):
    (tmp_path / "text").write_text("note,disposition\n")
    (tmp_path / "pickle").write_bytes(pickle.dumps({"a": 1}))
    save_file({"a": np.zeros(2)}, tmp_path / "tensors")
    refused(tmp_path / "text", "not a model of sonmf")
    refused(tmp_path / "pickle", "not a model of sonmf")
    refused(tmp_path / "tensors", "not a model of sonmf")
    refused(tmp_path, "is a folder")
    refused(tmp_path / "nothing", "there is no file")
    refused(Path("/dev/zero"), "not a file on a disk")


@pytest.mark.parametrize("damage", [torture.flips, torture.blocks, torture.edits])
def test_no_damaged_file_loads(data, damage):
    found = damage(data, 150, seed=1)
    assert found.tried == 150
    assert (found.loaded, found.defects) == ([], [])


def test_no_crafted_file_loads(data):
    outer, body = torture.unpacked(data)
    sound = {"packed again": torture.packed(outer, body), "header again": torture.changed(data, lambda header: header)}
    assert torture.tally(sound.items()).loaded == list(sound)  # else nothing below would mean anything
    found = torture.tally(torture.crafted(data))
    assert found.tried > 500
    assert (found.loaded, found.defects) == ([], [])


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        ({"slope": 0.0}, "the slope of the recalibration is not above 0"),
        ({"slope": -1.0}, "the slope of the recalibration is not above 0"),
        ({"intercept": -1e31}, "the recalibration has a number that is too large"),
        ({"intercept": None}, "recalibration.intercept is null"),
        ({"bend": 1.0}, "recalibration has 'bend', which is not known"),
    ],
)
def test_a_recalibration_is_a_rising_line(model, tmp_path, wrong, why):
    model = copy.copy(model)
    model.pooled_model_ = apply_line(model.pooled_model_, Line(0.5, 2.0))
    model.save(tmp_path / "sound")
    assert TriageModel.load(tmp_path / "sound").pooled_model_.recalibration == Line(0.5, 2.0)

    def spoilt(header):
        header["complaints"][0]["recalibration"] |= wrong
        return header

    (tmp_path / "spoilt").write_bytes(torture.changed((tmp_path / "sound").read_bytes(), spoilt))
    refused(tmp_path / "spoilt", why)


def test_a_key_that_is_not_known_is_passed_over_where_it_cannot_change_a_forecast(data, tmp_path):
    def later(header):
        header["complaints"][0]["record"]["later"] = header["later"] = {"anything": [1]}
        return header

    (tmp_path / "later").write_bytes(torture.changed(data, later))
    (tmp_path / "as_it_was").write_bytes(data)
    now, then = (TriageModel.load(tmp_path / name).pooled_model_ for name in ("later", "as_it_was"))
    assert now.record == then.record


def test_what_a_later_sonmf_writes_asks_for_an_update(data, tmp_path):
    outer, body = torture.unpacked(data)
    outer["__metadata__"]["version"] = "5"
    (tmp_path / "version").write_bytes(torture.packed(outer, body))
    refused(tmp_path / "version", "format version '5', and this sonmf reads up to 4: update sonmf")


@pytest.mark.parametrize("marked", [True, False])
def test_a_file_of_version_2_is_refused_where_its_negations_ended_elsewhere(tmp_path, marked):
    """Its forecasts would be others."""
    notes, dispositions, _ = ward(220)
    vectorizer = NotesVectorizer(negation="mark" if marked else None)
    model = TriageModel(3, vectorizer=vectorizer).fit(notes, dispositions)
    model.save(tmp_path / "now")
    outer, body = torture.unpacked((tmp_path / "now").read_bytes())
    outer["__metadata__"]["version"] = "2"
    (tmp_path / "then").write_bytes(torture.packed(outer, body))
    if marked:
        refused(tmp_path / "then", "ended them elsewhere: fit the model again")
    else:
        assert (TriageModel.load(tmp_path / "then").predict_proba(notes) == model.predict_proba(notes)).all()


def test_only_the_expected_file_is_read(model, path):
    digest = hashlib.sha256(path.read_bytes()).hexdigest()  # what sha256sum prints
    assert model.sha256_ == digest
    assert TriageModel.load(path, expect_sha256=digest.upper()).sha256_ == digest
    refused(path, f"is not the file that is expected, its SHA-256 is {digest}", expect_sha256="0" * 64)
    path.write_bytes(path.read_bytes() + b"x")
    refused(path, "is not the file that is expected", expect_sha256=digest)
    for wrong in ("", digest[:-1], "g" * 64):
        with pytest.raises(ValueError, match="give its 64 hexadecimal digits"):
            TriageModel.load(path, expect_sha256=wrong)


def test_a_file_of_version_1_loads_with_a_remark_and_forecasts_as_it_did(tmp_path):
    model = TriageModel.load(OLD)
    found = model.predict_proba(list(FORECASTS))[:, 1]
    np.testing.assert_allclose(found, list(FORECASTS.values()), rtol=1e-12)
    assert len(model.remarks_) == 1
    assert "version 1, without a checksum" in model.remarks_[0]
    assert np.count_nonzero(model.pooled_model_.scale == 0) == 2
    model.save(tmp_path / "new.sonmf")
    again = TriageModel.load(tmp_path / "new.sonmf")
    assert again.remarks_ == []
    assert (again.predict_proba(list(FORECASTS))[:, 1] == found).all()


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, 1e31, -1.5])
@pytest.mark.parametrize("name", ["components", "effects", "centre", "scale", "correlation", "idf"])
def test_the_arrays_of_version_1_are_checked_too(tmp_path, name, value):
    with safe_open(OLD, framework="numpy") as opened:
        arrays = {key: opened.get_tensor(key) for key in opened.keys()}  # noqa: SIM118
        metadata = opened.metadata()
    arrays[f"0.{name}"].flat[1] = value
    save_file(arrays, tmp_path / "v1", metadata)
    if value == -1.5 and name in ("effects", "centre"):
        assert TriageModel.load(tmp_path / "v1").remarks_
    else:
        refused(tmp_path / "v1", f"is damaged.*({name}|orthonormal|scale and correlation)")


@pytest.mark.parametrize(
    "evaluation",
    [3, [], {"summary": []}, {"summary": [], "curves": [], "left_out": {}}, {"summary": [{}], "curves": [], "left_out": {}}],
)
def test_the_evaluation_in_a_file_of_version_1_is_checked_too(tmp_path, evaluation):
    with safe_open(OLD, framework="numpy") as opened:
        arrays = {key: opened.get_tensor(key) for key in opened.keys()}  # noqa: SIM118
        metadata = opened.metadata()
    header = json.loads(metadata["header"]) | {"evaluation": evaluation}
    save_file(arrays, tmp_path / "v1", metadata | {"header": json.dumps(header)})
    refused(tmp_path / "v1", "is damaged.*evaluation")


def test_a_constant_topic_has_scale_0_and_no_strength():
    notes, dispositions, _ = ward(300)
    one = TriageModel(99, "svd").fit(notes, dispositions).pooled_model_
    assert (one.scale >= 0).all()
    assert (one.scale == 0).any()
    assert (one.strength[one.scale == 0] == 0).all()
    assert ((np.diag(one.correlation) > 0) == (one.scale > 0)).all()
    assert one.merit(one.read(notes, {}), np.ones(300)).patients == one.record.merit.patients


def test_numbers_that_have_lost_digits_are_written_as_zero(model, tmp_path):
    one = model.models_["Cough"]
    tiny = dataclasses.replace(one, centre=np.where(np.arange(one.n_topics) == 1, 5e-324, one.centre))
    changed = copy.copy(model)
    changed.models_ = model.models_ | {"Cough": tiny}
    changed.save(tmp_path / "tiny.sonmf")
    assert TriageModel.load(tmp_path / "tiny.sonmf").models_["Cough"].centre[1] == 0


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**17), 10**17) | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=12,
)


def shape_of(value):
    """A shape that the value has."""
    if isinstance(value, list):
        return [tuple(map(shape_of, value))] if value else []
    if isinstance(value, dict):
        return {key.removesuffix("?"): shape_of(item) for key, item in value.items() if not key.endswith("?")}
    return None if value is None else type(value)


@given(JSON)
def test_strict_json_reads_what_it_writes(value):
    try:
        text = strict_json.dumps(value)
        text.encode()
    except UnicodeEncodeError:
        return
    assert strict_json.loads(text) == value


@given(JSON)
def test_a_value_fits_its_own_shape_and_no_other_kind_of_value_does(value):
    assert strict_json.validate((shape_of(value), None), value, "it") is not None or value is None
    for other in ("text", 1, 0.5, True, [], ["x"], {"x": 1}):
        kind = type(other)
        if kind is not type(value) and not (kind is int and type(value) is float):
            with pytest.raises(ValueError, match=r"^it is"):
                strict_json.validate(shape_of(value), other, "it")
