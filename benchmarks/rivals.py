"""SONMF, NMF, ONMF and Semi-NMF on the paper's three scenarios, beside its Tables 1-3, and what was tried where they differ.

python benchmarks/rivals.py [--seeds 5] [--paper FILE]

500 x 500, K = 10, 30, 50, 500 iterations (tol=0). Jobs run two at a time, each in a process of its own with one thread.
"""

from __future__ import annotations

import argparse
import csv
import statistics
import time
import warnings
from concurrent.futures import ThreadPoolExecutor, as_completed
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

from common import asked, in_process, machine, say, table

RANKS = (10, 30, 50)
ITERATIONS = 500
RULE = 1e-4  # the paper calls a run converged when the mean cost falls by no more than this
NAMES = {
    "SONMF": "SONMF",
    "NMF": "NMF",
    "ONMF": "ONMF",
    "SemiNMF 0.2": "SemiNMF, K-means, offset 0.2",
    "SemiNMF 0.4": "SemiNMF, K-means, offset 0.4",
    "SemiNMF svd": 'SemiNMF, init="svd"',
}
TRIALS = {
    "NMF random": "NMF, random start",
    "NMF one sign": "NMF, SVD start, one sign for all columns, the first positive",
    "NMF flipped": "NMF, the same, the first negative and so clipped away",
    "ONMF random": "ONMF, random start",
    "ONMF one sign": "ONMF, SVD start, one sign for all columns, the first positive",
    "ONMF flipped": "ONMF, the same, the first negative and so clipped away",
    "SemiNMF 1.0": "SemiNMF, K-means, offset 1.0",
    "SONMF cayley": 'SONMF, solver="cayley"',
}


# ---- the job, run in a fresh process with pinned threads ----


def residuals(scenario: int, k: int, seed: int) -> dict[str, list[float]]:
    """For each method: the residual after the last iteration, with the best G for its F, and where the paper's rule is met."""
    import numpy as np

    from sonmf import NMF, ONMF, SONMF, SemiNMF
    from sonmf.simulate import continuous

    warnings.simplefilter("ignore")
    X, _, _ = continuous(scenario, 500, 500, k, random_state=seed)
    common: dict[str, Any] = {"max_iter": ITERATIONS, "tol": 0, "random_state": seed}
    models: dict[str, Any] = {
        "SONMF": SONMF(k, **common),
        "SONMF cayley": SONMF(k, solver="cayley", **common),
        "SemiNMF svd": SemiNMF(k, init="svd", **common),
    }
    models |= {f"SemiNMF {offset}": SemiNMF(k, offset=offset, **common) for offset in (0.2, 0.4, 1.0)}
    if scenario != 3:  # there half of X is negative, which NMF and ONMF cannot take
        V = np.linalg.svd(X, full_matrices=False)[2][:k].T
        V *= np.sign(V[:, 0].sum())
        flips = {"one sign": np.maximum(V, 1e-10), "flipped": np.maximum(-V, 1e-10), "random": "random"}
        for method in (NMF, ONMF):
            models[method.__name__] = method(k, init="svd", **common)
            models |= {f"{method.__name__} {name}": method(k, init=init, **common) for name, init in flips.items()}
    found = {}
    for name, model in models.items():
        path = model.fit(X).objective_history_
        fall = -np.diff(path)
        met = np.flatnonzero((fall >= 0) & (fall <= RULE))
        stop = int(met[0]) + 1 if len(met) else len(path) - 1
        found[name] = [float(path[-1]), model.reconstruction_err_**2 / X.size, float(path[stop]), stop + 1]
    return found


JOBS = {"residuals": residuals}


# ---- the report ----


def run_all(seeds: int, workers: int) -> dict[tuple[int, int], dict[str, list[list[float]]]]:
    """Results of all seeds for each scenario and K, by method."""
    found: dict[tuple[int, int], dict[str, list[list[float]]]] = {}
    start, count = time.perf_counter(), 0
    cells = list(product((1, 2, 3), RANKS, range(seeds)))
    with ThreadPoolExecutor(workers) as pool:
        submit = partial(pool.submit, in_process, __file__, "residuals", threads=1)
        futures = {submit(scenario=s, k=k, seed=seed): (s, k) for s, k, seed in cells}
        for future in as_completed(futures):
            by_method = found.setdefault(futures[future], {})
            for name, values in future.result().items():
                by_method.setdefault(name, []).append(values)
            count += 1
            if count % 10 == 0 or count == len(cells):
                say(f"   {count} of {len(cells)} data sets, {time.perf_counter() - start:.0f} s")
    return found


def published(file: Path) -> dict[tuple[int, str, int], float]:
    if not file.is_file():
        say(f"{file} is absent: no figures of the paper to stand beside ours")
        return {}
    with file.open(newline="") as lines:
        rows = list(csv.DictReader(lines))
    return {(int(r["scenario"]), r["method"].replace("-", ""), int(r["k"])): float(r["average_residual"]) for r in rows}


def mean(values: list[float], digits: int = 4) -> str:
    error = statistics.stdev(values) / len(values) ** 0.5 if len(values) > 1 else float("nan")
    return f"{statistics.fmean(values):.{digits}f} ({error:.{digits}f})"


def column(runs: list[list[float]], place: int) -> list[float]:
    return [run[place] for run in runs]


def rows_of(found: Any, paper: dict[tuple[int, str, int], float], names: dict[str, str]) -> list[list[str]]:
    rows = []
    for scenario, (name, shown), k in product((1, 2, 3), names.items(), RANKS):
        if name not in found[scenario, k]:
            continue
        runs = found[scenario, k][name]
        ours, best, rule, stop = (column(runs, place) for place in range(4))
        gap = max(abs(a - b) for a, b in zip(ours, best, strict=True))
        theirs = paper.get((scenario, name.split()[0], k))
        beside = ["", ""] if theirs is None else [f"{theirs:.4f}", f"{statistics.fmean(ours) - theirs:+.4f}"]
        solved = mean(best) if gap >= 5e-5 else "the same"
        capped = "+" if max(stop) == ITERATIONS else ""
        rows.append(
            [str(scenario), shown, str(k), mean(ours), *beside, solved, f"{mean(rule)} at {statistics.fmean(stop):.0f}{capped}"]
        )
    return rows


def main(seeds: int, workers: int, file: Path) -> None:
    start = time.perf_counter()
    say(f"{machine()}\n")
    paper = published(file)
    found = run_all(seeds, workers)
    header = ["scenario", "method", "K", "average residual", "paper", "ours - paper", "with the best G", "at the paper's rule"]
    say(f"\n1. Average residual after {ITERATIONS} iterations, mean of {seeds} seeds (standard error); NMF and ONMF from the")
    say("   clipped SVD. With the best G: the same F, with G solved for. At the paper's rule: when the residual first falls by")
    say(f"   at most 1e-4, and after how many iterations on average (+: some runs did not get there in {ITERATIONS}).")
    say(table(header, rows_of(found, paper, NAMES)))
    say("\n2. What else was tried")
    say(table(header, rows_of(found, paper, TRIALS)))
    say(f"\n{time.perf_counter() - start:.0f} s in all")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=5, help="data sets for each scenario and K (default 5)")
    parser.add_argument("--workers", type=int, default=2, help="processes at a time, one thread each (default 2)")
    beside = Path(__file__).resolve().parents[2] / "shared" / "paper" / "simulation_continuous.csv"
    parser.add_argument("--paper", type=Path, default=beside, help="the paper's figures (default ../shared/paper/...)")
    if options := asked(parser, JOBS):
        main(options.seeds, options.workers, options.paper)
