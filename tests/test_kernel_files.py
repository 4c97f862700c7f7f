"""Kernels on disk: what is damaged is compiled again, and where nothing can be written everything still runs."""

from __future__ import annotations

import os
import subprocess
import sys

import numba
import pytest

from sonmf import kernel_files
from sonmf.compiled import compiled
from sonmf.kernel_files import KernelFiles

KEY = ((numba.float64,), ("processor",), ("hash of the code", "of its closure"))


@pytest.fixture
def files(tmp_path):
    kernel_files.say_once.cache_clear()
    return KernelFiles(tmp_path, "triple-1.py311", b"source")


def test_what_was_saved_is_loaded_until_its_source_changes(files):
    assert files.load(KEY) is None
    files.save(KEY, ["machine code"])
    assert files.load(KEY) == ["machine code"]
    assert KernelFiles(files.folder, files.name, b"other source").load(KEY) is None
    assert len(list(files.folder.iterdir())) == 1


def test_a_damaged_file_is_never_unpickled_and_is_removed_with_one_line(files, monkeypatch, capsys):
    files.save(KEY, list(range(50)))
    path = files.path(KEY)
    whole = path.read_bytes()
    monkeypatch.setattr(kernel_files.pickle, "loads", lambda content: pytest.fail("a damaged file was unpickled"))
    flipped = [whole[:i] + bytes([whole[i] ^ 0x41]) + whole[i + 1 :] for i in range(len(whole))]
    cut = [whole[:length] for length in range(len(whole))]
    for damaged in [*flipped, *cut, whole + b"x", b"\0" * len(whole)]:
        path.write_bytes(damaged)
        assert files.load(KEY) is None
        assert not path.exists()
    assert capsys.readouterr().err == "sonmf: removed a damaged file of compiled kernels; it is compiled again\n"


def triple(x):
    return 3 * x


def made_in(folder, monkeypatch):
    kernel_files.say_once.cache_clear()
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(folder))
    return compiled(triple)


def test_a_kernel_comes_from_disk_and_heals_after_damage(tmp_path, monkeypatch, capsys):
    assert made_in(tmp_path, monkeypatch)(2.0) == 6
    (path,) = tmp_path.rglob("*.kernel")
    whole = path.read_bytes()
    loaded = made_in(tmp_path, monkeypatch)
    assert loaded(2.0) == 6
    assert sum(loaded.stats.cache_hits.values()) == 1
    path.write_bytes(whole[:-1])
    assert made_in(tmp_path, monkeypatch)(2.0) == 6
    assert len(path.read_bytes()) == len(whole)
    assert "damaged" in capsys.readouterr().err


def test_a_whole_file_that_numba_cannot_read_is_compiled_again(tmp_path, monkeypatch, capsys):
    made_in(tmp_path, monkeypatch)(2.0)
    kernel = made_in(tmp_path, monkeypatch)
    monkeypatch.setattr(kernel._cache._impl, "rebuild", lambda *content: 1 / 0, raising=False)
    assert kernel(2.0) == 6
    assert "damaged" in capsys.readouterr().err


def test_a_full_folder_costs_one_line(tmp_path, monkeypatch, capsys):
    def full(source, target):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    kernel = made_in(tmp_path, monkeypatch)
    assert kernel(2.0) == 6
    assert kernel(2) == 6
    assert capsys.readouterr().err.count("cannot be kept") == 1
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


READ_ONLY = """
import tempfile

def refuse(*arguments, **options):
    raise PermissionError(13, "Permission denied")

tempfile.TemporaryFile = refuse  # numba's own test whether it may write to a folder
import sonmf.kernels.least_squares as squares
import numpy as np

B = np.array([[1.0, -1.0]])
squares.nonnegative(B, np.eye(2))
print(B.tolist())
"""


def test_where_no_folder_can_be_written_everything_runs_with_one_line():
    done = subprocess.run([sys.executable, "-c", READ_ONLY], capture_output=True, text=True, check=True)
    assert done.stdout == "[[1.0, 0.0]]\n"
    assert done.stderr.count("\n") == 1
    assert "at every run because no folder to keep them in can be written: set NUMBA_CACHE_DIR" in done.stderr
