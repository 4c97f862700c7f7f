"""The command line: arguments in, a report out."""

from __future__ import annotations

import os
import sys
import traceback
import warnings
from pathlib import Path

from sonmf.errors import InputError


def main() -> None:
    """The ``sonmf`` command, or the one line that installs what it needs; whatever goes wrong, no traceback."""
    try:
        import rich  # noqa: F401, TID251
        import typer  # noqa: F401
    except ImportError:
        sys.exit("The command line of sonmf needs its extra 'app': python -m pip install 'sonmf[app]'")
    from sonmf.cli.say import close_output

    _open_closed_output()
    try:
        _run()
    except BrokenPipeError:
        close_output()  # whoever read us has stopped reading
        sys.exit(0)
    except (Exception, KeyboardInterrupt) as error:
        if _is_unforeseen(error) and "SONMF_DEBUG" in os.environ:
            raise
        if _is_unforeseen(error) and isinstance(error, OSError):
            close_output()
        message, code = _sentence_and_code(error)
        _say(message)
        sys.exit(code)


def _run() -> None:
    from sonmf import files
    from sonmf.cli.app import command

    files.leave_no_core_dump()
    try:
        with warnings.catch_warnings():
            warnings.showwarning = _say
            command()
    except SystemExit as stop:
        if not stop.code:
            sys.stdout.flush()  # now, while it can still be said that the disk is full
        raise


def _open_closed_output() -> None:
    """Let a process whose output was closed when it started (``>&-``) print to nowhere: its work is the same."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115, as long as the process


def _is_unforeseen(error: BaseException) -> bool:
    """Whether a developer may want to see where it was raised."""
    return not isinstance(error, KeyboardInterrupt | InputError | MemoryError | ImportError | ChildProcessError)


def _sentence_and_code(error: BaseException) -> tuple[str, int]:
    """What to say, and the exit code."""
    from sonmf import files

    match error:
        case KeyboardInterrupt():
            return "interrupted", 130
        case InputError():
            return str(error), 2
        case MemoryError():
            return "out of memory: take fewer topics, or fewer notes at a time", 1
        case ModuleNotFoundError():
            return f"{error.name} is not installed: python -m pip install 'sonmf[app]'", 1
        case ImportError() | ChildProcessError():
            return str(error), 1
        case OSError():
            return files.sentence(error), 1
    place = traceback.extract_tb(error.__traceback__)[-1]
    where = f"{type(error).__name__} in {Path(place.filename).name}, line {place.lineno}"  # the error's text may quote a note
    return f"a defect, please report it: {where} (SONMF_DEBUG=1 shows more)", 1


def _say(message: Warning | str, *_: object, **__: object) -> None:
    """Print an error, or a warning without its place in the code."""
    from sonmf.cli.say import sentence

    sys.stderr.write(f"{sentence(str(message))}\n")
