"""The columns of a complaint in a model file: plain numbers in its header, and for a text its topics among the arrays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, TypedDict

import numpy as np

from sonmf.text import NotesVectorizer
from sonmf.text.note_numbers import COLUMNS as MEASURED
from sonmf.triage.column_effects import Category, Column, Number, Text
from sonmf.triage.columns import CATEGORY, LARGEST, NUMBER, TEXT
from sonmf.triage.factorisations import WordSettings, word_settings
from sonmf.triage.records import Closed
from sonmf.triage.strict_json import require
from sonmf.types import Array


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


def header(column: Column) -> ColumnHeader:
    """What stands in the header of the file."""
    effects = column.effects.tolist()
    if isinstance(column, Number):
        return {
            "kind": NUMBER,
            "name": column.name,
            "measured": column.measured,
            "missing": column.missing,
            "low": column.low,
            "high": column.high,
            "knots": column.knots.tolist(),
            "centre": column.centre.tolist(),
            "effects": effects,
        }
    if isinstance(column, Category):
        return {
            "kind": CATEGORY,
            "name": column.name,
            "measured": column.measured,
            "levels": list(column.levels),
            "shares": column.shares.tolist(),
            "effects": effects,
        }
    words = words_header(column.vectorizer)
    return {"kind": TEXT, "name": column.name, **words, "centre": column.centre.tolist(), "effects": effects}


def words_header(vectorizer: NotesVectorizer) -> WordsHeader:
    """A vectoriser, but for the weights of its words."""
    vocabulary = [str(word) for word in vectorizer.get_feature_names_out()]
    spelling = [vectorizer.spelling_[word] for word in vocabulary]
    return {"vocabulary": vocabulary, "spelling": spelling, "vectorizer": word_settings(vectorizer)}


def vectorizer_of(found: WordsHeader, idf: Array) -> NotesVectorizer:
    """The same from a header and the weights."""
    parameters, vocabulary = found["vectorizer"], found["vocabulary"]
    vectorizer: NotesVectorizer = NotesVectorizer().set_params(**parameters | {"ngram_range": tuple(parameters["ngram_range"])})
    vectorizer.vocabulary_ = {word: column for column, word in enumerate(vocabulary)}
    vectorizer.idf_ = idf
    vectorizer.spelling_ = dict(zip(vocabulary, found["spelling"], strict=True))
    return vectorizer


def arrays(columns: tuple[Column, ...]) -> dict[str, Array]:
    """What stands among the arrays of the file."""
    found: dict[str, Array] = {}
    for place, column in enumerate(columns):
        if isinstance(column, Text):
            found |= {f"column{place}.components": column.components, f"column{place}.idf": column.vectorizer.idf_}
    return found


def array_names(headers: Sequence[ColumnHeader]) -> list[str]:
    """The arrays that belong to columns with these headers."""
    texts = [place for place, one in enumerate(headers) if one["kind"] == TEXT]
    return [f"column{place}.{name}" for place in texts for name in ("components", "idf")]


def read(place: int, found: ColumnHeader, given: Mapping[str, Array]) -> Column:
    """A column from its header and the arrays of its complaint, which have been checked."""
    name, effects = found["name"], np.array(found["effects"], float)
    if found["kind"] == TEXT:
        vectorizer = vectorizer_of(found, given[f"column{place}.idf"])
        return Text(name, vectorizer, given[f"column{place}.components"], np.array(found["centre"], float), effects)
    if found["kind"] == CATEGORY:
        return Category(name, found["measured"], tuple(found["levels"]), np.array(found["shares"], float), effects)
    knots, centre = (np.array(values, float) for values in (found["knots"], found["centre"]))
    return Number(name, found["measured"], knots, centre, found["missing"], found["low"], found["high"], effects)


def check_words(found: WordsHeader, where: str) -> None:
    """A ``ValueError`` unless a vectoriser can have these words."""
    words, settings = found["vocabulary"], found["vectorizer"]
    require(words and all(map(str.__lt__, words, words[1:])), f"the vocabulary of {where} is not sorted, or has a word twice")
    require(len(found["spelling"]) == len(words), f"{where} do not have as many spellings as words")
    require(tuple(settings["ngram_range"]) in ((1, 1), (1, 2), (2, 2)), f"ngram_range of {where} is not known")
    require(settings["min_df"] >= 0, f"min_df of {where} is negative")


def check(found: ColumnHeader) -> None:
    """What no shape can say: numbers within bounds, lists that belong together."""
    name = found["name"]
    for key, values in found.items():
        if key in ("knots", "centre", "shares", "effects"):
            require(
                np.abs(np.array(values)).max(initial=0) <= LARGEST, f"{key} of column {name!r} has a number that is too large"
            )
    if found["kind"] == TEXT:
        check_words(found, f"the texts of column {name!r}")
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
