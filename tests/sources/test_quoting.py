"""Rows that cannot be split into cells: the csv module tells which these are, and a person is told where."""

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sonmf.sources import TableError, open_table
from sonmf.sources.delimited_text import find_broken_cell


@given(st.text('a",\n', max_size=12))
def test_a_row_is_broken_where_the_csv_module_stumbles(text):
    rows = csv.reader(io.StringIO(text, newline=""), strict=True)
    try:
        next(rows, None)
        stumbled = False
    except csv.Error:
        stumbled = True
    assert (find_broken_cell(text, ",") is not None) == stumbled


@given(st.lists(st.text('a;"\n', max_size=5), min_size=1, max_size=4), st.integers(0, 3), st.integers(0, 5))
def test_one_mark_too_many_is_found_in_its_cell(cells, which, where):
    """Where a quoted cell gets another mark, it is that cell or a later one that cannot be read, or none."""
    quoted = ['"' + cell.replace('"', '""') + '"' for cell in cells]
    which %= len(cells)
    one = quoted[which]
    where = 1 + where % (len(one) - 1)
    quoted[which] = one[:where] + '"' + one[where:]
    found = find_broken_cell(";".join(quoted), ";")
    assert found is None or found.cell >= which
    assert find_broken_cell(";".join(['"' + cell.replace('"', '""') + '"' for cell in cells]), ";") is None


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ('1,"cough, "dry"",home\n', "line 4, column 'note': .* at character 11 of line 4 that neither ends it nor is doubled"),
        (
            '1,"cough\nand "fever",home\n',
            "line 4, column 'note': .* at character 5 of line 5 that neither ends it nor is doubled",
        ),
        ('1,cough,"home\n2,x,y\n', "line 4, column 'end': the quoted cell that begins there is never closed"),
    ],
)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_line_column_and_character_are_named_and_no_piece_of_the_note(tmp_path, rows, said, encoding):
    path = tmp_path / "a.csv"
    path.write_bytes(f'id,note,end\n0,"two\nlines",home\n{rows}'.encode(encoding))
    with pytest.raises(TableError, match=said) as caught:
        open_table(path).read()
    assert str(caught.value).endswith("double quotation marks inside quoted cells, and close those that are open")
    assert "cough" not in str(caught.value)


def test_a_text_file_is_read_if_it_is_named_and_passed_over_in_a_folder(tmp_path):
    (tmp_path / "a.txt").write_text("id\tnote\n7\tcough, dry\n8\tfall\n")
    found = open_table(tmp_path / "a.txt")
    assert found.read().to_dict("list") == {"id": ["7", "8"], "note": ["cough, dry", "fall"]}
    assert found.remarks == ("read with tabs between cells (overruled by --sep)",)
    (tmp_path / "b.csv").write_text("id,note\n9,rash\n")
    assert open_table(tmp_path).read()["id"].tolist() == ["9"]
    (tmp_path / "c.txt").write_text("note\ncough\n")
    with pytest.raises(
        TableError, match=r"has no column 'id'.*if there should be several, give the separator of the cells with --sep"
    ):
        open_table(tmp_path / "c.txt").require("id")


def test_the_first_patient_of_a_file_without_a_header_is_not_shown(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text('7,pt fell at home and broke her hip\n8,"cough\n')
    with pytest.raises(TableError, match="line 2, column that may be a cell: the quoted cell") as refused:
        open_table(path).read()
    assert "pt fell" not in str(refused.value)
