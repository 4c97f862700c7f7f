"""What evaluations found, kept in a JSON file beside the model: each with the notes, the outcome and the settings it is about.

The model file itself is not changed by them, nor is its checksum.
"""

from __future__ import annotations

import datetime
import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sonmf import files
from sonmf.triage import records, strict_json
from sonmf.triage.evaluation import EvaluationJson, EvaluationSettings
from sonmf.triage.evaluation_fits import NOTES
from sonmf.triage.factorisations import word_settings
from sonmf.triage.measures import FALSE_ALARMS
from sonmf.triage.provenance import Provenance
from sonmf.types import Json

if TYPE_CHECKING:
    from sonmf.triage.model import TriageModel

WORDS = {
    "weighting": "weighting",
    "min_df": "fewest notes of a word",
    "negation": "negation",
    "drop_words": "list of words left out",
}
CELL = {"complaint": str, "method": str, "n_topics": int, "inputs": str}
LATER = ("random_state", "periods", "seed_topics")  # not in the first files
SETTINGS = records.shape_of(EvaluationSettings)
FOUND = records.shape_of(EvaluationJson) | {
    "summary": [CELL | {"fits": int}],
    "curves": [CELL | {"roc": [(float, None)], "reliability": [records.shape_of(records.Bin)]}],
    "settings": {name + "?" * (name in LATER): shape for name, shape in SETTINGS.items()}
    | {"words": {name: SETTINGS["words"][name] for name in WORDS}},
}
"""What must be there of an evaluation; other figures are kept as they are."""


