"""The tiled kernels for 0/1 data equal their formulas with the n x p matrix formed, at any size of theta."""

from __future__ import annotations

import numpy as np
import oracles
import pytest
import scipy.optimize
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st

from sonmf import kernels
from sonmf.kernels import bernoulli, least_squares
from sonmf.kernels.binary_documents import BinaryDocuments, LeftOut


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


@st.composite
def partial_documents(draw, X):
    """X with entries held out, missing or neither, and with weights; where an entry is left out; and the weights."""
    n, p = X.shape
    rng = np.random.default_rng(draw(st.integers(0, 99)))
    kind, mask, left_out = draw(st.sampled_from(["whole", "held out", "missing"])), np.zeros((n, p), bool), None
    if kind == "held out":
        length, first, shuffled = draw(st.integers(1, p)), rng.integers(0, p, n), rng.permutation(p)
        left_out = LeftOut(first, np.full(n, length), np.tile(shuffled, 2), watched=True)
        for i in range(n):
            mask[i, shuffled[(first[i] + np.arange(length)) % p]] = True
    elif kind == "missing":
        mask = rng.random((n, p)) < 0.3
        first = np.searchsorted(np.nonzero(mask)[0], np.arange(n + 1))
        left_out = LeftOut(first[:-1], np.diff(first), np.nonzero(mask)[1].astype(np.int32), watched=False)
    w = draw(st.sampled_from([None, rng.random(n), rng.integers(0, 3, n).astype(float)]))
    stored = np.where(mask, 0, X) if kind == "missing" else X
    return BinaryDocuments(scipy.sparse.csr_array(stored), left_out, w), mask, np.ones(n) if w is None else w


@given(model=models(), data=st.data(), beta=st.sampled_from([0.0, 0.5]), alpha=st.sampled_from([0.0, 0.01]))
def test_every_sum_is_weighted_and_without_what_is_left_out(model, data, beta, alpha):
    X, G, F, mu = model
    block, mask, w = data.draw(partial_documents(X))
    F = np.linalg.qr(F)[0]
    G = G[:, : F.shape[1]]
    old = np.roll(G, 1, axis=0)
    Y = np.maximum(G + beta * (G - old), 0)
    theta = mu + Y @ F.T
    costs = w[:, None] * (np.logaddexp(0, theta) - X * theta)
    D = np.where(mask, 0, X - oracles.sigmoid(theta))
    new = np.maximum(Y + 4 * D @ F, 0) / (1 + 8 * alpha)
    local, sums = bernoulli.majorise(block, bernoulli.Codes(old, G, old), F, mu, beta, alpha)
    W, size = w[:, None], 1 + np.abs(Y).sum() ** 2 + np.abs(theta).sum()
    left_out = costs[mask].sum() if block.left_out is not None and block.left_out.watched else sums[1]
    expected = (
        costs[~mask].sum(),
        left_out,
        w @ np.sum(Y**2, axis=1),
        D.T @ (W * new),
        D.T @ w,
        Y.T @ (W * new),
        w @ Y,
        w @ new,
    )
    for actual, wanted in zip(sums, expected, strict=True):
        assert np.allclose(actual, wanted, rtol=1e-9, atol=1e-9 * size)
    assert np.allclose(local.image, new, atol=1e-9 * size)
    assert np.allclose(bernoulli.evaluate(block, Y, F, mu)[1], [expected[0], expected[2]], rtol=1e-9, atol=1e-9 * size)
    _, (_, DG, d) = bernoulli.gradients(block, Y, F, mu)
    assert np.allclose(DG, D.T @ (W * Y), atol=1e-9 * size)
    assert np.allclose(d, D.T @ w, atol=1e-9 * size)
    _, (ones, documents, weight, held_out) = bernoulli.count(block, None)
    assert np.allclose(ones, w @ np.where(mask, 0, X))
    assert np.allclose(documents, w @ ~mask)
    assert np.isclose(weight, w.sum())
    assert np.isclose(held_out, w @ mask.sum(axis=1) if block.left_out is not None and block.left_out.watched else 0)


@given(model=models(), data=st.data())
def test_the_start_sees_weighted_documents_without_what_is_left_out(model, data):
    X, _, F, _ = model
    block, mask, w = data.draw(partial_documents(X))
    seen, W = np.where(mask, 0, X), w[:, None]
    shift = F.sum(axis=0)
    assert np.allclose(kernels.normal(block, None, F)[1][0], seen.T @ (W * (seen @ F)))
    assert np.allclose(kernels.column_sums(block, None)[1][0], w @ seen)
    assert np.allclose(kernels.project(block, None, F)[0], seen @ F)
    assert np.isclose(kernels.square(block, None)[1][0], np.sum(W * seen))
    XF = seen @ F - shift
    assert np.allclose(
        kernels.sign_energies(block, None, F, shift)[1], [w @ np.maximum(XF, 0) ** 2, w @ np.minimum(XF, 0) ** 2]
    )
    positive = np.maximum(seen @ F - 0.1, 0)
    M, energy = kernels.ascent(block, None, F, 0.1)[1]
    assert np.allclose(M, seen.T @ (W * positive))
    assert np.isclose(energy, w @ np.sum(positive**2, axis=1))
    assert np.array_equal(block[np.arange(len(X))].toarray(), seen[w > 0])


@given(seed=st.integers(0, 1000))
def test_amounts_and_projections_of_incomplete_documents_are_those_of_their_observed_words(seed):
    rng = np.random.default_rng(seed)
    X, F, mu = (rng.random((9, 15)) < 0.4).astype(float), np.linalg.qr(rng.normal(size=(15, 3)))[0], rng.normal(size=15)
    mask = rng.random(X.shape) < 0.3
    first = np.searchsorted(np.nonzero(mask)[0], np.arange(10))
    left_out = LeftOut(first[:-1], np.diff(first), np.nonzero(mask)[1], watched=False)
    block = BinaryDocuments(scipy.sparse.csr_array(np.where(mask, 0, X)), left_out)
    G, _ = bernoulli.solve(block, None, F, mu, 0.01, 0.0, 1.0)
    for x, g, there in zip(X, G, ~mask, strict=True):
        alone = scipy.sparse.csr_array(x[None, there])
        expected, _ = bernoulli.solve(alone, None, F[there], mu[there], 0.01, 0.0, 1.0)
        assert np.allclose(g, expected[0], atol=1e-4)
    filled = np.where(mask, oracles.sigmoid(mu + G @ F.T), X)
    assert np.allclose(bernoulli.project(block, None, F, mu, 0.01, 1.0)[0], filled @ F)


@given(model=models(), length=st.integers(1, 20), seed=st.integers(0, 99))
def test_entries_held_out_leave_the_fit_and_are_costed_apart(model, length, seed):
    X, G, F, mu = model
    n, p = X.shape
    length = min(length, p)
    rng = np.random.default_rng(seed)
    shuffled, first = rng.permutation(p), rng.integers(0, p, n)
    block = BinaryDocuments(scipy.sparse.csr_array(X), LeftOut(first, np.full(n, length), np.tile(shuffled, 2), watched=True))
    mask = np.zeros((n, p), bool)
    for i in range(n):
        mask[i, shuffled[(first[i] + np.arange(length)) % p]] = True
    theta = mu + G @ F.T
    entry = np.logaddexp(0, theta) - X * theta
    D = np.where(mask, 0, X - oracles.sigmoid(theta))
    stripes = bernoulli.stripes(block, slice(0, len(X)), G, F, mu)
    seen = [(stripe.D.copy(), stripe.cost, stripe.left_out) for stripe in stripes]
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
