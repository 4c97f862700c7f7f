"""Files that are whole or not there."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any


def replace(path: Path, save: Callable[[Path], Any]) -> None:
    """Write under another name, then rename: the file is the old one or the new one, never half of it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f"partial-{os.getpid()}-{path.name}")  # the ending stays: some writers go by it
    try:
        save(partial)
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)
