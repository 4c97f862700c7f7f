"""Published data sets as sources: the rows of another source with our column names and values, one chunk at a time."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from pathlib import Path
from typing import TypeAlias

from sonmf.frames import DataFrame, Series, pandas
from sonmf.sources.errors import TableError, cell_in_words
from sonmf.sources.source import Source

Columns: TypeAlias = "dict[str, Series | list[str]]"


class KnownSource(Source):
    """A published data set; ``raw`` is the source that holds it as published."""

    def __init__(self, raw: Source) -> None:
        self.raw = raw

    def __str__(self) -> str:
        return str(self.raw)

    @property
    def name(self) -> str:
        return self.raw.name

    @property
    def places(self) -> tuple[Path, ...]:
        return self.raw.places

    @property
    def remarks(self) -> tuple[str, ...]:
        return self.raw.remarks

    @property
    def missing_column_hint(self) -> str:
        return self.raw.missing_column_hint

    @classmethod
    @abstractmethod
    def recognises(cls, raw: Source) -> bool:
        """Whether a source looks like this data set."""


class DecodedSource(KnownSource):
    """A data set in which each row is decoded on its own."""

    @abstractmethod
    def published_columns(self, columns: list[str]) -> list[str]:
        """The columns of ``raw`` that are needed to make these columns of ours."""

    @abstractmethod
    def decode(self, frame: DataFrame, first: int) -> Columns:
        """Our columns by name, those that the frame has the data for; ``first`` is the number of rows before these."""

    def refuse_cells(self, column: Series, strange: Series, why: str, first: int) -> None:
        """Refuse the first strange cell of a published column, if there is one; ``why`` ends the sentence."""
        if strange.any():
            row = int(strange.to_numpy().argmax())
            where = f"row {first + row + 1}, column {column.name!r}"
            raise TableError(f"{self} {where}: {cell_in_words(column.iloc[row])} is {why}")

    def parts(self, rows: int, columns: list[str]) -> Iterator[DataFrame]:
        first = 0
        for frame in self.raw.chunks(rows, self.published_columns(columns)):
            found = self.decode(frame.reset_index(drop=True), first)
            first += len(frame)
            yield pandas().DataFrame({name: found[name] for name in columns})
