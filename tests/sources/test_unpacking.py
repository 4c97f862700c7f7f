"""Packed files are unpacked by a separate process, within limits of memory and time."""

from __future__ import annotations

import io
import json
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pandas as pd
import pytest
import torture_web
from processes import wait_until
from tables import write

from sonmf.sources import TableError, open_file, open_table
from sonmf.sources.source import Reading
from sonmf.sources.unpacking import PackedSource, TableFacts, _Unpacker

MEGABYTE = torture_web.MEGABYTE
FRAME = pd.DataFrame({"id": ["7", "8"], "note": ["cough", "fall"]})

UNPACK = """
import json, resource, sys
from pathlib import Path
from sonmf.sources import TableError, open_file
for name in sys.argv[1:]:
    try:
        outcome = str(sum(len(part) for part in open_file(Path(name), limit=1_000_000).chunks(1000)))
    except TableError as error:
        outcome = str(error)
    ours = next(line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM")).split()[1]
    print(json.dumps([outcome, int(ours) // 1024, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024]))
"""
BOMBS = {
    "cell.parquet": (lambda: torture_web.parquet_of_one_cell(8 * MEGABYTE), "has a row of more than 4,000,000 bytes"),
    "cells.parquet": (lambda: torture_web.parquet_of_one_cell(900_000), "unpacks to more than 1,000,000 bytes"),
    "prefixes.parquet": (lambda: torture_web.parquet_of_prefixes(2 * MEGABYTE), "unpacks to more than 1,000,000 bytes"),
    "page.parquet": (lambda: torture_web.parquet_of_one_page(100 * MEGABYTE), "unpacks to more than 1,000,000 bytes"),
    "list.parquet": (lambda: torture_web.parquet_of_lists(30 * MEGABYTE), "unpacks to more than 1,000,000 bytes"),
    "corners.xlsx": (torture_web.workbook_of_corners, "unpacks to more than 1,000,000 bytes"),
    "text.xlsx": (lambda: torture_web.workbook_of_one_text(500_000, 2000), "unpacks to more than 1,000,000 bytes"),
}


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux bounds the memory of a process")
def test_a_small_file_cannot_take_much_memory(tmp_path):
    for name, (build, _) in BOMBS.items():
        (tmp_path / name).write_bytes(build())
        assert (tmp_path / name).stat().st_size < 20_000
    command = [sys.executable, "-c", UNPACK, *(str(tmp_path / name) for name in BOMBS)]
    answers = subprocess.run(command, capture_output=True, text=True, check=True, timeout=300).stdout.splitlines()
    for answer, (_, sentence) in zip(map(json.loads, answers), BOMBS.values(), strict=True):
        outcome, here, there = answer
        assert sentence in outcome
        assert here < 150  # megabytes, with Python itself
        assert there < 500  # with Python, pyarrow and 200 for what they unpack


def test_a_process_waits_for_the_next_file_and_one_that_is_left_is_killed(tmp_path):
    paths = [write(FRAME, tmp_path / name) for name in ("a.parquet", "b.xlsx")]
    assert [open_table(path).read()["note"].tolist() for path in paths] == [["cough", "fall"]] * 2
    (waiting,) = _Unpacker.waiting
    parts = open_table(paths[0]).chunks(1)
    next(parts)
    assert not _Unpacker.waiting
    parts.close()
    assert waiting.process.returncode is not None
    assert not _Unpacker.waiting


def test_a_process_that_has_died_while_it_waited_is_replaced(tmp_path):
    path = write(FRAME, tmp_path / "a.xlsx")
    open_table(path).read()
    _Unpacker.waiting[0].process.kill()
    _Unpacker.waiting[0].process.wait()
    assert len(open_table(path).read()) == len(FRAME)


class Reset(io.RawIOBase):
    def readable(self):
        return True

    def readinto(self, buffer):
        raise ConnectionResetError


@pytest.mark.parametrize("line", [io.BytesIO(b""), io.BytesIO(b'["", tr'), io.BytesIO(b"9\ncough"), io.BufferedReader(Reset())])
def test_an_answer_that_is_cut_off_is_the_death_of_the_process(line):
    unpacker = object.__new__(_Unpacker)
    unpacker.line = line
    assert unpacker.answer() is None


