"""Which topics come in the same documents, against counts by hand; a map that keeps the distances of a plane."""

from __future__ import annotations

import numpy as np
import pytest

from sonmf.text.cooccurrence import cooccurrence, correlation, places, sides_shown


@pytest.fixture
def Z():
    Z = np.random.default_rng(0).normal(size=(200, 5)) ** 3
    Z[:, 3] = 0
    return Z


def test_counts_are_those_of_a_loop_and_correlations_those_of_numpy(Z):
    found = cooccurrence(Z)
    usual = [np.sqrt(np.mean(z**2)) for z in Z.T]
    sides = [(k, sign) for sign in (1, -1) for k in range(5)]
    for a, (k, sign) in enumerate(sides):
        for b, (other, way) in enumerate(sides):
            both = sum(sign * z[k] > usual[k] and way * z[other] > usual[other] for z in Z)
            assert found.documents[a, b] == both
    varying = [0, 1, 2, 4]
    G = np.maximum(Z, 0)
    assert np.allclose(found.correlation[np.ix_(varying, varying)], np.corrcoef(G[:, varying].T))
    assert not found.correlation[3].any()
    assert np.allclose(found.energy, (G**2).sum(axis=0) / (G**2).sum())


def test_small_numbers_are_left_out(Z):
    whole = cooccurrence(Z)
    fewest = int(np.median(whole.documents[whole.documents > 0]))
    found = cooccurrence(Z, fewest)
    assert (found.documents == np.where(whole.documents >= fewest, whole.documents, 0)).all()
    rare = cooccurrence(Z, int(whole.documents.max()) + 1)
    assert not rare.documents.any()
    assert not rare.correlation.any()


def test_scale_changes_nothing(Z):
    assert (sides_shown(Z) == sides_shown(Z * [1, 10, 0.1, 5, 1e-8])).all()


def test_a_map_in_the_plane_keeps_distances_that_are_those_of_a_plane():
    a, b = np.linalg.qr(np.random.default_rng(0).normal(size=(50, 3)))[0].T[:2]
    r = correlation(np.column_stack([a, b, -a]))
    at = places(r)
    assert np.allclose(((at[:, None] - at[None]) ** 2).sum(axis=2), 1 - r, atol=1e-10)


@pytest.mark.parametrize("k", [1, 2])
def test_a_map_of_one_or_two_topics_lies_on_a_line(k):
    at = places(np.eye(k))
    assert at.shape == (k, 2)
    assert np.allclose(at[:, 1], 0)
    assert np.allclose(at.sum(axis=0), 0)
