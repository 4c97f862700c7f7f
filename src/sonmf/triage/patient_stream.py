"""Patients to forecast, a chunk at a time: read as the model was fitted, scored, and remarked on.

``predict``, the page's list, ``beds`` and ``monitor`` read patients here and nowhere else.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np
from msgspec import structs

from sonmf.sources import Source
from sonmf.sources.source import ROWS, KnownSource
from sonmf.triage.column_effects import Category, Number, Text
from sonmf.triage.columns import is_missing
from sonmf.triage.factorisations import fewest_named
from sonmf.triage.patient_scores import Scored
from sonmf.triage.patients import NOTHING_SAID, Patients, as_source, columns_read, open_as
from sonmf.triage.provenance import Provenance
from sonmf.triage.records import Shape
from sonmf.types import Array

if TYPE_CHECKING:
    import pandas as pd

    from sonmf.triage.model import TriageModel

MOST_NOTES = 2000  # of a complaint, to pick typical ones from
MOST_NAMES = 12  # in a sentence
STRONG = 0.005  # of the AUROC: if a column that is worth more is missing, a warning asks for it
UNUSUAL = 0.1  # of the patients, by which more values are missing than in the fit
EXPECTED = "expected from the rest of the patient"
ALL, MISSING, UNKNOWN, FAR = "all", "missing", "unknown", "far"


def how_asked(model: TriageModel, other: Provenance | None = None) -> Provenance:
    """The request for the patients of a model.

    A model that was fitted in Python knows only what its two outcomes are called and its columns. The rest is asked for like
    ``other`` patients, else as usual.
    """
    if model.provenance_ is not None:
        return model.provenance_
    columns = {"columns": tuple(model.columns_), "kinds": dict(model.kinds or {})}
    if other is not None:
        return structs.replace(other, **columns)
    no, yes = map(str, model.classes_)
    return Provenance.request(text="note", label="disposition", positive=(yes,), negative=(no,), **columns)


def read_as_fitted(model: TriageModel, source: Source | pd.DataFrame, other: Provenance | None = None) -> Patients:
    """All patients of a source with a known outcome, read as for the model's fit, with its names of the two outcomes."""
    fewest = fewest_named(model.pooled_model_.vectorizer)
    return Patients.read(source, like=how_asked(model, other), fewest=fewest, classes=model.classes_)


