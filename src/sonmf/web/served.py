"""What is served: a model, the file it came from, and notes that show its topics."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from threading import Lock
from typing import Any, NamedTuple

from sonmf.sources.nearest import hint
from sonmf.triage import TriageModel, labels, report
from sonmf.triage.columns import Columns, typed
from sonmf.triage.effects import Column
from sonmf.triage.labelled import columns_of
from sonmf.triage.scoring import score
from sonmf.web.rendering import generated_notes


class Limits(NamedTuple):
    """What one request may ask for; docs/guide/triage.md lists these limits with those that are constants."""

    note: int = 100_000
    """Bytes of a note, and of any other JSON body but that of a request for beds."""
    list: int = 100_000_000
    """Bytes of a list of patients, packed and unpacked."""
    seconds: float = 600
    """For a list, from its last byte to the last forecast."""


class Examples(NamedTuple):
    """Notes to show topics with, and where they come from: "given", "generated", or "" if there are none."""

    notes: Sequence[str]
    origin: str


@dataclass(frozen=True)
class Served:
    """A loaded model and what belongs to it."""

    model: TriageModel
    path: Path
    notes: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Notes that the user supplied, by complaint; the empty name has all of them."""
    limits: Limits = field(default_factory=Limits)
    pen: Lock = field(default_factory=Lock)
    """Held while a name is written: names of topics are changed one at a time."""

    @property
    def label(self) -> str:
        """The column with the outcome in the file that the model was fitted on; empty if nobody knows."""
        return self.model.provenance_.label if self.model.provenance_ else ""

    @cached_property
    def columns(self) -> dict[str, Column]:
        """What the models can be given beside a note, by name: columns of the fit, then measurements."""
        found = {column.name: column for one in self.model.by_name_.values() for column in one.columns}
        return dict(sorted(found.items(), key=lambda item: item[1].measured))

    def check_columns(self, given: Columns) -> None:
        """Nothing, if the models know these columns and can read their values."""
        for name, values in given.items():
            column = self.columns.get(name.lower() if name.lower() in self.model.measured_ else name)
            if column is None:
                names = list(self.columns)
                there = f"it has {', '.join(names)}" if names else "it has none"
                raise ValueError(f"the model has no column {name!r}{hint(name, names)}: {there}")
            typed(name, column.kind, values)

    def read_columns(self, cells: Mapping[str, Sequence[Any]]) -> Columns:
        """Values that meant missing in the file of the fit are missing here too."""
        return columns_of(cells, cells, self.model.provenance_.missing if self.model.provenance_ else ())

    def leaves_out(self, outcome: Any) -> bool:
        """Whether patients with this outcome had no part in the fit."""
        return self.model.provenance_ is not None and self.model.provenance_.leaves_out(outcome)

    def examples(self, complaint: str) -> Examples:
        """The user's notes, or generated ones where the package can write some for this complaint."""
        if self.notes:
            return Examples(self.notes.get(complaint, ()), "given")
        return Examples(self._generated.get(complaint, ()), "generated" if complaint in self._generated else "")

    @cached_property
    def _generated(self) -> Mapping[str, Sequence[str]]:
        return generated_notes(self.model)

    def rename(self, complaint: str, topic: int, name: str) -> None:
        """Name a topic, here and beside the model's file."""
        with self.pen:
            labels.rename(self.model, self.path, complaint, topic, name)

    def warm(self) -> None:
        """Do everything once: code is compiled and notes are generated now, not while the first person waits."""
        self.examples("")
        for one in report.ordered(self.model):
            note = " ".join(one.spellings[:2])
            self.model.explain(note, one.name)
            score(self.model, [note], [one.name])
