"""The source of patients that the options name."""

from __future__ import annotations

from pathlib import Path

from sonmf.cli.say import refuse
from sonmf.sources import Query, Reading, Source, open_table


def open_patients(notes: Path | None, reading: Reading, sql: str | None = None, database: str | None = None) -> Source:
    """A file, a folder, standard input or a query."""
    refuse((notes is None) == (sql is None), "give a file of patients, a folder, - for standard input, or a query with --sql")
    if notes is not None:
        return open_table(notes, reading)
    refuse(database is None, "--sql asks a database: name it with --database, such as sqlite:///clinic.db")
    refuse(any(reading), "--sep, --encoding and --sheet say how a file is read, and --sql reads none: leave them out")
    return Query(str(sql), str(database))
