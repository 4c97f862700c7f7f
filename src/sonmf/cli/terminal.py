"""Output to a terminal or a pipe: text is never markup, tables do not break words, progress bars only on a terminal."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any

from rich import box
from rich.bar import Bar
from rich.cells import cell_len, set_cell_size
from rich.console import Console
from rich.measure import Measurement, measure_renderables
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from sonmf.cli.say import make_visible

GAP = 2  # between columns
LONGEST = 32  # of a word in a table; what is beyond is cut off and marked as such
BAR = 20
WIDEST = 1_000_000  # columns of a terminal on which nothing would wrap

Cell = str | Text | Bar


class Terminal(Console):
    """A console that shows text as it is: brackets are not markup, and control characters become visible.

    Lines wrap between words, and only for someone who watches. A reader who goes away ends the printing, not the work.
    """

    def __init__(self, **settings: Any) -> None:
        super().__init__(markup=False, highlight=False, emoji=False, **settings)
        if hasattr(self.file, "reconfigure"):
            self.file.reconfigure(errors="backslashreplace")  # of letters that its encoding does not have

    def render_str(self, text: str, **settings: Any) -> Text:
        """Every string that is printed passes here: lines, cells, titles, rules."""
        return super().render_str(make_visible(text), **settings | {"markup": False, "highlight": False, "emoji": False})

    def print(self, *objects: object, **settings: Any) -> None:
        """Print the objects on one line, wrapped between words; a line with a word that is too long is not wrapped."""
        words = "".join(_shown(part) for part in objects if isinstance(part, str | Text)).split()
        fits = max(map(cell_len, words), default=0) <= self.width
        defaults: dict[str, Any] = {"sep": "", "crop": False, "soft_wrap": not (fits and self.is_terminal)}
        super().print(*objects, **defaults | settings)

    def print_each(self, lines: Iterable[str]) -> None:
        for line in lines:
            self.print(line)

    def on_broken_pipe(self) -> None:
        """The reader of the pipe has gone."""
        self.quiet = True
        os.dup2(os.open(os.devnull, os.O_WRONLY), self.file.fileno())

    def table(
        self,
        head: Sequence[str],
        rows: Sequence[Sequence[Cell]],
        *,
        words: Collection[str] = (),
        title: str = "",
        elsewhere: str = "",
    ) -> Sequence[str]:
        """A table of whole words: columns named in ``words`` wrap between words, all others hold figures and never wrap.

        The first columns decide: where the terminal is too narrow the last ones are left out, and their names returned. A line
        below the table tells ``elsewhere`` they can be found.
        """
        rows = [[_cut(cell) for cell in row] for row in rows]
        columns = zip(head, zip(*rows, strict=True) if rows else [()] * len(head), strict=True)
        sizes = [self._size(name, cells, wraps=name in words) for name, cells in columns]
        room = [
            self.width - GAP * (count - 1) - sum(size.minimum for size in sizes[:count]) for count in range(1, len(head) + 1)
        ]
        count = max(1, sum(left >= 0 for left in room))
        sheet = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, GAP - 1, 0, 0))
        widths = _widths(sizes[:count], self.width - GAP * (count - 1))
        for name, width in zip(head, widths, strict=False):
            sheet.add_column(name, width=width, justify="left" if name in words else "right", overflow="crop")
        for row in rows:
            sheet.add_row(*row[:count])
        if title:
            self.print(title, style="bold")
        self.print(sheet, soft_wrap=False)
        if elsewhere:
            self.say_left_out(head[count:], elsewhere)
        return head[count:]

    def _size(self, head: str, cells: Sequence[Cell], *, wraps: bool) -> Measurement:
        """The smallest width of a column that breaks no word, and the one at which nothing wraps; heads wrap in any case."""
        measure = partial(measure_renderables, self, self.options.update(width=WIDEST))
        text = [cell for cell in cells if not isinstance(cell, Bar)]  # a bar shrinks with its column
        least = max(1, measure([head]).minimum, measure(text).minimum if wraps else measure(cells).maximum)
        return Measurement(least, max(least, measure([head, *cells]).maximum))

    def say_left_out(self, columns: Sequence[str], where: str) -> None:
        """Say which columns were left out for lack of space, and where to find them."""
        if columns:
            self.print(f"no space for {', '.join(columns)}: {where}", style="dim")


def _cut(cell: Cell) -> Cell:
    """A cell whose words are no longer than a table allows; rich would also mark words with wide letters that do fit."""
    if isinstance(cell, Bar) or max(map(cell_len, _shown(cell).split()), default=0) <= LONGEST:
        return cell
    short = [word if cell_len(word) <= LONGEST else set_cell_size(word, LONGEST - 1) + "…" for word in _shown(cell).split()]
    return Text(" ".join(short), style=cell.style if isinstance(cell, Text) else "")


def _shown(cell: str | Text) -> str:
    return cell.plain if isinstance(cell, Text) else make_visible(cell)


def _widths(sizes: list[Measurement], room: int) -> list[int]:
    """Give every column its smallest width, and share the rest equally among those that would wrap."""
    widths = [min(size.minimum, room) for size in sizes]
    left = room - sum(widths)
    while left > 0 and (wanting := [k for k, size in enumerate(sizes) if widths[k] < size.maximum]):
        share = max(left // len(wanting), 1)
        for k in wanting:
            more = min(share, sizes[k].maximum - widths[k], left)
            widths[k], left = widths[k] + more, left - more
    return widths


def style_text(text: object, style: str) -> Text:
    """Text in a colour or weight, for a line or a cell."""
    return Text(make_visible(text), style=style)


def odds_colour(effect: float) -> str:
    """Orange for what raises the odds of admission, blue for what lowers them, as in the report; red is for alarms."""
    return "dark_orange3" if effect > 0 else "blue"


def bar(share: float) -> Bar:
    """From the middle to the right for a positive share of the largest, to the left for a negative one."""
    return Bar(2, min(1, 1 + share), max(1, 1 + share), width=BAR, color=odds_colour(share))


@contextmanager
def progress(console: Terminal, total: int | None, unit: str) -> Iterator[Callable[..., None]]:
    """A bar with the time left on a terminal, a line now and then elsewhere: ``advance(label, total)`` moves it.

    The total may be given with the first step, where only the work itself knows it.
    """
    if console.is_terminal:
        steps = TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn()
        with Progress(*steps, TimeElapsedColumn(), TimeRemainingColumn(), console=console, transient=True) as drawn:
            task = drawn.add_task(unit, total=total)
            yield lambda label, total=total: drawn.update(task, advance=1, total=total, description=make_visible(label))
        return
    began, done, due = time.monotonic(), 0, 0.0

    def advance(label: str, total: int | None = total) -> None:
        nonlocal done, due
        done, spent = done + 1, time.monotonic() - began
        if spent >= due or done == total:
            due = spent + 30
            to_do = (total or done) - done
            left = f", about {spent / done * to_do:.0f} s left" if done > 1 and to_do else ""  # the first step also compiles
            console.print(f"{done:,} of {total or done:,} {unit}, {spent:.0f} s{left} ({label})")

    yield advance
