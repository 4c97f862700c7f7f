import copy
import hashlib
import json
import pickle
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
import torture_model_file as torture
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs
from safetensors import safe_open
from safetensors.numpy import save_file
from wards import ward

from sonmf.text import NotesVectorizer
from sonmf.triage import ModelFileError, Provenance, TriageModel, lineage, strict_json, topic_labels
from sonmf.triage.factorisations import METHODS
from sonmf.triage.model_update import apply_line
from sonmf.triage.recalibration import Line
from sonmf.triage.records import Figures
from sonmf.triage.strict_json import encode


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
    everyone = broken.pooled_model_
    broken.put(structs.replace(everyone, forecaster=structs.replace(everyone.forecaster, intercept=float("nan"))))
    with pytest.raises(ValueError, match=r"Expected `float`, got `null` - at `\$.complaints\[0\].forecaster.intercept`"):
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


def test_names_that_are_given_at_the_same_time_are_all_kept(model, path):
    """Two servers of one model, each with a copy of its own."""
    topics = [(name, k) for name, one in model.by_name_.items() for k in range(one.n_topics)]

    def serve(mine):
        served = TriageModel.load(path)
        for complaint, k in mine:
            topic_labels.rename(served, path, complaint, k, f"{complaint} {k}")

    with ThreadPoolExecutor(2) as servers:
        list(servers.map(serve, (topics[::2], topics[1::2])))
    again = TriageModel.load(path)
    assert [again.by_name_[name].labels[k] for name, k in topics] == [f"{name} {k}".strip() for name, k in topics]


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
        assert metadata["version"] == "1"
        assert opened.get_tensor("sha256").tobytes() == data[-32:]
        header = json.loads(opened.get_tensor("header").tobytes())
        for number, (one, fitted) in enumerate(zip(header["complaints"], model.by_name_.values(), strict=True)):
            k, p = len(one["labels"]), len(one["forecaster"]["vectorizer"]["vocabulary"])
            components = opened.get_tensor(f"complaints.{number}.forecaster.components")
            assert components.shape == (k, p)
            assert (components == fitted.components).all()
            moments = one["forecaster"]["moments"]
            assert (opened.get_tensor(moments["covariance"]) == fitted.forecaster.moments.covariance).all()
            assert opened.get_tensor(one["forecaster"]["vectorizer"]["idf"]).shape == (p,)
            assert (one["name"], [column["name"] for column in one["forecaster"]["columns"]]) == (
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

    monkeypatch.setattr("sonmf.triage.sealed_arrays.write", broken)
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
        ({"slope": 0.0}, r"> 0.0 - at .*recalibration.slope"),
        ({"slope": -1.0}, r"> 0.0 - at .*recalibration.slope"),
        ({"intercept": -1e31}, r">= -1e\+30 - at .*recalibration.intercept"),
        ({"intercept": None}, "got `null` - at .*recalibration.intercept"),
        ({"bend": 1.0}, "unknown field `bend` - at .*recalibration"),
    ],
)
def test_a_recalibration_is_a_rising_line(model, tmp_path, wrong, why):
    model = copy.copy(model)
    model.pooled_model_ = apply_line(model.pooled_model_, Line(0.5, 2.0))
    model.save(tmp_path / "sound")
    assert TriageModel.load(tmp_path / "sound").pooled_model_.forecaster.recalibration == Line(0.5, 2.0)

    def spoilt(header):
        header["complaints"][0]["forecaster"]["recalibration"] |= wrong
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
    assert encode(now.record) == encode(then.record)  # figures that are not known are no equals


def test_what_a_later_sonmf_writes_asks_for_an_update(data, tmp_path):
    outer, body = torture.unpacked(data)
    outer["__metadata__"]["version"] = "2"
    (tmp_path / "version").write_bytes(torture.packed(outer, body))
    refused(tmp_path / "version", "format version '2', and this sonmf reads 1: update sonmf")


