"""Binary SONMF: the majoriser against the paper's Newton, and an iteration against its matrix products alone.

python benchmarks/binary.py [--seeds 3]
"""

from __future__ import annotations

import argparse
import time
import warnings
from typing import Any

from binary_pass import products
from common import asked, in_process, machine, median, peak_memory_above, say, seconds, spread, table, verdict

DOCUMENTS, WORDS, TOPICS = 13_084, 5_876, 50
ITERATIONS = 500


# ---- jobs, each run in a fresh process with pinned threads ----


def simulation(k: int, seed: int) -> dict[str, Any]:
    """The paper's binary simulation: iterations and seconds to the true cost and to Newton's cost, and eps_P at the end."""
    import numpy as np

    from sonmf import BinarySONMF, simulate
    from sonmf.metrics import mean_bernoulli_cost, probability_distance

    warnings.simplefilter("ignore")
    X, theta, _, _ = simulate.binary_with_log_odds(500, 500, k, random_state=seed)
    P, true_cost = 1 / (1 + np.exp(-theta)), mean_bernoulli_cost(X, theta)
    BinarySONMF(2, max_iter=1).fit(X)  # compiles

    def run(**parameters: Any) -> tuple[list[float], list[float], float]:
        stamps: list[float] = []
        model = BinarySONMF(k, callback=lambda it: stamps.append(time.perf_counter()), **parameters)
        start = time.perf_counter()
        amounts = model.fit_transform(X)
        distance = probability_distance(model.inverse_transform(amounts), P, squared=False)
        return list(model.cost_history_), [stamp - start for stamp in stamps], distance

    papers = {"solver": "newton", "eta": 0.01, "alpha": 0.0, "intercept": False, "max_iter": ITERATIONS, "tol": 0.0}
    newton, newton_seconds, newton_distance = run(**papers)
    free, free_seconds, _ = run(alpha=0.0, intercept=False, max_iter=ITERATIONS, tol=0.0)
    _, _, default = run()
    _, _, no_intercept = run(intercept=False)
    reach = next(i for i, cost in enumerate(free) if cost <= newton[-1])
    return {
        "newton_to_true": next((i + 1 for i, cost in enumerate(newton) if cost <= true_cost), ITERATIONS),
        "mm_to_true": next(i + 1 for i, cost in enumerate(free) if cost <= true_cost),
        "mm_to_newton": reach + 1,
        "sooner": newton_seconds[-1] / free_seconds[reach],
        "newton_distance": newton_distance,
        "mm_distance": default,
        "mm_distance_no_intercept": no_intercept,
    }


def iteration(k: int, repeats: int) -> dict[str, Any]:
    """Seconds of one majoriser iteration, and of its three matrix products alone over stripes of the best height."""
    import numpy as np

    state, problem, majoriser = _started(k)
    times = [seconds(lambda: majoriser.update(problem, state)) for _ in range(repeats)]
    rng = np.random.default_rng(0)
    F, G = rng.random((WORDS, k)), rng.random((DOCUMENTS, k))
    heights = (32, 64, 128, 256, 512)
    alone = {h: median([seconds(lambda h=h: products(G, F, h)) for _ in range(3)]) for h in heights}
    best = min(alone, key=lambda h: alone[h])
    return {"times": times, "alone": alone[best], "height": best}


def memory(k: int) -> dict[str, Any]:
    from sonmf import BinarySONMF

    warnings.simplefilter("ignore")
    X = _notes()
    BinarySONMF(2, max_iter=1).fit(X[:100])
    factors = (DOCUMENTS + WORDS) * k * 8
    return {"bytes": peak_memory_above(lambda: BinarySONMF(k, max_iter=3).fit_transform(X)), "factors": factors}


def _notes() -> Any:
    from sonmf import simulate

    X = simulate.corpus(DOCUMENTS, WORDS, random_state=0)
    X.data[:] = 1
    return X


