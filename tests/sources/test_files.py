from __future__ import annotations

import gzip
import os
import re
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tables import WORKBOOKS, WRITTEN, plain, write, written

from sonmf.sources import Reading, TableError, open_table, require
from sonmf.sources.parquet import Parquet

CELLS = st.text(alphabet="ab0 ,;\t\"'\n\u00e9\u4e2d-.", max_size=6)
MANY = b"id,note\n" + b"007,cough\n" * 1000


@given(
    rows=st.lists(st.tuples(CELLS, CELLS), min_size=1, max_size=8),
    ending=st.sampled_from([ending for ending in WRITTEN if ending not in WORKBOOKS]),
)
def test_what_pandas_writes_is_read_as_text_and_empty_as_missing(rows, ending):
    frame = pd.DataFrame(rows, columns=["id", "my note"])
    with TemporaryDirectory() as folder:
        path = write(frame, Path(folder, "notes" + ending))
        read = open_table(path).read()
        parts = list(open_table(path).chunks(rows=3))
        one = open_table(path).read(["my note"])
    expected = [[cell or None for cell in row] for row in rows] if ending != ".parquet" else [list(row) for row in rows]
    assert plain(read) == expected
    assert plain(pd.concat(parts)) == expected
    assert max(map(len, parts)) <= 3
    assert plain(one) == [row[1:] for row in expected]


def test_identifiers_keep_their_zeros_and_words_that_look_missing_stay(tmp_path):
    frame = open_table(written(tmp_path, "a.csv", b"\xef\xbb\xbfid, note \n007,NA\n\n1e3,nan\n")).read()
    assert frame.to_dict("list") == {"id": ["007", "1e3"], "note": ["NA", "nan"]}


def test_lines_may_end_as_on_windows_inside_and_outside_cells(tmp_path):
    frame = open_table(written(tmp_path, "a.tsv", b'id\tnote\r\n1\t"cough\r\nfever"\r\n2\tfall')).read()
    assert frame.to_dict("list") == {"id": ["1", "2"], "note": ["cough\r\nfever", "fall"]}


def test_parquet_keeps_its_types(tmp_path):
    frame = pd.DataFrame({"age": [1, 2, 3], "id": pd.array([7, None, 9], "Int64"), "note": ["a", None, "b"]})
    frame.to_parquet(tmp_path / "a.parquet")
    found = open_table(tmp_path / "a.parquet").read()
    assert found["age"].tolist() == [1, 2, 3]
    assert list(map(str, found["id"])) == ["7", "None", "9"]


def test_a_large_file_is_read_a_part_at_a_time(tmp_path):
    parts = open_table(written(tmp_path, "a.csv", MANY + b"broken\n")).chunks(rows=100)
    assert len(next(parts)) == 100
    with pytest.raises(TableError, match="line 1002"):
        list(parts)


def test_nameless_columns_are_called_by_their_number(tmp_path):
    assert list(open_table(written(tmp_path, "a.csv", b",note\n0,x\n")).read()) == ["column 1", "note"]


