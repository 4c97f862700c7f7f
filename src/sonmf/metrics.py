"""The paper's measures of a factorisation, and how well its topics read."""

from __future__ import annotations

import numpy as np
import scipy.linalg
import scipy.sparse
from numpy.typing import ArrayLike

from sonmf import stiefel
from sonmf.errors import InputError
from sonmf.kernels.structure import check_matrix, check_sparse
from sonmf.types import Array, Matrix

ROWS = 1024  # residuals are formed for this many documents at a time


def average_residual(X: Matrix, W: ArrayLike, H: ArrayLike) -> float:
    r"""||X - W H||\ :sup:`2` / (np), without forming an n x p matrix.

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
    X = check_sparse(X) if scipy.sparse.issparse(X) else np.asarray(X)
    n, p = X.shape
    if W.ndim != 2 or H.ndim != 2 or (len(W), H.shape[1], len(H)) != (n, p, W.shape[1]):
        raise InputError(f"the shapes do not match: X {(n, p)}, W {W.shape}, H {H.shape}; W H must have the shape of X")
    total = 0.0
    for start in range(0, n, ROWS):
        rows = slice(start, start + ROWS)
        tile = X[rows]
        error = (tile.toarray() if scipy.sparse.issparse(tile) else tile) - W[rows] @ H
        total += float(np.vdot(error, error))
    return float(total / (n * p))


def orthogonal_residual(H: ArrayLike) -> float:
    r"""||H H' - I||\ :sup:`2`: 0 for topics that are orthonormal.

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
        raise InputError(f"A has {len(P)} rows and B has {len(Q)}: they must have the same number of rows")
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


