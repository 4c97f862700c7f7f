import numpy as np
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st

from sonmf.triage import coordinate_descent


def problem(n, p, seed, sparse=False):
    random = np.random.default_rng(seed)
    Z = random.standard_normal((n, p)) * (random.random((n, p)) < (0.2 if sparse else 1.0))
    y = (random.random(n) < 1 / (1 + np.exp(-2 * Z[:, 0]))).astype(float)
    y[:2] = 0, 1
    return Z, y


def slopes(Z, y, b, w):
    r = y - 1 / (1 + np.exp(-(Z @ w + b)))
    return r.mean(), Z.T @ r / len(y)


@given(st.integers(0, 10_000), st.integers(1, 30), st.booleans())
def test_every_solution_satisfies_the_optimality_conditions(seed, p, sparse):
    Z, y = problem(60, p, seed, sparse)
    largest = np.abs(slopes(Z, y, np.log(y.mean() / (1 - y.mean())), np.zeros(p))[1]).max()
    lambdas = largest * np.geomspace(1, 1e-2, 12)
    given_as = scipy.sparse.csr_array(Z) if sparse else Z
    for at, b, w in zip(lambdas, *coordinate_descent.path(given_as, y, lambdas), strict=True):
        mean, slope = slopes(Z, y, b, w)
        assert abs(mean) < 1e-5
        assert (np.abs(slope) <= at + 1e-5).all()
        np.testing.assert_allclose(slope[w != 0], at * np.sign(w[w != 0]), atol=1e-5)


def test_sparse_and_dense_features_give_the_same_path():
    Z, y = problem(80, 10, 0, sparse=True)
    lambdas = np.geomspace(0.1, 0.001, 10)
    dense, sparse = coordinate_descent.path(Z, y, lambdas), coordinate_descent.path(scipy.sparse.csr_array(Z), y, lambdas)
    np.testing.assert_allclose(sparse[1], dense[1], atol=1e-6)


def test_a_path_may_be_walked_in_pieces():
    Z, y = problem(80, 10, 1)
    lambdas = np.geomspace(0.1, 0.001, 10)
    b, w = coordinate_descent.path(Z, y, lambdas)
    _, again = coordinate_descent.path(Z, y, lambdas[5:], np.append(b[4], w[4]))
    np.testing.assert_allclose(again, w[5:], atol=1e-5)


def test_separable_patients_do_not_make_it_overshoot():
    Z = np.concatenate([np.full(20, -1.0), np.full(20, 1.0)])[:, None] * 100
    y = (Z[:, 0] > 0).astype(float)
    lambdas = np.geomspace(50, 1e-4, 5)
    _, w = coordinate_descent.path(Z, y, lambdas)
    assert np.isfinite(w).all()
    for at, b, one in zip(lambdas, *coordinate_descent.path(Z, y, lambdas), strict=True):
        assert abs(slopes(Z, y, b, one)[1][0]) <= at * (1 + 1e-3)
