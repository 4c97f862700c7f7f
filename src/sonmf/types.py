"""Names of types that every room uses."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

Array = NDArray[Any]
"""A numpy array of numbers, or in triage of whatever a column holds."""
