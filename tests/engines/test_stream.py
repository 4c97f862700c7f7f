"""Blocks that are read again for every pass give the in-memory fit, within the memory given, and leave no file behind."""

from __future__ import annotations

import gc
import itertools
import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from sklearn.base import clone

from sonmf import NMF, ONMF, SONMF, BinarySONMF, LogisticNMF, SemiNMF, simulate
from sonmf.engines.blocks import PROCESS, Blocks, _csr_blocks, block_bytes, open_blocks, parse_bytes, resident, save_csr
from sonmf.errors import InputError

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
CORPUS = simulate.corpus(1000, 120, random_state=0)
ONES = scipy.sparse.csr_array(simulate.binary(300, 60, 4, random_state=0)[0])


def rows(X, count=5):
    cuts = (X.shape[0] * np.linspace(0, 1, count + 1) ** 1.5).astype(int)
    return [X[a:b] for a, b in itertools.pairwise(cuts)]


def as_npz(folder, X):
    for number, block in enumerate(rows(X)):
        scipy.sparse.save_npz(folder / f"{number}.npz", block)


def as_parquet(folder, X):
    for number, block in enumerate(rows(X)):
        pd.DataFrame(block.toarray(), columns=[f"w{j}" for j in range(X.shape[1])]).to_parquet(folder / f"{number}.parquet")


FORMATS = {"npz": as_npz, "parquet": as_parquet, "csr": save_csr}


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("make", [SONMF, BinarySONMF])
def test_every_kind_of_file_gives_the_fit_in_memory(tmp_path, form, make, thread_count):
    the_fit_in_memory(tmp_path, FORMATS[form], make)


@pytest.mark.parametrize("make", [NMF, ONMF, SemiNMF, LogisticNMF])
def test_every_method_gives_the_fit_in_memory(tmp_path, make):
    the_fit_in_memory(tmp_path, save_csr, make)


def the_fit_in_memory(tmp_path, write, make):
    X = ONES if make in (BinarySONMF, LogisticNMF) else CORPUS
    write(tmp_path, X)
    model = make(3, max_iter=6, random_state=0)
    here, there = clone(model).fit(X), clone(model).fit(open_blocks(tmp_path))
    assert np.allclose(here.components_, there.components_, rtol=0, atol=1e-10)
    assert here.n_passes_ == there.n_passes_
    assert np.allclose(here.transform(X), there.transform(open_blocks(tmp_path)), atol=1e-5)
    assert np.isclose(here.score(X), there.score(open_blocks(tmp_path)), rtol=1e-7)


def test_nothing_is_left_in_the_temporary_folder(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    blocks = rows(ONES)
    X = Blocks([block.copy for block in blocks], [block.shape[0] for block in blocks], 60, float)
    during = []
    model = BinarySONMF(2, max_iter=8, tol=0, callback=lambda it: during.append(len(list(tmp_path.rglob("tmp*")))))
    G = model.fit_transform(X)
    assert G.shape == (300, 2)
    assert 0 < max(during) <= 4 * len(blocks)  # old states go when nobody needs them
    del G
    gc.collect()
    assert list(tmp_path.iterdir()) == []


def test_a_csr_matrix_is_cut_into_blocks_that_fit(tmp_path):
    save_csr(tmp_path, CORPUS)
    whole = CORPUS.data.nbytes + CORPUS.indices.nbytes
    X = _csr_blocks(tmp_path, whole // 10)
    read = [reader() for reader in X.readers]
    assert len(read) > 10
    assert max(block.data.nbytes + block.indices.nbytes for block in read) <= whole // 10
    assert [block.shape[0] for block in read] == X.sizes
    assert np.array_equal(scipy.sparse.vstack(read).toarray(), CORPUS.toarray())


WARM = """
from sonmf import SONMF, simulate
SONMF(3, init="random", max_iter=2).fit(simulate.corpus(5000, 800, random_state=0))  # loads all libraries and buffers
"""
UNDER_A_LIMIT = f"""
import resource, sys
from pathlib import Path
import numpy as np
from sonmf.engines.blocks import PROCESS, open_blocks
{WARM}

def status(name):
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(name))

budget = max(PROCESS, status("VmRSS")) + int(sys.argv[2])  # libraries take more or less memory from machine to machine
X = open_blocks(sys.argv[1], budget)
limit = status("VmData") + budget - status("VmRSS")
resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))
F = np.linalg.qr(np.random.default_rng(0).normal(size=(X.shape[1], 3)))[0]
model = SONMF(3, init=F, max_iter=2, tol=0).fit(X)
print(status("VmHWM") <= budget, len(X.readers), model.objective_history_[-1])
try:
    [read() for read in X.readers]
except MemoryError:
    print("the limit holds")
"""


@pytest.mark.long
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="only Linux tells a process how much memory it holds")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_a_matrix_four_times_the_memory_is_fitted_under_an_enforced_limit(tmp_path):
    room = 60 * 10**6
    once = simulate.corpus(2000, 800, random_state=0)
    copies = 1 + 4 * room // (once.data.nbytes + once.indices.nbytes)
    X = scipy.sparse.vstack([once] * copies, format="csr")
    save_csr(tmp_path, X)
    subprocess.run([sys.executable, "-W", "ignore", "-c", WARM], check=True)  # a compiler would take memory of its own
    command = [sys.executable, "-W", "ignore", "-c", UNDER_A_LIMIT, str(tmp_path), str(room)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    (within, blocks, objective), limit = (line.split() for line in done.stdout.splitlines())
    F = np.linalg.qr(np.random.default_rng(0).normal(size=(800, 3)))[0]
    assert limit[-1] == "holds"
    assert within == "True"
    assert int(blocks) > 16
    expected = SONMF(3, init=F, max_iter=2, tol=0).fit(once).objective_history_[-1]
    assert np.isclose(float(objective), expected, rtol=1e-9)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1GB", 10**9),
        ("512 mib", 2**29),
        ("1.5e3", None),
        ("1.2.3GB", None),
        (".", None),
        (".5kB", 500),
        ("2 TB", 2 * 10**12),
        (7, 7),
    ],
)
def test_sizes_are_read_as_people_write_them(text, value):
    if value is None:
        with pytest.raises(InputError, match="is not a size: write it like 1GB"):
            parse_bytes(text)
    else:
        assert parse_bytes(text) == value