def flipped(content, place):
    return content[:place] + bytes([content[place] ^ 255]) + content[place + 1 :]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.xlsx", b"", r"not a workbook as its name says: open it and save it again as \.xlsx or CSV"),
        ("a.doc", b"", r"a\.doc is not a table.*ends in \.csv, \.csv\.gz, \.tsv, \.tsv\.gz, \.parquet, \.xlsx.*--sep"),
        ("a.csv", b"", "is empty"),
        ("a.csv", b"\n\n", "is empty"),
        ("a.csv.gz", b"", "is empty"),
        ("a.csv", b"id,note\n", "header and no rows"),
        ("a.csv", b"id,note\n1,2\n1,2,3\n", "line 3 has 3 cells, but the header has 2"),
        ("a.csv", b"id,note\n1\n", "line 2 has 1 cells"),
        (
            "a.csv",
            b'id,note\n1,"open\n2,x\n',
            "line 2, column 'note': the quoted cell that begins there is never closed: .*close",
        ),
        ("a.csv", b"id,id\n1,2\n", "several columns named 'id'"),
        ("a.tsv", b"id\tnote\n1\t\xc3\xa9\n2\tcaf\xe9\n", r"line 3 is not UTF-8, at byte 0xe9 \(6 bytes.*again as UTF-8"),
        ("a.csv", b"id,note\n1,\x81\n", r"line 2 is not UTF-8, at byte 0x81 \(3 bytes.*--encoding, such as cp1252 or cp850"),
        ("a.csv", "id,note\n1,2\n".encode("utf-16")[:-1], "line 2 is not UTF-16"),
        ("a.csv.gz", gzip.compress(MANY, mtime=0)[:-20], "is incomplete"),
        ("a.csv.gz", MANY, "not compressed by gzip"),
        ("a.csv.gz", flipped(gzip.compress(MANY, mtime=0), 30), "damaged"),
        ("a.parquet", b"PAR1 and no more", "not a Parquet file"),
        ("a.parquet", b"", "not a Parquet file"),
    ],
)
def test_a_bad_file_is_refused_in_a_sentence_that_names_it(tmp_path, name, content, message):
    with pytest.raises(TableError, match=message) as caught:
        open_table(written(tmp_path, name, content)).read()
    assert str(tmp_path / name) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_parquet_without_rows_or_cut_off(tmp_path):
    path = tmp_path / "a.parquet"
    pd.DataFrame({"note": []}).to_parquet(path)
    with pytest.raises(TableError, match="no rows"):
        open_table(path).read()
    pd.DataFrame({"note": ["a" * 50] * 50}).to_parquet(path)
    path.write_bytes(path.read_bytes()[:-30])
    with pytest.raises(TableError, match="damaged"):
        open_table(path).read()


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ("nots.csv", r"does not exist \(did you mean 'notes\.csv'\?\)"),
        ("no/notes.csv", "nor does the folder"),
        ("empty", r"is a folder without tables: give a file, or a folder of files that end in \.csv"),
    ],
)
def test_a_missing_file_names_the_nearest(tmp_path, asked, message):
    written(tmp_path, "notes.csv", MANY)
    (tmp_path / "empty").mkdir()
    written(tmp_path / "empty", "README.txt", b"no table")
    written(tmp_path / "empty", ".notes.csv", b"hidden")
    (tmp_path / "empty" / "a.parquet").mkdir()
    with pytest.raises(TableError, match=message):
        open_table(tmp_path / asked).read()


def test_text_of_a_parquet_file_that_is_not_utf_8_is_damage(tmp_path):
    import pyarrow as pa
    from pyarrow import parquet

    offsets, text = pa.py_buffer(b"\0\0\0\0\x06\0\0\0"), pa.py_buffer(b"fall\xff\xfe")
    notes = pa.Array.from_buffers(pa.string(), 1, [None, offsets, text])
    parquet.write_table(pa.table({"note": notes}), tmp_path / "a.parquet")
    with pytest.raises(TableError, match=r"a\.parquet is damaged"):
        open_table(tmp_path / "a.parquet").read()


@pytest.mark.parametrize("name", ["a.csv", "a.parquet"])
def test_a_file_that_may_not_be_read(tmp_path, monkeypatch, name):
    def refuse(*_, **__):
        raise PermissionError

    path = written(tmp_path, name, MANY)
    monkeypatch.setattr(Path, "open", refuse)  # root may read everything, so the mode of the file cannot test it
    with pytest.raises(TableError, match="cannot be read without permission"):
        open_table(path).read()


def test_parquet_without_pyarrow_names_the_remedy(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    with pytest.raises(TableError, match="pip install pyarrow"):
        Parquet(tmp_path / "a.parquet").require_decoder()


def test_without_pandas_the_extra_is_named(tmp_path, monkeypatch):
    path = written(tmp_path, "a.csv", MANY)
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match=r"sonmf\[text\]"):
        open_table(path).read()


@pytest.mark.parametrize("ending", [".csv", ".parquet"])
def test_a_missing_column_names_those_there_are(tmp_path, ending):
    path = tmp_path / ("a" + ending)
    frame = pd.DataFrame({"id": ["1"], "Note": ["x"]})
    frame.to_parquet(path) if ending == ".parquet" else frame.to_csv(path, index=False)
    with pytest.raises(TableError, match=r"has no column 'note' \(did you mean 'Note'\?\): its columns are id, Note"):
        open_table(path).read(["id", "note"])
    require(frame, "Note", path)
    with pytest.raises(TableError, match=r"^this table has no column 'sex': its columns are id, Note$"):
        require(frame, "sex", "this table")


def test_parts_have_rows(tmp_path):
    with pytest.raises(ValueError, match="rows=0"):
        open_table(written(tmp_path, "a.csv", MANY)).chunks(rows=0)


ROWS = st.lists(
    st.tuples(st.sampled_from(["a", "007", "caf\u00e9"]), st.sampled_from(["cough", "a,b", ""])), min_size=1, max_size=5
)


