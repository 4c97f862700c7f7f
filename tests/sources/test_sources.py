"""What every kind of source promises: the command line, the page and the readers of data sets ask for nothing else."""

from __future__ import annotations

import errno
import io
import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from typing import Any

import pandas as pd
import pytest
from tables import WRITTEN, write

from sonmf.sources import ENDINGS, Query, Source, TableError, file_kinds, open_file, open_table
from sonmf.sources.file_kinds import KINDS
from sonmf.sources.source import FileSource, FrameSource, KnownSource

NAMES = ["id", "note", "complaint"]
FRAME = pd.DataFrame(
    {"id": [f"{k:03d}" for k in range(11)], "note": ["cough x3d", "a,b\tc", 'q"', "caf\u00e9"] * 2 + ["z"] * 3}
)
FRAME["complaint"] = "Cough"


def file_of(ending, folder):
    return open_table(write(FRAME, folder / f"notes{ending}"))


def folder_of(folder):
    for k, ending in enumerate(WRITTEN):
        write(FRAME[k : k + 1 if k < len(WRITTEN) - 1 else None], folder / f"{k}{ending}")
    return open_table(folder)


def query_of(folder):
    with closing(sqlite3.connect(folder / "clinic.db")) as clinic:
        FRAME.to_sql("triage", clinic, index=False)
    return Query("select * from triage", f"sqlite:///{folder / 'clinic.db'}")


def piped(folder):
    return open_file(file_kinds.piped(io.BytesIO(write(FRAME, folder / "notes.csv").read_bytes())))


class Renamed(KnownSource):
    """A data set whose columns have other names."""

    @classmethod
    def recognises(cls, raw):
        return "complaint_" in raw.columns

    def names(self):
        return [name.removesuffix("_") for name in self.raw.columns]

    def published(self, rows, columns):
        return self.raw.chunks(rows, [f"{name}_" for name in columns])

    def decode(self, frame, first):
        return {name.removesuffix("_"): frame[name] for name in frame}


def known_of(folder):
    return Renamed(open_table(write(FRAME.rename(columns="{}_".format), folder / "notes.csv")))


SOURCES: dict[str, Any] = {ending: lambda folder, ending=ending: file_of(ending, folder) for ending in WRITTEN}
SOURCES |= {"folder": folder_of, "query": query_of, "standard input": piped, "known": known_of}


@pytest.fixture(params=SOURCES)
def source(request, tmp_path) -> Source:
    return SOURCES[request.param](tmp_path)


@pytest.mark.parametrize(("rows", "columns"), [(1, None), (3, ["note"]), (100, ["complaint", "id"])])
def test_chunks_put_together_are_the_table(source, rows, columns):
    wanted = FRAME if columns is None else FRAME[columns]
    parts = list(source.chunks(rows, columns))
    assert source.columns == NAMES
    assert max(map(len, parts)) <= rows
    for whole in (pd.concat(parts, ignore_index=True), source.read(columns)):
        assert whole.to_dict("list") == wanted.to_dict("list")


def test_chunks_may_be_asked_for_again(source):
    assert [source.read().to_dict("list") for _ in range(2)] == [FRAME.to_dict("list")] * 2


def test_what_is_missing_is_named_with_what_is_there(source):
    assert source.require("note") == "note"
    for ask in (source.require, lambda name: source.read([name])):
        with pytest.raises(
            TableError, match=r"has no column 'notes' \(did you mean 'note'\?\): its columns are id, note, comp"
        ):
            ask("notes")
    with pytest.raises(ValueError, match="rows=0 must be at least 1"):
        source.chunks(rows=0)


def test_nothing_is_printed_and_what_is_as_usual_needs_no_remark(source, capsys):
    source.read()
    assert source.remarks == ()
    assert capsys.readouterr() == ("", "")


class Sent:
    """Bytes in memory, as the page has them."""

    def __init__(self, name: str, data: bytes) -> None:
        self.name, self.data = name, data

    def __str__(self) -> str:
        return f"what was sent as {self.name}"

    def open(self, mode: str) -> io.BytesIO:
        return io.BytesIO(self.data)


@pytest.mark.parametrize("ending", WRITTEN)
def test_bytes_in_memory_are_read_as_a_file_is(tmp_path, ending):
    data = write(FRAME, tmp_path / f"a{ending}").read_bytes()
    assert open_file(Sent(f"A{ending.upper()}", data)).read().to_dict("list") == FRAME.to_dict("list")
    with pytest.raises(TableError, match=r"what was sent as a\."):
        open_file(Sent(f"a{ending}", data[:9])).read(["no such column"])


def test_a_kind_needs_its_columns_and_its_rows():
    class Half(Source):
        def names(self) -> list[str]:
            return []

    with pytest.raises(TypeError, match="parts"):
        Half()


def test_the_columns_of_a_frame_are_called_by_text_and_no_two_the_same():
    assert FrameSource(pd.DataFrame({0: ["cough"], "id": [7]})).read(["0"]).to_dict("list") == {"0": ["cough"]}
    with pytest.raises(TableError, match="the table has several columns named 'note'"):
        FrameSource(pd.DataFrame([["cough", "fall"]], columns=["note", "note"])).read()


def test_a_new_kind_of_file_is_one_class(tmp_path, monkeypatch):
    """Here lines of text: entered in KINDS it is read alone and, among others, in a folder."""

    class Lines(FileSource):
        endings = (".txt",)

        def names(self):
            return ["note"]

        def parts(self, rows, columns):
            with self.file.open("rb") as stream:
                yield pd.DataFrame({"note": stream.read().decode().splitlines()})[columns or ["note"]]

    monkeypatch.setattr("sonmf.sources.file_kinds.KINDS", (*KINDS, Lines))
    monkeypatch.setattr("sonmf.sources.file_kinds.ENDINGS", (*ENDINGS, *Lines.endings))
    (tmp_path / "a.txt").write_text("cough\nfever\n")
    assert open_table(tmp_path / "a.txt").read().to_dict("list") == {"note": ["cough", "fever"]}
    write(FRAME[["note"]], tmp_path / "b.csv")
    assert len(open_table(tmp_path).read(["note"])) == 2 + len(FRAME)


class Full(io.BytesIO):
    """A disk that is full once something has been written."""

    def flush(self):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    def close(self):
        self.flush()


def test_a_full_temporary_folder_is_named(tmp_path, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.TemporaryFile", lambda **_: Full())
    with pytest.raises(OSError, match="No space left on device") as caught:
        file_kinds.piped(io.BytesIO(b"note\ncough\n"))
    assert caught.value.filename == str(tmp_path)


def test_to_read_a_file_needs_no_library_for_models():
    """A process is started for each packed file, with little memory."""
    code = "import sys, sonmf.sources.unpacking; print([name for name in sys.argv[1:] if name in sys.modules])"
    heavy = ["numpy", "scipy", "sklearn", "numba", "pandas", "pyarrow"]
    found = subprocess.run([sys.executable, "-c", code, *heavy], capture_output=True, text=True, check=True, timeout=60)
    assert found.stdout == "[]\n"
