"""Files that are complete or absent, and a lock on a folder."""

from __future__ import annotations

import errno
import os
import secrets
import stat
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import TypeVar

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

PREFIX = ".partial-"
LOCK = ".lock"
OLD = 3600  # seconds since a partial file was written, after which nobody will rename it
TOKEN = 8  # letters that distinguish the partial files of one target
REMEDIES = {
    errno.ENOSPC: "free some space, or choose another place",
    errno.EDQUOT: "free some space, or choose another place",
    errno.EFBIG: "choose another place, or raise the limit on the size of files",
    errno.EROFS: "choose a place that can be written to",
    errno.EACCES: "check who may read and write it, or choose another place",
    errno.EPERM: "check who may read and write it, or choose another place",
}

Result = TypeVar("Result")
_one_at_a_time = threading.Lock()


def replace(path: Path, save: Callable[[Path], Result]) -> Result:
    """Write under another name, then rename: the file is the old one or the new one, never half of it, also after a power cut.

    A link stays, and the file that it points to is replaced. A file that is replaced keeps its mode. The partial file is
    hidden, only its owner may read it, and it is removed if anything fails; after a kill the next call for the same path
    removes it.

    Parameters
    ----------
    path : Path
    save : callable
        Writes to the path that it is given, which has the ending of ``path``: some writers choose the format by it.

    Returns
    -------
    object
        What ``save`` returns.
    """
    target = Path(os.path.realpath(path))
    with named(path):
        target.parent.mkdir(parents=True, exist_ok=True)
        remove_stale(target)
        with _partial(target) as (partial, mode, close):
            result = save(partial)
            _flush(partial, os.O_RDWR)
            if sys.platform == "win32":  # it cannot rename an open file
                close()
            else:
                partial.chmod(mode)
            partial.replace(target)
        with suppress(OSError):  # some systems cannot flush a folder
            _flush(target.parent, os.O_RDONLY)
    return result


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """No other process is inside for the same folder; if one is, wait for it. The lock of a killed process is free."""
    folder.mkdir(parents=True, exist_ok=True)
    if sys.platform == "win32":  # it can lock a file, but not a folder
        with _opened(folder / LOCK, os.O_RDWR | os.O_CREAT) as descriptor:
            _lock_byte(descriptor)
            yield
    else:
        with _opened(os.path.realpath(folder), os.O_RDONLY) as descriptor:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            yield


if sys.platform == "win32":

    def _lock_byte(descriptor: int) -> None:
        """Lock the first byte. ``LK_LOCK`` gives up after ten seconds, so ask again."""
        while True:
            try:
                return msvcrt.locking(descriptor, msvcrt.LK_LOCK, 1)
            except OSError as error:
                if error.errno != errno.EDEADLK:
                    raise


def remove_stale(target: Path) -> None:
    """Remove the partial files of a target whose processes are dead.

    A living process holds the lock of its file. On Windows it has the file open, which prevents its removal, but closes it just
    before it is renamed: there only old files are removed.
    """
    with os.scandir(target.parent) as entries:
        there = [entry.path for entry in entries if _is_partial(entry.name, target.name)]
    for path in there:
        with suppress(OSError):
            if sys.platform == "win32":
                if time.time() - os.stat(path).st_mtime > OLD:
                    os.unlink(path)
            else:
                with _opened(path, os.O_RDWR) as descriptor:
                    fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    os.unlink(path)


def sentence(error: OSError) -> str:
    """Where something failed, what the system says about it, and what to do."""
    parts = [error.filename or "the output or a temporary file", error.strerror or str(error)]
    remedy = REMEDIES.get(error.errno or 0)
    return ": ".join(map(str, parts)) + (f"; {remedy}" if remedy else "")


@contextmanager
def named(path: Path) -> Iterator[None]:
    """Failures to write get the name that the caller knows; the system names no file, or the partial one."""
    try:
        yield
    except OSError as error:
        ours = error.filename is None or Path(os.fsdecode(error.filename)).name.startswith(PREFIX)
        if error.errno is None or not ours:
            raise
        raise OSError(error.errno, error.strerror, str(path)) from error


def _is_partial(name: str, target: str) -> bool:
    return name.startswith(PREFIX) and name[len(PREFIX) + TOKEN :] == f"-{target}"


@contextmanager
def _partial(target: Path) -> Iterator[tuple[Path, int, Callable[[], None]]]:
    """An empty file next to the target that only its owner may read, its final mode, and what closes it early."""
    before = target.stat() if target.exists() else None
    mode = stat.S_IMODE(before.st_mode) if before else 0o666 & ~_umask()
    partial, descriptor = _created(target)
    with ExitStack() as open_file:
        open_file.callback(os.close, descriptor)
        try:
            if before and sys.platform != "win32":
                with suppress(PermissionError):
                    os.fchown(descriptor, before.st_uid, before.st_gid)
            yield partial, mode, open_file.close
        finally:
            if sys.platform == "win32":  # it cannot remove an open file
                open_file.close()
            partial.unlink(missing_ok=True)


def _umask() -> int:
    """The permissions that new files do not get. Reading it means setting it, for the whole process."""
    with _one_at_a_time:
        mask = os.umask(0o077)
        os.umask(mask)
    return mask


def _created(target: Path) -> tuple[Path, int]:
    """A new partial file that ``remove_stale`` leaves alone as long as its descriptor is open."""
    while True:
        partial = target.with_name(f"{PREFIX}{secrets.token_hex(TOKEN // 2)}-{target.name}")
        descriptor = os.open(partial, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
        if sys.platform != "win32":
            with suppress(OSError):  # on file systems without locks nothing is removed as stale
                fcntl.flock(descriptor, fcntl.LOCK_EX)
        if os.fstat(descriptor).st_nlink:
            return partial, descriptor
        os.close(descriptor)  # another process took it for stale before it was locked


@contextmanager
def _opened(path: Path | str, flags: int) -> Iterator[int]:
    descriptor = os.open(path, flags | getattr(os, "O_NOFOLLOW", 0))
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def _flush(path: Path, flags: int) -> None:
    """Wait until a file, or the names in a folder, are on the disk."""
    with _opened(path, flags) as descriptor:
        os.fsync(descriptor)
