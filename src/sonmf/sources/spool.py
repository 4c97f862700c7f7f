"""A table that is piped in. It is kept in an unnamed temporary file, because tables are read twice."""

from __future__ import annotations

import io
import os
import shutil
import tempfile
import weakref
from contextlib import suppress
from pathlib import Path
from typing import IO, TYPE_CHECKING, BinaryIO

from sonmf.files import named, temporary_folder

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

NAMES = {b"PAR1": "standard input.parquet", b"PK\x03\x04": "standard input.xlsx", b"\x1f\x8b": "standard input.csv.gz"}
"""By the first bytes of a file; any other file is text."""


class Piped:
    """A ``File`` for a source: the stream is read to its end, and the ending of ``name`` says what kind it is."""

    def __init__(self, stream: BinaryIO) -> None:
        folder = temporary_folder()
        with named(Path(folder)):
            self.kept = tempfile.TemporaryFile(dir=folder)  # noqa: SIM115 it ends with this object
            weakref.finalize(self, _close, self.kept)
            shutil.copyfileobj(stream, self.kept, 2**20)
            self.kept.flush()
        with self.open("rb") as begin:
            first = begin.read(4)
        self.name = next((name for known, name in NAMES.items() if first.startswith(known)), "standard input.csv")

    def __str__(self) -> str:
        return "standard input"

    def open(self, mode: str) -> io.BufferedReader:
        """A stream from the start, however far others have read."""
        return io.BufferedReader(Descriptor(self.kept.fileno()))


def _close(file: IO[bytes]) -> None:
    with suppress(OSError):  # what a full disk has not taken
        file.close()


class Descriptor(io.RawIOBase):
    """A file of the system that others may read too, with a position of its own; closing it leaves the file open."""

    def __init__(self, descriptor: int) -> None:
        self.descriptor, self.place = descriptor, 0

    def fileno(self) -> int:
        return self.descriptor

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        starts = {os.SEEK_SET: 0, os.SEEK_CUR: self.place, os.SEEK_END: os.fstat(self.descriptor).st_size}
        self.place = starts[whence] + offset
        return self.place

    def tell(self) -> int:
        return self.place

    def readinto(self, buffer: WriteableBuffer) -> int:
        view = memoryview(buffer)
        piece = os.pread(self.descriptor, len(view), self.place)
        view[: len(piece)] = piece
        self.place += len(piece)
        return len(piece)