def mean_bernoulli_cost(X: Matrix, theta: ArrayLike) -> float:
    r"""mean(log(1 + e\ :sup:`theta`) - x theta), what binary methods minimise: the negative log-likelihood per entry.

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
    X = check_sparse(X).toarray() if scipy.sparse.issparse(X) else np.asarray(X)
    if X.shape != theta.shape:
        raise InputError(f"X has shape {X.shape} and theta {theta.shape}: they must be the same")
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


def npmi(components: ArrayLike, X: Matrix, top: int = 10) -> float:
    r"""log(p_ij / (p_i p_j)) / -log(p_ij), averaged over the pairs of a topic's strongest words and then over topics.

    The coherence of topics: p_i is the share of documents with word i, and p_ij the share with both words. 1 means that the
    words of a topic always come together, 0 that they meet as often as by chance, and -1 that they never meet. Words that
    belong together are easy to name. So topics with a larger value are easier to read.

    Parameters
    ----------
    components : array of shape (k, p)
        Topics by words. The words of a topic are those with the largest weights; a weight of 0 or less does not count.
    X : array or sparse matrix of shape (n, p)
        Documents by words: an entry that is not 0 is a word that occurs. Use the documents of the fit, or others.
    top : int, default=10
        Words of each topic.

    Returns
    -------
    float
        NaN if no topic has two words. A topic with fewer is left out.

    References
    ----------
    Bouma, "Normalized (pointwise) mutual information in collocation extraction", GSCL 2009. Pairs of words that are in every
    document say nothing, and count as 0.

    Examples
    --------
    >>> from sonmf.metrics import npmi
    >>> X = [[1, 1, 0, 0], [2, 1, 0, 0], [0, 0, 1, 1], [0, 0, 0, 3]]
    >>> npmi([[0.8, 0.6, 0.0, 0.0]], X)
    1.0
    >>> npmi([[0.8, 0.0, 0.6, 0.0]], X)
    -1.0
    """
    words = _words_of_topics(components, top, at_least=2)
    X = check_matrix(X, "npmi")
    if X.shape[1] != (p := np.shape(components)[1]):
        raise InputError(f"X has {X.shape[1]} words, but the topics have {p}: give the documents of the same words")
    occurs = scipy.sparse.csc_array(X != 0).astype(np.float64)
    means = [
        npmi_of_pairs(occurs[:, columns])[np.triu_indices(len(columns), 1)].mean() for columns in words if len(columns) > 1
    ]
    return float(np.mean(means)) if means else float("nan")


def npmi_of_pairs(occurs: Matrix) -> Array:
    """log(p_ij / (p_i p_j)) / -log(p_ij) for all pairs of columns: -1 where they never meet, 0 where both are everywhere.

    Parameters
    ----------
    occurs : sparse matrix of shape (n, p), zeros and ones
        Documents by words.

    Returns
    -------
    ndarray of shape (p, p)

    Examples
    --------
    >>> import scipy.sparse
    >>> from sonmf.metrics import npmi_of_pairs
    >>> npmi_of_pairs(scipy.sparse.csr_array([[1.0, 1.0, 0.0], [0.0, 0.0, 1.0]]))[
    ...     0
    ... ].tolist()
    [1.0, 1.0, -1.0]
    """
    n = occurs.shape[0]
    both = (occurs.T @ occurs).toarray()
    each = np.diag(both)
    expected = np.outer(each, each) / n
    value = np.full(both.shape, -1.0)
    value[both == n] = 0.0
    meet = (both > 0) & (both < n)
    value[meet] = np.log(both[meet] / expected[meet]) / -np.log(both[meet] / n)
    return value


def diversity(components: ArrayLike, top: int = 10) -> float:
    r"""Different words / all words in the lists of the topics' strongest words.

    1 means that no two topics share one of their words. A small value means that the topics repeat each other.

    Parameters
    ----------
    components : array of shape (k, p)
        Topics by words. The words of a topic are those with the largest weights; a weight of 0 or less does not count.
    top : int, default=10
        Words of each topic.

    Returns
    -------
    float
        Between 0 and 1; NaN where no topic has a word.

    Examples
    --------
    >>> from sonmf.metrics import diversity
    >>> diversity([[3.0, 2.0, 0.0], [0.0, 2.0, 1.0]], top=2)
    0.75
    """
    words = np.concatenate(_words_of_topics(components, top, at_least=1))
    return len(np.unique(words)) / len(words) if len(words) else float("nan")


def overlap(components: ArrayLike) -> float:
    r"""Mean over the topics of the largest \|cosine\| with another topic: how much a topic repeats its nearest one.

    0 means that the topics are orthogonal, as those of SONMF are, and 1 that each has a copy. All weights count, and not only
    those of the strongest words.

    Parameters
    ----------
    components : array of shape (k, p)
        Topics by words.

    Returns
    -------
    float
        Between 0 and 1; 0 for a single topic. A topic without any word overlaps with none.

    Examples
    --------
    >>> from sonmf.metrics import overlap
    >>> overlap([[1.0, 0.0], [0.6, 0.8]])
    0.6
    """
    H = directions(components)
    cosine = np.abs(H @ H.T)
    np.fill_diagonal(cosine, 0.0)
    return float(np.minimum(cosine.max(axis=1), 1.0).mean())


def directions(components: ArrayLike) -> Array:
    r"""f_j / \|\|f_j\|\|, topics of length 1; a topic without any word has no direction and stays 0.

    Parameters
    ----------
    components : array of shape (k, p)
        Topics by words.

    Returns
    -------
    ndarray of shape (k, p)

    Examples
    --------
    >>> from sonmf.metrics import directions
    >>> directions([[3.0, 4.0], [0.0, 0.0]]).tolist()
    [[0.6, 0.8], [0.0, 0.0]]
    """
    H = _topics(components)
    size = np.linalg.norm(H, axis=1, keepdims=True)
    return H / np.where(size > 0, size, 1.0)


def strongest_words(weights: Array, n: int) -> Array:
    r"""The words j with the n largest weights w_j > 0, the strongest first.

    Parameters
    ----------
    weights : array of shape (p,)
        One weight for each word.
    n : int
        The largest number of words.

    Returns
    -------
    ndarray of int

    Examples
    --------
    >>> import numpy as np
    >>> from sonmf.metrics import strongest_words
    >>> strongest_words(np.array([0.2, -0.9, 0.5, 0.0]), 3).tolist()
    [2, 0]
    """
    order = np.argsort(-weights, kind="stable")[:n]
    return np.asarray(order[weights[order] > 0])


def _words_of_topics(components: ArrayLike, top: int, at_least: int) -> list[Array]:
    if top < at_least:
        raise InputError(f"top={top} must be at least {at_least}")
    return [strongest_words(f, top) for f in _topics(components)]


def _topics(components: ArrayLike) -> Array:
    H = np.asarray(components)
    if H.ndim != 2 or not len(H) or H.dtype.kind not in "biuf":
        shape = f"has shape {H.shape}" if H.dtype.kind in "biuf" else "holds no numbers"
        raise InputError(f"components {shape}: give topics x words, such as components_ of a fitted model")
    return H.astype(np.float64)
