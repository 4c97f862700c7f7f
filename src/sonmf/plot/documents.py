"""Documents and their topics."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sonmf.plot import canvas
from sonmf.plot.canvas import Axes
from sonmf.types import Matrix

if TYPE_CHECKING:
    from sklearn.base import TransformerMixin

MOST = 500  # documents in one picture


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
