"""Workbooks: what is in a sheet, whichever sheet, and what cannot be read."""

from __future__ import annotations

import datetime
import io
import zipfile
from contextlib import suppress

import numpy as np
import old_workbooks
import openpyxl
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sonmf.sources import Reading, TableError, open_file, open_table
from sonmf.sources.workbook import Workbook

CELLS = st.one_of(
    st.none(),
    st.integers(-(2**40), 2**40),
    st.integers(-(10**6), 10**6).map(lambda n: n + 0.5),
    st.booleans(),
    st.text(alphabet="ab0,;\u00e4\u20ac-", min_size=1, max_size=6),
    st.datetimes(datetime.datetime(1950, 1, 1), datetime.datetime(2100, 1, 1)).map(lambda when: when.replace(microsecond=0)),
)


class Sent:
    """Bytes in memory."""

    name = "a.xlsx"

    def __init__(self, book):
        stream = io.BytesIO()
        book.save(stream)
        self.data = stream.getvalue()

    def __str__(self):
        return self.name

    def open(self, mode):
        return io.BytesIO(self.data)


def book_of(rows, title="Jan", *others):
    book = openpyxl.Workbook()
    book.active.title = title
    for row in rows:
        book.active.append(row)
    for name in others:
        book.create_sheet(name).append([f"only in {name}"])
    return book


@given(st.lists(st.tuples(CELLS, CELLS).filter(lambda row: row != (None, None)), min_size=1, max_size=5))
def test_cells_keep_their_values_and_dates_are_iso_text(rows):
    found = open_file(Sent(book_of([["id", "value"], *rows]))).read()
    for got, wanted in zip(found.to_numpy().tolist(), rows, strict=True):
        for mine, cell in zip(got, wanted, strict=True):
            if isinstance(cell, datetime.datetime):
                assert datetime.datetime.fromisoformat(mine) == cell
            else:
                assert (mine, type(mine)) == (cell, type(cell))


def test_dates_of_either_kind_and_numbers_that_are_text(tmp_path):
    book = book_of([["day", "temp", "id"], [datetime.date(2024, 3, 1), "37,5", "007"], ["01.03.2024", 37.5, 7]])
    book.save(tmp_path / "a.xlsx")
    assert open_table(tmp_path / "a.xlsx").read().to_numpy().tolist() == [
        ["2024-03-01", "37,5", "007"],
        ["01.03.2024", 37.5, 7],
    ]


def test_empty_rows_are_passed_over_and_the_table_may_begin_anywhere():
    book = openpyxl.Workbook()
    for place, value in {"B3": "id", "C3": "note", "B5": 7, "C5": "cough", "B9": 8, "C9": "fall"}.items():
        book.active[place] = value
    found = open_file(Sent(book)).read(["id", "note"])
    assert found.to_dict("list") == {"id": [7, 8], "note": ["cough", "fall"]}


def test_the_first_sheet_that_is_shown_is_read_and_said_and_another_on_request():
    book = book_of([["id"], [7]], "Jan", "Feb", "M\u00e4rz")
    first = open_file(Sent(book))
    assert first.columns == ["id"]
    assert first.remarks == ("read from the sheet 'Jan', the first of 3 (overruled by --sheet)",)
    other = open_file(Sent(book), Reading(sheet="Feb"))
    assert (other.columns, other.remarks) == (["only in Feb"], ())
    with pytest.raises(
        TableError, match=r"a\.xlsx has no sheet 'Marz' \(did you mean 'M\u00e4rz'\?\): its sheets are Jan, Feb, M\u00e4rz"
    ):
        open_file(Sent(book), Reading(sheet="Marz")).read()
    book["Jan"].sheet_state = "hidden"
    assert open_file(Sent(book)).columns == ["only in Feb"]


