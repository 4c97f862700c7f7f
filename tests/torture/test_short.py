"""A short version of every attack; ``make torture`` runs them at length."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse

from torture import ATTACKS, attack_named, figures, promise_of
from torture.outcome import Outcome, counted
from torture.ugly_matrices import CONTENTS, STORAGES, drawn

ROOT = Path(__file__).parents[2]
SHORT = {
    "ugly_matrices": 0.005,
    "broken_structures": 0.01,
    "model_files": 0.001,
    "kills": 0.01,
    "fuzzed_requests": 0.01,
    "bombs": 0.01,
    "canaries": 0.02,
    "terminal_markup": 0.025,
    "spreadsheet_formulas": 0.08,
}
LONG = ("ugly_matrices", "kills", "bombs", "canaries")


@pytest.mark.parametrize("name", [pytest.param(name, marks=[pytest.mark.long] * (name in LONG)) for name in SHORT])
def test_a_short_attack_is_survived(name):
    outcome = attack_named(name)(SHORT[name], 0)
    assert outcome.survived == outcome.tried, outcome.worst


def test_every_promise_names_a_test_that_exists():
    named = re.findall(r"`(tests/[\w/]+\.py)(?:::(\w+))?`", (ROOT / "docs" / "promises.md").read_text())
    assert len(named) > 20
    for path, test in named:
        assert f"def {test}(" in (ROOT / path).read_text(), f"{path}::{test}"


def test_every_attack_has_a_short_version_and_its_figures():
    found = (ROOT / "docs" / "promises_figures.md").read_text()
    assert tuple(SHORT) == ATTACKS
    assert [promise_of(name) in found for name in ATTACKS] == [True] * len(ATTACKS)


@pytest.mark.parametrize("storage", STORAGES)
@pytest.mark.parametrize("content", ["plain", "float32", "int8", "uint64 at its largest"])
def test_an_ugly_matrix_is_the_one_that_was_drawn_however_it_is_stored(content, storage):
    X = CONTENTS[content](drawn(np.random.default_rng(0)))
    stored = STORAGES[storage](X)
    if scipy.sparse.issparse(stored) and hasattr(stored, "indptr"):
        stored.prune()  # what lies behind the last row does not count
    found = stored.toarray() if scipy.sparse.issparse(stored) else stored
    np.testing.assert_allclose(np.asarray(found, float), np.asarray(X, float))


def test_faults_are_counted_and_the_most_frequent_are_named():
    outcome = counted(["", "a", "b", "a", "", "c", "d", "b", "a"])
    assert outcome == Outcome(9, 2, "3 x a; 2 x b; 1 x c; 1 other kinds")
    assert counted(["", ""]) == Outcome(2, 2)


def test_what_was_tried_before_an_interrupt_counts():
    def trials():
        yield from ["", "a", ""]
        raise KeyboardInterrupt

    assert counted(trials()) == Outcome(3, 2, "1 x a")


def test_the_costs_of_rounds_are_the_largest_of_any():
    total = Outcome(2, 2, "", 0.5, 9.0).and_then(Outcome(3, 2, "one", 1.25, 4.0))
    assert (total, total.at_most) == (Outcome(5, 4, "one", 1.25, 9.0), "1.2 GB, 9 s")


def test_the_figures_of_attacks_that_were_not_run_are_kept(tmp_path):
    path = tmp_path / "figures.md"
    figures.write(path, {name: Outcome(10, 10) for name in ATTACKS}, seed=3)
    figures.write(path, {ATTACKS[1]: Outcome(2000, 1999, "one"), ATTACKS[2]: Outcome(0, 0)}, seed=4)
    rows = path.read_text().splitlines()[2:]
    assert [promise_of(name) in row for name, row in zip(ATTACKS, rows, strict=True)] == [True] * len(ATTACKS)
    assert ["| 2,000 | 1,999 |  | 4 |" in row for row in rows] == [False, True] + [False] * (len(ATTACKS) - 2)