def test_what_takes_long_can_be_stopped_from_another_thread(tmp_path):
    (tmp_path / "a.xlsx").write_bytes(torture_web.workbook_of_empty_cells(10 * MEGABYTE))
    source = open_table(tmp_path / "a.xlsx")
    assert isinstance(source, PackedSource)
    stop = threading.Thread(target=lambda: wait_until(lambda: source._unpacker, 30) and source.stop())
    stop.start()
    with pytest.raises(TableError, match="unpacks to more than"):
        source.read()
    stop.join()


def test_the_process_finds_the_package_where_this_one_does_and_nothing_in_the_folder_of_the_patients(tmp_path, monkeypatch):
    path = write(FRAME, tmp_path / "a.xlsx")
    (tmp_path / "python_calamine.py").write_text("raise SystemExit")
    monkeypatch.chdir(tmp_path)
    for unpacker in _Unpacker.waiting:
        unpacker.process.kill()
        unpacker.process.wait()
    assert len(open_table(path).read()) == len(FRAME)


@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")  # from Python 3.12 on, where there are threads
def test_a_fork_does_not_ask_the_process_of_its_parent(tmp_path):
    open_table(write(FRAME, tmp_path / "a.xlsx")).read()
    assert _Unpacker.waiting
    child = os.fork()
    if not child:
        os._exit(len(_Unpacker.waiting))
    assert os.waitpid(child, 0)[1] == 0


def test_a_table_is_as_long_as_its_pieces_and_its_share_is_told(tmp_path):
    frame = pd.DataFrame({"n": range(300), "note": ["cough"] * 300})
    for name in ("a.parquet", "a.xlsx", "a.csv"):
        source = open_file(write(frame, Path(tmp_path, name)))
        shares = [source.share for _ in source.chunks(100)]
        assert shares == sorted(shares)
        assert (shares[0] > 0, shares[-1]) == (True, 1.0)


class Sent:
    name = "a.parquet"

    def __init__(self, data):
        self.data = data

    def open(self, mode):
        return io.BytesIO(self.data)


def test_many_bytes_in_memory_are_handed_over(tmp_path):
    frame = pd.DataFrame({"note": [f"{k} " * 100 for k in range(20_000)]})
    frame.to_parquet(tmp_path / "a.parquet")
    assert open_file(Sent((tmp_path / "a.parquet").read_bytes())).read().equals(frame)


class Failing(PackedSource):
    """A file whose text says how its decoder fails."""

    endings = (".failing",)
    decoder = ("json", "json")

    def inspect(self):
        with self.file.open("rb") as stream:
            how = stream.read().decode()
        if how == "defect":
            raise KeyError("a cell with a name")
        os.kill(os.getpid(), getattr(signal, how))
        return TableFacts([], 0, [], "")

    def pieces(self, rows, columns):
        raise NotImplementedError

    def frame(self, piece, columns):
        raise NotImplementedError


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ("SIGKILL", "unpacks to more than 500,000,000 bytes: split it, or save it as CSV"),
        ("SIGABRT", "unpacks to more than 500,000,000 bytes: split it, or save it as CSV"),
        ("SIGXCPU", "takes more than 60 seconds to unpack: split it, or save it as CSV"),
        ("SIGSEGV", "could not be unpacked: the process for it was ended by SIGSEGV; try again, or save the table as CSV"),
        ("SIGTERM", "could not be unpacked: the process for it was ended by SIGTERM; try again, or save the table as CSV"),
    ],
)
def test_what_ended_the_process_is_told(tmp_path, how, said):
    (tmp_path / "a.failing").write_text(how)
    with pytest.raises(TableError) as caught:
        _ = Failing(tmp_path / "a.failing", Reading()).columns
    assert str(caught.value) == f"{tmp_path / 'a.failing'} {said}"


def test_a_defect_in_the_process_is_shown_with_its_place_and_without_its_text(tmp_path):
    (tmp_path / "a.failing").write_text("defect")
    with pytest.raises(RuntimeError, match=r"test_unpacking.py.*inspect(?s:.*)KeyError$") as caught:
        _ = Failing(tmp_path / "a.failing", Reading()).columns
    assert "with a name" not in str(caught.value).replace('raise KeyError("a cell with a name")', "")
