"""Forecasts: whether they are right, and how many beds they predict."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from sonmf.plot import canvas
from sonmf.plot.canvas import Axes

if TYPE_CHECKING:
    from sonmf.triage import TriageModel


def calibration(model: TriageModel, complaint: str | None = None, ax: Axes | None = None) -> Axes:
    """Share admitted against forecast, for patients with similar forecasts, whose outcomes the classifier had not seen.

    On the diagonal forecasts are right. Bars are two standard errors of a share.

    Parameters
    ----------
    model : TriageModel
    complaint : str, optional
        By default the model of all complaints.
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
    >>> ax = plot.calibration(
    ...     TriageModel(n_topics=8).fit(notes["note"], notes["disposition"])
    ... )
    >>> ax.get_xlabel(), ax.get_ylabel()
    ('forecast', 'admitted')
    """
    bins = model.model_for(complaint).record.calibration.reliability
    n, forecast, admitted = np.array([(b.n, b.forecast, b.admitted) for b in bins], float).T
    ax = canvas.axes(ax, 4, 4)
    ax.plot([0, 1], [0, 1], color=canvas.MUTED, linewidth=0.8, linestyle="--")
    error = 2 * np.sqrt(forecast * (1 - forecast) / n)
    ax.errorbar(forecast, admitted, error, fmt="o", color=canvas.ACCENT, markersize=4.5, capsize=2, linewidth=1)
    ax.set(xlim=(0, 1), ylim=(0, 1), aspect="equal", xlabel="forecast", ylabel="admitted")
    canvas.remove_frame(ax)
    return ax


def beds(probabilities: ArrayLike, level: float = 0.9, ax: Axes | None = None) -> Axes:
    """P(b admitted) for b = 0, 1, ...: the exact distribution of the beds that these patients need, and an interval.

    Parameters
    ----------
    probabilities : array-like of shape (n_patients,)
        Such as ``predict_proba(...)[:, 1]``.
    level : float, default=0.9
        Of the interval.
    ax : matplotlib Axes, optional
        By default those of a new figure.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from sonmf import plot
    >>> ax = plot.beds([0.9, 0.5, 0.5, 0.1])
    >>> ax.get_title(loc="left")
    '2.0 of 4 patients expected (90% interval 1 to 3)'
    """
    from sonmf.triage.admission_count import distribution, expected_admissions

    expected = expected_admissions(probabilities, level)
    mass = distribution(np.asarray(probabilities, np.float64))
    likely = np.flatnonzero(mass > 1e-4 * mass.max())
    shown = np.arange(likely[0], likely[-1] + 1)
    inside = (shown >= expected.low) & (shown <= expected.high)
    ax = canvas.axes(ax, 6, 3)
    ax.bar(shown, mass[shown], color=np.where(inside, canvas.ACCENT, "#c6d4e3"), width=0.85)
    ax.set(xlabel="beds", ylabel="probability")
    ax.set_title(str(expected), loc="left", fontsize="medium")
    ax.locator_params(axis="x", integer=True)
    canvas.remove_frame(ax)
    return ax
