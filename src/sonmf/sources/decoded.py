"""A known data set as a source: the rows of another source under our names and with our words, a chunk at a time."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sonmf.frames import pandas
from sonmf.sources.source import Source


class KnownSource(Source):
    """A data set that ``raw`` may be, as it is published."""

    def __init__(self, raw: Source) -> None:
        self.raw = raw

    def __str__(self) -> str:
        return str(self.raw)

    @property
    def name(self) -> str:
        """As ``Source`` says."""
        return self.raw.name

    @property
    def places(self) -> tuple[Path, ...]:
        """As ``Source`` says."""
        return self.raw.places

    @property
    def remarks(self) -> tuple[str, ...]:
        """As ``Source`` says."""
        return self.raw.remarks

    @property
    def elsewhere(self) -> str:
        """As ``Source`` says."""
        return self.raw.elsewhere

    @classmethod
    @abstractmethod
    def recognises(cls, raw: Source) -> bool:
        """Whether a source may be this data set."""


class DecodedSource(KnownSource):
    """A data set that is decoded row by row."""

    @abstractmethod
    def published(self, columns: list[str]) -> list[str]:
        """The columns of ``raw`` from which these of ours are made."""

    @abstractmethod
    def decoded(self, frame: Any, first: int) -> dict[str, Any]:
        """Ours by name, as far as the published columns of the frame tell; ``first`` rows came before these."""

    def parts(self, rows: int, columns: list[str]) -> Iterator[Any]:
        """As ``Source`` says."""
        first = 0
        for frame in self.raw.chunks(rows, self.published(columns)):
            found = self.decoded(frame.reset_index(drop=True), first)
            first += len(frame)
            yield pandas().DataFrame({name: found[name] for name in columns})
