"""X larger than memory: each block is read while the one before is at work, and is forgotten afterwards."""

from __future__ import annotations

import pickle
import shutil
import tempfile
import weakref
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sonmf.device_arrays import Sums, add_up
from sonmf.engines import Engine, Kernel, Local, collect_documents, convert_shared
from sonmf.engines.blocks import Blocks
from sonmf.files import temporary_folder
from sonmf.types import Array, Matrix


class StreamEngine(Engine):
    """The engine for ``Blocks``: one block at a time, shared by all threads. Local states are kept in a temporary folder."""

    def __init__(self, X: Blocks) -> None:
        self.X = X
        self.shape: tuple[int, int] = X.shape
        self.dtype = X.dtype
        self.passes = 0
        self.reader = ThreadPoolExecutor(1, thread_name_prefix="sonmf-reader")
        self.folder = Path(tempfile.mkdtemp(prefix="sonmf-", dir=temporary_folder()))
        weakref.finalize(self, shutil.rmtree, self.folder, ignore_errors=True)

    def sweep(self, kernel: Kernel, local: Local, *shared: object) -> tuple[Local, Sums]:
        self.passes += 1
        factors = convert_shared(shared, self.dtype)
        states: list[StoredState] = []
        total: Sums | None = None
        for block, state in zip(self._read(), [StoredState(None)] * len(self.X.sizes) if local is None else local, strict=True):
            state, sums = kernel(block, state.load(), *factors)
            states.append(self._store(state))
            total = sums if total is None else add_up([total, sums])
            del block  # before the next one arrives
        return states, total or ()

    def each(self, function: Callable[..., object], *local: Local) -> Local:
        return [self._store(function(*(state.load() for state in block))) for block in zip(*local, strict=True)]

    def place(self, array: Array) -> Local:
        return [self._store(part) for part in self._split(array)]

    def gather(self, local: Local) -> Matrix:
        """One array in a temporary file, mapped to memory because it is as long as X."""
        first = local[0].load()
        with tempfile.TemporaryFile(prefix="sonmf-", dir=temporary_folder()) as file:
            out = np.memmap(file, first.dtype, "w+", shape=(self.shape[0], *first.shape[1:]))
        for rows, state in zip(self._split(out), local, strict=True):
            rows[:] = state.load()
        return out

    def documents(self, rows: NDArray[np.intp]) -> Matrix:
        return collect_documents(self.X.sizes, rows, lambda requests: [self.X.readers[b]()[within] for b, within in requests])

    def _read(self) -> Iterator[Matrix]:
        """The blocks in order; the next one is read while this one is at work."""
        ahead = self.reader.submit(self.X.readers[0])
        for read in self.X.readers[1:]:
            block, ahead = ahead.result(), self.reader.submit(read)
            yield block
            del block
        yield ahead.result()

    def _split(self, array: Array) -> list[Array]:
        return np.split(array, np.cumsum(self.X.sizes)[:-1])

    def _store(self, state: object) -> StoredState:
        return StoredState(state, self.folder)


class StoredState:
    """The local state of one block, in a file that is removed when nothing refers to it any more."""

    def __init__(self, state: object, folder: Path | None = None) -> None:
        self.path: Path | None = None
        if state is not None:
            with tempfile.NamedTemporaryFile(dir=folder, delete=False) as file:
                pickle.dump(state, file, protocol=5)
            self.path = Path(file.name)
            weakref.finalize(self, self.path.unlink, missing_ok=True)

    def load(self) -> Local:
        return None if self.path is None else pickle.loads(self.path.read_bytes())
