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


def normal(*shape):
    return np.random.default_rng(0).normal(size=shape)


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
def test_the_distance_of_tall_matrices_is_the_norm_of_their_difference(place, dtype, thread_count):
    A, B = normal(5001, 40).astype(dtype), np.ones((5001, 40), dtype)
    assert np.isclose(
        device_arrays.distance(place(A), place(B)), np.linalg.norm(A.astype(float) - B), rtol=1e3 * np.finfo(dtype).eps
    )
