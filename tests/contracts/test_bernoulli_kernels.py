"""The tiled kernels for 0/1 data equal their formulas with the n x p matrix formed, at any size of theta."""

from __future__ import annotations

import numpy as np
import oracles
import pytest
import scipy.optimize
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st

from sonmf.kernels import bernoulli, least_squares


@st.composite
def models(draw):
    """0/1 data with all-zero and all-one rows and columns, and factors from small to 1e4 in theta."""
    n, p, k = draw(st.integers(1, 40)), draw(st.integers(1, 20)), draw(st.integers(1, 4))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    X = (rng.random((n, p)) < draw(st.sampled_from([0.0, 0.02, 0.5, 1.0]))).astype(float)
    X[0], X[:, -1] = draw(st.sampled_from([0, 1])), draw(st.sampled_from([0, 1]))
    size = draw(st.sampled_from([0.0, 0.1, 3.0, 1e4]))
    return X, size * rng.random((n, k)), rng.normal(size=(p, k)), rng.normal(size=p)


@pytest.fixture(autouse=True)
def short_stripes(monkeypatch):
    """Stripes of eight documents, so that small data have several."""
    monkeypatch.setattr(bernoulli, "STRIPE_BYTES", 1)


def naive(X, G, F, mu):
    theta = mu + G @ F.T
    return np.sum(np.logaddexp(0, theta) - X * theta), X - oracles.sigmoid(theta)


@given(model=models())
def test_costs_and_gradients_equal_their_formulas(model):
    X, G, F, mu = model
    cost, D = naive(X, G, F, mu)
    S = scipy.sparse.csr_array(X)
    scale = np.abs(mu + G @ F.T).sum() + 1
    _, (value, square) = bernoulli.evaluate(S, G, F, mu)
    _, (again, DG, d) = bernoulli.gradients(S, G, F, mu)
    assert np.isclose(value, cost, rtol=1e-10, atol=1e-10 * scale)
    assert value == again
    assert np.isclose(square, np.sum(G**2))
    assert np.allclose(DG, D.T @ G, atol=1e-9 * (1 + np.abs(G).sum()))
    assert np.allclose(d, D.sum(axis=0), atol=1e-9)


@given(model=models(), beta=st.sampled_from([0.0, 0.5]), alpha=st.sampled_from([0.0, 0.01, 1.0]))
def test_the_majoriser_step_equals_its_formula(model, beta, alpha):
    X, G, F, mu = model
    F = np.linalg.qr(F)[0]
    G = G[:, : F.shape[1]]  # qr is narrower where there are fewer words than topics
    old = np.roll(G, 1, axis=0)
    Y = np.maximum(G + beta * (G - old), 0)
    cost, D = naive(X, Y, F, mu)
    new = np.maximum(Y + 4 * D @ F, 0) / (1 + 8 * alpha)
    codes = bernoulli.Codes(old, G, old)
    local, sums = bernoulli.majorise(scipy.sparse.csr_array(X), codes, F, mu, beta, alpha)
    expected = (cost, 0.0, np.sum(Y**2), D.T @ new, D.sum(axis=0), Y.T @ new, Y.sum(axis=0), new.sum(axis=0))
    size = 1 + np.abs(Y).sum() ** 2
    assert np.allclose(local.G, Y)
    assert np.allclose(local.image, new, atol=1e-9 * size)
    assert local.previous is G
    for actual, wanted in zip(sums, expected, strict=True):
        assert np.allclose(actual, wanted, rtol=1e-9, atol=1e-9 * size)


@given(model=models(), data=st.data())
def test_sums_add_up_over_any_split_of_the_documents(model, data):
    X, G, F, mu = model
    cut = data.draw(st.integers(0, len(X)))
    whole = bernoulli.gradients(scipy.sparse.csr_array(X), G, F, mu)[1]
    parts = [bernoulli.gradients(scipy.sparse.csr_array(X[s]), G[s], F, mu)[1] for s in (slice(cut), slice(cut, None))]
    for total, a, b in zip(whole, *parts, strict=True):
        assert np.allclose(np.add(a, b), total, rtol=1e-10, atol=1e-9 * (1 + np.abs(G).sum()))


