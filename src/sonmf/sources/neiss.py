"""Narratives of the National Electronic Injury Surveillance System, as the CPSC publishes them, with codes or with words."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cached_property
from pathlib import Path

from sonmf.errors import InputError
from sonmf.frames import DataFrame, Series, pandas
from sonmf.sources.errors import require
from sonmf.sources.file_kinds import open_table
from sonmf.sources.source import Columns, KnownSource, Source

# what a column is called in one year or another, in lower case with _ between words
PUBLISHED = {
    "id": ("cpsc_case_number", "cpsc_case", "case_number", "case_num", "case"),
    "narrative": ("narrative", "narrative_1", "narr1"),
    "narrative_2": ("narrative_2", "narr2"),
    "disposition": ("disposition",),
    "age": ("age",),
    "sex": ("sex", "gender"),
    "date": ("treatment_date", "trmt_date", "date"),
    "race": ("race",),
    "body_part": ("body_part",),
    "diagnosis": ("diagnosis", "diag"),
    "location": ("location",),
    "product": ("product_1", "prod1"),
}
OURS = ("id", "note", "disposition", "age", "sex", "date", "race", "body_part", "diagnosis", "location", "product")
NEEDED = ("id", "narrative", "disposition", "age", "sex")
"""Columns without which ``read_neiss`` refuses a file."""
CODES = {
    "1": "discharged",
    "2": "transferred",
    "4": "admitted",
    "5": "observation",
    "6": "left",
    "8": "died",
    "9": "unknown",
}
# the same in words, which differ from export to export; the first that is found counts: "held for observation
# (includes admitted for observation)" is not an admission, and "left without being seen" is not a release
WORDS = {
    "died": re.compile(r"FATAL|\bDOA\b|\bDIED|BROUGHT IN DEAD"),
    "left": re.compile(r"\bLEFT\b|\bAMA\b|NOT SEEN"),
    "observation": re.compile(r"OBSERV"),
    "transferred": re.compile(r"TRANSFER"),
    "admitted": re.compile(r"ADMIT|HOSPITALI"),
    "discharged": re.compile(r"RELEASE|DISCHARGE"),
    "unknown": re.compile(r"UNKNOWN|NOT RECORDED|NOT STATED"),
}
SEXES = {"1": "M", "2": "F", "MALE": "M", "FEMALE": "F", "M": "M", "F": "F"}
RACES = {
    "1": "white",
    "2": "black",
    "3": "other",
    "4": "asian",
    "5": "american indian",
    "6": "pacific islander",
}
RACE_WORDS = {
    "black": "black",
    "african": "black",
    "pacific": "pacific islander",
    "hawaiian": "pacific islander",
    "american indian": "american indian",
    "alaska": "american indian",
    "asian": "asian",
    "white": "white",
    "other": "other",
}
MONTHS = 200  # an age above this is 200 + months
AGE = re.compile(r"([0-9]+(?:\.[0-9]+)?) *(?:(YEARS?|YRS?|Y)|(MONTHS?|MOS?|M))?", re.IGNORECASE)
DIAGNOSIS = re.compile(r"\W*(\bDX|DX\b|\bD/X\b|DIAGNOS[EI]S).*", re.IGNORECASE | re.DOTALL)  # often glued: "NECK PAINDX: C2 FX"


def read_neiss(*paths: str | Path) -> DataFrame:
    """NEISS files of one or several years as one table of notes, each note cut where the diagnosis begins ("DX").

    The narratives are written after the visit; what follows "DX" would tell the outcome.

    Parameters
    ----------
    *paths : str or Path
        Files as the CPSC publishes them, with codes or with words, in any form that ``open_table`` reads.

    Returns
    -------
    pandas.DataFrame
        id, note, disposition (admitted, discharged, transferred, observation, left, died or unknown), age in years, sex
        ("F" or "M"), and of date, race, body_part, diagnosis, location and product those that all files have, as coded there.
        None or NaN where a value is missing.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from sonmf.datasets import read_neiss
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "neiss2020.tsv")
    ...     header = "CPSC_Case_Number\\tAge\\tSex\\tDisposition\\tNarrative_1"
    ...     rows = [
    ...         "7\\t218\\t2\\t4\\t18MOF FELL. DX: FX",
    ...         "8\\t30\\tMALE\\tFATALITY INCL. DOA\\tFALL",
    ...     ]
    ...     _ = path.write_text("\\n".join([header, *rows]))
    ...     read_neiss(path)[["note", "disposition", "age", "sex"]].to_numpy().tolist()
    [['18MOF FELL', 'admitted', 1.5, 'F'], ['FALL', 'died', 30.0, 'M']]
    """
    if not paths:
        raise InputError("read_neiss needs at least one file")
    return pandas().concat([_year(path) for path in paths], join="inner", ignore_index=True)


def _year(path: str | Path) -> DataFrame:
    year = Neiss(open_table(path))
    for name in NEEDED:
        year.require_published(name)
    return year.read()


class Neiss(KnownSource):
    """The rows of ``read_neiss``; a file of patients whose outcome is not known yet need not have a disposition."""

    @classmethod
    def recognises(cls, raw: Source) -> bool:
        """Whether a source has narratives."""
        return any(_plain_name(name) in PUBLISHED["narrative"] for name in raw.columns)

    @cached_property
    def name_here(self) -> dict[str, str]:
        """The names in this file of those columns of ``PUBLISHED`` that it has."""
        there = {_plain_name(name): name for name in self.raw.columns}
        names_here = {ours: next((there[name] for name in names if name in there), None) for ours, names in PUBLISHED.items()}
        return {ours: name for ours, name in names_here.items() if name is not None}

    def require_published(self, name: str) -> None:
        """Refuse a file without this column, whatever it may be called."""
        if name not in self.name_here:
            require([_plain_name(column) for column in self.raw.columns], PUBLISHED[name][0], self)

    def names(self) -> list[str]:
        self.require_published("narrative")
        return [name for name in OURS if name == "note" or name in self.name_here]

    def published(self, rows: int, columns: list[str]) -> Iterator[DataFrame]:
        made = {"note": ("narrative", "narrative_2")}
        needed = (published for name in columns for published in made.get(name, (name,)))
        return self.raw.chunks(rows, [self.name_here[published] for published in needed if published in self.name_here])

    def decode(self, frame: DataFrame, first: int) -> Columns:
        columns = {ours: frame[name] for ours, name in self.name_here.items() if name in frame}
        if "narrative" in columns:
            more = columns.pop("narrative_2", pandas().Series("", frame.index))
            narrative = columns.pop("narrative").fillna("") + more.fillna("")
            columns["note"] = narrative.map(_before_diagnosis)
        if "disposition" in columns:
            columns["disposition"] = self._translate(columns["disposition"], _disposition, "disposition", DISPOSITIONS, first)
        if "age" in columns:
            years = self._translate(columns["age"], _years, "age", "write it in years, or leave it empty", first)
            columns["age"] = years.astype(float)
        for name, known in (("sex", _sex), ("race", _race)):
            if name in columns:
                columns[name] = columns[name].map(known)
        return columns

    def _translate(
        self, column: Series, translate: Callable[[object], float | str], name: str, remedy: str, first: int
    ) -> Series:
        """Each cell in our values; an unknown value is refused."""
        translated = column.map(translate)
        self.refuse_cells(column, translated == "", f"not in NEISS as {name}: {remedy}", first)
        return translated


DISPOSITIONS = f"it has the codes {', '.join(CODES)}, or their words, such as TREATED AND RELEASED"


def _plain_name(name: str) -> str:
    return "_".join(re.findall("[a-z0-9]+", name.lower()))


def _before_diagnosis(narrative: str) -> str | None:
    return DIAGNOSIS.sub("", narrative).strip() or None


def _is_missing(cell: object) -> bool:
    return cell is None or cell != cell


def _code(cell: object) -> str:
    """ "4" of 4, "4.0" or "4 - TREATED AND ADMITTED"."""
    return str(cell).split(" - ")[0].strip().removesuffix(".0").upper()


def _disposition(cell: object) -> str:
    """The disposition in our words: "unknown" for a missing cell, and empty for one that means none of them."""
    if _is_missing(cell):
        return "unknown"
    text = str(cell).upper()
    return CODES.get(_code(cell)) or next((ours for ours, words in WORDS.items() if words.search(text)), "")


def _years(cell: object) -> float | str:
    """The age in years: NaN for a missing cell, and an empty text for one that is not an age."""
    if _is_missing(cell):
        return float("nan")
    match = AGE.fullmatch(str(cell).strip())
    if not match:
        return ""
    age = float(match[1])
    if match[3]:
        return age / 12
    return float("nan") if age == 0 else (age - MONTHS) / 12 if age > MONTHS else age


def _sex(cell: object) -> str | None:
    return None if _is_missing(cell) else SEXES.get(_code(cell))


def _race(cell: object) -> str | None:
    if _is_missing(cell):
        return None
    text = str(cell).lower()
    return RACES.get(_code(cell)) or next((ours for word, ours in RACE_WORDS.items() if word in text), None)
