"""Triage notes to an admission forecast that a clinician can read."""

from importlib.util import find_spec

if find_spec("msgspec") is None:
    raise ImportError("sonmf.triage needs the extra 'app': python -m pip install 'sonmf[app]'")

from sonmf.triage.admission_count import Beds, expected_admissions
from sonmf.triage.complaint import ComplaintModel
from sonmf.triage.evaluation import evaluate
from sonmf.triage.evaluation_results import Evaluation
from sonmf.triage.explanation import ColumnPart, Explanation, Piece, TopicPart
from sonmf.triage.lineage import Step
from sonmf.triage.model import TriageModel
from sonmf.triage.model_comparison import Comparison, compare
from sonmf.triage.model_update import Update, update
from sonmf.triage.patients import Patients
from sonmf.triage.provenance import Provenance
from sonmf.triage.records import Merit
from sonmf.triage.sealed_arrays import ModelFileError

__all__ = [
    "Beds", "ColumnPart", "Comparison", "ComplaintModel", "Evaluation", "Explanation", "Merit",
    "ModelFileError", "Patients", "Piece", "Provenance", "Step", "TopicPart", "TriageModel", "Update",
    "compare", "evaluate", "expected_admissions", "update",
]  # fmt: skip
