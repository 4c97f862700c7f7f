"""Tiles hold what was packed, and the vector operations of compiled code are their formulas."""

from __future__ import annotations

import numba
import numpy as np
import pytest

from sonmf.kernels import lanes, lanes_llvm, lanes_plain


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("columns", [1, 15, 16, 17, 32, 33, 70])
@pytest.mark.parametrize("rows", [0, 1, 9])
def test_tiles_hold_the_matrix_on_cache_lines_and_nothing_else(rows, columns, dtype):
    A = np.random.default_rng(0).normal(size=(rows, columns)).astype(dtype)
    tiles = lanes.pack(A)
    assert np.array_equal(lanes.unpack(tiles[:, None], columns), A)
    assert np.array_equal(lanes.unpack(np.stack([tiles] * 3, axis=1), columns), A + A + A)
    assert np.count_nonzero(tiles) == A.size
    for tile in tiles:
        assert rows == 0 or tile.ctypes.data % lanes.CACHE_LINE == 0
        assert tile.shape[1] * tile.itemsize % lanes.CACHE_LINE == 0


def combine_by(rows):
    """B[1] = [A[0] + x A[2]]+, B[0] += x B[1]; returns ||B[1]||^2."""

    @numba.njit
    def combine(A, B, x, width):
        row = rows.positive(rows.plus(rows.plus(rows.nothing(A, width), 1, A, 0), x, A, 2))
        rows.put(B, 1, row)
        rows.add(B, 0, x, row)
        return rows.square(row)

    return combine


COMBINE = {"llvm": combine_by(lanes_llvm), "plain": combine_by(lanes_plain)}


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("width", [lanes.NARROW, lanes.WIDE], ids=str)
@pytest.mark.parametrize("way", COMBINE)
def test_operations_on_rows_are_their_formulas(way, width, dtype):
    rng = np.random.default_rng(0)
    A, before = rng.normal(size=(3, width)).astype(dtype), rng.normal(size=(2, width)).astype(dtype)
    B, x = before.copy(), dtype(-0.7)
    square = COMBINE[way](A, B, x, width)
    expected = np.maximum(A[0] + x * A[2], 0)
    assert np.allclose(B[1], expected, rtol=1e-6)
    assert np.allclose(B[0], before[0] + x * expected, rtol=1e-5, atol=1e-6)
    assert isinstance(square, float)
    assert np.isclose(square, np.sum(expected.astype(float) ** 2), rtol=1e-6)
