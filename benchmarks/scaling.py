"""Beyond one machine: the overhead of dask, the constants of the cost model, and what it says about 100 million notes.

python benchmarks/scaling.py [--part overhead|constants|check|predict] [--constants FILE]

The model of one iteration on w workers, with z non-zeros, p words and k topics (b = 8 p k bytes, F or one worker's sums):

    seconds = a z k / w  +  c0 + c1 w  +  hops(w) b / r  +  d p k^2

a: one worker's arithmetic; c0 + c1 w: tasks and messages; b/r: one transfer of F or of sums; d p k^2: F's step on the driver.
Transfers that wait for each other: F from the driver to the scheduler and on to a worker, from worker to worker in ceil(log2 w)
rounds, sums into a node of the tree one after another (at most 7 of its fan-in of 8) at each of ceil(log8 w) levels, and home.
"""

from __future__ import annotations

import argparse
import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse
from common import machine, median, say, seconds, spread, table, verdict

from sonmf import threads

WORDS_IN_A_NOTE = 57
FAN_IN = 8
NOTES, WORDS, TOPICS = 100_000_000, 20_000, 50


def block(seed: int, rows: int, p: int) -> Any:
    """Documents a worker makes for itself, the same for the same seed."""
    rng = np.random.default_rng(seed)
    columns = np.sort((p * rng.random((rows, WORDS_IN_A_NOTE)) ** 3).astype(np.int32), axis=1)
    pointers = np.arange(0, columns.size + 1, WORDS_IN_A_NOTE, dtype=np.int32)
    X = scipy.sparse.csr_array((rng.random(columns.size), columns.ravel(), pointers), shape=(rows, p))
    X.sum_duplicates()
    return X


def on_dask(blocks: int, rows: int, p: int) -> Any:
    import dask
    import dask.array as da

    return da.concatenate(
        [da.from_delayed(dask.delayed(block)(seed, rows, p), (rows, p), dtype=float) for seed in range(blocks)]
    )


def cluster_seconds(workers: int, blocks: int, rows: int, p: int, k: int, iterations: int = 6) -> list[float]:
    """Seconds of each iteration on a cluster of its own, the first one left out."""
    from sonmf.engines.dask import local_client

    with local_client(workers):
        fit = Iterations(on_dask(blocks, rows, p), p, k)
        return [fit.turn() for _ in range(iterations)][1:]


# ---- 1. the overhead of dask ----


def overhead(rows: int, rounds: int) -> None:
    from sonmf.engines.dask import local_client

    p, k, blocks = 5_000, 100, 8
    with local_client(2):
        there = Iterations(on_dask(blocks, rows, p), p, k)
        X = scipy.sparse.vstack([block(seed, rows, p) for seed in range(blocks)], format="csr")
        here = Iterations(X, p, k)
        say(f"1. SONMF on {X.shape[0]} x {p}, {X.nnz / 1e6:.0f} million non-zeros, K={k}: seconds an iteration,")
        say(f"   median of {rounds} (lowest-highest), a turn here and a turn there")
        times = np.array([[here.turn(), there.turn()] for _ in range(rounds)])
    ratio = median((times[:, 1] / times[:, 0]).tolist())
    say(f"   in memory, two threads {spread(times[:, 0])}; dask, two worker processes {spread(times[:, 1])}")
    say(
        f"   dask takes {ratio:.2f} times as long, median over the turns (at most 1.25: {verdict(ratio, 1.25, at_most=True)})\n"
    )


class Iterations:
    """A fit that goes one iteration at a time."""

    def __init__(self, X: Any, p: int, k: int) -> None:
        from sonmf.engines import engine_for
        from sonmf.solvers import accelerated
        from sonmf.solvers.problem import least_squares

        self.solver, self.problem = accelerated, least_squares(engine_for(X))
        self.state = accelerated.init_state(self.problem, np.linalg.qr(np.random.default_rng(0).standard_normal((p, k)))[0])

    def turn(self) -> float:
        """Seconds of one iteration."""

        def step() -> None:
            self.state = self.solver.update(self.problem, self.state)

        with threads.serial_blas():  # as in a fit: BLAS's threads would spin on the workers' cores
            return seconds(step)


# ---- 2. the constants ----


