"""The shape of a model file's header, as docs/format.md describes it: what is not of this shape is not read."""

from __future__ import annotations

from typing import Any

from sonmf.text import topics
from sonmf.triage import drift_reference, evaluation, lineage, measures, records, stored_columns
from sonmf.triage.columns import KINDS, LARGEST
from sonmf.triage.factorisations import METHODS
from sonmf.triage.inputs import AUTO, RULES, topic_numbers
from sonmf.triage.strict_json import Exactly, require

NUMBER = (float, None)  # null where it cannot be computed
LABEL = (str, int, float, bool)
BINS = [records.shape_of(records.Bin)]

PARAMETERS = Exactly(
    {
        "n_topics": (int, [int]),
        "method": frozenset(METHODS),
        "rule": frozenset(RULES),
        "min_notes": int,
        "positive": (*LABEL, None),
        "random_state": int,
    }
)
TOPICS = (int, [int], frozenset({AUTO}))
PARAMETERS_2 = Exactly(
    PARAMETERS | {"n_topics": TOPICS, "measurements": bool, "kinds": ({str: frozenset(KINDS)}, None), "seed_topics?": [str]}
)


def _without(shape: Any, keys: set[str]) -> Any:
    """A shape without what was not kept then."""
    if isinstance(shape, dict):
        return {key: _without(value, keys) for key, value in shape.items() if key not in keys}
    return [_without(item, keys) for item in shape] if isinstance(shape, list) else shape


COMPLAINT = {
    "name": str,
    "n_notes": int,
    "n_admitted": int,
    "intercept": float,
    "signals": [int],
    "labels": [str],
    "vocabulary": [str],
    "spelling": [str],
    "vectorizer": stored_columns.WORDS,
}
COMPLAINT_1 = COMPLAINT | {"record": _without(records.shape_of(records.Record), {"columns", "calibration_slope_error"})}
COMPLAINT_2 = COMPLAINT | {"columns": [stored_columns.SHAPES], "record": records.shape_of(records.Record)}
COMPLAINT_4 = COMPLAINT_2 | {"recalibration": Exactly({"intercept": float, "slope": float})}
CELL = {"complaint": str, "method": str, "n_topics": int}  # of version 1
EVALUATION = {
    "summary": [CELL | {"fits": int} | {f"{name}{end}?": NUMBER for name in evaluation.FIGURES for end in ("", "_error")}],
    "curves": [
        CELL
        | {
            "roc": [NUMBER],
            "reliability": BINS,
            "merit": [[int]],
            "subgroups": [_without(records.shape_of(records.Subgroup), {"calibration_slope_error"})],
        }
    ],
    "left_out": {str: str},
}
PROVENANCE = {
    "source": str,
    "text": str,
    "label": str,
    "group": (str, None),
    "positive": [str],
    "negative": [str],
    "admitted": {str: int},
    "not_admitted": {str: int},
    "left_out": {str: int},
    "rows": int,
    "preset": (str, None),
    "subgroups": [str],
    "columns": [str],
    "missing": [str],
    "time?": (str, None),  # not in files before --time
    "data": str,
}
HEADER = {
    "parameters": PARAMETERS,
    "classes": [LABEL],
    "pooled": {str: str},
    "created": str,
    "versions": {str: str},
}
HEADER_1 = HEADER | {"complaints": [COMPLAINT_1], "evaluation": ({}, EVALUATION)}
HEADER_2 = HEADER | {
    "parameters": PARAMETERS_2,
    "complaints": [COMPLAINT_2],
    "provenance": (PROVENANCE, None),
    "lineage?": [lineage.SHAPE],  # of models that were updated
}
HEADERS = {1: HEADER_1, 2: HEADER_2, 3: HEADER_2, 4: HEADER_2 | {"complaints": [COMPLAINT_4]}}
"""By format version; in version 3 negations end elsewhere, in version 4 a complaint may have been recalibrated."""


def marks_negation(header: dict[str, Any]) -> bool:
    """Whether any words, those of the notes or those of a text beside them, are marked as denied."""
    texts = [found for one in header["complaints"] for found in (one, *one.get("columns", []))]
    return any(found["vectorizer"]["negation"] for found in texts if "vectorizer" in found)


def upgrade_version_1(header: dict[str, Any]) -> dict[str, Any]:
    """A header of version 1 with the errors of its calibration slopes, which were not kept then, and without columns."""
    for one in header["complaints"]:
        record = one["record"]
        record["columns"] = []
        for figures in (record["out_of_fold"], *record["by_topics"], *record["subgroups"]):
            figures["calibration_slope_error"] = None
    return header