@dataclass(frozen=True)
class KeptEvaluation:
    """One evaluation: its figures, and what they are figures of.

    Examples
    --------
    >>> from sonmf.datasets import make_triage_notes
    >>> from sonmf.triage import KeptEvaluation, Provenance, evaluate
    >>> notes = make_triage_notes(400, complaints=["Fever"], random_state=0)
    >>> found = evaluate(notes["note"], notes["disposition"], methods=["words"], folds=2, processes=1)
    >>> rows = notes["disposition"].value_counts().to_dict()
    >>> asked = Provenance("fever.csv", "note", "disposition", None, ("admitted",), ("discharged",),
    ...                    {"admitted": rows["admitted"]}, {"discharged": rows["discharged"]}, {}, 400)
    >>> KeptEvaluation.today(asked, found.as_json()).settings["folds"]
    2
    """

    asked: Provenance | None
    """None for one that an earlier version kept, which did not write it down."""
    found: EvaluationJson
    """What ``Evaluation.as_json`` gives."""
    date: str
    """Day and time (UTC) at which it was kept."""

    @classmethod
    def today(cls, asked: Provenance, found: EvaluationJson) -> KeptEvaluation:
        """One that was made now."""
        return cls(asked, found, datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"))

    @classmethod
    def earlier(cls, found: dict[str, Any]) -> KeptEvaluation:
        """The one in a model file of version 1, which does not say what it is about."""
        rows = {part: [{"inputs": NOTES} | row for row in found[part]] for part in ("summary", "curves")}
        return cls.from_json({"asked": None, "found": found | rows | {"settings": {}}, "date": ""})

    @property
    def settings(self) -> EvaluationSettings:
        """Methods, numbers of topics, folds, repeats, rule and the rest."""
        return self.found["settings"]

    def as_json(self) -> dict[str, object]:
        """What JSON can hold."""
        return {"asked": self.asked and self.asked.as_json(), "found": self.found, "date": self.date}

    @classmethod
    def from_json(cls, given: Json) -> KeptEvaluation:
        """The same from JSON, or a ``ValueError``; checked is what is needed to draw it and to say what it is about."""
        if not isinstance(given, dict) or set(given) != {"asked", "found", "date"} or not isinstance(given["date"], str):
            raise ValueError("an evaluation needs the fields asked, found and date")
        shape = FOUND if given["asked"] else FOUND | {"settings": {}}
        found = strict_json.validate(shape, given["found"], "an evaluation")
        strict_json.require(found["summary"], "an evaluation.summary is empty")
        whole = all(len(one["roc"]) == len(FALSE_ALARMS) for one in found["curves"])
        strict_json.require(whole, "a ROC curve of an evaluation is incomplete")
        return cls(None if given["asked"] is None else Provenance.from_json(given["asked"]), given["found"], given["date"])


def evaluations_path(model: Path) -> Path:
    """Where the evaluations of a model are kept."""
    return model.with_name(f"{model.name}.evaluations.json")


def read(path: Path) -> list[KeptEvaluation]:
    """Those beside a model; a file that is not there holds none."""
    try:
        return [KeptEvaluation.from_json(one) for one in json.loads(evaluations_path(path).read_text("utf-8"))]
    except FileNotFoundError:
        return []
    except (OSError, ValueError, TypeError, RecursionError) as error:
        raise ValueError(
            f"{evaluations_path(path)} cannot be read ({error}): repair or remove it, it holds only figures of evaluations"
        ) from None


def keep(model: TriageModel, path: Path, new: KeptEvaluation) -> None:
    """Keep an evaluation, in the model and beside its file; one that asks the same as an earlier one takes its place."""
    others = [one for one in model.evaluations_ if (one.asked, one.settings) != (new.asked, new.settings)]
    model.evaluations_ = [*others, new]
    write(model, path)


def write(model: TriageModel, path: Path) -> None:
    """Write the evaluations of a model beside its file; one in a model file of version 1 stays there."""
    text = json.dumps([one.as_json() for one in model.evaluations_ if one.asked], ensure_ascii=False, indent=1)
    files.replace(evaluations_path(path), lambda partial: partial.write_text(text, "utf-8"))


def differences(kept: KeptEvaluation, model: TriageModel) -> list[str]:
    """In plain words, how an evaluation differs from the model as it was fitted; empty if it does not."""
    fitted, asked, settings = model.provenance_, kept.asked, kept.settings
    if asked is None:
        return ["an earlier version of sonmf kept it and did not write down what it is about"]
    if fitted is None:
        return [*_other_settings(settings, model), f"judged on {asked.source}; the model does not say what it was fitted on"]
    return [*_other_notes(asked, fitted), *_other_settings(settings, model)]


def _other_notes(asked: Provenance, fitted: Provenance) -> list[str]:
    found = []
    if asked.source != fitted.source and asked.data != fitted.data:
        found.append(f"judged on another file: {asked.source}, where the model was fitted on {fitted.source}")
    if not asked.same_outcome(fitted):
        found.append(f"another outcome: {outcome_in_words(asked)}, where the model has {outcome_in_words(fitted)}")
    for what, mine, its in (("notes", asked.text, fitted.text), ("complaints", asked.group, fitted.group)):
        if mine != its:
            found.append(f"another column of {what}: {mine or 'none'}, where the model has {its or 'none'}")
    if not found and asked.data != fitted.data:
        found.append(f"judged on other notes: {asked.source} is not as it was when the model was fitted")
    return found


def outcome_in_words(asked: Provenance) -> str:
    """Which values mean admitted, which do not."""
    others = ", ".join(asked.negative) or "all other values"
    return f"{', '.join(asked.positive)} against {others} in column {asked.label}"


def _other_settings(settings: EvaluationSettings, model: TriageModel) -> list[str]:
    tried, judged = model.tried_, settings["n_topics"]
    columns = model.provenance_.columns if model.provenance_ else model.columns_
    read = {True: "read from the notes", False: "not read"}
    theirs, words = (dict(some) for some in (settings["words"], word_settings(model.pooled_model_.vectorizer)))
    compared: list[tuple[str, object, object]] = [
        ("number of topics", judged, judged if set(judged) <= set(tried) else tried),
        ("lambda rule", settings["rule"], model.rule),
        ("fewest notes of a complaint", settings["min_notes"], model.min_notes),
        ("list of columns", sorted(settings["columns"]), sorted(columns)),
        ("list of seed topics", list(settings.get("seed_topics", [])), list(model.seed_topics or [])),
        ("choice about measurements", read[settings["measurements"]], read[bool(model.measurements)]),
        *((title, theirs[name] or "none", words[name] or "none") for name, title in WORDS.items()),
    ]
    found = [f"another {what}: {_shown(its)}, where the model has {_shown(own)}" for what, its, own in compared if its != own]
    return found + ([] if model.method in settings["methods"] else ["the method of the model is not among those judged"])


def _shown(value: object) -> str:
    return ", ".join(map(str, value)) or "none" if isinstance(value, list) else str(value)
