"""What every kind of source promises: the command line, the page and the readers of data sets ask for nothing else."""

from __future__ import annotations

import io
import subprocess
import sys
from typing import Any

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sonmf.sources import ENDINGS, PatientColumns, Source, Table, TableError, open_file, open_table
from sonmf.sources.delimited import SEPARATORS
from sonmf.sources.opening import KINDS
from sonmf.sources.presets import Preset
from sonmf.sources.source import FileSource

NAMES = ["id", "note", "complaint"]
FRAME = pd.DataFrame(
    {"id": [f"{k:03d}" for k in range(11)], "note": ["cough x3d", "a,b\tc", 'q"', "caf\u00e9"] * 2 + ["z"] * 3}
)
FRAME["complaint"] = "Cough"


def write(frame, place, ending):
    frame.to_parquet(place) if ending == ".parquet" else frame.to_csv(place, index=False, sep=SEPARATORS[ending])
    return place


def file_of(ending, folder):
    return open_table(write(FRAME, folder / f"notes{ending}", ending))


def folder_of(folder):
    for k, ending in enumerate(ENDINGS):
        write(FRAME[2 * k : 2 * k + 2 if k < len(ENDINGS) - 1 else None], folder / f"{k}{ending}", ending)
    return open_table(folder)


def preset_of(folder):
    def read(path):
        frame = FRAME.copy()
        frame.attrs["remarks"] = ["1 value counts as missing"]
        return frame

    return Preset(read, "note", "disposition", (), (), None, (), ()).open(folder / "known")


SOURCES: dict[str, Any] = {ending: lambda folder, ending=ending: file_of(ending, folder) for ending in ENDINGS}
SOURCES |= {"folder": folder_of, "table": lambda folder: Table(FRAME, "our patients"), "preset": preset_of}


@pytest.fixture(params=SOURCES)
def source(request, tmp_path) -> Source:
    return SOURCES[request.param](tmp_path)


@pytest.mark.parametrize("rows", [1, 3, 100])
@pytest.mark.parametrize("columns", [None, ["note"], ["complaint", "id"]])
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
    for ask in (source.require, lambda name: source.read([name]), lambda name: PatientColumns(text=name).among(source)):
        with pytest.raises(
            TableError, match=r"has no column 'notes' \(did you mean 'note'\?\): its columns are id, note, comp"
        ):
            ask("notes")
    with pytest.raises(ValueError, match="rows=0 must be at least 1"):
        source.chunks(rows=0)


def test_remarks_are_sentences_and_nothing_is_printed(source, capsys, request):
    source.read()
    known = {"preset": ("1 value counts as missing",)}
    assert source.remarks == known.get(request.node.callspec.params["source"], ())
    assert capsys.readouterr() == ("", "")


def test_columns_that_are_not_named_are_the_usual_ones(source):
    found = PatientColumns(label="outcome").among(source)
    assert found == PatientColumns("note", "complaint", "id")
    assert PatientColumns(fitted_text="complaint", fitted_group="id").among(source)[:2] == ("complaint", "id")
    assert PatientColumns(fitted_text="narrative", fitted_group="ward").among(source)[:2] == ("note", "complaint")
    with pytest.raises(TableError, match="has no column 'narrative'"):
        PatientColumns(text="narrative").among(source)
    assert PatientColumns(text="complaint", group="note").among(source).needed == ["complaint", "note", "id"]


class Sent:
    """Bytes in memory, as the page has them."""

    def __init__(self, name: str, data: bytes) -> None:
        self.name, self.data = name, data

    def __str__(self) -> str:
        return f"what was sent as {self.name}"

    def open(self, mode: str) -> io.BytesIO:
        return io.BytesIO(self.data)


@pytest.mark.parametrize("ending", ENDINGS)
def test_bytes_in_memory_are_read_as_a_file_is(tmp_path, ending):
    data = write(FRAME, tmp_path / f"a{ending}", ending).read_bytes()
    assert open_file(Sent(f"A{ending.upper()}", data)).read().to_dict("list") == FRAME.to_dict("list")
    with pytest.raises(TableError, match=r"what was sent as a\."):
        open_file(Sent(f"a{ending}", data[:9])).read(["no such column"])


def test_a_kind_needs_its_columns_and_its_rows():
    class Half(Source):
        @property
        def columns(self) -> list[str]:
            return []

    with pytest.raises(TypeError, match="chunks"):
        Half()


def test_a_new_kind_of_file_is_one_class(tmp_path, monkeypatch):
    """Here lines of text: entered in KINDS it is read alone and, among others, in a folder."""

    class Lines(FileSource):
        endings = (".txt",)

        def names(self):
            return ["note"]

        def parts(self, rows, columns):
            with self.file.open("rb") as stream:
                yield pd.DataFrame({"note": stream.read().decode().splitlines()})[columns or ["note"]]

    monkeypatch.setattr("sonmf.sources.opening.KINDS", (*KINDS, Lines))
    monkeypatch.setattr("sonmf.sources.opening.ENDINGS", (*ENDINGS, *Lines.endings))
    (tmp_path / "a.txt").write_text("cough\nfever\n")
    assert open_table(tmp_path / "a.txt").read().to_dict("list") == {"note": ["cough", "fever"]}
    write(FRAME[["note"]], tmp_path / "b.csv", ".csv")
    assert len(open_table(tmp_path).read(["note"])) == 2 + len(FRAME)


def test_to_read_a_file_needs_no_library_for_models():
    """The page starts a process for each Parquet file, with little memory."""
    code = "import sys, sonmf.web.unpacking; print([name for name in sys.argv[1:] if name in sys.modules])"
    heavy = ["scipy", "sklearn", "numba", "pandas", "pyarrow"]
    found = subprocess.run([sys.executable, "-c", code, *heavy], capture_output=True, text=True, check=True, timeout=60)
    assert found.stdout == "[]\n"


@given(st.lists(st.integers(), max_size=7), st.integers(1, 9))
def test_a_table_in_memory_is_cut_at_any_length(values, rows):
    frame = pd.DataFrame({"age": values}, dtype=float)
    parts = list(Table(frame, "ages").chunks(rows))
    assert pd.concat(parts).equals(frame)
    assert [len(part) for part in parts[:-1]] == [rows] * (len(parts) - 1)
