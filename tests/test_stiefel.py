from __future__ import annotations

from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matrices import problems

from sonmf import stiefel


def with_singular_values(values, p, seed=0):
    rng = np.random.default_rng(seed)
    U = np.linalg.qr(rng.normal(size=(p, len(values))))[0]
    V = np.linalg.qr(rng.normal(size=(len(values), len(values))))[0]
    return (U * values) @ V.T


@given(problem=problems())
def test_the_polar_factor_is_orthonormal_and_maximises_the_trace(problem):
    X, F = problem
    M = X.T @ (X @ F)
    P = stiefel.polar(M)
    assert stiefel.residual(P) <= 1e-24
    nuclear = np.linalg.svd(M, compute_uv=False).sum()
    assert np.isclose(np.vdot(P, M), nuclear, rtol=1e-9, atol=1e-300)


@pytest.mark.parametrize("smallest", [1.0, 1e-3, 1e-4, 1e-6, 1e-9, 1e-13, 1e-17, 0.0])
def test_the_polar_factor_survives_any_condition(smallest):
    M = with_singular_values(np.geomspace(1, smallest, 12) if smallest else np.r_[np.ones(6), np.zeros(6)], 40)
    P = stiefel.polar(M)
    assert stiefel.residual(P) <= 1e-24
    assert np.isclose(np.vdot(P, M), np.linalg.svd(M, compute_uv=False).sum(), rtol=1e-12)


@pytest.mark.parametrize("scale", [1e-300, 1e-150, 1.0, 1e150, 1e300])
def test_the_polar_factor_does_not_depend_on_scale(scale):
    M = with_singular_values(np.geomspace(1, 1e-2, 5), 30)
    assert np.allclose(stiefel.polar(M * scale), stiefel.polar(M), atol=1e-12)


def test_the_polar_factor_of_nothing_is_a_basis():
    assert stiefel.residual(stiefel.polar(np.zeros((5, 3)))) == 0
    assert stiefel.rank(np.zeros((5, 3))) == 0


@pytest.mark.parametrize("size", [1e-9, 1e-4, 0.05, 3.0])
def test_a_correction_reaches_the_nearest_orthonormal_matrix(size):
    rng = np.random.default_rng(0)
    F = np.linalg.qr(rng.normal(size=(30, 6)))[0] + size * rng.normal(size=(30, 6)) / 13
    U, _, Vt = np.linalg.svd(F, full_matrices=False)
    assert np.allclose(stiefel.nearest_orthonormal(F), U @ Vt, atol=1e-9)
    assert stiefel.residual(stiefel.nearest_orthonormal(F)) <= 1e-24


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("smallest", [1.0, 1e-2, 1e-3, 1e-8, 0.0])
def test_a_basis_spans_what_it_is_made_of(smallest, dtype):
    Z = with_singular_values(np.geomspace(1, smallest, 12) if smallest else np.r_[np.ones(6), np.zeros(6)], 40)
    Q = stiefel.basis(Z.astype(dtype))
    assert Q.dtype == dtype
    assert stiefel.residual(Q.astype(np.float64)) <= 1e-6
    assert np.allclose(Q @ (Q.T @ Z), Z, atol=1e-5)


@pytest.mark.parametrize("condition", [1.0, 1e-2, 1e-4, 0.0])
def test_the_polar_factor_of_float32_is_float32(condition):
    M = with_singular_values(np.geomspace(1, condition, 12) if condition else np.r_[np.ones(6), np.zeros(6)], 40)
    P = stiefel.polar(M.astype(np.float32))
    assert P.dtype == np.float32
    assert stiefel.residual(P.astype(np.float64)) <= 1e-10
    assert np.isclose(np.vdot(P, M), np.linalg.svd(M, compute_uv=False).sum(), rtol=1e-5)


@pytest.mark.parametrize("rank", [1, 4, 9])
def test_rank_counts_what_is_above_rounding(rank):
    assert stiefel.rank(with_singular_values(np.r_[np.geomspace(1, 1e-6, rank), np.zeros(9 - rank)], 30)) == rank


