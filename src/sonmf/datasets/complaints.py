"""The seven complaints of the paper's table 5: how many notes each has, and how many in a hundred patients went home."""

from __future__ import annotations

from types import MappingProxyType
from typing import NamedTuple


class Facts(NamedTuple):
    """A row of table 5."""

    documents: int
    discharged_pct: float

    @property
    def admitted_rate(self) -> float:
        """Share of the patients who were admitted."""
        return 1 - self.discharged_pct / 100


COMPLAINTS = MappingProxyType(
    {
        "Altered Level of Consciousness": Facts(5220, 48.85),
        "Cough": Facts(13084, 84.35),
        "Fever": Facts(7302, 77.20),
        "General Weakness": Facts(7442, 47.79),
        "Lower Extremity Injury": Facts(12377, 82.50),
        "Shortness of Breath": Facts(9322, 55.04),
        "Stroke": Facts(5036, 45.17),
    }
)
