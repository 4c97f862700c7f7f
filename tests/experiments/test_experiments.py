from __future__ import annotations

from collections import Counter
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from sonmf import experiments, metrics, simulate, stiefel
from sonmf.engines import engine_for
from sonmf.errors import InputError
from sonmf.experiments import authors_solvers, design, simulation_claims, simulation_methods, simulation_report
from sonmf.experiments.design import Outcome, Trial
from sonmf.solvers.problem import least_squares


@pytest.mark.parametrize("name", experiments.NAMES)
def test_a_plan_has_every_cell_of_an_experiment_in_every_trial_once(name):
    experiment = experiments.load(name)
    trials = design.trials_of(experiment, 3, seed=5)
    found = Counter((trial.scenario, trial.k, trial.number) for trial in trials)
    assert found == Counter((*cell, number) for cell in experiment.cells for number in range(3))
    assert {(trial.experiment, trial.seed) for trial in trials} == {(name, 5)}
    assert len({trial.name for trial in trials}) == len(trials)


@pytest.mark.parametrize("name", ["table1", "table2", "table3", "table4"])
def test_the_cells_are_those_that_the_paper_prints_and_its_methods_are_run(name):
    experiment = experiments.load(name)
    scenarios = {scenario for scenario, _ in experiment.cells}
    printed = [(scenario, k, method) for scenario, k, method in experiment.paper if scenario in scenarios]
    assert {(scenario, k) for scenario, k, _ in printed} == set(experiment.cells)
    for key in printed:
        figures = experiment.paper[key]
        assert float(figures.get("average_residual") or figures["average_cost"]) > 0
        assert name == "table4" or key[2] in simulation_methods.METHODS


def test_a_trial_draws_the_same_data_wherever_it_runs():
    trial = Trial("table1", 1, 10, 3, 7)
    assert np.array_equal(trial.random().random(5), trial.random().random(5))
    assert not np.array_equal(trial.random().random(5), trial._replace(number=4).random().random(5))
    assert not np.array_equal(trial.random().random(5), trial._replace(seed=8).random().random(5))


class Given:
    """A solver that goes through costs it was given; those in ``restarts`` are not accepted."""

    def __init__(self, costs, restarts=()):
        self.costs, self.restarts = costs, restarts

    def init_state(self, problem, start):
        return self.at(0)

    def update(self, problem, state):
        return self.at(state.place + 1)

    def at(self, place):
        F = np.full((3, 1), float(place))
        return SimpleNamespace(
            point=SimpleNamespace(F=F, objective=self.costs[place], cost=self.costs[place], held_out=None),
            place=place,
            accepted=place not in self.restarts,
        )


@pytest.mark.parametrize(
    ("costs", "restarts", "expected"),
    [
        ([9, 1.0, 0.5, 0.49995, 0.1], (), 3),
        ([9, 1.0, 0.5, 0.4, 0.3], (), None),
        ([9, 1.0, 1.2, 1.19995, 0.5], (), 3),  # a rise does not count as settled,
        ([9, 1.0, 1.00005, 0.5, 0.3], (), 2),  # unless it is as small
        ([9, 1.0, 1.0, 0.5, 0.49995], (2,), 4),  # nor does a step taken back
    ],
)
def test_a_method_stops_by_the_papers_rule_and_its_path_goes_on(costs, restarts, expected, monkeypatch):
    method = simulation_methods.SimulationMethod(Given(costs, restarts), (lambda *_: None,), max_iter=4)
    monkeypatch.setitem(simulation_methods.METHODS, "given", method)
    fit = simulation_methods.continuous("given", np.ones((2, 3)), 1, np.random.RandomState(0))
    assert fit.settled == expected
    assert fit.iterations == fit.F[0, 0] == (expected or 4)
    assert fit.history == costs[1:]


def test_of_several_starts_the_lowest_end_counts(monkeypatch):
    class Constant(Given):
        def init_state(self, problem, start):
            self.costs = [start, start, start]
            return self.at(0)

    starts = tuple(lambda *_, cost=cost: cost for cost in (3.0, 1.0, 2.0))
    monkeypatch.setitem(simulation_methods.METHODS, "given", simulation_methods.SimulationMethod(Constant([]), starts, tol=0.1))
    assert simulation_methods.continuous("given", np.ones((2, 3)), 1, np.random.RandomState(0)).history == [1.0]


