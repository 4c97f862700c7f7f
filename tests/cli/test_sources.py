"""The same patients from any source give the same model and the same forecasts, and the model remembers how it was asked."""

from __future__ import annotations

import io
import resource
import sqlite3
import sys
from contextlib import closing

import numpy as np
import pandas as pd
import pytest
from command_line import run_sonmf
from pyarrow import parquet
from wards import ward

from sonmf.triage import TriageModel

COLUMNS = [
    "--text",
    "Anamnese",
    "--label",
    "Entlassart",
    "--positive",
    "station\u00e4r",
    "--column",
    "Temperatur",
    "--column",
    "Alter",
]
FIT = [*COLUMNS, "--topics", "4"]


@pytest.fixture(scope="module")
def patients():
    """As the export of a German hospital has them; some have left."""
    notes, dispositions, _ = ward(400)
    random = np.random.default_rng(0)
    grave = np.array(dispositions) == "admitted"
    frame = pd.DataFrame(
        {"Fall": [f"{k:05d}" for k in range(400)], "Anamnese": [f"{note} M\u00fcller; \u00dcbelkeit" for note in notes]}
    )
    frame["Entlassart"] = np.where(grave, "station\u00e4r", "ambulant")
    frame["Temperatur"] = np.round(random.normal(37 + grave, 0.6), 1)
    frame["Alter"] = random.integers(1, 99, 400)
    frame["Ankunft"] = pd.date_range("2024-03-01", periods=400, freq="h")
    return frame


def german(frame, path):
    """Semicolons, decimal commas, Windows-1252, days first."""
    frame.to_csv(path, sep=";", decimal=",", encoding="cp1252", index=False, date_format="%d.%m.%Y %H:%M")


@pytest.fixture(scope="module")
def files(patients, tmp_path_factory):
    folder = tmp_path_factory.mktemp("export")
    patients.to_csv(folder / "plain.csv", index=False)
    german(patients, folder / "excel.csv")
    patients.to_excel(folder / "export.xlsx", index=False)
    patients.to_csv(folder / "export.tsv", index=False, sep="\t", encoding="utf-16")
    patients.to_parquet(folder / "export.parquet")
    (folder / "months").mkdir()
    german(patients[:200], folder / "months" / "1.csv")
    patients[200:].to_excel(folder / "months" / "2.xlsx", index=False)
    with closing(sqlite3.connect(folder / "clinic.db")) as clinic:
        patients.to_sql("triage", clinic, index=False)
    return folder


def model_of(path):
    return TriageModel.load(path).pooled_model_


SOURCES = {
    "excel.csv": "read as Windows-1252 (Western Europe), with semicolons between cells (overruled by --encoding, --sep)",
    "export.xlsx": "",
    "export.tsv": "read as UTF-16",
    "export.parquet": "",
    "months": "1 of 2 files read as Windows-1252",
}


@pytest.fixture(scope="module")
def plain(files):
    """The model of the file that needs no remark."""
    run_sonmf("fit", files / "plain.csv", *FIT, "-o", files / "plain.sonmf")
    return files / "plain.sonmf"


def same_model(one, other):
    np.testing.assert_allclose(model_of(one).components, model_of(other).components, atol=1e-12)
    np.testing.assert_allclose(model_of(one).effects, model_of(other).effects, atol=1e-12)


@pytest.mark.parametrize("name", SOURCES)
def test_every_kind_of_file_gives_the_same_model_and_says_how_it_was_read(sonmf, files, plain, tmp_path, name):
    code, out, err = sonmf("fit", files / name, *FIT, "-o", tmp_path / "m.sonmf")
    assert code == 0, err
    assert SOURCES[name] in out
    same_model(tmp_path / "m.sonmf", plain)


def test_a_query_and_standard_input_give_the_same_model(sonmf, files, plain, tmp_path, monkeypatch):
    database = f"sqlite:///{files / 'clinic.db'}"
    code, _, err = sonmf("fit", "--sql", "select * from triage", "--database", database, *FIT, "-o", tmp_path / "sql.sonmf")
    assert code == 0, err
    same_model(tmp_path / "sql.sonmf", plain)
    assert TriageModel.load(tmp_path / "sql.sonmf").provenance_.source == "a query on clinic.db"
    for name in ("excel.csv", "export.xlsx", "export.parquet"):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO((files / name).read_bytes())))
        code, _, err = sonmf("fit", "-", *FIT, "-o", tmp_path / "in.sonmf", "--force")
        assert code == 0, err
        same_model(tmp_path / "in.sonmf", plain)


