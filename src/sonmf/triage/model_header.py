"""The header of a model file, as docs/format.md describes it: the one schema that writes it, reads it and checks it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, NotRequired, TypedDict

import numpy as np

from sonmf.text.note_numbers import COLUMNS as MEASURED
from sonmf.text.topic_words import MOST
from sonmf.triage import drift_reference, evaluation, measures
from sonmf.triage.columns import CATEGORY, LARGEST, NUMBER, TEXT
from sonmf.triage.factorisations import METHODS, WordSettings
from sonmf.triage.inputs import RULES, topic_numbers
from sonmf.triage.lineage import Step
from sonmf.triage.provenance import Provenance
from sonmf.triage.records import Bin, Closed, LeadingWords, Record, Subgroup, from_json, shape_of
from sonmf.triage.strict_json import Exactly, loads, require, validate

Label = str | int | float | bool


class WordsHeader(TypedDict):
    """A vectoriser, but for the weights of its words."""

    vocabulary: list[str]
    spelling: list[str]
    vectorizer: Closed[WordSettings]


class NumberHeader(TypedDict):
    """The fields of ``Number``."""

    kind: Literal["number"]
    name: str
    measured: bool
    knots: list[float]
    centre: list[float]
    missing: float
    low: float
    high: float
    effects: list[float]


class CategoryHeader(TypedDict):
    """The fields of ``Category``."""

    kind: Literal["category"]
    name: str
    measured: bool
    levels: list[str]
    shares: list[float]
    effects: list[float]


class TextHeader(WordsHeader):
    """The fields of ``Text``, but for its topics."""

    kind: Literal["text"]
    name: str
    centre: list[float]
    effects: list[float]


ColumnHeader = Closed[NumberHeader] | Closed[CategoryHeader] | Closed[TextHeader]


class Parameters(TypedDict):
    """Arguments of ``TriageModel``, but for the vectoriser."""

    n_topics: int | list[int] | Literal["auto"]
    method: str
    rule: str
    min_notes: int
    positive: Label | None
    random_state: int
    measurements: NotRequired[bool]
    kinds: NotRequired[dict[str, Literal["number", "category", "text"]] | None]
    seed_topics: NotRequired[list[str]]


class LineHeader(TypedDict):
    """What recalibrations did to the log-odds."""

    intercept: float
    slope: float


class ComplaintHeader(WordsHeader):
    """One complaint, but for its arrays."""

    name: str
    n_notes: int
    n_admitted: int
    intercept: float
    signals: list[int]
    labels: list[str]
    columns: list[ColumnHeader]
    record: Record
    recalibration: NotRequired[Closed[LineHeader]]


class Header(TypedDict):
    """All that a model file holds besides the arrays."""

    parameters: Closed[Parameters]
    classes: list[Label]
    pooled: dict[str, str]
    complaints: list[ComplaintHeader]
    lineage: NotRequired[list[Step]]
    provenance: Provenance | None
    created: str
    versions: dict[str, str]
    evaluation: NotRequired[dict[str, Any]]


def _required(shape: dict[str, object], *optional: str) -> dict[str, object]:
    """A shape whose keys must all be there, but for these."""
    return {name if name in optional else name.removesuffix("?"): value for name, value in shape.items()}


def _without(shape: Any, keys: set[str]) -> Any:
    """A shape without what was not kept then."""
    if isinstance(shape, dict):
        gone = keys | {f"{key}?" for key in keys}
        return type(shape)({key: _without(value, keys) for key, value in shape.items() if key not in gone})
    return [_without(item, keys) for item in shape] if isinstance(shape, list) else shape


SHAPE = shape_of(Header)
PARAMETERS = SHAPE["parameters"] | {"method": frozenset(METHODS), "rule": frozenset(RULES)}
LATER_PARAMETERS = {"measurements", "kinds", "seed_topics"}
COMPLAINT = shape_of(ComplaintHeader)
COMPLAINT_2 = _without(COMPLAINT, {"recalibration"})
COMPLAINT_1 = _without(COMPLAINT_2, {"columns", "calibration_slope_error", "leading_words"})
CELL = {"complaint": str, "method": str, "n_topics": int}  # of version 1
FIGURE = (float, None)  # null where it cannot be computed
EVALUATION = {
    "summary": [CELL | {"fits": int} | {f"{name}{end}?": FIGURE for name in evaluation.FIGURES for end in ("", "_error")}],
    "curves": [
        CELL
        | {
            "roc": [FIGURE],
            "reliability": [shape_of(Bin)],
            "merit": [[int]],
            "subgroups": [_without(shape_of(Subgroup), {"calibration_slope_error"})],
        }
    ],
    "left_out": {str: str},
}
HEADER_1 = _without(SHAPE, {"provenance", "lineage", "evaluation"}) | {
    "parameters": Exactly(_without(PARAMETERS, LATER_PARAMETERS) | {"n_topics": (int, [int])}),
    "complaints": [COMPLAINT_1],
    "evaluation": ({}, EVALUATION),
}
HEADER_2 = _without(SHAPE, {"evaluation"}) | {
    "parameters": Exactly(_required(PARAMETERS, "seed_topics?")),
    "complaints": [COMPLAINT_2],
    "provenance": (_required(shape_of(Provenance), "time?"), None),  # files before --time have no time
    "lineage?": [_required(shape_of(Step))],  # of models that were updated
}
HEADERS = {1: HEADER_1, 2: HEADER_2, 3: HEADER_2, 4: HEADER_2 | {"complaints": [_required(COMPLAINT)]}}
"""By format version; in version 3 negations end elsewhere, in version 4 a complaint may have been recalibrated."""


def read_header(text: str, version: int) -> Header:
    """The header of a model file from its JSON, or a ``ValueError`` that says what is wrong with it."""
    found = validate(HEADERS[version], loads(text), "header")
    header = from_json(Header, _upgrade_version_1(found) if version == 1 else found)
    _check(header)
    return header


def marks_negation(header: Header) -> bool:
    """Whether any words, those of the notes or those of a text beside them, are marked as denied."""
    notes = any(one["vectorizer"]["negation"] for one in header["complaints"])
    columns = [column for one in header["complaints"] for column in one["columns"]]
    return notes or any(column["vectorizer"]["negation"] for column in columns if column["kind"] == TEXT)


def _upgrade_version_1(found: Any) -> Any:
    """With what was not kept then: errors of calibration slopes, columns, and whether measurements count."""
    for one in found["complaints"]:
        record = one["record"]
        one["columns"] = record["columns"] = []
        for figures in (record["out_of_fold"], *record["by_topics"], *record["subgroups"]):
            figures["calibration_slope_error"] = None
    return found | {"parameters": found["parameters"] | {"measurements": False}, "provenance": None}


def _check(header: Header) -> None:
    """What no shape can say: numbers within bounds, lists that belong together."""
    names = [one["name"] for one in header["complaints"]]
    require(names[:1] == [""] and len(set(names)) == len(names), "the complaints are not named as they must be")
    require(len(set(map(str, header["classes"]))) == len(header["classes"]) == 2, "there are not two classes")
    topic_numbers(header["parameters"]["n_topics"])
    for one in header["complaints"]:
        _check_complaint(one)
    if found := header.get("evaluation"):
        summary, curves = ([tuple(row[name] for name in CELL) for row in found[part]] for part in ("summary", "curves"))
        require(summary and len(set(summary)) == len(summary) and summary == curves, "the evaluation is incomplete")
        for curve in found["curves"]:
            require(len(curve["roc"]) == len(measures.FALSE_ALARMS), "a ROC curve of the evaluation is incomplete")
            table = curve["merit"]
            require(len(table) == 2 and len(set(map(len, table))) == 1, "a table of the evaluation is incomplete")


def _check_complaint(one: ComplaintHeader) -> None:
    k, record, columns = len(one["labels"]), one["record"], one["columns"]
    require(0 < one["n_admitted"] < one["n_notes"], "there are more admitted than notes, or only one outcome")
    line = one.get("recalibration", {"intercept": 0.0, "slope": 1.0})
    require(line["slope"] > 0, "the slope of the recalibration is not above 0")
    require(max(abs(line["intercept"]), line["slope"]) <= LARGEST, "the recalibration has a number that is too large")
    _check_words(one, "the notes")
    signals = (one["signals"], record.merit.topics)
    require(all(_are_places(some, k + len(columns)) for some in signals), "a signal is neither a topic nor a column")
    require(len(columns) == len(record.columns), "the record does not have as many columns as the model")
    require(len({column["name"] for column in columns}) == len(columns), "a column is there twice")
    for column in columns:
        _check_column(column)
    if record.reference:
        levels = {column["name"]: len(column["levels"]) if column["kind"] == CATEGORY else 0 for column in columns}
        drift_reference.check(record.reference, k, levels)
    _check_record(record, k, len(one["vocabulary"]))


def _check_words(found: WordsHeader, where: str) -> None:
    """A ``ValueError`` unless a vectoriser can have these words."""
    words, settings = found["vocabulary"], found["vectorizer"]
    require(words and all(map(str.__lt__, words, words[1:])), f"the vocabulary of {where} is not sorted, or has a word twice")
    require(len(found["spelling"]) == len(words), f"{where} do not have as many spellings as words")
    require(tuple(settings["ngram_range"]) in ((1, 1), (1, 2), (2, 2)), f"ngram_range of {where} is not known")
    require(settings["min_df"] >= 0, f"min_df of {where} is negative")


def _check_column(found: ColumnHeader) -> None:
    """What no shape can say: numbers within bounds, lists that belong together."""
    name = found["name"]
    for key, values in found.items():
        if key in ("knots", "centre", "shares", "effects"):
            require(
                np.abs(np.array(values)).max(initial=0) <= LARGEST, f"{key} of column {name!r} has a number that is too large"
            )
    if found["kind"] == TEXT:
        _check_words(found, f"the texts of column {name!r}")
        width = len(found["centre"])
    else:
        require(not found["measured"] or name in MEASURED, f"column {name!r} is not what a note can state")
        width = _check_number(found) if found["kind"] == NUMBER else _check_category(found)
    require(len(found["effects"]) == width, f"column {name!r} does not have as many effects as features")


def _check_number(found: NumberHeader) -> int:
    """The number of its features."""
    name, knots, missing = found["name"], found["knots"], found["missing"]
    require(0 <= missing < 1, f"the share missing in column {name!r} is not a share")
    require(found["low"] <= found["high"], f"the range of column {name!r} ends before it starts")
    require((np.diff(knots) > 0).all(), f"the knots of column {name!r} are not sorted")
    require(len(found["centre"]) == len(knots) + 1, f"column {name!r} is incomplete")
    return len(knots) + 1 + (missing > 0)


def _check_category(found: CategoryHeader) -> int:
    """The number of its features."""
    name, width, shares = found["name"], len(found["levels"]), found["shares"]
    require(len(set(found["levels"])) == width >= 2, f"the levels of column {name!r} are not at least two different ones")
    require(len(shares) == width, f"column {name!r} is incomplete")
    require(min(shares) > 0 and abs(sum(shares) - 1) < 1e-9, f"the shares of column {name!r} are not shares")
    return width


def _check_record(record: Record, k: int, words: int) -> None:
    lasso, merit, path = record.lasso, record.merit, len(record.lasso.lambdas)
    require(len(merit.patients) == len(merit.admitted) == len(merit.topics) + 1, "the table of signals is incomplete")
    require(0 <= lasso.chosen < path == len(lasso.loss) == len(lasso.loss_error), "the path of lambda is incomplete")
    require(len(record.out_of_fold.roc) == len(measures.FALSE_ALARMS), "the ROC curve is incomplete")
    require(
        len(record.stability) == (k if record.replicates else 0) and record.replicates >= 0, "not every topic has a stability"
    )
    for found in record.stability:
        require(_within([found.score, found.low, found.high], -1, 1), "a stability is not between -1 and 1")
    require(len(record.seeds) <= k, "there are more seed topics than topics")
    require(not record.ranks or k in {rank.n_topics for rank in record.ranks}, "its number of topics was not tried")
    require(len(record.leading_words) in (0, k), "not every topic has its leading words")
    for topic in record.leading_words:
        require(_within([topic.negative_share], 0, 1), "the share of a topic's negative side is not a share")
        _check_leading(topic.positive, words, 0, 1)
        _check_leading(topic.negative, words, -1, 0)


def _check_leading(side: LeadingWords, words: int, low: float, high: float) -> None:
    places, correlations = side.columns, side.correlations
    require(len(places) == len(correlations) <= MOST, "a topic has too many leading words, or not all correlations")
    require(_are_places(places, words), "a leading word is not in the vocabulary, or is there twice")
    require(_within(correlations, low, high), "the correlation of a leading word is out of range")


def _within(numbers: Sequence[float], low: float, high: float) -> bool:
    """Whether all are; NaN is not."""
    return all(low <= number <= high for number in numbers)


def _are_places(numbers: Sequence[int], k: int) -> bool:
    """Whether these are different numbers from 0 to k - 1."""
    return len(set(numbers)) == len(numbers) and all(0 <= number < k for number in numbers)
