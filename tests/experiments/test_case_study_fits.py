import json

import numpy as np
import pandas as pd
import pytest
from wards import ward

from sonmf.engines import engine_for
from sonmf.experiments import (
    authors_solvers,
    authors_words,
    case_study_fits,
    case_study_methods,
    case_study_tables,
    paper_tables,
    triage_study,
)
from sonmf.experiments.case_study_fits import ALL_ROWS, COMPLAINT, FOLDS, TOPICS, CaseStudyFit
from sonmf.experiments.case_study_methods import METHODS
from sonmf.solvers import newton
from sonmf.solvers.problem import Bernoulli

NOTES, DISPOSITIONS, _ = ward(300)
ADMITTED = np.array([disposition == "admitted" for disposition in DISPOSITIONS], float)


def test_a_plan_has_every_fold_of_every_trial_once_and_all_rows_where_they_say_something_new():
    plan = case_study_fits.plan(["sonmf-paper", "semi-nmf", "words"], [10, 30], 7)
    assert len(plan) == len(set(plan)) == len({fit.name for fit in plan})
    folds = [fit for fit in plan if fit.fold != ALL_ROWS]
    assert len(folds) == 7 * FOLDS * (2 + 2 + 1)
    whole = [(fit.method, fit.trial) for fit in plan if fit.fold == ALL_ROWS and fit.n_topics == 10]
    assert [trial for method, trial in whole if method == "sonmf-paper"] == [0]  # its start is not drawn
    assert len([method for method, _ in whole if method == "semi-nmf"]) == case_study_fits.STARTS


@pytest.fixture
def quick(monkeypatch):
    """Fits that are short: what they come to is not asked for."""
    for name, value in (("ITERATIONS", 15), ("ITERATIONS_OF_ALL", 20), ("INNER_FOLDS", 3)):
        monkeypatch.setattr(case_study_fits, name, value)


@pytest.fixture(scope="module")
def study():
    return authors_words.counts(NOTES)[0], ADMITTED, 0


@pytest.mark.parametrize(
    "method", ["sonmf-paper", "nmf", "onmf", "semi-nmf", "binary-sonmf-paper", "logistic-nmf", "svd", "semi-nmf-full"]
)
def test_a_method_factorises_the_training_rows_and_all_rows(method, study, quick):
    whole = case_study_fits.run_fit(CaseStudyFit(method, 3, 0, ALL_ROWS), *study)
    assert 0 < whole["residual"] < 1
    assert 0 <= whole["F_sparsity"] <= 1
    fold = case_study_fits.run_fit(CaseStudyFit(method, 3, 0, 1), *study)
    assert 0.3 < fold["accuracy"] <= 1
    assert fold["lasso_seconds"] <= fold["seconds"]
    assert case_study_fits.run_fit(CaseStudyFit(method, 3, 0, 1), *study)["accuracy"] == fold["accuracy"]
    json.dumps(fold)


def test_what_the_paper_calls_the_residual_is_that_of_its_factors(study):
    X = authors_words.weighted(study[0])
    for name in ("sonmf-paper", "nmf", "onmf", "semi-nmf"):
        F, G, error = case_study_methods.fit(METHODS[name], X, 4, np.random.RandomState(0), 20)
        assert error == pytest.approx(np.mean((X.toarray() - G @ F.T) ** 2), rel=1e-9)
        assert G.min() >= 0
    assert np.abs(case_study_methods.fit(METHODS["sonmf-paper"], X, 4, np.random.RandomState(0), 20)[0]).max() <= 1
    B = authors_words.present(study[0])
    for name in ("binary-sonmf-paper", "binary-sonmf-monotone", "logistic-nmf", "logistic-nmf-full"):
        F, G, cost = case_study_methods.fit(METHODS[name], B, 4, np.random.RandomState(0), 20)
        theta = G @ F.T
        assert cost == pytest.approx(np.mean(np.logaddexp(0, theta) - B.toarray() * theta), rel=1e-4)


def test_the_authors_search_lets_the_gain_of_g_pay_for_a_longer_step_of_f(study):
    X = authors_words.present(study[0]).astype(float)
    engine = engine_for(X)
    problem = Bernoulli(engine)
    ours, authors_own = (
        newton.Newton(case_study_methods.NEWTON_STEP),
        authors_solvers.AuthorsNewton(case_study_methods.NEWTON_STEP),
    )
    state = ours.init_state(problem, case_study_methods.oriented_with_codes(engine, 4, np.random.RandomState(0), X))
    longer = 0
    for _ in range(8):
        monotone, theirs = ours.update(problem, state), authors_own.update(problem, state)
        assert theirs.point.cost < state.point.cost
        assert theirs.tau >= monotone.tau
        longer += theirs.tau > monotone.tau
        state = theirs
    assert longer


