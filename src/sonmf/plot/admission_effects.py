"""What topics and columns do to a forecast of admission."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sonmf.errors import InputError
from sonmf.plot import canvas
from sonmf.plot.canvas import Axes

if TYPE_CHECKING:
    from sonmf.triage import TriageModel

CELL = 2.6, 2.1  # inches
LEAST = 0.01  # a column is not drawn if the standard deviation of what it adds to the log-odds is below this


def effects(model: TriageModel, complaint: str | None = None, n: int = 15, ax: Axes | None = None) -> Axes:
    """Change of the log-odds of admission when a topic rises by one standard deviation, the strongest first.

    Parameters
    ----------
    model : TriageModel
    complaint : str, optional
        By default the model of all complaints.
    n : int, default=15
        Topics, at most; those that the classifier leaves out are not drawn.
    ax : matplotlib Axes, optional
        By default those of a new figure.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from sonmf import plot
    >>> from sonmf.datasets import make_triage_notes
    >>> from sonmf.triage import TriageModel
    >>> notes = make_triage_notes(1000, complaints=["Fever"], random_state=0)
    >>> ax = plot.effects(TriageModel(n_topics=8).fit(notes["note"], notes["disposition"]))
    >>> ax.get_xlabel()
    'log-odds for one standard deviation'
    """
    fitted = model.model_for(complaint)
    strongest = [int(k) for k in np.argsort(-np.abs(fitted.strength), kind="stable")[:n] if fitted.strength[k]]
    ax = canvas.axes(ax, 6, 0.8 + 0.26 * max(len(strongest), 1))
    canvas.signed_bars(ax, [f"{k} {fitted.names[k]}" for k in strongest], [float(fitted.strength[k]) for k in strongest])
    ax.set_xlabel("log-odds for one standard deviation")
    return ax


def column_effects(model: TriageModel, complaint: str | None = None, columns: int = 4) -> list[Axes]:
    """What each column, and each number read from notes, adds to the log-odds by its value: a curve, or one bar for each level.

    Points are patients with similar values, on the curve at their mean.

    Parameters
    ----------
    model : TriageModel
    complaint : str, optional
        By default the model of all complaints.
    columns : int, default=4
        Pictures side by side.

    Returns
    -------
    list of matplotlib Axes
        One for each column that moves the forecast, the one that moves it most first.

    Examples
    --------
    >>> from sonmf import plot
    >>> from sonmf.datasets import make_triage_notes
    >>> from sonmf.triage import TriageModel
    >>> notes = make_triage_notes(1500, complaints=["Fever"], details=True, random_state=0)
    >>> model = TriageModel(n_topics=5).fit(
    ...     notes["note"], notes["disposition"], columns=notes[["age", "saturation"]]
    ... )
    >>> "age" in [ax.get_title(loc="left") for ax in plot.column_effects(model)]
    True
    """
    from sonmf.triage.labels import label_of

    fitted = model.model_for(complaint)
    shapes = sorted(
        (shape for shape in fitted.record.columns if shape.moves > LEAST and not shape.words), key=lambda shape: -shape.moves
    )
    if not shapes:
        raise InputError("no column moves the forecasts of this model: plot.effects shows its topics")
    drawn = canvas.grid(len(shapes), columns, *CELL)
    for ax, shape in zip(drawn, shapes, strict=True):
        if shape.levels:
            canvas.signed_bars(ax, [level.value for level in shape.levels], [level.effect for level in shape.levels])
        else:
            curve, bins = ([(point.value, point.effect) for point in points] for points in (shape.curve, shape.bins))
            ax.plot(*zip(*curve, strict=True), color=canvas.ACCENT, linewidth=1.4)
            ax.plot(*zip(*bins, strict=True), "o", color=canvas.ACCENT, markersize=3)
            ax.axhline(0, color=canvas.MUTED, linewidth=0.8)
            canvas.remove_frame(ax)
        ax.set_title(label_of(shape.name), loc="left", fontsize="medium")
        ax.tick_params(labelsize="small")
    for ax in drawn[::columns]:
        ax.set_ylabel("log-odds", fontsize="small")
    return drawn
