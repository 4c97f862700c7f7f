"""The model file: arrays and one JSON header under a checksum, described in docs/format.md. Reading it executes nothing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from msgspec.structs import asdict

from sonmf import files
from sonmf.text import NotesVectorizer
from sonmf.triage import sealed_arrays
from sonmf.triage.column_effects import Category, Column, Number, Text
from sonmf.triage.columns import LARGEST
from sonmf.triage.complaint import ComplaintModel
from sonmf.triage.factorisations import METHODS, word_settings
from sonmf.triage.inputs import plain
from sonmf.triage.model_header import ComplaintHeader, Header, Parameters, TextColumn, Words
from sonmf.triage.sealed_arrays import ModelFileError
from sonmf.triage.strict_json import MOST_PARTS, count_parts, decode, encode, require
from sonmf.types import Array

if TYPE_CHECKING:
    from sonmf.triage.model import TriageModel

T = TypeVar("T", bound="TriageModel")
FORMAT, VERSION = "sonmf-triage", "1"
HEADER = "header"
ARRAYS = ("components", "effects", "centre", "scale", "correlation")  # of a ComplaintModel
SMALLEST = float(np.finfo(np.float64).tiny)  # what is closer to zero is written as zero
TOLERANCE = 1e-8  # of what is exact but for rounding


def save(model: TriageModel, path: Path) -> str:
    """Write a model, under a temporary name first; returns the SHA-256 of the file."""
    arrays = {
        f"{number}.{name}": array
        for number, complaint in enumerate(model.by_name_.values())
        for name, array in _arrays(complaint).items()
    }
    text = encode(_header(model))
    require(count_parts(text) <= MOST_PARTS, "the model has more words and figures than one file can hold: raise min_df")
    decode(Header, text)  # what could not be read is not written
    arrays[HEADER] = np.frombuffer(text, np.uint8)
    metadata = {"format": FORMAT, "version": VERSION}
    return files.replace(path, lambda partial: sealed_arrays.write(partial, arrays, metadata))


def load(cls: type[T], path: Path, expect_sha256: str | None = None) -> T:
    """The model, or a ``ModelFileError``."""
    contents = sealed_arrays.read(path, expect_sha256)
    _check_version(path, contents.metadata)
    with _explain_damage(path):
        arrays = dict(contents.arrays)
        text = arrays.pop(HEADER, np.empty(0))
        require(text.dtype == np.uint8, "it has no header")
        header = decode(Header, text.tobytes())
        model = _model(cls, header, _by_complaint(arrays, header.complaints))
    model.sha256_ = contents.digest
    return model


@contextmanager
def _explain_damage(path: Path) -> Iterator[None]:
    try:
        yield
    except (ValueError, MemoryError) as error:
        raise ModelFileError(f"{path} is damaged ({error}): fit the model again, or copy it again") from None


def _check_version(path: Path, metadata: Mapping[str, str]) -> None:
    """A sentence on why this sonmf does not read a file, unless it does."""
    if metadata.get("format") != FORMAT:
        raise ModelFileError(f"{path} is a safetensors file, but not a model of sonmf: give a file that `sonmf fit` wrote")
    if (version := metadata.get("version", "")) != VERSION:
        raise ModelFileError(f"{path} has format version {version[:9]!r}, and this sonmf reads {VERSION}: update sonmf")


def _by_complaint(arrays: Mapping[str, Array], complaints: list[ComplaintHeader]) -> list[dict[str, Array]]:
    """The arrays of each complaint by name: those there must be and no others."""
    expected = [{name: f"{number}.{name}" for name in _array_shapes(header)} for number, header in enumerate(complaints)]
    require({key for keys in expected for key in keys.values()} == arrays.keys(), "an array is missing, or one too many")
    return [{name: arrays[key] for name, key in keys.items()} for keys in expected]


def _model(cls: type[T], header: Header, arrays: list[dict[str, Array]]) -> T:
    model: T = cls().set_params(**asdict(header.parameters))
    model.classes_ = np.array(header.classes, object)
    model.pooled_ = header.pooled
    complaints = [_complaint(described, own, model.method) for described, own in zip(header.complaints, arrays, strict=True)]
    model.pooled_model_, *others = complaints
    model.models_ = {other.name: other for other in others}
    model.provenance_ = header.provenance
    model.evaluations_, model.remarks_ = [], []
    model.lineage_ = header.lineage
    model.created_, model.versions_ = header.created, header.versions
    return model


def _header(model: TriageModel) -> Header:
    """What a file holds of a model besides the arrays; that it can be read again is checked when it is written."""
    parameters = {name: plain(value) for name, value in model.get_params(deep=False).items() if name != "vectorizer"}
    other, admitted = (plain(value) for value in model.classes_)
    return Header(
        parameters=Parameters(**parameters),
        classes=(other, admitted),
        pooled=model.pooled_,
        complaints=[_complaint_header(complaint) for complaint in model.by_name_.values()],
        lineage=model.lineage_,
        provenance=model.provenance_,
        created=model.created_,
        versions=model.versions_,
    )


def _complaint_header(model: ComplaintModel) -> ComplaintHeader:
    return ComplaintHeader(
        **_words(model.vectorizer),
        name=model.name,
        n_notes=model.n_notes,
        n_admitted=model.n_admitted,
        intercept=model.intercept,
        signals=model.signals,
        labels=list(model.labels),
        columns=[_without_arrays(column) for column in model.columns],
        record=model.record,
        recalibration=model.recalibration,
    )


def _complaint(header: ComplaintHeader, arrays: dict[str, Array], method: str) -> ComplaintModel:
    _check_arrays(arrays, header, method)
    return ComplaintModel(
        name=header.name,
        vectorizer=_vectorizer(header, arrays["idf"]),
        intercept=header.intercept,
        columns=tuple(
            _text(column, place, arrays) if isinstance(column, TextColumn) else column
            for place, column in enumerate(header.columns)
        ),
        n_notes=header.n_notes,
        n_admitted=header.n_admitted,
        labels=tuple(header.labels),
        signals=header.signals,
        record=header.record,
        recalibration=header.recalibration,
        **{name: arrays[name] for name in ARRAYS},
    )


def _without_arrays(column: Column) -> Number | Category | TextColumn:
    """A column as the header holds it: a text without its topics, which stand among the arrays."""
    if not isinstance(column, Text):
        return column
    return TextColumn(**_words(column.vectorizer), name=column.name, centre=column.centre, effects=column.effects)


def _text(header: TextColumn, place: int, arrays: Mapping[str, Array]) -> Text:
    """A column of text from its header and the arrays of its complaint, which have been checked."""
    vectorizer = _vectorizer(header, arrays[f"column{place}.idf"])
    return Text(header.name, vectorizer, arrays[f"column{place}.components"], header.centre, header.effects)


def _words(vectorizer: NotesVectorizer) -> dict[str, Any]:
    """The fields of ``Words``."""
    vocabulary = [str(word) for word in vectorizer.get_feature_names_out()]
    spelling = [vectorizer.spelling_[word] for word in vocabulary]
    return {"vocabulary": vocabulary, "spelling": spelling, "vectorizer": word_settings(vectorizer)}


def _vectorizer(words: Words, idf: Array) -> NotesVectorizer:
    """A vectoriser from its words and their weights."""
    vectorizer: NotesVectorizer = NotesVectorizer().set_params(**asdict(words.vectorizer))
    vectorizer.vocabulary_ = {word: column for column, word in enumerate(words.vocabulary)}
    vectorizer.idf_ = idf
    vectorizer.spelling_ = dict(zip(words.vocabulary, words.spelling, strict=True))
    return vectorizer


def _arrays(model: ComplaintModel) -> dict[str, Array]:
    """What stands among the arrays of the file."""
    arrays = {name: getattr(model, name) for name in ARRAYS} | {"idf": model.vectorizer.idf_}
    for place, column in enumerate(model.columns):
        if isinstance(column, Text):
            arrays |= {f"column{place}.components": column.components, f"column{place}.idf": column.vectorizer.idf_}
    return {name: _without_subnormal(array) for name, array in arrays.items()}


def _array_shapes(header: ComplaintHeader) -> dict[str, tuple[int, ...]]:
    """The arrays that belong to a complaint with this header."""
    k, p = len(header.labels), len(header.vocabulary)
    shapes = dict.fromkeys(ARRAYS, (k,)) | {"components": (k, p), "correlation": (k, k), "idf": (p,)}
    for place, column in enumerate(header.columns):
        if isinstance(column, TextColumn):
            words = len(column.vocabulary)
            shapes |= {f"column{place}.components": (column.width, words), f"column{place}.idf": (words,)}
    return shapes


def _without_subnormal(array: Array) -> Array:
    """Numbers so close to zero that they have lost digits become zero; multiplicative updates leave some."""
    return np.where(np.abs(array) < SMALLEST, 0.0, array)


def _check_arrays(arrays: Mapping[str, Array], header: ComplaintHeader, method: str) -> None:
    """An ``InputError`` unless a fit by this method could have produced these arrays."""
    for name, shape in _array_shapes(header).items():
        _check_numbers(name, arrays[name], shape)
    for name, array in arrays.items():
        if name.endswith("components"):
            _check_components(array, method if name == "components" else "sonmf")
        elif name.endswith("idf"):
            _check_idf(array, header.n_notes)
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
