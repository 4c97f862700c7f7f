"""Separators and encodings as hospitals have them: recognised, said in one remark, and overruled."""

from __future__ import annotations

import gzip
from pathlib import Path
from tempfile import TemporaryDirectory

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sonmf.sources import Reading, TableError, open_table

SEPARATORS = {",": "", ";": "semicolons", "\t": "tabs", "|": "pipes"}
ENCODINGS = {
    "utf-8": "",
    "utf-8-sig": "",
    "cp1252": "Windows-1252 (Western Europe)",
    "utf-16": "UTF-16",
    "utf-16-be": "UTF-16",
    "utf-32": "UTF-32",
}
CELLS = st.text(alphabet="ab0 ,;\t|\"'\n\u00e4\u00e9\u20ac-.", max_size=6)


def written(folder, text, name="a.csv"):
    path = Path(folder, name)
    path.write_bytes(text)
    return path


@given(
    rows=st.lists(st.tuples(CELLS, CELLS), min_size=1, max_size=8),
    separator=st.sampled_from(list(SEPARATORS)),
    encoding=st.sampled_from(list(ENCODINGS)),
    packed=st.booleans(),
)
def test_what_pandas_writes_is_recognised_and_said(rows, separator, encoding, packed):
    frame = pd.DataFrame(rows, columns=["id", "my note"])
    data = frame.to_csv(index=False, sep=separator).encode(encoding)
    with TemporaryDirectory() as folder:
        path = written(folder, gzip.compress(data) if packed else data, "a.csv.gz" if packed else "a.csv")
        source, said = open_table(path), open_table(path, Reading(separator, encoding))
        parts, again = pd.concat(source.chunks(rows=3)), said.read()
    expected = [[cell or None for cell in row] for row in rows]
    assert parts.to_numpy().tolist() == again.to_numpy().tolist() == expected
    assert said.remarks == ()
    remarkable = encoding if not data.isascii() else "utf-8"  # such text is the same in most encodings
    for word in (SEPARATORS[separator], ENCODINGS[remarkable]):
        assert word in "".join(source.remarks)
    assert len(source.remarks) == bool(SEPARATORS[separator] or ENCODINGS[remarkable])


def test_one_remark_says_both_and_how_to_overrule_them(tmp_path):
    source = open_table(written(tmp_path, "id;note\n7;\u00dcbelkeit\n".encode("cp1252")))
    assert source.read().to_dict("list") == {"id": ["7"], "note": ["\u00dcbelkeit"]}
    assert source.remarks == (
        "read as Windows-1252 (Western Europe), with semicolons between cells (overruled by --encoding, --sep)",
    )


def test_a_folder_says_it_once_for_all_files(tmp_path):
    for month in range(3):
        written(tmp_path, b"id;note\n7;cough\n" if month else b"id,note\n7,cough\n", f"{month}.csv")
    assert open_table(tmp_path).remarks == ("2 of 3 files read with semicolons between cells (overruled by --sep)",)


@pytest.mark.parametrize("place", [3, 9_000])
def test_windows_1252_is_recognised_wherever_its_first_letter_is(tmp_path, place):
    """Also long after the first block has been read, and again when it is read again."""
    rows = [b"%d,coughs and coughs" % k for k in range(10_000)]
    rows[place] += b" caf\xe9"
    source = open_table(written(tmp_path, b"\n".join([b"id,note", *rows])))
    for _ in range(2):
        assert sum(part["note"].str.contains("caf\u00e9").sum() for part in source.chunks(columns=["note"])) == 1
    assert "Windows-1252" in source.remarks[0]


@pytest.mark.parametrize("place", [0, 20_000])
def test_utf_8_with_one_broken_letter_is_not_taken_for_windows_1252(tmp_path, place):
    rows = ["7,caf\u00e9".encode()] * 30_000
    rows[place] = b"7,caf\xe9"
    with pytest.raises(TableError, match=rf"a\.csv line {place + 2} is not UTF-8, at byte 0xe9 \(6 bytes into the line\)"):
        open_table(written(tmp_path, b"\n".join([b"id,note", *rows]))).read()


@pytest.mark.parametrize("head", [b"sep=;\r\n", b'"sep=;"\n', b"\xef\xbb\xbfSEP=;\n"])
def test_the_line_by_which_a_spreadsheet_names_its_separator_is_no_header(tmp_path, head):
    source = open_table(written(tmp_path, head + b"id;note\n7;a,b\n"))
    assert source.read().to_dict("list") == {"id": ["7"], "note": ["a,b"]}


def test_one_column_or_broken_rows_do_not_change_the_separator(tmp_path):
    assert open_table(written(tmp_path, b"note\nfall; cough\n")).read()["note"].tolist() == ["fall; cough"]
    with pytest.raises(TableError, match=r"line 3 has 3 cells, but the header has 2"):
        open_table(written(tmp_path, b"id,note\n1,a\n2,b,c\n")).read()


def test_lines_may_end_as_on_old_macs(tmp_path):
    assert open_table(written(tmp_path, b"id;note\r7;a\r8;b\r")).read()["note"].tolist() == ["a", "b"]


def test_any_file_is_text_if_its_separator_is_said(tmp_path):
    source = open_table(written(tmp_path, b"id:note\n7:a\n", "export.dat"), Reading.asked(sep=":"))
    assert source.read().to_dict("list") == {"id": ["7"], "note": ["a"]}


def test_what_was_said_wrongly_is_refused(tmp_path):
    for sep in ("", ";;", '"', "\n"):
        with pytest.raises(ValueError, match=r"(?s)--sep .*: give one character"):
            Reading.asked(sep=sep)
    for encoding in ("utf-9", "rot13", "a\0b"):
        with pytest.raises(ValueError, match=r"--encoding .*: there is no such encoding"):
            Reading.asked(encoding=encoding)
    with pytest.raises(
        TableError, match=r"a\.csv: --sheet is for a workbook, and this file is of another kind: leave the option out"
    ):
        open_table(written(tmp_path, b"id\n7\n"), Reading(sheet="Jan"))
    with pytest.raises(TableError, match=r"a\.parquet: --sep is for CSV"):
        open_table(written(tmp_path, b"", "a.parquet"), Reading(";"))
    with pytest.raises(TableError, match=r"line 2 is not ASCII, at byte 0xc3 \(3 bytes"):
        open_table(written(tmp_path, "id,note\n7,\u00e9\n".encode()), Reading(encoding="ascii")).read()
