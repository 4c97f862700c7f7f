"""This machine's ceilings, measured first, and every kernel as a multiple of its own limit.

python benchmarks/roofline.py [--repeats 5]
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from functools import partial
from typing import Any

from binary_pass import binary_pass
from common import DOCUMENTS, RANKS, WORDS, asked, corpus, in_process, machine, median, say, seconds, table, verdict

CACHE_NUMBERS, MEMORY_NUMBERS = 2**14, 2**25  # three arrays: 384 KB in the second-level cache, 768 MB in memory
SIDE = 1500
DENSE = (4000, 2000)
LIMITS = """\
The limit is the longest of three times: 4 operations for each non-zero and topic at the speed of a matrix product; one number
of F read and one of M read and written for each of them at the bandwidth of the second-level cache (the rows of common words
stay in the first level, so a pass can be faster); X once from memory. Aims: pass / limit at most 2, step / iteration below 15%,
SVD start / iteration at most 5. The step in F is two symmetric products and a general one of words x K x K: 4 words K^2
operations, at K = 150 twice as many as the pass has."""


# ---- jobs, each run in a fresh process with pinned threads ----


def ceilings() -> dict[str, float]:
    """Bytes and operations a second: a + s b -> c in memory and in cache, and large matrix products, over all threads."""
    import numpy as np
    from triad import triad

    from sonmf import threads

    found = {}
    for name, numbers in (("memory", MEMORY_NUMBERS), ("cache", CACHE_NUMBERS)):
        arrays = [np.ones((3, numbers)) for _ in range(threads.count())]
        times = max(1, MEMORY_NUMBERS // numbers)
        triad(arrays[0], 1)  # compiles
        passed = min(
            seconds(lambda arrays=arrays, times=times: threads.share(partial(triad, times=times), arrays)) for _ in range(5)
        )
        found[name] = 24.0 * numbers * times * len(arrays) / passed
    for dtype in (np.float64, np.float32):
        A = np.random.default_rng(0).random((SIDE, SIDE)).astype(dtype)
        found[dtype.__name__] = 2.0 * SIDE**3 / min(seconds(lambda A=A: A @ A) for _ in range(5))
    return found


def sparse_pass(k: int, dtype: str, repeats: int) -> dict[str, Any]:
    """One pass, the step in F, and what else an iteration does."""
    import numpy as np

    from sonmf import kernels, stiefel
    from sonmf.engines import engine_for
    from sonmf.solvers import accelerated, starts
    from sonmf.solvers.problem import least_squares

    X = corpus().astype(dtype)
    engine = engine_for(X)
    problem, random = least_squares(engine), np.random.RandomState(0)
    state = accelerated.init_state(problem, starts.start(engine, "svd", k, random))
    for _ in range(3):
        state = accelerated.update(problem, state)
    jobs = {
        "pass": lambda: engine.sweep(kernels.ascent, None, state.point.F),
        "step": lambda: stiefel.polar(state.point.M),
        "iteration": lambda: accelerated.update(problem, state),
        "start": lambda: starts.start(engine, "svd", k, random),
    }
    return {name: timed(action, repeats) for name, action in jobs.items()} | {"nonzeros": X.nnz}


def dense_pass(k: int, repeats: int) -> dict[str, Any]:
    """One dense pass beside its two products alone."""
    import numpy as np

    from sonmf import kernels

    rng = np.random.default_rng(0)
    X, F, G = rng.random(DENSE), rng.random((DENSE[1], k)), rng.random((DENSE[0], k))
    jobs = {"pass": lambda: kernels.ascent(X, None, F), "products": lambda: (X @ F, X.T @ G)}
    return {name: timed(action, repeats) for name, action in jobs.items()}


def timed(action: Callable[[], Any], repeats: int) -> list[float]:
    action()
    return [seconds(action) for _ in range(repeats)]


JOBS = {f.__name__: f for f in (ceilings, sparse_pass, dense_pass)}


# ---- the report ----


def job(name: str, threads: int = 1, **arguments: Any) -> Any:
    return in_process(__file__, name, threads=threads, **arguments)


def sparse_limit(found: dict[str, float], nonzeros: int, k: int, dtype: str) -> tuple[float, str]:
    """The longest of three times that no order of work avoids, and its name.

    4 operations for each non-zero and topic; for each of them a number of F is read and one of M read and written, from cache
    at best; X itself comes from memory once.
    """
    size = {"float64": 8, "float32": 4}[dtype]
    limits = {
        "operations": 4 * nonzeros * k / found[dtype],
        "cache": 3 * nonzeros * k * size / found["cache"],
        "memory": nonzeros * (size + 4) / found["memory"],
    }
    name = max(limits, key=lambda n: limits[n])
    return limits[name], name


def report(repeats: int) -> str:
    one, two = (job("ceilings", threads=t) for t in (1, 2))
    rows = [
        [label, *(f"{found[key] / 1e9:.0f}" for found in (one, two))]
        for key, label in (
            ("memory", "a + s b -> c in memory, GB/s"),
            ("cache", "the same in the second-level cache, GB/s"),
            ("float64", "matrix product in float64, 10^9 operations/s"),
            ("float32", "matrix product in float32, 10^9 operations/s"),
        )
    ]
    text = ["### Ceilings of this machine", "", table(["", "1 thread", "2 threads"], rows), ""]
    return "\n".join([*text, *sparse_report(one, repeats), "", *dense_report(repeats), "", binary_pass(repeats)])


def sparse_report(found: dict[str, float], repeats: int) -> list[str]:
    rows, single = [], {}
    for dtype in ("float64", "float32"):
        for k in RANKS:
            r = job("sparse_pass", k=k, dtype=dtype, repeats=repeats)
            passed, step, whole, start = (median(r[name]) for name in ("pass", "step", "iteration", "start"))
            limit, name = sparse_limit(found, r["nonzeros"], k, dtype)
            single[dtype, k] = whole
            milliseconds = [f"{1e3 * value:.2f}" for value in (passed, step, whole)]
            shares = [f"{passed / limit:.2f}", f"{step / whole:.0%}", f"{start / whole:.1f}"]
            rows.append([dtype, str(k), *milliseconds, f"{1e3 * limit:.2f} ({name})", *shares])
    header = [
        "",
        "K",
        "pass, ms",
        "step in F, ms",
        "iteration, ms",
        "limit of the pass, ms",
        "pass / limit",
        "step / iteration",
    ]
    times = single["float64", RANKS[-1]] / single["float32", RANKS[-1]]
    return [
        f"### The sparse pass, {DOCUMENTS:,} x {WORDS:,} corpus, one thread, medians of {repeats}",
        "",
        table([*header, "SVD start / iteration"], rows),
        "",
        LIMITS,
        "",
        f"An iteration in float32 is {times:.2f} times faster than in float64 at K = {RANKS[-1]} "
        f"(at least 1.6: {verdict(times, 1.6)}).",
    ]


def dense_report(repeats: int) -> list[str]:
    rows = []
    for k in RANKS:
        r = job("dense_pass", k=k, repeats=repeats)
        passed, products = median(r["pass"]), median(r["products"])
        rows.append([str(k), f"{1e3 * passed:.1f}", f"{1e3 * products:.1f}", f"{passed / products:.2f}"])
    title = f"### The dense pass beside its two matrix products alone, {DENSE[0]:,} x {DENSE[1]:,}, float64, one thread"
    return [title, "", table(["K", "pass, ms", "products, ms", "ratio (aim: at most 1.3)"], rows)]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=9, help="timings to take the median of (default 9)")
    if options := asked(parser, JOBS):
        say(f"{machine()}\n\n{report(options.repeats)}")
