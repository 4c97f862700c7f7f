"""Messages about tables that cannot be read, and about columns and other names that are missing, unknown or given twice."""

from __future__ import annotations

import difflib
import gzip
import re
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager

from sonmf.errors import InputError
from sonmf.sources import limits

LONGEST_SHAPE = 20  # characters of a value without letters whose form a message shows
SHOWN = 20  # names that an error lists
LONGEST_NAME, MOST_WORDS = 40, 4  # characters and words of the name of a column; what is longer may be a note
VALUE = re.compile(r"[^A-Za-z]*[0-9][^A-Za-z]*|[0-9]+[-/.,: ].*")  # a number, a date or a time
NO_HEADER = "the first line must hold the names of the columns, not a patient"


class TableError(InputError):
    """A file that cannot be read as a table: which, why, and what to do."""


class MissingColumnError(TableError):
    """A requested column is missing; ``columns`` are those that the table has."""

    def __init__(self, sentence: str, columns: list[str]) -> None:
        super().__init__(sentence)
        self.columns = columns


@contextmanager
def explained(file: object) -> Iterator[None]:
    """Errors of the system about a file, raised as a TableError."""
    try:
        yield
    except PermissionError:
        raise TableError(f"{file} cannot be read without permission: ask its owner for the right to read it") from None
    except EOFError:
        raise TableError(f"{file} is incomplete: copy or download it again") from None
    except (gzip.BadGzipFile, zlib.error):
        raise TableError(f"{file} is damaged, or not compressed by gzip as its name says: copy or download it again") from None


def cell_in_words(cell: object) -> str:
    """What kind of value a cell has, for a message, which quotes no cell: a single word may be a name, a number an identifier.

    Examples
    --------
    >>> from sonmf.sources.errors import cell_in_words
    >>> [cell_in_words(cell) for cell in ("Miller", "31/12/24 8:05", 120, None)]
    ['a text of 6 letters', 'a value such as 99/99/99 9:99', 'a value such as 999', 'an empty cell']
    """
    text = "" if cell is None or cell != cell else str(cell)
    if not text:
        return "an empty cell"
    if len(text) > LONGEST_SHAPE or any(map(str.isalpha, text)):
        return f"a text of {len(text):,} letter{'' if len(text) == 1 else 's'}"
    return f"a value such as {''.join('9' if character.isdigit() else character for character in text)}"


def did_you_mean(name: str, names: Iterable[str]) -> str:
    """``" (did you mean 'note'?)"``, or an empty text if no name is similar."""
    by_lower = {known.lower(): known for known in names}
    near = difflib.get_close_matches(name.lower(), by_lower, n=1)
    return f" (did you mean {by_lower[near[0]]!r}?)" if near else ""


def require(columns: Iterable[str], name: str, where: object, hint: str = "") -> None:
    """Raise an error that names the columns of a table if it does not have this one.

    Parameters
    ----------
    columns : DataFrame or iterable of str
    name : str
    where : object
        What to call the table in the error.
    hint : str, optional
        Where the column may be found.

    Examples
    --------
    >>> from sonmf.sources import require
    >>> require(["id", "note"], "notes", "triage.csv")
    Traceback (most recent call last):
    sonmf.sources.errors.MissingColumnError: triage.csv has no column 'notes' (did you mean 'note'?): its columns are id, note
    """
    names = [str(column) for column in columns]
    if name not in names:
        known = [] if any(map(_may_be_cell, names)) else names
        raise MissingColumnError(
            f"{where} has no column {name!r}{did_you_mean(name, known)}: {_listed(names)}{hint and f'; {hint}'}", known
        )


def not_among(names: Iterable[str], others: Iterable[str]) -> list[str]:
    """The names that are not among the others."""
    known = set(others)
    return [name for name in names if name not in known]


def name_for_message(name: str) -> str:
    """A name for a message; the first line of a file without a header is a patient."""
    return "that may be a cell" if _may_be_cell(name) else repr(name)


def refuse_names(names: Sequence[str], where: object) -> None:
    """Refuse a table with too many columns, or with two of the same name."""
    if len(names) > limits.MOST_COLUMNS:
        raise TableError(f"{where} has {len(names):,} columns, and at most {limits.MOST_COLUMNS:,} can be read: leave some out")
    ((name, times),) = Counter(names).most_common(1) or [("", 0)]
    if times > 1:
        if any(map(_may_be_cell, names)):
            raise TableError(f"{where} has several columns of the same name, and names that may be cells: {NO_HEADER}")
        raise TableError(f"{where} has several columns named {name!r}: give each its own name")


def _listed(names: list[str]) -> str:
    """The columns for a message, unless one may be a cell: a file without a header begins with a patient."""
    hidden = any(map(_may_be_cell, names))
    if len(names) == 1:
        return "it has one column" if hidden else f"it has one column {names[0]!r}"
    if hidden:
        return f"it has {len(names):,} columns, and their names may be cells; {NO_HEADER}"
    more = f" and {len(names) - SHOWN:,} more" if len(names) > SHOWN else ""
    return f"its columns are {', '.join(names[:SHOWN])}{more}"


def _may_be_cell(name: str) -> bool:
    """Whether a name is as long as a note, or looks like a number, a date or a time."""
    return len(name) > LONGEST_NAME or len(name.split()) > MOST_WORDS or VALUE.fullmatch(name) is not None
