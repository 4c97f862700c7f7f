"""Beds by the hour for a file that was sent: scored in parts, then forecast, as ``sonmf beds`` does it."""

from __future__ import annotations

from collections.abc import Generator

from starlette.requests import Request

from sonmf.beds import BedOptions, look_ahead
from sonmf.beds.options import USUAL_TIME
from sonmf.beds.patient_list import PatientList
from sonmf.sources import PatientColumns
from sonmf.sources.dates import ORDERS
from sonmf.triage import TriageModel
from sonmf.web.jinja import render
from sonmf.web.patient_lists import Lists, json_line, parts_of
from sonmf.web.served_model import ServedModel
from sonmf.web.uploads import FileFacts, Part, Upload


class BedHours(Lists):
    """POST a file, get lines of JSON: its columns, how much of it is scored, then the beds; or an error."""

    def lines(self, upload: Upload, request: Request) -> Generator[str]:
        """The answer to a file."""
        given = request.query_params
        asked = usual_request(self.served.model)._replace(
            **{name: given[name] for name in BedOptions._fields if given.get(name)}
        )
        if given.get("order") in ORDERS:
            asked = asked._replace(time=f"{asked.time}:{given['order']}")
        return beds_lines(self.served, upload, self.columns(request)._replace(more=asked.columns), asked)


def usual_request(model: TriageModel) -> BedOptions:
    """The usual request; the column of the arrival is that of the fit."""
    fitted = model.provenance_.time if model.provenance_ else None
    return BedOptions(time=fitted or USUAL_TIME)


def beds_lines(served: ServedModel, upload: Upload, columns: PatientColumns, asked: BedOptions) -> Generator[str]:
    """Lines with the ``file``, then the ``share`` of it that is scored, at last the ``beds``, also ``drawn``."""
    settings, listed, total = asked.settings(), PatientList(served.model, asked, upload), 0
    parts = parts_of(served, upload, columns)
    facts = next(parts)
    assert isinstance(facts, FileFacts)
    named = zip(("time", *(name for name in ("until", "by") if getattr(asked, name))), asked.columns, strict=True)
    yield json_line(file=facts._asdict() | dict(named))
    remarks: list[str] = []
    for part in parts:
        assert isinstance(part, Part)
        upload.check()
        total += len(part.notes)
        upload.check_rows(total)
        listed.add(part.notes, part.complaints, part.outcomes, part.columns, part.more)
        remarks = list(part.remarks)
        yield json_line(share=part.share, patients=total)
    patients, said = listed.patients(settings)
    upload.check()
    found = look_ahead(patients, patients, settings, asked.by, [*remarks, *said])
    told = found.as_json()
    yield json_line(beds=told, drawn=render("_beds.html", beds=told))
