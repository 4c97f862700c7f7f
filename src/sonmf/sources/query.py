"""The rows that a query returns from a database, through SQLAlchemy, with the types of the database."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from sonmf.frames import DataFrame, pandas
from sonmf.sources.errors import TableError, refuse_names
from sonmf.sources.source import ROWS, Source

if TYPE_CHECKING:
    from sqlalchemy import URL, CursorResult

NEEDED = "--sql needs SQLAlchemy: python -m pip install 'sonmf[sql]'"
DRIVERS = {"postgresql": "postgresql+psycopg"}  # where SQLAlchemy's default driver is not the one of the extra
STRANGE = 200  # characters of the reason that a database gives
NO_DATABASE, FORBIDDEN = "file is not a database", ("not authorized", "authorization denied")  # of SQLite
NOT_UTF_8 = "Could not decode to UTF-8"  # of Python's module for SQLite
SELECT = "give --sql a select, which changes nothing"
OTHERWISE = "check --sql and --database, or try the query in the database's own client"
REMEDIES = {
    ("no such table", "relation"): "check the names of tables in --sql",
    ("column",): "check the names of columns in --sql",
    ("syntax", "incomplete input", "unrecognized token"): "correct --sql",
    ("readonly", "read-only"): SELECT,
    ("locked", "busy"): "close the program that writes to it, and try again",
    ("permission denied", "not authorized"): "ask its owner for the right to read",
    ("password", "authentication", "role", "connect", "resolve", "unable to open"): "check the address in --database",
}
"""What to do, by words in the reason that a database gives."""


class Query(Source):
    """The rows that a query of a database returns.

    SQLite is opened so that it can neither write nor use other files, and PostgreSQL so that it can only read. Other databases
    take back whatever a query changes.

    Parameters
    ----------
    sql : str
        A query that returns rows.
    database : str
        Its address, as SQLAlchemy writes it: ``sqlite:///clinic.db``, ``postgresql://user:password@host/name``.

    Examples
    --------
    >>> import sqlite3
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from sonmf.sources import Query
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "clinic.db")
    ...     with sqlite3.connect(path) as clinic:
    ...         _ = clinic.execute("create table triage (id integer, note text)")
    ...         _ = clinic.execute("insert into triage values (7, 'cough'), (8, 'fall')")
    ...     clinic.close()
    ...     Query(
    ...         "select note from triage order by id desc", f"sqlite:///{path}"
    ...     ).read().to_dict("list")
    {'note': ['fall', 'cough']}
    """

    without_rows = "returns no rows: widen it"

    def __init__(self, sql: str, database: str) -> None:
        self.sql, self.url = sql, _url(database)

    def __str__(self) -> str:
        return f"the query on {self.url.render_as_string(hide_password=True)}"

    @property
    def name(self) -> str:
        return f"a query on {Path(self.url.database or 'a database').name}"

    @property
    def places(self) -> tuple[Path, ...]:
        """The file of the database, if it is one."""
        named = self.url.get_backend_name() == "sqlite" and self.url.database not in (None, "", ":memory:")
        return (Path(self.url.database),) if named else ()

    def names(self) -> list[str]:
        with self._answer(1) as answer:
            names = [str(column[0]) for column in answer.cursor.description]
        refuse_names(names, self)
        return names

    def parts(self, rows: int, columns: list[str]) -> Iterator[DataFrame]:
        rows = min(rows, ROWS)
        with self._answer(rows) as answer:
            picked = answer.columns(*(self.columns.index(name) for name in columns))
            for part in picked.partitions(rows):
                yield pandas().DataFrame([[_plain(cell) for cell in row] for row in part], columns=columns, dtype=object)

    @contextmanager
    def _answer(self, rows: int) -> Iterator[CursorResult]:
        """What the database answers, ``rows`` rows at a time."""
        from sqlalchemy import create_engine, event, exc, pool

        for file in self.places:
            if not file.is_file():  # SQLite would create an empty one
                raise TableError(f"{file} does not exist: check --database")
        read_only = {"postgresql_readonly": True} if self.url.get_backend_name() == "postgresql" else {}
        plainly = {"yield_per": rows, "no_parameters": True}  # without parameters % and : are only characters
        try:
            engine = create_engine(self.url, poolclass=pool.NullPool, **self._connect())
            if self.url.get_backend_name() == "sqlite":
                event.listen(engine, "connect", lambda connection, _: connection.set_authorizer(_refuse_other_files))
            with engine.connect().execution_options(**read_only) as connection:
                answer = connection.execution_options(**plainly).exec_driver_sql(self.sql)
                if not answer.returns_rows:
                    raise TableError(f"{self} returns no table: give --sql a select")
                with answer:
                    yield answer
        except ImportError as error:  # the driver is missing
            raise TableError(f"{self} needs the Python package {error.name!r}: install it with pip") from None
        except exc.NoSuchModuleError:
            raise TableError(
                f"{self}: this kind of database is not known; --database takes sqlite:///FILE, postgresql://USER@HOST/NAME, "
                "or what a package for SQLAlchemy adds"
            ) from None
        except (exc.OperationalError, exc.ProgrammingError) as error:
            if NOT_UTF_8 in str(error.orig):  # a cell follows
                raise TableError(f"{self} returns text that is not UTF-8: correct it there, or give a CSV file of it") from None
            raise TableError(f"{self} fails: {_with_remedy(error.orig)}") from None
        except exc.DBAPIError as error:  # its text may quote a cell
            if NO_DATABASE in str(error.orig):
                raise TableError(f"{self.places[0]} is damaged, or not a file of SQLite: check --database") from None
            if str(error.orig) in FORBIDDEN:
                raise TableError(f"{self} asks for another file: {SELECT}") from None
            raise TableError(f"{self} fails with {type(error.orig).__name__}: try it in the database's own client") from None

    def _connect(self) -> dict[str, Callable[[], sqlite3.Connection]]:
        """How SQLite opens a file without the right to write."""
        if self.url.drivername not in ("sqlite", "sqlite+pysqlite") or not self.places:
            return {}
        return {"creator": partial(sqlite3.connect, f"file:{quote(str(self.places[0]))}?mode=ro", uri=True)}


def _refuse_other_files(action: int, *_: str | None) -> int:
    """Forbid other files: SQLite may not write to this one, but would attach or create others, as VACUUM INTO does."""
    return sqlite3.SQLITE_DENY if action == sqlite3.SQLITE_ATTACH else sqlite3.SQLITE_OK


def _url(database: str) -> URL:
    try:
        from sqlalchemy import exc, make_url
    except ImportError:
        raise TableError(NEEDED) from None
    try:
        url = make_url(database)
    except (exc.ArgumentError, ValueError):  # without its text, which may hold a password
        raise TableError("--database is not an address: write sqlite:///FILE or postgresql://USER:PASSWORD@HOST/NAME") from None
    return url.set(drivername=DRIVERS.get(url.drivername, url.drivername))


def _with_remedy(error: object) -> str:
    """The reason that a database gives, and what to do."""
    reason = (str(error).strip().splitlines() or ["no reason is given"])[0][:STRANGE]
    remedies = (remedy for words, remedy in REMEDIES.items() if any(word in reason.lower() for word in words))
    return f"{reason.rstrip('.:')}: {next(remedies, OTHERWISE)}"


def _plain(cell: object) -> object:
    return float(cell) if isinstance(cell, Decimal) else cell
