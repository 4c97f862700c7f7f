"""The sigmoid and the cost are right to the last bits wherever theta is, in either precision."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse
from scipy.special import expit

from sonmf.kernels import bernoulli


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_residual_and_cost_keep_their_precision_from_end_to_end(dtype):
    theta = np.concatenate([np.linspace(-700, 700, 20_001), np.linspace(-2, 2, 1001), [1e4, -1e4, -0.0]]).astype(dtype)
    X = scipy.sparse.csr_array((1, len(theta)), dtype=dtype)
    (stripe,) = bernoulli.stripes(X, slice(0, 1), np.zeros((1, 1), dtype), np.zeros((len(theta), 1), dtype), theta)
    exact = expit(theta.astype(float))
    normal = np.finfo(dtype).tiny
    assert stripe.D.dtype == dtype
    assert (np.abs(stripe.D[0] + exact) <= 4 * np.finfo(dtype).eps * exact + normal).all()
    assert np.isclose(stripe.cost, np.logaddexp(0, theta.astype(float)).sum(), rtol=1e-9, atol=0)
