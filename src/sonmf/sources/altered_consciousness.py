"""The paper's own notes of one complaint, "Altered Level of Consciousness", as its authors publish them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sonmf.frames import pandas
from sonmf.sources.errors import TableError
from sonmf.sources.opening import open_table
from sonmf.text.note_numbers import RANGES

COLUMNS = {
    "TriageNote": "note",
    "DISPOSITION": "disposition",
    "CTAS": "triage_level",
    "EMS": "ambulance",
    "PainScale": "pain",
    "Temp": "temperature",
    "Heart.Rate": "heart_rate",
    "Resp.Rate": "respiratory_rate",
    "SystolicBP": "systolic",
    "DistolicBP": "diastolic",
    "SAT.O2": "saturation",
    "MedicalHistory": "history",
}
DISPOSITIONS = {"A": "admitted", "D": "discharged"}
VITALS = ("pain", "temperature", "heart_rate", "respiratory_rate", "systolic", "diastolic", "saturation")


def read_altered_consciousness(path: str | Path) -> Any:
    """The 5,220 triage notes that the paper's authors published, with vital signs, triage level, history and outcome.

    A vital sign that no living patient has (a saturation of 990%) becomes missing. How many did is kept in the table's
    ``attrs["remarks"]``, a sentence each.

    Parameters
    ----------
    path : str or Path
        The file as published, as CSV or TSV, with or without .gz.

    Returns
    -------
    pandas.DataFrame
        id (the number of the row), note, disposition ("admitted" or "discharged"), triage_level ("1" to "5", 1 is the most
        urgent), ambulance ("Y" or "N"), history (text), and as numbers pain, temperature, heart_rate, respiratory_rate,
        systolic, diastolic and saturation. None or NaN where a value is missing.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from sonmf.datasets import read_altered_consciousness
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "triage.csv")
    ...     header = "DISPOSITION,CTAS,EMS,PainScale,Temp,Heart.Rate,Resp.Rate,SystolicBP,DistolicBP,SAT.O2"
    ...     rows = "A,2,Y,5/10,36.6,88,18,128,76,990,CHF,GCS 12 NOW\\nD,3,N,,,,,,,,,ETOH"
    ...     _ = path.write_text(header + ",MedicalHistory,TriageNote\\n" + rows + "\\n")
    ...     patients = read_altered_consciousness(path)
    >>> patients[["note", "disposition", "pain", "heart_rate"]].iloc[0].to_dict()
    {'note': 'GCS 12 NOW', 'disposition': 'admitted', 'pain': 5.0, 'heart_rate': 88.0}
    >>> patients.attrs["remarks"]
    ['1 impossible value counts as missing: 1 saturation']
    """
    frame = open_table(path).read(COLUMNS).rename(columns=COLUMNS)[list(COLUMNS.values())]
    frame.insert(0, "id", [str(number) for number in range(1, len(frame) + 1)])
    frame["disposition"] = _dispositions(frame["disposition"], path)
    impossible = {}
    for name in VITALS:
        low, high = RANGES[name][:2]
        values = _numbers(frame[name].str.removesuffix("/10"), name, path)
        frame[name] = values.where(values.between(low, high))
        impossible[name] = int(values.notna().sum() - frame[name].notna().sum())
    frame.attrs["remarks"] = _remarks(impossible)
    return frame


def _dispositions(column: Any, path: str | Path) -> Any:
    strange = sorted(set(column.fillna("")) - set(DISPOSITIONS))
    if strange:
        raise TableError(f"{path} has the DISPOSITION {strange[0]!r}: the published file has A (admitted) and D (discharged)")
    return column.map(DISPOSITIONS)


def _numbers(column: Any, name: str, path: str | Path) -> Any:
    try:
        return pandas().to_numeric(column).astype(float)
    except ValueError:
        spelled = next(theirs for theirs, ours in COLUMNS.items() if ours == name)
        raise TableError(f"{path} has something other than a number in column {spelled!r}: correct it, or empty it") from None


def _remarks(impossible: dict[str, int]) -> list[str]:
    total = sum(impossible.values())
    if not total:
        return []
    parts = ", ".join(f"{count} {name.replace('_', ' ')}" for name, count in impossible.items() if count)
    return [f"{total} impossible value{'s count' if total > 1 else ' counts'} as missing: {parts}"]
