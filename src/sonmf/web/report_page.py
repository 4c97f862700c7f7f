"""The report of a model: what its templates need, as one HTML file or as part of a page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from sonmf.datasets import COMPLAINTS, make_triage_notes
from sonmf.triage import model_card, model_report, topics_together
from sonmf.web.standalone import standalone_html, write_html

if TYPE_CHECKING:
    from sonmf.triage import TriageModel

GENERATED = 2000  # notes to take typical ones from

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
    evaluations = model_card.evaluations(model)
    complaints = [
        model_report.complaint(fitted, typical.get(fitted.name, ()), model_card.curves_beside(model, fitted.name, evaluations))
        for fitted in model_report.ordered(model)
    ]
    return standalone_html(
        "report.html",
        card=model_card.card(model),
        complaints=complaints,
        everyone=complaints[-1],
        alike=topics_together.everywhere(model, list(model.by_name_)),
        anchors={one.name: f"c{number}" for number, one in enumerate(complaints, 1)},
        evaluations=evaluations,
        generated=notes is None and bool(typical),
        patients=bool(notes),
    )


def generated_notes(model: TriageModel) -> dict[str, list[str]]:
    """Generated notes for the complaints that can be generated, always the same; for all complaints if that is all of them."""
    served = model.models_.keys() | model.pooled_.keys()
    known = sorted(served & COMPLAINTS.keys())
    if not known:
        return {}
    frame = make_triage_notes(GENERATED, complaints=known, random_state=0)
    by_complaint = {name: list(group) for name, group in frame.groupby("complaint")["note"]}
    return by_complaint | ({"": list(frame["note"])} if served == set(known) else {})
