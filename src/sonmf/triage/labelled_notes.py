"""Notes with an outcome, from a file or folder, from a known data set, or generated: the rows that are used."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from msgspec.structs import replace

from sonmf.datasets import make_triage_notes
from sonmf.sources import Source, dates
from sonmf.sources.presets import VITALS
from sonmf.triage.columns import CATEGORY, Columns, as_text
from sonmf.triage.factorisations import fewest_named
from sonmf.triage.file_columns import FileColumns, Plan, group_column, label_texts, named_columns, plan
from sonmf.triage.inputs import complaint_names
from sonmf.triage.provenance import Fingerprint, Provenance
from sonmf.types import Array

if TYPE_CHECKING:
    import pandas as pd

    from sonmf.triage.model import TriageModel

MOST_NOTES = 2000  # of a complaint, to pick typical ones from
COLUMNS = ("age", "sex", *VITALS, "esi", "ambulance")


class Labelled(NamedTuple):
    """Notes with an outcome."""

    notes: Sequence[object]
    disposition: list[str]
    complaint: Sequence[object] | None
    positive: str
    frame: pd.DataFrame
    drop_words: tuple[str, ...]
    subgroups: tuple[str, ...]
    """Columns to report figures for, where nothing else was asked."""
    columns: Columns
    """Those beside the note that count, by name."""
    kinds: Mapping[str, str]
    """What they are, where it was said."""
    provenance: Provenance
    """Without the fingerprint of the notes."""
    times: Array | None = None
    """When each patient came, where a column was named."""
    remarks: tuple[str, ...] = ()
    """What a person should know of how they were read, a sentence each."""

    @classmethod
    def of(cls, plan: Plan, frame: pd.DataFrame) -> Labelled:
        """The rows of a table that have one of the two outcomes."""
        named, values = plan.named, label_texts(frame[plan.named.label])
        frame = frame[[value in plan.meaning for value in values]]
        return cls(
            notes=list(frame[named.text]),
            disposition=[plan.meaning[value] for value in values if value in plan.meaning],
            complaint=list(frame[named.group]) if named.group else None,
            positive=plan.positive,
            frame=frame,
            drop_words=named.drop_words,
            subgroups=named.subgroups,
            columns=columns_of(frame, named.beside, named.missing),
            kinds=named.kinds,
            provenance=plan.provenance,
            remarks=plan.remarks,
        )


def read_labelled(source: Source, columns: FileColumns, subgroups: Sequence[str] = ()) -> Labelled:
    """The rows that have one of the two outcomes, with the columns that are needed."""
    columns, source = columns.open(source)
    named = named_columns(source, columns, subgroups)
    frame = source.read(named.columns)
    data = Labelled.of(plan(named, Counter(label_texts(frame[named.label])), columns, source), frame)
    if columns.time is None:
        return data
    name, order = dates.column_and_order(columns.time)
    return data._replace(times=dates.parse_times(frame[name], name, source, order)[data.frame.index])


def read_as_fitted(model: TriageModel, source: Source, like: Provenance | None = None) -> Labelled:
    """The patients of a source as the model was asked for, with its names of the two outcomes.

    A model that was fitted from Python has not written down how: it is asked ``like`` another one, else as usual.
    """
    asked = model.provenance_ or like
    columns = FileColumns(like=asked, min_df=fewest_named(model.pooled_model_.vectorizer))
    if asked is None:
        columns = columns._replace(positive=str(model.classes_[1]))
    if model.provenance_ is None:
        columns = columns._replace(columns=dict.fromkeys(model.columns_))
    data = read_labelled(source, columns)
    other, admitted = model.classes_
    return data._replace(disposition=[admitted if value == data.positive else other for value in data.disposition])


def generate_labelled(n: int, seed: int) -> Labelled:
    """Notes of our own making, with age and sex for the figures by subgroup."""
    frame = make_triage_notes(n, details=True, random_state=seed)
    rows = frame["disposition"].value_counts().to_dict()
    asked = Provenance(
        source="generated notes", text="note", label="disposition", group="complaint", positive=("admitted",), negative=(),
        admitted={"admitted": rows["admitted"]}, not_admitted={"discharged": rows["discharged"]}, left_out={}, rows=n,
        subgroups=("sex", "age"), columns=COLUMNS,
    )  # fmt: skip
    notes, dispositions, complaints = (list(frame[name]) for name in ("note", "disposition", "complaint"))
    columns = columns_of(frame, COLUMNS)
    return Labelled(notes, dispositions, complaints, "admitted", frame, (), asked.subgroups, columns, {"esi": CATEGORY}, asked)


def columns_of(
    frame: pd.DataFrame | Mapping[str, Sequence[object]], names: Iterable[str], missing: Collection[str] = ()
) -> Columns:
    """Columns of a table; values that mean missing are."""
    unknown = set(map(as_text, missing))
    return {name: np.array([None if as_text(value) in unknown else value for value in frame[name]], object) for name in names}


def with_fingerprint(data: Labelled) -> Provenance:
    """How these notes were asked for, with their fingerprint."""
    mark = Fingerprint()
    mark.add(data.notes, data.disposition, data.complaint)
    return replace(data.provenance, data=mark.hexdigest())


def subgroup_columns(data: Labelled) -> dict[str, list[object]]:
    """Columns to report figures for; an age becomes bands of twenty years."""
    return {
        name: [age_band(value) if name.lower() == "age" else value for value in data.frame[name]] for name in data.subgroups
    }


def age_band(age: Any) -> str:
    """Twenty years, or unknown."""
    try:
        low = min(int(float(age)) // 20 * 20, 80)
    except (TypeError, ValueError, OverflowError):
        return "unknown"
    return "unknown" if low < 0 else f"{low}-{low + 19}" if low < 80 else "80+"


def given_notes(source: Source, text: str, group: str | None) -> dict[str, list[str]]:
    """Up to MOST_NOTES notes of each complaint of a source, and of all of them under the empty name."""
    named = group_column(source, group)
    found: dict[str, list[str]] = {"": []}
    for frame in source.chunks(columns=[text, *([named] if named else [])]):
        names = complaint_names(list(frame[named]) if named else None, len(frame))
        for name, note in zip(names, frame[text], strict=True):
            for key in {"", name} if isinstance(note, str) else ():
                if len(some := found.setdefault(key, [])) < MOST_NOTES:
                    some.append(note)
    return found
