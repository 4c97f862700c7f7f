"""``sonmf evaluate``: what is written."""

from __future__ import annotations

import json
import re
import signal
from signal import SIGINT, SIGTERM

import pandas as pd
import pytest
import typer
from evaluations import made_up

from sonmf.cli import evaluate
from sonmf.cli.say import resumable
from sonmf.triage.patients import Patients


def test_evaluation_is_written(sonmf, folder, tmp_path):
    command = ["evaluate", folder / "notes.csv", "--methods", "sonmf,words", "--topics", "4", "--folds", "2", "--jobs", "1"]
    code, out, err = sonmf(*command, "-o", tmp_path / "ev", "--subgroup", "sex", "--subgroup", "id:300")
    assert code == 0, err
    assert "bag of words" in out
    assert "What a threshold costs: SONMF with 4 topics" in out
    assert "id: under 300" in out
    groups, costs = (
        pd.read_csv(tmp_path / "ev" / f"{name}.csv", keep_default_na=False) for name in ("subgroups", "thresholds")
    )
    together = groups[(groups["complaint"] == "") & (groups["inputs"] == "notes + columns") & (groups["method"] == "sonmf")]
    assert together.groupby("column")["n"].sum().nunique() == 1  # every column divides the same patients
    assert set(together[together["column"] == "id"]["value"]) == {"under 300", "300 and over"}
    assert costs.groupby(["complaint", "method", "inputs"]).size().unique().tolist() == [19]
    results = pd.read_csv(tmp_path / "ev" / "results.csv")
    assert results.groupby(["method", "inputs"]).size().to_dict() == {
        ("sonmf", "notes"): 4,
        ("sonmf", "columns"): 4,
        ("sonmf", "notes + columns"): 4,
        ("words", "notes + columns"): 4,
    }
    written = json.loads((tmp_path / "ev" / "evaluation.json").read_text())
    assert written["asked"]["source"] == "notes.csv"
    assert written["settings"]["n_topics"] == [4]
    assert "| SONMF | notes + columns | 4 |" in (tmp_path / "ev" / "table.md").read_text()


def test_complaints_are_no_formulas_in_the_results_of_an_evaluation(tmp_path):
    evaluate.write(
        made_up([{"complaint": "=1+1", "method": "words", "n_topics": 0, "inputs": "notes", "auroc": 0.8}]), tmp_path
    )
    assert list(pd.read_csv(tmp_path / "results.csv")["complaint"]) == ["'=1+1"]
    assert json.loads((tmp_path / "evaluation.json").read_text())["methods"][0]["complaint"] == "=1+1"


def test_subgroups_of_an_earlier_run_do_not_stay_beside_figures_without(tmp_path):
    (tmp_path / "subgroups.csv").write_text("of an earlier run")
    evaluate.write(made_up([{"complaint": "", "method": "words", "n_topics": 0, "inputs": "notes", "auroc": 0.8}]), tmp_path)
    assert not (tmp_path / "subgroups.csv").exists()


def test_a_complaint_stays_in_its_cell_of_the_table(tmp_path):
    names = ["Chest|Pain", "two\nlines", "plain"]
    row = {"method": "words", "n_topics": 0, "inputs": "notes", "auroc": 0.8}
    evaluate.write(made_up([row | {"complaint": name} for name in names]), tmp_path)
    rows = [re.split(r"(?<!\\)\|", line) for line in (tmp_path / "table.md").read_text().splitlines()]
    assert {len(row) for row in rows} == {len(rows[0])}
    assert [row[1].strip() for row in rows[2:]] == ["Chest\\|Pain", "plain", "two lines"]


@pytest.mark.parametrize(("number", "sentence", "code"), [(SIGTERM, "ended by SIGTERM", 143), (SIGINT, "interrupted", 130)])
def test_an_end_from_outside_is_a_sentence_that_says_how_to_go_on(capsys, number, sentence, code):
    before = signal.getsignal(SIGTERM)
    with pytest.raises(typer.Exit) as end, resumable("the same command goes on"):
        signal.raise_signal(number)
    assert end.value.exit_code == code
    assert capsys.readouterr().err == f"sonmf: {sentence}; the same command goes on\n"
    assert signal.getsignal(SIGTERM) is before


def test_an_end_while_the_patients_are_read_is_a_sentence_too(sonmf, folder, tmp_path, monkeypatch):
    monkeypatch.setattr(Patients, "read", lambda *_, **__: signal.raise_signal(SIGTERM))
    code, _, err = sonmf("evaluate", folder / "notes.csv", "-o", tmp_path / "ev")
    assert (code, err) == (143, "sonmf: ended by SIGTERM; no fit had begun: the same command starts again\n")
