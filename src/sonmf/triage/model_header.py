"""The header of a model file, as docs/format.md describes it: declared once, for writing, reading and checking."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal

from msgspec import Meta, Struct

from sonmf.text.note_numbers import COLUMNS as MEASURED
from sonmf.triage import drift_reference
from sonmf.triage.column_effects import Category, Number
from sonmf.triage.columns import TEXT, Kind
from sonmf.triage.factorisations import METHODS, WordSettings
from sonmf.triage.inputs import Rule, topic_numbers
from sonmf.triage.lineage import Step
from sonmf.triage.provenance import Provenance
from sonmf.triage.recalibration import Line
from sonmf.triage.records import FitRecord, Patients
from sonmf.triage.strict_json import Bounded, NaturalNumber, require
from sonmf.types import Array

Label = str | int | float | bool


class Words(Struct, frozen=True):
    """The words of a vectoriser, but for their weights, which stand among the arrays."""

    vocabulary: Annotated[list[str], Meta(min_length=1)]
    spelling: list[str]
    vectorizer: WordSettings

    def __post_init__(self) -> None:
        words = self.vocabulary
        require(all(map(str.__lt__, words, words[1:])), "the vocabulary is not sorted, or has a word twice")
        require(len(self.spelling) == len(words), "there are not as many spellings as words")


class TextColumn(Words, frozen=True, forbid_unknown_fields=True, tag_field="kind", tag=TEXT):
    """The fields of ``Text``, but for its topics, which stand among the arrays."""

    name: str
    centre: Array
    effects: Array

    @property
    def width(self) -> int:
        """Number of its features."""
        return len(self.centre)


class Parameters(Struct, frozen=True, forbid_unknown_fields=True):
    """Arguments of ``TriageModel``, but for the vectoriser."""

    n_topics: NaturalNumber | list[NaturalNumber] | Literal["auto"]
    method: str
    rule: Rule
    min_notes: NaturalNumber
    positive: Label | None
    random_state: NaturalNumber
    measurements: bool
    kinds: dict[str, Kind] | None
    seed_topics: list[str] | None

    def __post_init__(self) -> None:
        require(self.method in METHODS, "the method is not known")
        topic_numbers(self.n_topics)


class ComplaintHeader(Words, frozen=True):
    """One complaint, but for its arrays."""

    name: str
    n_notes: Patients
    n_admitted: Patients
    intercept: Bounded
    signals: list[NaturalNumber]
    labels: Annotated[list[str], Meta(min_length=1)]
    columns: list[Number | Category | TextColumn]
    record: FitRecord
    recalibration: Line

    def __post_init__(self) -> None:
        super().__post_init__()
        require(self.n_admitted < self.n_notes, "there are more admitted than notes, or only one outcome")
        self._check_columns()
        self._check_record()

    def _check_columns(self) -> None:
        names = [column.name for column in self.columns]
        require(len(set(names)) == len(names) == len(self.record.columns), "a column is there twice, or not in the record")
        for column in self.columns:
            measured = not isinstance(column, TextColumn) and column.measured
            require(not measured or column.name in MEASURED, "a column is not what a note can state")
            require(len(column.effects) == column.width, "a column does not have as many effects as features")
        for shape, column in zip(self.record.columns, self.columns, strict=True):
            require(shape.name == column.name, "the columns of the record are not those of the model")

    def _check_record(self) -> None:
        """Refuse a record of a fit with other topics, words or columns."""
        k, record = len(self.labels), self.record
        places = k + len(self.columns)
        require(_are_places(self.signals, places), "a signal is neither a topic nor a column")
        require(_are_places(record.merit.topics, places), "a signal is neither a topic nor a column")
        require(len(record.stability) == (k if record.replicates else 0), "not every topic has a stability")
        require(len(record.seeds) <= k, "there are more seed topics than topics")
        require(not record.ranks or k in {rank.n_topics for rank in record.ranks}, "its number of topics was not tried")
        require(len(record.leading_words) == k, "not every topic has its leading words")
        words = [place for topic in record.leading_words for side in (topic.positive, topic.negative) for place in side.columns]
        require(max(words, default=0) < len(self.vocabulary), "a leading word is not in the vocabulary")
        levels = {column.name: len(column.levels) if isinstance(column, Category) else 0 for column in self.columns}
        drift_reference.check(record.reference, k, levels)


class Header(Struct, frozen=True):
    """All that a model file holds besides the arrays."""

    parameters: Parameters
    classes: tuple[Label, Label]
    pooled: dict[str, str]
    complaints: Annotated[list[ComplaintHeader], Meta(min_length=1)]
    lineage: list[Step]
    provenance: Provenance | None
    created: str
    versions: dict[str, str]

    def __post_init__(self) -> None:
        names = [complaint.name for complaint in self.complaints]
        require(names[0] == "" and len(set(names)) == len(names), "the complaints are not named as they must be")
        require(str(self.classes[0]) != str(self.classes[1]), "there are not two classes")


def _are_places(numbers: Sequence[int], k: int) -> bool:
    """Whether these are different numbers from 0 to k - 1."""
    return len(set(numbers)) == len(numbers) and max(numbers, default=0) < max(k, 1)
