from types import SimpleNamespace

import pandas as pd
import pytest
from wards import ward

from sonmf.experiments import paper_tables, triage_study
from sonmf.triage import TriageModel, evaluate
from sonmf.triage.factorisations import vectorizer_for
from sonmf.triage.patients import Patients


def test_every_cell_of_the_papers_case_study_is_cited_once():
    figures = paper_tables.triage()
    assert len(figures) == 7 * 6 * 5
    assert {k for _, _, k in figures} == set(triage_study.TOPICS)
    row = figures["Altered Level of Consciousness", "sonmf", 10]
    assert (row["residual_or_cost"], row["lasso_accuracy_pct"]) == ("0.1374", "73.98")


@pytest.fixture(scope="module")
def found():
    notes, dispositions, _ = ward(200)
    names = ["Stroke"] * 200
    return evaluate(
        notes, dispositions, names, methods=["sonmf", "words"], n_topics=10, folds=2, measurements=False, processes=1
    )


def test_ours_stands_above_the_papers(found, tmp_path):
    body = triage_study.tables(found)["Stroke"]
    ours = next(i for i, row in enumerate(body) if row[:2] == ["SONMF", "10"])
    assert body[ours + 1][0] == triage_study.PAPER
    assert body[ours + 1][-2] == paper_tables.triage()["Stroke", "sonmf", 10]["lasso_accuracy_pct"]
    triage_study.write(found, [["tfidf", "svd", "9", "0.5", "1"]], tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "figure.png",
        "figure.svg",
        "results.csv",
        "starts.md",
        "table.md",
    ]
    assert len(pd.read_csv(tmp_path / "results.csv")) == 4


def test_the_papers_protocol_leaves_negation_as_it_is_written(monkeypatch):
    monkeypatch.setattr(triage_study, "evaluate_patients", lambda patients, settings, **_: settings)
    patients = Patients.given(["a", "b"], ["admitted", "discharged"])
    assert triage_study.run(patients, processes=1, folder=None).words.negation is None
    assert TriageModel().vectorizer is None  # where the same model marks it
    assert vectorizer_for("sonmf", None).negation == "mark"


def test_every_method_has_a_colour_of_its_own_in_the_figure():
    rows = [
        {"complaint": "", "method": method, "n_topics": k, "auroc": 0.7, "auroc_error": 0.01}
        for method in triage_study.METHODS
        for k in (10, 30)
    ]
    (axes,) = triage_study.draw(SimpleNamespace(summary=lambda: rows)).axes
    colours = [container.lines[0].get_color() for container in axes.containers]
    assert len(set(colours)) == len(colours) == len(triage_study.METHODS) - 1  # the bag of words is a level
