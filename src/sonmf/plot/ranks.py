"""The number of topics that the data hold."""

from __future__ import annotations

from sonmf.plot import canvas
from sonmf.plot.canvas import Axes
from sonmf.rank import RankChoice


def rank_curve(choice: RankChoice, ax: Axes | None = None) -> Axes:
    """The error of forecasts of unseen words, by number of topics, with the number that was taken.

    A bar is one standard error of the loss against the best number, so the number taken is the first whose bar reaches the
    dashed line. A flat end says that more topics neither help nor harm.

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
    ax.axvline(choice.rank, color=canvas.RAISES, linewidth=1, label=f"taken: {choice.rank}")
    ax.set(xlabel="topics", ylabel="error on unseen words\n(1: no topics)")
    canvas.remove_frame(ax)
    ax.legend(frameon=False)
    return ax
