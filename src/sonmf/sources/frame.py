"""A table that is in memory already, as a source."""

from __future__ import annotations

from collections.abc import Iterator

from sonmf.frames import DataFrame
from sonmf.sources.source import Source


class FrameSource(Source):
    """The rows of a DataFrame; ``title`` is what messages call it."""

    def __init__(self, frame: DataFrame, title: str = "the table") -> None:
        self.frame, self.title = frame, title

    def __str__(self) -> str:
        return self.title

    def names(self) -> list[str]:
        return [str(name) for name in self.frame.columns]

    def parts(self, rows: int, columns: list[str]) -> Iterator[DataFrame]:
        for start in range(0, len(self.frame), rows):
            yield self.frame[columns].iloc[start : start + rows].reset_index(drop=True)