def naive_lognmf(X, F, G, step, iterations, fall):
    """F moves, then G; the end is where the cost falls by no more than ``fall``."""
    cost = np.inf
    for _ in range(iterations):
        F = np.maximum(F + step * (X - 1 / (1 + np.exp(-G @ F.T))).T @ G, 0)
        G = G + step * (X - 1 / (1 + np.exp(-G @ F.T))) @ F
        theta = G @ F.T
        before, cost = cost, np.mean(np.logaddexp(0, theta) - X * theta)
        if before - cost <= fall:
            break
    return F, cost


@pytest.mark.parametrize(("step", "fall"), [(0.02, 0.0), (0.0005, 1e-3), (0.0005, 0.0)])
def test_lognmf_moves_f_first_and_ends_where_its_cost_has_ceased_to_fall(study, step, fall):
    X = authors_words.present(study[0])
    method = METHODS["logistic-nmf"]._replace(solver=authors_solvers.AuthorsLogistic(step))
    F, _, cost = case_study_methods.fit(method, X, 3, np.random.RandomState(0), 30, fall)
    random = np.random.RandomState(0)
    start = np.maximum(random.standard_normal((X.shape[1], 3)), 1e-10), random.standard_normal((X.shape[0], 3))
    expected, lowest = naive_lognmf(X.toarray(), *start, step, 30, fall)
    assert cost == pytest.approx(lowest, rel=1e-3)
    np.testing.assert_allclose(F, expected, atol=1e-3)


@pytest.mark.parametrize("name", ["nmf", "onmf", "semi-nmf"])
def test_at_full_strength_a_rival_ends_no_higher_than_from_the_authors_start(study, name):
    X = authors_words.weighted(study[0])
    *_, theirs = case_study_methods.fit(METHODS[name], X, 6, np.random.RandomState(3), case_study_fits.ITERATIONS_OF_ALL)
    *_, full = case_study_methods.fit(METHODS[f"{name}-full"], X, 6, np.random.RandomState(3), 1)
    assert full <= theirs * (1 + 1e-4)  # ONMF is not monotone to the last digit


def test_a_start_from_the_svd_does_not_depend_on_the_signs_that_a_library_returns(study, monkeypatch):
    X = authors_words.weighted(study[0])
    first = case_study_methods.singular_vectors(X, 5)
    svds = case_study_methods.svds

    def turned(*arguments, **options):
        U, values, V = svds(*arguments, **options)
        return -U, values, -V

    monkeypatch.setattr(case_study_methods, "svds", turned)
    np.testing.assert_array_equal(case_study_methods.singular_vectors(X, 5), first)
    assert first[:, 0].sum() > 0


def test_fits_are_found_again_and_other_notes_refused(tmp_path, quick):
    heard = []
    settings = {"chosen": ["svd"], "n_topics": [3], "seed": 0, "processes": 1, "folder": tmp_path}
    case_study_fits.run(NOTES, ADMITTED, trials=1, advance=lambda total, fit: heard.append(total), **settings)
    assert heard == [6] * 6
    stamps = {path: path.stat().st_mtime_ns for path in (tmp_path / "fits").iterdir()}
    case_study_fits.run(NOTES, ADMITTED, trials=1, advance=lambda total, fit: None, **settings)
    assert {path: path.stat().st_mtime_ns for path in (tmp_path / "fits").iterdir()} == stamps
    assert len(case_study_fits.finished(tmp_path)) == 6
    with pytest.raises(ValueError, match="other notes or settings"):
        case_study_fits.run(NOTES[1:], ADMITTED[1:], trials=1, advance=lambda total, fit: None, **settings)


def made_up(trials=4):
    """Fits of every method and K, as good as the trial says."""
    random = np.random.default_rng(0)
    rows = []
    for method in METHODS:
        for k in [0] if method in case_study_fits.WORDS else TOPICS:
            for trial in range(trials):
                accuracy = 0.7 + 0.01 * random.standard_normal()
                rows += [
                    {"method": method, "n_topics": k, "trial": trial, "fold": fold, "accuracy": accuracy,
                     "accuracy_min": accuracy, "seconds": 12.0}
                    for fold in range(FOLDS)
                ]  # fmt: skip
            if k:
                rows.append(
                    {"method": method, "n_topics": k, "trial": 0, "fold": ALL_ROWS, "residual": 0.1, "F_sparsity": 0.0,
                     "G_sparsity": 0.25, "seconds": 1.0}
                )  # fmt: skip
    return pd.DataFrame(rows)