class TestBadInput:
    def test_an_empty_folder(self, tmp_path):
        with pytest.raises(ValueError, match=r"holds no blocks: give a folder of \.npz files"):
            open_blocks(tmp_path)

    def test_a_file_of_another_kind(self, tmp_path):
        (tmp_path / "a.npz").write_text("nothing of the sort")
        with pytest.raises(ValueError, match=r"a\.npz is not a CSR matrix in npz form: write it with scipy.sparse.save_npz"):
            open_blocks(tmp_path)

    @pytest.mark.parametrize("name", ["shape", "data"])
    def test_an_array_that_is_cut_short(self, tmp_path, name):
        save_csr(tmp_path, CORPUS)
        (tmp_path / f"{name}.npy").write_bytes((tmp_path / f"{name}.npy").read_bytes()[:40])
        with pytest.raises(InputError, match="one of its arrays cannot be read; write it again with save_csr"):
            open_blocks(tmp_path)

    def test_a_column_of_text(self, tmp_path):
        pd.DataFrame({"cough": [1.0, 2.0], "note": ["chest pain", "fall"]}).to_parquet(tmp_path / "a.parquet")
        with pytest.raises(InputError, match=r"a\.parquet is damaged, or has a column that is not of numbers") as caught:
            SONMF(1).fit(open_blocks(tmp_path))
        assert "chest" not in str(caught.value)

    def test_other_columns(self, tmp_path):
        scipy.sparse.save_npz(tmp_path / "a.npz", CORPUS)
        scipy.sparse.save_npz(tmp_path / "b.npz", CORPUS[:, 1:])
        with pytest.raises(ValueError, match=r"b\.npz has 119 words, but a\.npz has 120"):
            open_blocks(tmp_path)

    def test_a_file_that_does_not_fit(self, tmp_path):
        scipy.sparse.save_npz(tmp_path / "a.npz", scipy.sparse.csr_array(np.ones((1500, 1000))))
        with pytest.raises(ValueError, match=r"a\.npz needs 18 MB, but blocks of at most"):
            open_blocks(tmp_path, max(resident(), PROCESS) + 50 * 10**6)

    def test_no_memory_at_all(self):
        with pytest.raises(ValueError, match=r"memory=100MB leaves no room for documents.*give at least"):
            block_bytes("100MB")

    def test_a_nan_in_a_later_block_is_found_when_it_is_read(self, tmp_path):
        X = CORPUS.copy()
        X.data[-1] = np.nan
        as_npz(tmp_path, X)
        model = SONMF(2)
        with pytest.raises(ValueError, match="a block of X contains NaN"):
            model.fit(open_blocks(tmp_path))
        assert not [name for name in vars(model) if name.endswith("_")]


@pytest.mark.parametrize("lazy", ["dask", "blocks"])
def test_an_entry_that_is_refused_is_named_by_its_row_in_x(lazy):
    X = np.zeros((40, 12))
    X[33, 5] = 3
    given = Blocks([partial(X.__getitem__, slice(a, a + 10)) for a in range(0, 40, 10)], [10] * 4, 12, X.dtype)
    if lazy == "dask":
        dask = pytest.importorskip("dask.array", reason="dask did not run: python -m pip install 'sonmf[dask]'")
        given = dask.from_array(X, chunks=(10, 12))
    with pytest.raises(ValueError, match=r"only 0 and 1, but X\[33, 5\] is 3"):
        BinarySONMF(2).fit(given)
