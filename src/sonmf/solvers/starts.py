"""Where the iteration begins: an orthonormal F, each column with the sign that keeps more of the data."""

from __future__ import annotations

import warnings
from collections.abc import Callable

import numpy as np

from sonmf import kernels, threads
from sonmf.device_arrays import add_up, product, thread_slices
from sonmf.engines import Engine, Local
from sonmf.solvers.problem import LeastSquares
from sonmf.stiefel import basis, nearest_orthonormal, polar
from sonmf.types import Array

SUBSPACE_PASSES, EXTRA_COLUMNS = 4, 6  # enough for 95% of the SVD's energy on text (see its test)
SMALL_WORDS, SMALL_SIZE = 1024, 2**22  # below both, the SVD is exact
KMEANS_DOCUMENTS = 20_000
VARIMAX_DOCUMENTS, VARIMAX_STEPS = 3000, 20  # enough for a start as good as that of all documents, at a fraction of a fit
DELTA = 1e-10
LARGEST_PROGRAM = 2_000_000  # entries of the largest linear program that is worth its time


def start(
    engine: Engine,
    init: str | Array,
    k: int,
    random: np.random.RandomState,
    centre: Array | None = None,
    threshold: float = 0.0,
    weights: Array | None = None,
    roots: Local = None,
    documents: float | None = None,
) -> Array:
    """The oriented start named by ``init``, or the user's own array. ``centre`` is subtracted from every document first;
    ``documents`` is their number, if it is not that of the rows.

    An array may have fewer than k columns, such as the topics of a smaller fit. The SVD of what they leave of X adds the rest.
    """
    if not isinstance(init, str):
        F = nearest_orthonormal(np.asarray(init, np.float64))
        F = F if F.shape[1] == k else nearest_orthonormal(np.hstack([F, svd(engine, k - F.shape[1], centre, F, documents)]))
    elif init in ("svd", "varimax"):
        F = _rotated(engine, svd(engine, k, centre, None, documents), init, weights)
    else:
        F = {"kmeans": kmeans, "random": uniform}[init](engine, k, random)
    return orient(engine, F, centre, threshold, roots)


def several(problem: LeastSquares, init: str | Array, k: int, n: int, random: np.random.RandomState) -> list[Array]:
    """n starts: the one named by ``init``, then in turn its random rotations and random draws; a random one is drawn again."""
    engine, fixed = problem.engine, problem.fixed
    priced = {"threshold": problem.threshold, "roots": problem.roots}
    if isinstance(init, str) and init in ("kmeans", "random"):
        return [problem.with_fixed(start(engine, init, k, random, **priced)) for _ in range(n)]
    if isinstance(init, str) and fixed is not None:
        F = np.hstack([fixed, _rotated(engine, svd(engine, k - fixed.shape[1], known=fixed), init, problem.weights)])
        first = problem.with_fixed(orient(engine, F, **priced))
    else:
        first = problem.with_fixed(start(engine, init, k, random, weights=problem.weights, **priced))
    m = 0 if fixed is None else fixed.shape[1]
    turns = [np.linalg.qr(random.standard_normal((k - m, k - m)))[0] for _ in range(n - 1)]
    turned = [nearest_orthonormal(np.hstack([first[:, :m], product(first[:, m:], turn)])) for turn in turns]
    others = [uniform(engine, k, random) if place % 2 else F for place, F in enumerate(turned)]
    return [first, *(problem.with_fixed(orient(engine, F, **priced)) for F in others)]


def _rotated(engine: Engine, F: Array, init: str, weights: Array | None) -> Array:
    return nearest_orthonormal(product(F, varimax(engine, F, weights))) if init == "varimax" and F.shape[1] else F


