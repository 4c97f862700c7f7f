"""How the objective fell during fits."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sonmf.plot import canvas
from sonmf.plot.canvas import Axes

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator


def convergence(models: BaseEstimator | dict[str, BaseEstimator], ax: Axes | None = None) -> Axes:
    """(objective - lowest) / lowest after each iteration, on a logarithmic scale.

    The lowest objective is that of all models given, so fits of the same data can be compared: a curve that ends above the
    others ended at a worse point.

    Parameters
    ----------
    models : fitted estimator, or dict of name to fitted estimator
        With ``objective_history_``.
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
    >>> solvers = {name: SONMF(5, solver=name).fit(X) for name in ("accelerated", "procrustes")}
    >>> ax = plot.convergence(solvers)
    >>> [line.get_label() for line in ax.get_lines()]
    ['accelerated', 'procrustes']
    """
    named = models if isinstance(models, dict) else {type(models).__name__: models}
    ax = canvas.axes(ax, 6, 3.6)
    lowest = min(float(np.min(model.objective_history_)) for model in named.values())
    for name, model in named.items():
        excess = np.asarray(model.objective_history_) / lowest - 1
        ax.plot(np.arange(1, len(excess) + 1), np.where(excess > 0, excess, np.nan), label=name, linewidth=1.4)
    ax.set(yscale="log", xlabel="iteration", ylabel="objective above the lowest\n(share of it)")
    canvas.remove_frame(ax)
    if len(named) > 1:
        ax.legend(frameon=False)
    return ax
