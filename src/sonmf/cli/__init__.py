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
    from sonmf import files
    from sonmf.cli.app import app

    try:
        try:
            with warnings.catch_warnings():
                warnings.showwarning = _say_warning
                app()
        except SystemExit as stop:
            if not stop.code:
                sys.stdout.flush()  # now, where a full disk can still be said
            raise
    except KeyboardInterrupt:
        _stop("interrupted", 130)
    except BrokenPipeError:
        _close_output()  # whoever read us has stopped reading
        sys.exit(0)
    except ValueError as error:
        _stop(str(error), 2)
    except MemoryError:
        _stop("out of memory: fewer topics or fewer notes at a time need less", 1)
    except (ImportError, ChildProcessError) as error:
        _stop(str(error), 1)
    except OSError as error:
        if "SONMF_DEBUG" in os.environ:
            raise
        _close_output()
        _stop(files.sentence(error), 1)
    except Exception as error:
        if "SONMF_DEBUG" in os.environ:
            raise
        _stop(f"a defect, please report it: {_what(error)} (SONMF_DEBUG=1 shows more)", 1)


def _what(error: Exception) -> str:
    """Kind and place of an error; its text may be a piece of a note."""
    place = traceback.extract_tb(error.__traceback__)[-1]
    return f"{type(error).__name__} in {Path(place.filename).name}, line {place.lineno}"


def _close_output() -> None:
    """What is left to print goes nowhere: Python would try again at the end, and complain."""
    with suppress(OSError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _say_warning(message: Warning | str, *_: object, **__: object) -> None:
    """As a line for people, without the place in the code."""
    from sonmf.cli.say import sentence

    sys.stderr.write(f"{sentence(str(message))}\n")


def _stop(message: str, code: int) -> None:
    from sonmf.cli.say import sentence

    sys.stderr.write(f"{sentence(message)}\n")
    sys.exit(code)
