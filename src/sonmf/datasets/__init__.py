"""Notes to work with: generated ones, and readers for the paper's own, those of NEISS and those of MIMIC-IV-ED."""

from sonmf.datasets.altered_consciousness import read_altered_consciousness
from sonmf.datasets.complaints import COMPLAINTS
from sonmf.datasets.mimic import read_mimic_iv_ed
from sonmf.datasets.neiss import read_neiss
from sonmf.datasets.notes import make_triage_notes
from sonmf.datasets.presets import PRESETS

__all__ = ["COMPLAINTS", "PRESETS", "make_triage_notes", "read_altered_consciousness", "read_mimic_iv_ed", "read_neiss"]
