"""The import of pandas when it is needed, or the command that installs it; and the types of pandas for annotations."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    import pandas as pd

DataFrame: TypeAlias = "pd.DataFrame"
Series: TypeAlias = "pd.Series"


def pandas() -> ModuleType:
    """The module ``pandas``."""
    try:
        return import_module("pandas")
    except ImportError:
        raise ImportError("tables need pandas, in the extra 'text': python -m pip install 'sonmf[text]'") from None
