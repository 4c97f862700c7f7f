"""Which topics occur in the same documents: how their amounts correlate, how many documents show both, and a map of them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from sonmf.types import Array


class Cooccurrence(NamedTuple):
    """How often each of k topics, and each two of them, occur in documents."""

    energy: Array
    """(k,): the share of each topic in ||G||^2, the squares of all amounts."""
    correlation: Array
    """(k, k): correlations of the amounts G."""
    documents: Array
    """(2k, 2k): documents that show both of two sides. The sides for the topics come first, then the sides against them. The
    diagonal has the documents that show one side."""


def sides_shown(Z: ArrayLike) -> Array:
    """Whether each document shows each side of each topic, n x 2k, from Z = XF.

    A document shows a side if |z| is above the root mean square of the topic over all documents, with the sign of that side.
    """
    Z = np.asarray(Z, np.float64)
    usual = np.sqrt((Z**2).mean(axis=0))
    return np.hstack([usual < Z, usual < -Z])


def cooccurrence(Z: ArrayLike, fewest: int = 1, G: ArrayLike | None = None) -> Cooccurrence:
    """How often topics occur together, from Z = XF and the amounts G.

    Parameters
    ----------
    Z : array of shape (n_documents, n_topics)
        What ``transform`` of a model with ``signed=True`` returns.
    fewest : int, default=1
        A smaller number of documents is written as 0. A topic that fewer documents show has correlation 0 with all others.
    G : array of shape (n_documents, n_topics), optional
        The amounts of a model whose amounts are not [XF]+. What is negative counts as 0.

    Returns
    -------
    Cooccurrence

    Examples
    --------
    >>> from sonmf.text.cooccurrence import cooccurrence
    >>> found = cooccurrence([[2.0, 2.0], [2.0, 0.0], [0.0, 0.0], [0.0, -2.0]])
    >>> found.documents.tolist()
    [[2, 1, 0, 0], [1, 1, 0, 0], [0, 0, 0, 0], [0, 0, 0, 1]]
    """
    Z = np.asarray(Z, np.float64)
    shown = sides_shown(Z).astype(np.float32)  # half the memory, and exact up to 16 million documents
    documents = (shown.T @ shown).astype(np.int64)
    del shown
    documents[documents < fewest] = 0
    amounts: Array = np.maximum(Z if G is None else np.asarray(G, np.float64), 0.0)
    energy = np.einsum("ik,ik->k", amounts, amounts)
    seen = np.diag(documents)[: Z.shape[1]] > 0
    return Cooccurrence(
        energy / max(energy.sum(), 1e-300), np.where(np.outer(seen, seen), correlation(amounts), 0.0), documents
    )


def correlation(G: Array) -> Array:
    """The correlations of the columns; those of a constant column are 0."""
    away = G - G.mean(axis=0)
    length = np.sqrt(np.einsum("ik,ik->k", away, away))
    away /= np.where(length > 1e-10 * np.abs(G).sum(axis=0), length, np.inf)
    return np.asarray(np.clip(away.T @ away, -1.0, 1.0))


def places(correlation: Array) -> Array:
    """Classical scaling of the distances sqrt(1 - r) between topics, k x 2; a single topic is in the middle.

    The signs of both axes are chosen so that the topic farthest out on each has a positive coordinate.
    """
    squares = 1 - np.asarray(correlation, np.float64)
    np.fill_diagonal(squares, 0.0)
    centred = squares - squares.mean(axis=0)
    values, vectors = np.linalg.eigh(-0.5 * (centred - centred.mean(axis=1, keepdims=True)))
    found = np.zeros((len(squares), 2))
    found[:, : len(values)] = vectors[:, :-3:-1] * np.sqrt(np.maximum(values[:-3:-1], 0))
    farthest = found[np.abs(found).argmax(axis=0), [0, 1]]
    return np.asarray(found * np.where(farthest < 0, -1.0, 1.0))