def varimax(engine: Engine, F: Array, weights: Array | None = None) -> Array:
    """The rotation R that makes the documents LR simple, L = XF with rows of unit length: each near one topic (Kaiser, 1958).

    It maximises the sum over topics of the variance of the squared entries of LR, whose gradient B makes R = polar(L'B).
    The singular vectors themselves mix the groups of documents, so that a fit from there can end at a worse solution. The
    topic that explains most of the documents comes first, as among singular vectors.
    """
    n, k = engine.shape[0], F.shape[1]
    rows = np.unique(np.linspace(0, n - 1, min(n, VARIMAX_DOCUMENTS)).astype(int))
    XF = np.asarray(engine.documents(rows) @ F, np.float64)
    engine.passes += 1
    L = XF / np.maximum(np.linalg.norm(XF, axis=1, keepdims=True), np.finfo(float).tiny)
    w = (np.ones(n) if weights is None else weights)[rows, None]
    w = w / max(w.sum(), np.finfo(float).tiny)
    L_weighted, parts, R = w * L, thread_slices(L, k), np.eye(k)
    S = L.T @ L_weighted

    def moments(part: slice) -> tuple[Array, Array]:
        """L'(w A^3) and the means of A^2, A = LR, so that L'B = L'(w A^3) - SR diag(means)."""
        A = L[part] @ R
        squares = A * A
        return L_weighted[part].T @ (squares * A), w[part, 0] @ squares

    for _ in range(VARIMAX_STEPS):
        cubes, means = add_up(threads.share(moments, parts))
        R = polar(cubes - S @ R * means)
    return R[:, np.argsort(-np.sum((XF @ R) ** 2, axis=0), kind="stable")]


def orient(engine: Engine, F: Array, centre: Array | None = None, threshold: float = 0.0, roots: Local = None) -> Array:
    """Flip each column f to the sign that keeps more of the data in G = [XF - threshold]+, which drops negative values."""
    shift = np.zeros(F.shape[1]) if centre is None else centre @ F
    if threshold:
        both = np.hstack([F, -F]), np.hstack([shift, -shift]) + threshold
        positive, negative = np.split(engine.sweep(kernels.sign_energies, roots, *both)[1][0], 2)
    else:
        _, (positive, negative) = engine.sweep(kernels.sign_energies, None, F, shift)
    signs: Array = np.where(positive >= negative, 1, -1).astype(F.dtype)
    return F * signs


def svd(
    engine: Engine, k: int, centre: Array | None = None, known: Array | None = None, documents: float | None = None
) -> Array:
    """The k leading right singular vectors of X: subspace iteration Q <- orth(X'XQ), then Rayleigh-Ritz.

    Exact for small X. The SVD has one answer, so the random matrix it begins from is always the same. With orthonormal
    columns ``known`` it is that of X less its projection on them.
    """
    n, p = engine.shape
    normal = _normal(engine, centre, known, documents or n)
    if p <= 4 * k or (p <= SMALL_WORDS and n * p <= SMALL_SIZE):
        Q = np.eye(p, dtype=engine.dtype)
        Z = normal(Q)
    else:
        Z = normal(np.random.default_rng(0).random((p, min(p, k + EXTRA_COLUMNS))) - 0.5)
        for _ in range(SUBSPACE_PASSES - 1):
            Q = basis(Z)
            Z = normal(Q)
    QZ = Q.T @ Z
    _, V = np.linalg.eigh(QZ + QZ.T)
    F: Array = nearest_orthonormal(product(Q, V[:, : -k - 1 : -1]).astype(np.float64))
    return F


def _normal(engine: Engine, centre: Array | None, known: Array | None, n: float) -> Callable[[Array], Array]:
    """Q -> P (X - 1c')'(X - 1c') P Q with the projection P = I - FF' away from the known columns F, for n documents."""
    sums = None if centre is None else engine.sweep(kernels.column_sums, None)[1][0]

    def away(Q: Array) -> Array:
        return Q if known is None else Q - known @ (known.T @ Q)

    def normal(Q: Array) -> Array:
        Q = away(Q)
        _, (Z,) = engine.sweep(kernels.normal, None, Q)
        if centre is not None and sums is not None:
            cQ = centre @ Q  # (X - 1c')'(X - 1c')Q = X'XQ - (X'1)c'Q - c(1'X - nc')Q
            Z = Z - np.outer(sums, cQ) - np.outer(centre, sums @ Q - n * cQ)
        return away(Z)

    return normal


