"""A file that was sent: it stays in memory, and is read until it is too large, takes too long, or nobody waits for it."""

from __future__ import annotations

import gzip
import io
import time
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple, Self

from sonmf.sources import PatientColumns, Source

if TYPE_CHECKING:
    from typing_extensions import Buffer

PACKED = (".csv.gz", ".tsv.gz")
MOST_ROWS = 1_000_000  # that a browser can hold


class GivenUpError(Exception):
    """Nobody waits for this work any more."""


class FileFacts(NamedTuple):
    """What a page shows of a file: its columns, and those that are read as note, complaint and id (empty if there is none)."""

    columns: list[str]
    text: str
    group: str
    id: str

    @classmethod
    def of(cls, columns: PatientColumns, source: Source) -> Self:
        """Of a source, with the columns that are read."""
        return cls(source.columns, columns.text, columns.group, columns.id)


class Part(NamedTuple):
    """Some rows of a table."""

    notes: list[object]
    complaints: list[object] | None
    patients: list[object] | None
    outcomes: list[object] | None
    columns: dict[str, list[object]]
    """Columns of the model that the file has."""
    share: float
    """How much of the table has been read with it."""
    remarks: Sequence[str] = ()
    """Remarks on how the file was read so far."""
    more: Mapping[str, list[object]] = MappingProxyType({})
    """Other columns that were requested."""

    @classmethod
    def of(cls, columns: PatientColumns, cells: Mapping[str, list[object]], share: float, remarks: Sequence[str] = ()) -> Self:
        """From the cells of each column by its name."""
        given = {name: cells[name] for name in columns.columns}
        outcomes = cells.get(columns.label)
        more = {name: cells[name] for name in columns.more}
        return cls(cells[columns.text], cells.get(columns.group), cells.get(columns.id), outcomes, given, share, remarks, more)


class Upload:
    """A ``File`` for a source. What gzip has packed is unpacked here, and its ``name`` says so.

    Parameters
    ----------
    sent : str
        What the file was called.
    data : bytes
    limit : int
        The most bytes that may come out of it.
    seconds : float
        That reading it may take.
    """

    def __init__(self, sent: str, data: bytes, limit: int, seconds: float) -> None:
        self.sent = sent
        self.packed = sent.lower().endswith(PACKED)
        self.name = sent[: -len(".gz")] if self.packed else sent
        self.data = data
        self.limit = limit
        self.deadline = time.monotonic() + seconds
        self.source = io.BytesIO(data)
        self.stopped = False
        self.stopping: list[Callable[[], None]] = []

    def __str__(self) -> str:
        return self.sent

    @property
    def share(self) -> float:
        """How much of it has been read."""
        return self.source.tell() / len(self.data)

    def open(self, mode: str) -> io.BufferedReader:
        """To read from the start, unpacked."""
        self.source = io.BytesIO(self.data)
        return io.BufferedReader(_Watched(self))

    def stop(self) -> None:
        """Nobody waits any more; may be called from another thread than the one that reads."""
        self.stopped = True
        for one in self.stopping:
            one()

    def check(self) -> None:
        """Raise an error if reading takes too long, or nobody waits for it."""
        if time.monotonic() > self.deadline:
            raise ValueError("the list took too long: split it into smaller files")
        if self.stopped:
            raise GivenUpError

    def check_size(self, count: int) -> None:
        """Raise an error if there are more bytes than the limit."""
        if count > self.limit:
            raise ValueError(self.too_large)

    def check_rows(self, count: int) -> None:
        """Raise an error if there are more rows than a browser can hold."""
        if count > MOST_ROWS:
            raise ValueError(f"{self} has more than {MOST_ROWS:,} rows: split it, or use `sonmf predict`")

    @property
    def too_large(self) -> str:
        """The message for a file that unpacks to more than the limit."""
        return f"{self} unpacks to more than {self.limit:,} bytes: split it, or start `sonmf serve` with --max-list"


class _Watched(io.RawIOBase):
    """The bytes of an upload; before each read it is checked that someone still waits, after it the bytes are counted."""

    def __init__(self, upload: Upload) -> None:
        self.upload = upload
        self.count = 0
        self.bytes: io.BufferedIOBase = gzip.GzipFile(fileobj=upload.source) if upload.packed else upload.source

    def readable(self) -> bool:
        """As ``io`` asks."""
        return True

    def readinto(self, buffer: Buffer) -> int:
        """As ``io`` asks."""
        self.upload.check()
        found = self.bytes.readinto(buffer)
        self.count += found
        self.upload.check_size(self.count)
        return found
