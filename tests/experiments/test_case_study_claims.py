from math import nan

import pytest

from sonmf.experiments import case_study_tables, simulation_claims
from sonmf.experiments.case_study_fits import TOPICS, TableLine

BEST_FIRST = ("sonmf-paper", "semi-nmf", "onmf", "nmf", "binary-sonmf-paper", "logistic-nmf")


def lines_of(order, ks=TOPICS):
    """Lines whose accuracy falls with their place, and grows with K ever more slowly."""
    residuals = {"semi-nmf": 0.1, "sonmf-paper": 0.11, "onmf": 0.12, "nmf": 0.13}
    lines = [
        TableLine(
            method,
            k,
            trials=5,
            accuracy=0.74 - 0.01 * place - 0.1 / k,
            residual=residuals.get(method, nan) - k / 10_000,
            G_sparsity=0.0 if method == "semi-nmf" else k / 200,
        )
        for place, method in enumerate(order)
        for k in ks
    ]
    return [*lines, TableLine("words", 0, 5, 0.74)]


def verdicts(lines):
    return {claim.text.split(",")[0]: claim.holds for claim in case_study_tables.check_claims(lines)}


def test_every_claim_holds_where_the_figures_are_as_the_paper_says():
    found = verdicts(lines_of(BEST_FIRST))
    assert len(found) == 8
    assert all(found.values())


def test_a_rival_that_is_better_at_one_number_of_topics_refutes_a_claim():
    lines = [
        line._replace(accuracy=0.75) if (line.method, line.k) == ("semi-nmf", 50) else line for line in lines_of(BEST_FIRST)
    ]
    assert [text for text, holds in verdicts(lines).items() if not holds] == ["SONMF classifies better than NMF"]


@pytest.mark.parametrize("missing", ["sonmf-paper", "semi-nmf", "binary-sonmf-paper", "words"])
def test_a_claim_on_a_method_that_was_not_run_is_not_judged(missing):
    lines = [line for line in lines_of(BEST_FIRST) if line.method != missing]
    found = case_study_tables.check_claims(lines)
    assert len(found) < 8
    assert "nan" not in simulation_claims.markdown(found)


def test_claims_are_judged_at_the_topics_that_all_methods_have():
    lines = [line for line in lines_of(BEST_FIRST) if (line.method, line.k) != ("nmf", 30)]
    (better,) = (claim for claim in case_study_tables.check_claims(lines) if claim.text.startswith("SONMF classifies"))
    assert "K = 10 / 50 / 100 / 150:" in better.figures