def test_the_model_needs_nothing_again_and_the_forecast_keeps_what_is_asked_for(sonmf, files, plain, patients, tmp_path):
    forecasts = []
    for name in ("plain.csv", "excel.csv", "export.xlsx", "export.parquet"):
        out = tmp_path / f"{name}.csv"
        code, _, err = sonmf("predict", plain, files / name, "--id", "Fall", "--keep", "Ankunft, Alter", "-o", out)
        assert code == 0, err
        forecasts.append(pd.read_csv(out, dtype=str))
    for found in forecasts:
        assert list(found)[-2:] == ["Ankunft", "Alter"]
        assert found["id"].tolist() == patients["Fall"].tolist()
        assert found["Alter"].astype(int).tolist() == patients["Alter"].tolist()
        assert found["probability"].tolist() == forecasts[0]["probability"].tolist()
    assert forecasts[1]["Ankunft"].iloc[1] == "01.03.2024 01:00"
    assert forecasts[2]["Ankunft"].iloc[1] == forecasts[3]["Ankunft"].iloc[1] == "2024-03-01 01:00:00"
    code, _, err = sonmf("report", plain, "--notes", files / "excel.csv", "-o", tmp_path / "report.html")
    assert code == 0, err
    assert "\u00dcbelkeit" in (tmp_path / "report.html").read_text()


def test_a_parquet_forecast_is_written_in_parts_with_the_types_of_the_columns(sonmf, plain, patients, tmp_path, monkeypatch):
    """The first part alone would not tell: there the ward is missing, and the level is whole."""
    some = patients.assign(ward=[None] * 40 + [7] * (len(patients) - 40), level=[1, 2] * (len(patients) // 2))
    some["ward"] = some["ward"].astype("Int64")
    some["when"] = pd.Timestamp("2024-03-31 14:05")
    some["code"] = [*range(20), *map(str, range(len(patients) - 20))]
    some.drop(columns="code").to_parquet(tmp_path / "a.parquet")
    some[["code", *patients.columns]].to_excel(tmp_path / "a.xlsx", index=False)
    monkeypatch.setattr("sonmf.cli.forecast_file.ROWS", 16)
    ask = ["predict", plain, tmp_path / "a.parquet", "--keep", "ward,level,when", "-o", tmp_path / "f.parquet"]
    code, _, err = sonmf(*ask)
    assert code == 0, err
    found = parquet.read_table(tmp_path / "f.parquet")
    assert [str(found.schema.field(name).type) for name in ("probability", "ward", "level")] == ["double", "int64", "int64"]
    assert "timestamp" in str(found.schema.field("when").type)
    assert found["ward"].to_pylist() == [None] * 40 + [7] * (len(patients) - 40)
    assert parquet.ParquetFile(tmp_path / "f.parquet").num_row_groups == -(-len(patients) // 16)
    _, table, _ = sonmf("predict", plain, tmp_path / "a.parquet")
    assert [f"{p:.6f}" for p in found["probability"].to_pylist()] == list(
        pd.read_csv(io.StringIO(table), dtype=str)["probability"]
    )
    code, _, err = sonmf("predict", plain, tmp_path / "a.xlsx", "--keep", "code", "-o", tmp_path / "g.parquet")
    assert code == 0, err
    assert parquet.read_table(tmp_path / "g.parquet")["code"].to_pylist() == [str(value) for value in some["code"]]


def test_cells_of_several_types_are_text_in_parquet(sonmf, plain, patients, tmp_path):
    some = patients[:4].assign(Fall=[7, "007", None, 8.5])
    some.to_excel(tmp_path / "a.xlsx", index=False)
    code, _, err = sonmf("predict", plain, tmp_path / "a.xlsx", "--keep", "Fall", "-o", tmp_path / "f.parquet")
    assert code == 0, err
    found = pd.read_parquet(tmp_path / "f.parquet")["Fall"]
    assert found.fillna("-").tolist() == ["7", "007", "-", "8.5"]


def test_an_evaluation_needs_nothing_again(sonmf, files, plain, tmp_path):
    asked = ["--model", plain, "--methods", "sonmf", "--folds", "2", "--jobs", "1", "-o", tmp_path / "e"]
    code, out, err = sonmf("evaluate", files / "export.xlsx", *asked)
    assert code == 0, err
    assert "Mean" in out


@pytest.mark.parametrize(("option", "value"), [("--method", "sonfm"), ("--missing", "-9")])
def test_a_wrong_option_is_refused_before_standard_input_is_read(sonmf, tmp_path, monkeypatch, option, value):
    given = io.TextIOWrapper(io.BytesIO(b"note,disposition\n" * 9))
    monkeypatch.setattr(sys, "stdin", given)
    code, _, err = sonmf("fit", "-", option, value, "-o", tmp_path / "m.sonmf")
    assert (code, err.startswith(f"sonmf: {option}")) == (2, True)
    assert given.buffer.tell() == 0


def test_no_command_leaves_a_core_dump(sonmf):
    sonmf("--version")
    assert resource.getrlimit(resource.RLIMIT_CORE)[0] <= 1


def test_closed_standard_input_gets_a_sentence(sonmf, tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "stdin", None)
    code, _, err = sonmf("fit", "-", "-o", tmp_path / "m.sonmf")
    assert (code, "standard input is closed: pipe a table into the command" in err) == (2, True)


def test_notes_do_not_leave_the_temporary_folder_that_was_asked_for(sonmf, plain, tmp_path, monkeypatch):
    """Python would take another one."""
    monkeypatch.setenv("TMPDIR", str(tmp_path / "none"))
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"Anamnese\ncough\n")))
    code, out, err = sonmf("predict", plain, "-")
    assert (code, out, err.count("\n")) == (1, "", 1)
    assert "none (TMPDIR): there is no such folder; create it, or choose another place" in err


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (["--keep", "Ankunt"], "has no column 'Ankunt' (did you mean 'Ankunft'?)"),
        (["--keep", "remark"], "--keep remark: the forecast has a column of that name; rename yours"),
        (["--keep", "Alter,Alter"], "--keep Alter is given twice: name each column once"),
        (["--sep", ";;"], "--sep ;;: give one character"),
        (["--encoding", "utf-9"], "--encoding utf-9: there is no such encoding"),
        (["--encoding", ""], "--encoding : there is no such encoding"),
        (["--sheet", "Jan"], "--sheet is for a workbook, and this file is of another kind: leave the option out"),
        (["--sql", "select 1"], "give a file of patients, a folder, - for standard input, or a query with --sql"),
        (["--encoding", "ascii"], "excel.csv line 2 is not ASCII, at byte 0xfc ("),
        (["--sep", ","], "it has one column; if there should be several, give the separator of the cells with --sep"),
    ],
)
def test_what_cannot_be_meant_is_refused_in_a_sentence(sonmf, files, plain, tmp_path, more, said):
    code, out, err = sonmf("predict", plain, files / "excel.csv", *more, "-o", tmp_path / "f.csv")
    assert (code, out) == (2, "")
    assert said in err
    assert err.count("\n") == 1
    assert "Patient" not in err
    assert not (tmp_path / "f.csv").exists()


