"""Packed files are unpacked by a separate process: a few bytes may stand for gigabytes, which only the system can stop.

The process gets an order, a line of JSON, with the file: as a descriptor, or as bytes behind the order. Each of its answers
begins with a line of JSON: the length of the bytes that follow, which are the facts on the file or a piece of the table. The
last one has no bytes: it is an ``Ending``. The system limits its memory, and its time for each answer. It is killed when its
next answer is not wanted.
"""

from __future__ import annotations

import atexit
import io
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import traceback
from abc import abstractmethod
from collections.abc import Callable, Generator, Iterator
from contextlib import closing, suppress
from functools import cached_property, partial
from importlib import import_module
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, TypeAlias

from sonmf.files import leave_no_core_dump
from sonmf.frames import DataFrame
from sonmf.sources import limits
from sonmf.sources.errors import TableError
from sonmf.sources.source import FileSource, OpenFile, Reading, read_from_start

MEMORY = 200_000_000  # bytes for the decoder itself, beside three times the limit of what it unpacks
SECONDS = 60  # of a processor, for one answer
OUT_OF_MEMORY = (signal.SIGABRT, signal.SIGKILL)  # how a decoder ends, and how the system ends one, that gets no more memory
START = "import sys; sys.path[:] = sys.argv[1:]; from sonmf.sources.unpacking import serve; serve()"
ALONE = {
    "ARROW_DEFAULT_MEMORY_POOL": "system",
    "ARROW_IO_THREADS": "1",
    "MALLOC_ARENA_MAX": "1",
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
}
"""Settings with which a process asks for no more memory than it needs."""


class TableFacts(NamedTuple):
    """What a packed file says of its table."""

    names: list[str]
    rows: int
    """The number of rows that the file declares; a workbook counts empty ones too."""
    remarks: list[str]
    missing_column_hint: str


class PackedSource(FileSource):
    """A table that a separate process unpacks. A kind has ``inspect`` and ``pieces``, for that process, and ``frame``."""

    decoder: ClassVar[tuple[str, str]]
    """The module that unpacks such files, and the package to install for it."""
    remedy = "split it, or save it as CSV"

    _unpacker: _Unpacker | None = None
    _changing: ClassVar = threading.Lock()

    @abstractmethod
    def inspect(self) -> TableFacts:
        """What the file says of its table."""

    @abstractmethod
    def pieces(self, rows: int, columns: list[str]) -> Iterator[bytes]:
        """Pieces of these columns, each of at most ``rows`` rows and little more than ``LARGEST_PART`` bytes."""

    @abstractmethod
    def frame(self, piece: bytes, columns: list[str]) -> DataFrame:
        """A piece as a table."""

    @cached_property
    def facts(self) -> TableFacts:
        """What the file says of its table."""
        (facts,) = self._answers(0, [])
        return TableFacts(*json.loads(facts))

    def names(self) -> list[str]:
        return self.facts.names

    @property
    def remarks(self) -> tuple[str, ...]:
        return tuple(self.facts.remarks)

    @property
    def declared_rows(self) -> int:
        return self.facts.rows

    @property
    def missing_column_hint(self) -> str:
        return self.facts.missing_column_hint

    def parts(self, rows: int, columns: list[str]) -> Iterator[DataFrame]:
        read = size = 0
        with closing(self._answers(rows, columns)) as pieces:
            for piece in pieces:
                size += len(piece)
                self.refuse_size(size)
                frame = self.frame(piece, columns)
                read += len(frame)
                self.share = min(read / max(self.facts.rows, 1), 1.0)
                yield frame

    def stop(self) -> None:
        with self._changing:  # a process that unpacks another file by now is left alone
            if self._unpacker is not None:
                self._unpacker.process.kill()

    def _answers(self, rows: int, columns: list[str]) -> Generator[bytes]:
        """The facts if no rows are asked for, else pieces of the table."""
        order = type(self).__module__, type(self).__name__, str(self), self.reading, self.limit, rows, columns
        with self.file.open("rb") as stream:
            self._unpacker = unpacker = _Unpacker.take()
            try:
                unpacker.send(order, stream)
                while isinstance(answer := unpacker.answer(), bytes):
                    yield answer
                if answer is None:
                    raise TableError(self._death(unpacker.process.wait()))
                unpacker.may_be_asked_again = answer.may_be_asked_again
                if answer.defect:
                    raise RuntimeError(f"the process that unpacks files has failed:\n{answer.defect}")
                if answer.refusal:
                    raise TableError(answer.refusal)
            finally:
                with self._changing:
                    self._unpacker = None
                unpacker.release()

    def _death(self, code: int) -> str:
        """The sentence for a process that ended before its last answer, by the signal that ended it."""
        if code == -signal.SIGXCPU:
            return f"{self} takes more than {SECONDS} seconds to unpack: {self.remedy}"
        if -code in OUT_OF_MEMORY:
            return self.too_large
        how = f"by {signal.Signals(-code).name}" if code < 0 else f"with exit code {code}"
        return f"{self} could not be unpacked: the process for it was ended {how}; try again, or save the table as CSV"

    def require_decoder(self) -> None:
        """Load the package that unpacks such files, or refuse the file."""
        module, package = self.decoder
        try:
            import_module(module)
        except ImportError:
            remedy = f"python -m pip install {package}, or save the table as CSV"
            raise TableError(f"{self} needs {package} to be read: {remedy}") from None

    def unpacked(self, rows: int, columns: list[str]) -> Iterator[bytes]:
        """The answers of the separate process, within limits."""
        self.require_decoder()
        _limit_memory(3 * (self.limit or limits.LARGEST_UNPACKED) + MEMORY)
        _limit_time()
        for answer in self.pieces(rows, columns) if rows else [json.dumps(self.inspect()).encode()]:
            yield answer
            _limit_time()


