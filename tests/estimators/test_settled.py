"""A default fit has the topics of the same run continued, whatever the method."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import clone

from sonmf import NMF, ONMF, SONMF, BinarySONMF, SemiNMF, simulate


def cosines(A, B):
    return np.sum(A * B, axis=1) / np.linalg.norm(A, axis=1) / np.linalg.norm(B, axis=1)


@pytest.mark.parametrize(
    "model",
    [SONMF(8), BinarySONMF(8), NMF(8, random_state=0), ONMF(8, random_state=0), SemiNMF(8, random_state=0)],
    ids=lambda m: type(m).__name__,
)
def test_a_default_fit_has_the_topics_of_the_run_continued(model):
    X = simulate.corpus(500, 150, random_state=0)
    X = (X > 0).astype(float) if isinstance(model, BinarySONMF) else X
    continued = clone(model).set_params(tol=model.tol / 100, max_iter=50_000).fit(X)
    settled = clone(model).fit(X)
    assert settled.n_iter_ < continued.n_iter_
    assert np.mean(cosines(settled.components_, continued.components_) > 0.95) >= 0.95
