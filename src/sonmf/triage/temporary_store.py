"""Patients on disk, read one complaint at a time, so that only these are in memory."""

from __future__ import annotations

import errno
import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import compress
from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from sonmf.text.note_lists import as_notes
from sonmf.triage.columns import Columns, column_arrays, is_missing
from sonmf.triage.inputs import POOLED, complaint_names, plain
from sonmf.triage.training_patients import Count, Part
from sonmf.types import Array

TABLE = "CREATE TABLE patients (complaint TEXT, admitted INTEGER, note TEXT, subgroups TEXT, columns TEXT)"
TEXTS = "sum(length(CAST(note AS BLOB)) + length(CAST(columns AS BLOB)))"
SIZES = f"SELECT complaint, count(*), sum(admitted), {TEXTS} FROM patients GROUP BY complaint"


class TemporaryStore:
    """``Patients`` in an unnamed file of the temporary folder: nobody else can open it, and it ends with the process.

    Parameters
    ----------
    classes : ndarray of shape (2,)
        The two dispositions, the one that means admitted last.

    Examples
    --------
    >>> from sonmf.triage.temporary_store import TemporaryStore
    >>> with TemporaryStore(["discharged", "admitted"]) as store:
    ...     store.add(["cough", "fall"], ["admitted", "discharged"], ["Cough", "Fall"], {"sex": ["F", "M"]})
    ...     store.add(["cough, fever"], ["discharged"], ["Cough"], {"sex": ["F"]})
    ...     store.part("Cough").notes
    ['cough', 'cough, fever']
    """

    def __init__(self, classes: ArrayLike) -> None:
        self.classes: Array = np.asarray(classes, object)
        self._size = 0
        self._drawn: Array | None = None
        self._table = sqlite3.connect("")  # SQLite's temporary database: mode 0600, removed from its folder once it is open
        self._table.execute("PRAGMA journal_mode=OFF")
        self._table.execute("PRAGMA synchronous=OFF")  # nobody reads it after a crash
        self._table.execute(TABLE)
        self._table.execute("CREATE INDEX by_complaint ON patients (complaint)")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._table.close()

    def __len__(self) -> int:
        return self._size

    def add(
        self,
        notes: Iterable[object],
        disposition: Iterable[object],
        complaint: Iterable[object] | None = None,
        subgroups: Mapping[str, Iterable[object]] | None = None,
        columns: Mapping[str, Iterable[object]] | None = None,
    ) -> None:
        """More patients, as for ``TriageModel.fit``."""
        texts = as_notes(notes, first=self._size)
        admitted = [int(value == self.classes[1]) for value in disposition]
        groups = {name: [str(value) for value in values] for name, values in (subgroups or {}).items()}
        given = {name: list(map(_scalar, values)) for name, values in column_arrays(columns, len(texts)).items()}
        more = (_rows(some, len(texts)) for some in (groups, given))
        rows = zip(complaint_names(complaint, len(texts)), admitted, texts, *more, strict=True)
        try:
            self._table.executemany("INSERT INTO patients VALUES (?, ?, ?, ?, ?)", rows)
            self._table.commit()
        except sqlite3.OperationalError as error:
            raise OSError(errno.ENOSPC, str(error), "the temporary folder (TMPDIR)") from error
        self._size += len(texts)

    def draw(self, most: int, seed: int) -> None:
        """Fit the model of all complaints to ``most`` patients drawn at random, or to all if there are fewer."""
        self._drawn = np.arange(self._size) < most
        np.random.default_rng(seed).shuffle(self._drawn)

    def counts(self) -> dict[str, Count]:
        """As ``Patients`` says."""
        return {name: Count(notes, admitted) for name, notes, admitted, _ in self._table.execute(SIZES)}

    def sizes(self) -> dict[str, tuple[int, int]]:
        """Notes, and bytes of text and columns, by complaint; those of all under the empty name."""
        found = {name: (notes, size) for name, notes, _, size in self._table.execute(SIZES)}
        total = tuple(sum(column) for column in zip(*found.values(), strict=True))
        return found | {POOLED: (total[0], total[1])}

    def part(self, complaint: str) -> Part:
        """As ``Patients`` says; of all complaints together those drawn."""
        patients = "SELECT note, admitted, subgroups, columns FROM patients"
        if complaint != POOLED:
            rows = self._table.execute(f"{patients} WHERE complaint = ? ORDER BY rowid", (complaint,)).fetchall()
        else:
            everyone = self._table.execute(f"{patients} ORDER BY rowid")
            rows = list(everyone if self._drawn is None else compress(everyone, self._drawn))
        notes, y, subgroups, columns = zip(*rows, strict=True)
        return Part(list(notes), np.array(y, float), _by_name(subgroups), _by_name(columns))

    def columns(self) -> Mapping[str, Array]:
        """As ``Patients`` says; read anew whenever one is asked for."""
        return _Columns(self._table)

    def some_notes(self, most: int) -> list[str]:
        """The first notes."""
        return [note for (note,) in self._table.execute("SELECT note FROM patients ORDER BY rowid LIMIT ?", (most,))]

    def outcomes(self) -> Array:
        """As ``Patients`` says."""
        return np.array([one for (one,) in self._table.execute("SELECT admitted FROM patients ORDER BY rowid")], float)


def _rows(columns: Mapping[str, Sequence[object]], n: int) -> list[str]:
    """Each row of a table as JSON."""
    rows = [json.dumps(dict(zip(columns, row, strict=True))) for row in zip(*columns.values(), strict=True)]
    return rows or ["{}"] * n


def _by_name(rows: Iterable[str]) -> Columns:
    """The columns of such rows."""
    found: dict[str, list[object]] = {}
    for row in map(json.loads, rows):
        for name, value in row.items():
            found.setdefault(name, []).append(value)
    return {name: np.array(values, object) for name, values in found.items()}


class _Columns(Mapping[str, Array]):
    """One column in memory at a time."""

    def __init__(self, table: sqlite3.Connection) -> None:
        self._table = table
        first = table.execute("SELECT columns FROM patients ORDER BY rowid LIMIT 1").fetchone()
        self._names: list[str] = list(json.loads(first[0])) if first else []

    def __getitem__(self, name: str) -> Array:
        if name not in self._names:
            raise KeyError(name)
        rows = self._table.execute("SELECT columns FROM patients ORDER BY rowid")
        return np.array([json.loads(one)[name] for (one,) in rows], object)

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


def _scalar(value: object) -> object:
    """What JSON can hold."""
    if is_missing(value):
        return None
    return plain(value) if isinstance(value, str | int | float | np.generic) else str(value)
