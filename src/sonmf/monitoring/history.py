"""What was found in each period, one line of JSON each in a file that only grows; it names no patient and holds no note.

When the same patients are read again, the same line is not written twice. When more patients or outcomes are known, a new line
takes the place of the old one. The old line stays: the file is an audit trail of what was known when. A run that has seen fewer
patients of a period than the history has adds nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from msgspec import Struct, structs

from sonmf import files
from sonmf.errors import InputError
from sonmf.monitoring.drift import Drift
from sonmf.monitoring.figures import Figure
from sonmf.triage.strict_json import NaturalNumber, as_json, decode, encode

NAME = "history.jsonl"
FEWEST = 20  # patients of a period that is written down: fewer could be re-identified

Key = tuple[str, str, str, str]


class Period(Struct, frozen=True):
    """What a model forecast for the patients of one complaint in one period, and what happened.

    Examples
    --------
    >>> from sonmf.monitoring import Period
    >>> january = Period(
    ...     "0a1b", "month", "2024-01", "Cough", 512, 498, 101, 97.4, figures=[], drift=[]
    ... )
    >>> january.figure("auroc") is None
    True
    """

    model: str
    """SHA-256 of the model file."""
    every: str
    period: str
    complaint: str
    """The name of the complaint; empty for all patients."""
    patients: NaturalNumber
    judged: NaturalNumber
    """Number of patients whose outcome is known; 0 where they are fewer than FEWEST."""
    admitted: NaturalNumber
    expected: float
    """Sum of the forecasts of the patients whose outcome is known."""
    figures: list[Figure]
    drift: list[Drift]

    @property
    def key(self) -> Key:
        """Model, calendar, period and complaint: what the line is about."""
        return self.model, self.every, self.period, self.complaint

    def figure(self, name: str) -> Figure | None:
        """The figure of this name, if it could be computed."""
        return next((figure for figure in self.figures if figure.name == name), None)

    def as_fresh_as(self, other: Period) -> bool:
        """Whether this line has seen at least as many patients and outcomes as another."""
        return self.patients >= other.patients and self.judged >= other.judged


@contextmanager
def extended(folder: Path, new: Sequence[Period], written: str) -> Iterator[tuple[list[Period], list[Period]]]:
    """The history in a folder with new periods; ``written`` is when, for a reader of the file.

    Gives the latest line of each period, in order of time, and the periods of which the history has seen more than this
    run: these stay as they are.

    The new lines are added after the block, if that ends without an error: what it writes about them is on disk first.
    """
    path = folder / NAME
    new = [decode(Period, encode(_round(as_json(period)))) for period in new]
    with files.locked(folder):
        try:
            text = path.read_text("utf-8") if path.exists() else ""
        except UnicodeDecodeError:
            raise InputError(f"{path} is damaged (not UTF-8): take it from a backup, or name another --out") from None
        latest = {period.key: period for period in _parse(text, path)}
        known = [(period, latest.get(period.key)) for period in new]
        fresh = [period for period, old in known if old is None or (period != old and period.as_fresh_as(old))]
        fuller = [old for period, old in known if old is not None and not period.as_fresh_as(old)]
        latest |= {period.key: period for period in fresh}
        yield sorted(latest.values(), key=lambda line: (line.period, line.complaint)), fuller
        if fresh:
            begin = "\n" if text and not text.endswith("\n") else ""  # an editor may have left the last line open
            lines = "".join(f"{encode(structs.asdict(period) | {'written': written}).decode()}\n" for period in fresh)
            files.replace(path, lambda partial: partial.write_text(text + begin + lines, "utf-8"))


def of_model(periods: Sequence[Period], model: str, every: str) -> list[Period]:
    """The periods of one model file, by month or by week."""
    return [period for period in periods if (period.model, period.every) == (model, every)]


def _round(value: object) -> Any:
    """Round every number to six digits, so that another machine finds the same."""
    if isinstance(value, dict):
        return {name: _round(item) for name, item in value.items()}
    if isinstance(value, list):
        return [_round(item) for item in value]
    return float(f"{value:.6g}") if isinstance(value, float) else value


def _parse(text: str, path: Path) -> Iterator[Period]:
    for number, line in enumerate(text.removesuffix("\n").split("\n") if text else (), 1):
        try:
            yield decode(Period, line)
        except ValueError as error:
            raise InputError(
                f"{path} line {number} cannot be read ({error}): remove that line, or name another --out"
            ) from None
