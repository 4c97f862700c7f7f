"""What evaluations found, kept in a JSON file beside the model: each with the notes, the outcome and the settings it is about.

The model file itself is not changed by them, nor is its checksum.
"""

from __future__ import annotations

import datetime
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sonmf import files
from sonmf.triage.evaluation_fits import NOTES
from sonmf.triage.factorisations import word_settings
from sonmf.triage.measures import FALSE_ALARMS
from sonmf.triage.provenance import Provenance

BIN = dict.fromkeys(("n", "forecast", "admitted"), (int, float))
SETTINGS = {
    "methods": list,
    "n_topics": list,
    "rule": str,
    "min_notes": int,
    "folds": int,
    "repeats": int,
    "columns": dict,
    "measurements": bool,
    "words": dict,
}
WORDS = {
    "weighting": "weighting",
    "min_df": "fewest notes of a word",
    "negation": "negation",
    "drop_words": "list of words left out",
}


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
    found: dict[str, Any]
    """What ``Evaluation.as_json`` gives: summary, curves, left_out, settings."""
    date: str
    """Day and time (UTC) at which it was kept."""

    @classmethod
    def today(cls, asked: Provenance, found: dict[str, Any]) -> KeptEvaluation:
        """One that was made now."""
        return cls(asked, found, datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"))

    @classmethod
    def earlier(cls, found: dict[str, Any]) -> KeptEvaluation:
        """One that stands in a model file of version 1, without what it is about."""
        rows = {part: [{"inputs": NOTES} | row for row in found[part]] for part in ("summary", "curves")}
        return cls.from_json({"asked": None, "found": found | rows | {"settings": {}}, "date": ""})

    @property
    def settings(self) -> dict[str, Any]:
        """Methods, numbers of topics, folds, repeats, rule and the rest."""
        return dict(self.found["settings"])

    def same_question(self, other: KeptEvaluation) -> bool:
        """Whether both ask the same of the same notes: the later one then takes the place of the earlier."""
        return (self.asked, self.settings) == (other.asked, other.settings)

    def as_json(self) -> dict[str, Any]:
        """What JSON can hold."""
        return {"asked": self.asked and self.asked.as_json(), "found": self.found, "date": self.date}

    @classmethod
    def from_json(cls, given: Any) -> KeptEvaluation:
        """The same from JSON, or a ``ValueError``."""
        if not isinstance(given, dict) or set(given) != {"asked", "found", "date"} or not isinstance(given["date"], str):
            raise ValueError("an evaluation needs the fields asked, found and date")
        _check(given["found"], given["asked"])
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


def keep(model: Any, path: Path, new: KeptEvaluation) -> None:
    """Keep an evaluation, in the model and beside its file; the same one made again takes the place of the old one."""
    model.evaluations_ = [*(one for one in model.evaluations_ if not one.same_question(new)), new]
    write(model, path)


def write(model: Any, path: Path) -> None:
    """Those of a model, beside its file; one of an earlier version stays where it is, in the file."""
    text = json.dumps([one.as_json() for one in model.evaluations_ if one.asked], ensure_ascii=False, indent=1)
    files.replace(evaluations_path(path), lambda partial: partial.write_text(text, "utf-8"))


def differences(kept: KeptEvaluation, model: Any) -> list[str]:
    """In plain words, where an evaluation is not about the model as it was fitted; none if it is."""
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


def _other_settings(settings: Mapping[str, Any], model: Any) -> list[str]:
    tried = model.tried_
    judged = settings["n_topics"]
    words = word_settings(model.pooled_model_.vectorizer)
    compared = [
        ("number of topics", judged, judged if set(judged) <= set(tried) else tried),
        ("lambda rule", settings["rule"], model.rule),
        ("fewest notes of a complaint", settings["min_notes"], model.min_notes),
        ("list of columns", sorted(settings["columns"]), sorted(_asked_columns(model))),
        ("list of seed topics", list(settings.get("seed_topics", [])), list(model.seed_topics or [])),
        ("choice about measurements", _read(settings["measurements"]), _read(model.measurements)),
        *((title, settings["words"][name] or "none", words[name] or "none") for name, title in WORDS.items()),
    ]
    found = [f"another {what}: {_shown(its)}, where the model has {_shown(own)}" for what, its, own in compared if its != own]
    return found + ([] if model.method in settings["methods"] else ["the method of the model is not among those judged"])


def _asked_columns(model: Any) -> Sequence[str]:
    return model.provenance_.columns if model.provenance_ else model.columns_  # type: ignore[no-any-return]


def _read(measurements: bool) -> str:
    return "read from the notes" if measurements else "not read"


def _shown(value: Any) -> str:
    return ", ".join(map(str, value)) or "none" if isinstance(value, list) else str(value)


def _check(found: Any, about: Any) -> None:
    """As much as is needed to draw it and to say what it is about."""
    parts = {"summary": list, "curves": list, "left_out": dict, "settings": dict}
    if not _has([found], parts) or not found["summary"]:
        raise ValueError("an evaluation needs summary, curves, left_out and settings")
    row = {"complaint": str, "method": str, "n_topics": int, "inputs": str}
    curves, settings = found["curves"], [found["settings"]] if about else []
    sound = (
        _has(found["summary"], row | {"fits": int})
        and _has(curves, row | {"roc": list, "reliability": list})
        and all(len(one["roc"]) == len(FALSE_ALARMS) and _has(one["reliability"], BIN) for one in curves)
        and _has(settings, SETTINGS)
        and all(set(WORDS) <= set(one["words"]) for one in settings)
    )
    if not sound:
        raise ValueError("an evaluation is not as it was written")


def _has(rows: Any, types: Mapping[str, Any]) -> bool:
    """Whether these are objects that have the fields, of these types."""
    return isinstance(rows, list) and all(
        isinstance(row, dict) and all(isinstance(row.get(name), kind) for name, kind in types.items()) for row in rows
    )
