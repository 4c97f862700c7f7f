"""Beds by the hour for a file that was sent: scored in parts, then forecast, as ``sonmf beds`` does it."""

from __future__ import annotations

from collections.abc import Generator

from starlette.requests import Request

from sonmf.beds import BedOptions, look_ahead
from sonmf.beds.options import USUAL_TIME, USUAL_UNTIL
from sonmf.beds.patient_list import PatientList
from sonmf.sources.dates import ORDERS
from sonmf.triage import TriageModel
from sonmf.triage.patient_stream import how_asked
from sonmf.triage.provenance import Provenance
from sonmf.web.patient_lists import Lists, file_facts, json_line, open_stream, scored_chunks
from sonmf.web.rendering import render
from sonmf.web.served_model import ServedModel
from sonmf.web.uploads import Upload


class BedHours(Lists):
    """POST a file, get lines of JSON: its columns, how much of it is scored, then the beds; or an error."""

    def lines(self, upload: Upload, request: Request) -> Generator[str]:
        """The answer to a file."""
        given = request.query_params
        beds = usual_request(self.served.model)._replace(
            **{name: given[name] for name in BedOptions._fields if given.get(name)}
        )
        if given.get("order") in ORDERS:
            beds = beds._replace(time=f"{beds.time}:{given['order']}")
        return beds_lines(self.served, upload, self.asked(request), beds, first="first" in given)


def usual_request(model: TriageModel) -> BedOptions:
    """The usual request; the column of the arrival is that of the fit."""
    return BedOptions(time=how_asked(model).time or USUAL_TIME)


def beds_lines(
    served: ServedModel, upload: Upload, asked: Provenance, beds: BedOptions, *, first: bool = False
) -> Generator[str]:
    """Lines with the ``file``, then the ``share`` of it that is scored, at last the ``beds``, also ``drawn``.

    The ``first`` time that a file is sent nobody has seen its columns yet: one that is called departure is taken for it.
    """
    beds.check()
    if first and not beds.until and USUAL_UNTIL in upload.columns():
        beds = beds._replace(until=USUAL_UNTIL)
    stream = open_stream(served, upload, asked, beds.columns)
    named = zip(("time", *(name for name in ("until", "by") if getattr(beds, name))), beds.columns, strict=True)
    yield json_line(file=file_facts(stream) | dict(named))
    listed, total = PatientList(stream, beds), 0
    for scored in scored_chunks(stream, upload):
        listed.add(scored)
        total += len(scored.patients)
        yield json_line(share=upload.share, patients=total)
    patients, remarks = listed.patients()
    upload.check()
    outlook = look_ahead(patients, patients, beds, [*stream.remarks, *remarks]).as_json()
    yield json_line(beds=outlook, drawn=render("_beds.html", beds=outlook))
