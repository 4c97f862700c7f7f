"""Data with a known answer: the paper's simulation scenarios, and a corpus that looks like short clinical notes."""

from __future__ import annotations

import numpy as np
import scipy.sparse
from scipy.special import expit

from sonmf.errors import InputError
from sonmf.types import Array

RandomState = None | int | np.random.Generator


def continuous(
    scenario: int,
    n: int,
    p: int,
    k: int,
    *,
    noise: float = 0.3,
    clip: bool | None = None,
    random_state: RandomState = None,
) -> tuple[Array, Array, Array]:
    r"""X = G F' + E with E ~ N(0, noise\ :sup:`2`), the continuous simulations of section 5.1 drawn as the authors do.

    The paper's text leaves the draw of F and the clipping open. Its authors' published scripts settle both, and are followed
    here.

    Parameters
    ----------
    scenario : {1, 2, 3}
        How F (p x k) is drawn. 1: entries Unif(0, 1). 2: non-negative with orthogonal columns; word i belongs to topic i mod k
        only, with a weight Unif(0, 2), or Unif(0, 1) for the last words where k does not divide p. 3: random orthonormal
        columns, each times a factor Unif(0, 1). G (n x k) always has entries Unif(0, 2).
    n, p, k : int
        Numbers of documents, words and topics.
    noise : float, default=0.3
        Standard deviation of E.
    clip : bool, optional
        Whether negative entries of X are set to 0. By default in scenarios 1 and 2, as the authors do.
    random_state : int or numpy.random.Generator, optional
        Give an int for data that repeat.

    Returns
    -------
    X : ndarray of shape (n, p)
    F : ndarray of shape (p, k)
    G : ndarray of shape (n, k)

    Examples
    --------
    >>> from sonmf.simulate import continuous
    >>> X, F, G = continuous(3, n=200, p=100, k=5, random_state=0)
    >>> gram = F.T @ F
    >>> X.shape, bool(np.allclose(gram, np.diag(np.diag(gram))))
    ((200, 100), True)
    """
    _check_rank(n, p, k)
    rng = np.random.default_rng(random_state)
    G = rng.uniform(0, 2, (n, k))
    if scenario == 1:
        F = rng.uniform(0, 1, (p, k))
    elif scenario == 2:
        words = np.arange(p)
        F = np.zeros((p, k))
        F[words, words % k] = rng.uniform(0, np.where(words < p - p % k, 2, 1))
    elif scenario == 3:
        F = np.linalg.qr(rng.normal(size=(p, k)))[0] * rng.uniform(0, 1, k)
    else:
        raise InputError(f"scenario={scenario!r} is unknown: choose 1, 2 or 3")
    X = G @ F.T + rng.normal(0, noise, (n, p))
    return (np.maximum(X, 0) if (scenario != 3 if clip is None else clip) else X), F, G


def binary(n: int, p: int, k: int, *, random_state: RandomState = None) -> tuple[Array, Array, Array]:
    r"""x_ij ~ Bernoulli(sigma(theta_ij)) with theta = G F' + E, the binary simulation of section 5.2.

    F (p x k) has entries N(0, 1), G (n x k) entries Unif(0, 1), and E normal entries with standard deviation 0.1. The text of
    the paper adds the noise to the probabilities, which then have to be clipped. The authors' scripts add it to the log-odds,
    as is done here.

    Parameters
    ----------
    n, p, k : int
        Numbers of documents, words and topics.
    random_state : int or numpy.random.Generator, optional
        Give an int for data that repeat.

    Returns
    -------
    X : ndarray of shape (n, p), zeros and ones
    F : ndarray of shape (p, k)
    G : ndarray of shape (n, k)

    Examples
    --------
    >>> from sonmf.simulate import binary
    >>> X, F, G = binary(n=200, p=100, k=5, random_state=0)
    >>> sorted(set(X.ravel().tolist()))
    [0.0, 1.0]
    """
    X, _, F, G = binary_with_log_odds(n, p, k, random_state=random_state)
    return X, F, G


