"""The request for a model or an evaluation: the file, its columns, the meaning of its outcomes, the rows that count."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Iterable, Mapping
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from sonmf.text.note_reader import as_notes
from sonmf.triage.columns import as_text, is_missing
from sonmf.triage.inputs import complaint_names
from sonmf.triage.strict_json import NaturalNumber

NO_VALUE = "(missing)"
LONGEST_VALUE = 40  # characters; what is longer is no code but text
SHORTEST_VALUE = 2  # characters that tell nothing of a patient


class Provenance(Struct, frozen=True, forbid_unknown_fields=True):
    """A request for patients, so that others can be read in the same way.

    A field that is empty or None was not given. A model fills it in (``filled``), else the usual columns are meant. A record of
    patients that were read also has their counts. It names no patient: values of the outcome that may be text are counted,
    not named. Values of the outcome that differ only in case or surrounding blanks are one value.

    Examples
    --------
    >>> from sonmf.triage.provenance import Provenance
    >>> asked = Provenance(
    ...     "june.csv",
    ...     "note",
    ...     "disposition",
    ...     None,
    ...     ("ICU", "ward"),
    ...     ("home",),
    ...     {"ICU": 40, "ward": 160},
    ...     {"home": 300},
    ...     {"left": 12},
    ...     512,
    ... )
    >>> asked.leaves_out("left"), asked.leaves_out("Home"), asked.leaves_out(None)
    (True, False, False)
    >>> [asked.outcome(value) for value in ("icu", "home", "left", None)]
    [1.0, 0.0, nan, nan]
    >>> Provenance.request(text="narrative").filled(asked).positive
    ('ICU', 'ward')
    """

    source: str
    """Name of the file or folder, without its place; empty in a request, and where a model was fitted in Python."""
    text: str
    label: str
    group: str | None
    positive: tuple[str, ...]
    """Values of the label that mean admitted."""
    negative: tuple[str, ...]
    """The values that mean not admitted; if it is empty, all others do."""
    admitted: dict[str, NaturalNumber]
    """Rows that mean admitted, by value of the outcome; ``not_admitted`` and ``left_out`` have the others."""
    not_admitted: dict[str, NaturalNumber]
    left_out: dict[str, NaturalNumber]
    rows: NaturalNumber
    """Rows of the file, including those that were left out."""
    preset: str | None = None
    subgroups: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    """Columns beside the note that count."""
    kinds: dict[str, str] = {}
    """The kinds of these columns, where a person has named them."""
    missing: tuple[str, ...] | None = None
    """Values that mean missing in them."""
    time: str | None = None
    """Column of the arrival, with the order of its days where that was said."""
    patient: str | None = None
    """Column that identifies the patient."""
    period: tuple[str, str] | None = None
    """First and last day of the arrivals, where they were read."""
    data: str = ""
    """Fingerprint of the notes that count, with their outcomes and complaints."""

    @classmethod
    def request(cls, **said: Any) -> Provenance:
        """A request that says this much, by the names of the fields."""
        silent: dict[str, Any] = {"source": "", "text": "", "label": "", "group": None, "positive": (), "negative": ()}
        counts: dict[str, Any] = {"admitted": {}, "not_admitted": {}, "left_out": {}, "rows": 0}
        return cls(**silent | counts | said)

    def filled(self, like: Provenance | None) -> Provenance:
        """The request with its gaps filled: what it does not say is taken from a model (``like``), except for the time.

        Outcomes mean the same only in the same column. A request for another preset takes nothing from the model.
        """
        if like is None or (self.preset and self.preset != like.preset):
            return self
        same = not self.label or self.label == like.label
        return replace(
            self,
            text=self.text or like.text,
            label=self.label or like.label,
            group=self.group or like.group,
            positive=self.positive or (like.positive if same else ()),
            negative=self.negative or (like.negative if same else ()),
            preset=self.preset or like.preset,
            patient=self.patient or like.patient,
            columns=self.columns or like.columns,
            kinds=self.kinds if self.columns else like.kinds,
            missing=like.missing if self.missing is None else self.missing,
        )

    def outcome(self, value: object) -> float:
        """The outcome as a number: 1 for admitted, 0 for not admitted, NaN if it is not known yet or means neither."""
        key = outcome_key(value)
        if not key or key in _keys(self.positive):
            return 1.0 if key else float("nan")
        return 0.0 if not self.negative or key in _keys(self.negative) else float("nan")

    def leaves_out(self, value: object) -> bool:
        """Whether the fit left out patients with this outcome; a patient whose outcome is not known yet is not left out.

        A model that was fitted in Python has left out nobody: an outcome that is neither of its two is not known.
        """
        outside = {*_keys(self.positive), *_keys(self.negative), ""}
        return bool(self.source and self.negative and outcome_key(value) not in outside)

    def same_outcome(self, other: Provenance) -> bool:
        """Whether the same values of the same column mean the same."""
        same_values = _keys(self.positive) == _keys(other.positive) and _keys(self.negative) == _keys(other.negative)
        return self.label == other.label and same_values


def outcome_text(value: object) -> str | None:
    """A value of the outcome without surrounding blanks, the same for 1 and 1.0; None where it is missing."""
    return None if is_missing(value) else as_text(value)


def outcome_key(value: object) -> str:
    """A key that is the same for outcomes which differ only in case or surrounding blanks; empty if one is missing."""
    return (outcome_text(value) or "").casefold()


def _keys(values: Iterable[object]) -> set[str]:
    return {outcome_key(value) for value in values}


def in_one_spelling(counts: Mapping[str | None, int], asked: Iterable[str]) -> dict[str | None, int]:
    """Rows by value, where spellings of one value count together: as it was ``asked`` for, else in the most frequent spelling.

    Examples
    --------
    >>> from sonmf.triage.provenance import in_one_spelling
    >>> in_one_spelling({"home": 2, "Home": 5, "ADMITTED": 3, None: 1}, asked=["admitted"])
    {'Home': 7, 'admitted': 3, None: 1}
    """
    spelling: dict[str, str | None] = {outcome_key(value): value for value in asked}
    rows_of: dict[str | None, int] = {}
    for value, rows in sorted(counts.items(), key=lambda item: (-item[1], str(item[0]))):
        shown = spelling.setdefault(outcome_key(value), value)
        rows_of[shown] = rows_of.get(shown, 0) + rows
    return rows_of


def rows_by_value(counts: Mapping[Any, int], fewest: int, asked: Collection[str] = ()) -> dict[str, int]:
    """Rows by value of an outcome, most frequent first.

    Named are the values that were ``asked`` for, those of at least ``fewest`` rows, and those of one or two characters. Others
    are counted together. So are values that are too long for a code, because a shifted row has a word of a note there.

    Examples
    --------
    >>> from sonmf.triage.provenance import rows_by_value
    >>> rows_by_value(
    ...     {"home": 300, "ICU": 2, "A7": 1, "daughter": 1, None: 4},
    ...     fewest=5,
    ...     asked=["ICU"],
    ... )
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


def rows_left_out(rows: Mapping[str, int], by: str = "") -> str:
    """How many rows are left out, and for which values; ``by`` may say of which column."""
    count = sum(rows.values())
    return f"{count:,} row{'s' if count != 1 else ''} left out{by}: {in_words(rows)}"


def in_words(rows: Mapping[str, int]) -> str:
    """Rows by value in a sentence, such as "40 ICU, 160 ward"."""
    return ", ".join(f"{count:,} {value}" for value, count in rows.items())


class Fingerprint:
    """SHA-256 of notes with their outcomes and complaints, in order, however they were cut into parts."""

    def __init__(self) -> None:
        self._sum = hashlib.sha256()
        self._rows = 0

    def add(self, notes: Iterable[object], disposition: Iterable[str], complaint: Iterable[object] | None) -> None:
        """Add more patients."""
        texts = as_notes(notes, first=self._rows)
        for row in zip(texts, disposition, complaint_names(complaint, len(texts)), strict=True):
            self._sum.update(json.dumps(row).encode())
        self._rows += len(texts)

    def hexdigest(self) -> str:
        """The fingerprint of all patients that were added so far."""
        return self._sum.hexdigest()
