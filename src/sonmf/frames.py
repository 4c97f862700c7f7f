"""pandas, when it is needed, or the line that installs it."""

from __future__ import annotations

from typing import Any


def pandas() -> Any:
    """The module."""
    try:
        import pandas
    except ImportError:
        raise ImportError("tables need pandas, in the extra 'app': python -m pip install 'sonmf[app]'") from None
    return pandas
