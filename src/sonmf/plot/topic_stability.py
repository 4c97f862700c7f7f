"""Which topics other documents would give again."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sonmf.plot import canvas
from sonmf.plot.canvas import Axes
from sonmf.stability import UNSTABLE, Stability


def stability(found: Stability, names: Sequence[str] | None = None, ax: Axes | None = None) -> Axes:
    """The cosine of each topic with its counterpart in other draws of the documents: the mean, and where 90% of them lie.

    The most stable topic is on top. Topics left of the dashed line, at 0.8, are not found again reliably.

    Parameters
    ----------
    found : Stability
        What ``stability.bootstrap`` returned.
    names : sequence of str, optional
        Of the topics, such as their words.
    ax : matplotlib Axes, optional
        By default those of a new figure.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from sonmf import plot
    >>> from sonmf.stability import Stability
    >>> ax = plot.stability(Stability.of([[0.99, 0.6], [0.97, 0.7]]), ["cough/fever", "pain/left"])
    >>> [tick.get_text() for tick in ax.get_yticklabels()]
    ['cough/fever', 'pain/left']
    """
    order = np.argsort(-found.scores, kind="stable")
    called = [f"topic {k}" for k in range(len(order))] if names is None else list(names)
    ax = canvas.axes(ax, 6, 0.8 + 0.24 * len(order))
    for place, k in enumerate(order):
        colour = canvas.MUTED if found.unstable[k] else canvas.ACCENT
        ax.plot([found.low[k], found.high[k]], [place, place], color=colour, linewidth=1.4)
        ax.plot(found.scores[k], place, "o", color=colour, markersize=4.5)
    ax.axvline(UNSTABLE, color=canvas.MUTED, linestyle="--", linewidth=0.8)
    ax.set_yticks(range(len(order)), [called[k] for k in order])
    ax.invert_yaxis()
    ax.set(xlim=(min(0.0, float(found.low.min())), 1.02), xlabel="cosine with the topic found again")
    canvas.remove_frame(ax)
    return ax
