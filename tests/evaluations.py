"""Evaluations that need no fit."""

from sonmf.triage.evaluation_results import EvaluationSettings
from sonmf.triage.factorisations import vectorizer_for, word_settings

CURVES = {"roc": [0.5] * 101, "bins": [[10, 3, 4]] * 20, "merit": [[0] * 6] * 2, "subgroups": []}
"""What a row of a fit has besides its figures."""


def settings(**changes):
    """Settings as ``evaluate`` would have written them down."""
    words = word_settings(vectorizer_for("sonmf", None))
    usual = {
        "methods": ["words"], "n_topics": [4], "folds": 2, "repeats": 1, "rule": "min", "min_notes": 200, "random_state": 0,
        "columns": {}, "measurements": True, "words": words, "periods": [], "seed_topics": [],
    }  # fmt: skip
    return EvaluationSettings(**usual | changes)
