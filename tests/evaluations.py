"""Evaluations that need no fit."""

from itertools import groupby

import numpy as np

from sonmf.triage import Evaluation, Provenance
from sonmf.triage.evaluation_results import FIGURES, KEY, EvaluationSettings, JudgedMethod, weighted_mean
from sonmf.triage.records import Bin, Estimate

ASKED = Provenance("notes.csv", "note", "disposition", None, ("admitted",), (), {"admitted": 1}, {"discharged": 1}, {}, 2)
SETTINGS = EvaluationSettings(methods=["words"], n_topics=[4], folds=2)


def made_up(rows, left_out=None, asked=ASKED, settings=SETTINGS):
    """An evaluation with these figures: a row a fit, those of a method one after another."""
    methods = []
    for key, fits in groupby(rows, key=lambda row: tuple(row[name] for name in KEY)):
        fits = list(fits)
        values = {name: [fit[name] for fit in fits] for name in fits[0] if name not in KEY}
        means = {name: weighted_mean(np.array(values[name]), np.ones(len(fits))) for name in values if name in FIGURES}
        figures = {name: Estimate(mean, error, mean - 2 * error, mean + 2 * error) for name, (mean, error) in means.items()}
        curves = {"roc": [0.5] * 101, "reliability": [Bin(10, 0.3, 0.4)], "merit": [[0] * 6] * 2}
        methods.append(JudgedMethod(*key, 10, 4, values, figures, **curves, subgroups=[], thresholds=[], days=None))
    return Evaluation(asked, "2026-03-01T09:00:00+00:00", settings, methods, [], [], left_out or {})
