"""Every kernel, for every kind of block, equals its formula in dense algebra, and its sums add up over any split of rows."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st
from matrices import problems

from sonmf import kernels

BLOCKS = {"dense": np.ascontiguousarray, "csr_matrix": scipy.sparse.csr_matrix, "csr_array": scipy.sparse.csr_array}
SUMS = {
    "ascent": lambda X, F: (X.T @ np.maximum(X @ F, 0), np.sum(np.maximum(X @ F, 0) ** 2)),
    "normal": lambda X, F: (X.T @ (X @ F),),
    "sign_energies": lambda X, F, s: (
        np.sum(np.maximum(X @ F - s, 0) ** 2, axis=0),
        np.sum(np.minimum(X @ F - s, 0) ** 2, axis=0),
    ),
}
SHARED = {"sign_energies": lambda F: (F, F[0] * np.arange(F.shape[1]))}
LOCALS = {"project": lambda X, F: X @ F, "clip": lambda X, F: np.maximum(X @ F, 0)}
EPS = {np.float64: 1e-12, np.float32: 1e-4}


def shift_energy(name, X, F):
    return len(X) * F.shape[1] ** 2 if name == "sign_energies" else 0.0


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
    G, (M, S) = kernels.alternate(lambda XF, G, F: np.abs(XF), B, None, f)
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


@pytest.mark.parametrize("block", BLOCKS)
@pytest.mark.parametrize("pieces", [1, 2, 3, 7])
def test_split_keeps_every_document_in_order_and_copies_none(block, pieces):
    X = BLOCKS[block](np.random.default_rng(0).random((3000, 400)))
    blocks = kernels.split(X, pieces)
    assert 1 <= len(blocks) <= pieces
    if pieces <= 3:
        assert len(blocks) == pieces
    joined = np.vstack([b.toarray() if scipy.sparse.issparse(b) else b for b in blocks])
    assert np.array_equal(joined, X.toarray() if scipy.sparse.issparse(X) else X)
    for b in blocks:
        assert np.shares_memory(
            getattr(b, "data", b) if scipy.sparse.issparse(b) else b, X.data if scipy.sparse.issparse(X) else X
        )


def test_an_unknown_kind_of_block_is_named():
    with pytest.raises(TypeError, match="no kernels for a block of type csc_matrix"):
        kernels.square(scipy.sparse.csc_matrix((2, 2)), None)