def kmeans(engine: Engine, k: int, random: np.random.RandomState) -> Array:
    """Centroids of the documents, made orthonormal by QR (appendix 8.2)."""
    return np.linalg.qr(centroids(engine, k, random))[0]


def centroids(engine: Engine, k: int, random: np.random.RandomState) -> Array:
    """Centres of k clusters of documents, words x k; at most 20,000 documents are used."""
    from sklearn.cluster import KMeans
    from sklearn.exceptions import ConvergenceWarning

    n = engine.shape[0]
    rows = np.arange(n) if n <= KMEANS_DOCUMENTS else np.sort(random.choice(n, KMEANS_DOCUMENTS, replace=False))
    with warnings.catch_warnings(), threads.single_threaded():
        warnings.simplefilter("ignore", ConvergenceWarning)  # fewer distinct documents than topics: QR completes the basis
        model = KMeans(k, n_init=1, random_state=random).fit(engine.documents(rows))
    engine.passes += model.n_iter_ + k  # Lloyd's iterations and the k seeding draws
    return np.asarray(model.cluster_centers_.T, np.float64)


def uniform(engine: Engine, k: int, random: np.random.RandomState) -> Array:
    """A random orthonormal F."""
    return np.linalg.qr(random.standard_normal((engine.shape[1], k)))[0]


def clipped_svd(engine: Engine, k: int) -> Array:
    """[U]_delta = max(U, delta) with delta = 1e-10, the SVD start for non-negative factors (section 5.1)."""
    return np.maximum(orient(engine, svd(engine, k)), DELTA)


def with_codes(engine: Engine, F: Array, floor: float = DELTA) -> tuple[Array, Local]:
    """F and G = max(XF, floor) (section 5.1)."""
    return F, engine.sweep(kernels.clip, None, F, floor)[0]


def clusters(engine: Engine, k: int, random: np.random.RandomState, offset: float) -> tuple[Array, Local]:
    """Centroids, and G the indicator of the nearest plus an offset: the start of Ding et al. for Semi-NMF."""
    C = centroids(engine, k, random)
    return C, engine.sweep(kernels.assign, None, C, offset)[0]


def nonnegative_span(engine: Engine, k: int) -> tuple[Array, Local]:
    """F and G >= 0 with GF' the best rank-k approximation of X, if its document space contains a positive vector.

    The start of Gillis and Kumar (2015) for Semi-NMF: with U = XF and z = Uy > 0, every column u_j + c_j z with c_j large
    enough is non-negative, and together they still span U. The y of the largest margin is found by linear programming.
    """
    F = orient(engine, svd(engine, k))
    local, _ = engine.sweep(kernels.project, None, F)
    U = np.asarray(engine.gather(local), np.float64)
    y = _positive_direction(U)
    z = U @ y
    safe = z > 1e-12 * np.abs(U).max(initial=0.0)
    c = np.max(-U[safe] / z[safe, None], axis=0, initial=0.0)
    G, _ = engine.sweep(kernels.clip, None, F + np.outer(F @ y, c), DELTA)
    return F, G


def _positive_direction(U: Array) -> Array:
    """The y in [-1, 1]^k for which the rows u of U, at unit length, have the largest smallest product u'y."""
    from scipy.optimize import linprog

    length = np.linalg.norm(U, axis=1)
    rows = U[length > 0] / length[length > 0, None]
    k = U.shape[1]
    first: Array = np.eye(k)[0]
    if len(rows) == 0 or rows.size > LARGEST_PROGRAM:
        return first
    constraints = np.hstack([-rows, np.ones((len(rows), 1))])  # t - u'y <= 0, maximise t
    found = linprog(np.eye(k + 1)[k] * -1, A_ub=constraints, b_ub=np.zeros(len(rows)), bounds=[(-1, 1)] * k + [(None, None)])
    return np.asarray(found.x[:k], np.float64) if found.success else first