def test_only_the_expected_file_is_read(model, path):
    digest = hashlib.sha256(path.read_bytes()).hexdigest()  # what sha256sum prints
    assert model.sha256_ == digest
    assert TriageModel.load(path, expect_sha256=digest.upper()).sha256_ == digest
    refused(path, f"is not the expected file: its SHA-256 is {digest}", expect_sha256="0" * 64)
    path.write_bytes(path.read_bytes() + b"x")
    refused(path, "is not the expected file", expect_sha256=digest)
    for wrong in ("", digest[:-1], "g" * 64):
        with pytest.raises(ValueError, match="give its 64 hexadecimal digits"):
            TriageModel.load(path, expect_sha256=wrong)


def test_a_constant_topic_has_scale_0_and_no_strength():
    notes, dispositions, _ = ward(300)
    one = TriageModel(99, "svd").fit(notes, dispositions).pooled_model_
    assert (one.scale >= 0).all()
    assert (one.scale == 0).any()
    assert (one.strength[one.scale == 0] == 0).all()
    assert ((np.diag(one.correlation) > 0) == (one.scale > 0)).all()
    assert one.merit(one.forecaster.encode(notes, {}), np.ones(300)).patients == one.record.merit.patients


def test_numbers_that_have_lost_digits_are_written_as_zero(model, tmp_path):
    one = model.models_["Cough"]
    centre = one.forecaster.moments.centre
    moments = structs.replace(one.forecaster.moments, centre=np.where(np.arange(len(centre)) == 1, 5e-324, centre))
    tiny = structs.replace(one, forecaster=structs.replace(one.forecaster, moments=moments))
    changed = copy.copy(model)
    changed.models_ = model.models_ | {"Cough": tiny}
    changed.save(tmp_path / "tiny.sonmf")
    assert TriageModel.load(tmp_path / "tiny.sonmf").models_["Cough"].centre[1] == 0


FIGURES = st.floats(-1e30, 1e30) | st.just(float("nan"))


@given(st.builds(Figures, *[FIGURES] * 7))
def test_a_record_comes_back_from_json_and_nan_is_null(record):
    text = strict_json.encode(record)
    assert str(strict_json.decode(Figures, text)) == str(record)
    assert [value is None for value in json.loads(text).values()] == [value != value for value in structs.astuple(record)]


@pytest.mark.parametrize(
    "text",
    [
        b"", b"{", b"nonsense", b"\xff\xfe", b"[NaN]", b"[1e999]", b"[1" + b"0" * 400 + b"]", b'["\\ud800"]', b"[" * 10**6,
        b'{"kind": ' * 10**5, b'{"' + b"x\n" * 10**5 + b'": 1}', b'[{"name": "' + b"y" * 10**6 + b'"}]',
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_text_is_said_in_one_short_line(text):
    for kind in (list[Figures], Provenance, dict[str, int], list[float]):
        with pytest.raises(ValueError) as caught:  # noqa: PT011
            strict_json.decode(kind, text)
        assert len(str(caught.value)) < 250
        assert str(caught.value).isprintable()


def test_a_text_with_too_many_parts_is_not_read(monkeypatch):
    monkeypatch.setattr(strict_json, "MOST_PARTS", 100)
    assert strict_json.decode(list[int], b"[" + b"0," * 98 + b"0]")
    with pytest.raises(ValueError, match="too many parts"):
        strict_json.decode(list[int], b"[" + b"0," * 100 + b"0]")


def test_saving_a_loaded_model_keeps_the_day_and_the_versions_of_the_fit(model, path):
    past = copy.copy(model)
    past.created_, past.versions_ = "2020-02-02T02:02:02+00:00", {"sonmf": "0.0.1"}
    past.save(path)
    again = TriageModel.load(path)
    again.save(path)
    last = TriageModel.load(path)
    assert (last.created_, last.versions_) == (past.created_, past.versions_)
    assert str(lineage.lineage(last)[0]).startswith("fitted 2020-02-02")
