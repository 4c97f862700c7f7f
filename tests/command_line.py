"""The ``sonmf`` command in this process, for fixtures that several tests share, and a reader of its output who leaves."""

import contextlib
import io
import os
import sys
from unittest import mock

import pytest

from sonmf.cli import main


def run_sonmf(*arguments, folder="."):
    """Run the command in a folder; what it printed. A command that fails is an error."""
    out, err = io.StringIO(), io.StringIO()
    line = mock.patch.object(sys, "argv", ["sonmf", *map(str, arguments)])
    printed = contextlib.redirect_stdout(out), contextlib.redirect_stderr(err)
    with contextlib.chdir(folder), line, printed[0], printed[1], pytest.raises(SystemExit) as stop:
        main()
    assert not stop.value.code, err.getvalue()
    return out.getvalue()


@contextlib.contextmanager
def nobody_reads():
    """What is printed goes into a pipe that nobody reads, as after ``| head``."""
    read, write = os.pipe()
    os.close(read)
    with os.fdopen(write, "w", buffering=1) as pipe, contextlib.redirect_stdout(pipe):
        yield  # then the pipe is closed without an error, as Python does at exit