Order: TypeAlias = tuple[str, str, str, Reading, int | None, int, list[str]]
"""Module and name of a kind of source, title of the file, how to read it, limit, rows (0 for the facts) and columns."""


class Ending(NamedTuple):
    """The last answer to an order."""

    may_be_asked_again: bool
    refusal: str = ""
    """Why the table cannot be read; empty if it can."""
    defect: str = ""
    """The place of an unforeseen error, without its text, which may quote a cell."""


class _Unpacker:
    """The separate process; one that has done its work waits for the next file, since it takes long to start."""

    waiting: ClassVar[list[_Unpacker]] = []

    def __init__(self) -> None:
        self.socket, theirs = socket.socketpair()
        command = [sys.executable, "-P", "-c", START, *sys.path]
        nowhere = subprocess.DEVNULL
        with theirs:
            self.process = subprocess.Popen(
                command, stdin=theirs.fileno(), stdout=nowhere, stderr=nowhere, env=os.environ | ALONE
            )
        self.line = self.socket.makefile("rb")
        self.may_be_asked_again = False

    @classmethod
    def take(cls) -> _Unpacker:
        """A process that waits for work, or a new one."""
        with suppress(IndexError):
            unpacker = cls.waiting.pop()
            if unpacker.process.poll() is None:
                return unpacker
            unpacker.end()
        return cls()

    def send(self, order: Order, stream: io.BufferedIOBase) -> None:
        """Give the process an order, with a file of the system or with bytes in memory."""
        self.may_be_asked_again = False
        try:
            descriptors, data = [stream.fileno()], b""
        except io.UnsupportedOperation:
            descriptors, data = [], stream.read()
        with suppress(ConnectionError):  # it has died, as its answer will show
            socket.send_fds(self.socket, [b"\n"], descriptors)
            self.socket.sendall(json.dumps([order, len(data)]).encode() + b"\n")
            self.socket.sendall(data)

    def answer(self) -> bytes | Ending | None:
        """The next bytes, the ending behind the last ones, or None if the process has died."""
        with suppress(ConnectionError):
            line = self.line.readline()
            answer: int | list[Any] | None = json.loads(line) if line.endswith(b"\n") else None
            if not isinstance(answer, int):
                return None if answer is None else Ending(*answer)
            if len(piece := self.line.read(answer)) == answer:
                return piece
        return None

    def release(self) -> None:
        """Let the process wait for the next file, or kill it if its work is not done or another one waits."""
        if self.may_be_asked_again and not self.waiting:
            self.waiting.append(self)
        else:
            self.end()

    def end(self) -> None:
        """Kill it."""
        self.process.kill()
        self.process.wait()
        self.line.close()
        self.socket.close()


@atexit.register
def _end_all() -> None:
    while _Unpacker.waiting:
        _Unpacker.waiting.pop().end()


os.register_at_fork(after_in_child=_Unpacker.waiting.clear)  # it answers the process that has started it


def serve() -> None:
    """The work of the separate process, until nobody is there to ask."""
    leave_no_core_dump()
    with socket.socket(fileno=sys.stdin.fileno()) as connection, connection.makefile("rwb") as line:
        again = True
        while again:
            begin, descriptors, *_ = socket.recv_fds(connection, 1, 1)
            if not begin:
                return
            order, size = json.loads(line.readline())
            if descriptors:
                again = _answer(order, partial(read_from_start, *descriptors), line)
                os.close(*descriptors)
            else:
                again = _answer(order, partial(io.BytesIO, line.read(size)), line)


def _answer(order: Order, stream: Callable[[], io.BufferedIOBase], line: io.BufferedRWPair) -> bool:
    """Answer an order, and return whether another one may follow."""
    module, kind, title, reading, limit, rows, columns = order
    source = getattr(import_module(module), kind)(OpenFile(stream, title, title), Reading(*reading), limit)

    def say(answer: int | Ending, then: bytes = b"") -> None:
        line.write(json.dumps(answer).encode() + b"\n" + then)
        line.flush()

    refusal = defect = ""
    try:
        for piece in source.unpacked(rows, columns):
            say(len(piece), piece)
    except TableError as error:
        refusal = str(error)
    except MemoryError:
        refusal = source.too_large
    except Exception as error:
        defect = "".join(traceback.format_tb(error.__traceback__)) + type(error).__name__
    sound = not defect and refusal != source.too_large
    small = _pages()[1] * os.sysconf("SC_PAGE_SIZE") < MEMORY  # what has kept much memory should give it back
    say(Ending(sound and small, refusal, defect))
    return sound and small


def _pages() -> list[int]:
    """How large this process is, and how much of it is in memory; zeros where the system does not say so."""
    with suppress(OSError):
        return [int(count) for count in Path("/proc/self/statm").read_text().split()[:2]]
    return [0, 0]


def _limit_memory(more: int) -> None:
    """Limit the memory beyond what is used now, if the system can: Linux can."""
    import resource

    with suppress(OSError, ValueError):
        most = _pages()[0] * resource.getpagesize() + more
        resource.setrlimit(resource.RLIMIT_AS, (most, resource.getrlimit(resource.RLIMIT_AS)[1]))


def _limit_time() -> None:
    """Limit the time until the next answer."""
    import resource

    with suppress(OSError, ValueError):
        seconds = int(sum(os.times()[:2])) + SECONDS
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, resource.getrlimit(resource.RLIMIT_CPU)[1]))