@pytest.mark.parametrize("method", simulation_methods.METHODS)
def test_a_method_reports_its_own_g_and_costs(method, monkeypatch):
    monkeypatch.setitem(simulation_methods.METHODS, method, simulation_methods.METHODS[method]._replace(max_iter=20))
    X, _, _ = simulate.continuous(2, 50, 40, 4, random_state=0)
    fit = simulation_methods.continuous(method, X, 4, np.random.RandomState(0))
    assert fit.iterations <= len(fit.history) <= 20
    assert np.isclose(metrics.average_residual(X, fit.G, fit.F.T), fit.history[fit.iterations - 1], rtol=1e-8)
    assert fit.G.min() >= 0


def test_the_authors_line_search_lowers_its_own_cost_along_orthonormal_topics():
    """Not the reduced objective: that may rise, which is why the package's own line search compares otherwise."""
    X, _, _ = simulate.continuous(1, 60, 50, 5, random_state=0)
    engine = engine_for(X)
    problem = least_squares(engine)
    state = authors_solvers.init_state(problem, authors_solvers.orthonormal(engine, 5, np.random.RandomState(0), "svd"))
    for _ in range(30):
        before, state = state, authors_solvers.update(problem, state)
        cost = np.mean((X - np.maximum(X @ before.point.F, 0) @ state.point.F.T) ** 2)
        assert np.isclose(state.point.objective, cost, rtol=1e-10)
        assert cost < before.point.objective
        assert stiefel.residual(state.point.F) < 1e-24


def test_nmf_starts_without_the_leading_singular_pair():
    X, _, _ = simulate.continuous(1, 60, 50, 5, random_state=0)
    engine = engine_for(X)
    F, local = authors_solvers.singular_pairs(engine, 5, np.random.RandomState(0), "svd")
    G = engine.gather(local)
    U, D, V = np.linalg.svd(X.T)
    assert F[:, 0].max() == G[:, 0].max() == 1e-10
    for j in range(1, 5):
        pairs = [(np.maximum(s * U[:, j], 1e-10), np.maximum(s * V[j] * D[j], 1e-10)) for s in (1, -1)]
        assert any(np.allclose(F[:, j], f) and np.allclose(G[:, j], g) for f, g in pairs)


def test_no_rival_at_full_strength_is_weaker_than_as_the_paper_runs_it():
    X, _, _ = simulate.continuous(1, 60, 50, 4, random_state=1)
    for rival in ("ONMF", "NMF", "Semi-NMF"):
        paper, full = (
            simulation_methods.continuous(name, X, 4, np.random.RandomState(0))
            for name in (rival, rival + simulation_methods.FULL)
        )
        assert full.history[-1] <= paper.history[-1] + 1e-6


def test_a_study_of_a_small_simulation_has_all_its_columns(monkeypatch):
    from sonmf.experiments import simulations

    monkeypatch.setattr(simulations, "SIZE", 40)
    monkeypatch.setattr(simulations, "ITERATIONS", 12)
    short = {name: method._replace(max_iter=12) for name, method in simulation_methods.METHODS.items()}
    monkeypatch.setattr(simulation_methods, "METHODS", short)
    monkeypatch.setattr(simulations, "TRUE_RANK", 3)
    for name in experiments.NAMES:
        experiment = experiments.load(name)
        for outcome in experiment.run(Trial(name, experiment.cells[0][0], 5, 0, 0)):
            assert set(experiment.columns) <= set(outcome.figures)
            full = outcome.method.endswith(simulation_methods.FULL)
            assert full or all(len(outcome.curves[panel.curve]) <= 12 for panel in experiment.panels)
            assert all(panel.truth is None or panel.truth in outcome.figures for panel in experiment.panels)


@pytest.fixture
def results(tmp_path):
    """Two trials of table 3, made up."""
    experiment = experiments.load("table3")
    trials = design.trials_of(experiment, 2, seed=0)
    for trial in trials:
        figures = dict.fromkeys([*experiment.columns, "true_error"], 0.5 + trial.number)
        figures["orthogonal_residual"] = float("nan")
        outcomes = [
            Outcome("SONMF (paper)", figures, {"residual": [1.0, 0.5]}),
            Outcome("rival", figures, {"residual": [2.0, 1.5, 1.2]}),
            Outcome("without a line in the figure", figures, {}),
        ]
        path = design.path_of(trial, tmp_path)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(__import__("json").dumps([outcome._asdict() for outcome in outcomes]))
    return simulation_report.collect(experiment, trials, tmp_path), tmp_path


