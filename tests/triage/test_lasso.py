import numpy as np
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st

from sonmf.triage import classifier, lasso


def problem(n=300, p=6, seed=0):
    random = np.random.default_rng(seed)
    Z = random.normal(size=(n, p)) * random.uniform(0.1, 10, p) + random.normal(size=p)
    odds = (Z - Z.mean(axis=0)) / Z.std(axis=0) @ np.array([2.0, -1.0, *[0.0] * (p - 2)])
    return Z, (random.random(n) < 1 / (1 + np.exp(-odds))).astype(float)


def test_every_solution_satisfies_the_optimality_conditions():
    Z, y = problem()
    path = lasso.fit_path(Z, y)
    scaled = (Z - Z.mean(axis=0)) / Z.std(axis=0)
    for at, b, w in zip(path.lambdas, path.intercepts, path.coefficients, strict=True):
        r = 1 / (1 + np.exp(-(Z @ w + b))) - y
        slope = scaled.T @ r / len(y)
        assert abs(r.mean()) < 1e-5
        assert np.abs(slope).max() <= at + 1e-5
        used = w != 0
        np.testing.assert_allclose(slope[used], -at * np.sign(w[used]), atol=1e-5)
    assert path.gap < 1e-6


def test_no_feature_at_the_largest_lambda_and_some_just_below():
    path = lasso.fit_path(*problem())
    assert not path.coefficients[0].any()
    assert path.coefficients[1].any()


@given(st.integers(0, 1000), st.floats(0.01, 1.0))
def test_the_duality_gap_bounds_the_distance_to_the_minimum(seed, share):
    Z, y = problem(n=80, seed=seed)
    Z = lasso.standardise(Z).Z
    at = share * lasso.largest_lambda(Z, y)
    random = np.random.default_rng(seed)
    points = [(random.normal(size=6) * 0.3, float(random.normal())) for _ in range(2)] + [(np.zeros(6), 0.0)]

    def objective(w, b):
        m = Z @ w + b
        return np.mean(np.logaddexp(0, m) - y * m) + at * np.abs(w).sum()

    gaps = [lasso.duality_gap(Z, y, w, b, at) for w, b in points]
    bounds = [objective(w, b) - gap for (w, b), gap in zip(points, gaps, strict=True)]
    assert all(gap >= -1e-12 for gap in gaps)
    assert max(bounds) <= min(objective(w, b) for w, b in points) + 1e-12


def test_scaling_and_shifting_features_changes_no_forecast():
    Z, y = problem()
    moved = Z * np.array([1e3, 1e-3, 1, 5, 0.2, 7]) + 3
    ours, theirs = lasso.fit_path(Z, y), lasso.fit_path(moved, y)
    np.testing.assert_allclose(theirs.held_out, ours.held_out, atol=1e-4)


def test_sparse_and_dense_features_agree_when_centring_costs_nothing():
    random = np.random.default_rng(0)
    Z = (random.random((400, 8)) < 0.3).astype(float)
    y = (random.random(400) < 1 / (1 + np.exp(-2 * Z[:, 0] + 1))).astype(float)
    dense, sparse = lasso.fit_path(Z, y), lasso.fit_path(scipy.sparse.csr_array(Z), y)
    np.testing.assert_allclose(sparse.held_out, dense.held_out, atol=1e-3)


def test_held_out_scores_do_not_know_their_own_outcome():
    random = np.random.default_rng(0)
    Z, y = random.normal(size=(200, 60)), (random.random(200) < 0.5).astype(float)
    path = lasso.fit_path(Z, y)
    in_sample = Z @ path.coefficients[-1]
    correlation = np.corrcoef(path.held_out[:, -1], y)[0, 1]
    assert np.corrcoef(in_sample, y)[0, 1] > 0.3 > abs(correlation) + 0.05


def test_held_out_forecasts_of_a_fold_do_not_depend_on_its_outcomes():
    Z, y = problem(p=8)
    known = np.arange(len(y)) % 7 > 0
    Z[~known] = 0  # no word, and no column that says more than usual
    fitted = classifier.fit(Z, y)
    before = classifier.held_out(Z, y, known, fitted).odds
    for f in range(lasso.FOLDS):
        out = fitted.path.fold == f
        after = classifier.held_out(Z, np.where(out, 1 - y, y), known, fitted).odds
        np.testing.assert_array_equal(after[out], before[out])
        assert (after[~out] != before[~out]).all()  # the others have seen them
        share = y[~out].mean()
        np.testing.assert_allclose(before[out & ~known], np.log(share / (1 - share)))


def test_held_out_forecasts_are_those_of_fits_without_the_fold():
    Z, y = problem(n=1500)
    fitted = classifier.fit(Z, y)
    found = classifier.held_out(Z, y, np.ones(len(y), bool), fitted).odds
    for f in range(lasso.FOLDS):  # other inner folds and a finer choice of lambda: nearly the same
        out = fitted.path.fold == f
        alone = classifier.fit(Z[~out], y[~out]).log_odds(Z[out])
        np.testing.assert_allclose(found[out], alone, atol=0.15)


def test_the_rules_choose_as_they_say():
    path = lasso.fit_path(*problem())
    least, sparse = path.choose("min"), path.choose("1se")
    assert path.loss[least] == path.loss.min()
    assert sparse <= least
    assert path.loss[sparse] <= path.loss[least] + path.loss_error[least]
    assert sparse == 0 or path.loss[sparse - 1] > path.loss[least] + path.loss_error[least]


def test_a_constant_feature_has_no_effect():
    Z, y = problem()
    path = lasso.fit_path(np.column_stack([Z, np.ones(len(Z))]), y)
    assert not path.coefficients[:, -1].any()


def test_the_sigmoid_is_the_maximum_likelihood_fit():
    random = np.random.default_rng(0)
    scores = random.normal(1, 3, 500)
    target = random.uniform(0.1, 0.9, 500)
    slope, offset = classifier.logistic_line(scores, target)
    r = 1 / (1 + np.exp(-(slope * scores + offset))) - target
    assert abs(r.sum()) < 1e-6
    assert abs(scores @ r) < 1e-5


def test_the_sigmoid_undoes_a_stretched_score():
    random = np.random.default_rng(1)
    odds = random.normal(0, 1.5, 20000)
    y = (random.random(20000) < 1 / (1 + np.exp(-odds))).astype(float)
    slope, offset = classifier.platt(3 * odds - 1, y)
    assert slope == pytest.approx(1 / 3, rel=0.05)
    assert offset == pytest.approx(1 / 3, abs=0.05)


@pytest.mark.parametrize("scores", [np.zeros(100), -np.arange(100.0)], ids=["constant", "backwards"])
def test_scores_that_tell_nothing_give_the_base_rate(scores):
    y = (np.arange(100) >= 70).astype(float)
    slope, offset = classifier.platt(scores, y)
    assert slope == 0
    assert 1 / (1 + np.exp(-offset)) == pytest.approx(0.3)
