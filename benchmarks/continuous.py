"""The solvers of continuous SONMF beside each other: passes, starts, threads and memory, each job in a process of its own.

python benchmarks/continuous.py [--repeats 3]
"""

from __future__ import annotations

import argparse
import warnings
from itertools import product
from typing import Any

from common import asked, corpus, in_process, machine, median, peak_memory_above, say, seconds, spread, table, verdict

CAP = 600
PAPER = {10: 0.0878, 30: 0.0808, 50: 0.0750}  # Table 1, SONMF's average residual in scenario 1


# ---- jobs, each run in a fresh process with pinned threads ----


def whole_fit(k: int, repeats: int) -> dict[str, Any]:
    from sonmf import SONMF

    X = corpus()
    times = [seconds(lambda: SONMF(k).fit(X)) for _ in range(repeats)]
    return {"times": times}


def memory(k: int) -> dict[str, Any]:
    from sonmf import SONMF

    X = corpus()
    return {"bytes": peak_memory_above(lambda: SONMF(k).fit_transform(X)), "allowed": 4 * sum(X.shape) * k * 8 + 50 * 2**20}


def scenario_passes(scenario: int, k: int, cap: int) -> dict[str, Any]:
    """Passes over X until the mean residual is within 1e-4 of the best of all solvers."""
    from sonmf import SONMF, simulate

    warnings.simplefilter("ignore")
    X, _, _ = simulate.continuous(scenario, 500, 500, k, random_state=0)
    paths: dict[str, list[tuple[int, float]]] = {}
    for solver in ("accelerated", "procrustes", "cayley"):
        path: list[tuple[int, float]] = []
        SONMF(
            k, solver=solver, max_iter=cap, tol=0, callback=lambda it, path=path: path.append((it.n_passes, it.objective))
        ).fit(X)
        paths[solver] = path
    best = min(value for path in paths.values() for _, value in path)
    return {s: next((n for n, value in path if value <= best + 1e-4), None) for s, path in paths.items()}


def scenario_ends(k: int) -> dict[str, Any]:
    """Scenario 1 with default settings: from the SVD, from a random start, and the paper's method from a random start."""
    from sonmf import SONMF, simulate

    warnings.simplefilter("ignore")
    X, _, _ = simulate.continuous(1, 500, 500, k, random_state=0)
    fits = {
        "svd": SONMF(k),
        "random": SONMF(k, init="random", random_state=0),
        "cayley": SONMF(k, solver="cayley", init="random", random_state=0, max_iter=500, tol=0),
    }
    return {name: float(model.fit(X).objective_history_[-1]) for name, model in fits.items()}


JOBS = {f.__name__: f for f in (whole_fit, memory, scenario_passes, scenario_ends)}


# ---- the report ----


def job(name: str, threads: int = 1, **arguments: Any) -> Any:
    return in_process(__file__, name, threads=threads, **arguments)


def count_passes() -> None:
    say(f"1. Passes over X until within 1e-4 of the best mean residual, start included, at most {CAP} iterations (500 x 500)")
    rows, ratios = [], []
    for scenario, k in product((1, 2, 3), (10, 30, 50)):
        passes = job("scenario_passes", scenario=scenario, k=k, cap=CAP)
        ratios.append(passes["accelerated"] / (passes["cayley"] or CAP))
        shown = [str(passes[s] or f">{CAP}") for s in ("cayley", "procrustes", "accelerated")]
        rows.append([str(scenario), str(k), *shown, f"{ratios[-1]:.3f}"])
    say(table(["scenario", "K", "cayley", "procrustes", "accelerated", "accelerated / cayley"], rows))
    say(f"   median ratio {median(ratios):.3f} (at most 0.25: {verdict(median(ratios), 0.25, at_most=True)})")
    say(f"   largest ratio {max(ratios):.3f} (at most 0.5: {verdict(max(ratios), 0.5, at_most=True)})")


def compare_starts() -> None:
    say("\n2. Scenario 1 (500 x 500): mean residual from the SVD and from a random orthonormal start")
    rows = []
    for k, paper in PAPER.items():
        end = job("scenario_ends", k=k)
        gap = abs(end["random"] - end["svd"])
        below, near = verdict(end["svd"], paper, at_most=True), verdict(gap, 1e-3, at_most=True)
        rows.append([str(k), f"{end['svd']:.5f}", f"{paper:.4f}", below, f"{end['random']:.5f}", near, f"{end['cayley']:.5f}"])
    say(table(["K", "SONMF()", "paper", "below", "SONMF(), random", "within 1e-3", "cayley, random, 500 iterations"], rows))


def threads_and_memory(repeats: int) -> None:
    say(f"\n3. Threads and memory, generated corpus, K=150; medians of {repeats}")
    one, two = (job("whole_fit", threads=t, k=150, repeats=repeats)["times"] for t in (1, 2))
    ratio = median(one) / median(two)
    say(table(["threads", "seconds for SONMF()"], [["1", spread(one)], ["2", spread(two)]]))
    say(f"   two threads {ratio:.2f} times faster than one (at least 1.5: {verdict(ratio, 1.5)})")
    m = job("memory", threads=2, k=150)
    if m["bytes"] is None:
        say("   peak memory was not measured: this system has no /proc/self/clear_refs")
    else:
        used, allowed = (m[name] / 2**20 for name in ("bytes", "allowed"))
        say(f"   peak memory of fit_transform above X: {used:.0f} MB, at most 4 (n + p) K float64 + 50 MB = {allowed:.0f} MB: "
            f"{verdict(used, allowed, at_most=True)}")  # fmt: skip


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=3, help="timings to take the median of (default 3)")
    if options := asked(parser, JOBS):
        say(f"{machine()}\n")
        count_passes()
        compare_starts()
        threads_and_memory(options.repeats)
