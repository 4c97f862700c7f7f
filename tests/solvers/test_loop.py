from __future__ import annotations

import itertools
from types import SimpleNamespace

import numpy as np
import pytest

from sonmf import SONMF, simulate
from sonmf.engines import engine_for
from sonmf.solvers import accelerated, loop, procrustes, starts
from sonmf.solvers.problem import least_squares


class Terminal:
    """A standard error that says it is a terminal and remembers what was written to it."""

    def __init__(self):
        self.text = ""

    def isatty(self):
        return True

    def write(self, text):
        self.text += text

    def flush(self):
        pass


@pytest.fixture(scope="module")
def X():
    return simulate.continuous(2, 80, 60, 5, random_state=0)[0]


def run(X, solver=accelerated, **options):
    engine = engine_for(X)
    F = starts.start(engine, "svd", 5, np.random.RandomState(0))
    return loop.run(solver, least_squares(engine), F, **{"max_iter": 500, "rule": loop.Falling(1e-6)} | options)


def test_it_stops_when_an_accepted_iteration_gains_less_than_tol(X):
    seen = []
    result = run(X, callback=lambda it: seen.append(it) and False)
    values = [it.objective for it in seen]
    gains = -np.diff(values)
    accepted = [it.accepted for it in seen][1:]
    assert result.converged
    assert gains[-1] <= 1e-6 * values[-1]
    assert all(gain > 1e-6 * value for gain, value, ok in zip(gains[:-1], values[1:-1], accepted[:-1], strict=True) if ok)
    assert values == [record.objective for record in result.records]


def test_a_restart_is_not_convergence(X):
    seen = []
    run(X, rule=loop.Falling(1e-9), callback=lambda it: seen.append(it) and False)
    restarts = [i for i, it in enumerate(seen) if not it.accepted]
    assert restarts  # this problem does restart
    assert max(restarts) < len(seen) - 1
    for i in restarts:
        assert seen[i].objective == seen[i - 1].objective


def test_topics_have_settled_when_the_last_accepted_iterations_together_turned_each_of_them_by_little(X):
    turns, last, step = [], [], 1

    def see(it):
        nonlocal step
        if last and it.accepted:
            turns.append(max(1, 6 / step) * np.linalg.norm(it.F - last[-1], axis=0))
        step = step + 1 if it.accepted else 1
        last.append(it.F)

    assert run(X, rule=loop.Turning(0.01), callback=see).converged
    turned = np.lib.stride_tricks.sliding_window_view(turns, loop.WINDOW, axis=0).sum(axis=-1).max(axis=1)
    assert turned[-1] <= 0.01 < turned[:-1].min()
    assert np.max(turns, axis=1)[: -loop.WINDOW].min() < 0.01  # one short step, as after a restart, is not enough


def test_one_topic_of_many_that_still_turns_keeps_a_run_going():
    """Ninety-nine topics at rest and one that leaves a saddle: the mean would have settled."""
    rule, F = loop.Turning(0.02), np.eye(120, 100)

    def turned(F, angle):
        Y = F.copy()
        Y[:, 0] = np.cos(angle) * F[:, 0] + np.sin(angle) * np.eye(120)[-1]
        return Y

    points = [SimpleNamespace(F=turned(F, 0.004 * i)) for i in range(20)]
    assert not any(rule(before, point, 9) for before, point in itertools.pairwise(points))
    still = [points[-1]] * (loop.WINDOW + 1)
    assert [rule(before, point, 9) for before, point in itertools.pairwise(still)][-1]


class LeavingASaddle:
    """One topic of three turns, faster and faster, by momentum that restarts every 40 iterations and first takes its time."""

    def init_state(self, problem, start):
        return SimpleNamespace(point=self.at(start), angle=start, age=0, accepted=True)

    def update(self, problem, state):
        if state.age == 40:
            return SimpleNamespace(point=state.point, angle=state.angle, age=0, accepted=False)
        angle = min(state.angle * (1 + 0.006 * (state.age + 1)), np.pi / 2)
        return SimpleNamespace(point=self.at(angle), angle=angle, age=state.age + 1, accepted=True)

    def at(self, angle):
        F = np.eye(10, 3)
        F[:, 0] = np.cos(angle) * np.eye(10)[0] + np.sin(angle) * np.eye(10)[9]
        return SimpleNamespace(F=F, objective=np.cos(angle) ** 2, cost=0.0, held_out=None)


@pytest.mark.parametrize("angle", [0.1, 0.12, 0.15])
def test_a_topic_that_leaves_a_saddle_has_not_settled_because_the_run_restarts(angle):
    problem = SimpleNamespace(engine=SimpleNamespace(passes=0), scale=1.0)
    result = loop.run(LeavingASaddle(), problem, angle, max_iter=500, rule=loop.Turning(0.02))
    assert result.converged
    assert result.state.angle == np.pi / 2


@pytest.mark.parametrize("rule", [loop.Falling, loop.Turning])
def test_tol_zero_ends_at_rounding(X, rule):
    result = run(X, rule=rule(0.0), max_iter=20000)
    assert result.converged
    assert len(result.records) < 20000


def test_the_callback_stops_the_run_and_sees_every_pass(X):
    seen = []
    result = run(X, procrustes, callback=lambda it: seen.append(it) or it.iteration == 7)
    assert result.converged
    assert [it.iteration for it in seen] == list(range(1, 8))
    assert np.array_equal(np.diff([it.n_passes for it in seen]), np.ones(6))  # one pass an iteration
    assert np.array_equal(seen[-1].F, result.state.point.F)


def test_max_iter_is_reported(X):
    assert not run(X, max_iter=3).converged


def test_plain_lines_where_no_terminal_is_attached(X, capsys):
    SONMF(5, verbose=1).fit(X)
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("sonmf: iteration 1 of at most 500, objective 0.")


def test_a_bar_on_a_terminal(X, monkeypatch):
    terminal = Terminal()
    monkeypatch.setattr("sys.stderr", terminal)
    SONMF(5, verbose=1).fit(X)
    assert "sonmf:" in terminal.text
    assert "objective 0." in terminal.text


def test_silence_by_default(X, capsys):
    SONMF(5).fit(X)
    assert capsys.readouterr() == ("", "")
