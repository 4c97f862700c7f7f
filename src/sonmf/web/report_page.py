"""The report of a model: what its templates need, as one HTML file or as part of a page."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import asdict

from sonmf.datasets import COMPLAINTS, make_triage_notes
from sonmf.triage import model_report
from sonmf.triage.evaluation_results import FIGURES
from sonmf.triage.model_report import INPUTS
from sonmf.triage.report_records import ComplaintReport, Curve, EvaluationReport, TopicReport
from sonmf.web.rendering import Record, capitalise
from sonmf.web.standalone import standalone_html, write_html

if TYPE_CHECKING:
    from sonmf.triage import ComplaintModel, TriageModel

PIVOTS = ("accuracy", "auroc")
GENERATED = 2000  # notes to take typical ones from
STRONGEST = 12  # topics in the chart of effects

Notes = Mapping[str, Sequence[str]]


def write_report(model: TriageModel, path: str | Path, notes: Notes | None = None) -> None:
    """``report_html`` in a file, which is whole or not there.

    Parameters
    ----------
    model : TriageModel
    path : str or Path
    notes : mapping of str to sequence of str, optional
        As for ``report_html``.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from sonmf.datasets import make_triage_notes
    >>> from sonmf.triage import TriageModel
    >>> from sonmf.web.report_page import write_report
    >>> notes = make_triage_notes(400, complaints=["Fever"], random_state=0)
    >>> model = TriageModel(n_topics=5).fit(notes["note"], notes["disposition"])
    >>> with TemporaryDirectory() as folder:
    ...     write_report(model, Path(folder, "report.html"))
    ...     Path(folder, "report.html").stat().st_size < 5_000_000
    True
    """
    write_html(report_html(model, notes), Path(path))


def report_html(model: TriageModel, notes: Notes | None = None) -> str:
    """The report of a model as a page that contains everything it needs.

    Parameters
    ----------
    model : TriageModel
    notes : mapping of str to sequence of str, optional
        Notes by complaint, all of them under the empty name, to take typical ones from; the page then says that it contains
        notes of patients. By default typical notes are generated for the complaints that can be, and marked so.

    Returns
    -------
    str

    Examples
    --------
    >>> from sonmf.datasets import make_triage_notes
    >>> from sonmf.triage import TriageModel
    >>> from sonmf.web.report_page import report_html
    >>> notes = make_triage_notes(400, complaints=["Fever"], random_state=0)
    >>> model = TriageModel(n_topics=5).fit(notes["note"], notes["disposition"])
    >>> "Model card" in report_html(model)
    True
    """
    typical = generated_notes(model) if notes is None else notes
    evaluations = model_report.evaluations(model)
    complaints = [complaint_context(model, one, evaluations, typical.get(one.name, ())) for one in model_report.ordered(model)]
    return standalone_html(
        "report.html",
        **model_context(model, evaluations, complaints[-1]),
        complaints=complaints,
        generated=notes is None and bool(typical),
        patients=bool(notes),
    )


class ComplaintOnPage(ComplaintReport, frozen=True):
    """What the templates show of one complaint."""

    raising: list[TopicReport]
    lowering: list[TopicReport]
    strongest: list[Record]
    curves: list[Curve]


class EvaluationOnPage(EvaluationReport, frozen=True):
    """What the templates show of one evaluation."""

    pivots: list[Record]


def complaint_context(
    model: TriageModel, one: ComplaintModel, evaluations: Sequence[EvaluationReport], notes: Sequence[str] = ()
) -> ComplaintOnPage:
    """What the templates show of one complaint."""
    report = model_report.complaint(one, notes)
    return ComplaintOnPage(
        **asdict(report),
        raising=[topic for topic in report.topics if topic.strength > 0],
        lowering=[topic for topic in reversed(report.topics) if topic.strength < 0],  # the largest effect first, too
        strongest=strongest_topics(report.topics),
        curves=curves(report, same_patients(evaluations), model.method),
    )


def model_context(model: TriageModel, evaluations: Sequence[EvaluationReport], everyone: ComplaintReport) -> Record:
    """What the templates show of the model as a whole: its card, the figures for all patients, and the evaluations."""
    compared = [EvaluationOnPage(**asdict(one), pivots=[pivot(one.rows, name) for name in PIVOTS]) for one in evaluations]
    return {"card": model_report.card(model), "everyone": everyone, "pooled": model.pooled_, "evaluations": compared}


def generated_notes(model: TriageModel) -> dict[str, list[str]]:
    """Generated notes for the complaints that can be generated, always the same; for all complaints if that is all of them."""
    served = set(model.models_)
    known = sorted(served & COMPLAINTS.keys())
    if not known:
        return {}
    frame = make_triage_notes(GENERATED, complaints=known, random_state=0)
    by_complaint = {name: list(group) for name, group in frame.groupby("complaint")["note"]}
    return by_complaint | ({"": list(frame["note"])} if served == set(known) else {})


def strongest_topics(topics: Iterable[TopicReport]) -> list[Record]:
    """The topics with the largest effects, from the one that raises the odds most to the one that lowers them most."""
    largest = sorted((topic for topic in topics if topic.strength), key=lambda topic: -abs(topic.strength))[:STRONGEST]
    ordered = sorted(largest, key=lambda topic: -topic.strength)
    return [{"number": topic.number, "name": topic.name, "value": topic.strength} for topic in ordered]


def same_patients(evaluations: Sequence[EvaluationReport]) -> EvaluationReport | None:
    """The latest evaluation of the patients that the model was fitted on: only its curves stand beside those of the model."""
    return next((one for one in reversed(evaluations) if one.same_patients), None)


def curves(one: ComplaintReport, evaluation: EvaluationReport | None, method: str) -> list[Curve]:
    """ROC and calibration of a complaint's model, then of each evaluated method at the number of topics that suits it best.

    ``own`` are the model itself and the evaluation of its method. All methods are compared with the same inputs.
    """
    first = Curve("this model", own=True, points=one.roc, bins=one.calibration.reliability)
    rows = _comparable(evaluation.rows, one.name) if evaluation else []
    best = {row["method"]: row["n_topics"] for row in sorted(rows, key=lambda row: row.get("auroc") or 0.0)}
    chosen = _comparable(evaluation.curves, one.name) if evaluation else []
    return [first, *(_curve(curve, method) for curve in chosen if best[curve["method"]] == curve["n_topics"])]


def _comparable(rows: Sequence[Record], complaint: str) -> list[Record]:
    """The rows of a complaint with the largest set of inputs, which every method was evaluated with."""
    mine = [row for row in rows if row["complaint"] == complaint]
    inputs = max((row["inputs"] for row in mine), key=INPUTS.index, default=None)
    return [row for row in mine if row["inputs"] == inputs]


def _curve(row: Record, method: str) -> Curve:
    topics = f", {row['n_topics']} topics" if row["n_topics"] else ""
    points = model_report.roc_points(row["roc"])
    return Curve(f"{row['title']}{topics}", own=row["method"] == method, points=points, bins=row["reliability"])


def pivot(rows: Sequence[Record], name: str) -> Record:
    """One figure as the paper prints it: complaints, inputs and numbers of topics down, methods across.

    Words have no number of topics: they are in every row of their inputs.
    """
    methods = {row["method"]: row["title"] for row in rows}
    groups = sorted({(row["complaint"], INPUTS.index(row["inputs"])) for row in rows})
    found = []
    for complaint, inputs in groups:
        mine = [row for row in rows if (row["complaint"], INPUTS.index(row["inputs"])) == (complaint, inputs)]
        cells = {(row["n_topics"], row["method"]): {"mean": row.get(name), "error": row.get(f"{name}_error")} for row in mine}
        for k in sorted({row["n_topics"] for row in mine if row["n_topics"]}) or [0]:
            shown = [cells.get((k, method)) or cells.get((0, method)) for method in methods]
            found.append({"complaint": complaint, "inputs": INPUTS[inputs], "n_topics": k, "cells": shown})
    return {"title": capitalise(FIGURES[name]), "methods": list(methods.values()), "rows": found}
