"""The model file: arrays and one JSON header under a checksum, described in docs/format.md. Reading it executes nothing.

The header is the model itself, record by record as msgspec writes them. Where a record has an array, the header has the name of
one of the file's arrays, which is the path to that place: ``complaints.0.forecaster.components``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeVar

import msgspec
import numpy as np
from msgspec import Meta, Struct
from msgspec.structs import asdict

from sonmf import files
from sonmf.errors import InputError
from sonmf.text import NotesVectorizer
from sonmf.text.note_numbers import COLUMNS as MEASURED
from sonmf.text.topic_words import MOST, Ranking
from sonmf.triage import drift_reference, sealed_arrays, strict_json
from sonmf.triage.column_effects import Category, Text
from sonmf.triage.columns import LARGEST, Kind
from sonmf.triage.complaint import ComplaintModel
from sonmf.triage.factorisations import METHODS, WordSettings, word_settings
from sonmf.triage.inputs import MOST_AXES, Rule, plain, topic_numbers
from sonmf.triage.lineage import Step
from sonmf.triage.provenance import Provenance
from sonmf.triage.sealed_arrays import ModelFileError
from sonmf.triage.strict_json import MOST_PARTS, NaturalNumber, count_parts, require
from sonmf.types import Array

if TYPE_CHECKING:
    from sonmf.triage.model import TriageModel

T = TypeVar("T", bound="TriageModel")
Label = str | int | float | bool
FORMAT, VERSION = "sonmf-triage", "1"
HEADER = "header"
SMALLEST = float(np.finfo(np.float64).tiny)  # what is closer to zero is written as zero
TOLERANCE = 1e-8  # of what is exact but for rounding


class Parameters(Struct, frozen=True, forbid_unknown_fields=True):
    """Arguments of ``TriageModel``, but for the vectoriser."""

    n_topics: NaturalNumber | list[NaturalNumber] | Literal["auto"]
    method: str
    rule: Rule
    min_notes: NaturalNumber
    own_models: Literal["better", "always"]
    positive: Label | None
    random_state: NaturalNumber
    measurements: bool
    kinds: dict[str, Kind] | None
    seed_topics: list[str] | None
    outcome_axes: Annotated[int, Meta(ge=0, le=MOST_AXES)]

    def __post_init__(self) -> None:
        require(self.method in METHODS, "the method is not known")
        topic_numbers(self.n_topics)


class Header(Struct, frozen=True):
    """A ``TriageModel`` as its file holds it."""

    parameters: Parameters
    classes: tuple[Label, Label]
    pooled: dict[str, str]
    complaints: Annotated[list[ComplaintModel], Meta(min_length=1)]
    lineage: list[Step]
    provenance: Provenance | None
    created: str
    versions: dict[str, str]


class StoredVectorizer(Struct, frozen=True, forbid_unknown_fields=True):
    """A ``NotesVectorizer`` as a file holds it."""

    settings: WordSettings
    vocabulary: Annotated[list[str], Meta(min_length=1)]
    spelling: list[str]
    idf: Array

    def __post_init__(self) -> None:
        words = self.vocabulary
        require(all(map(str.__lt__, words, words[1:])), "the vocabulary is not sorted, or has a word twice")
        require(len(self.spelling) == len(words), "there are not as many spellings as words")
        require(self.idf.shape == (len(words),), "there are not as many weights as words")

    @classmethod
    def of(cls, vectorizer: NotesVectorizer) -> StoredVectorizer:
        """A vectoriser in the form of the file."""
        vocabulary = [str(word) for word in vectorizer.get_feature_names_out()]
        spelling = [vectorizer.spelling_[word] for word in vocabulary]
        return cls(word_settings(vectorizer), vocabulary, spelling, vectorizer.idf_)

    def restored(self) -> NotesVectorizer:
        """The vectoriser again, ready to transform notes."""
        vectorizer: NotesVectorizer = NotesVectorizer().set_params(**asdict(self.settings))
        vectorizer.vocabulary_ = {word: column for column, word in enumerate(self.vocabulary)}
        vectorizer.idf_ = self.idf
        vectorizer.spelling_ = dict(zip(self.vocabulary, self.spelling, strict=True))
        return vectorizer


def save(model: TriageModel, path: Path) -> str:
    """Write a model, under a temporary name first; returns the SHA-256 of the file."""
    arrays: dict[str, Array] = {}
    records = msgspec.to_builtins(_header(model), builtin_types=(np.ndarray,), enc_hook=_vectorizer_to_record)
    text = strict_json.encode(_move_arrays(records, "", arrays))
    require(count_parts(text) <= MOST_PARTS, "the model has more words and figures than one file can hold: raise min_df")
    _decode_header(text, arrays)  # what could not be read is not written
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
        model = _model(cls, _decode_header(text.tobytes(), arrays))
    model.sha256_ = contents.digest
    return model


@contextmanager
def _explain_damage(path: Path) -> Iterator[None]:
    try:
        yield
    except (ValueError, MemoryError) as error:
        raise ModelFileError(f"{path} is damaged ({error}): fit the model again, or copy it again") from None


def _check_version(path: Path, metadata: Mapping[str, str]) -> None:
    """Refuse a file that this version of sonmf does not read."""
    if metadata.get("format") != FORMAT:
        raise ModelFileError(f"{path} is a safetensors file, but not a model of sonmf: give a file that `sonmf fit` wrote")
    if (version := metadata.get("version", "")) != VERSION:
        raise ModelFileError(f"{path} has format version {version[:9]!r}, and this sonmf reads {VERSION}: update sonmf")


def _header(model: TriageModel) -> Header:
    parameters = {name: plain(value) for name, value in model.get_params(deep=False).items() if name != "vectorizer"}
    other, admitted = (plain(value) for value in model.classes_)
    return Header(
        parameters=Parameters(**parameters),
        classes=(other, admitted),
        pooled=model.pooled_,
        complaints=list(model.by_name_.values()),
        lineage=model.lineage_,
        provenance=model.provenance_,
        created=model.created_,
        versions=model.versions_,
    )


def _model(cls: type[T], header: Header) -> T:
    model: T = cls().set_params(**asdict(header.parameters))
    model.classes_ = np.array(header.classes, object)
    model.pooled_ = header.pooled
    model.pooled_model_, *others = header.complaints
    model.models_ = {other.name: other for other in others}
    model.provenance_ = header.provenance
    model.evaluations_, model.remarks_ = [], []
    model.lineage_ = header.lineage
    model.created_, model.versions_ = header.created, header.versions
    return model


def _vectorizer_to_record(value: object) -> StoredVectorizer:
    if isinstance(value, NotesVectorizer):
        return StoredVectorizer.of(value)
    raise TypeError(f"{type(value).__name__} has no place in a model file")


def _move_arrays(node: Any, path: str, arrays: dict[str, Array]) -> Any:
    """Dictionaries and lists with the names of their arrays in place of these; the arrays are put into ``arrays``."""
    if isinstance(node, np.ndarray):
        arrays[path] = _without_subnormal(node)
        return path
    inside = f"{path}." if path else ""
    if isinstance(node, dict):
        return {key: _move_arrays(value, f"{inside}{key}", arrays) for key, value in node.items()}
    if isinstance(node, list | tuple):
        return [_move_arrays(value, f"{inside}{place}", arrays) for place, value in enumerate(node)]
    return node


def _without_subnormal(array: Array) -> Array:
    """Numbers so close to zero that they have lost digits become zero; multiplicative updates leave some."""
    return np.where(np.abs(array) < SMALLEST, 0.0, array)


def _decode_header(text: bytes, arrays: Mapping[str, Array]) -> Header:
    """The header with its arrays in their places, checked; each array must be used, and once."""
    unused = dict(arrays)
    header = strict_json.decode(Header, text, _decoder(unused))
    require(not unused, "there is an array too many")
    names = [complaint.name for complaint in header.complaints]
    require(names[0] == "" and len(set(names)) == len(names), "the complaints are not named as they must be")
    require(str(header.classes[0]) != str(header.classes[1]), "there are not two classes")
    for complaint in header.complaints:
        _check_complaint(complaint, header.parameters.method)
    return header


def _decoder(unused: dict[str, Array]) -> Callable[[Any, object], object]:
    """The function that msgspec asks for types it does not know; an array that it has placed is taken out of ``unused``."""

    def decode(kind: Any, value: object) -> object:
        if kind is NotesVectorizer:
            try:
                return msgspec.convert(value, StoredVectorizer, dec_hook=decode).restored()
            except msgspec.ValidationError as error:
                raise InputError(str(error)) from None  # msgspec adds the place of the vectoriser
        if kind == Array:
            require(isinstance(value, str) and value in unused, "Expected the name of an array")
            return _checked_numbers(str(value), unused.pop(str(value)))
        return strict_json.from_json(kind, value)

    return decode


def _checked_numbers(name: str, array: Array) -> Array:
    require(array.dtype == np.float64 and array.ndim > 0, f"array {name} is not of float64")
    size = np.abs(array)
    require(size.max(initial=0) <= LARGEST, f"array {name} has a number that is not finite, or too large")  # NaN is not <=
    require(not ((size > 0) & (size < SMALLEST)).any(), f"array {name} has a subnormal number")
    return array


def _check_complaint(complaint: ComplaintModel, method: str) -> None:
    """An ``InputError`` unless a fit by this method could have left such a model."""
    k, forecaster = len(complaint.labels), complaint.forecaster
    words = len(forecaster.vectorizer.vocabulary_)
    require(k > 0, "there is no topic")
    require(forecaster.components is not None, "there are no topics")
    _check_shape("components", complaint.components, k, words)
    _check_shape("effects", forecaster.effects, k)
    axes = len(complaint.record.axes)
    _check_shape("axes", forecaster.axes, axes, words)
    _check_shape("axis_effects", forecaster.axis_effects, axes)
    _check_shape("centre", forecaster.moments.centre, k + len(forecaster.columns))
    require(forecaster.n_admitted < forecaster.n_notes, "there are more admitted than notes, or only one outcome")
    _check_components(complaint.components, method)
    _check_axes(forecaster.axes, complaint.components)
    _check_idf(forecaster.vectorizer.idf_, forecaster.n_notes)
    _check_columns(complaint)
    _check_record(complaint)


def _check_shape(name: str, array: Array, *shape: int) -> None:
    require(array.shape == shape, f"array {name} has shape {array.shape}, not {shape}")


def _check_components(F: Array, method: str) -> None:
    """Refuse topics that are not what the method promises: orthonormal, or non-negative."""
    promise = METHODS[method].promise
    if promise == "orthonormal":
        off = np.abs(F @ F.T - np.eye(len(F))).max()
        require(off <= TOLERANCE, "the topics are not orthonormal")
    if promise == "non-negative":
        require(F.min() >= 0, "a topic has a negative weight")


def _check_axes(axes: Array, components: Array) -> None:
    """Outcome axes are orthonormal, and orthogonal to the topics."""
    off = np.abs(axes @ axes.T - np.eye(len(axes))).max(initial=0)
    require(off <= TOLERANCE, "the outcome axes are not orthonormal")
    lengths = np.maximum(np.linalg.norm(components, axis=1), SMALLEST)
    along = np.abs(axes @ components.T / lengths).max(initial=0)
    require(along <= TOLERANCE, "the outcome axes are not orthogonal to the topics")


def _check_idf(idf: Array, notes: int) -> None:
    """idf = log2(notes / df) of a whole number df, from 1 to the number of notes."""
    require(idf.min() >= 0, "array idf has a negative number")
    df = notes * np.exp2(-idf)
    whole = np.round(df)
    require(whole.min() >= 1 and (np.abs(df - whole) <= TOLERANCE * whole).all(), "array idf belongs to other notes")


def _check_columns(complaint: ComplaintModel) -> None:
    columns, shapes = complaint.columns, complaint.record.columns
    names = [column.name for column in columns]
    require(len(set(names)) == len(names) == len(shapes), "a column is there twice, or not in the record")
    require(names == [shape.name for shape in shapes], "the columns of the record are not those of the model")
    for column in columns:
        require(not column.measured or column.name in MEASURED, "a column is not what a note can state")
        require(column.effects.shape == (column.width,), "a column does not have as many effects as features")
        if isinstance(column, Text):
            _check_shape("components", column.components, column.width, len(column.vectorizer.vocabulary_))
            _check_components(column.components, "sonmf")
            _check_idf(column.vectorizer.idf_, complaint.n_notes)


def _check_record(complaint: ComplaintModel) -> None:
    """Refuse a record of a fit with other topics, words or columns."""
    k, record = complaint.n_topics, complaint.record
    parts = k + len(record.axes) + len(complaint.columns)
    require(_are_places(record.merit.topics, parts), "a signal is neither a topic nor an axis nor a column")
    require(len(record.stability) == (k if record.replicates else 0), "not every topic has a stability")
    require(len(record.seeds) <= k, "there are more seed topics than topics")
    require(not record.ranks or k in {rank.n_topics for rank in record.ranks}, "its number of topics was not tried")
    require(len(record.leading_words) == k, "not every topic has its leading words")
    for ranking in (*record.leading_words, *(axis.leading_words for axis in record.axes)):
        _check_leading_words(ranking, len(complaint.words))
    if record.occurrence is not None:
        require(len(record.occurrence.energy) == k, "the topics that meet in notes are not those of the model")
        counts = chain.from_iterable(record.occurrence.notes)
        require(all(n <= complaint.n_notes for n in counts), "topics meet in more notes than there are")
    levels = {column.name: len(column.levels) if isinstance(column, Category) else 0 for column in complaint.columns}
    drift_reference.check(record.reference, k + len(record.axes), levels)


def _check_leading_words(ranking: Ranking, words: int) -> None:
    positive, negative, share = ranking
    require(share is not None and 0 <= share <= 1, "the share of a topic's energy is missing or wrong")
    for side, sign in ((positive, 1), (negative, -1)):
        require(
            len(side) <= MOST and _are_places([place for place, _ in side], words), "a leading word is not in the vocabulary"
        )
        require(all(0 <= sign * correlation <= 1 for _, correlation in side), "the correlation of a leading word is wrong")


def _are_places(numbers: Sequence[int], k: int) -> bool:
    """Whether these are different numbers from 0 to k - 1."""
    return len(set(numbers)) == len(numbers) and all(0 <= number < k for number in numbers)
