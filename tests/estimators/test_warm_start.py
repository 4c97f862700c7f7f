import numpy as np
import pytest

from sonmf import SONMF, BinarySONMF
from sonmf.simulate import corpus


def test_a_fit_goes_on_from_the_topics_of_a_smaller_one():
    X = corpus(600, 200, random_state=0)
    small = SONMF(5).fit(X)
    warm = SONMF(8, init=small.components_.T, tol=1e-8, max_iter=1000).fit(X)
    cold = SONMF(8, tol=1e-8, max_iter=1000).fit(X)
    assert warm.components_.shape == (8, 200)
    assert warm.objective_history_[0] <= small.objective_history_[-1] * (1 + 1e-12)
    assert warm.reconstruction_err_ == pytest.approx(cold.reconstruction_err_, rel=1e-3)


@pytest.mark.parametrize("shape", [(200, 9), (199, 5), (200, 0)])
def test_other_shapes_are_refused(shape):
    with pytest.raises(ValueError, match=r"init has shape .*, but \(n_words, n_components\) is \(200, 8\)"):
        SONMF(8, init=np.eye(*shape)).fit(corpus(300, 200, random_state=0))


@pytest.mark.parametrize("estimator", [SONMF, BinarySONMF])
def test_topics_in_rows_are_refused_and_the_remedy_is_right(estimator):
    X = (corpus(300, 40, random_state=0) > 0).astype(float)
    small = estimator(5).fit(X).components_
    with pytest.raises(ValueError, match=r"\(n_words, n_components\) is \(40, 5\): give init\.T"):
        estimator(5, init=small).fit(X)
    assert estimator(5, init=small.T).fit(X).components_.shape == (5, 40)