@given(model=models())
def test_the_newton_step_equals_its_formula(model):
    X, G, F, mu = model
    _, D = naive(X, G, F, mu)
    P = X - D
    D1, D2 = 0.2 * G - D @ F, (P * (1 - P)) @ F**2 + 0.2
    new, _ = bernoulli.newton(scipy.sparse.csr_array(X), G, F, mu, 0.05, 0.1)
    assert np.allclose(new, np.maximum(G - 0.05 * D1 / D2, 0), rtol=1e-6, atol=1e-8)


@given(model=models(), length=st.integers(1, 20), seed=st.integers(0, 99))
def test_entries_held_out_leave_the_fit_and_are_costed_apart(model, length, seed):
    X, G, F, mu = model
    n, p = X.shape
    length = min(length, p)
    rng = np.random.default_rng(seed)
    shuffled = rng.permutation(p)
    holdout = bernoulli.Holdout(rng.integers(0, p, n), shuffled, np.argsort(shuffled), length)
    mask = np.zeros((n, p), bool)
    for i in range(n):
        mask[i, holdout.shuffled[(holdout.first[i] + np.arange(length)) % p]] = True
    theta = mu + G @ F.T
    entry = np.logaddexp(0, theta) - X * theta
    D = np.where(mask, 0, X - oracles.sigmoid(theta))
    stripes = bernoulli.stripes(scipy.sparse.csr_array(X), slice(0, len(X)), G, F, mu, holdout)
    seen = [(stripe.D.copy(), stripe.cost, stripe.held_out) for stripe in stripes]
    assert mask.sum() == n * length
    assert np.allclose(np.vstack([s[0] for s in seen]), D, atol=1e-12)
    scale = 1e-10 * (1 + np.abs(theta).sum())
    assert np.isclose(sum(s[1] for s in seen), entry[~mask].sum(), rtol=1e-10, atol=scale)
    assert np.isclose(sum(s[2] for s in seen), entry[mask].sum(), rtol=1e-10, atol=scale)


@given(seed=st.integers(0, 1000), alpha=st.sampled_from([0.01, 0.3]))
def test_the_solution_for_g_is_that_of_a_general_optimiser(seed, alpha):
    rng = np.random.default_rng(seed)
    X, F, mu = (rng.random((9, 15)) < 0.4).astype(float), np.linalg.qr(rng.normal(size=(15, 3)))[0], rng.normal(size=15)
    G, _ = bernoulli.solve(scipy.sparse.csr_array(X), None, F, mu, alpha, 0.0, 1.0)
    for x, g in zip(X, G, strict=True):

        def cost(g, x=x):
            theta = mu + F @ g
            return np.sum(np.logaddexp(0, theta) - x * theta) + alpha * g @ g

        best = scipy.optimize.minimize(cost, np.ones(3), bounds=[(0, None)] * 3, options={"ftol": 1e-15, "gtol": 1e-10})
        assert cost(g) <= best.fun + 1e-9
        assert np.allclose(g, best.x, atol=1e-3)


def test_float32_agrees_with_float64():
    rng = np.random.default_rng(0)
    X, G, F, mu = (rng.random((50, 30)) < 0.2).astype(float), rng.random((50, 4)), rng.normal(size=(30, 4)), rng.normal(size=30)
    double = bernoulli.gradients(scipy.sparse.csr_array(X), G, F, mu)[1]
    single = bernoulli.gradients(*(a.astype(np.float32) for a in (scipy.sparse.csr_array(X), G, F, mu)))[1]
    for a, b in zip(double, single, strict=True):
        assert np.allclose(a, b, rtol=1e-4, atol=1e-4)
    assert single[1].dtype == np.float32


@given(seed=st.integers(0, 1000), k=st.integers(1, 8))
def test_nonnegative_least_squares_is_that_of_scipy(seed, k):
    rng = np.random.default_rng(seed)
    F, X = rng.normal(size=(12, k)), rng.normal(size=(7, 12))
    B = X @ F
    least_squares.nonnegative(B, F.T @ F)
    for x, g in zip(X, B, strict=True):
        expected, _ = scipy.optimize.nnls(F, x)
        assert np.allclose(g, expected, atol=1e-6)


def test_nonnegative_least_squares_survives_a_dead_topic():
    B = np.array([[1.0, -1.0, 0.0]])
    least_squares.nonnegative(B, np.diag([2.0, 1.0, 0.0]))
    assert np.array_equal(B, [[0.5, 0.0, 0.0]])
