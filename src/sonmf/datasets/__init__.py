"""Notes to work with: generated ones, and readers for the paper's own, those of NEISS and those of MIMIC-IV-ED."""

from sonmf.datasets.cases import COMPLAINTS
from sonmf.datasets.notes import make_triage_notes
from sonmf.sources.altered_consciousness import read_altered_consciousness
from sonmf.sources.mimic import read_mimic_iv_ed
from sonmf.sources.neiss import read_neiss
from sonmf.sources.presets import PRESETS

__all__ = ["COMPLAINTS", "PRESETS", "make_triage_notes", "read_altered_consciousness", "read_mimic_iv_ed", "read_neiss"]
