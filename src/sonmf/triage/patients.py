"""A table of patients: which column is what, what each outcome means, and which rows are left out.

``Provenance`` is the request, and ``Patients`` are the rows. Fits, evaluations and forecasts all take such a table.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from msgspec import structs

from sonmf.errors import InputError
from sonmf.sources import Source, dates
from sonmf.sources.errors import did_you_mean
from sonmf.sources.presets import VITALS, as_data_set, preset_named
from sonmf.sources.source import FrameSource
from sonmf.triage.columns import CATEGORY, Columns, Table, as_text, column_arrays, is_missing
from sonmf.triage.inputs import (
    FEWEST_NAMED,
    POOLED,
    check_lengths,
    complaint_names,
    note_list,
    two_classes,
    values_in_words,
)
from sonmf.triage.provenance import (
    Fingerprint,
    Provenance,
    in_one_spelling,
    in_words,
    outcome_key,
    outcome_text,
    rows_by_value,
    rows_left_out,
)
from sonmf.triage.subgroups import column_and_cuts, groups
from sonmf.types import Array

if TYPE_CHECKING:
    import pandas as pd

GENERATED_COLUMNS = ("age", "sex", *VITALS, "esi", "ambulance")
NOTHING_SAID = Provenance.request()


@dataclass(frozen=True, eq=False)
class Patients:
    """Patients in memory, all of a table or a chunk of it: one entry a patient in every field, in the order of the table.

    Examples
    --------
    >>> import pandas as pd
    >>> from sonmf.triage.patients import Patients
    >>> from sonmf.triage.provenance import Provenance
    >>> frame = pd.DataFrame(
    ...     {"text": ["syncope", "cough", "rash"], "outcome": ["Ward", "home", "left"]}
    ... )
    >>> asked = Provenance.request(
    ...     text="text", label="outcome", positive=("ward",), negative=("home",)
    ... )
    >>> patients = Patients.read(frame, asked)
    >>> patients.notes, patients.disposition, patients.remarks
    (['syncope', 'cough'], ['ward', 'home'], ('1 row left out by outcome: 1 (1 other value)',))
    """

    notes: Sequence[object]
    complaint: Sequence[object] | None
    """The complaint of each patient as it was given; None if there is no such column."""
    outcomes: Array
    """The outcome of each patient: 1 for admitted, 0 for not admitted, NaN if it is not known."""
    columns: Columns
    """Values beside the note that count, by name; those that mean missing are None."""
    subgroups: Columns
    """Columns to report figures for, by name."""
    classes: Array
    """What the two outcomes are called, the one that means admitted last."""
    asked: Provenance = NOTHING_SAID
    """The request for the patients; the columns that it names exist."""
    frame: pd.DataFrame | None = None
    """The rows as they were read, with other requested columns; None for patients given in Python."""
    rows: Array | None = None
    """The numbers of their rows in the table, from 0 on, for messages."""
    person: Array | None = None
    """A number for each patient that a column identifies: the same on rows of the same one."""
    times: Array | None = None
    """When each patient came, where a column was named and all of the table was read."""
    remarks: tuple[str, ...] = ()
    """What a person should know of how they were read, a sentence each."""

    @classmethod
    def given(
        cls,
        notes: Iterable[object],
        disposition: Iterable[object],
        complaint: Iterable[object] | None = None,
        columns: Table = None,
        subgroups: Mapping[str, Iterable[object]] | None = None,
        positive: object = None,
        fewest: int = FEWEST_NAMED,
    ) -> Self:
        """Patients from Python, as for ``TriageModel.fit``; ``positive`` means admitted."""
        notes, outcomes = note_list(notes), np.asarray(list(disposition), object)
        names = complaint_names(complaint, len(notes))
        groups = {name: np.asarray(list(values), object) for name, values in (subgroups or {}).items()}
        check_lengths(len(notes), {"disposition": outcomes, "complaint": names} | groups)
        classes = two_classes(outcomes, positive, fewest)
        admitted = (outcomes == classes[1]).astype(float)
        return cls(notes, names.tolist(), admitted, column_arrays(columns, len(notes)), groups, classes)

    @classmethod
    def arriving(cls, notes: Iterable[object], complaint: Iterable[object] | None = None, columns: Table = None) -> Self:
        """Patients from Python whose outcome is not known yet, as for ``TriageModel.predict_proba``."""
        notes = note_list(notes)
        names = complaint_names(complaint, len(notes))
        check_lengths(len(notes), {"complaint": names})
        unknown, nothing = np.full(len(notes), np.nan), np.empty(0, object)
        return cls(notes, names.tolist(), unknown, column_arrays(columns, len(notes)), {}, nothing)

    @classmethod
    def read(
        cls,
        source: Source | pd.DataFrame,
        asked: Provenance = NOTHING_SAID,
        like: Provenance | None = None,
        *,
        fewest: int = FEWEST_NAMED,
        classes: Array | None = None,
    ) -> Self:
        """All rows of a source that have one of the two outcomes; the others are counted in ``asked.left_out``.

        Parameters
        ----------
        source : Source or DataFrame
        asked : Provenance, optional
            What to read. Every column that is named must exist.
        like : Provenance, optional
            The request of a model: what ``asked`` leaves open is read as for its fit.
        fewest : int, default=5
            Rows that a value of the outcome must have to be named, unless the request names it.
        classes : ndarray of shape (2,), optional
            What the two outcomes are called; by default as in the source.

        Returns
        -------
        Patients
        """
        full, table = open_as(as_source(source), asked, like)
        full = _required_columns(table, full, asked, like)
        frame = table.read(columns_read(full))
        counts = Counter(outcome_text(value) for value in frame[full.label])
        full, titles, remarks = _with_outcomes(full, asked, counts, fewest, table)
        everyone = cls.of_frame(frame, full, titles if classes is None else classes)
        if full.time is not None:
            name, order = dates.column_and_order(full.time)
            everyone = replace(everyone, times=dates.parse_times(frame[name], name, table, order))
            everyone = replace(everyone, asked=structs.replace(everyone.asked, period=_period(everyone.times)))
        if full.patient is not None:
            everyone = replace(everyone, person=_numbered(frame[full.patient]))
        return replace(everyone.only(np.flatnonzero(np.isfinite(everyone.outcomes))), remarks=(*table.remarks, *remarks))

    @classmethod
    def of_frame(cls, frame: pd.DataFrame, asked: Provenance, classes: Array, first: int = 0) -> Self:
        """Patients from all rows of a DataFrame that has the requested columns; ``first`` counts the rows before it."""
        texts = [outcome_text(value) for value in frame[asked.label]] if asked.label else [None] * len(frame)
        meaning = {text: asked.outcome(text) for text in set(texts)}
        grouped = {column_and_cuts(text)[0]: text for text in asked.subgroups}
        cells = columns_of(frame, [*asked.columns, *grouped], asked.missing or ())
        return cls(
            notes=list(frame[asked.text]),
            complaint=list(frame[asked.group]) if asked.group else None,
            outcomes=np.array([meaning[text] for text in texts], float),
            columns={name: cells[name] for name in asked.columns},
            subgroups={name: groups(text, cells[name]) for name, text in grouped.items()},
            classes=classes,
            asked=asked,
            frame=frame,
            rows=first + np.arange(len(frame)),
        )

    def __len__(self) -> int:
        return len(self.notes)

    def only(self, rows: Array) -> Self:
        """The patients of these places."""
        places, frame = rows.tolist(), self.frame

        def chosen(values: Array | None) -> Array | None:
            return None if values is None else values[rows]

        return replace(
            self,
            notes=[self.notes[place] for place in places],
            complaint=None if self.complaint is None else [self.complaint[place] for place in places],
            outcomes=self.outcomes[rows],
            columns={name: values[rows] for name, values in self.columns.items()},
            subgroups={name: values[rows] for name, values in self.subgroups.items()},
            frame=None if frame is None else frame.iloc[places],
            rows=chosen(self.rows),
            person=chosen(self.person),
            times=chosen(self.times),
        )

    @cached_property
    def names(self) -> Array:
        """The complaint of each as text, empty where it is missing."""
        return complaint_names(self.complaint, len(self))

    def counts(self) -> dict[str, tuple[int, int]]:
        """How many patients have each complaint, and how many of them are admitted; the empty name is for those without one."""
        names, place = np.unique(self.names, return_inverse=True)
        notes, admitted = np.bincount(place), np.bincount(place, self.outcomes)
        return {str(name): (int(n), int(a)) for name, n, a in zip(names, notes, admitted, strict=True)}

    def of_complaint(self, name: str) -> Self:
        """The patients of a complaint; all of them for the empty name."""
        return self if name == POOLED else self.only(np.flatnonzero(self.names == name))

    @property
    def disposition(self) -> list[Any]:
        """What the outcome of each is called; all of them are known."""
        return [self.classes[int(outcome)] for outcome in self.outcomes]

    @cached_property
    def left_out(self) -> Array:
        """Whether the fit of the model left out patients with the outcome of each."""
        if not self.asked.label:
            return np.zeros(len(self), bool)
        values = [outcome_text(value) for value in self.cells(self.asked.label)]
        away = {value: self.asked.leaves_out(value) for value in set(values)}
        return np.array([away[value] for value in values], bool)

    def cells(self, name: str) -> list[object]:
        """The cells of any column, as they were read."""
        assert self.frame is not None, "patients given in Python have no other columns"
        return list(self.frame[name])

    @property
    def identifiers(self) -> Sequence[object]:
        """The identifier of each patient: the cell of that column, else the number of the row, from 1 on."""
        if self.asked.patient:
            return self.cells(self.asked.patient)
        return [1 + row for row in (range(len(self)) if self.rows is None else self.rows.tolist())]

    @property
    def facts(self) -> list[str]:
        """What was read, a sentence each: outcomes, the period, and rows of the same patient."""
        admitted = int(self.outcomes.sum())
        facts = [f"{len(self):,} patients, {admitted:,} of them {self.classes[1]} ({admitted / len(self):.1%})"]
        if self.asked.period is not None:
            facts.append(f"arrivals from {self.asked.period[0]} to {self.asked.period[1]}")
        if self.person is not None:
            facts.append(f"{len(self):,} rows of {len(np.unique(self.person)):,} patients: folds keep a patient together")
        return facts

    @property
    def drop_words(self) -> tuple[str, ...]:
        """Words that reveal the outcome in the notes of this data set."""
        return preset_named(self.asked.preset).drop_words if self.asked.preset else ()

    @property
    def fingerprint(self) -> str:
        """SHA-256 of the notes with their outcomes and complaints."""
        mark = Fingerprint()
        mark.add(self.notes, map(str, self.disposition), self.complaint)
        return mark.hexdigest()

    @property
    def recorded(self) -> Provenance:
        """The request for the patients, with their fingerprint."""
        return structs.replace(self.asked, data=self.fingerprint)


def as_source(source: Source | pd.DataFrame) -> Source:
    """A source as it is, and a DataFrame as one."""
    return FrameSource(source) if hasattr(source, "iloc") else source


def generated_patients(frame: pd.DataFrame, title: str = "generated notes", time: str | None = None) -> Patients:
    """Notes of ``make_triage_notes`` with details, with age and sex for the figures by subgroup, and the times of a column."""
    asked = Provenance.request(columns=GENERATED_COLUMNS, kinds={"esi": CATEGORY}, subgroups=("sex", "age"), time=time)
    return Patients.read(FrameSource(frame, title), asked)


def columns_of(
    frame: pd.DataFrame | Mapping[str, Sequence[object]], names: Iterable[str], missing: Collection[str] = ()
) -> Columns:
    """Columns of a table as arrays; None takes the place of values that mean missing."""
    unknown = set(map(as_text, missing))
    return {name: np.array([None if as_text(value) in unknown else value for value in frame[name]], object) for name in names}


def columns_read(asked: Provenance, more: Iterable[str] = ()) -> list[str]:
    """The requested columns, and more, each once."""
    time = dates.column_and_order(asked.time)[0] if asked.time else None
    subgroups = [column_and_cuts(text)[0] for text in asked.subgroups]
    wanted = [asked.text, asked.label, asked.group, asked.patient, time, *subgroups, *asked.columns, *more]
    return list(dict.fromkeys(name for name in wanted if name))


def _period(times: Array | None) -> tuple[str, str] | None:
    """The first and the last day."""
    known = np.empty(0) if times is None else times[~np.isnat(times)].astype("datetime64[D]")
    return (str(known.min()), str(known.max())) if len(known) else None


def _numbered(cells: Iterable[object]) -> Array:
    """A number for each value; a missing one is a patient of its own."""
    numbers: dict[object, int] = {}
    keys = (("row", row) if is_missing(cell) else as_text(cell) for row, cell in enumerate(cells))
    return np.array([numbers.setdefault(key, len(numbers)) for key in keys])


def open_as(source: Source, asked: Provenance, like: Provenance | None) -> tuple[Provenance, Source]:
    """The request with what the model remembers, and the source as the data set that was named or that the model is about."""
    full = asked.filled(like)
    table = as_data_set(source, asked.preset, full.preset)
    return (full if table is not source else structs.replace(full, preset=None)), table


def _required_columns(source: Source, full: Provenance, asked: Provenance, like: Provenance | None) -> Provenance:
    """The requested columns, or the usual ones; a missing one is refused."""
    preset = preset_named(full.preset) if full.preset else None
    usual = preset.subgroups if preset else like.subgroups if like else ()
    columns, kinds = full.columns, full.kinds
    patient = full.patient if asked.patient or full.patient in source.columns else None
    if preset and not columns:
        columns, kinds = tuple(dict(preset.columns)), dict(preset.columns)
    group = full.group or (preset.group if preset else None)
    if group is None and "complaint" in source.columns:
        group = "complaint"
    complete = structs.replace(
        full,
        text=full.text or (preset.text if preset else "note"),
        label=full.label or (preset.label if preset else "disposition"),
        group=group,
        columns=columns,
        kinds=kinds,
        patient=patient,
        missing=tuple(sorted(full.missing or ())),
        subgroups=asked.subgroups or tuple(text for text in usual if column_and_cuts(text)[0] in source.columns),
        source=source.name,
    )
    source.require_note(complete.text)
    for name in columns_read(complete):
        source.require(name)
    grouped = Counter(column_and_cuts(text)[0] for text in complete.subgroups)
    if twice := [name for name, times in grouped.items() if times > 1]:
        raise InputError(f"--subgroup {twice[0]} is given twice: name each column once")
    if taken := set(complete.columns) & {complete.text, complete.label}:
        raise InputError(f"--column {taken.pop()}: it is the note or the outcome, and cannot count beside them")
    return complete


def _with_outcomes(
    full: Provenance, asked: Provenance, spelled: Mapping[str | None, int], fewest: int, source: Source
) -> tuple[Provenance, Array, list[str]]:
    """What the values of the outcome mean, from how often each occurs: with counts, the names of both, and remarks."""
    preset = preset_named(full.preset) if full.preset else None
    positive = _each_once(full.positive or (preset.positive if preset else ("admitted",)))
    negative = _each_once(full.negative or (preset.negative if preset else ()))
    counts = in_one_spelling(spelled, (*positive, *negative))
    there = {value: rows for value, rows in counts.items() if value is not None}
    _refuse_missing("--positive", positive, bool(asked.positive), full.label, there, fewest)
    _refuse_missing("--negative", negative, bool(asked.negative), full.label, there, fewest)
    others = [value for value in sorted(there) if value not in positive and (value in negative or not negative)]
    neither = [value for value in counts if value not in positive and value not in others]
    admitted, not_admitted, left_out = (
        rows_by_value({value: counts[value] for value in values if value in counts}, fewest, {*positive, *negative})
        for values in (positive, others, neither)
    )
    remarks = [rows_left_out(left_out, f" by {full.label}")] if left_out else []
    if not others:
        why = f" ({remarks[0]})" if remarks else ""
        raise InputError(
            f"every row of {source} that counts is {positive[0]!r} in column {full.label!r}{why}: "
            "patients of both outcomes are needed"
        )
    if len(others) > 1 and not negative:
        remarks.append(f"not admitted: {in_words(not_admitted)} (choose with --negative)")
    yes = positive[0] if len(positive) == 1 else "admitted"
    no = others[0] if len(others) == 1 and others[0] != yes else f"not {yes}"
    counted = structs.replace(
        full, positive=positive, negative=negative, admitted=admitted, not_admitted=not_admitted, left_out=left_out,
        rows=sum(counts.values()),
    )  # fmt: skip
    return counted, np.array([no, yes], object), remarks


def _each_once(values: Iterable[str]) -> tuple[str, ...]:
    return tuple({outcome_key(value): value for value in values}.values())


def _refuse_missing(
    option: str, wanted: tuple[str, ...], named: bool, label: str, there: Mapping[str, int], fewest: int
) -> None:
    """Each value that a person has ``named`` must occur; of the values of a preset or a model at least one."""
    missing = [value for value in wanted if value not in there]
    if missing and (named or len(missing) == len(wanted)):
        # values of a few rows are not shown: they may be something else than outcomes, such as notes
        near = did_you_mean(missing[0], [value for value, count in there.items() if count >= fewest])
        shown = values_in_words(there, fewest)
        raise InputError(f"{option} {', '.join(missing)}: column {label!r} has no such value{near}; it has {shown}")
