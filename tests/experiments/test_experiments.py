from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from sonmf import experiments, metrics, simulate
from sonmf.experiments import claims, design, methods, report, runner
from sonmf.experiments.design import Outcome, Trial


@pytest.mark.parametrize("name", experiments.NAMES)
def test_every_experiment_is_whole(name):
    experiment = experiments.load(name)
    assert experiment.name == name
    assert len(experiment.cells) == 3
    assert experiment.trials >= (100 if name in ("table1", "table2", "table3") else 20)
    trials = runner.trials_of(experiment, 2, seed=5)
    assert len(trials) == 6
    assert len({trial.name for trial in trials}) == 6


@pytest.mark.parametrize("name", ["table1", "table2", "table3", "table4"])
def test_the_papers_figures_stand_beside_every_method_and_cell(name):
    experiment = experiments.load(name)
    for scenario, k in experiment.cells:
        for method in ("SONMF (paper)", "SONMF"):
            printed = experiment.paper[scenario, k, method]
            assert float(printed.get("average_residual") or printed["average_cost"]) > 0


def test_a_trial_draws_the_same_data_wherever_it_runs():
    trial = Trial("table1", 1, 10, 3, 7)
    assert np.array_equal(trial.random().random(5), trial.random().random(5))
    assert not np.array_equal(trial.random().random(5), trial._replace(number=4).random().random(5))
    assert not np.array_equal(trial.random().random(5), trial._replace(seed=8).random().random(5))


@pytest.mark.parametrize(
    ("history", "expected"),
    [([1.0, 0.5, 0.49995, 0.1], 3), ([1.0, 0.5, 0.4], None), ([1.0, 1.2, 1.2], 3), ([0.5], None)],
)
def test_the_papers_criterion(history, expected):
    """0 <= f_before - f <= 1e-4: a rise does not count as settled."""
    assert design.settled(history) == expected


@pytest.mark.parametrize("method", methods.METHODS)
def test_a_method_reports_its_own_g_and_costs(method, monkeypatch):
    monkeypatch.setattr(methods, "ITERATIONS", 20)
    X, _, _ = simulate.continuous(2, 50, 40, 4, random_state=0)
    fit = methods.continuous(method, X, 4, np.random.RandomState(0))
    assert len(fit.history) == len(fit.seconds) <= 20
    assert np.isclose(metrics.average_residual(X, fit.G, fit.F.T), fit.history[-1], rtol=1e-8)
    assert (np.diff(fit.seconds) > 0).all()


def test_a_study_of_a_small_simulation_has_all_its_columns(monkeypatch):
    from sonmf.experiments import binary_table, continuous_tables, init_study, rank_study

    for module in (binary_table, continuous_tables, init_study, rank_study):
        monkeypatch.setattr(module, "SIZE", 40)
    for module in (methods, binary_table):
        monkeypatch.setattr(module, "ITERATIONS", 12)
    monkeypatch.setattr(rank_study, "TRUE_RANK", 3)
    for name in experiments.NAMES:
        experiment = experiments.load(name)
        for outcome in experiment.run(Trial(name, experiment.cells[0][0], 5, 0, 0)):
            assert set(experiment.columns) <= set(outcome.figures)
            assert all(len(outcome.curves[panel.curve]) <= 12 for panel in experiment.panels)
            assert all(panel.truth is None or panel.truth in outcome.figures for panel in experiment.panels)


@pytest.fixture
def results(tmp_path):
    """Two trials of table 3, made up."""
    experiment = experiments.load("table3")
    trials = runner.trials_of(experiment, 2, seed=0)
    for trial in trials:
        figures = dict.fromkeys([*experiment.columns, "true_error"], 0.5 + trial.number)
        figures["orthogonal_residual"] = float("nan")
        outcomes = [
            Outcome("SONMF", figures, {"residual": [1.0, 0.5]}),
            Outcome("rival", figures, {"residual": [2.0, 1.5, 1.2]}),
        ]
        path = runner.path_of(trial, tmp_path)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(__import__("json").dumps([outcome._asdict() for outcome in outcomes]))
    return report.collect(experiment, trials, tmp_path), tmp_path


def test_the_table_shows_mean_error_and_the_paper(results):
    found, _ = results
    head, body = report.cells(found)
    assert head[:3] == ["K", "method", "average residual"]
    assert body[0][:4] == ["10", "SONMF", "1.000 ± 0.500", "-"]
    assert body[1][:4] == ["", "  the paper", "0.0856", "3.4e-27"]
    assert body[2][1] == "rival"  # the paper has no such method: no row of its own
    assert body[3][1] == "SONMF"
    assert all(len(row) == len(head) for row in body)


def test_what_is_written_can_be_read_back(results):
    found, folder = results
    target = report.write(found, 0, folder)
    rows = pd.read_csv(target / "results.csv")
    assert len(rows) == 12
    assert {"seed", "commit", "numpy", "sonmf", "trial", "method", "k"} <= set(rows.columns)
    assert (target / "figure.png").stat().st_size > 10_000
    assert (target / "figure.svg").read_text().lstrip().startswith("<?xml")
    assert (target / "table.md").read_text().count("\n") == len(report.cells(found)[1]) + 2
    assert not list(target.glob("*partial-*"))


def table(rows):
    return pd.DataFrame(rows)


def test_claims_are_judged_by_the_figures(tmp_path):
    rows = [
        {"scenario": s, "k": 30, "method": f"{m}, {start}", "average_residual": value}
        for s in (1, 2, 3)
        for m in ("SONMF (paper)", "SONMF")
        for start, value in (("SVD", 0.1), ("K-means", 0.2 if m != "SONMF" else 0.1), ("random", 0.3 if m != "SONMF" else 0.1))
    ]
    (tmp_path / "init-study").mkdir()
    table(rows).to_csv(tmp_path / "init-study" / "results.csv", index=False)
    (claim,) = claims.check(tmp_path, ("init-study",))
    assert claim.holds
    assert "SVD 0.1000 / 0.1000 / 0.1000" in claim.figures
    assert "largest difference between starts 0.0000" in claim.ours
    for row in rows:
        row["average_residual"] = 1 - row["average_residual"]
    table(rows).to_csv(tmp_path / "init-study" / "results.csv", index=False)
    (claim,) = claims.check(tmp_path, ("init-study",))
    assert not claim.holds
    assert "does not hold" in claims.markdown([claim])
    assert claims.check(tmp_path, ("table1",)) == []


def test_the_claims_on_the_page_are_what_the_committed_results_say():
    page = Path(__file__).parents[2] / "docs" / "reproduction"
    found = claims.check(page, experiments.NAMES)
    assert len(found) == 9
    assert claims.markdown(found) == (page / "claims.md").read_text()