def _started(k: int) -> Any:
    import numpy as np

    from sonmf.engines import engine_for
    from sonmf.solvers import binary_starts, majoriser
    from sonmf.solvers.problem import Bernoulli

    X, random = _notes(), np.random.RandomState(0)
    engine = engine_for(X)
    F, mu, G = binary_starts.start(engine, "svd", k, random, intercept=True)
    codes = binary_starts.majoriser_codes(engine, G)
    problem = Bernoulli(engine, alpha=0.01, intercept=True)
    state = majoriser.init_state(problem, (F, mu, codes))
    return majoriser.update(problem, majoriser.update(problem, state)), problem, majoriser


JOBS = {f.__name__: f for f in (simulation, iteration, memory)}


# ---- the report ----


def job(name: str, threads: int = 1, **arguments: Any) -> Any:
    return in_process(__file__, name, threads=threads, **arguments)


def compare_with_newton(seeds: int) -> None:
    say(f"1. simulate.binary, 500 x 500, {seeds} seeds, one thread: mm against the paper's newton, {ITERATIONS} steps of 0.01")
    rows, worst = [], {"true": 0, "newton": 0, "sooner": float("inf"), "distance": float("-inf")}
    for k in (10, 30, 50):
        runs = [job("simulation", k=k, seed=seed) for seed in range(seeds)]
        mean = {name: sum(run[name] for run in runs) / seeds for name in runs[0]}
        worst["true"] = max(worst["true"], *(run["mm_to_true"] for run in runs))
        worst["newton"] = max(worst["newton"], *(run["mm_to_newton"] for run in runs))
        worst["sooner"] = min(worst["sooner"], median([run["sooner"] for run in runs]))
        worst["distance"] = max(worst["distance"], mean["mm_distance"] - mean["newton_distance"])
        distances = [f"{mean[name]:.1f}" for name in ("newton_distance", "mm_distance", "mm_distance_no_intercept")]
        iterations = [f"{mean[name]:.0f}" for name in ("newton_to_true", "mm_to_true", "mm_to_newton")]
        rows.append([str(k), *iterations, f"{median([run['sooner'] for run in runs]):.0f}", *distances])
    header = ["K", "newton to true cost", "mm to true cost", "mm to newton's end", "times sooner"]
    say(table([*header, "eps_P newton", "eps_P mm", "eps_P mm, no intercept"], rows))
    say("   iterations are means over seeds with alpha=0 and no intercept; eps_P is un-squared, mm with default settings")
    say(f"   mm to the true cost in at most 5 iterations: at most {worst['true']}: {verdict(worst['true'], 5, at_most=True)}")
    say(f"   mm to newton's end in at most 15: at most {worst['newton']}: {verdict(worst['newton'], 15, at_most=True)}")
    say(f"   at least 10 times sooner: {worst['sooner']:.0f}: {verdict(worst['sooner'], 10)}")
    say(f"   eps_P no worse than newton's: difference {worst['distance']:.1f}: {verdict(worst['distance'], 0, at_most=True)}")


def compare_with_blas(repeats: int) -> None:
    say(f"\n2. One mm iteration, {DOCUMENTS} x {WORDS}, K={TOPICS}, float64, one thread; median of {repeats} (lowest-highest)")
    r = job("iteration", k=TOPICS, repeats=repeats)
    ratio = median(r["times"]) / r["alone"]
    say(f"   {spread(r['times'])} s; its three matrix products alone {r['alone']:.3g} s (stripes of {r['height']} documents)")
    say(f"   ratio {ratio:.2f} (at most 2: {verdict(ratio, 2, at_most=True)})")
    m = job("memory", threads=2, k=TOPICS)
    if m["bytes"] is None:
        say("   peak memory was not measured: this system has no /proc/self/clear_refs")
    else:
        above = (m["bytes"] - m["factors"]) / 2**20
        say(f"   peak memory of fit_transform above X and the factors, two threads: {above:.0f} MB (under 300: "
            f"{verdict(above, 300, at_most=True)})")  # fmt: skip


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=3, help="data sets of the simulation (default 3)")
    parser.add_argument("--repeats", type=int, default=5, help="timings to take the median of (default 5)")
    if options := asked(parser, JOBS):
        say(f"{machine()}\n")
        compare_with_newton(options.seeds)
        compare_with_blas(options.repeats)
