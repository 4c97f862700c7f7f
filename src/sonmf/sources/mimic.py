"""Emergency department stays of MIMIC-IV-ED: who came, what the triage nurse recorded, and how the stay ended."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from pathlib import Path

from sonmf.frames import DataFrame, pandas
from sonmf.sources.errors import TableError
from sonmf.sources.file_kinds import Folder, open_table
from sonmf.sources.source import Columns, FileSource, KnownSource, Source

STAYS = {"id": "stay_id", "subject_id": "subject_id", "disposition": "disposition", "sex": "gender", "race": "race"}
TRIAGE = {"note": "chiefcomplaint"}
NUMBERS = ("acuity", "temperature", "heartrate", "resprate", "o2sat", "sbp", "dbp", "pain")
OURS = ("id", "note", "disposition", "sex", "race", "subject_id", *NUMBERS)
ARRIVAL = "intime"
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


def read_mimic_iv_ed(folder_or_edstays: str | Path, triage: str | Path | None = None) -> DataFrame:
    """``edstays`` and ``triage`` joined on stay_id: one row per stay, with the chief complaint as its note.

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
        acuity, temperature, heartrate, resprate, o2sat, sbp, dbp and pain, NaN where there is none; intime, the arrival, where
        the file has it. Ages are not part of the ED module.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from sonmf.datasets import read_mimic_iv_ed
    >>> with TemporaryDirectory() as folder:
    ...     _ = Path(folder, "edstays.csv").write_text(
    ...         "subject_id,stay_id,gender,race,disposition\\n1,30,F,WHITE,HOME\\n"
    ...     )
    ...     header = "stay_id,temperature,heartrate,resprate,o2sat,sbp,dbp,pain,acuity,chiefcomplaint"
    ...     _ = Path(folder, "triage.csv").write_text(
    ...         header + "\\n30,98.1,80,16,99,120,70,4,3,Cough\\n"
    ...     )
    ...     read_mimic_iv_ed(folder)[["id", "note", "disposition", "acuity"]].iloc[
    ...         0
    ...     ].to_dict()
    {'id': '30', 'note': 'Cough', 'disposition': 'discharged', 'acuity': 3.0}
    """
    return MimicIvEd(open_table(folder_or_edstays), None if triage is None else open_table(triage)).read()


class MimicIvEd(KnownSource):
    """The rows of ``read_mimic_iv_ed`` as a source. The columns that are needed are in memory, because they are joined.

    ``raw`` is the folder, or the file edstays.
    """

    def __init__(self, raw: Source, triage: Source | None = None) -> None:
        super().__init__(raw)
        self._triage = triage

    @classmethod
    def recognises(cls, raw: Source) -> bool:
        """A folder with the file edstays, or that file."""
        if isinstance(raw, FileSource):
            return isinstance(raw.file, Path) and raw.file.name.startswith("edstays.")
        return isinstance(raw, Folder) and any(_files_named(_ed_folder(raw.path), "edstays"))

    @cached_property
    def stays(self) -> Source:
        """The table of stays."""
        return open_table(_file_named(_ed_folder(self.raw.path), "edstays")) if isinstance(self.raw, Folder) else self.raw

    @cached_property
    def triage(self) -> Source:
        """The table of what the nurse recorded."""
        if self._triage is not None:
            return self._triage
        if not isinstance(self.stays, FileSource) or not isinstance(self.stays.file, Path):
            raise TableError(f"{self} has no triage beside it: give the folder 'ed' of MIMIC-IV-ED")
        return open_table(_file_named(self.stays.file.parent, "triage"))

    def names(self) -> list[str]:
        for name in STAYS.values():
            self.stays.require(name)
        for name in ("stay_id", *TRIAGE.values(), *NUMBERS):
            self.triage.require(name)
        return [*OURS, ARRIVAL] if ARRIVAL in self.stays.columns else list(OURS)

    def published(self, rows: int, columns: list[str]) -> Iterator[DataFrame]:
        """Stays with what was recorded at triage, under our names."""
        recorded = {name: TRIAGE.get(name, name) for name in columns if name in TRIAGE or name in NUMBERS}
        stays = _by_stay(self.stays, {name: STAYS.get(name, name) for name in columns if name not in recorded})
        joined = stays.join(_by_stay(self.triage, recorded), validate="1:1")
        return (joined[first : first + rows] for first in range(0, len(joined), rows))

    def decode(self, frame: DataFrame, first: int) -> Columns:
        columns: Columns = {str(name): column for name, column in frame.items()}
        if "disposition" in frame:
            columns["disposition"] = frame["disposition"].map(DISPOSITIONS).fillna("unknown")
        for name in frame.columns.intersection(NUMBERS):
            columns[name] = pandas().to_numeric(frame[name], errors="coerce").astype(float)  # pain is partly free text
        return columns


def _by_stay(source: Source, published: dict[str, str]) -> DataFrame:
    """Columns by our names, with the stay as index; a row with the stay_id of an earlier one is refused."""
    table = source.read(dict.fromkeys(["stay_id", *published.values()]))
    stays = table["stay_id"].map(str, na_action="ignore").rename("stay")
    if (again := stays.duplicated()).any():
        row = int(again.to_numpy().argmax()) + 1
        raise TableError(f"{source} row {row} has the stay_id of an earlier row: give the file as MIMIC-IV-ED publishes it")
    return pandas().DataFrame({name: table[theirs] for name, theirs in published.items()}, dtype=object).set_index(stays)


def _ed_folder(folder: Path) -> Path:
    return folder / "ed" if (folder / "ed").is_dir() else folder


def _files_named(folder: Path, name: str) -> list[Path]:
    return [file for file in (folder / f"{name}.csv.gz", folder / f"{name}.csv") if file.exists()]


def _file_named(folder: Path, name: str) -> Path:
    """The file of that name in a folder."""
    files = _files_named(folder, name)
    if not files:
        raise TableError(f"{folder} has no {name}.csv.gz or {name}.csv: give the folder 'ed' of MIMIC-IV-ED")
    return files[0]
