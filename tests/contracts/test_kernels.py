"""Every kernel, for every kind of block, equals its formula in dense algebra, and its sums add up over any split of rows."""

from __future__ import annotations

import itertools
from unittest import mock

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st
from matrices import problems

from sonmf import kernels, simulate
from sonmf.kernels import csr, dense
from sonmf.solvers import multiplicative

BLOCKS = {"dense": np.ascontiguousarray, "csr_matrix": scipy.sparse.csr_matrix, "csr_array": scipy.sparse.csr_array}
SUMS = {
    "ascent": lambda X, F, t: (X.T @ np.maximum(X @ F - t, 0), np.sum(np.maximum(X @ F - t, 0) ** 2)),
    "normal": lambda X, F: (X.T @ (X @ F),),
    "sign_energies": lambda X, F, s: (
        np.sum(np.maximum(X @ F - s, 0) ** 2, axis=0),
        np.sum(np.minimum(X @ F - s, 0) ** 2, axis=0),
    ),
}
SHARED = {"ascent": lambda F: (F, 0.3), "sign_energies": lambda F: (F, F[0] * np.arange(F.shape[1]))}
LOCALS = {"project": lambda X, F: X @ F, "clip": lambda X, F: np.maximum(X @ F, 0)}
EPS = {np.float64: 1e-12, np.float32: 1e-4}


def shift_energy(name, X, F):
    return len(X) * F.shape[1] ** 2 if name in ("ascent", "sign_energies") else 0.0


def close(actual, expected, scale, eps):
    return np.allclose(actual, expected, rtol=0, atol=eps * max(scale, 1e-300))


@pytest.mark.parametrize("dtype", EPS)
@pytest.mark.parametrize("block", BLOCKS)
@given(problem=problems())
def test_kernels_equal_their_formulas(block, dtype, problem):
    X, F = problem
    square = np.sum(X**2)
    B, f = BLOCKS[block](X.astype(dtype)), F.astype(dtype)
    for name, formula in SUMS.items():
        shared = SHARED.get(name, lambda F: (F,))
        local, sums = getattr(kernels, name)(B, None, *shared(f))
        assert local is None
        for actual, expected in zip(sums, formula(X, *shared(F)), strict=True):
            assert close(actual, expected, square + shift_energy(name, X, F), EPS[dtype]), name
    for name, formula in LOCALS.items():
        local, sums = getattr(kernels, name)(B, None, f)
        assert sums == ()
        assert local.dtype == dtype
        assert close(local, formula(X, F), np.sqrt(square), EPS[dtype]), name
    assert np.isclose(kernels.square(B, None)[1][0], square, rtol=EPS[dtype])


@pytest.mark.parametrize("dtype", EPS)
@pytest.mark.parametrize("k", [15, 16, 17, 32, 33, 64, 70])
def test_any_number_of_topics_fits_its_tiles(k, dtype):
    """The compiled kernels take 16 or 32 topics at a time; the last tile is seldom full."""
    X = np.random.default_rng(0).normal(size=(90, 80)) * (np.random.default_rng(1).random((90, 80)) < 0.2)
    F = np.linalg.qr(np.random.default_rng(2).normal(size=(80, k)))[0]
    B, f, square = scipy.sparse.csr_array(X.astype(dtype)), F.astype(dtype), np.sum(X**2)
    for name, formula in SUMS.items():
        shared = SHARED.get(name, lambda F: (F,))
        for actual, expected in zip(getattr(kernels, name)(B, None, *shared(f))[1], formula(X, *shared(F)), strict=True):
            assert close(actual, expected, square + shift_energy(name, X, F), EPS[dtype]), name
    assert close(kernels.project(B, None, f)[0], X @ F, np.sqrt(square), EPS[dtype])
    G, (M, S) = kernels.alternate(lambda XF, G, A: np.abs(XF), B, None, f)
    assert close(M, X.T @ np.abs(X @ F), square, EPS[dtype])
    assert close(S, G.T @ G, square, EPS[dtype])


@pytest.mark.parametrize("block", BLOCKS)
@pytest.mark.parametrize("k", [3, 40])
def test_a_block_without_documents_adds_nothing(block, k):
    X, F = BLOCKS[block](np.zeros((0, 50))), np.eye(50, k)
    assert kernels.project(X, None, F)[0].shape == (0, k)
    assert not kernels.ascent(X, None, F)[1][0].any()


@pytest.mark.parametrize("block", BLOCKS)
@given(problem=problems(), data=st.data())
def test_sums_add_up_over_any_split_of_the_rows(block, problem, data):
    X, F = problem
    cut = data.draw(st.integers(0, len(X)))
    for name in SUMS:
        kernel, shared = getattr(kernels, name), SHARED.get(name, lambda F: (F,))(F)
        whole = kernel(BLOCKS[block](X), None, *shared)[1]
        parts = [kernel(BLOCKS[block](rows), None, *shared)[1] for rows in (X[:cut], X[cut:])]
        for total, a, b in zip(whole, *parts, strict=True):
            assert close(np.add(a, b), total, np.sum(X**2) + shift_energy(name, X, F), 1e-12), name


@pytest.mark.parametrize("k", [3, 40, 150])
@pytest.mark.parametrize("block", BLOCKS)
def test_any_number_of_threads_gives_the_same(block, k):
    """However a block is cut into shares of documents and tiles of topics, the sums are those of one thread."""
    X = simulate.corpus(3000, 400, random_state=0)
    X, F = BLOCKS[block](X.toarray()), np.linalg.qr(np.random.default_rng(0).normal(size=(400, k)))[0]
    G = np.abs(np.random.default_rng(1).normal(size=(3000, k)))
    results = []
    for count in (1, 2, 3, 16):
        with mock.patch("sonmf.threads.count", return_value=count):
            M, energy = kernels.ascent(X, None, F)[1]
            moved, (back, S) = kernels.alternate(multiplicative.move_G, X, G, np.abs(F))
            results.append(
                [M, energy, *kernels.normal(X, None, F)[1], *kernels.sign_energies(X, None, F, np.zeros(k))[1], moved, back, S]
            )
    for one, other in itertools.product(results[:1], results[1:]):
        for a, b in zip(one, other, strict=True):
            assert np.allclose(a, b, rtol=0, atol=1e-12 * np.abs(a).max())


def shares(X):
    if not scipy.sparse.issparse(X):
        return dense.shares(X)
    return list(itertools.starmap(slice, itertools.pairwise(csr._bounds(X.indptr, csr._team(X.indptr, 1)))))


@pytest.mark.parametrize("block", BLOCKS)
@pytest.mark.parametrize("documents", [0, 1, 7, 3000])
def test_shares_hold_every_document_once(block, documents):
    X = BLOCKS[block](np.random.default_rng(0).random((documents, 400)))
    for count in (1, 2, 5, 16):
        with mock.patch("sonmf.threads.count", return_value=count):
            rows = shares(X)
        assert 1 <= len(rows) <= count
        assert np.array_equal(np.concatenate([np.arange(documents)[share] for share in rows]), np.arange(documents))
        assert documents < 3000 or len(rows) >= min(count, 5)


def test_an_unknown_kind_of_block_is_named():
    with pytest.raises(TypeError, match="no kernels for a block of type csc_matrix"):
        kernels.square(scipy.sparse.csc_matrix((2, 2)), None)
