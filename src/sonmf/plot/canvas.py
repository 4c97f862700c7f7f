"""Where to draw, and in which colours: those of the report and the page."""

from __future__ import annotations

from typing import Any

RAISES, LOWERS, ACCENT, MUTED = "#b2182b", "#2166ac", "#1a5490", "#57606a"


def axes(ax: Any, width: float, height: float) -> Any:
    """The axes that were given, or those of a new figure, in inches."""
    return grid(1, 1, width, height)[0] if ax is None else ax


def grid(rows: int, columns: int, width: float, height: float) -> list[Any]:
    """Axes of a new figure, row by row; a notebook shows it, and ``plt.show()`` a script's."""
    import matplotlib.pyplot as plt

    _, found = plt.subplots(rows, columns, figsize=(width, height), squeeze=False, layout="constrained")
    return list(found.ravel())


def bare(ax: Any) -> None:
    """Without the frame above and on the right."""
    ax.spines[["top", "right"]].set_visible(False)


def signed_bars(ax: Any, names: list[str], values: Any) -> None:
    """A bar a name from the top down, to the right where the value is positive."""
    places = range(len(names))
    ax.barh(places, values, color=[RAISES if value > 0 else LOWERS for value in values], height=0.7)
    ax.set_yticks(places, names)
    ax.invert_yaxis()
    ax.axvline(0, color=MUTED, linewidth=0.8)
    bare(ax)
