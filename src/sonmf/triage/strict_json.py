"""JSON from a file that anybody may have written: read strictly, and checked against the shape that is expected."""

from __future__ import annotations

import json
import math
from contextlib import suppress
from typing import Any, NoReturn, TypeVar

MOST_PARTS = 5_000_000  # lists, objects and items of them: a text with more takes gigabytes to read
DIGITS = 18  # of a whole number at most: what is larger fits no array
NAMES = {
    str: "text",
    int: "a whole number",
    float: "a number",
    bool: "true or false",
    type(None): "null",
    list: "a list",
    dict: "an object",
}


T = TypeVar("T")


class Exactly(dict[str, object]):
    """The shape of an object with these keys and no others: a key that is not known could change the meaning of the rest."""


def loads(text: str) -> Any:
    """The value of a JSON text, or a ``ValueError``.

    Besides what is not JSON it refuses NaN and infinity, numbers that are too large, keys given twice, halves of surrogate
    pairs, what is nested too deeply, and more than ``MOST_PARTS``.
    """
    require(_parts(text) <= MOST_PARTS, "it has too many parts")
    try:
        value = json.loads(text, object_pairs_hook=_object, parse_constant=_constant, parse_float=_float, parse_int=_int)
        if "\\u" in text:
            json.dumps(value, ensure_ascii=False).encode()
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    except UnicodeEncodeError:
        raise ValueError("it has half of a surrogate pair") from None
    return value


def dumps(value: object) -> str:
    """The JSON text of a value, which ``loads`` reads again; JSON has no NaN and no infinity, so a value may hold neither."""
    text = json.dumps(value, allow_nan=False, ensure_ascii=False)
    require(_parts(text) <= MOST_PARTS, "the model has more words and figures than one file can hold: raise min_df")
    return text


def validate(shape: object, value: object, where: str) -> Any:
    """A JSON value of the given shape without the keys that the shape does not name, or a ``ValueError`` that names the place.

    A shape is a type (``str``, ``int``, ``float``, ``bool``). ``None``: null. A tuple: any of these shapes. A frozenset: one of
    these texts. ``[shape]``: a list. ``{str: shape}``: an object with any keys. ``{"key": shape, "other?": shape}``: an object
    with these keys, of which those with a question mark may be missing; others are left out. ``Exactly``: the same, and
    others are refused. ``[]`` and ``{}``: an empty list, an empty object.

    Examples
    --------
    >>> from sonmf.triage.strict_json import validate
    >>> validate({"name": str, "sizes": [int], "more?": (float, None)}, {"name": "a", "sizes": [1], "new": 0}, "it")
    {'name': 'a', 'sizes': [1]}
    >>> validate({"name": str, "sizes": [int]}, {"name": "a", "sizes": [1, 2.5]}, "it")
    Traceback (most recent call last):
    ValueError: it.sizes.1 is a number, not a whole number
    """
    if _is(shape, value):
        return value
    if isinstance(shape, tuple):
        near = [one for one in shape if type(value) in (list, dict) and isinstance(one, type(value))]
        for one in near[:-1]:
            with suppress(ValueError):
                return validate(one, value, where)
        if near:
            return validate(near[-1], value, where)
    if isinstance(shape, list) and isinstance(value, list):
        return _list(shape, value, where)
    if isinstance(shape, dict) and isinstance(value, dict):
        return _keys(shape, value, where)
    raise ValueError(f"{where} is {NAMES[type(value)]}, not {_expected(shape)}")


def _parts(text: str) -> int:
    return sum(map(text.count, "[{,"))


def _is(shape: object, value: object) -> bool:
    """Whether a single value, not a list or an object, fits."""
    if isinstance(shape, tuple):
        return any(_is(one, value) for one in shape)
    if isinstance(shape, frozenset):
        return isinstance(value, str) and value in shape
    return value is None if shape is None else type(value) is shape or (shape is float and type(value) is int)


def _list(shape: list[object], value: list[object], where: str) -> list[object]:
    require(shape or not value, f"{where} is not empty")
    if set(map(type, value)) <= _plain_types(shape):
        return list(value)  # many words or numbers, in one look
    return [validate(shape[0], item, f"{where}.{number}") for number, item in enumerate(value)]


def _plain_types(shape: list[object]) -> set[object]:
    """The types that fit whatever the value is."""
    kinds = shape[0] if shape and isinstance(shape[0], tuple) else shape
    return {type(None) if kind is None else kind for kind in kinds if kind is None or isinstance(kind, type)}


def _keys(shape: dict[Any, object], value: dict[str, object], where: str) -> dict[str, object]:
    if str in shape:
        if set(map(type, value.values())) <= _plain_types([shape[str]]):
            return dict(value)
        return {key: validate(shape[str], item, f"{where}.{key!r}") for key, item in value.items()}
    named = {key.removesuffix("?"): kind for key, kind in shape.items()}
    for key in shape:
        require(key.endswith("?") or key in value, f"{where} has no {key}")
    for key in value if isinstance(shape, Exactly) or not shape else ():
        require(key in named, f"{where} has {key!r}, which is not known")
    return {key: validate(kind, value[key], f"{where}.{key}") for key, kind in named.items() if key in value}


def require(condition: object, reason: str) -> None:
    """A ``ValueError`` with the reason where a condition does not hold."""
    if not condition:
        raise ValueError(reason)


def _expected(shape: object) -> str:
    if isinstance(shape, tuple):
        return " or ".join(map(_expected, shape))
    if isinstance(shape, frozenset):
        return f"one of {', '.join(sorted(shape))}"
    return NAMES[shape if isinstance(shape, type) else dict if isinstance(shape, Exactly) else type(shape)]


def _object(pairs: list[tuple[str, T]]) -> dict[str, T]:
    found = dict(pairs)
    require(len(found) == len(pairs), "a key is given twice")
    return found


def _constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a number of JSON")


def _float(text: str) -> float:
    number = float(text)
    require(math.isfinite(number), "a number is too large")
    return number


def _int(text: str) -> int:
    require(len(text) <= DIGITS, "a number is too large")
    return int(text)
