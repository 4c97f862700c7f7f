"""What someone may have meant."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


def hint(name: str, names: Iterable[str]) -> str:
    """``" (did you mean 'note'?)"``, or nothing when no name is near."""
    by_lower = {known.lower(): known for known in names}
    near = difflib.get_close_matches(name.lower(), by_lower, n=1)
    return f" (did you mean {by_lower[near[0]]!r}?)" if near else ""
