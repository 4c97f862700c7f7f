"""Products of tall matrices with small ones equal plain ones, in memory and as tensors, and so do the formulas made of them."""

from __future__ import annotations

import numpy as np
import pytest

from sonmf import device_arrays, stiefel


def in_memory(A):
    return A


def as_tensor(A):
    import torch

    return torch.tensor(A)


PLACES = [in_memory, pytest.param(as_tensor, marks=pytest.mark.torch)]


def normal(*shape, seed=0):
    return np.random.default_rng(seed).normal(size=shape)


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("columns", [1, 30, 90])
def test_tall_products_equal_plain_ones(place, columns, thread_count):
    A, B = normal(5001, 40), normal(40, columns)
    assert np.allclose(device_arrays.gram(place(A)), A.T @ A, rtol=1e-12)
    assert np.allclose(device_arrays.to_numpy(device_arrays.product(place(A), B)), A @ B, rtol=0, atol=1e-12)


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_a_tall_matrix_is_shrunk_at_least_in_the_precision_of_the_small_one(place, dtype, thread_count):
    A, B = normal(5001, 40), normal(40, 40).astype(dtype)
    assert np.allclose(
        device_arrays.to_numpy(device_arrays.shrink(place(A), B)), A - A @ B, rtol=0, atol=1e3 * np.finfo(dtype).eps
    )


@pytest.mark.torch
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("smallest", [1.0, 1e-3, 1e-9, 0.0])
@pytest.mark.parametrize("scale", [0.0, 1.0, 1e-30])
def test_the_polar_factor_of_a_tensor_is_that_of_the_array(dtype, smallest, scale):
    M = (scale * normal(60, 8) @ np.diag(np.r_[np.ones(7), smallest])).astype(dtype)
    here, there = stiefel.polar(M), stiefel.polar(as_tensor(M))
    assert there.dtype == as_tensor(M).dtype
    assert stiefel.residual(device_arrays.to_numpy(there).astype(np.float64)) <= (1e-24 if dtype == np.float64 else 1e-10)
    seen = here if smallest else here @ here.T @ M  # without full rank the basis is completed by what rounding left
    assert np.allclose(
        seen,
        device_arrays.to_numpy(there) if smallest else device_arrays.to_numpy(there) @ device_arrays.to_numpy(there).T @ M,
        atol=1e-4,
    )


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_columns_turn_by_the_distance_of_their_directions(place, dtype, thread_count):
    A, B = normal(5001, 40).astype(dtype), np.ones((5001, 40), dtype)
    B[:, :20] = 3 * A[:, :20] + dtype(1e-3)  # lengths do not count
    expected = np.linalg.norm(A / np.linalg.norm(A.astype(float), axis=0) - B / np.linalg.norm(B.astype(float), axis=0), axis=0)
    assert np.allclose(device_arrays.column_turns(place(A), place(B)), expected, rtol=1e-3 if dtype == np.float32 else 1e-9)


@pytest.mark.parametrize("place", PLACES)
def test_a_small_turn_does_not_drown_in_rounding_and_a_column_of_zeros_does_not_turn(place):
    A = np.linalg.qr(normal(500, 3))[0]
    B = A + 1e-12 * normal(500, 3, seed=1)
    A[:, 2] = 0
    turns = device_arrays.column_turns(place(A), place(B))
    assert np.allclose(turns[:2], np.linalg.norm(A - B, axis=0)[:2], rtol=0.01)
    assert turns[2] == 0
