"""Emergency department stays of MIMIC-IV-ED: who came, what the triage nurse recorded, and how the stay ended."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from functools import cached_property
from pathlib import Path

from sonmf.frames import DataFrame, pandas
from sonmf.sources.errors import TableError
from sonmf.sources.file_kinds import open_table
from sonmf.sources.folder import Folder
from sonmf.sources.known_data_set import KnownSource
from sonmf.sources.source import FileSource, Source

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
        acuity, temperature, heartrate, resprate, o2sat, sbp, dbp and pain, NaN where there is none; intime, the arrival, where
        the file has it. Ages are not part of the ED module.

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
    return MimicIvEd(open_table(folder_or_edstays), None if triage is None else open_table(triage)).read()


class MimicIvEd(KnownSource):
    """The rows of ``read_mimic_iv_ed``. What triage recorded is kept in a temporary file, not in memory.

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

    def parts(self, rows: int, columns: list[str]) -> Iterator[DataFrame]:
        seen = [name for name in columns if name in TRIAGE or name in NUMBERS]
        came = [name for name in columns if name not in seen]
        with closing(sqlite3.connect("")) as store:  # a temporary database without a name
            look_up = self._store_triage(store, [TRIAGE.get(name, name) for name in seen])
            store.execute("CREATE TABLE came (stay_id TEXT PRIMARY KEY)")
            first = 0
            for frame in self.stays.chunks(rows, dict.fromkeys(["stay_id", *(STAYS.get(name, name) for name in came)])):
                _add(store, "came", frame[["stay_id"]], self.stays, first)
                first += len(frame)
                recorded = [look_up(stay) for stay in frame["stay_id"]]
                found = {name: list(frame[STAYS.get(name, name)]) for name in came}
                found |= {name: [row[k] for row in recorded] for k, name in enumerate(seen)}
                yield _decode(pandas().DataFrame(found, dtype=object)[columns])

    def _store_triage(self, store: sqlite3.Connection, columns: list[str]) -> Callable[[str], Sequence[object]]:
        """A function from a stay to what was recorded of it, in the order of the columns."""
        there = [f"c{k}" for k in range(len(columns))]
        store.execute(f"CREATE TABLE triage ({', '.join(['stay_id TEXT PRIMARY KEY', *there])})")
        first = 0
        for frame in self.triage.chunks(columns=["stay_id", *columns]):
            _add(store, "triage", frame, self.triage, first)
            first += len(frame)
        query = f"SELECT {', '.join(there) or 'stay_id'} FROM triage WHERE stay_id = ?"
        nothing = (None,) * max(len(there), 1)
        return lambda stay: store.execute(query, (stay,)).fetchone() or nothing


def _decode(frame: DataFrame) -> DataFrame:
    if "disposition" in frame:
        frame["disposition"] = frame["disposition"].map(DISPOSITIONS).fillna("unknown")
    numbers = [name for name in frame if name in NUMBERS]
    frame[numbers] = frame[numbers].apply(pandas().to_numeric, errors="coerce").astype(float)  # pain is partly free text
    return frame


def _add(store: sqlite3.Connection, table: str, frame: DataFrame, source: Source, first: int) -> None:
    """Insert rows into a table; a row with the stay_id of an earlier one is refused."""
    marks = ", ".join("?" * frame.shape[1])
    for number, row in enumerate(frame.itertuples(index=False, name=None), start=first + 1):
        try:
            store.execute(f"INSERT INTO {table} VALUES ({marks})", row)
        except sqlite3.IntegrityError:
            raise TableError(
                f"{source} row {number} has the stay_id of an earlier row: give the file as MIMIC-IV-ED publishes it"
            ) from None


def _ed_folder(folder: Path) -> Path:
    return folder / "ed" if (folder / "ed").is_dir() else folder


def _files_named(folder: Path, name: str) -> list[Path]:
    return [file for file in (folder / f"{name}.csv.gz", folder / f"{name}.csv") if file.exists()]


def _file_named(folder: Path, name: str) -> Path:
    """The file of that name in a folder."""
    found = _files_named(folder, name)
    if not found:
        raise TableError(f"{folder} has no {name}.csv.gz or {name}.csv: give the folder 'ed' of MIMIC-IV-ED")
    return found[0]
