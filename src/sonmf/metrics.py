"""The paper's measures of a factorisation."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.linalg
import scipy.sparse
from numpy.typing import ArrayLike

from sonmf import stiefel
from sonmf.kernels.structure import sound

ROWS = 1024  # residuals are formed for this many documents at a time


def average_residual(X: Any, W: ArrayLike, H: ArrayLike) -> float:
    r"""||X - W H||\ :sup:`2` / (np), eq. (residual), without forming an n x p matrix.

    Parameters
    ----------
    X : array or sparse matrix of shape (n, p)
    W : array of shape (n, k)
        Documents by topics, what ``transform`` returns.
    H : array of shape (k, p)
        Topics by words, ``components_``.

    Returns
    -------
    float

    Examples
    --------
    >>> from sonmf.metrics import average_residual
    >>> average_residual([[1.0, 2.0], [3.0, 4.0]], [[1.0], [1.0]], [[1.0, 2.0]])
    2.0
    """
    W, H = np.asarray(W, np.float64), np.asarray(H, np.float64)
    X = sound(X) if scipy.sparse.issparse(X) else np.asarray(X)
    n, p = X.shape
    if W.ndim != 2 or H.ndim != 2 or (len(W), H.shape[1], len(H)) != (n, p, W.shape[1]):
        raise ValueError(f"shapes do not fit: X {(n, p)}, W {W.shape}, H {H.shape}; W H must have the shape of X")
    total = 0.0
    for start in range(0, n, ROWS):
        rows = slice(start, start + ROWS)
        tile = X[rows]
        error = (tile.toarray() if scipy.sparse.issparse(tile) else tile) - W[rows] @ H
        total += float(np.vdot(error, error))
    return float(total / (n * p))


def orthogonal_residual(H: ArrayLike) -> float:
    r"""||H H' - I||\ :sup:`2`, eq. (Orthogonal): 0 for topics that are orthonormal.

    Parameters
    ----------
    H : array of shape (k, p)
        Topics by words, ``components_``.

    Returns
    -------
    float

    Examples
    --------
    >>> from sonmf.metrics import orthogonal_residual
    >>> orthogonal_residual([[1.0, 0.0], [0.0, 2.0]])
    9.0
    """
    return stiefel.residual(np.asarray(H, np.float64).T)


def subspace_distance(A: ArrayLike, B: ArrayLike, squared: bool = True) -> float:
    r"""||P_A - P_B||\ :sup:`2`, the distance of two column spaces (eps_F and eps_G of the paper).

    P_A is the orthogonal projector on the columns of A. The paper defines the squared norm and prints the norm itself in its
    tables: ``squared=False``.

    Parameters
    ----------
    A, B : arrays with the same number of rows
        Need not be orthonormal nor of full rank.
    squared : bool, default=True

    Returns
    -------
    float

    Examples
    --------
    >>> from sonmf.metrics import subspace_distance
    >>> round(subspace_distance([[1.0], [0.0]], [[0.0], [3.0]]), 12)
    2.0
    """
    P, Q = (scipy.linalg.orth(np.asarray(M, np.float64)) for M in (A, B))
    if len(P) != len(Q):
        raise ValueError(f"A has {len(P)} rows and B has {len(Q)}: they must live in the same space")
    # ||P_A - P_B||^2 = ||(I - P_A) Q||^2 + ||(I - P_B) P||^2: a sum of squares, no cancellation.
    total = float(np.sum((Q - P @ (P.T @ Q)) ** 2) + np.sum((P - Q @ (Q.T @ P)) ** 2))
    return total if squared else float(np.sqrt(total))


def sparsity(A: ArrayLike, threshold: float = 1e-10) -> float:
    r"""Share of entries with \|a\| <= threshold.

    Parameters
    ----------
    A : array
    threshold : float, default=1e-10
        The paper's limit for what counts as zero.

    Returns
    -------
    float
        Between 0 and 1.

    Examples
    --------
    >>> from sonmf.metrics import sparsity
    >>> sparsity([[0.0, 1.0], [0.0, -2.0]])
    0.5
    """
    A = np.asarray(A)
    return float(np.mean(np.abs(A) <= threshold))


def mean_bernoulli_cost(X: Any, theta: ArrayLike) -> float:
    r"""mean(log(1 + e\ :sup:`theta`) - x theta), what binary methods minimise: -log-likelihood per entry, eq. (costbin).

    Parameters
    ----------
    X : array or sparse matrix of shape (n, p), zeros and ones
    theta : array of shape (n, p)
        Log-odds.

    Returns
    -------
    float

    Examples
    --------
    >>> from sonmf.metrics import mean_bernoulli_cost
    >>> round(mean_bernoulli_cost([[0, 1]], [[0.0, 0.0]]), 4)
    0.6931
    """
    theta = np.asarray(theta, np.float64)
    X = sound(X).toarray() if scipy.sparse.issparse(X) else np.asarray(X)
    if X.shape != theta.shape:
        raise ValueError(f"X has shape {X.shape} and theta {theta.shape}: they must be the same")
    return float(np.mean(np.logaddexp(0, theta) - X * theta))


def probability_distance(P: ArrayLike, Q: ArrayLike, squared: bool = True) -> float:
    r"""||P - Q||\ :sup:`2`, the distance of two probability matrices (eps_P of the paper).

    The paper defines the squared norm and prints the norm itself in its tables: ``squared=False``.

    Parameters
    ----------
    P, Q : arrays of the same shape
    squared : bool, default=True

    Returns
    -------
    float

    Examples
    --------
    >>> from sonmf.metrics import probability_distance
    >>> probability_distance([[0.0, 1.0]], [[3.0, 5.0]], squared=False)
    5.0
    """
    norm = float(np.linalg.norm(np.asarray(P, np.float64) - np.asarray(Q, np.float64)))
    return norm**2 if squared else norm
