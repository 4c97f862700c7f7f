"""The model file: arrays and one JSON header under a checksum, described in docs/format.md. Reading it executes nothing."""

from __future__ import annotations

import datetime
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import fields
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from sonmf import files
from sonmf.text import NotesVectorizer
from sonmf.triage import container, lasso, model_header, records
from sonmf.triage.column_effects import Category, Column, Number, Text
from sonmf.triage.columns import CATEGORY, LARGEST, TEXT
from sonmf.triage.complaint import ComplaintModel
from sonmf.triage.container import ModelFileError
from sonmf.triage.factorisations import METHODS, word_settings
from sonmf.triage.inputs import plain
from sonmf.triage.kept_evaluations import KeptEvaluation
from sonmf.triage.model_header import ColumnHeader, ComplaintHeader, Header, Parameters, WordsHeader
from sonmf.triage.recalibration import UNCHANGED, Line
from sonmf.triage.strict_json import dumps, require
from sonmf.types import Array

if TYPE_CHECKING:
    from sonmf.triage.model import TriageModel

T = TypeVar("T", bound="TriageModel")
FORMAT, VERSION = "sonmf-triage", 4
NOT_RECALIBRATED = 3  # the version of a model that an earlier sonmf reads too
PACKAGES = ("sonmf", "numpy", "scipy", "scikit-learn", "numba")
OLD = "{} has format version 1, without a checksum, so damage may go unseen: fit the model again, or load and save it in Python"
MARKED = "{} was fitted with marked negations by an earlier sonmf, which ended them elsewhere: fit the model again"
ARRAYS = ("components", "effects", "centre", "scale", "correlation")  # of a ComplaintModel
SMALLEST = float(np.finfo(np.float64).tiny)  # what is closer to zero is written as zero
TOLERANCE = 1e-8  # of what is exact but for rounding


def save(model: TriageModel, path: Path) -> str:
    """Write a model, under a temporary name first; returns the SHA-256 of the file."""
    arrays = {
        f"{number}.{name}": array for number, one in enumerate(model.by_name_.values()) for name, array in _arrays(one).items()
    }
    text = dumps(records.as_json(_header(model)))
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
        model = _model(cls, header, [_upgrade_version_1(one) for one in arrays] if found == 1 else arrays)
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
    expected = [{name: f"{number}.{name}" for name in _array_shapes(one)} for number, one in enumerate(complaints)]
    require({key for one in expected for key in one.values()} == arrays.keys(), "an array is missing, or one too many")
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
    words = _words_header(model.vectorizer)
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
        "columns": [_column_header(column) for column in model.columns],
        "record": model.record,
    }
    if recalibrated:
        intercept, slope = model.recalibration
        found["recalibration"] = {"intercept": intercept, "slope": slope}
    return found


def _complaint(header: ComplaintHeader, arrays: dict[str, Array], method: str) -> ComplaintModel:
    _check_arrays(arrays, header, method)
    return ComplaintModel(
        name=header["name"],
        vectorizer=_vectorizer(header, arrays["idf"]),
        intercept=header["intercept"],
        columns=tuple(_column(place, one, arrays) for place, one in enumerate(header["columns"])),
        n_notes=header["n_notes"],
        n_admitted=header["n_admitted"],
        labels=tuple(header["labels"]),
        signals=header["signals"],
        record=header["record"],
        recalibration=Line(**header["recalibration"]) if "recalibration" in header else UNCHANGED,
        **{name: arrays[name] for name in ARRAYS},
    )


def _column_header(column: Column) -> ColumnHeader:
    """The fields of a column; those of a text without its topics, which stand among the arrays."""
    if isinstance(column, Text):
        words = _words_header(column.vectorizer)
        return {"kind": TEXT, "name": column.name, **words, "centre": plain(column.centre), "effects": plain(column.effects)}
    found: ColumnHeader = plain({"kind": column.kind} | {one.name: plain(getattr(column, one.name)) for one in fields(column)})
    return found


def _words_header(vectorizer: NotesVectorizer) -> WordsHeader:
    """A vectoriser, but for the weights of its words."""
    vocabulary = [str(word) for word in vectorizer.get_feature_names_out()]
    spelling = [vectorizer.spelling_[word] for word in vocabulary]
    return {"vocabulary": vocabulary, "spelling": spelling, "vectorizer": word_settings(vectorizer)}


def _vectorizer(found: WordsHeader, idf: Array) -> NotesVectorizer:
    """The same from a header and the weights."""
    parameters, vocabulary = found["vectorizer"], found["vocabulary"]
    vectorizer: NotesVectorizer = NotesVectorizer().set_params(**parameters | {"ngram_range": tuple(parameters["ngram_range"])})
    vectorizer.vocabulary_ = {word: column for column, word in enumerate(vocabulary)}
    vectorizer.idf_ = idf
    vectorizer.spelling_ = dict(zip(vocabulary, found["spelling"], strict=True))
    return vectorizer


