"""Emergency department stays of MIMIC-IV-ED: who came, what the triage nurse recorded, and how the stay ended."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sonmf.frames import pandas
from sonmf.sources.errors import TableError
from sonmf.sources.opening import open_table

STAYS = {"stay_id": "id", "subject_id": "subject_id", "disposition": "disposition", "gender": "sex", "race": "race"}
TRIAGE = ["stay_id", "chiefcomplaint", "acuity", "temperature", "heartrate", "resprate", "o2sat", "sbp", "dbp", "pain"]
NUMBERS = TRIAGE[2:]
DISPOSITIONS = {
    "HOME": "discharged",
    "ADMITTED": "admitted",
    "TRANSFER": "transferred",
    "LEFT WITHOUT BEING SEEN": "left",
    "LEFT AGAINST MEDICAL ADVICE": "left",
    "ELOPED": "left",
    "EXPIRED": "died",
    "OTHER": "unknown",
}


def read_mimic_iv_ed(folder_or_edstays: str | Path, triage: str | Path | None = None) -> Any:
    """``edstays`` and ``triage`` joined on stay_id: one row a stay, with the chief complaint as its note.

    Parameters
    ----------
    folder_or_edstays : str or Path
        The folder of MIMIC-IV-ED (or its folder ``ed``), or the file edstays.csv or edstays.csv.gz.
    triage : str or Path, optional
        The file triage.csv or triage.csv.gz; by default the one beside edstays.

    Returns
    -------
    pandas.DataFrame
        id, note, disposition (admitted, discharged, transferred, left, died or unknown), sex, race, subject_id, and as numbers
        acuity, temperature, heartrate, resprate, o2sat, sbp, dbp and pain, NaN where there is none. Ages are not part of the
        ED module.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from sonmf.datasets import read_mimic_iv_ed
    >>> with TemporaryDirectory() as folder:
    ...     _ = Path(folder, "edstays.csv").write_text("subject_id,stay_id,gender,race,disposition\\n1,30,F,WHITE,HOME\\n")
    ...     header = "stay_id,temperature,heartrate,resprate,o2sat,sbp,dbp,pain,acuity,chiefcomplaint"
    ...     _ = Path(folder, "triage.csv").write_text(header + "\\n30,98.1,80,16,99,120,70,4,3,Cough\\n")
    ...     read_mimic_iv_ed(folder)[["id", "note", "disposition", "acuity"]].iloc[0].to_dict()
    {'id': '30', 'note': 'Cough', 'disposition': 'discharged', 'acuity': 3.0}
    """
    stays_path = _edstays(Path(folder_or_edstays))
    triage_path = _beside(stays_path, "triage") if triage is None else Path(triage)
    stays, seen = open_table(stays_path).read(STAYS), open_table(triage_path).read(TRIAGE)
    for frame, path in ((stays, stays_path), (seen, triage_path)):
        _refuse_repeated(frame["stay_id"], path)
    joined = stays.merge(seen, on="stay_id", how="left").rename(columns=STAYS | {"chiefcomplaint": "note"})
    joined["disposition"] = joined["disposition"].map(DISPOSITIONS).fillna("unknown")
    joined[NUMBERS] = joined[NUMBERS].apply(pandas().to_numeric, errors="coerce").astype(float)  # pain is partly free text
    return joined[["id", "note", "disposition", "sex", "race", "subject_id", *NUMBERS]]


def _edstays(path: Path) -> Path:
    if not path.is_dir():
        return path
    return _beside(path / "ed" / "edstays" if (path / "ed").is_dir() else path / "edstays", "edstays")


def _beside(path: Path, name: str) -> Path:
    """The file of that name in the folder of a path."""
    files = [path.with_name(name + ending) for ending in (".csv.gz", ".csv")]
    found = [file for file in files if file.exists()]
    if not found:
        raise TableError(f"{path.parent} has no {files[0].name} or {files[1].name}: give the folder 'ed' of MIMIC-IV-ED")
    return found[0]


def _refuse_repeated(stays: Any, path: Path) -> None:
    repeated = stays.duplicated().to_numpy()
    if repeated.any():
        row = repeated.argmax() + 1
        raise TableError(f"{path} row {row} has the stay_id of an earlier row: give the file as MIMIC-IV-ED publishes it")
