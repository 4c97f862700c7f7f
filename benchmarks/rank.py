"""Does select_rank find the number of topics that the data were made with? The paper's scenarios at 500 x 500.

python benchmarks/rank.py [--trials 10] [--jobs 2] [--keep rank-trials] [--out docs/rank_figures.md]

Finished trials are kept in the folder, so the same command goes on after an interruption.
"""

from __future__ import annotations

import argparse
import os
import time
from pathlib import Path
from typing import Any

from common import machine, median, say, table
from fingerprint import mark

TRUTHS = (5, 15, 30)
FAR = (1, 2, 3, 5, 8, 12, 20, 25, 40)  # tried besides those near the truth
SIZE = 500
CASES = ((1, 0.3), (2, 0.3), (3, 0.3), (3, 0.001))  # scenario, noise
NEAR = 1


def trial(task: list[Any]) -> dict[str, Any]:
    """The rank taken, the rank that comes nearest to X without its noise, and how many topics stand out of the noise."""
    import numpy as np

    from sonmf import SONMF, select_rank
    from sonmf.simulate import continuous

    scenario, noise, truth, seed = task
    candidates = sorted({*FAR, *range(truth - 3, truth + 4)})
    X, F, G = continuous(scenario, SIZE, SIZE, truth, noise=noise, random_state=seed)
    began = time.process_time()
    choice = select_rank(SONMF(), X, candidates, random_state=seed)
    seconds = time.process_time() - began
    signal = G @ F.T
    U, d, V = np.linalg.svd(X)
    distance = [np.linalg.norm((U[:, :k] * d[:k]) @ V[:k] - signal) for k in candidates]
    limit = noise * np.sqrt(
        SIZE
    )  # of singular values: below it no trace is left of a direction (Baik, Ben Arous and Peche 2005)
    return {
        "rank": choice.rank,
        "nearest": candidates[int(np.argmin(distance))],
        "visible": int((np.linalg.svd(signal, compute_uv=False)[:truth] > limit).sum()),
        "milliseconds": 1e3 * seconds / choice.curve.errors.size,
    }


def report(trials: int, jobs: int, keep: Path) -> str:
    """A row for each scenario and truth."""
    from sonmf import jobs as shared_out

    cells = [(scenario, noise, truth) for scenario, noise in CASES for truth in TRUTHS]
    tasks = {keep / f"{s}-{noise}-{k}-{seed}.json": [s, noise, k, seed] for seed in range(trials) for s, noise, k in cells}
    found = shared_out.run(trial, tasks, jobs, lambda task: say(f"scenario, noise, topics, seed: {task}"))
    rows = [_row(cell, [found[path] for path, task in tasks.items() if task[:3] == list(cell)]) for cell in cells]
    head = [
        "scenario",
        "noise",
        "topics",
        "taken",
        f"within {NEAR} of them",
        "nearest to the signal",
        "visible",
        "ms of CPU a fit",
    ]
    return table(head, rows)


def _row(cell: tuple[int, float, int], rows: list[dict[str, Any]]) -> list[str]:
    scenario, noise, truth = cell
    ranks, nearest, visible = ([row[name] for row in rows] for name in ("rank", "nearest", "visible"))
    hits = sum(abs(rank - truth) <= NEAR for rank in ranks)
    time_of_a_fit = median([row["milliseconds"] for row in rows])
    spans = [_span(ranks), f"{hits} of {len(rows)}", _span(nearest), _span(visible)]
    return [str(scenario), f"{noise:g}", str(truth), *spans, f"{time_of_a_fit:.0f}"]


def _span(values: list[int]) -> str:
    low, high = min(values), max(values)
    return str(low) if low == high else f"{low} to {high}"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--trials", type=int, default=10, help="data sets of each scenario and number of topics (default 10)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="processes, one thread each (default: one a core)")
    parser.add_argument("--keep", type=Path, default=Path("rank-trials"), help="folder for finished trials")
    parser.add_argument("--out", type=Path, help="file to write the table to")
    options = parser.parse_args()
    text = report(options.trials, options.jobs, options.keep)
    say(f"{machine()}\n\n{text}")
    if options.out:
        options.out.write_text(f"{mark('rank_figures.md')}\n\n{text}\n")