@given(tau=st.floats(1e-12, 1e8), seed=st.integers(0, 1000))
def test_the_cayley_curve_stays_on_the_manifold_and_is_its_formula(tau, seed):
    rng = np.random.default_rng(seed)
    F, R, M = np.linalg.qr(rng.normal(size=(12, 3)))[0], rng.normal(size=(12, 3)), rng.normal(size=(12, 3))
    curve = stiefel.CayleyCurve(F, R, M)
    Y = curve.point(tau)
    S = R @ F.T - F @ R.T
    expected = np.linalg.solve(np.eye(12) + tau / 2 * S, (np.eye(12) - tau / 2 * S) @ F)
    assert stiefel.residual(Y) <= 1e-24
    assert np.allclose(Y, expected, atol=1e-6)
    assert np.isclose(curve.gain(tau), np.vdot(expected - F, M), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("size", [1e-8, 1e8, 1e14])
@pytest.mark.parametrize("k", [2, 5, 6])
def test_the_cayley_curve_survives_any_gradient(size, k):
    """Also where R has no part outside the span of F, or where F fills the space."""
    rng = np.random.default_rng(0)
    F = np.linalg.qr(rng.normal(size=(6, k)))[0]
    for R in (size * rng.normal(size=(6, k)), size * F @ rng.normal(size=(k, k)), np.zeros((6, k))):
        curve = stiefel.CayleyCurve(F, R, R)
        for tau in (1e-8, 1.0, 1e8):
            assert stiefel.residual(curve.point(tau)) <= 1e-24
            assert np.isfinite(curve.gain(tau))


def test_the_cayley_curve_leaves_downhill():
    """dY/dtau at 0 is -SF, and its inner product with the gradient R is not positive."""
    rng = np.random.default_rng(1)
    F, R = np.linalg.qr(rng.normal(size=(12, 3)))[0], rng.normal(size=(12, 3))
    curve = stiefel.CayleyCurve(F, R, -R)
    slope = (curve.point(1e-6) - F) / 1e-6
    assert np.allclose(slope, -(R @ F.T - F @ R.T) @ F, atol=1e-4)
    assert np.vdot(R, slope) < 0
    assert curve.gain(1e-6) > 0


@pytest.mark.parametrize("condition", [3.0, 30.0, 42.0, 43.0, 300.0])  # of M; about 42 the correction begins to be needed
@pytest.mark.parametrize(("words", "topics"), [(60, 8), (500, 100), (6000, 40)])
def test_the_polar_factor_keeps_its_promise_whether_it_was_corrected_or_not(words, topics, condition):
    rng = np.random.default_rng(0)
    U, V = (np.linalg.qr(rng.normal(size=(rows, topics)))[0] for rows in (words, topics))
    for values in (np.geomspace(1, condition, topics), np.r_[1.0, np.full(topics - 1, condition)]):
        assert stiefel.residual(stiefel.polar(U * values @ V.T)) <= 1e-24


@pytest.mark.parametrize("condition", [1.0, 30.0, 1e3, 1e4, 1e5])
def test_with_many_threads_the_polar_factor_is_the_same_and_keeps_its_promise(condition):
    M = 1e5 * with_singular_values(np.geomspace(1, condition, 40), 900)
    expected = stiefel.polar(M)
    with mock.patch("sonmf.device_arrays.count", return_value=16):
        F = stiefel.polar(M)
    assert stiefel.residual(F) <= 1e-24
    assert np.abs(F - expected).max() <= 1e-15 * max(condition**2, 100)


@pytest.mark.parametrize("condition", [30, 300, 1500, 2000, 2600])
def test_the_promise_holds_where_one_small_direction_is_spread_over_all_columns(condition):
    k = 256
    values = np.where(np.arange(k) <= k // 10, 2 / condition, 1.0)
    values[-1] = 1 / condition
    mirror = np.full(k, k**-0.5) - np.eye(k)[-1]  # the last direction is spread over all columns, the others are not
    V = np.eye(k) - 2 * np.outer(mirror, mirror) / (mirror @ mirror)
    U = np.linalg.qr(np.random.default_rng(0).standard_normal((k + 50, k)))[0]
    assert stiefel.residual(stiefel.polar(U @ (V * np.sqrt(values)) @ V.T)) <= stiefel.PROMISED
