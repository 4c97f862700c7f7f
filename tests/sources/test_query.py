"""Queries: SQLite always, PostgreSQL where it is installed."""

from __future__ import annotations

import datetime
import os
import sqlite3
import sys
import tracemalloc
from contextlib import closing, suppress

import postgresql
import pytest

from sonmf.sources import Query, TableError

ROWS = [(7, "cough, 50% better: 12:30", 37.5, None), (8, "\u00dcbelkeit", None, "Fever"), (9, "", 39.0, "Fever")]
TABLE = "create table triage (id integer, note text, temperature numeric(4, 1), complaint text)"
SELECT = "select id, note, temperature, complaint from triage order by id"


@pytest.fixture
def sqlite(tmp_path):
    with closing(sqlite3.connect(tmp_path / "clinic.db")) as clinic, clinic:
        clinic.execute(TABLE)
        clinic.executemany("insert into triage values (?, ?, ?, ?)", ROWS)
    return f"sqlite:///{tmp_path / 'clinic.db'}"


@pytest.fixture(scope="session")
def server():
    with postgresql.server() as address:
        yield address


@pytest.fixture
def postgres(server):
    import psycopg

    with psycopg.connect(server) as clinic:
        clinic.execute("drop table if exists triage")
        clinic.execute(TABLE)
        clinic.cursor().executemany("insert into triage values (%s, %s, %s, %s)", ROWS)
    return server


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgresql)])
def database(request):
    return request.getfixturevalue(request.param)


@pytest.mark.parametrize("rows", [1, 2, 100])
def test_a_query_is_its_rows(database, rows):
    source = Query(SELECT, database)
    assert source.columns == ["id", "note", "temperature", "complaint"]
    parts = list(source.chunks(rows))
    assert [list(row) for part in parts for row in part.to_numpy().tolist()] == [list(row) for row in ROWS]
    assert max(map(len, parts)) <= rows
    assert source.read(["complaint", "id"]).to_numpy().tolist() == [[None, 7], ["Fever", 8], ["Fever", 9]]


def test_percent_and_colon_are_only_characters(database):
    found = Query("select id from triage where note like '%12:30'", database).read()
    assert found["id"].tolist() == [7]


def test_nothing_is_changed_in_the_database(database):
    several = "select 1; commit; delete from triage; commit; select 2"
    for sql in ("delete from triage", "delete from triage returning id", "drop table triage", several):
        with suppress(TableError):
            Query(sql, database).read()
        assert len(Query(SELECT, database).read()) == 3


def test_no_other_file_is_written_or_read(sqlite, tmp_path):
    """The right to write to this database would not be needed for a copy of all patients."""
    before = sorted(tmp_path.rglob("*"))
    for sql in (f"vacuum into '{tmp_path / 'copy.db'}'", f"attach '{tmp_path / 'new.db'}' as other"):
        for database in (sqlite, "sqlite://"):
            with pytest.raises(TableError, match="asks for another file: give --sql a select, which changes nothing"):
                Query(sql, database).read()
    assert sorted(tmp_path.rglob("*")) == before


def test_tables_for_full_text_search_are_read(tmp_path):
    with closing(sqlite3.connect(tmp_path / "clinic.db")) as clinic:
        clinic.execute("create virtual table notes using fts5(note)")
        clinic.execute("insert into notes values ('dry cough'), ('fall')")
        clinic.commit()
    found = Query("select note from notes where notes match 'cough'", f"sqlite:///{tmp_path / 'clinic.db'}").read()
    assert found["note"].tolist() == ["dry cough"]


def test_what_is_no_query_is_refused(sqlite):
    with pytest.raises(TableError, match="fails: attempt to write a readonly database: give --sql a select"):
        Query("delete from triage", sqlite).read()
    with pytest.raises(TableError, match="returns no table: give --sql a select"):
        Query("begin", sqlite).read()


