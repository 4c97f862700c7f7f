"""What is served: a model, the file it came from, and notes that show its topics."""

from __future__ import annotations

import errno
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from threading import Lock

from sonmf import files
from sonmf.errors import InputError
from sonmf.triage import TriageModel, model_report, topic_labels
from sonmf.triage.patient_scores import Scored
from sonmf.triage.patients import Patients
from sonmf.web.report_page import generated_notes

NOT_ALLOWED = (errno.EACCES, errno.EPERM, errno.EROFS)
NO_RIGHT = (
    "names are kept in a file beside the model, and `sonmf serve` may not write in that folder: allow it, "
    "or serve a copy of the model from a folder that can be written to"
)


@dataclass(frozen=True)
class ServedModel:
    """A loaded model, what belongs to it, and what one request may ask for; docs/guide/serving.md lists the limits."""

    model: TriageModel
    path: Path
    notes: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Notes that the user supplied, by complaint; the empty name has all of them."""
    largest_note: int = 100_000
    """Bytes of a note, and of any other JSON body but that of a request for beds."""
    largest_list: int = 100_000_000
    """Bytes of a list of patients, packed and unpacked."""
    seconds: float = 600
    """For a list, from its last byte to the last forecast."""
    pen: Lock = field(default_factory=Lock)
    """Held while a name is written: names of topics are changed one at a time."""

    def examples(self, complaint: str) -> tuple[Sequence[str], str]:
        """Notes to show topics with, and where they come from: "given", "generated", or "" if there are none."""
        if self.notes:
            return self.notes.get(complaint, ()), "given"
        return self._generated.get(complaint, ()), "generated" if complaint in self._generated else ""

    @cached_property
    def _generated(self) -> Mapping[str, Sequence[str]]:
        return generated_notes(self.model)

    def rename(self, complaint: str, topic: int, name: str) -> None:
        """Name a topic, here and beside the model's file; an ``InputError`` if that cannot be written."""
        try:
            with self.pen:
                topic_labels.rename(self.model, self.path, complaint, topic, name)
        except OSError as error:
            remedy = NO_RIGHT if error.errno in NOT_ALLOWED else ""
            raise InputError(f"the name is not kept: {remedy or files.sentence(error)}") from None

    def warm(self) -> None:
        """Do everything once: code is compiled and notes are generated now, not while the first person waits."""
        self.examples("")
        notes = {fitted.name: " ".join(fitted.spellings[:2]) for fitted in model_report.ordered(self.model)}
        for complaint, note in notes.items():
            self.model.explain(note, complaint)
        Scored(self.model, Patients.arriving(notes.values(), notes.keys())).explained()