def check_header(header: dict[str, Any]) -> None:
    """What no shape can say: numbers within bounds, lists that belong together."""
    names = [one["name"] for one in header["complaints"]]
    require(names[:1] == [""] and len(set(names)) == len(names), "the complaints are not named as they must be")
    require(len(set(map(str, header["classes"]))) == len(header["classes"]) == 2, "there are not two classes")
    topic_numbers(header["parameters"]["n_topics"])
    for one in header["complaints"]:
        _check_complaint(one)
    if header.get("evaluation"):
        _check_evaluation(header["evaluation"])


def _check_complaint(one: dict[str, Any]) -> None:
    k, record = len(one["labels"]), one["record"]
    lasso, merit = record["lasso"], record["merit"]
    path = len(lasso["lambdas"])
    require(0 < one["n_admitted"] < one["n_notes"], "there are more admitted than notes, or only one outcome")
    line = one.get("recalibration", {"intercept": 0.0, "slope": 1.0})
    require(line["slope"] > 0 and max(map(abs, line.values())) <= LARGEST, "the recalibration is none")
    stored_columns.check_words(one, "the notes")
    parts = k + len(one.get("columns", []))
    require(_are_parts(one["signals"], parts) and _are_parts(merit["topics"], parts), "a signal is no topic and no column")
    require(len(merit["patients"]) == len(merit["admitted"]) == len(merit["topics"]) + 1, "the table of signals is incomplete")
    require(0 <= lasso["chosen"] < path == len(lasso["loss"]) == len(lasso["loss_error"]), "the path of lambda is incomplete")
    require(len(record["out_of_fold"]["roc"]) == len(measures.FALSE_ALARMS), "the ROC curve is incomplete")
    _check_stability(record, k)
    require(len(record.get("seeds", [])) <= k, "there are more seed topics than topics")
    require(not record.get("ranks") or k in {one["n_topics"] for one in record["ranks"]}, "its number of topics was not tried")
    columns = one.get("columns", [])
    require(len(columns) == len(record.get("columns", [])), "the record has not as many columns as the model")
    require(len({column["name"] for column in columns}) == len(columns), "a column is there twice")
    for column in columns:
        stored_columns.check(column)
    if record.get("reference"):
        drift_reference.check(record["reference"], k, {column["name"]: len(column.get("levels", [])) for column in columns})
    leading = record.get("leading_words", [])
    require(len(leading) in (0, k), "not every topic has its leading words")
    for topic in leading:
        require(_within([topic["negative_share"]], 0, 1), "the share of a topic's negative side is not a share")
        _check_leading(topic["positive"], len(one["vocabulary"]), 0, 1)
        _check_leading(topic["negative"], len(one["vocabulary"]), -1, 0)


def _check_leading(side: dict[str, Any], words: int, low: float, high: float) -> None:
    columns, correlations = side["columns"], side["correlations"]
    require(len(columns) == len(correlations) <= topics.MOST, "a topic has too many leading words, or not all correlations")
    require(_are_parts(columns, words), "a leading word is not in the vocabulary, or there twice")
    require(_within(correlations, low, high), "the correlation of a leading word is not one, or of the other side")


def _within(numbers: list[float | None], low: float, high: float) -> bool:
    return all(number is not None and low <= number <= high for number in numbers)


def _check_stability(record: dict[str, Any], k: int) -> None:
    scores, replicates = record.get("stability", []), record.get("replicates", 0)
    require(len(scores) == (k if replicates else 0) and replicates >= 0, "not every topic has its stability")
    for one in scores:
        require(all(value is not None and -1 <= value <= 1 for value in one.values()), "a stability is no cosine")


def _check_evaluation(found: dict[str, Any]) -> None:
    summary, curves = ([tuple(row[name] for name in CELL) for row in found[part]] for part in ("summary", "curves"))
    require(summary and len(set(summary)) == len(summary) and summary == curves, "the evaluation is incomplete")
    for curve in found["curves"]:
        require(len(curve["roc"]) == len(measures.FALSE_ALARMS), "a ROC curve of the evaluation is incomplete")
        require(len(curve["merit"]) == 2 and len(set(map(len, curve["merit"]))) == 1, "a table of the evaluation is incomplete")


def _are_parts(numbers: list[int], k: int) -> bool:
    return len(set(numbers)) == len(numbers) and all(0 <= number < k for number in numbers)
