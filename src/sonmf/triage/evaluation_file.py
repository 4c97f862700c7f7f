"""Evaluations in a JSON file beside the model, and how each differs from the model as it was fitted.

The model file itself is not changed by them, nor is its checksum.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from sonmf import files
from sonmf.triage import strict_json
from sonmf.triage.evaluation_results import Evaluation, EvaluationSettings
from sonmf.triage.factorisations import word_settings
from sonmf.triage.provenance import Provenance

if TYPE_CHECKING:
    from sonmf.triage.model import TriageModel

LARGEST = 100_000_000  # bytes of the file
WORDS = {
    "weighting": "weighting",
    "min_df": "fewest notes of a word",
    "negation": "negation",
    "drop_words": "list of words left out",
    "keep_words": "list of stop words that are kept",
}


def evaluations_path(model: Path) -> Path:
    """The file in which the evaluations of a model are kept."""
    return model.with_name(f"{model.name}.evaluations.json")


def read(model: Path) -> list[Evaluation]:
    """The evaluations beside a model file; a file that is not there holds none."""
    return strict_json.read(list[Evaluation], evaluations_path(model), LARGEST, "figures of evaluations") or []


def keep(model: TriageModel, path: Path, new: Evaluation) -> None:
    """Keep an evaluation beside a model file; it takes the place of one that asks the same, and others stay.

    The file is read again, because another evaluation may have ended since the model was loaded.
    """
    with files.locked(path.parent):
        model.evaluations_ = [*(earlier for earlier in read(path) if not earlier.asks_the_same(new)), new]
        write(model, path)


def write(model: TriageModel, path: Path) -> None:
    """Write the evaluations of a model beside its file."""
    strict_json.write(model.evaluations_, evaluations_path(path))


def differences(evaluation: Evaluation, model: TriageModel) -> list[str]:
    """How an evaluation differs from the model as it was fitted, in plain words; empty if it does not."""
    fitted, asked, settings = model.provenance_, evaluation.asked, evaluation.settings
    if fitted is None:
        unknown = f"judged on {asked.source}; the model does not say what it was fitted on"
        return [*_other_settings(settings, model), *_other_models(evaluation, model), unknown]
    return [*_other_notes(asked, fitted), *_other_settings(settings, model), *_other_models(evaluation, model)]


def _other_models(evaluation: Evaluation, model: TriageModel) -> list[str]:
    """A sentence on complaints that fits of their own judge although the model of all complaints serves them."""
    served = sorted({method.complaint for method in evaluation.methods} & set(model.pooled_))
    return [f"judged by fits of their own: {', '.join(served)}, which the model of all complaints serves"] if served else []


def _other_notes(asked: Provenance, fitted: Provenance) -> list[str]:
    reasons = []
    if asked.source != fitted.source and asked.data != fitted.data:
        reasons.append(f"judged on another file: {asked.source}, where the model was fitted on {fitted.source}")
    if not asked.same_outcome(fitted):
        reasons.append(f"another outcome: {outcome_in_words(asked)}, where the model has {outcome_in_words(fitted)}")
    for what, judged, own in (("notes", asked.text, fitted.text), ("complaints", asked.group, fitted.group)):
        if judged != own:
            reasons.append(f"another column of {what}: {judged or 'none'}, where the model has {own or 'none'}")
    if not reasons and asked.data != fitted.data:
        reasons.append(f"judged on other notes: {asked.source} is not as it was when the model was fitted")
    return reasons


def outcome_in_words(asked: Provenance) -> str:
    """The values that mean admitted, and those that do not, for a sentence."""
    others = ", ".join(asked.negative) or "all other values"
    return f"{', '.join(asked.positive)} against {others} in column {asked.label}"


def _other_settings(settings: EvaluationSettings, model: TriageModel) -> list[str]:
    tried, judged = model.tried_, settings.n_topics
    columns = model.provenance_.columns if model.provenance_ else model.columns_
    said = {True: "read from the notes", False: "not read"}
    words = word_settings(model.pooled_model_.vectorizer)
    compared: list[tuple[str, object, object]] = [
        ("number of topics", judged, judged if set(judged) <= set(tried) else tried),
        ("lambda rule", settings.rule, model.rule),
        ("fewest notes of a complaint", settings.min_notes, model.min_notes),
        ("list of columns", sorted(settings.columns), sorted(columns)),
        ("number of outcome axes", settings.outcome_axes, model.outcome_axes),
        ("list of seed topics", settings.seed_topics, list(model.seed_topics or [])),
        ("choice about measurements", said[settings.measurements], said[bool(model.measurements)]),
        *((title, getattr(settings.words, name) or "none", getattr(words, name) or "none") for name, title in WORDS.items()),
    ]
    others = [f"another {what}: {_shown(its)}, where the model has {_shown(own)}" for what, its, own in compared if its != own]
    return others + ([] if model.method in settings.methods else ["the method of the model is not among those judged"])


def _shown(value: object) -> str:
    return ", ".join(map(str, value)) or "none" if isinstance(value, list) else str(value)
