"""Where the iteration begins: an orthonormal F, each column with the sign that keeps more of the data."""

from __future__ import annotations

import warnings

import numpy as np

from sonmf import kernels
from sonmf.engines import Engine
from sonmf.stiefel import corrected, polar
from sonmf.threads import Array

SUBSPACE_PASSES, EXTRA_COLUMNS = 4, 10  # reach at least 95% of the energy of the SVD on real text
SMALL_WORDS, SMALL_SIZE = 1024, 2**22  # below both, the SVD is exact
KMEANS_DOCUMENTS = 20_000


def start(engine: Engine, init: str | Array, k: int, random: np.random.RandomState) -> Array:
    """The oriented start named by ``init``, or the user's own array."""
    if isinstance(init, str):
        F = {"svd": svd, "kmeans": kmeans, "random": uniform}[init](engine, k, random)
    else:
        F = corrected(np.asarray(init, np.float64))
    return orient(engine, F)


def orient(engine: Engine, F: Array) -> Array:
    """Flip each column f to the sign that keeps more energy in G = [XF]+, since what is negative is dropped."""
    _, (positive, negative) = engine.sweep(kernels.sign_energies, None, F)
    return np.where(positive >= negative, F, -F)


def svd(engine: Engine, k: int, random: np.random.RandomState) -> Array:
    """The k leading right singular vectors of X: subspace iteration Q <- orth(X'XQ), then Rayleigh-Ritz.

    Exact for small X. The SVD has one answer, so the random matrix it begins from is always the same.
    """
    n, p = engine.shape
    if p <= 4 * k or (p <= SMALL_WORDS and n * p <= SMALL_SIZE):
        Q = np.eye(p)
        Z = _normal(engine, Q)
    else:
        Z = np.random.default_rng(0).standard_normal((p, min(p, k + EXTRA_COLUMNS)))
        for _ in range(SUBSPACE_PASSES):
            Q = polar(Z)
            Z = _normal(engine, Q)
    QZ = Q.T @ Z
    _, V = np.linalg.eigh(QZ + QZ.T)
    return corrected(Q @ V[:, : -k - 1 : -1])


def _normal(engine: Engine, Q: Array) -> Array:
    _, (Z,) = engine.sweep(kernels.normal, None, Q)
    return np.asarray(Z, np.float64)


def kmeans(engine: Engine, k: int, random: np.random.RandomState) -> Array:
    """Centroids of the documents, made orthonormal by QR (appendix 8.2); at most 20,000 documents are looked at."""
    from sklearn.cluster import KMeans

    n = engine.shape[0]
    rows = np.arange(n) if n <= KMEANS_DOCUMENTS else np.sort(random.choice(n, KMEANS_DOCUMENTS, replace=False))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # fewer distinct documents than topics: QR completes the basis
        model = KMeans(k, n_init=1, random_state=random).fit(engine.documents(rows))
    engine.passes += model.n_iter_ + k  # Lloyd's iterations and the k seeding draws
    return np.linalg.qr(np.asarray(model.cluster_centers_.T, np.float64))[0]


def uniform(engine: Engine, k: int, random: np.random.RandomState) -> Array:
    """A random orthonormal F."""
    return np.linalg.qr(random.standard_normal((engine.shape[1], k)))[0]
