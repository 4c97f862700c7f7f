"""How fits went: how the objective fell, how many topics the data hold, which of them other documents would give again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from sonmf.plot import canvas
from sonmf.plot.canvas import Axes
from sonmf.rank import RankChoice
from sonmf.stability import UNSTABLE, Stability

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
    >>> solvers = {
    ...     name: SONMF(5, solver=name).fit(X) for name in ("accelerated", "procrustes")
    ... }
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


def rank_curve(choice: RankChoice, ax: Axes | None = None) -> Axes:
    """The error of forecasts of unseen words, by number of topics, with the number that was taken.

    A bar is one standard error of the loss against the best number, so the number taken is the first whose bar reaches the
    dashed line. A flat end says that more topics neither help nor harm. If the choice was made with ``bootstrap``, a second
    curve shows the share of topics that come back, and a second line the number to take for reading.

    Parameters
    ----------
    choice : RankChoice
        What ``select_rank`` returned.
    ax : matplotlib Axes, optional
        By default those of a new figure.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from sonmf import SONMF, plot, select_rank
    >>> from sonmf.simulate import continuous
    >>> X, F, G = continuous(1, n=100, p=80, k=3, random_state=0)
    >>> ax = plot.rank_curve(select_rank(SONMF(), X, range(1, 7), random_state=0))
    >>> ax.get_xlabel()
    'topics'
    """
    ax = canvas.axes(ax, 6, 3.6)
    curve = choice.curve
    ax.errorbar(
        curve.ranks, curve.mean, curve.excess_error, marker="o", markersize=3.5, capsize=2, linewidth=1.2, color=canvas.ACCENT
    )
    ax.axhline(curve.mean.min(), color=canvas.MUTED, linestyle="--", linewidth=0.8)
    taken = "for forecasts" if choice.stability else "taken"
    ax.axvline(choice.rank, color=canvas.ACCENT, linewidth=1, label=f"{taken}: {choice.rank}")
    ax.set(xlabel="topics", ylabel="error on unseen words\n(1: no topics)")
    canvas.remove_frame(ax)
    if choice.stability:
        _draw_share_back(choice, ax)
    ax.legend(frameon=False)
    return ax


def _draw_share_back(choice: RankChoice, ax: Axes) -> None:
    """The share of topics that come back, on an axis of its own at the right."""
    share = ax.twinx()
    share.plot(choice.curve.ranks, choice.share_back, marker="s", markersize=3.5, linewidth=1.2, color=canvas.MUTED)
    share.set(ylim=(0, 1.05), ylabel="share of topics that come back")
    share.yaxis.label.set_color(canvas.MUTED)
    share.spines["top"].set_visible(False)
    ax.yaxis.label.set_color(canvas.ACCENT)
    if choice.for_reading is not None:
        ax.axvline(
            choice.for_reading, color=canvas.MUTED, linewidth=1, linestyle=":", label=f"for reading: {choice.for_reading}"
        )


def stability(result: Stability, names: Sequence[str] | None = None, ax: Axes | None = None) -> Axes:
    """The cosine of each topic with its counterpart in other draws of the documents: the mean, and where 90% of them lie.

    The most stable topic is on top. Topics left of the dashed line, at 0.8, are not found again reliably.

    Parameters
    ----------
    result : Stability
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
    >>> ax = plot.stability(
    ...     Stability.of([[0.99, 0.6], [0.97, 0.7]]), ["cough/fever", "pain/left"]
    ... )
    >>> [tick.get_text() for tick in ax.get_yticklabels()]
    ['cough/fever', 'pain/left']
    """
    order = np.argsort(-result.scores, kind="stable")
    called = [f"topic {k}" for k in range(len(order))] if names is None else list(names)
    ax = canvas.axes(ax, 6, 0.8 + 0.24 * len(order))
    for place, k in enumerate(order):
        colour = canvas.MUTED if result.unstable[k] else canvas.ACCENT
        ax.plot([result.low[k], result.high[k]], [place, place], color=colour, linewidth=1.4)
        ax.plot(result.scores[k], place, "o", color=colour, markersize=4.5)
    ax.axvline(UNSTABLE, color=canvas.MUTED, linestyle="--", linewidth=0.8)
    ax.set_yticks(range(len(order)), [called[k] for k in order], parse_math=False)
    ax.invert_yaxis()
    ax.set(xlim=(min(0.0, float(result.low.min())), 1.02), xlabel="cosine with the topic found again")
    canvas.remove_frame(ax)
    return ax