def _column(place: int, found: ColumnHeader, given: Mapping[str, Array]) -> Column:
    """A column from its header and the arrays of its complaint, which have been checked."""
    name, effects = found["name"], np.array(found["effects"], float)
    if found["kind"] == TEXT:
        vectorizer = _vectorizer(found, given[f"column{place}.idf"])
        return Text(name, vectorizer, given[f"column{place}.components"], np.array(found["centre"], float), effects)
    if found["kind"] == CATEGORY:
        return Category(name, found["measured"], tuple(found["levels"]), np.array(found["shares"], float), effects)
    knots, centre = (np.array(values, float) for values in (found["knots"], found["centre"]))
    return Number(name, found["measured"], knots, centre, found["missing"], found["low"], found["high"], effects)


def _arrays(model: ComplaintModel) -> dict[str, Array]:
    """What stands among the arrays of the file."""
    found = {name: getattr(model, name) for name in ARRAYS} | {"idf": model.vectorizer.idf_}
    for place, column in enumerate(model.columns):
        if isinstance(column, Text):
            found |= {f"column{place}.components": column.components, f"column{place}.idf": column.vectorizer.idf_}
    return {name: _without_subnormal(array) for name, array in found.items()}


def _array_shapes(header: ComplaintHeader) -> dict[str, tuple[int, ...]]:
    """The arrays that belong to a complaint with this header."""
    k, p = len(header["labels"]), len(header["vocabulary"])
    found = dict.fromkeys(ARRAYS, (k,)) | {"components": (k, p), "correlation": (k, k), "idf": (p,)}
    for place, one in enumerate(header["columns"]):
        if one["kind"] == TEXT:
            words = len(one["vocabulary"])
            found |= {f"column{place}.components": (len(one["centre"]), words), f"column{place}.idf": (words,)}
    return found


def _without_subnormal(array: Array) -> Array:
    """Numbers so close to zero that they have lost digits become zero; multiplicative updates leave some."""
    return np.where(np.abs(array) < SMALLEST, 0.0, array)


def _upgrade_version_1(arrays: Mapping[str, Array]) -> dict[str, Array]:
    """As version 2 would have written them: constant topics had the scale infinity, or what rounding had made of 0."""
    scale = arrays["scale"]
    found = {name: _without_subnormal(array) if name == "components" else array for name, array in arrays.items()}
    return found | {"scale": lasso.without_rounding(np.where(scale == np.inf, 0.0, scale))}


def _check_arrays(arrays: Mapping[str, Array], header: ComplaintHeader, method: str) -> None:
    """A ``ValueError`` unless a fit by this method could have produced these arrays."""
    for name, shape in _array_shapes(header).items():
        _check_numbers(name, arrays[name], shape)
    require(abs(header["intercept"]) <= LARGEST, "the intercept is too large")
    for name, array in arrays.items():
        if name.endswith("components"):
            _check_components(array, method if name == "components" else "sonmf")
        elif name.endswith("idf"):
            _check_idf(array, header["n_notes"])
    _check_spread(arrays["scale"], arrays["correlation"])


def _check_numbers(name: str, array: Array, shape: tuple[int, ...]) -> None:
    require(array.dtype == np.float64, f"array {name} is not of float64")
    require(array.shape == shape, f"array {name} has shape {array.shape}, not {shape}")
    size = np.abs(array)
    require(size.max() <= LARGEST, f"array {name} has a number that is not finite, or too large")  # NaN compares false
    require(not ((size > 0) & (size < SMALLEST)).any(), f"array {name} has a subnormal number")


def _check_components(F: Array, method: str) -> None:
    """What the method promises of its topics, one a row."""
    promise = METHODS[method].promise
    if promise == "orthonormal":
        off = np.abs(F @ F.T - np.eye(len(F))).max()
        require(off <= TOLERANCE, "the topics are not orthonormal")
    if promise == "non-negative":
        require(F.min() >= 0, "a topic has a negative weight")


def _check_idf(idf: Array, notes: int) -> None:
    """idf = log2(notes / df) of a whole number df, from 1 to the number of notes."""
    require(idf.min() >= 0, "array idf has a negative number")
    df = notes * np.exp2(-idf)
    whole = np.round(df)
    require(whole.min() >= 1 and (np.abs(df - whole) <= TOLERANCE * whole).all(), "array idf belongs to other notes")


def _check_spread(scale: Array, correlation: Array) -> None:
    """Standard deviations are not negative; a topic correlates with itself by 1, or by 0 where it is constant."""
    require(scale.min() >= 0, "array scale has a negative number")
    require(np.abs(correlation - correlation.T).max() <= TOLERANCE, "array correlation is not symmetric")
    require(np.abs(correlation).max() <= 1 + TOLERANCE, "array correlation has a number beyond 1")
    require(np.abs(np.diag(correlation) - (scale > 0)).max() <= TOLERANCE, "arrays scale and correlation do not agree")
