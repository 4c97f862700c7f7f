"""From what a person names to the source it is. A new kind of file is a class in its own module, entered in KINDS."""

from __future__ import annotations

from pathlib import Path

from sonmf.sources.delimited import Delimited
from sonmf.sources.errors import TableError, explained
from sonmf.sources.folder import Folder
from sonmf.sources.nearest import hint
from sonmf.sources.parquet import Parquet
from sonmf.sources.source import File, FileSource, Source

KINDS: tuple[type[FileSource], ...] = (Delimited, Parquet)
ENDINGS = tuple(ending for kind in KINDS for ending in kind.endings)


def open_table(path: str | Path) -> Source:
    """A file or a folder as a source of patients.

    Parameters
    ----------
    path : str or Path
        A file that ends in .csv, .tsv, either of them with .gz, or .parquet, or a folder of such files with the same columns,
        read by name. Cells of CSV and TSV files are text, empty ones None; Parquet has its own types.

    Returns
    -------
    Source
        With ``columns``, ``chunks(rows, columns)`` and ``read(columns)``. What is wrong with the file is said by a
        ``TableError`` when it is read.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from sonmf.sources import open_table
    >>> with TemporaryDirectory() as folder:
    ...     for name in ("january.csv", "february.csv"):
    ...         _ = Path(folder, name).write_text("id,note\\n007,cough\\n")
    ...     open_table(folder).read().to_dict("list")
    {'id': ['007', '007'], 'note': ['cough', 'cough']}
    """
    path = Path(path)
    if path.is_dir():
        return Folder(path, [open_file(file) for file in _tables(path)])
    _refuse_missing(path)
    return open_file(path)


def open_file(file: File) -> FileSource:
    """One file as a source, by the ending of its name.

    Parameters
    ----------
    file : Path or File

    Returns
    -------
    FileSource
    """
    for kind in KINDS:
        if file.name.lower().endswith(kind.endings):
            return kind(file)
    raise TableError(f"{file} is not a table that can be read: save it as a file that ends in {', '.join(ENDINGS)}")


def _tables(folder: Path) -> list[Path]:
    """The tables of a folder by name; other files, and those that the system hides, are passed over."""
    with explained(folder):
        tables = [file for file in folder.iterdir() if file.name.lower().endswith(ENDINGS) and file.is_file()]
        found = sorted(file for file in tables if not file.name.startswith("."))
    if not found:
        endings = ", ".join(ENDINGS)
        raise TableError(f"{folder} is a folder without tables: give a file, or a folder of files that end in {endings}")
    return found


def _refuse_missing(path: Path) -> None:
    folder = path.parent
    if not folder.is_dir():
        raise TableError(f"{path} does not exist, nor does the folder {folder}: check the path")
    if not path.exists():
        near = hint(path.name, [file.name for file in folder.iterdir()])
        raise TableError(f"{path} does not exist{near}: check the name")
