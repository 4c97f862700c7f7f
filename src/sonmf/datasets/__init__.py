"""Notes to work with: generated ones, and readers for those of NEISS and MIMIC-IV-ED."""

from sonmf.datasets.complaints import COMPLAINTS
from sonmf.datasets.mimic import read_mimic_iv_ed
from sonmf.datasets.neiss import read_neiss
from sonmf.datasets.notes import make_triage_notes
from sonmf.datasets.presets import PRESETS

__all__ = ["COMPLAINTS", "PRESETS", "make_triage_notes", "read_mimic_iv_ed", "read_neiss"]
