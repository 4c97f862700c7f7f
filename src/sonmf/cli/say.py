"""Messages of the command line: refusals in one sentence, and no control characters."""

from __future__ import annotations

import os
import shutil
import signal
import sys
import textwrap
import unicodedata
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from typing import Any, NoReturn

import typer

REFUSED, INTERRUPTED, TERMINATED = 2, 130, 143
JOINERS = "\u200c\u200d"  # without them Persian, Hindi and some emoji are misspelt


def make_visible(text: object) -> str:
    r"""Text as it may be printed: escapes, control characters, overrides of direction and the like as ``\x1b`` and its kin.

    Everything that comes from data, a file name or the command line passes through here before it is printed.
    """
    text = str(text)
    return text if text.isprintable() else "".join(map(_visible, text))


def _visible(character: str) -> str:
    if character.isprintable() or character in JOINERS:
        return character
    return " " if unicodedata.category(character) == "Zs" else character.encode("unicode_escape").decode()


def sentence(message: str) -> str:
    """A message for the error stream: one line, or wrapped between words on a terminal."""
    text = f"sonmf: {make_visible(message)}"
    if not sys.stderr.isatty():
        return text
    width = shutil.get_terminal_size().columns
    return textwrap.fill(text, width, break_long_words=False, break_on_hyphens=False)


def stop(message: str, code: int = REFUSED) -> NoReturn:
    """End with one sentence on the error stream."""
    typer.echo(sentence(message), err=True)
    raise typer.Exit(code)


@contextmanager
def resumable(message: str) -> Iterator[None]:
    """Work that Ctrl-C or SIGTERM ends cleanly; the message says how to go on."""
    before = signal.signal(signal.SIGTERM, _terminate)
    try:
        yield
    except Terminated:
        stop(f"ended by SIGTERM; {message}", TERMINATED)
    except KeyboardInterrupt:
        stop(f"interrupted; {message}", INTERRUPTED)
    finally:
        signal.signal(signal.SIGTERM, before)


class Terminated(KeyboardInterrupt):
    """SIGTERM, as an interrupt that files and processes are cleaned up after."""


def _terminate(*_: object) -> NoReturn:
    raise Terminated


def refuse(condition: object, message: str) -> None:
    """Stop with one sentence and exit code 2."""
    if condition:
        stop(message)


def close_output() -> None:
    """Send the rest of the output nowhere: Python would try again to print it at exit, and fail."""
    with suppress(OSError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def refuse_options(ctx: typer.Context, names: Collection[str], message: str) -> None:
    """Stop if any of these parameters stands on the line, with their options before the message."""
    sources = {
        parameter: getattr(ctx.get_parameter_source(parameter.name), "name", "")
        for parameter in ctx.command.params
        if parameter.name in names
    }
    on_the_line = [parameter for parameter, source in sources.items() if source == "COMMANDLINE"]
    refuse(on_the_line, f"{', '.join(map(spelt, on_the_line))}: {message}")


def spelt(option: Any) -> str:
    """An option as people write it out."""
    return str(max(option.opts, key=len))
