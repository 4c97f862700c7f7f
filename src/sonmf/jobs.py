"""Work shared among processes of one thread each. Finished work is on disk, so that a killed run can be continued."""

from __future__ import annotations

import hashlib
import json
import multiprocessing
import os
import pickle
import queue
import signal
import sys
import threading
import traceback
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from importlib.metadata import version
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any, TypeVar

from sonmf import files
from sonmf.errors import InputError

THREAD_VARIABLES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")
MARK, FITS = "study.json", "fits"

AT_ONCE = (
    "the processes that share the work ended at once: in a script, put the call under `if __name__ == '__main__':`, because "
    "each process runs the script from the top; otherwise there is too little memory for so many processes"
)
KILLED = (
    "a process that shares the work was killed, most likely because memory ran out: use fewer processes; the same call "
    "continues from the finished work, if it names a folder"
)
UNKNOWN = "so it is unknown which data the fits in {} belong to: remove the folder, or name another one"

Task = TypeVar("Task")
Result = TypeVar("Result")


def cores() -> int:
    """The cores that this process may use: its affinity or its container can allow fewer than the machine has."""
    import joblib

    return int(joblib.cpu_count())


def _as_it_is(content: Any) -> Any:
    return content


def run(
    work: Callable[..., object],
    tasks: Mapping[Path, Task],
    processes: int,
    advance: Callable[[Task], None],
    shared: tuple[object, ...] = (),
    read: Callable[[Any], Result] = _as_it_is,
) -> dict[Path, Result]:
    """``work(task, *shared)`` for each task whose file does not exist yet; its result is written to the file as JSON.

    ``advance`` is called with every task, done now or before. ``shared`` is sent once to each process, not with each task.
    Returns what ``read`` makes of the content of each file. If a file is empty or damaged, or ``read`` refuses its content, the
    task is done again, and a warning says so.
    """
    results = _finished(tasks, read)
    for path in results:
        advance(tasks[path])
    waiting = {path: task for path, task in tasks.items() if path not in results}
    if waiting:
        with _processes(min(processes, len(waiting)), work.__module__) as lines:
            _share_out(lines, pickle.dumps((work, shared)), waiting, advance)
    return {path: results[path] if path in results else read(json.loads(path.read_text())) for path in tasks}


def _finished(tasks: Mapping[Path, Task], read: Callable[[Any], Result]) -> dict[Path, Result]:
    results, damaged = {}, []
    for path in filter(Path.exists, tasks):
        try:
            results[path] = read(json.loads(path.read_text()))
        except (ValueError, TypeError, LookupError, AttributeError, RecursionError):
            damaged.append(path)
    if damaged:
        more = f" and {len(damaged) - 1} more" if len(damaged) > 1 else ""
        warnings.warn(f"{damaged[0]}{more}: empty or damaged, so computed again", stacklevel=3)
    return results


def _share_out(lines: list[Any], request: bytes, tasks: Mapping[Path, Task], advance: Callable[[Task], None]) -> None:
    """Send a task along each line, and the next one when its result has arrived and is written."""
    waiting, busy, ending = iter(tasks.items()), dict[Any, tuple[Path, Task]](), AT_ONCE
    with _must_live(ending):
        for line in lines:
            line.send_bytes(request)
    free: Any = lines
    while True:
        for line, item in zip(free, waiting, strict=False):
            with _must_live(ending):
                line.send(item[1])
            busy[line] = item
        if not busy:
            return
        free = wait(busy)
        for line in free:
            path, task = busy.pop(line)
            with _must_live(ending):
                answer = line.recv()
            if isinstance(answer, Exception):
                raise answer
            files.replace(path, partial(Path.write_text, data=answer))
            ending = KILLED
            advance(task)


@contextmanager
def _must_live(sentence: str) -> Iterator[None]:
    """Turn the error of a line that is closed at its other end into one with this sentence."""
    try:
        yield
    except (EOFError, ConnectionError):
        raise ChildProcessError(sentence) from None


@contextmanager
def _processes(count: int, module: str) -> Iterator[list[Connection]]:
    """Lines to so many new processes, which are killed at the end; one whose line is closed, as by a death of this one, ends.

    On Linux they are copies of one process that has imported ``module``, elsewhere each imports it. A copy of this process
    could hang, as its threads are not copied with it.
    """
    with ExitStack() as at_the_end:
        lines = []
        with one_thread_each():
            context = _context(module)
            for _ in range(count):
                line, other_end = context.Pipe()
                lines.append(at_the_end.enter_context(line))
                with other_end:
                    process = context.Process(target=_serve, args=(other_end,), daemon=True)
                    process.start()
                at_the_end.callback(process.join)
                at_the_end.callback(process.kill)
        yield lines


def _context(module: str) -> Any:
    """How processes start. Ctrl-C is blocked in them: it is for the parent, which then closes the lines."""
    if sys.platform != "linux":
        return multiprocessing.get_context("spawn")
    from multiprocessing import forkserver, resource_tracker

    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([module])  # of no effect if the server runs already: copies then import what they need
    resource_tracker.ensure_running()  # first, because it unblocks the signal
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})  # the one server of this process also serves its user
    try:
        forkserver.ensure_running()
    except OSError:  # the name of the temporary folder is too long for a socket in it
        return multiprocessing.get_context("spawn")
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
    return context


def _serve(line: Connection) -> None:
    """Receive work and what it shares, then task after task, and send the result of each as JSON, or the error."""
    if sys.platform == "linux":
        multiprocessing.set_start_method("fork", force=True)  # here no process starts; numba's lock then leaves nothing behind
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    warnings.simplefilter("ignore")
    messages: queue.SimpleQueue[Any] = queue.SimpleQueue()
    threading.Thread(target=_receive, args=(line, messages), daemon=True).start()
    work, shared = messages.get()
    while True:
        task = messages.get()
        try:
            answer: object = json.dumps(work(task, *shared))
        except Exception as error:
            answer = _sendable(error)
            answer.add_note(f"In the process that did the work:\n{traceback.format_exc()}".rstrip())
        line.send(answer)


def _sendable(error: Exception) -> Exception:
    """The error, or another that names it if its class does not survive pickling."""
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:
        return RuntimeError(f"{type(error).__name__}, an error that cannot be sent from one process to another")
    return error


def _receive(line: Connection, messages: queue.SimpleQueue[Any]) -> None:
    """Put what arrives into the queue; if the line closes, nobody waits for the work, and this process ends."""
    with suppress(EOFError, OSError):
        while True:
            messages.put(line.recv())
    os._exit(1)


def claim(folder: Path, study: list[object]) -> Path:
    """The folder of the finished work of this study; work of other data, settings or versions of the package is refused."""
    text = json.dumps(study, default=lambda value: value.tolist() if hasattr(value, "tolist") else str(value))
    mark = {"study": hashlib.sha256(text.encode()).hexdigest(), "sonmf": version("sonmf")}
    path, fits = folder / MARK, folder / FITS
    try:
        before = json.loads(path.read_text()) if path.exists() else None
    except (ValueError, RecursionError):
        raise InputError(f"{path} is damaged, {UNKNOWN.format(folder)}") from None
    if before is None and fits.is_dir() and any(fits.iterdir()):
        raise InputError(f"{path} is missing, {UNKNOWN.format(folder)}")
    if before is not None and before != mark:
        raise InputError(
            f"{folder} holds the fits of other notes or settings, or of another version of sonmf: "
            "name another folder, or remove it"
        )
    files.replace(path, partial(Path.write_text, data=json.dumps(mark)))
    return fits


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
