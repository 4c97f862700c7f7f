"""The command line: arguments in, a report out."""

from __future__ import annotations

import os
import sys
import traceback
import warnings
from contextlib import suppress
from pathlib import Path


def main() -> None:
    """The ``sonmf`` command, or the one line that installs what it needs; whatever goes wrong, no traceback."""
    try:
        import rich  # noqa: F401, TID251
        import typer  # noqa: F401
    except ImportError:
        sys.exit("The command line of sonmf needs its extra 'app': python -m pip install 'sonmf[app]'")
    try:
        _run()
    except BrokenPipeError:
        _close_output()  # whoever read us has stopped reading
        sys.exit(0)
    except (Exception, KeyboardInterrupt) as error:
        if _is_unforeseen(error) and "SONMF_DEBUG" in os.environ:
            raise
        if _is_unforeseen(error) and isinstance(error, OSError):
            _close_output()
        message, code = _sentence_and_code(error)
        _say(message)
        sys.exit(code)


def _run() -> None:
    from sonmf.cli.app import command

    try:
        with warnings.catch_warnings():
            warnings.showwarning = _say
            command()
    except SystemExit as stop:
        if not stop.code:
            sys.stdout.flush()  # now, while it can still be said that the disk is full
        raise


def _is_unforeseen(error: BaseException) -> bool:
    """Whether a developer may want to see where it was raised."""
    return not isinstance(error, KeyboardInterrupt | ValueError | MemoryError | ImportError | ChildProcessError)


def _sentence_and_code(error: BaseException) -> tuple[str, int]:
    """What to say, and the exit code."""
    from sonmf import files

    match error:
        case KeyboardInterrupt():
            return "interrupted", 130
        case ValueError():
            return str(error), 2
        case MemoryError():
            return "out of memory: fewer topics or fewer notes at a time need less", 1
        case ImportError() | ChildProcessError():
            return str(error), 1
        case OSError():
            return files.sentence(error), 1
    place = traceback.extract_tb(error.__traceback__)[-1]
    where = f"{type(error).__name__} in {Path(place.filename).name}, line {place.lineno}"  # the error's text may quote a note
    return f"a defect, please report it: {where} (SONMF_DEBUG=1 shows more)", 1


def _close_output() -> None:
    """Send the rest of the output nowhere: Python would try again to print it at exit, and fail."""
    with suppress(OSError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _say(message: Warning | str, *_: object, **__: object) -> None:
    """Print an error, or a warning without its place in the code."""
    from sonmf.cli.say import sentence

    sys.stderr.write(f"{sentence(str(message))}\n")
