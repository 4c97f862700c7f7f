"""A table that is piped in. It is kept in an unnamed temporary file, because tables are read twice."""

from __future__ import annotations

import io
import os
import shutil
import tempfile
import weakref
from typing import IO, TYPE_CHECKING, BinaryIO

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

NAMES = {b"PAR1": "standard input.parquet", b"PK\x03\x04": "standard input.xlsx", b"\x1f\x8b": "standard input.csv.gz"}
"""By the first bytes of a file; any other file is text."""


class Piped:
    """A ``File`` for a source: the stream is read to its end, and the ending of ``name`` says what kind it is."""

    def __init__(self, stream: BinaryIO) -> None:
        self.kept = tempfile.TemporaryFile()  # noqa: SIM115 it ends with this object
        weakref.finalize(self, self.kept.close)
        shutil.copyfileobj(stream, self.kept, 2**20)
        self.kept.flush()
        self.size = self.kept.tell()
        self.kept.seek(0)
        begin = self.kept.read(4)
        self.name = next((name for known, name in NAMES.items() if begin.startswith(known)), "standard input.csv")

    def __str__(self) -> str:
        return "standard input"

    def open(self, mode: str) -> io.BufferedReader:
        """A stream from the start, however far others have read."""
        return io.BufferedReader(_Place(self.kept, self.size))


class _Place(io.RawIOBase):
    """A position of its own in a file that others read too."""

    def __init__(self, kept: IO[bytes], size: int) -> None:
        self.kept, self.size, self.place = kept, size, 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        self.place = offset + {os.SEEK_SET: 0, os.SEEK_CUR: self.place, os.SEEK_END: self.size}[whence]
        return self.place

    def tell(self) -> int:
        return self.place

    def readinto(self, buffer: WriteableBuffer) -> int:
        self.kept.seek(self.place)
        view = memoryview(buffer)
        piece = self.kept.read(len(view))
        view[: len(piece)] = piece
        self.place += len(piece)
        return len(piece)