class PatientStream:
    """The patients of a source, in chunks, whose outcome and values need not be known.

    Parameters
    ----------
    model : TriageModel
    source : Source or DataFrame
    asked : Provenance, optional
        What a person requests; a column that is named must exist. For the rest, the columns of the fit are taken if they
        exist, else the usual ones.
    keep : iterable of str
        Other columns that the source must have, for ``Patients.cells``.
    rows : int
        Of a chunk, at most.

    Examples
    --------
    >>> from sonmf.datasets import make_triage_notes
    >>> from sonmf.triage import TriageModel
    >>> from sonmf.triage.patient_stream import PatientStream
    >>> notes = make_triage_notes(1500, complaints=["Cough"], random_state=0)
    >>> model = TriageModel(n_topics=5).fit(notes["note"], notes["disposition"])
    >>> [
    ...     len(chunk.patients)
    ...     for chunk in PatientStream(model, notes.head(5), rows=2).scored()
    ... ]
    [2, 2, 1]
    """

    def __init__(
        self,
        model: TriageModel,
        source: Source | pd.DataFrame,
        asked: Provenance = NOTHING_SAID,
        keep: Iterable[str] = (),
        rows: int = ROWS,
    ) -> None:
        self.model, self.rows, self.keep = model, rows, tuple(keep)
        self.like = how_asked(model)
        _, self.source = open_as(as_source(source), asked, self.like)
        self.asked = self._there(asked)
        self._counts: Counter[tuple[str, str]] = Counter()
        """Values of each column among the patients that were scored so far: all, missing, of no known level, far outside."""

    def _there(self, asked: Provenance) -> Provenance:
        """The request with columns that the source has; a missing one that a person names or keeps is refused."""
        names, usual = self.source.columns, self.like.group or "complaint"
        text = asked.text or next((name for name in (self.like.text, "note") if name in names), self.like.text)
        self.source.require_note(text)
        for name in filter(None, (asked.group, asked.patient, asked.label, *self.keep)):
            self.source.require(name)
        label = asked.label or self.like.label
        return structs.replace(
            self.like,
            text=text,
            group=asked.group or next((name for name in (usual, "complaint") if name in names), None),
            label=label if label in names else "",
            patient=asked.patient or ("id" if "id" in names else None),
            columns=tuple(name for name in self.model.columns_ if name in names),
            time=None,
            subgroups=(),
        )

    @property
    def columns(self) -> list[str]:
        """The columns that are read."""
        return columns_read(self.asked, self.keep)

    def __iter__(self) -> Iterator[Patients]:
        first = 0
        for frame in self.source.chunks(self.rows, self.columns):
            yield Patients.of_frame(frame, self.asked, self.model.classes_, first)
            first += len(frame)

    def scored(self) -> Iterator[Scored]:
        """Each chunk with its forecasts."""
        return map(self.score, self)

    def score(self, patients: Patients) -> Scored:
        """Score patients, and count what is strange about their values."""
        scored = Scored(self.model, patients)
        for fitted, _, read in scored.served:
            for column, values in zip(fitted.columns, read.values, strict=True):
                if values is not None and not column.measured and not isinstance(column, Text):
                    self._count(column, values)
        return scored

    def _count(self, column: Number | Category, values: Array) -> None:
        empty = np.array([is_missing(value) for value in values], bool)
        counts = {ALL: len(values), MISSING: int(empty.sum())}
        if isinstance(column, Category):
            counts[UNKNOWN] = int((column.missing_in(values) & ~empty).sum())
        else:
            counts[FAR] = int(column.far_outside(values).sum())
        self._counts.update({(column.name, what): count for what, count in counts.items()})

    def read(self) -> Patients:
        """All patients at once."""
        return Patients.of_frame(self.source.read(self.columns), self.asked, self.model.classes_)

    @property
    def absent(self) -> str:
        """A sentence on columns of the model that the source does not have, with what that costs; empty if it has all."""
        absent = [name for name in self.model.columns_ if name not in self.asked.columns]
        if not absent:
            return ""
        strong = [name for name in absent if _loss(self.model, name) >= STRONG]
        sentence = f"not given, so {EXPECTED}: {', '.join(absent)}"
        return f"{sentence}. WARNING: {_costs(self.model, strong)}, so give {_them(strong)}" if strong else sentence

    @property
    def strange_values(self) -> list[str]:
        """A sentence on each column with strange values among the patients that were scored so far."""
        return [sentence for column in _given(self.model) if (sentence := self._strange(column))]

    def _strange(self, column: Number | Category) -> str:
        count = {what: self._counts[column.name, what] for what in (ALL, MISSING, UNKNOWN, FAR)}
        values = f"of {count[ALL] - count[MISSING]:,} values"
        parts = []
        if isinstance(column, Number) and count[FAR]:
            fitted = f"the range of the fit ({column.low:g} to {column.high:g})"
            parts.append(f"{count[FAR]:,} {values} far outside {fitted}, and count as its end: check its unit")
        if isinstance(column, Category) and count[UNKNOWN]:
            parts.append(
                f"{count[UNKNOWN]:,} {values} unknown to the fit, and count as missing: it knows {column.known_levels}"
            )
        usual = max(shape.missing for shape in _shapes(self.model, column.name))
        if count[MISSING] >= (usual + UNUSUAL) * max(count[ALL], 1):
            share = f"missing in {count[MISSING] / count[ALL]:.0%} of the patients ({usual:.0%} in the fit)"
            cost = f"; {_costs(self.model, [column.name])}" if _loss(self.model, column.name) >= STRONG else ""
            parts.append(f"{share}, and {EXPECTED}{cost}")
        return f"{column.name}: {'; '.join(parts)}" if parts else ""

    @property
    def remarks(self) -> list[str]:
        """What a person should know of how the patients are read; once all are read, a source may remark on more."""
        preset, known = self.like.preset, isinstance(self.source, KnownSource)
        remarks = list(self.source.remarks)
        if preset and not known:
            remarks.append(
                f"{self.source} does not look like {preset}, which the model was fitted to: its columns are read as they are"
            )
        if self.model.models_ and not self.asked.group:
            usual = self.like.group or "complaint"
            remarks.append(
                f"{self.source} has no column {usual!r}, so every patient gets the model of all complaints, although there "
                f"are models for {few_names(self.model.models_)}: name the column with --group, the file has "
                f"{few_names(self.source.columns)}"
            )
        return remarks + ([f"{self.source}: {self.absent}"] if self.absent else [])


def _given(model: TriageModel) -> list[Number | Category]:
    """The columns of numbers and categories that the models take beside the note, each once."""
    columns = [column for fitted in model.by_name_.values() for column in fitted.columns]
    named = {column.name: column for column in reversed(columns) if not column.measured and not isinstance(column, Text)}
    return [named[name] for name in model.columns_ if name in named]


def _shapes(model: TriageModel, name: str) -> list[Shape]:
    return [shape for fitted in model.by_name_.values() for shape in fitted.record.columns if shape.name == name]


def _areas(model: TriageModel, name: str) -> tuple[float, float]:
    """The held-out AUROC with a column and without it, of the first model that has it: that of all complaints, usually."""
    return next(
        (fitted.record.out_of_fold.auroc, shape.auroc_without)
        for fitted in model.by_name_.values()
        for shape in fitted.record.columns
        if shape.name == name and shape.auroc_without is not None
    )


def _loss(model: TriageModel, name: str) -> float:
    area, without = _areas(model, name)
    return area - without


def _costs(model: TriageModel, names: Sequence[str]) -> str:
    areas = {name: _areas(model, name) for name in names}
    return "forecasts are worse " + ", ".join(
        f"without {name} (AUROC {without:.3f} instead of {area:.3f})" for name, (area, without) in areas.items()
    )


def _them(names: Sequence[str]) -> str:
    return "it if you can" if len(names) == 1 else "them if you can"


def few_names(names: Iterable[object]) -> str:
    """The first few of several names, and how many more there are."""
    listed = list(map(str, names))
    more = len(listed) - MOST_NAMES
    return ", ".join(listed[:MOST_NAMES]) + (f" and {more:,} more" if more > 0 else "")


def notes_by_complaint(patients: Iterable[Patients]) -> dict[str, list[str]]:
    """Up to MOST_NOTES notes of each complaint, and of all of them under the empty name."""
    by_complaint: dict[str, list[str]] = {"": []}
    for chunk in patients:
        for name, note in zip(chunk.names, chunk.notes, strict=True):
            if isinstance(note, str):
                for key in {"", name}:
                    if len(listed := by_complaint.setdefault(key, [])) < MOST_NOTES:
                        listed.append(note)
    return by_complaint