def test_the_table_has_thirty_lines_each_beside_the_papers_cell(tmp_path):
    rows = made_up()
    found = case_study_tables.write(rows, tmp_path)
    head, body = found["table.md"]
    assert len(body) == 30
    assert all(len(line) == len(head) for line in body)
    printed = paper_tables.triage()
    assert body[0][:4] == ["SONMF", "10", "0.1000", printed[COMPLAINT, "sonmf", 10]["residual_or_cost"]]
    assert body[-1][9] == printed[COMPLAINT, "logistic-nmf", 150]["lasso_accuracy_pct"]
    assert [line[2] for line in found["words.md"][1]] == ["73.96", "73.66"]
    assert body[0][-1] == "10.0"  # 12 s x 100 fits on two cores
    assert (tmp_path / "table.md").read_text().count("\n") == 32
    assert len(pd.read_csv(tmp_path / "results.csv")) == len(rows)


def test_a_difference_is_measured_in_errors_of_both_means():
    rows = made_up()
    lines = case_study_fits.summary(rows)
    trials = rows[rows["fold"] == 0].groupby(["method", "n_topics"])["accuracy"]
    line = next(line for line in lines if (line.method, line.k) == ("nmf", 50))
    assert line.accuracy == pytest.approx(trials.mean()["nmf", 50])
    pooled = trials.var()["nmf"].mean()
    assert case_study_fits.error_of_difference(line, lines) == pytest.approx(np.sqrt(pooled * (1 / 4 + 1 / 20)))
    rows.loc[rows["method"] == "logistic-nmf", "accuracy"] *= rows["trial"] % 2  # another method's spread is its own affair
    wild = case_study_fits.summary(rows)
    assert case_study_fits.error_of_difference(line, wild) == case_study_fits.error_of_difference(line, lines)
    alone = case_study_fits.summary(made_up(trials=1))
    assert np.isnan(case_study_fits.error_of_difference(alone[0], alone))  # one trial has no spread


def test_only_the_papers_own_methods_have_differences_that_need_an_explanation(tmp_path):
    found = case_study_tables.write(made_up(), tmp_path)  # about 70%, far below what the paper prints
    bold = {name: any("**" in cell for line in body for cell in line) for name, (_, body) in found.items()}
    assert bold == {"table.md": True, "words.md": True, "ours.md": False}


def test_a_trial_without_all_its_folds_does_not_count():
    rows = made_up()
    cut = rows[~((rows["method"] == "nmf") & (rows["trial"] == 3) & (rows["fold"] == 2))]
    lines = {(line.method, line.k): line for line in case_study_fits.summary(cut)}
    assert lines["nmf", 10].trials == 3
    assert lines["onmf", 10].trials == 4


def test_minutes_come_from_the_fits_whose_time_is_known():
    rows = made_up()
    rows.loc[(rows["trial"] > 0) & (rows["fold"] != ALL_ROWS), "seconds"] = np.nan
    assert {line.minutes for line in case_study_fits.summary(rows)} == {10.0}
    unknown = rows.assign(seconds=np.nan)
    assert all(cells[-1] == "-" for cells in case_study_tables.table(case_study_fits.summary(unknown), case_study_fits.PRINTED))


def test_the_strict_protocol_is_compared_fold_by_fold():
    rows = made_up()
    strict = rows[(rows["method"] == "svd") & (rows["fold"] != ALL_ROWS)].rename(columns={"trial": "repeat"})
    strict = strict.assign(accuracy=strict["accuracy"] + 0.02, auroc=0.8)
    body = case_study_tables.strict_table(strict, rows)
    assert [line[1] for line in body] == [str(k) for k in TOPICS]
    assert {line[5] for line in body} == {"2.00 ± 0.00"}  # the same in every trial, however the trials differ
    hardly = case_study_tables.strict_table(strict.assign(accuracy=strict["accuracy"] - 0.02 - 1e-9), rows)
    assert {line[5] for line in hardly} == {"0.00 ± 0.00"}  # and never -0.00


def test_every_method_of_the_strict_protocol_has_a_line_to_stand_beside():
    rows = made_up(trials=1)
    names = {strict: case_study_tables.STRICT.get(strict, strict) for strict in triage_study.METHODS}
    strict = pd.concat([rows[rows["method"] == ours].assign(method=name) for name, ours in names.items()])
    strict = strict[strict["fold"] != ALL_ROWS].rename(columns={"trial": "repeat"}).assign(auroc=0.8)
    titles = {line[0] for line in case_study_tables.strict_table(strict, rows)}
    assert titles == {METHODS[ours].title for ours in names.values()}
    assert len(titles) == len(triage_study.METHODS)


def test_the_strict_protocol_is_compared_on_trials_that_both_have_finished():
    rows = made_up(trials=2)
    strict = rows[(rows["method"] == "svd") & (rows["fold"] != ALL_ROWS)].rename(columns={"trial": "repeat"}).assign(auroc=0.8)
    cut = rows[~((rows["method"] == "svd") & (rows["trial"] == 1) & (rows["fold"] > 0))]
    assert {line[-1] for line in case_study_tables.strict_table(strict, cut)} == {"1"}
    assert {line[-1] for line in case_study_tables.strict_table(strict[strict["fold"] + strict["repeat"] > 0], rows)} == {"1"}