def binary_with_log_odds(n: int, p: int, k: int, *, random_state: RandomState = None) -> tuple[Array, Array, Array, Array]:
    """The data of ``binary`` with the log-odds theta = G F' + E that they were drawn from: the truth that a fit is judged by.

    Parameters
    ----------
    n, p, k : int
        Numbers of documents, words and topics.
    random_state : int or numpy.random.Generator, optional
        Give an int for data that repeat.

    Returns
    -------
    X : ndarray of shape (n, p), zeros and ones
    theta : ndarray of shape (n, p)
    F : ndarray of shape (p, k)
    G : ndarray of shape (n, k)

    Examples
    --------
    >>> from sonmf.metrics import mean_bernoulli_cost
    >>> from sonmf.simulate import binary_with_log_odds
    >>> X, theta, F, G = binary_with_log_odds(n=200, p=100, k=5, random_state=0)
    >>> mean_bernoulli_cost(X, theta) < 0.69
    True
    """
    _check_rank(n, p, k)
    rng = np.random.default_rng(random_state)
    F, G = rng.normal(size=(p, k)), rng.uniform(0, 1, (n, k))
    theta = G @ F.T + rng.normal(0, 0.1, (n, p))
    X = rng.random((n, p)) < expit(theta)
    return X.astype(np.float64), theta, F, G


def _check_rank(n: int, p: int, k: int) -> None:
    if not 1 <= k <= min(n, p):
        raise InputError(f"k={k} must lie between 1 and min(n, p)={min(n, p)}")


def corpus(n: int, p: int, *, k: int = 60, words: int = 40, random_state: RandomState = None) -> scipy.sparse.csr_array:
    """Unit-length tf-idf rows of n generated notes over p words: x_ij ~ tf_ij log2(n / df_j).

    A note mixes up to three of k topics and everyday language. Notes are written in phrases of one to four words, phrases
    and words follow Zipf's law, and some topics are much more common than others. So the spectrum decays like that of real
    text, and does not stop at k.

    Parameters
    ----------
    n, p : int
        Numbers of notes and of words.
    k : int, default=60
        Number of topics.
    words : int, default=40
        Average length of a note.
    random_state : int or numpy.random.Generator, optional
        Give an int for data that repeat.

    Returns
    -------
    X : scipy.sparse.csr_array of shape (n, p), float64

    Examples
    --------
    >>> from sonmf.simulate import corpus
    >>> X = corpus(1000, 500, random_state=0)
    >>> X.shape, bool(X.nnz < 0.1 * 1000 * 500)
    ((1000, 500), True)
    """
    rng = np.random.default_rng(random_state)
    zipf = 1 / (np.arange(p) + 3.0)
    size = rng.integers(1, 5, p)
    first = np.concatenate([[0], np.cumsum(size)])
    spelled = rng.choice(p, first[-1], p=zipf / zipf.sum())
    topics = np.vstack([zipf * rng.gamma(0.1, 10.0, (k, p)), zipf])
    cumulative = np.cumsum(topics, axis=1)
    cumulative /= cumulative[:, -1:]

    note = np.repeat(np.arange(n, dtype=np.int32), rng.poisson(words * zipf.sum() / (size @ zipf), n))
    common = 1 / (np.arange(k) + 2.0)
    about = rng.choice(k, (n, 3), p=common / common.sum())
    topic = about[note, rng.choice(3, len(note), p=[0.6, 0.25, 0.15])]
    topic[rng.random(len(note)) < 0.3] = k
    phrase, uniform = np.empty(len(note), np.intp), rng.random(len(note))
    for t in range(k + 1):
        here = topic == t
        phrase[here] = np.searchsorted(cumulative[t], uniform[here])

    length = size[phrase]
    within = np.arange(length.sum()) - np.repeat(np.cumsum(length) - length, length)
    word = spelled[np.repeat(first[phrase], length) + within].astype(np.int32)
    X = scipy.sparse.coo_array((np.ones(len(word)), (np.repeat(note, length), word)), shape=(n, p)).tocsr()
    document_frequency = np.maximum(np.bincount(X.indices, minlength=p), 1)
    X.data *= np.log2(n / document_frequency)[X.indices]
    norm = np.sqrt(np.asarray(X.multiply(X).sum(axis=1)).ravel())
    X.data /= np.repeat(np.where(norm > 0, norm, 1.0), np.diff(X.indptr))
    return X
