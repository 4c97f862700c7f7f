"""Axes to draw on, and the colours of the report and the page."""

from __future__ import annotations

import re
from collections.abc import Sequence
from importlib import resources
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    import matplotlib.axes

Axes: TypeAlias = "matplotlib.axes.Axes"

_STYLE = resources.files("sonmf").joinpath("web", "static", "style.css").read_text("utf-8")  # says what each colour means
_COLOURS = dict(re.findall(r"--([a-z]+): (#[0-9a-f]{6});", _STYLE))
RAISES, LOWERS, FOR, AGAINST, TOGETHER, INSTEAD, ALARM, ACCENT, MUTED = (
    _COLOURS[name] for name in ("raises", "lowers", "for", "against", "together", "instead", "alarm", "accent", "muted")
)


def axes(ax: Axes | None, width: float, height: float) -> Axes:
    """The axes that were given, or those of a new figure, in inches."""
    return grid(1, 1, width, height)[0] if ax is None else ax


def grid(count: int, columns: int, width: float, height: float) -> list[Axes]:
    """Axes of this size in a new figure, row by row; a notebook shows it, in a script ``plt.show()`` does."""
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        raise ImportError("pictures need matplotlib, in the extra 'plots': python -m pip install 'sonmf[plots]'") from None
    columns = min(columns, count)
    rows = -(-count // columns)
    _, grid = plt.subplots(rows, columns, figsize=(width * columns, height * rows), squeeze=False, layout="constrained")
    for ax in grid.ravel()[count:]:
        ax.remove()
    return list(grid.ravel()[:count])


def remove_frame(ax: Axes) -> None:
    """Remove the frame above and on the right."""
    ax.spines[["top", "right"]].set_visible(False)


def signed_bars(ax: Axes, names: list[str], values: Sequence[float], colours: tuple[str, str] = (RAISES, LOWERS)) -> None:
    """One bar for each name, from the top down; positive values point to the right, in the first of the colours."""
    places = range(len(names))
    ax.barh(places, values, color=[colours[value <= 0] for value in values], height=0.7)
    ax.set_yticks(places, names)
    ax.invert_yaxis()
    ax.axvline(0, color=MUTED, linewidth=0.8)
    remove_frame(ax)