@pytest.mark.parametrize(
    ("sql", "said"),
    [
        ("select nots from triage", "fails: .*nots.*: check the names of columns in --sql$"),
        ("select note from triag", "fails: .*triag.*: check the names of tables in --sql$"),
        ("select from from", "fails: .*syntax.*: correct --sql$"),
        ("select id from triage where id > 99", "returns no rows: widen it"),
        ("select id, note as id from triage", "has several columns named 'id'"),
    ],
)
def test_a_query_that_fails_is_refused_in_a_sentence(database, sql, said):
    with pytest.raises(TableError, match=said) as caught:
        Query(sql, database).read()
    assert str(caught.value).startswith("the query on ")
    assert "\n" not in str(caught.value)


def test_an_error_that_may_quote_a_note_does_not(postgres):
    with pytest.raises(TableError, match="fails with InvalidTextRepresentation: try it in the database's own client") as caught:
        Query("select cast(note as integer) from triage", postgres).read()
    assert "cough" not in str(caught.value)


def test_a_note_in_another_encoding_is_not_quoted(sqlite, tmp_path):
    with closing(sqlite3.connect(tmp_path / "clinic.db")) as clinic, clinic:
        clinic.execute("update triage set note = cast(? as text)", ["Übelkeit".encode("latin-1")])
    with pytest.raises(TableError, match="returns text that is not UTF-8: correct it there, or give a CSV file") as caught:
        Query(SELECT, sqlite).read()
    assert "belkeit" not in str(caught.value)


def test_a_password_is_never_shown(tmp_path):
    hidden = Query("select 1", "postgresql://nurse:secret@127.0.0.1:9/clinic?connect_timeout=2")
    assert str(hidden) == "the query on postgresql+psycopg://nurse:***@127.0.0.1:9/clinic?connect_timeout=2"
    with pytest.raises(TableError, match=r"fails: .*: check the address in --database$") as caught:
        hidden.read()
    with pytest.raises(TableError, match="--database is not an address") as other:
        Query("select 1", "nurse:secret")
    assert "secret" not in f"{hidden.name} {caught.value} {other.value}"


def test_a_file_that_is_no_database_is_named(tmp_path):
    (tmp_path / "clinic.db").write_text("id,note\n" * 100)
    with pytest.raises(TableError, match=r"clinic\.db is damaged, or not a file of SQLite: check --database"):
        Query("select note from triage", f"sqlite:///{tmp_path / 'clinic.db'}").read()


def test_a_missing_file_or_driver_or_kind_is_named(tmp_path, monkeypatch):
    with pytest.raises(TableError, match=r"none\.db does not exist: check --database"):
        Query("select 1", f"sqlite:///{tmp_path / 'none.db'}").read()
    assert not os.listdir(tmp_path)
    with pytest.raises(TableError, match="this kind of database is not known"):
        Query("select 1", "paper://archive").read()
    with pytest.raises(TableError, match="needs the Python package 'pymysql'"):
        Query("select 1", "mysql+pymysql://host/clinic").read()
    monkeypatch.setitem(sys.modules, "sqlalchemy", None)
    with pytest.raises(TableError, match=r"pip install 'sonmf\[sql\]'"):
        Query("select 1", "sqlite://")


def test_memory_is_that_of_a_chunk(database):
    """Ten thousand notes of a thousand letters, a hundred at a time."""
    numbers = "with recursive n(i) as (select 1 union all select i + 1 from n where i < 10000)"
    many = f"{numbers} select i, '{'x' * 1000}' || i as note from n"
    tracemalloc.start()
    count = sum(len(part) for part in Query(many, database).chunks(100))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert count == 10_000
    assert peak < 4e6


def test_dates_keep_their_type(postgres):
    found = Query("select timestamp '2024-03-01 14:05' as arrival, date '2024-03-01' as day", postgres).read()
    assert found["arrival"].tolist() == [datetime.datetime(2024, 3, 1, 14, 5)]
