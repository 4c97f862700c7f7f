"""Files that are small to have and large to open: refused before much of them is in memory, and soon."""

from __future__ import annotations

import gzip
import time
import tracemalloc
from itertools import islice

import pandas as pd
import pytest
import torture_web
from tables import plain, write, written

from sonmf.sources import TableError, limits, open_table
from sonmf.sources.unpacking import PackedSource

MEGABYTES = 10  # that a refusal may take, whatever the size of the file


def test_cells_that_were_not_asked_for_are_not_kept(tmp_path):
    path = written(tmp_path, "a.csv", b"note,long\n" + b"".join(b"x,%d%s\n" % (i, b"y" * 1000) for i in range(5000)))
    tracemalloc.start()
    open_table(path).read(["note"])
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < path.stat().st_size / 2


@pytest.fixture
def peak():
    """Megabytes that Python took at most since the test began."""
    tracemalloc.start()
    yield lambda: tracemalloc.get_traced_memory()[1] / 1e6
    tracemalloc.stop()


@pytest.mark.parametrize(
    ("build", "sentence"),
    [
        (torture_web.long_line, r"line 2 belongs to a row of more than 200,000 bytes"),
        (torture_web.long_cell, r"line \d+ has a cell of more than 131,072 letters"),
        (torture_web.long_row, r"line \d+ belongs to a row of more than 200,000 bytes"),
        (torture_web.commas, r"line 2 belongs to a row of more than 200,000 bytes"),
    ],
)
def test_a_row_without_end_is_refused_in_little_memory(tmp_path, peak, monkeypatch, build, sentence):
    monkeypatch.setattr(limits, "LONGEST_ROW", 200_000)
    path = written(tmp_path, "a.csv.gz", build(200 * torture_web.MEGABYTE))
    with pytest.raises(TableError, match=sentence):
        open_table(path).read()
    assert peak() < MEGABYTES


def test_a_million_empty_lines_are_passed_over(tmp_path, monkeypatch):
    monkeypatch.setattr(limits, "LONGEST_ROW", 1000)
    path = written(tmp_path, "a.csv.gz", torture_web.empty_lines(torture_web.MEGABYTE) + gzip.compress(b"cough\n"))
    assert open_table(path).read().to_dict("list") == {"note": ["cough"]}


def test_a_gigabyte_of_empty_lines_is_refused_after_a_thousandth_of_it(tmp_path):
    path = written(tmp_path, "a.csv.gz", torture_web.empty_lines())
    with pytest.raises(TableError, match=r"line 1,?000,?002 ends more than 1,000,000 empty lines: remove them"):
        open_table(path).read()


def test_a_parquet_of_rows_without_a_value_is_refused_after_a_million_of_them(tmp_path):
    path = written(tmp_path, "a.parquet", torture_web.parquet_of_nothing(3 * torture_web.MEGABYTE))
    rows: list[int] = []
    with pytest.raises(TableError, match="has more than 1,000,000 consecutive rows without a value: remove them"):
        rows.extend(map(len, open_table(path).chunks()))
    assert sum(rows) <= 1_000_000


def test_long_rows_are_handed_on_before_there_are_many_of_them(tmp_path, monkeypatch):
    monkeypatch.setattr(limits, "LARGEST_PART", 100)
    frame = pd.DataFrame({"id": [str(k) for k in range(20)], "note": ["x" * 30] * 20})
    for ending in (".csv", ".parquet", ".xlsx"):
        source = open_table(write(frame, tmp_path / f"a{ending}"))
        parts = list(source.chunks())
        if isinstance(source, PackedSource):  # as its own process does it
            parts = [source.frame(piece, list(frame)) for piece in source.pieces(1000, list(frame))]
        assert 2 <= max(map(len, parts)) < 6
        assert plain(pd.concat(parts)) == plain(frame) == plain(source.read())


@pytest.mark.parametrize("columns", [limits.MOST_COLUMNS, limits.MOST_COLUMNS + 1, 100_000])
def test_many_columns_are_read_or_refused_soon(tmp_path, columns):
    path = written(tmp_path, "a.csv", torture_web.wide_csv(columns))
    began = time.process_time()
    if columns > limits.MOST_COLUMNS:
        with pytest.raises(TableError, match=f"has {columns:,} columns, and at most 10,000 can be read"):
            list(open_table(path).columns)
    else:
        written(tmp_path, "b.csv", torture_web.wide_csv(columns))
        assert open_table(tmp_path).read(["c7", "note"]).shape == (2, 2)
        with pytest.raises(TableError) as caught:
            open_table(path).read(["notes"])
        assert len(str(caught.value)) < 300
        assert str(caught.value).endswith("c18, c19 and 9,980 more")
    assert time.process_time() - began < 2


@pytest.mark.parametrize("size", [torture_web.MEGABYTE, 8 * torture_web.MEGABYTE])
def test_parquet_that_repeats_a_long_cell(tmp_path, size):
    """A part at a time it takes little memory, and a row that is too long is refused."""
    import pyarrow as pa

    path = written(tmp_path, "a.parquet", torture_web.parquet_of_one_cell(size, rows=1000))
    before, largest, rows = pa.total_allocated_bytes(), 0, 0
    if size > limits.LONGEST_ROW:
        with pytest.raises(TableError, match="has a row of more than 4,000,000 bytes"):
            next(open_table(path).chunks())
        return
    for part in islice(open_table(path).chunks(), 5):
        rows += len(part)
        largest = max(largest, pa.total_allocated_bytes() - before)
        assert set(part["note"].str.len()) == {size}
    assert 50 < rows < 100
    assert largest < 10 * limits.LARGEST_PART
