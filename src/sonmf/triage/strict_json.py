"""Records as JSON and back. msgspec checks a text against the declaration of its record; this adds limits and the sentence."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, SupportsFloat, TypeVar

import msgspec
import numpy as np
from msgspec import Meta

from sonmf import files
from sonmf.errors import InputError
from sonmf.triage.columns import LARGEST

MOST_PARTS = 5_000_000  # lists, objects and items of them: a text with more takes gigabytes to read
LONGEST_REASON = 200  # characters of what is wrong with a text, some of which may be its own

T = TypeVar("T")

NaturalNumber = Annotated[int, Meta(ge=0, le=10**18)]
Share = Annotated[float, Meta(ge=0, le=1)]
Bounded = Annotated[float, Meta(ge=-LARGEST, le=LARGEST)]
Correlation = Annotated[float, Meta(ge=-1, le=1)]

if TYPE_CHECKING:
    NumberOrNaN = float
    """A figure that is NaN if it cannot be computed; JSON then has null."""
else:
    NumberOrNaN = SupportsFloat  # a type that msgspec does not know, so that it asks ``from_json``


def from_json(kind: object, value: object) -> object:
    """A value of the type that msgspec does not know: a number that may be NaN."""
    assert kind is NumberOrNaN, "a record has a type that is not known here"
    known = type(value) in (int, float) and abs(value) <= LARGEST  # type: ignore[arg-type]
    require(known or value is None, f"Expected `float | null` of at most {LARGEST:g}")
    return float("nan") if value is None else float(value)  # type: ignore[arg-type]


def decode(kind: type[T], text: bytes | str, other: Callable[[Any, object], object] = from_json) -> T:
    """The record of a JSON text, or an ``InputError`` of one sentence that says what is wrong with the text, and where.

    ``other`` makes values of types that msgspec does not know.

    Examples
    --------
    >>> from sonmf.triage.records import Bin
    >>> from sonmf.triage.strict_json import decode
    >>> decode(Bin, '{"n": 3, "forecast": 0.25, "admitted": 1}')
    Bin(n=3, forecast=0.25, admitted=1.0)
    >>> decode(list[Bin], '[{"n": -3, "forecast": 0.25, "admitted": 1}]')
    Traceback (most recent call last):
    sonmf.errors.InputError: Expected `int` >= 1 - at `$[0].n`
    """
    try:
        require(count_parts(text) <= MOST_PARTS, "it has too many parts")
        return msgspec.json.decode(text, type=kind, dec_hook=other)
    except RecursionError:
        raise InputError("it is nested too deeply") from None
    except (ValueError, msgspec.MsgspecError) as error:
        raise InputError(_sentence(str(error))) from None


def encode(record: object) -> bytes:
    """The JSON text of a record, or of lists and dictionaries of them, which ``decode`` reads again."""
    return msgspec.json.encode(record, enc_hook=_as_json)


def read(kind: type[T], path: Path, largest: int, holds: str) -> T | None:
    """The record in a file, which a person may repair or remove because it ``holds`` nothing else; None without a file."""
    try:
        return decode(kind, files.read_regular(path, largest))
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise InputError(f"{path} cannot be read ({reason}): repair or remove it, it holds only {holds}") from None


def write(record: object, path: Path) -> None:
    """A record as the text of a file that people can read too."""
    text = msgspec.json.format(encode(record), indent=1)
    files.replace(path, lambda partial: partial.write_bytes(text))


def as_json(record: object) -> Any:
    """A record as the dictionaries, lists, texts and numbers that JSON has; None for NaN.

    Examples
    --------
    >>> from sonmf.triage.records import Bin
    >>> from sonmf.triage.strict_json import as_json
    >>> as_json([Bin(3, 0.25, float("nan"))])
    [{'n': 3, 'forecast': 0.25, 'admitted': None}]
    """
    return msgspec.json.decode(encode(record))


def require(condition: object, reason: str) -> None:
    """An ``InputError`` with the reason where a condition does not hold."""
    if not condition:
        raise InputError(reason)


def count_parts(text: bytes | str) -> int:
    """About how many lists, objects and items of them a text has; a little more where texts in it have commas."""
    return sum(text.count(mark) for mark in "[{,") if isinstance(text, str) else sum(map(text.count, (b"[", b"{", b",")))


def _sentence(reason: str) -> str:
    """A reason in one short line: it may quote a key of the text."""
    line = "".join(letter if letter.isprintable() else " " for letter in reason)
    return line if len(line) <= LONGEST_REASON else f"{line[:LONGEST_REASON]}..."


def _as_json(value: object) -> object:
    if isinstance(value, np.generic | np.ndarray):
        return value.tolist()
    raise TypeError(f"{type(value).__name__} has no form in JSON")
