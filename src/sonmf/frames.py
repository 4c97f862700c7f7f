"""pandas, imported when it is needed, or the command that installs it."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType


def pandas() -> ModuleType:
    """The module ``pandas``."""
    try:
        return import_module("pandas")
    except ImportError:
        raise ImportError("tables need pandas, in the extra 'app': python -m pip install 'sonmf[app]'") from None
