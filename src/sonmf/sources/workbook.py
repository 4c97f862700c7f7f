"""Workbooks of Excel and LibreOffice: one sheet, text and numbers as they are, dates as ISO text, an empty cell as None."""

from __future__ import annotations

import datetime
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from io import BufferedIOBase
from itertools import islice
from typing import TYPE_CHECKING

from sonmf.frames import DataFrame, pandas
from sonmf.sources import limits
from sonmf.sources.column_names import refuse_names
from sonmf.sources.errors import TableError, did_you_mean
from sonmf.sources.source import FileSource

if TYPE_CHECKING:
    from python_calamine import CalamineWorkbook

DAMAGED = "{} is damaged, or not a workbook as its name says: open it and save it again as .xlsx or CSV"
PANIC = "PanicException"  # calamine panics on some damaged files; the class of its exception cannot be imported
EXACT = 2**53  # whole numbers up to this are exact as floats


class Workbook(FileSource):
    """The first sheet that is not hidden, unless another is given. The sheet is held in memory, so its size is limited."""

    endings = (".xlsx", ".xlsm", ".xlsb", ".xls", ".ods")
    takes = ("sheet",)

    def names(self) -> list[str]:
        with self._table() as (header, _):
            return header

    def parts(self, rows: int, columns: list[str]) -> Iterator[DataFrame]:
        with self._table() as (header, records):
            place = {name: k for k, name in enumerate(header)}
            places = [place[name] for name in columns]
            cells = ([_plain(record[k]) for k in places] for record in records)
            while part := list(islice(cells, rows)):
                yield pandas().DataFrame(part, columns=columns, dtype=object)

    @property
    def remarks(self) -> tuple[str, ...]:
        names = self._unasked()
        return (f"read from the sheet {names[0]!r}, the first of {len(names)} (overruled by --sheet)",) if names else ()

    @property
    def missing_column_hint(self) -> str:
        names = self._unasked()
        return (
            f"the table was read from the sheet {names[0]!r}, and --sheet chooses another: {', '.join(names[1:])}"
            if names
            else ""
        )

    def _unasked(self) -> list[str]:
        """The sheets if there are several and none was asked for; the first of them is read."""
        with self._opened() as book:
            names = _visible(book)
        return [] if len(names) < 2 or self.reading.sheet else names

    def declared(self, columns: list[str]) -> tuple[int, int]:
        """Rows of the sheet with empty ones, and bytes of the decompressed file with all columns, as the file declares them."""
        with self.file.open("rb") as stream:
            unpacked = self._unpacked(stream)
        with self._opened() as book:
            return book.get_sheet_by_name(self._sheet(book)).total_height, unpacked

    @contextmanager
    def _table(self) -> Iterator[tuple[list[str], Iterator[list[object]]]]:
        """The names of the columns, and the rows that are not empty."""
        with self._opened() as book:
            rows = (row for row in book.get_sheet_by_name(self._sheet(book)).iter_rows() if any(cell != "" for cell in row))
            yield self._header(next(rows, [])), rows

    def _header(self, first: list[object]) -> list[str]:
        header = [str(_plain(name) or f"column {number}").strip() for number, name in enumerate(first, start=1)]
        if not header:
            raise TableError(f"{self} has an empty sheet: give one with a header and rows, another with --sheet")
        refuse_names(header, self)
        return header

    def _sheet(self, book: CalamineWorkbook) -> str:
        names = _visible(book)
        if not names:
            raise TableError(f"{self} has no visible sheet: unhide the one with the patients, and save the file again")
        wanted = self.reading.sheet or names[0]
        if wanted not in book.sheet_names:
            raise TableError(f"{self} has no sheet {wanted!r}{did_you_mean(wanted, names)}: its sheets are {', '.join(names)}")
        return str(wanted)

    @contextmanager
    def _opened(self) -> Iterator[CalamineWorkbook]:
        try:
            from python_calamine import CalamineError, CalamineWorkbook, PasswordError
        except ImportError:
            raise TableError(
                f"{self} needs python-calamine to be read: python -m pip install python-calamine, or save the sheet as CSV"
            ) from None
        with self.file.open("rb") as stream:
            if (size := self._unpacked(stream)) > limits.LARGEST_WORKBOOK:  # it would take too much memory
                most = f"{limits.LARGEST_WORKBOOK / 1e6:,.0f} MB"
                raise TableError(f"{self} unpacks to {size / 1e6:,.0f} MB, and {most} are read at most: save the sheet as CSV")
            try:
                with CalamineWorkbook.from_object(stream) as book:
                    yield book
            except PasswordError:
                raise TableError(f"{self} is locked by a password: save it without one, or save the sheet as CSV") from None
            except CalamineError:
                raise TableError(DAMAGED.format(self)) from None
            except BaseException as error:
                if type(error).__name__ == PANIC:
                    raise TableError(DAMAGED.format(self)) from None
                raise

    def _unpacked(self, stream: BufferedIOBase) -> int:
        """Bytes of the decompressed file, as the file declares them; the stream is left at its start."""
        size = 0
        try:
            if zipfile.is_zipfile(stream):
                with zipfile.ZipFile(stream) as parts:
                    size = sum(part.file_size for part in parts.infolist())
        except (zipfile.BadZipFile, NotImplementedError):
            raise TableError(DAMAGED.format(self)) from None
        stream.seek(0)
        return size


def _visible(book: CalamineWorkbook) -> list[str]:
    from python_calamine import SheetTypeEnum, SheetVisibleEnum

    shown = (sheet for sheet in book.sheets_metadata if sheet.visible == SheetVisibleEnum.Visible)
    return [sheet.name for sheet in shown if sheet.typ == SheetTypeEnum.WorkSheet]


def _plain(cell: object) -> object:
    """A cell with whole numbers as int (a workbook stores floats), dates and times as text, and None if it is empty."""
    if isinstance(cell, float):
        return int(cell) if cell.is_integer() and abs(cell) < EXACT else cell
    if isinstance(cell, datetime.datetime):
        return cell.isoformat(" ", "seconds")
    if isinstance(cell, datetime.date | datetime.time | datetime.timedelta):
        return str(cell)
    return None if cell == "" else cell
