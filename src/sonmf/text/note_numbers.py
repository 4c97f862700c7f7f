"""The numbers in a note: age, sex, vital signs, pain, consciousness, glucose and days since onset."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from sonmf.frames import DataFrame, pandas
from sonmf.text.note_reader import as_notes, one_column
from sonmf.text.shorthand import CONVERSIONS, Groups, fold, scanner, sex
from sonmf.types import Array


class Plausible(NamedTuple):
    """The plausible values of a measurement; others count as missing."""

    low: float
    high: float
    unit: str


RANGES = {
    "age": Plausible(0, 120, "years"),
    "saturation": Plausible(30, 100, "%"),
    "heart_rate": Plausible(20, 300, "a minute"),
    "respiratory_rate": Plausible(1, 90, "a minute"),
    "systolic": Plausible(40, 300, "mmHg"),
    "diastolic": Plausible(15, 200, "mmHg"),
    "temperature": Plausible(20, 45, "°C"),
    "pain": Plausible(0, 10, "of 10"),
    "gcs": Plausible(3, 15, "of 15"),
    "glucose": Plausible(0.5, 80, "mmol/L"),
    "days": Plausible(0, 3653, "days"),
}
COLUMNS = ("age", "sex", *list(RANGES)[1:])


class Located(NamedTuple):
    """A measurement and its place: ``note[start:end]`` is the number, or the word that states it.

    Examples
    --------
    >>> from sonmf.text import located
    >>> note = "fever, HR 120"
    >>> [
    ...     (number.name, number.value, note[number.start : number.end])
    ...     for number in located(note)
    ... ]
    [('heart_rate', 120.0, '120')]
    """

    name: str
    value: float | str
    start: int
    end: int


def measurements(notes: Iterable[object]) -> DataFrame:
    """note -> (age, sex, vital signs, pain, GCS, glucose, days since onset), each as the note states it, else missing.

    If a note states something twice, the first statement counts: "BP 80/40, now 120/80" gives 80 and 40. A value outside
    its plausible range is missing, and so is what was stated with it: the other pressure, or the sex beside an age. The
    guide "From notes to topics" lists the forms that are read. The function needs the extra ``text`` (pandas).

    Parameters
    ----------
    notes : iterable of str
        None or NaN for a missing note.

    Returns
    -------
    pandas.DataFrame
        One row for each note, in their order:

        ==================  ==============  ==========================================================================
        column              plausible       unit and meaning
        ==================  ==============  ==========================================================================
        age                 0 to 120        years; months, weeks and days are converted
        sex                                 "F" or "M", as written beside the age, else as a word, else as a pronoun
        saturation          30 to 100       % oxygen
        heart_rate          20 to 300       a minute
        respiratory_rate    1 to 90         a minute
        systolic            40 to 300       mmHg
        diastolic           15 to 200       mmHg, below the systolic pressure of the same reading
        temperature         20 to 45        °C; without a unit, a number above 60 is read as °F and converted
        pain                0 to 10         of 10
        gcs                 3 to 15         Glasgow coma scale
        glucose             0.5 to 80       mmol/L; without a unit, a number with a decimal point or up to 15 is read as
                                            mmol/L, a whole number from 36 as mg/dL, and one between, which could be
                                            either, is missing
        days                0 to 3653       days since onset; yesterday is 1, last night 0.5, today 0
        ==================  ==============  ==========================================================================

    Examples
    --------
    >>> from sonmf.text import measurements
    >>> frame = measurements(
    ...     ["81YOF fell 3 days ago, BP 80/40 sat 84% ra", "6 wk old boy, T 102.2", None]
    ... )
    >>> frame.loc[0].dropna().to_dict()
    {'age': 81.0, 'sex': 'F', 'saturation': 84.0, 'systolic': 80.0, 'diastolic': 40.0, 'days': 3.0}
    >>> frame[["age", "sex", "temperature"]].round(3).loc[1].to_dict()
    {'age': 0.115, 'sex': 'M', 'temperature': 39.0}
    """
    return pandas().DataFrame(read_measurements(one_column(notes)))


def read_measurements(notes: Iterable[object]) -> dict[str, Array]:
    """The columns of ``measurements`` as arrays: NaN for a missing number, None for a missing sex."""
    return measurement_columns([{name: value for name, (value, _, _) in _find(text).items()} for text in as_notes(notes)])


def measurement_columns(rows: Sequence[Mapping[str, float | str]]) -> dict[str, Array]:
    """The columns of ``measurements``, from the measurements of each note."""
    columns = {name: np.full(len(rows), np.nan) for name in COLUMNS}
    columns["sex"] = np.full(len(rows), None, object)
    for place, stated in enumerate(rows):
        for name, value in stated.items():
            columns[name][place] = value
    return columns


def located(note: str | None) -> list[Located]:
    """The measurements of one note with their places, in the order of the text.

    Parameters
    ----------
    note : str or None

    Returns
    -------
    list of Located
        Name, value, start and end. The names and values are those of ``measurements``, and no two places overlap.

    Examples
    --------
    >>> from sonmf.text import located
    >>> note = "44 y/o m, HR 120, T 37.5"
    >>> [(name, value, note[start:end]) for name, value, start, end in located(note)]
    [('age', 44.0, '44'), ('sex', 'M', 'm'), ('heart_rate', 120.0, '120'), ('temperature', 37.5, '37.5')]
    """
    places = _find(as_notes([note])[0])
    return sorted((Located(name, *place) for name, place in places.items()), key=lambda number: number.start)


Places = dict[str, tuple[float | str, int, int]]
"""Value, start and end of each measurement."""


def _find(note: str) -> Places:
    """The measurements of a note; a form counts if its first value is new: "10yom" after "2yof" is another person."""
    pattern, readings = scanner()
    places: Places = {}
    for match in sorted(pattern.finditer(fold(note)), key=lambda match: readings[match.lastindex or 0].doubt):
        stated = _stated(match, readings[match.lastindex or 0])
        if stated and next(iter(stated)) not in places:
            places = stated | places
    return places


def _stated(match: re.Match[str], groups: Groups) -> Places:
    """The measurements that a form states; none if one of its values is not plausible."""
    unit = (match[groups.unit] or "") if groups.unit else ""
    stated: Places = {}
    for name, group in groups.values:
        start, end = match.span(group)
        if start == end:  # an empty group: the label is the value
            start = match.start()
        value = _value(name, match.string[start:end], unit)
        if value is None:
            return {}
        stated[name] = value, start, end
    return {} if "diastolic" in stated and stated["diastolic"] >= stated["systolic"] else stated


def _value(name: str, text: str, unit: str) -> float | str | None:
    """The value of a measurement, None if it is not plausible."""
    if name == "sex":
        return sex(text)
    value = CONVERSIONS[name](text, unit) if name in CONVERSIONS else float(text)
    low, high, _ = RANGES[name]
    return value if low <= value <= high else None
