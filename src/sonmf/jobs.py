"""Work shared among processes of one thread each. Finished work is on disk, so that a killed run can be continued."""

from __future__ import annotations

import hashlib
import json
import multiprocessing
import os
import signal
import sys
import threading
import warnings
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, TypeVar

from sonmf import files

THREAD_VARIABLES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")

AT_ONCE = (
    "the processes that share the work ended at once: in a script, put the call under `if __name__ == '__main__':`, because "
    "each process runs the script from the top; otherwise there is too little memory for so many processes"
)
KILLED = (
    "a process that shares the work was killed, most likely because memory ran out: use fewer processes; the same call "
    "continues from the finished work, if it names a folder"
)

Task = TypeVar("Task")
Result = TypeVar("Result")

_work: Callable[..., object]
_shared: tuple[object, ...]


def _as_it_is(content: Any) -> Any:
    return content


def run(
    work: Callable[..., object],
    tasks: Mapping[Path, Task],
    jobs: int,
    advance: Callable[[Task], None],
    shared: tuple[object, ...] = (),
    read: Callable[[Any], Result] = _as_it_is,
) -> dict[Path, Result]:
    """``work(task, *shared)`` for each task whose file does not exist yet; its result is written to the file as JSON.

    ``advance`` is called with every task, done now or before. ``shared`` is sent once to each process, not with each task.
    Returns what ``read`` makes of the content of each file. If a file is empty or damaged, or ``read`` refuses its content, the
    task is done again, and a warning says so.
    """
    found = _finished(tasks, read)
    for path in found:
        advance(tasks[path])
    waiting = {path: task for path, task in tasks.items() if path not in found}
    if waiting:
        _share_out(work, waiting, jobs, advance, shared)
    return {path: found[path] if path in found else read(json.loads(path.read_text())) for path in tasks}


def _finished(tasks: Mapping[Path, Task], read: Callable[[Any], Result]) -> dict[Path, Result]:
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
    work: Callable[..., object],
    tasks: Mapping[Path, Task],
    jobs: int,
    advance: Callable[[Task], None],
    shared: tuple[object, ...],
) -> None:
    context = _context(work.__module__)
    line, ours = context.Pipe(duplex=False)
    done = 0
    with one_thread_each(), ours, ProcessPoolExecutor(jobs, context, _begin, (work, shared, line)) as pool:
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


def _context(module: str) -> multiprocessing.context.BaseContext:
    """How processes start: on Linux as copies of one that has imported ``module``, elsewhere each imports it.

    A copy of this process could hang, as its threads are not copied with it.
    """
    if sys.platform != "linux":
        return multiprocessing.get_context("spawn")
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([module])  # of no effect if the server runs already: copies then import what they need
    return context


def claim(folder: Path, study: list[object]) -> None:
    """Refuse to mix the finished work of different data or settings in one folder."""
    text = json.dumps(study, default=lambda value: value.tolist() if hasattr(value, "tolist") else str(value))
    mark = {"study": hashlib.sha256(text.encode()).hexdigest()}
    path = folder / "study.json"
    try:
        other = path.exists() and json.loads(path.read_text()) != mark
    except (ValueError, RecursionError):
        raise ValueError(
            f"{path} is damaged, so it is unknown which data the fits in {folder} belong to: "
            "remove the folder, or name another one"
        ) from None
    if other:
        raise ValueError(f"{folder} holds the fits of other notes or settings: name another folder, or remove it")
    files.replace(path, lambda partial: partial.write_text(json.dumps(mark)))


def _begin(work: Callable[..., object], shared: tuple[object, ...], line: Connection) -> None:
    """Ctrl-C is handled by the parent, which then closes the line."""
    global _work, _shared
    if sys.platform == "linux":
        multiprocessing.set_start_method("fork", force=True)  # numba's lock then leaves nothing behind if this process is ended
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with, args=(line,), daemon=True).start()
    warnings.simplefilter("ignore")
    _work, _shared = work, shared


def _end_with(line: Connection) -> None:
    """End this process when the parent closes the line or is killed: nobody waits for the work any more."""
    line.poll(None)
    os._exit(1)


def _write(path: Path, task: object) -> None:
    result = _work(task, *_shared)
    files.replace(path, lambda partial: partial.write_text(json.dumps(result)))


@contextmanager
def one_thread_each() -> Iterator[None]:
    """Processes started inside use one thread each: there is already one process for each core."""
    before = {name: os.environ.get(name) for name in THREAD_VARIABLES}
    os.environ.update(dict.fromkeys(THREAD_VARIABLES, "1"))
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
