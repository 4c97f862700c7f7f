"""What the attacks on the application share: a ward in a file, a model of it, and the ``sonmf`` command."""

from __future__ import annotations

import contextlib
import io
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import pandas as pd
from wards import ward

PATIENTS = 240
SMALL = ("--topics", "3", "--min-notes", "20")  # settings of a fit that takes a second


class Said(NamedTuple):
    """How a command ended."""

    code: int
    out: str
    err: str

    @property
    def fault(self) -> str:
        """What is wrong with an end that is neither a success nor a refusal in one sentence."""
        said = f"{self.out}\n{self.err}"
        if "a defect" in said or "Traceback" in said:
            return f"a defect: {self.err.partition('report it: ')[2][:60] or 'a traceback'}"
        if self.code == 2 and self.err.count("\n") > 3:
            return f"a refusal of {self.err.count(chr(10))} lines"
        return "" if self.code in (0, 2) else f"exit code {self.code}"


def frame(n: int = PATIENTS, seed: int = 0, complaints: tuple[str, ...] = ("Cough", "Fall")) -> Any:
    """Patients with an id, a note, a disposition, a complaint and a sex."""
    notes, dispositions, names = ward(n, seed, complaints)
    ids = [f"{i:05d}" for i in range(n)]
    sexes = ["F", "M"] * (n // 2) + ["F"] * (n % 2)
    return pd.DataFrame({"id": ids, "note": notes, "disposition": dispositions, "complaint": names, "sex": sexes})


def command(*arguments: Any) -> Said:
    """The ``sonmf`` command in this process, as its own terminal would see it."""
    from sonmf.cli import main

    out, err = io.StringIO(), io.StringIO()
    before, sys.argv = sys.argv, ["sonmf", *map(str, arguments)]
    code: Any = 0
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            main()
    except SystemExit as stop:
        code = stop.code or 0
    finally:
        sys.argv = before
    return Said(code if isinstance(code, int) else 1, out.getvalue(), err.getvalue())


def process(*arguments: Any) -> list[str]:
    """The command line of a process that runs the ``sonmf`` command."""
    return [sys.executable, "-m", "sonmf.cli", *map(str, arguments)]


@contextlib.contextmanager
def folder() -> Iterator[Path]:
    """An empty folder."""
    with TemporaryDirectory(prefix="torture-") as place:
        yield Path(place)


@cache
def model_bytes() -> bytes:
    """The file of a small model."""
    from sonmf.triage import TriageModel

    data = frame()
    model = TriageModel(n_topics=3, min_notes=20, own_models="always")
    model.fit(data["note"], data["disposition"], data["complaint"])
    with folder() as place:
        model.save(place / "model.sonmf")
        return (place / "model.sonmf").read_bytes()
