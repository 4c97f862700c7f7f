"""Columns and figures as people read them: "heart rate", "39.2", never ``heart_rate``, "121.75" or "-0.00"."""

from __future__ import annotations

from sonmf.text.note_numbers import RANGES

LABELS = {
    "systolic": "systolic pressure",
    "diastolic": "diastolic pressure",
    "saturation": "oxygen saturation",
    "gcs": "Glasgow coma scale",
    "days": "days since onset",
    "esi": "triage level (ESI)",
}
UNITS = {name: plausible.unit.replace("a minute", "per minute") for name, plausible in RANGES.items() if name != "days"}
TENTHS = ("temperature", "glucose", "days")
"""Measurements that people read to a tenth; the others are whole numbers."""
WHOLE_DAYS = 10
"""Days since onset from which on tenths do not matter."""
TRUTH = {"True": "yes", "False": "no", "true": "yes", "false": "no"}
LARGE = 1e5
"""A number from which on decimals do not matter; without this it would be written with an exponent."""
DIGITS = 3
"""Significant digits of a mean or a limit of any other column."""


def label_of(name: str) -> str:
    """The name of a column as people read it; the name that a table gives it is the one that commands take."""
    return LABELS.get(name.lower()) or name.replace("_", " ")


def unit_of(name: str, low: float | None, high: float | None) -> str:
    """The unit of a known measurement, if its usual values can be in it: a temperature from 97 to 102 is not in °C."""
    known = RANGES.get(name.lower())
    if known is None or low is None or high is None or low < known.low or high > known.high:
        return ""
    return UNITS.get(name.lower(), "")


def rounded(value: float, name: str) -> float:
    """A mean or a limit of the values of a column: whole for a heart rate, to a tenth for a temperature."""
    if name.lower() in RANGES:
        whole = name.lower() not in TENTHS or (name.lower() == "days" and value >= WHOLE_DAYS)
        return round(value, int(not whole))
    return float(f"{value:.{DIGITS}g}") if abs(value) < 10**DIGITS else float(round(value))


def in_short(value: float | str | None) -> str:
    """A value of a column; a number keeps its digits, up to six, and all of those before the point."""
    if value is None:
        return "missing"
    if isinstance(value, str):
        return TRUTH.get(value, value)
    return f"{value:.0f}" if abs(value) >= LARGE else f"{value:z.6g}"


def range_of(low: float | None, high: float | None) -> str:
    """The usual values of a number, such as "36.1 to 39.2"."""
    return f"{in_short(low)} to {in_short(high)}"


def shown_value(name: str, value: float | str | None) -> str:
    """The value of a column of a patient. Days since onset are rounded: "4 months" was read as 121.75 of them."""
    return in_short(rounded(value, name) if name.lower() == "days" and isinstance(value, float) else value)


def stated(name: str, value: float | str | None) -> str:
    """A column with its value, such as "age 81"."""
    return f"{label_of(name)} {shown_value(name, value)}"


def signed(value: float, digits: int = 3) -> str:
    """A contribution as text, with its sign unless it is rounded to zero."""
    text = f"{value:+z.{digits}f}"
    return text if float(text) else text[1:]
