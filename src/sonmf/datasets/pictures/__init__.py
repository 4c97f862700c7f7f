"""What each complaint looks like in the words of a triage nurse."""

from __future__ import annotations

from sonmf.datasets.pictures.breath import BREATH
from sonmf.datasets.pictures.consciousness import CONSCIOUSNESS
from sonmf.datasets.pictures.cough import COUGH
from sonmf.datasets.pictures.fever import FEVER
from sonmf.datasets.pictures.injury import INJURY
from sonmf.datasets.pictures.picture import Complaint, Picture
from sonmf.datasets.pictures.stroke import STROKE
from sonmf.datasets.pictures.weakness import WEAKNESS

__all__ = ["PICTURES", "Complaint", "Picture"]

PICTURES = {
    "Altered Level of Consciousness": CONSCIOUSNESS,
    "Cough": COUGH,
    "Fever": FEVER,
    "General Weakness": WEAKNESS,
    "Lower Extremity Injury": INJURY,
    "Shortness of Breath": BREATH,
    "Stroke": STROKE,
}
