"""Workbooks of Excel and LibreOffice: one sheet, text and numbers as they are, dates as ISO text, an empty cell as None."""

from __future__ import annotations

import datetime
import json
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from io import BufferedIOBase
from typing import TYPE_CHECKING

from sonmf.frames import DataFrame, pandas
from sonmf.sources import limits
from sonmf.sources.errors import TableError, did_you_mean, refuse_names
from sonmf.sources.unpacking import PackedSource, TableFacts

if TYPE_CHECKING:
    from python_calamine import CalamineSheet, CalamineWorkbook

DAMAGED = "{} is damaged, or not a workbook as its name says: open it and save it again as .xlsx or CSV"
PANIC = "PanicException"  # calamine panics on some damaged files; the class of its exception cannot be imported
EXACT = 2**53  # whole numbers up to this are exact as floats


class Workbook(PackedSource):
    """The first sheet that is not hidden, unless another is given; each piece is JSON, one row a line."""

    endings = (".xlsx", ".xlsm", ".xlsb", ".xls", ".ods")
    takes = ("sheet",)
    decoder = ("python_calamine", "python-calamine")
    largest = limits.LARGEST_UNPACKED
    remedy = "save the sheet as CSV"

    def inspect(self) -> TableFacts:
        with self._opened() as book:
            names, sheet = _visible(book), self._sheet(book)
            if len(names) < 2 or self.reading.sheet:
                remarks, hint = [], ""
            else:
                remarks = [f"read from the sheet {sheet.name!r}, the first of {len(names)} (overruled by --sheet)"]
                hint = f"the table was read from the sheet {sheet.name!r}, and --sheet chooses another: {', '.join(names[1:])}"
            return TableFacts(self._header(next(_filled(sheet), [])), sheet.total_height, remarks, hint)

    def pieces(self, rows: int, columns: list[str]) -> Iterator[bytes]:
        piece: list[bytes] = []
        size = 0
        with self._opened() as book:
            records = _filled(self._sheet(book))
            place = {name: k for k, name in enumerate(self._header(next(records, [])))}
            for record in records:
                row = json.dumps([_plain(record[place[name]]) for name in columns], ensure_ascii=False).encode()
                if len(row) > limits.LONGEST_ROW:
                    raise TableError(f"{self} has a row of more than {limits.LONGEST_ROW:,} bytes: shorten its longest cell")
                piece.append(row)
                size += len(row)
                if len(piece) == rows or size > limits.LARGEST_PART:
                    yield b"\n".join(piece)
                    piece, size = [], 0
        if piece:
            yield b"\n".join(piece)

    def frame(self, piece: bytes, columns: list[str]) -> DataFrame:
        return pandas().DataFrame([json.loads(row) for row in piece.split(b"\n")], columns=columns, dtype=object)

    def _header(self, first: list[object]) -> list[str]:
        header = [str(_plain(name) or f"column {number}").strip() for number, name in enumerate(first, start=1)]
        if not header:
            raise TableError(f"{self} has an empty sheet: give one with a header and rows, another with --sheet")
        refuse_names(header, self)
        return header

    def _sheet(self, book: CalamineWorkbook) -> CalamineSheet:
        names = _visible(book)
        if not names:
            raise TableError(f"{self} has no visible sheet: unhide the one with the patients, and save the file again")
        wanted = self.reading.sheet or names[0]
        if wanted not in book.sheet_names:
            raise TableError(f"{self} has no sheet {wanted!r}{did_you_mean(wanted, names)}: its sheets are {', '.join(names)}")
        return book.get_sheet_by_name(wanted)

    @contextmanager
    def _opened(self) -> Iterator[CalamineWorkbook]:
        from python_calamine import CalamineError, CalamineWorkbook, PasswordError

        with self.file.open("rb") as stream:
            try:
                self.refuse_size(_declared_size(stream))
                with CalamineWorkbook.from_object(stream) as book:
                    yield book
            except PasswordError:
                raise TableError(f"{self} is locked by a password: save it without one, or save the sheet as CSV") from None
            except (CalamineError, zipfile.BadZipFile, NotImplementedError):
                raise TableError(DAMAGED.format(self)) from None
            except BaseException as error:
                if type(error).__name__ == PANIC:
                    raise TableError(DAMAGED.format(self)) from None
                raise


def _declared_size(stream: BufferedIOBase) -> int:
    """Bytes of the decompressed file as it declares them, 0 if it is not compressed; the stream is left at its start."""
    size = 0
    if zipfile.is_zipfile(stream):
        with zipfile.ZipFile(stream) as parts:
            size = sum(part.file_size for part in parts.infolist())
    stream.seek(0)
    return size


def _filled(sheet: CalamineSheet) -> Iterator[list[object]]:
    """The rows that are not empty."""
    return (row for row in sheet.iter_rows() if any(cell != "" for cell in row))


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
