import json
import pickle

import numpy as np
import pytest
from safetensors import safe_open
from safetensors.numpy import save_file
from wards import ward

from sonmf.triage import ModelFileError, TriageModel


@pytest.fixture
def path(model, tmp_path):
    model.save(tmp_path / "ward.sonmf")
    return tmp_path / "ward.sonmf"


def test_a_model_comes_back_as_it_was(model, path):
    again = TriageModel.load(path)
    notes, _, complaints = ward(100, seed=5)
    assert (again.predict_proba(notes, complaints) == model.predict_proba(notes, complaints)).all()
    assert again.explain("syncope zebra", "Rare") == model.explain("syncope zebra", "Rare")
    assert again.get_params() == model.get_params()
    assert [m.record for m in again.models_.values()] == [json.loads(json.dumps(m.record)) for m in model.models_.values()]


def test_no_note_is_inside(path):
    notes, _, _ = ward(900)
    data = path.read_bytes()
    pairs = {" ".join(note.split()[i : i + 2]) for note in notes for i in range(1, 4)}
    assert not any(pair.encode() in data for pair in pairs)


def test_the_format_is_as_described(path):
    with safe_open(path, framework="numpy") as opened:
        metadata = opened.metadata()
        header = json.loads(metadata["header"])
        assert metadata["format"] == "sonmf-triage"
        assert metadata["version"] == "1"
        for number, one in enumerate(header["complaints"]):
            k, p = len(one["labels"]), len(one["vocabulary"])
            assert opened.get_tensor(f"{number}.components").shape == (k, p)
            assert opened.get_tensor(f"{number}.effects").shape == (k,)
            assert opened.get_tensor(f"{number}.idf").shape == (p,)
        assert header["complaints"][0]["name"] == ""


def test_an_interrupted_save_leaves_the_old_file(model, path, monkeypatch):
    before = path.read_bytes()

    def broken(arrays, partial, metadata):
        partial.write_bytes(b"half a fi")
        raise OSError("disk full")

    monkeypatch.setattr("safetensors.numpy.save_file", broken)
    with pytest.raises(OSError, match="disk full"):
        model.save(path)
    assert path.read_bytes() == before
    assert [p.name for p in path.parent.iterdir()] == [path.name]


def refused(path, pattern):
    with pytest.raises(ModelFileError, match=pattern):
        TriageModel.load(path)


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


def rewritten(path, change):
    with safe_open(path, framework="numpy") as opened:
        arrays = {name: opened.get_tensor(name) for name in opened.keys()}  # noqa: SIM118
        metadata = opened.metadata()
    change(arrays, metadata)
    save_file(arrays, path, metadata)
    return path


def test_a_newer_file_asks_for_an_update(path):
    refused(rewritten(path, lambda arrays, metadata: metadata.update(version="2")), "format version 2.*update sonmf")


@pytest.mark.parametrize(
    "change",
    [
        lambda arrays, metadata: metadata.update(header="{"),
        lambda arrays, metadata: metadata.update(header="[]"),
        lambda arrays, metadata: metadata.update(header="{}"),
        lambda arrays, metadata: arrays.pop("0.effects"),
        lambda arrays, metadata: arrays.update({"1.components": np.zeros((2, 2))}),
        lambda arrays, metadata: arrays.update({"0.idf": np.zeros(3)}),
        lambda arrays, metadata: metadata.update(header=metadata["header"].replace('"intercept": ', '"intercept": "x", "y": ')),
        lambda arrays, metadata: metadata.update(header=metadata["header"].replace('"n_topics"', '"n_tropics"')),
    ],
    ids=["json", "list", "empty", "array missing", "wrong shape", "wrong idf", "text for a number", "unknown parameter"],
)
def test_a_damaged_header_is_refused(path, change):
    refused(rewritten(path, change), "is damaged")
