"""Compiled kernels on disk: each in a file of its own, sealed by a checksum that is verified before numba sees the rest.

numba trusts what it finds on disk: a damaged file would crash every run. Here a file that is not as it was written is
removed, and its kernel is compiled again. If nothing can be written, kernels are compiled at every run.
"""

from __future__ import annotations

import hashlib
import os
import pickle
import sys
import tempfile
from contextlib import suppress
from functools import cache
from pathlib import Path

import numba

from sonmf.llvm import AVAILABLE, Foreign, caching, serialize

SEAL = hashlib.sha256().digest_size
REMEDY = "set NUMBA_CACHE_DIR to a folder that can be written"


class KernelFiles:
    """The files of one kernel in a folder: a seal of all that follows, a stamp of its sources, the machine code."""

    def __init__(self, folder: Path, name: str, source: bytes) -> None:
        self.folder, self.name, self.source = folder, name, source

    def load(self, key: Foreign) -> Foreign:
        """What was saved under this key; None if that is nothing, damaged, or compiled from other sources."""
        path = self.path(key)
        try:
            content = path.read_bytes()
        except OSError:
            return None
        if content[:SEAL] != hashlib.sha256(content[SEAL:]).digest():
            self.discard(key)
            return None
        return pickle.loads(content[2 * SEAL :]) if content[SEAL : 2 * SEAL] == self._stamp(key) else None

    def save(self, key: Foreign, data: Foreign) -> None:
        """Write a kernel completely or not at all."""
        content = self._stamp(key) + serialize.dumps(data)
        with tempfile.NamedTemporaryFile(dir=self.folder, prefix=".sonmf-", delete=False) as file:
            try:
                file.write(hashlib.sha256(content).digest() + content)
                file.close()
                os.replace(file.name, self.path(key))
            except BaseException:
                Path(file.name).unlink(missing_ok=True)
                raise

    def discard(self, key: Foreign) -> None:
        """Remove a damaged file, and say so."""
        say_once("removed a damaged file of compiled kernels; it is compiled again")
        with suppress(OSError):  # a file that cannot be removed cannot be replaced either: it is compiled at every run
            self.path(key).unlink(missing_ok=True)

    def path(self, key: Foreign) -> Path:
        """The file for these types of arguments on this processor."""
        types, processor, _ = key
        digest = hashlib.sha256(repr((types, processor, AVAILABLE)).encode()).hexdigest()
        return self.folder / f"{self.name}-{digest[:16]}.kernel"

    def _stamp(self, key: Foreign) -> bytes:
        return hashlib.sha256(repr((numba.__version__, kernel_sources(), self.source, key)).encode()).digest()


@cache
def kernel_sources() -> str:
    """A checksum of the files whose compiled functions call each other; numba looks only at the file of the caller."""
    room = Path(__file__).parent
    files = [room / "compiled.py", room / "parallel.py", *sorted((room / "kernels").glob("*.py"))]
    return hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()


class KernelCache(caching.FunctionCache):
    """What numba asks for a kernel before it compiles one, and gives it to afterwards."""

    def __init__(self, function: Foreign, suffix: str) -> None:
        super().__init__(function)
        source = self._impl.locator.get_source_stamp()
        self._cache_file = KernelFiles(Path(self.cache_path), self._impl.filename_base + suffix, source)

    def load_overload(self, sig: Foreign, target_context: Foreign) -> Foreign:
        """The kernel for these types of arguments, or None if it has to be compiled."""
        try:
            return super().load_overload(sig, target_context)
        except Exception:  # whole, and yet numba cannot read it
            self._cache_file.discard(self._index_key(sig, target_context.codegen()))
            return None

    def save_overload(self, sig: Foreign, data: Foreign) -> None:
        """Keep a kernel on disk, where there is room."""
        try:
            super().save_overload(sig, data)
        except OSError as failure:
            say_once(f"compiled kernels cannot be kept in {self.cache_path} ({failure.strerror}): {REMEDY}")


def keep_on_disk(kernel: Foreign, function: Foreign, suffix: str = "") -> None:
    """Let numba look for this kernel on disk, under the name of a function, if there is a folder that can be written."""
    with suppress(RuntimeError):  # numba has found no such folder
        kernel._cache = KernelCache(function, suffix)


def tell_of_compiling(kernel: Foreign) -> None:
    """Say that a user waits for the compiler, and whether the next run does so too."""
    if isinstance(kernel._cache, KernelCache):
        say("compiling its kernels, which takes some seconds; later runs load them from disk")
    else:
        say(f"compiling its kernels, at every run because no folder to keep them in can be written: {REMEDY}")


def say(line: str) -> None:
    """Print a line of our own to the error stream."""
    print(f"sonmf: {line}", file=sys.stderr)


say_once = cache(say)
"""Print a line that has not been printed before."""
