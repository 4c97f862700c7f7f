"""Notes to numbers: one compiled pass over the bytes of many notes gives each distinct token an integer.

A token is a run of letters. Digits separate tokens, so "28YOF" gives "yof" and numbers disappear. Punctuation separates them
too. An apostrophe joins them: "doesn't" is "doesnt". Negations depend on what separates tokens: a comma may continue a list,
and a full stop or a number ends it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numba import types
from numba.typed import Dict

from sonmf import threads
from sonmf.compiled import compiled
from sonmf.types import Array

SEPARATOR, LETTER, JOINER, COMMA, BREAK, END = range(6)
BREAK_ID, END_ID, COMMA_ID = -1, -2, -3
APOSTROPHE = ord("'")
COMMA_MARKS = ",:+&"
BREAK_MARKS = ".;!?()[]\n\r|0123456789"
CHUNK = 2**20  # letters tokenised at a time
END_OF_NOTE = "\n\0"
NEGATIVE_IDS = [COMMA_ID, END_ID, BREAK_ID]  # at the end of a table, where each of them finds itself


def _kinds() -> Array:
    kinds = np.zeros(256, np.uint8)
    kinds[ord("a") : ord("z") + 1] = LETTER
    kinds[128:] = LETTER  # bytes of letters beyond ASCII, which str.lower has already folded
    kinds[APOSTROPHE] = JOINER
    for marks, kind in ((COMMA_MARKS, COMMA), (BREAK_MARKS, BREAK)):
        kinds[[ord(mark) for mark in marks]] = kind
    kinds[0] = END
    return kinds


KINDS = _kinds()


class Stream(NamedTuple):
    """Words or features of notes in sequence, as integers: COMMA_ID and BREAK_ID separate them, END_ID ends a note."""

    ids: Array
    names: list[str]
    """The word or feature of each id that is not negative."""


Place = tuple[int, int, str]
"""Start, stop and token of a run of letters."""


def read(notes: Sequence[str]) -> Stream:
    """The tokens of notes."""
    index: dict[str, int] = {}
    parts = []
    for ids, tokens in threads.share(lambda chunk: _tokenise_text(_encode(chunk))[0], _chunks(notes)):
        known = np.array([index.setdefault(token, len(index)) for token in tokens] + NEGATIVE_IDS, np.int32)
        parts.append(known[ids])  # the negative ids count from the end of `known`
    return Stream(np.concatenate(parts) if parts else np.empty(0, np.int32), list(index))


def read_with_places(note: str) -> tuple[Stream, list[Place]]:
    """The tokens of one note, and where each of them stands in it."""
    text = _encode([note])
    stream, starts, stops = _tokenise_text(text)
    is_token = stream.ids >= 0
    starts, lasts = starts[is_token], stops[is_token] - 1
    if len(text) != len(note) + len(END_OF_NOTE):  # some letters take several bytes
        origin = np.array([place for place, letter in enumerate(note) for _ in _fold(letter)])
        starts, lasts = origin[starts], origin[lasts]
    tokens = [stream.names[number] for number in stream.ids[is_token].tolist()]
    return stream, list(zip(starts.tolist(), (lasts + 1).tolist(), tokens, strict=True))


def _tokenise_text(text: bytes) -> tuple[Stream, Array, Array]:
    """The tokens of encoded notes, and where each entry of ``ids`` that is a token starts and stops."""
    ids, starts, stops, first = _tokenise(np.frombuffer(text, np.uint8), KINDS)
    spans = zip(starts[first].tolist(), stops[first].tolist(), strict=True)
    return Stream(ids, [text[a:b].replace(b"'", b"").decode() for a, b in spans]), starts, stops


def _chunks(notes: Sequence[str]) -> Iterator[Sequence[str]]:
    """The notes in parts of a few thousand."""
    ends = np.cumsum([len(note) + 1 for note in notes])
    first = 0
    while first < len(notes):
        stop = int(np.searchsorted(ends, (ends[first - 1] if first else 0) + CHUNK)) + 1
        yield notes[first:stop]
        first = stop


def _encode(notes: Sequence[str]) -> bytes:
    """The notes as lower-case UTF-8, each ended by a zero byte."""
    return _fold("".join(note.replace("\0", " ") + END_OF_NOTE for note in notes))


def _fold(text: str) -> bytes:
    return text.lower().replace("\u2019", "'").encode("utf-8", "replace")


@compiled
def _tokenise(data, kinds):  # type: ignore[no-untyped-def]
    """Ids in order of first appearance, the start and stop of each token, and the first entry of each distinct token.

    A token is identified by its 64-bit hash: among a million distinct tokens the odds that any two share one are 3 in 10^8.
    """
    known = Dict.empty(types.uint64, types.int32)
    starts, stops, first = np.empty(len(data), np.int64), np.empty(len(data), np.int64), np.empty(len(data), np.int64)
    ids = np.empty(len(data), np.int32)
    count, i = 0, 0
    while i < len(data):
        kind = kinds[data[i]]
        if kind != LETTER:
            if kind == END:
                ids[count] = END_ID
                count += 1
            elif kind >= COMMA:  # several marks in a row are one, a break if any of them is
                if count == 0 or ids[count - 1] not in (BREAK_ID, COMMA_ID):
                    ids[count] = COMMA_ID
                    count += 1
                if kind == BREAK:
                    ids[count - 1] = BREAK_ID
            i += 1
            continue
        begin, code = i, np.uint64(14695981039346656037)
        while LETTER <= kind <= JOINER:  # the text ends with a zero byte, which is neither
            if kind == LETTER:
                code = (code ^ np.uint64(data[i])) * np.uint64(1099511628211)
            i += 1
            kind = kinds[data[i]]
        number = known.get(code, np.int32(-1))
        if number < 0:
            number = np.int32(len(known))
            known[code], first[number] = number, count
        ids[count], starts[count], stops[count] = number, begin, i
        count += 1
    return ids[:count].copy(), starts[:count], stops[:count], first[: len(known)]


OTHER, PLAIN, NOUN, LIST, IF_FOR, ENDS, ENDS_ITEM, AND, OR, FOR, WITH, SHORT_O = range(12)
"""What a word does to the scope of a negation: nothing, open it (four ways), end it, or what its neighbours decide."""
AHEAD = 12  # tokens in which an "or" must follow, for a list after "no"


@compiled
def mark_negated(ids, roles, content, scope):  # type: ignore[no-untyped-def]
    """Which tokens are negated: at most ``scope`` content words of each item of a list, up to the end of the clause.

    A word ends a scope only after something has been negated: "no hx of CHF" denies CHF, "denies fever, hx CHF" does not.
    """
    marked = np.zeros(len(ids), np.bool_)
    opener, left, begun = OTHER, 0, False
    for i in range(len(ids)):
        token = ids[i]
        if token < 0:
            if token != COMMA_ID or not (opener == LIST or (opener == NOUN and begun and _or_follows(ids, roles, i))):
                opener = OTHER
            left = scope
            continue
        role = _role(ids, roles, i)
        if PLAIN <= role <= LIST:
            opener, left, begun = role, scope, False
        elif opener != OTHER:
            if begun and (role == ENDS or (role == AND and opener != LIST)):
                opener = OTHER
            elif content[token] and left > 0:
                marked[i] = begun = True
                left -= 1
    return marked


@compiled
def _role(ids, roles, i):  # type: ignore[no-untyped-def]
    """What a token does where it stands: "neg for" opens a list, "w/o" is "without", "w/" and "for" end a scope."""
    role = roles[ids[i]]
    following = roles[ids[i + 1]] if i + 1 < len(ids) and ids[i + 1] >= 0 else OTHER
    if role == IF_FOR:
        return LIST if following == FOR else PLAIN
    if role == WITH:
        return NOUN if following == SHORT_O else ENDS
    if role == ENDS_ITEM:
        return ENDS if i > 0 and ids[i - 1] == COMMA_ID else OTHER
    return ENDS if role == FOR else role


@compiled
def _or_follows(ids, roles, i):  # type: ignore[no-untyped-def]
    """Whether "or" follows after place i, before the clause ends."""
    for j in range(i + 1, min(i + 1 + AHEAD, len(ids))):
        if ids[j] == BREAK_ID or ids[j] == END_ID:
            return False
        if ids[j] >= 0:
            role = _role(ids, roles, j)
            if role == OR:
                return True
            if role in (PLAIN, NOUN, LIST, ENDS, AND):
                return False
    return False