@pytest.mark.parametrize("more", [["--keep", "Ankunt"], ["--text", "Anamnes"], ["--encoding", "ascii"]])
def test_a_pipe_gets_nothing_of_a_file_that_is_refused(sonmf, files, plain, more):
    code, out, _ = sonmf("predict", plain, files / "excel.csv", *more)
    assert (code, out) == (2, "")


def test_a_query_needs_a_database_and_takes_no_options_of_files(sonmf, plain):
    refused = [
        (["--sql", "select 1"], "--sql asks a database: name it with --database"),
        (
            ["--sql", "select 1", "--database", "sqlite://", "--sep", ";"],
            "--sep, --encoding and --sheet say how a file is read",
        ),
    ]
    for more, said in refused:
        code, _, err = sonmf("predict", plain, *more)
        assert code == 2
        assert said in err


def test_the_database_that_is_read_is_not_replaced(sonmf, files, tmp_path):
    before = (files / "clinic.db").read_bytes()
    asked = ["--sql", "select * from triage", "--database", f"sqlite:///{files / 'clinic.db'}"]
    code, _, err = sonmf("fit", *asked, *FIT, "-o", files / "clinic.db", "--force")
    assert code == 2
    assert "is what this command reads" in err
    assert (files / "clinic.db").read_bytes() == before


def test_a_number_with_two_readings_is_refused_with_both(sonmf, files, patients, tmp_path):
    german(patients.assign(Temperatur=patients["Temperatur"] + 0.001), tmp_path / "a.csv")
    code, _, err = sonmf("fit", tmp_path / "a.csv", *FIT, "-o", tmp_path / "m.sonmf")
    assert code == 2
    assert "column 'Temperatur' has numbers such as 9,999, whose comma may mark decimals or thousands" in err
    assert "write numbers with a decimal point, and without marks between thousands" in err