def test_the_table_shows_mean_error_and_the_paper(results):
    found, _ = results
    head, body = simulation_report.cells(found)
    assert head[:3] == ["K", "method", "average residual"]
    assert body[0][:4] == ["10", "SONMF (paper)", "1.000 ± 0.500", "-"]
    assert body[1][:4] == ["", "  the paper", "0.0856", "3.4e-27"]
    assert body[2][1] == "rival"  # the paper has no such method: no row of its own
    assert body[4][1] == "SONMF (paper)"
    assert all(len(row) == len(head) for row in body)


def test_the_table_says_which_methods_have_fewer_trials(results):
    found, _ = results
    rows = found.rows[(found.rows["method"] != "rival") | (found.rows["trial"] == 0)]
    assert simulation_report.count_trials(found._replace(rows=rows)) == "2 trials (rival 1)"


def test_the_table_of_scenario_1_says_which_columns_of_the_paper_are_swapped(results):
    found, _ = results
    remarks = {name: experiments.load(name).remark for name in experiments.NAMES}
    assert [name for name, remark in remarks.items() if remark] == ["table1"]
    assert simulation_report.markdown(found._replace(experiment=experiments.load("table1"))).endswith(f"{remarks['table1']}\n")


def draw_nothing(trial):
    return [Outcome("SONMF", {}, {})._asdict()]


def test_trials_of_another_version_are_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(design, "run_one", draw_nothing)
    trials = design.trials_of(experiments.load("table1"), 1, seed=0)
    design.run(trials, tmp_path, 1, lambda trial: None)
    design.run(design.trials_of(experiments.load("table1"), 2, seed=0), tmp_path, 1, lambda trial: None)  # more of the same
    monkeypatch.setattr("sonmf.jobs.version", lambda _: "9.9")
    with pytest.raises(InputError, match="or of another version of sonmf"):
        design.run(trials, tmp_path, 1, lambda trial: None)


def test_what_is_written_can_be_read_back(results):
    found, folder = results
    target = simulation_report.write(found, 0, folder)
    rows = pd.read_csv(target / "results.csv")
    assert len(rows) == 18
    assert {"seed", "commit", "numpy", "sonmf", "trial", "method", "k"} <= set(rows.columns)
    assert (target / "figure.png").stat().st_size > 10_000
    assert (target / "figure.svg").read_text().lstrip().startswith("<?xml")
    rows = (target / "table.md").read_text().splitlines()
    assert len([row for row in rows if row.startswith("|")]) == len(simulation_report.cells(found)[1]) + 2
    assert rows[-1].endswith("2 trials.")
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
    (claim,) = simulation_claims.check(tmp_path, ("init-study",))
    assert claim.holds
    assert "SVD 0.1000 / 0.1000 / 0.1000" in claim.figures
    assert "largest difference between starts 0.0000" in claim.ours
    for row in rows:
        row["average_residual"] = 1 - row["average_residual"]
    table(rows).to_csv(tmp_path / "init-study" / "results.csv", index=False)
    (claim,) = simulation_claims.check(tmp_path, ("init-study",))
    assert not claim.holds
    assert "does not hold" in simulation_claims.markdown([claim])
    assert simulation_claims.check(tmp_path, ("table1",)) == []


def test_a_claim_compares_methods_on_the_trials_that_all_of_them_have(tmp_path):
    ends = {"SONMF (paper)": 0.07, "ONMF": 0.2, "NMF": 0.3, "Semi-NMF": 0.4}
    rows = [
        {
            "k": k,
            "trial": trial,
            "method": method + ending,
            "average_residual": end + 0.5 * trial,
            "true_error": 0.09 + 0.5 * trial,
        }
        for k in (10, 30, 50)
        for trial in (0, 1)
        for method, end in ends.items()
        for ending in ("", ", full strength")
        if (method, trial) != ("ONMF", 1)  # without which the mean of SONMF would be above the mean of ONMF
    ]
    (tmp_path / "table1").mkdir()
    table(rows).to_csv(tmp_path / "table1" / "results.csv", index=False)
    (claim,) = simulation_claims.check(tmp_path, ("table1",))
    assert claim.holds
    assert "SONMF (paper) 0.0700 / 0.0700 / 0.0700; ONMF 0.2000" in claim.figures


def test_the_claims_on_the_page_are_what_the_committed_results_say():
    page = Path(__file__).parents[2] / "docs" / "reproduction"
    found = simulation_claims.check(page, experiments.NAMES)
    assert len(found) == 12
    assert simulation_claims.markdown(found) == (page / "claims.md").read_text()
