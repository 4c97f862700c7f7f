"""Narratives of the National Electronic Injury Surveillance System, as the CPSC publishes them year by year."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from sonmf.frames import pandas
from sonmf.sources.errors import TableError
from sonmf.sources.names import require
from sonmf.sources.opening import open_table

# what a column is called in one year or another, in lower case with _ between words
NAMES = {
    "id": ("cpsc_case_number", "cpsc_case", "case_number", "case_num", "case"),
    "narrative": ("narrative", "narrative_1", "narr1"),
    "disposition": ("disposition",),
    "age": ("age",),
    "sex": ("sex", "gender"),
}
MORE_NAMES = {
    "narrative_2": ("narrative_2", "narr2"),
    "date": ("treatment_date", "trmt_date", "date"),
    "race": ("race",),
    "body_part": ("body_part",),
    "diagnosis": ("diagnosis", "diag"),
    "location": ("location",),
    "product": ("product_1", "prod1"),
}
DISPOSITIONS = {
    "1": "discharged",
    "2": "transferred",
    "4": "admitted",
    "5": "observation",
    "6": "left",
    "8": "died",
    "9": "unknown",
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
MONTHS = 200  # an age above this is 200 + months
DIAGNOSIS = re.compile(r"\W*(\bDX|DX\b|\bD/X\b|DIAGNOS[EI]S).*", re.IGNORECASE | re.DOTALL)  # often glued: "NECK PAINDX: C2 FX"


def read_neiss(*paths: str | Path) -> Any:
    """NEISS files of one or several years as one table of notes, each note cut where the diagnosis begins ("DX").

    The narratives are written after the visit; what follows "DX" would tell the outcome.

    Parameters
    ----------
    *paths : str or Path
        Raw files as the CPSC publishes them, saved as TSV or CSV, with or without .gz.

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
    ...     _ = path.write_text(header + "\\n7\\t218\\t2\\t4\\t18MOF FELL. DX: FX\\n")
    ...     read_neiss(path).iloc[0].to_dict()
    {'id': '7', 'note': '18MOF FELL', 'disposition': 'admitted', 'age': 1.5, 'sex': 'F'}
    """
    if not paths:
        raise ValueError("read_neiss needs at least one file")
    return pandas().concat([_year(Path(path)) for path in paths], join="inner", ignore_index=True)


def _year(path: Path) -> Any:
    raw = open_table(path).read()
    raw.columns = ["_".join(re.findall("[a-z0-9]+", name.lower())) for name in raw.columns]
    columns = {name: _column(raw, names, path) for name, names in NAMES.items()}
    columns |= {name: raw[known] for name, names in MORE_NAMES.items() if (known := _known(raw, names))}
    narrative = columns.pop("narrative").fillna("") + columns.pop("narrative_2", pandas().Series("", raw.index)).fillna("")
    decoded = {
        "id": columns.pop("id"),
        "note": narrative.map(_before_diagnosis),
        "disposition": _dispositions(columns.pop("disposition"), path),
        "age": _years(columns.pop("age"), path),
        "sex": columns.pop("sex").map(_code).map(SEXES),
    }
    if "race" in columns:
        columns["race"] = columns["race"].map(_code).map(RACES)
    return pandas().DataFrame(decoded | columns)


def _known(raw: Any, names: tuple[str, ...]) -> str | None:
    return next((name for name in names if name in raw), None)


def _column(raw: Any, names: tuple[str, ...], path: Path) -> Any:
    known = _known(raw, names)
    if known is None:
        require(raw, names[0], path)
    return raw[known]


def _before_diagnosis(narrative: str) -> str | None:
    return DIAGNOSIS.sub("", narrative).strip() or None


def _code(cell: Any) -> Any:
    """ "4" of "4", "4.0" or "4 - TREATED AND ADMITTED"."""
    return cell.split(" - ")[0].removesuffix(".0").upper() if isinstance(cell, str) else cell


def _dispositions(column: Any, path: Path) -> Any:
    known = DISPOSITIONS | {word.upper(): word for word in DISPOSITIONS.values()}
    codes = column.map(_code).fillna("9")
    strange = (~codes.isin(list(known))).to_numpy()
    if strange.any():
        codes = ", ".join(DISPOSITIONS)
        raise TableError(
            f"{path} row {strange.argmax() + 1} has a disposition that is no code of NEISS: it has the codes {codes}"
        )
    return codes.map(known)


def _years(column: Any, path: Path) -> Any:
    age = pandas().to_numeric(column, errors="coerce").astype(float)
    strange = (age.isna() & column.notna()).to_numpy()
    if strange.any():
        raise TableError(f"{path} row {strange.argmax() + 1} has an age that is not a number: correct it, or leave it empty")
    return age.mask(age > MONTHS, (age - MONTHS) / 12).mask(age == 0)
