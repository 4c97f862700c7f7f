"""Work shared out to processes of one thread each; finished work is on disk, so that a killed run can go on."""

from __future__ import annotations

import hashlib
import json
import multiprocessing
import os
import signal
import threading
import warnings
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from sonmf import files

THREAD_VARIABLES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")

AT_ONCE = (
    "the processes that share the work have ended at once: in a script, put the call under `if __name__ == '__main__':`, since "
    "each process reads the script from the top; elsewhere, too little memory is left for so many processes"
)
KILLED = (
    "a process that shares the work was ended from outside, most likely because memory ran out: use fewer processes; the same "
    "call goes on from what is finished, where it names a folder"
)

_work: Callable[..., Any]
_shared: tuple[Any, ...]


def run(
    work: Callable[..., Any],
    tasks: Mapping[Path, Any],
    jobs: int,
    advance: Callable[[Any], None],
    shared: tuple[Any, ...] = (),
    read: Callable[[Any], Any] = lambda found: found,
) -> dict[Path, Any]:
    """``work(task, *shared)`` for each task whose file is not there yet; what it returns becomes the file, as JSON.

    ``advance`` hears of every task, done now or found done. ``shared`` is sent once to each process, not with each task.
    Returned is what ``read`` makes of the contents of each file; a file from which it makes nothing, or that is empty or
    damaged, is done again, and a warning says so.
    """
    found = _finished(tasks, read)
    for path in found:
        advance(tasks[path])
    waiting = {path: task for path, task in tasks.items() if path not in found}
    if waiting:
        _share_out(work, waiting, jobs, advance, shared)
    return {path: found[path] if path in found else read(json.loads(path.read_text())) for path in tasks}


def _finished(tasks: Mapping[Path, Any], read: Callable[[Any], Any]) -> dict[Path, Any]:
    found, damaged = {}, []
    for path in filter(Path.exists, tasks):
        try:
            found[path] = read(json.loads(path.read_text()))
        except (ValueError, TypeError, LookupError, AttributeError, RecursionError):
            damaged.append(path)
    if damaged:
        more = f" and {len(damaged) - 1} more" if len(damaged) > 1 else ""
        warnings.warn(f"{damaged[0]}{more}: empty or damaged, so computed again", stacklevel=3)
    return found


def _share_out(
    work: Callable[..., Any], tasks: Mapping[Path, Any], jobs: int, advance: Callable[[Any], None], shared: tuple[Any, ...]
) -> None:
    spawn = multiprocessing.get_context("spawn")
    line, ours = spawn.Pipe(duplex=False)
    done = 0
    with one_thread_each(), ours, ProcessPoolExecutor(jobs, spawn, _begin, (work, shared, line)) as pool:
        try:
            futures = {pool.submit(_write, path, task): task for path, task in tasks.items()}
            for future in as_completed(futures):
                future.result()
                advance(futures[future])
                done += 1
        except BrokenProcessPool:
            ours.close()
            raise ChildProcessError(KILLED if done else AT_ONCE) from None
        except BaseException:
            ours.close()
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def claim(folder: Path, study: list[Any]) -> None:
    """Refuse to mix the finished work of different data or settings in one folder."""
    text = json.dumps(study, default=lambda value: value.tolist() if hasattr(value, "tolist") else str(value))
    mark = {"study": hashlib.sha256(text.encode()).hexdigest()}
    path = folder / "study.json"
    try:
        other = path.exists() and json.loads(path.read_text()) != mark
    except (ValueError, RecursionError):
        raise ValueError(
            f"{path} is damaged, and nobody can tell whose fits {folder} holds: remove it, or name another"
        ) from None
    if other:
        raise ValueError(f"{folder} holds the fits of other notes or settings: name another folder, or remove it")
    files.replace(path, lambda partial: partial.write_text(json.dumps(mark)))


def _begin(work: Callable[..., Any], shared: tuple[Any, ...], line: Connection) -> None:
    """A Ctrl-C is for the parent, which then hangs up."""
    global _work, _shared
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with, args=(line,), daemon=True).start()
    warnings.simplefilter("ignore")
    _work, _shared = work, shared


def _end_with(line: Connection) -> None:
    """Nobody waits for work under way when the parent gave up or was killed; nothing is ever sent but the end."""
    line.poll(None)
    os._exit(1)


def _write(path: Path, task: Any) -> None:
    result = _work(task, *_shared)
    files.replace(path, lambda partial: partial.write_text(json.dumps(result)))


@contextmanager
def one_thread_each() -> Iterator[None]:
    """Processes started inside use one thread: as many processes as cores already keep them busy."""
    before: dict[str, Any] = {name: os.environ.get(name) for name in THREAD_VARIABLES}
    os.environ.update(dict.fromkeys(THREAD_VARIABLES, "1"))
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