def constants() -> dict[str, float]:
    """Each constant from runs in which the other terms are small or known, the lowest of several: others use this machine."""
    from sonmf.stiefel import polar

    M = np.random.default_rng(0).standard_normal((WORDS, TOPICS))
    d = min(seconds(lambda: polar(M)) for _ in range(10)) / (WORDS * TOPICS**2)
    small = {w: min(cluster_seconds(w, w, 50, 100, 2, 30)) for w in (1, 2, 4)}
    c1 = max((small[4] - small[1]) / 3, 0.0)
    p = 5 * WORDS
    wide = min(cluster_seconds(2, 2, 50, p, TOPICS, 10)) - small[2] - d * p * TOPICS**2
    found = {"a": 0.0, "c0": small[1] - c1, "c1": c1, "r": 8 * p * TOPICS * hops(2) / wide, "d": d}
    rest = sum(predicted(found, 0, WORDS, TOPICS, 1).values())
    nonzeros = 4 * block(0, 50_000, WORDS).nnz
    found["a"] = (min(cluster_seconds(1, 4, 50_000, WORDS, TOPICS, 8)) - rest) / (nonzeros * TOPICS)
    shown = {
        "a": f"{found['a']:.2g} s",
        "c_0": f"{1e3 * found['c0']:.2g} ms",
        "c_1": f"{1e3 * found['c1']:.2g} ms",
        "r": f"{found['r'] / 1e9:.2g} GB/s",
        "d": f"{found['d']:.2g} s",
    }
    say("2. Constants of the model\n")
    say(table(["constant", "value"], [[f"${name}$", value] for name, value in shown.items()]) + "\n")
    return found


def hops(workers: int) -> int:
    """Transfers of F or of sums that wait for each other."""
    levels = math.ceil(math.log(workers, FAN_IN)) if workers > 1 else 0
    return 3 + math.ceil(math.log2(workers)) + (min(FAN_IN, workers) - 1) * levels


def predicted(c: dict[str, float], z: float, p: int, k: int, workers: int, cores: float = math.inf) -> dict[str, float]:
    """The terms of the model; on one machine no more workers compute at a time than it has cores."""
    return {
        "arithmetic": c["a"] * z * k / min(workers, cores),
        "messages": c["c0"] + c["c1"] * workers,
        "transfers": 8 * p * k / c["r"] * hops(workers),
        "F's step": c["d"] * p * k**2,
    }


# ---- 3. the model against runs ----


def check(c: dict[str, float], cores: int) -> None:
    say(f"3. The model against runs here ({cores} cores): seconds an iteration, lowest of 9\n")
    lines = []
    for workers, p, k in [(w, p, k) for p, k in ((2_000, 50), (20_000, 50)) for w in (1, 2, 4)]:
        z = 8 * block(0, 20_000, p).nnz
        seen = min(cluster_seconds(workers, 8, 20_000, p, k, 10))
        said = sum(predicted(c, z, p, k, workers, cores).values())
        lines.append([str(workers), f"{p:,}", f"{z / 1e6:.1f}", f"{seen:.3f}", f"{said:.3f}", f"{said / seen:.2f}"])
    say(table(["workers", "words", "million entries", "measured, s", "model, s", "model / measured"], lines) + "\n")


# ---- 4. past this machine ----


def predict(c: dict[str, float]) -> None:
    def terms(workers: int) -> dict[str, float]:
        return predicted(c, NOTES * 40.0, WORDS, TOPICS, workers)

    def line(workers: int) -> list[str]:
        total = sum(terms(workers).values())
        share = terms(workers)["arithmetic"] / total
        return [f"{workers:,}", *(f"{term:.2g}" for term in terms(workers).values()), f"{total:.2g}", f"{share:.0%}"]

    say(f"4. SIMULATED by the model, not run: {NOTES // 10**6} million notes of 40 distinct words, p={WORDS}, K={TOPICS}\n")
    header = ["workers", "arithmetic", "messages", "transfers", "step in F", "seconds an iteration", "spent on arithmetic"]
    say(table(header, [line(workers) for workers in (10, 100, 1000)]) + "\n")
    many = range(1, 10**4)
    fastest = min(many, key=lambda w: sum(terms(w).values()))
    half = next(w for w in many if 2 * terms(w)["arithmetic"] < sum(terms(w).values()))
    caught_up = next(w for w in many if terms(w)["transfers"] > terms(w)["arithmetic"])
    say(f"   fastest with {fastest} workers; arithmetic is less than half of an iteration from {half} workers on,")
    say(f"   and the transfers take longer than it from {caught_up} on")


def main(part: str | None, rows: int, rounds: int, file: Path) -> None:
    say(f"{machine()}\n")
    if part in (None, "overhead"):
        overhead(rows, rounds)
    if part in (None, "constants"):
        file.write_text(json.dumps(constants()))
    if part in (None, "check"):
        import os

        check(json.loads(file.read_text()), os.cpu_count() or 1)
    if part in (None, "predict"):
        predict(json.loads(file.read_text()))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--part", choices=["overhead", "constants", "check", "predict"], help="one part alone")
    parser.add_argument("--rows", type=int, default=150_000, help="documents in each of the 8 blocks of part 1")
    parser.add_argument("--rounds", type=int, default=15, help="turns of part 1")
    parser.add_argument("--constants", type=Path, default=Path("scaling.json"), help="where part 2 leaves its constants")
    options = parser.parse_args()
    main(options.part, options.rows, options.rounds, options.constants)
