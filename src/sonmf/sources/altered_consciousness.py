"""The paper's own notes of one complaint, "Altered Level of Consciousness", as its authors publish them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from sonmf.frames import DataFrame, Series, pandas
from sonmf.sources.file_kinds import open_table
from sonmf.sources.source import Columns, KnownSource, Source
from sonmf.text.note_numbers import RANGES

COLUMNS = {
    "note": "TriageNote",
    "disposition": "DISPOSITION",
    "triage_level": "CTAS",
    "ambulance": "EMS",
    "pain": "PainScale",
    "temperature": "Temp",
    "heart_rate": "Heart.Rate",
    "respiratory_rate": "Resp.Rate",
    "systolic": "SystolicBP",
    "diastolic": "DistolicBP",
    "saturation": "SAT.O2",
    "history": "MedicalHistory",
}
"""Our names of columns, and those of the published file."""
DISPOSITIONS = {"A": "admitted", "D": "discharged"}
STRANGE = "not a value of the published file, which has"
VITALS = ("pain", "temperature", "heart_rate", "respiratory_rate", "systolic", "diastolic", "saturation")


def read_altered_consciousness(path: str | Path) -> DataFrame:
    """The 5,220 triage notes that the paper's authors published, with vital signs, triage level, history and outcome.

    An impossible vital sign (a saturation of 990%) becomes missing. How many there were is kept in the table's
    ``attrs["remarks"]``, one sentence each.

    Parameters
    ----------
    path : str or Path
        The file as published, in any form that ``open_table`` reads.

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
    source = AlteredConsciousness(open_table(path))
    for theirs in COLUMNS.values():
        source.raw.require(theirs)
    frame = source.read()
    frame.attrs["remarks"] = list(source.remarks)
    return frame


class AlteredConsciousness(KnownSource):
    """The rows of ``read_altered_consciousness`` as a source; a list of patients needs only the note."""

    def __init__(self, raw: Source) -> None:
        super().__init__(raw)
        self.impossible: Counter[str] = Counter()
        """Impossible values of each vital sign in the last pass."""

    @classmethod
    def recognises(cls, raw: Source) -> bool:
        """Whether a source has a column of notes under the published name."""
        return COLUMNS["note"] in raw.columns

    def names(self) -> list[str]:
        self.raw.require(COLUMNS["note"])
        return ["id", *(name for name, theirs in COLUMNS.items() if theirs in self.raw.columns)]

    @property
    def remarks(self) -> tuple[str, ...]:
        """Remarks on how the file was read; impossible values are counted once all have been read."""
        if not (total := self.impossible.total()):
            return self.raw.remarks
        parts = ", ".join(f"{count} {name.replace('_', ' ')}" for name, count in self.impossible.items() if count)
        counted = f"{total} impossible value{'s count' if total > 1 else ' counts'} as missing: {parts}"
        return (*self.raw.remarks, counted)

    def published(self, rows: int, columns: list[str]) -> Iterator[DataFrame]:
        return self.raw.chunks(rows, [COLUMNS[name] for name in columns if name in COLUMNS] or [COLUMNS["note"]])

    def decode(self, frame: DataFrame, first: int) -> Columns:
        if not first:
            self.impossible.clear()
        columns = {name: frame[theirs] for name, theirs in COLUMNS.items() if theirs in frame}
        columns["id"] = [str(number) for number in range(first + 1, first + len(frame) + 1)]
        if "disposition" in columns:
            published = columns["disposition"]
            columns["disposition"] = published.map(DISPOSITIONS)
            expected = "A (admitted) or D (discharged)"
            self.refuse_cells(published, columns["disposition"].isna(), f"{STRANGE} {expected}", first)
        for name in (name for name in VITALS if name in columns):
            low, high = RANGES[name][:2]
            values = self._numbers(columns[name], first)
            columns[name] = values.where(values.between(low, high))
            self.impossible[name] += int(values.notna().sum() - columns[name].notna().sum())
        return columns

    def _numbers(self, column: Series, first: int) -> Series:
        texts = column.map(lambda cell: cell.removesuffix("/10") if isinstance(cell, str) else cell)
        numbers = pandas().to_numeric(texts, errors="coerce").astype(float)
        self.refuse_cells(column, numbers.isna() & column.notna(), f"{STRANGE} a number, or nothing", first)
        return numbers
