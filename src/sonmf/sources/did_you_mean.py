"""A suggestion for a misspelt name."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


def did_you_mean(name: str, names: Iterable[str]) -> str:
    """``" (did you mean 'note'?)"``, or an empty text if no name is similar."""
    by_lower = {known.lower(): known for known in names}
    near = difflib.get_close_matches(name.lower(), by_lower, n=1)
    return f" (did you mean {by_lower[near[0]]!r}?)" if near else ""
