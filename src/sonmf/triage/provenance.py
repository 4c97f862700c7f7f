"""How a model or an evaluation was asked for: the file, its columns, what the values of the outcome mean, which rows count."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Iterable, Mapping
from typing import Annotated, Any

from msgspec import Meta, Struct, convert, to_builtins

from sonmf.text.note_reader import as_notes
from sonmf.triage.inputs import complaint_name, complaint_names

NO_VALUE = "(missing)"
LONGEST_VALUE = 40  # characters; what is longer is no code but text
SHORTEST_VALUE = 2  # characters that tell nothing of a patient


Rows = Annotated[int, Meta(ge=0)]


class Provenance(Struct, frozen=True, forbid_unknown_fields=True):
    """What was asked of which file. It names no patient: values of the outcome that may be text are counted, not named.

    Examples
    --------
    >>> from sonmf.triage.provenance import Provenance
    >>> asked = Provenance("june.csv", "note", "disposition", None, ("ICU", "ward"), ("home",), {"ICU": 40, "ward": 160},
    ...                    {"home": 300}, {"left": 12}, 512)
    >>> asked.leaves_out("left"), asked.leaves_out("home"), asked.leaves_out(None)
    (True, False, False)
    >>> Provenance.from_json(asked.as_json()) == asked
    True
    """

    source: str
    """Name of the file or folder, without its place."""
    text: str
    label: str
    group: str | None
    positive: tuple[str, ...]
    """Values of the label that mean admitted."""
    negative: tuple[str, ...]
    """Those that mean not admitted; none named: all others."""
    admitted: dict[str, Rows]
    """Rows by value."""
    not_admitted: dict[str, Rows]
    left_out: dict[str, Rows]
    rows: Rows
    """Of the file, those left out included."""
    preset: str | None = None
    subgroups: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    """Columns beside the note that count."""
    missing: tuple[str, ...] = ()
    """Values that mean missing in them."""
    time: str | None = None
    """Column of the arrival, with the order of its days where that was said."""
    data: str = ""
    """Fingerprint of the notes that count, with their outcomes and complaints."""

    def leaves_out(self, value: object) -> bool:
        """Whether the fit leaves out patients with this outcome; a patient whose outcome is not known yet is not left out."""
        outcome = complaint_name(value).strip()
        return bool(outcome and self.negative and outcome not in self.positive and outcome not in self.negative)

    def same_outcome(self, other: Provenance) -> bool:
        """Whether the same values of the same column mean the same."""
        mine, its = ((one.label, set(one.positive), set(one.negative)) for one in (self, other))
        return mine == its

    def as_json(self) -> dict[str, Any]:
        """What JSON can hold."""
        found: dict[str, Any] = to_builtins(self)
        return found

    @classmethod
    def from_json(cls, found: object) -> Provenance:
        """The same from JSON, or a ``ValueError`` that names the field that is wrong."""
        try:
            return convert(found, cls)
        except ValueError as error:
            raise ValueError(f"provenance: {error}") from None


def rows_by_value(counts: Mapping[str | None, int], fewest: int, asked: Collection[str] = ()) -> dict[str, int]:
    """Rows by value of an outcome, most frequent first.

    Named are the values that were ``asked`` for, those of at least ``fewest`` rows, and those of one or two characters. Others
    are counted together, as are those that are too long for a code: where a row has shifted, a word of a note stands there.

    Examples
    --------
    >>> from sonmf.triage.provenance import rows_by_value
    >>> rows_by_value({"home": 300, "ICU": 2, "A7": 1, "daughter": 1, None: 4}, fewest=5, asked=["ICU"])
    {'home': 300, '(missing)': 4, 'ICU': 2, 'A7': 1, '(1 other value)': 1}
    """
    named, unnamed = {}, []
    for value, rows in sorted(counts.items(), key=lambda item: (-item[1], str(item[0]))):
        if value is None:
            named[NO_VALUE] = rows
        elif value in asked or len(value) <= SHORTEST_VALUE or (len(value) <= LONGEST_VALUE and rows >= fewest):
            named[value] = rows
        else:
            unnamed.append(rows)
    others = "value" if len(unnamed) == 1 else "values"
    return named | ({f"({len(unnamed)} other {others})": sum(unnamed)} if unnamed else {})


def in_words(rows: Mapping[str, int]) -> str:
    """Rows by value in a sentence, such as "40 ICU, 160 ward"."""
    return ", ".join(f"{count:,} {value}" for value, count in rows.items())


class Fingerprint:
    """SHA-256 of notes with their outcomes and complaints, in order, however they were cut into parts."""

    def __init__(self) -> None:
        self._sum = hashlib.sha256()
        self._rows = 0

    def add(self, notes: Iterable[object], disposition: Iterable[str], complaint: Iterable[object] | None) -> None:
        """More patients."""
        texts = as_notes(notes, first=self._rows)
        for row in zip(texts, disposition, complaint_names(complaint, len(texts)), strict=True):
            self._sum.update(json.dumps(row).encode())
        self._rows += len(texts)

    def hexdigest(self) -> str:
        """Of all so far."""
        return self._sum.hexdigest()
