"""Messages about tables that cannot be read, and about names that are unknown."""

from __future__ import annotations

import difflib
import gzip
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

QUOTED = 20  # characters of a cell that a message shows: enough for a code, too few for a note


class TableError(ValueError):
    """A file that cannot be read as a table: which, why, and what to do."""


class MissingColumnError(TableError):
    """A column that was asked for and is missing; ``columns`` are those that the table has."""

    def __init__(self, sentence: str, columns: list[str]) -> None:
        super().__init__(sentence)
        self.columns = columns


@contextmanager
def explained(file: object) -> Iterator[None]:
    """Errors of the system about a file, raised as a TableError."""
    try:
        yield
    except PermissionError:
        raise TableError(
            f"{file} cannot be read for lack of permission: ask its owner, or copy it to a folder of yours"
        ) from None
    except EOFError:
        raise TableError(f"{file} is incomplete: copy or download it again") from None
    except (gzip.BadGzipFile, zlib.error):
        raise TableError(f"{file} is damaged, or not compressed by gzip as its name says: copy or download it again") from None


def cell_in_words(cell: object) -> str:
    """A cell as a message shows it."""
    text = "" if cell is None or cell != cell else str(cell)
    if not text:
        return "an empty cell"
    return repr(text) if len(text) <= QUOTED else f"{text[:QUOTED]!r}..."


def did_you_mean(name: str, names: Iterable[str]) -> str:
    """``" (did you mean 'note'?)"``, or an empty text if no name is similar."""
    by_lower = {known.lower(): known for known in names}
    near = difflib.get_close_matches(name.lower(), by_lower, n=1)
    return f" (did you mean {by_lower[near[0]]!r}?)" if near else ""
