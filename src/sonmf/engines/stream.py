"""X larger than memory: block after block is read, ahead of those at work, and forgotten again."""

from __future__ import annotations

import pickle
import shutil
import tempfile
import weakref
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sonmf.engines import exchange
from sonmf.engines.blocks import Blocks
from sonmf.engines.door import Engine, Kernel
from sonmf.tall import added


class StreamEngine(Engine):
    """The engine for ``Blocks``: one block at a time, shared by all threads. Local states wait in a temporary folder."""

    def __init__(self, X: Blocks) -> None:
        self.X = X
        self.shape: tuple[int, int] = X.shape
        self.dtype: np.dtype[Any] = X.dtype
        self.passes = 0
        self.reader = ThreadPoolExecutor(1, thread_name_prefix="sonmf-reader")
        self.folder = Path(tempfile.mkdtemp(prefix="sonmf-"))
        weakref.finalize(self, shutil.rmtree, self.folder, ignore_errors=True)

    def sweep(self, kernel: Kernel, local: Any, *shared: Any) -> tuple[Any, tuple[Any, ...]]:
        self.passes += 1
        shared = exchange.outbound(shared, self.dtype)
        kept: list[Kept] = []
        total: tuple[Any, ...] | None = None
        for block, state in zip(self._read(), [Kept(None)] * len(self.X.sizes) if local is None else local, strict=True):
            state, sums = kernel(block, state.load(), *shared)
            kept.append(self._keep(state))
            total = sums if total is None else added([total, sums])
            del block  # before the next one arrives
        return kept, total or ()

    def each(self, function: Callable[..., Any], *local: Any) -> Any:
        return [self._keep(function(*(kept.load() for kept in block))) for block in zip(*local, strict=True)]

    def place(self, array: Any) -> Any:
        return [self._keep(part) for part in self._split(array)]

    def gather(self, local: Any) -> Any:
        """One array in a temporary file, mapped to memory: it is as long as X."""
        first = local[0].load()
        with tempfile.TemporaryFile(prefix="sonmf-") as file:
            out = np.memmap(file, first.dtype, "w+", shape=(self.shape[0], *first.shape[1:]))
        for rows, kept in zip(self._split(out), local, strict=True):
            rows[:] = kept.load()
        return out

    def documents(self, rows: NDArray[np.intp]) -> Any:
        return exchange.collected(self.X.sizes, rows, lambda requests: [self.X.readers[b]()[within] for b, within in requests])

    def _read(self) -> Iterator[Any]:
        """The blocks in order; the next one is read while this one is at work."""
        ahead = self.reader.submit(self.X.readers[0])
        for read in self.X.readers[1:]:
            block, ahead = ahead.result(), self.reader.submit(read)
            yield block
            del block
        yield ahead.result()

    def _split(self, array: Any) -> list[Any]:
        return np.split(array, np.cumsum(self.X.sizes)[:-1])

    def _keep(self, state: Any) -> Kept:
        return Kept(state, self.folder)


class Kept:
    """The local state of one block, in a file that goes when nobody refers to it any more."""

    def __init__(self, state: Any, folder: Path | None = None) -> None:
        self.path: Path | None = None
        if state is not None:
            with tempfile.NamedTemporaryFile(dir=folder, delete=False) as file:
                pickle.dump(state, file, protocol=5)
            self.path = Path(file.name)
            weakref.finalize(self, self.path.unlink, missing_ok=True)

    def load(self) -> Any:
        return None if self.path is None else pickle.loads(self.path.read_bytes())
