"""Without LLVM instructions of our own everything runs in plain numba, with the same results."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest

from sonmf import SONMF, blas, llvm, parallel, simulate
from sonmf.blas import native, plain

FIT = """
import sys
import numpy as np
from sonmf import SONMF, llvm, simulate

assert not llvm.AVAILABLE
model = SONMF(5, max_iter=20, tol=0).fit(simulate.corpus(300, 100, random_state=0))
np.save(sys.argv[1], model.components_)
"""


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_a_fit_in_plain_numba_ends_at_the_same_topics(tmp_path):
    chosen = os.environ | {"SONMF_PLAIN_NUMBA": "1", "NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    subprocess.run([sys.executable, "-W", "ignore", "-c", FIT, tmp_path / "F.npy"], env=chosen, check=True)
    expected = SONMF(5, max_iter=20, tol=0).fit(simulate.corpus(300, 100, random_state=0))
    assert np.allclose(np.load(tmp_path / "F.npy"), expected.components_, rtol=0, atol=1e-9)


@pytest.mark.parametrize("lost", [AttributeError, TypeError])
def test_an_llvmlite_without_typed_pointers_is_noticed(monkeypatch, lost):
    def as_pointer(self):
        raise lost

    assert llvm._typed_pointers()
    monkeypatch.setattr(llvm.ir.Type, "as_pointer", as_pointer)
    assert not llvm._typed_pointers()


@pytest.mark.parametrize("way", [native, plain], ids=["native", "plain"])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_products_and_inverses_are_their_formulas(way, dtype):
    rng = np.random.default_rng(0)
    A, B, C = (rng.normal(size=shape).astype(dtype) for shape in ((9, 4), (4, 5), (9, 5)))
    gemm, syrk, potrf, potri = (blas.address(name, dtype) for name in ("gemm", "syrk", "potrf", "potri"))
    close = {"rtol": 0, "atol": 1e3 * np.finfo(dtype).eps}
    out = np.empty((9, 5), dtype)
    way.multiply(gemm, A, B, out)
    assert np.allclose(out, A @ B, **close)
    way.multiply_transposed(gemm, A, np.ascontiguousarray(B.T), out)
    assert np.allclose(out, A @ B, **close)
    total = B.copy()
    way.add_transposed(gemm, A, C, total)
    assert np.allclose(total, B + A.T @ C, **close)
    S, info = np.full((4, 4), np.nan, dtype), np.zeros(1, np.int32)
    way.gram_triangle(syrk, A, S)
    assert np.allclose(np.tril(S), np.tril(A.T @ A), **close)
    S[np.triu_indices(4, 1)] = np.nan  # nothing is there before a sum of triangles is taken
    way.invert_triangle(potrf, potri, S, info)
    assert info[0] == 0
    assert np.allclose(np.tril(S), np.tril(np.linalg.inv(A.T @ A)), **close)
    way.invert_triangle(potrf, potri, -np.eye(4, dtype=dtype), info)
    assert info[0] != 0


def add_item(item, seen):
    seen[item] += item


@pytest.mark.parametrize("team", [1, 3])
def test_the_interpreter_gives_every_item_to_a_thread_once(team):
    seen = np.zeros(50)
    parallel._by_the_interpreter(add_item)(team, 50, (seen,))
    assert np.array_equal(seen, np.arange(50))