def test_a_bad_workbook_is_refused_in_a_sentence(tmp_path, monkeypatch):
    path = tmp_path / "a.xlsx"
    whole = Sent(book_of([["id"], [7]])).data
    with zipfile.ZipFile(path, "w") as other:
        other.writestr("readme.txt", "no workbook")
    for data in (b"", b"id;note\n7;a\n", whole[:-40], path.read_bytes()):
        path.write_bytes(data)
        with pytest.raises(TableError, match=r"a\.xlsx is damaged, or not a workbook as its name says: open it and save"):
            open_table(path).read()
    for rows, said in (
        ([], "has an empty sheet"),
        ([["id", "note"]], "header and no rows"),
        ([["id", "id"], [1, 2]], "several columns"),
    ):
        with pytest.raises(TableError, match=said):
            open_file(Sent(book_of(rows))).read()
    path.write_bytes(whole)
    with pytest.raises(TableError, match=r"a\.xlsx unpacks to more than 1,000 bytes: save the sheet as CSV"):
        open_file(path, limit=1000).read()
    monkeypatch.setitem(__import__("sys").modules, "python_calamine", None)
    with pytest.raises(TableError, match="pip install python-calamine"):
        Workbook(path).require_decoder()


def test_a_damaged_workbook_is_read_or_refused_and_nothing_else(tmp_path):
    """Bytes changed in the file, and in its parts before they were packed."""
    whole = Sent(book_of([["id", "note"], [7, "cough"]]))
    random = np.random.default_rng(0)
    parts = zipfile.ZipFile(io.BytesIO(whole.data))
    for _ in range(60):
        sent = Sent(book_of([["id"]]))
        sent.data = damaged(whole.data, random)
        other, target = Sent(book_of([["id"]])), io.BytesIO()
        chosen = random.choice(parts.namelist())
        with zipfile.ZipFile(target, "w") as packed:
            for name in parts.namelist():
                packed.writestr(name, damaged(parts.read(name), random) if name == chosen else parts.read(name))
        other.data = target.getvalue()
        for one in (sent, other):
            with suppress(TableError):
                open_file(one).read()


def damaged(data, random):
    found = bytearray(data)
    for place in random.integers(0, len(found), 4):
        found[place] = random.integers(0, 256)
    return bytes(found)


def test_chunks_are_cut_at_any_length():
    source = open_file(Sent(book_of([["n"], *([k] for k in range(10))])))
    assert isinstance(source, Workbook)
    for rows in (1, 3, 10, 11):
        parts = list(source.chunks(rows))
        assert pd.concat(parts)["n"].tolist() == list(range(10))
        assert max(map(len, parts)) <= rows


def test_a_missing_column_may_be_in_another_sheet():
    sent = Sent(book_of([["about"], ["export of the ward"]], "Info", "Jan"))
    with pytest.raises(TableError) as refused:
        open_file(sent).require("note")
    assert "read from the sheet 'Info', and --sheet chooses another: Jan" in str(refused.value)
    assert "--sep" not in str(refused.value)


@pytest.mark.parametrize("ending", old_workbooks.BY_ENDING)
def test_other_kinds_of_workbooks_are_read_as_xlsx_is(tmp_path, ending):
    rows = [["id", "note", "temp"], ["007", "\u00dcbelkeit, <Fieber>", 38.5], [8, None, 37], ["\u20ac", "x", None]]
    if ending != ".xlsb":
        rows[3][2] = datetime.datetime(2024, 3, 31, 14, 5)
    (tmp_path / f"a{ending}").write_bytes(old_workbooks.BY_ENDING[ending](rows, "Jan"))
    book_of(rows).save(tmp_path / "a.xlsx")
    found, wanted = (open_table(tmp_path / f"a{one}").read() for one in (ending, ".xlsx"))
    assert found.to_numpy().tolist() == wanted.to_numpy().tolist()
    assert list(found) == list(wanted)
    with pytest.raises(TableError, match="has no sheet 'Feb': its sheets are Jan"):
        open_table(tmp_path / f"a{ending}", Reading(sheet="Feb")).read()


@pytest.mark.parametrize("ending", old_workbooks.BY_ENDING)
def test_other_kinds_of_workbooks_that_are_cut_off_are_refused(tmp_path, ending):
    whole = old_workbooks.BY_ENDING[ending]([["id", "note"], *([k, "cough"] for k in range(300))], "Jan")
    for size in (0, 10, len(whole) // 2, len(whole) - 40):
        (tmp_path / f"a{ending}").write_bytes(whole[:size])
        with pytest.raises(TableError, match="damaged, or not a workbook"):
            open_table(tmp_path / f"a{ending}").read()
