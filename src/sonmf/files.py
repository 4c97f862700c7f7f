"""Files that are complete or absent, a lock on a folder, a place for temporary notes, and cells that no spreadsheet runs."""

from __future__ import annotations

import errno
import fcntl
import os
import re
import secrets
import stat
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TypeVar

PREFIX = ".partial-"
FORMULA = re.compile(r"[=+\-@\t\r\n]")  # spreadsheets run text that begins so
NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
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
        with _partial(target) as (partial, mode):
            result = save(partial)
            _flush(partial, os.O_RDWR)
            partial.chmod(mode)
            partial.replace(target)
        with suppress(OSError):  # some systems cannot flush a folder
            _flush(target.parent, os.O_RDONLY)
    return result


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Let only one process at a time work on a folder; others wait. A process that is killed releases the lock."""
    folder.mkdir(parents=True, exist_ok=True)
    with _opened(os.path.realpath(folder), os.O_RDONLY) as descriptor:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield


def read_regular(path: Path, largest: int) -> bytes:
    """The bytes of a file on a disk, or an ``OSError``: a pipe or a device could make us wait for ever."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise OSError(errno.EINVAL, "it is not a file on a disk", str(path))
        if status.st_size > largest:
            raise OSError(errno.EFBIG, "it is too large", str(path))
        with open(descriptor, "rb", closefd=False) as file:
            return file.read(largest)
    finally:
        os.close(descriptor)


def remove_stale(target: Path) -> None:
    """Remove the partial files of a target whose processes are dead; a living process holds the lock of its file."""
    with os.scandir(target.parent) as entries:
        there = [entry.path for entry in entries if _is_partial(entry.name, target.name)]
    for path in there:
        with suppress(OSError), _opened(path, os.O_RDWR) as descriptor:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            os.unlink(path)


def sentence(error: OSError) -> str:
    """A sentence on where something failed, what the system says about it, and what to do."""
    parts = [error.filename or "the output or a temporary file", error.strerror or str(error)]
    remedy = REMEDIES.get(error.errno or 0)
    return ": ".join(map(str, parts)) + (f"; {remedy}" if remedy else "")


def temporary_folder() -> str:
    """The folder for temporary files. A requested one that is full is not replaced by another, as Python would do."""
    import tempfile

    name = next((name for name in ("TMPDIR", "TEMP", "TMP") if os.environ.get(name)), None)
    if name is None:
        return tempfile.gettempdir()
    folder = os.environ[name]
    if not os.path.isdir(folder):
        raise OSError(errno.ENOENT, "there is no such folder; create it, or choose another place", f"{folder} ({name})")
    return folder


def leave_no_core_dump() -> None:
    """Forbid core dumps: if this process is killed, its memory, which may hold notes, is not written to a file."""
    import resource

    with suppress(OSError, ValueError):  # where it is forbidden already
        resource.setrlimit(resource.RLIMIT_CORE, (1, 1))  # at 0, Linux would still hand the memory to a program that keeps it


@contextmanager
def named(path: Path) -> Iterator[None]:
    """Give failures to write the name that the caller knows; the system names no file, or the partial one."""
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
def _partial(target: Path) -> Iterator[tuple[Path, int]]:
    """An empty file next to the target that only its owner may read, and its final mode."""
    before = target.stat() if target.exists() else None
    mode = stat.S_IMODE(before.st_mode) if before else 0o666 & ~_umask()
    partial, descriptor = _created(target)
    try:
        if before:
            with suppress(PermissionError):
                os.fchown(descriptor, before.st_uid, before.st_gid)
        yield partial, mode
    finally:
        partial.unlink(missing_ok=True)
        os.close(descriptor)


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
        with suppress(OSError):  # on file systems without locks nothing is removed as stale
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        if os.fstat(descriptor).st_nlink:
            return partial, descriptor
        os.close(descriptor)  # another process took it for stale before it was locked


@contextmanager
def _opened(path: Path | str, flags: int) -> Iterator[int]:
    descriptor = os.open(path, flags | os.O_NOFOLLOW)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def _flush(path: Path, flags: int) -> None:
    """Wait until a file, or the names in a folder, are on the disk."""
    with _opened(path, flags) as descriptor:
        os.fsync(descriptor)


def escape_formula(cell: object) -> object:
    """A cell for a CSV or TSV file: text that a spreadsheet would run gets an apostrophe in front, other cells stay the same.

    Text counts as a formula if it begins with ``=``, ``+``, ``-``, ``@``, a tab or a line break, and is not a number.

    Examples
    --------
    >>> from sonmf.files import escape_formula
    >>> [escape_formula(cell) for cell in ("=1+1", "-3.5", "+1 555 0100", "Cough")]
    ["'=1+1", '-3.5', "'+1 555 0100", 'Cough']
    """
    return f"'{cell}" if isinstance(cell, str) and FORMULA.match(cell) and not NUMBER.fullmatch(cell) else cell