@given(st.lists(st.tuples(ROWS, st.sampled_from(WRITTEN)), min_size=1, max_size=4))
def test_a_folder_is_its_files_one_after_another(files):
    with TemporaryDirectory() as folder:
        for number, (rows, ending) in enumerate(files):
            frame = pd.DataFrame(rows, columns=["id", "note"])[["note", "id"] if number % 2 else ["id", "note"]]
            write(frame, Path(folder, f"{number}{ending}"))
        parts = [open_table(path).read() for path in sorted(Path(folder).iterdir())]
        whole, chunked = open_table(folder).read(), list(open_table(folder).chunks(rows=2, columns=["note"]))
        assert set(open_table(folder).columns) == {"id", "note"}
    expected = [row for part in parts for row in plain(part[["id", "note"]])]
    assert plain(whole[["id", "note"]]) == expected
    assert plain(pd.concat(chunked)) == [row[1:] for row in expected]
    assert max(map(len, chunked)) <= 2


@pytest.mark.parametrize(
    ("header", "message"),
    [
        (b"id,nota", r"b\.csv has no column 'note', which a\.csv has: all files of a folder need the same columns"),
        (b"id,note,age", r"b\.csv has a column 'age', which a\.csv does not have: all files"),
    ],
)
def test_a_file_with_other_columns_is_named_before_any_row_is_read(tmp_path, header, message):
    written(tmp_path, "a.csv", MANY)
    written(tmp_path, "b.csv", header + b"\n1,2\n")
    for columns in (None, ["id"]):
        with pytest.raises(TableError, match=message):
            next(open_table(tmp_path).chunks(columns=columns))


def test_a_damaged_file_of_a_folder_is_named(tmp_path):
    written(tmp_path, "a.csv", MANY)
    written(tmp_path, "b.csv.gz", MANY)
    with pytest.raises(TableError, match=r"b\.csv\.gz is damaged"):
        open_table(tmp_path).read()


@pytest.mark.parametrize("encoding", ["PLAIN", "DELTA_BYTE_ARRAY", "DELTA_LENGTH_BYTE_ARRAY"])
def test_parquet_is_the_same_however_it_is_packed(tmp_path, encoding):
    from pyarrow import Table, parquet

    frame = pd.DataFrame({"n": range(50), "note": [None, "a", "bb", "", "a"] * 10})
    kind = frame["note"].astype("category")
    parquet.write_table(
        Table.from_pandas(frame), tmp_path / "a.parquet", use_dictionary=False, column_encoding={"note": encoding}
    )
    frame.assign(note=kind).to_parquet(tmp_path / "b.parquet")
    for name in ("a.parquet", "b.parquet"):
        found = open_table(tmp_path / name).read()
        assert plain(found[["note"]]) == plain(frame[["note"]])
        assert found["n"].tolist() == list(range(50))


def test_a_pipe_is_refused_whether_somebody_writes_to_it_or_not(tmp_path):
    os.mkfifo(tmp_path / "a.csv")
    for _ in range(2):
        with pytest.raises(
            TableError, match=r"a\.csv is a pipe or a device, not a file: pipe the table into the command, and name -"
        ):
            open_table(tmp_path / "a.csv")
        writer = os.open(tmp_path / "a.csv", os.O_RDWR)
        os.write(writer, MANY)
    with pytest.raises(TableError, match="is a pipe or a device"):
        open_table("/dev/zero", Reading(separator=","))


@pytest.mark.parametrize(
    "header",
    [
        "17,Jane Doe,admitted",
        "Jane Doe,2024-03-31,home",
        "cough,31-Mar-2024 14:05",
        "38.5;cough",
        "05-27 20:18",
        "Jane,Jane,1 day",
    ],
)
def test_a_patient_in_the_first_line_is_not_shown(tmp_path, header):
    path = written(tmp_path, "a.csv", f"{header}\n{header}\n".encode())
    with pytest.raises(TableError) as caught:
        open_table(path).require("cough2")
    assert not [
        cell for cell in re.split("[,; ]", header) if cell in str(caught.value).removeprefix(str(path)).replace("cough2", "")
    ]
    assert not getattr(caught.value, "columns", [])


def test_the_number_of_columns_is_told_instead(tmp_path):
    with pytest.raises(TableError, match="it has 3 columns, and their names may be cells; the first line must hold the names"):
        open_table(written(tmp_path, "a.csv", b"17,Jane,admitted\n")).require("note")
    with pytest.raises(
        TableError, match="has several columns of the same name, and names that may be cells: the first line must hold"
    ):
        open_table(written(tmp_path, "b.csv", b"17,17\n")).require("note")
