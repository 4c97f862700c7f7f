"""Documents and their topics: how much each has of each, and which topics occur in the same documents."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from sonmf.errors import InputError
from sonmf.plot import canvas
from sonmf.plot.canvas import Axes
from sonmf.text.cooccurrence import correlation, places
from sonmf.types import Matrix

if TYPE_CHECKING:
    from sklearn.base import TransformerMixin

MOST = 500  # documents in one picture
LARGEST = 500.0  # area of a circle of the map, in points


def documents(model: TransformerMixin, X: Matrix, most: int = MOST, ax: Axes | None = None) -> Axes:
    """How much of each topic each document has: G', one row for each topic, the documents sorted by their main topic.

    Parameters
    ----------
    model : fitted estimator
    X : matrix of shape (n_documents, n_words)
    most : int, default=500
        If there are more documents, evenly spaced ones are shown.
    ax : matplotlib Axes, optional
        By default those of a new figure.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from sonmf import SONMF, plot
    >>> from sonmf.simulate import corpus
    >>> X = corpus(300, 200, random_state=0)
    >>> ax = plot.documents(SONMF(6).fit(X), X, most=100)
    >>> ax.images[0].get_array().shape
    (6, 100)
    """
    G = np.asarray(model.transform(X), np.float64)
    chosen = np.unique(np.linspace(0, len(G) - 1, min(most, len(G))).astype(int))
    G = G[chosen]
    main = G.argmax(axis=1)
    order = np.lexsort((-G.max(axis=1), main))
    ax = canvas.axes(ax, 7, 0.8 + 0.22 * G.shape[1])
    image = ax.imshow(G[order].T, aspect="auto", cmap="Blues", interpolation="nearest", vmin=0)
    ax.figure.colorbar(image, ax=ax, label="amount", shrink=0.8)
    ax.set(xlabel=f"{len(chosen):,} documents, by main topic", ylabel="topic", xticks=[])
    ax.set_yticks(range(G.shape[1]))
    return ax


def topic_map(model: TransformerMixin, X: Matrix, names: Sequence[str] | None = None, ax: Axes | None = None) -> Axes:
    r"""Distances sqrt(1 - r) in the plane, r the correlation of the amounts of two topics; areas are shares of ||G||\ :sup:`2`.

    Topics that occur in the same documents stand close together. (The cosine of two orthonormal topics is always 0, so their
    words give no map.) Laid out by classical scaling. Two dimensions cannot preserve all distances: read neighbourhoods, not
    axes. A name that finds no room is left out.

    Parameters
    ----------
    model : fitted estimator
    X : matrix of shape (n_documents, n_words)
        Documents, such as those of the fit.
    names : sequence of str, optional
        Of the topics.
    ax : matplotlib Axes, optional
        By default those of a new figure.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from sonmf import SONMF, plot
    >>> from sonmf.simulate import corpus
    >>> X = corpus(300, 200, random_state=0)
    >>> ax = plot.topic_map(SONMF(6).fit(X), X)
    >>> len(ax.texts)
    6
    """
    G = np.asarray(model.transform(X), np.float64)
    if G.shape[1] < 3:
        raise InputError(f"a map needs at least 3 topics, and the model has {G.shape[1]}")
    if names is not None and len(names) != G.shape[1]:
        raise InputError(f"names has {len(names)} names for {G.shape[1]} topics: give one for each")
    if not G.any():
        raise InputError("no document of X has any topic, so they have no place on a map: give the documents of the fit")
    ax = canvas.axes(ax, 7, 5.5)
    at, energy = places(correlation(G)), (G**2).sum(axis=0)
    ax.scatter(at[:, 0], at[:, 1], s=LARGEST * energy / energy.max(), color=canvas.MUTED, alpha=0.45, linewidth=0)
    ax.set(xticks=[], yticks=[], aspect="equal")
    ax.margins(0.15)
    ax.set_title("topics that meet in the same documents", loc="left", fontsize="medium")
    largest = np.argsort(-energy, kind="stable")
    radii = np.sqrt(LARGEST * energy[largest] / energy.max() / np.pi)
    canvas.place_labels(ax, at[largest], [str(k) if names is None else names[k] for k in largest], radii)
    return ax
