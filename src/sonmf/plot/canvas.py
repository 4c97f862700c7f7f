"""Axes to draw on, and the colours of the report and the page."""

from __future__ import annotations

import re
from collections.abc import Sequence
from importlib import resources
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from sonmf.types import Array

if TYPE_CHECKING:
    import matplotlib.axes
    from numpy.typing import ArrayLike

Axes: TypeAlias = "matplotlib.axes.Axes"

_STYLE = resources.files("sonmf").joinpath("web", "static", "style.css").read_text("utf-8")  # says what each colour means
_COLOURS = dict(re.findall(r"--([a-z]+): (#[0-9a-f]{6});", _STYLE))
RAISES, LOWERS, FOR, AGAINST, ACCENT, MUTED = (
    _COLOURS[name] for name in ("raises", "lowers", "for", "against", "accent", "muted")
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
    ax.set_yticks(places, names, parse_math=False)
    ax.invert_yaxis()
    ax.axvline(0, color=MUTED, linewidth=0.8)
    remove_frame(ax)


def place_labels(ax: Axes, at: Array, names: Sequence[str], radii: ArrayLike = 2.0) -> None:
    """The name of each point beside it, where it covers neither another name nor another point; first come, first served.

    ``radii`` are those of the points, in typographic points. A point without room keeps no name.
    """
    figure = ax.figure.figure  # not a part of it
    figure.draw_without_rendering()  # settles where the axes are
    point_size = 72 / figure.dpi  # of a pixel; a file may be saved with others
    centres, radii = ax.transData.transform(at), np.broadcast_to(radii, len(at)) / point_size
    taken = [(x - r, y - r, x + r, y + r) for (x, y), r in zip(centres, radii, strict=True)]
    frame = ax.get_window_extent()
    for point, (x, y), r, name in zip(at, centres, radii, names, strict=True):
        label = ax.annotate(
            name, point, xytext=(0, 0), textcoords="offset points", fontsize="small", ha="left", va="bottom", parse_math=False
        )
        extent = label.get_window_extent()
        for left, bottom in _around(r + 2, extent.width, extent.height):
            box = x + left, y + bottom, x + left + extent.width, y + bottom + extent.height
            inside = frame.x0 <= box[0] and box[2] <= frame.x1 and frame.y0 <= box[1] and box[3] <= frame.y1
            if inside and not any(_overlap(box, other) for other in taken):
                label.xyann = left * point_size, bottom * point_size
                taken.append(box)
                break
        else:
            label.remove()


def _around(r: float, width: float, height: float) -> list[tuple[float, float]]:
    """Where a name can stand beside a point: the offsets of its lower left corner, the best place first."""
    beside = [(r, -height / 2), (-r - width, -height / 2), (-width / 2, -r - height), (-width / 2, r)]
    return beside + [(right * r - (right < 0) * width, up * r - (up < 0) * height) for right in (1, -1) for up in (1, -1)]


def _overlap(a: Sequence[float], b: Sequence[float]) -> bool:
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]
