"""Many patients at once: for each a probability, and in a few words where it comes from."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from sonmf.triage import measures
from sonmf.triage.complaint import NO_KNOWN_WORD, ComplaintModel
from sonmf.triage.inputs import POOLED, complaint_name
from sonmf.triage.methods import project

NO_COMPLAINT = "no complaint is given: the model of all complaints is used"
LEFT_OUT = "not counted among the beds: patients with this outcome were left out when the model was fitted"


class Score(NamedTuple):
    """One patient."""

    probability: float
    topics: list[tuple[str, float]]
    """The topics that move the log-odds most, by name, largest first in either direction."""
    words: list[tuple[str, float]]
    """The words that do."""
    remark: str


def score(model: Any, notes: list[Any], complaint: Iterable[Any] | None = None, top: int = 3) -> list[Score]:
    """One score a note, in the order of the notes."""
    scores: list[Any] = [None] * len(notes)
    names = [None] * len(notes) if complaint is None else list(complaint)
    for one, rows in model.by_model(complaint, len(notes)):
        X = one.vectorizer.transform([notes[i] for i in rows])
        for i, found in zip(rows, _scores(one, X, top), strict=True):
            scores[i] = found._replace(remark="; ".join(filter(None, [_remark(model, names[i]), found.remark])))
    return scores


def _remark(model: Any, complaint: Any) -> str:
    """Why the pooled model serves a patient; empty if there is no other model, or if it was asked for by its empty name."""
    missing = not isinstance(complaint, str) and complaint_name(complaint) == POOLED
    return NO_COMPLAINT if missing and len(model.models_) > 1 else str(model.remark(complaint))


def left_out(model: Any, frame: Any) -> list[bool]:
    """For each patient of a table whether its outcome, if there is one, was left out when the model was fitted."""
    asked = model.provenance_
    known = asked is not None and asked.label in frame.columns
    return [asked.leaves_out(value) for value in frame[asked.label]] if known else [False] * len(frame)


def _scores(one: ComplaintModel, X: Any, top: int) -> Iterable[Score]:
    p = measures.probability(one.log_odds(X))
    by_topic = project(X, one.components) * one.effects
    topics = one.names
    for i, (a, b) in enumerate(zip(X.indptr[:-1], X.indptr[1:], strict=True)):
        words = X.indices[a:b]
        parts = X.data[a:b] * one.word_effects[words]
        known = b > a
        yield Score(
            float(p[i]),
            [(topics[k], float(by_topic[i, k])) for k in _largest(by_topic[i], top)] if known else [],
            [(one.spellings[words[j]], float(parts[j])) for j in _largest(parts, top)],
            "" if known else NO_KNOWN_WORD,
        )


def _largest(values: Any, top: int) -> list[int]:
    order = np.argsort(-np.abs(values), kind="stable")[:top]
    return [int(j) for j in order if values[j] != 0]
