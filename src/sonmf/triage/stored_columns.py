"""The columns of a complaint in a model file: plain numbers in its header, and for a text its topics among the arrays."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from sonmf.text import NotesVectorizer
from sonmf.text.note_numbers import COLUMNS as MEASURED
from sonmf.triage.column_effects import Category, Column, Number, Text
from sonmf.triage.columns import CATEGORY, LARGEST, NUMBER, TEXT
from sonmf.triage.factorisations import word_settings
from sonmf.triage.strict_json import Exactly, require
from sonmf.types import Array

NUMBERS = [float]
WORDS = Exactly(
    {
        "weighting": frozenset({"tfidf", "paper-tfidf", "binary", "count"}),
        "min_df": float,
        "ngram_range": [int],
        "negation": (frozenset({"mark"}), None),
        "abbreviations": ({str: str}, None),
        "drop_words": ([str], None),
        "stop_words": ([str], None),
        "stem": bool,
    }
)
SHAPES = (
    Exactly(
        {
            "kind": frozenset({NUMBER}),
            "name": str,
            "measured": bool,
            "knots": NUMBERS,
            "centre": NUMBERS,
            "missing": float,
            "low": float,
            "high": float,
            "effects": NUMBERS,
        }
    ),
    Exactly(
        {"kind": frozenset({CATEGORY}), "name": str, "measured": bool, "levels": [str], "shares": NUMBERS, "effects": NUMBERS}
    ),
    Exactly(
        {
            "kind": frozenset({TEXT}),
            "name": str,
            "vocabulary": [str],
            "spelling": [str],
            "vectorizer": WORDS,
            "centre": NUMBERS,
            "effects": NUMBERS,
        }
    ),
)
FIELDS = {NUMBER: ("knots", "centre", "effects"), CATEGORY: ("shares", "effects"), TEXT: ("centre", "effects")}


def header(column: Column) -> dict[str, Any]:
    """What stands in the header of the file."""
    numbers = {name: getattr(column, name).tolist() for name in FIELDS[column.kind]}
    if isinstance(column, Number):
        more: dict[str, Any] = {"missing": column.missing, "low": column.low, "high": column.high}
    elif isinstance(column, Category):
        more = {"levels": list(column.levels)}
    else:
        return {"kind": TEXT, "name": column.name, **words(column.vectorizer), **numbers}
    return {"kind": column.kind, "name": column.name, "measured": column.measured, **more, **numbers}


def words(vectorizer: NotesVectorizer) -> dict[str, Any]:
    """A vectoriser, but for the weights of its words."""
    vocabulary = [str(word) for word in vectorizer.get_feature_names_out()]
    spelling = [vectorizer.spelling_[word] for word in vocabulary]
    return {"vocabulary": vocabulary, "spelling": spelling, "vectorizer": word_settings(vectorizer)}


def vectorizer_of(found: Mapping[str, Any], idf: Array) -> NotesVectorizer:
    """The same from a header and the weights."""
    parameters, vocabulary = found["vectorizer"], found["vocabulary"]
    vectorizer = NotesVectorizer(**parameters | {"ngram_range": tuple(parameters["ngram_range"])})
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


def array_names(headers: list[dict[str, Any]]) -> list[str]:
    """The arrays that belong to columns with these headers."""
    texts = [place for place, one in enumerate(headers) if one["kind"] == TEXT]
    return [f"column{place}.{name}" for place in texts for name in ("components", "idf")]


def read(place: int, found: dict[str, Any], given: Mapping[str, Array]) -> Column:
    """A column from its header and the arrays of its complaint, which have been checked."""
    kind = found["kind"]
    numbers: dict[str, Any] = {name: np.array(found[name], float) for name in FIELDS[kind]}
    if kind == TEXT:
        vectorizer = vectorizer_of(found, given[f"column{place}.idf"])
        return Text(name=found["name"], vectorizer=vectorizer, components=given[f"column{place}.components"], **numbers)
    plain = {name: value for name, value in found.items() if name not in numbers and name != "kind"}
    if kind == CATEGORY:
        return Category(**plain | {"levels": tuple(plain["levels"])}, **numbers)
    return Number(**plain, **numbers)


def check_words(found: dict[str, Any], where: str) -> None:
    """The same for the words of the notes, or of a text."""
    words, settings = found["vocabulary"], found["vectorizer"]
    require(words and all(map(str.__lt__, words, words[1:])), f"the vocabulary of {where} is not in order, or has a word twice")
    require(len(found["spelling"]) == len(words), f"there are not as many spellings as words in {where}")
    require(tuple(settings["ngram_range"]) in ((1, 1), (1, 2), (2, 2)), f"ngram_range of {where} is not known")
    require(settings["min_df"] >= 0, f"min_df of {where} is negative")


def check(found: dict[str, Any]) -> None:
    """What no shape can say: numbers within bounds, lists that belong together."""
    name, numbers = found["name"], {key: np.array(found[key], float) for key in FIELDS[found["kind"]]}
    for key, values in numbers.items():
        require((np.abs(values) <= LARGEST).all(), f"{key} of column {name!r} has a number that is too large")
    require(not found.get("measured") or name in MEASURED, f"column {name!r} is not what a note can state")
    if found["kind"] == NUMBER:
        knots, missing = numbers["knots"], found["missing"]
        require(0 <= missing < 1, f"the share missing in column {name!r} is not a share")
        require(found["low"] <= found["high"], f"the range of column {name!r} ends before it starts")
        require((np.diff(knots) > 0).all(), f"the knots of column {name!r} are not in order")
        require(len(numbers["centre"]) == len(knots) + 1, f"column {name!r} is incomplete")
        width = len(knots) + 1 + (missing > 0)
    elif found["kind"] == CATEGORY:
        width = len(found["levels"])
        require(len(set(found["levels"])) == width >= 2, f"the levels of column {name!r} are not at least two different ones")
        require(len(numbers["shares"]) == width, f"column {name!r} is incomplete")
        require(numbers["shares"].min() > 0 and abs(numbers["shares"].sum() - 1) < 1e-9, f"the shares of {name!r} are none")
    else:
        width = len(numbers["centre"])
        check_words(found, f"column {name!r}")
    require(len(numbers["effects"]) == width, f"column {name!r} has not as many effects as features")
