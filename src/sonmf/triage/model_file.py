"""The model file: arrays and one JSON header under a checksum, described in docs/format.md. Reading it executes nothing."""

from __future__ import annotations

import datetime
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from sonmf import files
from sonmf.triage import container, model_arrays, model_header, records, stored_columns, strict_json
from sonmf.triage.complaint import ComplaintModel
from sonmf.triage.container import ModelFileError
from sonmf.triage.inputs import plain
from sonmf.triage.kept_evaluations import KeptEvaluation
from sonmf.triage.model_header import ComplaintHeader, Header, Parameters
from sonmf.triage.recalibration import UNCHANGED, Line
from sonmf.types import Array

if TYPE_CHECKING:
    from sonmf.triage.model import TriageModel

T = TypeVar("T", bound="TriageModel")
FORMAT, VERSION = "sonmf-triage", 4
NOT_RECALIBRATED = 3  # the version of a model that an earlier sonmf reads too
PACKAGES = ("sonmf", "numpy", "scipy", "scikit-learn", "numba")
OLD = "{} has format version 1, without a checksum, so damage may go unseen: fit the model again, or load and save it in Python"

MARKED = "{} was fitted with marked negations by an earlier sonmf, which ended them elsewhere: fit the model again"


def save(model: TriageModel, path: Path) -> str:
    """Write a model, under a temporary name first; returns the SHA-256 of the file."""
    arrays = {
        f"{number}.{name}": array
        for number, one in enumerate(model.by_name_.values())
        for name, array in model_arrays.of_model(one).items()
    }
    text = strict_json.dumps(records.as_json(_header(model)))
    version = VERSION if _is_recalibrated(model) else NOT_RECALIBRATED
    model_header.read_header(text, version)  # what could not be read is not written
    metadata = {"format": FORMAT, "version": str(version), "header": text}
    return files.replace(path, lambda partial: container.write(partial, arrays, metadata))


def load(cls: type[T], path: Path, expect_sha256: str | None = None) -> T:
    """The model, or a ``ModelFileError``."""
    contents = container.read(path, expect_sha256)
    found = _version(path, contents)
    with _explain_damage(path):
        header = model_header.read_header(contents.metadata.get("header", ""), found)
    if found < 3 and model_header.marks_negation(header):
        raise ModelFileError(MARKED.format(path))
    with _explain_damage(path):
        arrays = _by_complaint(contents.arrays, header["complaints"])
        model = _model(cls, header, [model_arrays.of_version_1(one) for one in arrays] if found == 1 else arrays)
    model.sha256_ = contents.digest
    model.remarks_ = [OLD.format(path)] if found == 1 else []
    return model


@contextmanager
def _explain_damage(path: Path) -> Iterator[None]:
    try:
        yield
    except (ValueError, MemoryError) as error:
        raise ModelFileError(f"{path} is damaged ({error}): fit the model again, or copy it again") from None


def _version(path: Path, contents: container.Contents) -> int:
    """The format version of the file, or a sentence on why this sonmf does not read it."""
    if contents.metadata.get("format") != FORMAT:
        raise ModelFileError(f"{path} is a safetensors file, but not a model of sonmf: give a file that `sonmf fit` wrote")
    found = contents.metadata.get("version", "")
    if found not in map(str, range(1, VERSION + 1)):
        raise ModelFileError(f"{path} has format version {found[:9]!r}, and this sonmf reads up to {VERSION}: update sonmf")
    if contents.sealed != (found != "1"):
        raise ModelFileError(f"{path} has no checksum, or an unexpected one, and may be damaged: fit or copy it again")
    return int(found)


def _by_complaint(arrays: Mapping[str, Array], complaints: list[ComplaintHeader]) -> list[dict[str, Array]]:
    """The arrays of each complaint by name: those there must be and no others."""
    expected = [
        {name: f"{number}.{name}" for name in (*model_arrays.NAMES, *stored_columns.array_names(one["columns"]))}
        for number, one in enumerate(complaints)
    ]
    strict_json.require(
        {key for one in expected for key in one.values()} == arrays.keys(), "an array is missing, or one too many"
    )
    return [{name: arrays[key] for name, key in one.items()} for one in expected]


def _model(cls: type[T], header: Header, arrays: list[dict[str, Array]]) -> T:
    model: T = cls().set_params(**header["parameters"])
    model.classes_ = np.array(header["classes"], object)
    model.pooled_ = header["pooled"]
    found = [_complaint(one, some, model.method) for one, some in zip(header["complaints"], arrays, strict=True)]
    model.pooled_model_, *own = found
    model.models_ = {one.name: one for one in own}
    model.provenance_ = header["provenance"]
    model.evaluations_ = [KeptEvaluation.earlier(header["evaluation"])] if header.get("evaluation") else []
    model.lineage_ = header.get("lineage", [])
    model.created_, model.versions_ = header["created"], header["versions"]
    return model


def _header(model: TriageModel) -> Header:
    return {
        "parameters": _parameters(model),
        "classes": [plain(value) for value in model.classes_],
        "pooled": model.pooled_,
        "complaints": [_complaint_header(one, _is_recalibrated(model)) for one in model.by_name_.values()],
        "lineage": model.lineage_,
        "provenance": model.provenance_,
        "created": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "versions": {name: version(name) for name in PACKAGES},
    }


def _is_recalibrated(model: TriageModel) -> bool:
    """Whether any complaint was: its forecasts then need version 4."""
    return any(one.recalibration != UNCHANGED for one in model.by_name_.values())


def _parameters(model: TriageModel) -> Parameters:
    """As JSON can hold them; seed topics only where there are any, so that an earlier sonmf reads the other models."""
    absent = {"vectorizer"} if model.seed_topics else {"vectorizer", "seed_topics"}
    given = model.get_params(deep=False).items()
    found: Parameters = plain({name: plain(value) for name, value in given if name not in absent})
    return found


def _complaint_header(model: ComplaintModel, recalibrated: bool) -> ComplaintHeader:
    words = stored_columns.words_header(model.vectorizer)
    found: ComplaintHeader = {
        "name": model.name,
        "n_notes": model.n_notes,
        "n_admitted": model.n_admitted,
        "intercept": model.intercept,
        "signals": model.signals,
        "labels": list(model.labels),
        "vocabulary": words["vocabulary"],
        "spelling": words["spelling"],
        "vectorizer": words["vectorizer"],
        "columns": [stored_columns.header(column) for column in model.columns],
        "record": model.record,
    }
    if recalibrated:
        intercept, slope = model.recalibration
        found["recalibration"] = {"intercept": intercept, "slope": slope}
    return found


def _complaint(header: ComplaintHeader, arrays: dict[str, Array], method: str) -> ComplaintModel:
    model_arrays.check(arrays, header, method)
    own = {name: arrays[name] for name in model_arrays.NAMES if name != "idf"}
    return ComplaintModel(
        name=header["name"],
        vectorizer=stored_columns.vectorizer_of(header, arrays["idf"]),
        intercept=header["intercept"],
        columns=tuple(stored_columns.read(place, one, arrays) for place, one in enumerate(header["columns"])),
        n_notes=header["n_notes"],
        n_admitted=header["n_admitted"],
        labels=tuple(header["labels"]),
        signals=header["signals"],
        record=header["record"],
        recalibration=Line(**header["recalibration"]) if "recalibration" in header else UNCHANGED,
        **own,
    )