NEISS = ("1 - TREATED/EXAMINED AND RELEASED", "4 - TREATED AND ADMITTED/HOSPITALIZED", "8 - FATALITY INCL. DOA, DIED IN ER")


def test_a_model_of_a_known_data_set_reads_it_again_without_its_name(sonmf, tmp_path):
    notes, dispositions, _ = ward(300)
    frame = pd.DataFrame({"CPSC_Case_Number": range(300), "Narrative_1": [f"{note} DX FX" for note in notes]})
    frame["Disposition"] = [NEISS[2] if k < 5 else NEISS[one == "admitted"] for k, one in enumerate(dispositions)]
    frame = frame.assign(Age=30, Sex=["MALE", "FEMALE"] * 150, Race="WHITE")
    frame.loc[::2, "Age"] = 209
    frame.to_csv(tmp_path / "neiss.csv", index=False)
    model = tmp_path / "m.sonmf"
    fit = ["fit", tmp_path / "neiss.csv", "--preset", "neiss", "--topics", "3", "-o", model]
    code, out, err = sonmf(*fit)
    assert code == 0, err
    assert "5 rows left out by disposition: 5 died" in out
    frame.drop(columns="Disposition").to_csv(tmp_path / "new.csv", index=False)
    for name in ("neiss.csv", "new.csv"):
        code, out, err = sonmf("predict", model, tmp_path / name)
        assert code == 0, err
        assert out.startswith("id,probability")
        assert out.count("\n") == 301
    code, _, err = sonmf("predict", model, tmp_path / "neiss.csv", "--keep", "Disposition")
    assert (code, err.count("\n")) == (2, 1)
    assert "neiss.csv has a column 'Disposition', which a preset reads under other names: name one of its columns, " in err
    pd.DataFrame({"note": ["syncope"], "age": [30], "sex": ["M"]}).to_csv(tmp_path / "other.csv", index=False)
    code, out, err = sonmf("predict", model, tmp_path / "other.csv")
    assert (code, out.count("\n")) == (0, 2), err
    assert "other.csv does not look like neiss, which the model was fitted to: its columns are read as they are" in err
    code, _, err = sonmf("report", model, "--notes", tmp_path / "neiss.csv", "-o", tmp_path / "r.html")
    assert code == 0, err


def test_an_evaluation_by_time_learns_from_the_past_and_the_model_remembers_the_column(sonmf, files, tmp_path):
    model = tmp_path / "m.sonmf"
    code, _, err = sonmf("fit", files / "excel.csv", *FIT, "--time", "Ankunft", "-o", model)
    assert code == 0, err
    asked = ["--model", model, "--methods", "words", "--no-measurements", "--jobs", "1", "--folds", "1", "-o", tmp_path / "e"]
    code, out, err = sonmf("evaluate", files / "excel.csv", "--split", "time", "--since", "12.03.2024", *asked)
    assert code == 0, err
    assert "Trained on the past, judged on patients from 2024-03-12 on. In brackets 95% intervals" in out
    assert " [0." in (tmp_path / "e" / "table.md").read_text()


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (["--split", "weekday"], "--split weekday: choose random or time"),
        (["--split", "time"], "--split time needs the column of the arrival: name it with --time"),
        (["--time", "Ankunft"], "--time is for --split time: give that too"),
        (["--since", "2024-03-12"], "--since is for --split time: give that too"),
        (
            ["--split", "time", "--time", "Ankunft", "--since", "spring"],
            "--since spring: write one date, such as 2024-03-31; 3/4/2024 could be two",
        ),
        (
            ["--split", "time", "--time", "Ankunft", "--since", "3/4/2024"],
            "--since 3/4/2024: write one date, such as 2024-03-31; 3/4/2024 could be two",
        ),
        (
            ["--split", "time", "--time", "Ankunft", "--since", "2030"],
            "on there are 0 of 400 patients: some must be before it, and some after; they came from 2024-03-01T",
        ),
        (["--split", "time", "--time", "Ankunft", "--repeats", "2"], "--repeats shuffles folds"),
        (["--split", "time", "--time", "Alter"], "row 1, column 'Alter': "),
        (["--folds", "1"], "--folds 1: at least 2 are needed, unless with --split time"),
    ],
)
def test_what_cannot_be_meant_of_time_is_refused(sonmf, files, tmp_path, more, said):
    code, _, err = sonmf("evaluate", files / "excel.csv", *COLUMNS, *more, "-o", tmp_path / "e")
    assert code == 2
    assert said in err
    assert err.count("\n") == 1
