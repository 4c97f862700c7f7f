"""The GPU: the fused binary kernel against materialised tiles, and continuous SONMF against two CPU cores.

PYTHONPATH=src python benchmarks/gpu.py [--cpu-seconds S] [--small]

Every kernel is checked against float64 before it is timed. ``--cpu-seconds`` is what part 3 took an iteration on two cores,
where the machine with the GPU cannot tell (without numba); ``--small`` tries the script itself on any machine.
"""

from __future__ import annotations

import argparse
import sys
import time
import types
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from common import median, say, spread, table, verdict

try:
    import numba
except ImportError:  # the GPU needs no compiled CPU kernels, only that their modules can be imported
    numba = types.ModuleType("numba")
    numba.njit, numba.get_num_threads = lambda **options: lambda function: function, lambda: 1  # type: ignore[attr-defined]
    sys.modules["numba"] = numba

from sonmf import threads
from sonmf.engines import engine_for
from sonmf.kernels import sigmoid_products
from sonmf.solvers import accelerated, binary_starts, majoriser, starts
from sonmf.solvers.problem import Bernoulli, least_squares

TILES = [(128, 64, 8, 3), (128, 64, 4, 2), (128, 64, 8, 2), (64, 64, 4, 3), (64, 64, 8, 3), (128, 32, 4, 3)]
PRODUCTS = {"TF32": torch.float32, "bf16": torch.bfloat16, "fp16": torch.float16}
ITERATIONS = 30
MATERIALISED = 83.0  # ms an iteration, the straightforward version on an H200


def documents(n: int, p: int, words: int, device: str, binary: bool) -> Any:
    """CSR documents of a few dozen topics, each with its own Zipf-like order of the words."""
    generator = torch.Generator(device).manual_seed(0)
    topic = torch.randint(40, (n, 1), generator=generator, device=device)
    rank = (p * torch.rand((n, words), generator=generator, device=device) ** 3).long().clamp_(max=p - 1)
    column = (rank * (2 * topic + 1) + 97 * topic) % p
    row = torch.arange(n, device=device)[:, None].expand_as(column)
    entries = torch.rand(column.numel(), generator=generator, device=device) + 0.5
    X = torch.sparse_coo_tensor(torch.stack([row.ravel(), column.ravel()]), entries, (n, p)).coalesce()
    values = torch.ones_like(X.values()) if binary else X.values()
    X = torch.sparse_coo_tensor(X.indices(), values, (n, p), is_coalesced=True).to_sparse_csr()
    return torch.sparse_csr_tensor(X.crow_indices().int(), X.col_indices().int(), X.values(), (n, p), check_invariants=False)


def milliseconds(action: Callable[[], Any], device: str, repeats: int = 10) -> list[float]:
    """Times of an action on the device, after two runs to compile and warm up."""
    for _ in range(2):
        action()
    times = []
    for _ in range(repeats):
        _synchronise(device)
        start = time.perf_counter()
        action()
        _synchronise(device)
        times.append(1e3 * (time.perf_counter() - start))
    return times


def _synchronise(device: str) -> None:
    if device == "cuda":
        torch.cuda.synchronize()


def relative_error(actual: Any, expected: Any) -> float:
    return float((actual.double() - expected).norm() / expected.norm())


# ---- 1. the kernel alone ----


def compare_tilings(n: int, p: int, k: int, device: str) -> sigmoid_products.Tiling:
    say(f"1. The fused kernel alone, {n} x {p}, K={k}: milliseconds (median of 10), error against float64 on 20,000 documents")
    generator = torch.Generator(device).manual_seed(1)
    G = torch.rand((n, k), generator=generator, device=device) * 3
    F = torch.linalg.qr(torch.randn((p, k), generator=generator, device=device))[0].contiguous()
    mu, A = torch.randn(p, generator=generator, device=device) - 5, torch.rand((n, k), generator=generator, device=device)
    exact = float64_sums(G[:20_000], F, mu, A[:20_000])
    found, lines = {}, []
    for name, product in PRODUCTS.items():
        for shape in TILES:
            tiling = sigmoid_products.Tiling(*shape, product)
            try:
                part = [
                    *sigmoid_products.rows(G[:20_000], F, mu, tiling),
                    *sigmoid_products.columns(G[:20_000], F, mu, A[:20_000], tiling),
                ]
                times = [
                    median(milliseconds(lambda t=tiling: sigmoid_products.rows(G, F, mu, t), device)),
                    median(milliseconds(lambda t=tiling: sigmoid_products.columns(G, F, mu, A, t), device)),
                ]
            except Exception as failure:  # a tile that does not fit the chip is an answer too
                lines.append([name, str(shape), type(failure).__name__, "", "", "", ""])
                continue
            errors = [relative_error(a, b) for a, b in zip(part, exact, strict=True)]
            found[tiling] = sum(times)
            lines.append([name, str(shape), *(f"{t:.2f}" for t in times), f"{sum(times):.2f}", *(f"{max(errors):.1e}",)])
    header = ["products", "left, right, warps, stages", "SF and cost", "S'G", "both", "largest relative error"]
    say(table(header, [line[:6] for line in lines]))
    best = min(found, key=lambda tiling: found[tiling])
    say(f"   fastest: {best}\n")
    return best


def float64_sums(G: Any, F: Any, mu: Any, A: Any) -> list[Any]:
    """SF, softplus by document, S'A and S'1 with S formed in float64."""
    theta = torch.addmm(mu.double(), G.double(), F.double().T)
    S = torch.sigmoid(theta)
    return [S @ F.double(), torch.nn.functional.softplus(theta).sum(dim=1), S.T @ A.double(), S.sum(dim=0)]


# ---- 2. a binary iteration ----


def binary_run(X: Any, k: int, iterations: int, device: str) -> dict[str, Any]:
    """The cost after a number of majoriser iterations, the time of one, and the peak of memory."""
    if device == "cuda":
        torch.cuda.reset_peak_memory_stats()
    engine = engine_for(X)
    problem = Bernoulli(engine, alpha=0.01, intercept=True)
    F, mu, G = binary_starts.start(engine, "svd", k, np.random.RandomState(0), intercept=True)
    state = majoriser.init_state(problem, (F, mu, binary_starts.majoriser_codes(engine, G)))
    times = []
    for _ in range(iterations):
        _synchronise(device)
        start = time.perf_counter()
        state = majoriser.update(problem, state)
        _synchronise(device)
        times.append(1e3 * (time.perf_counter() - start))
    peak = torch.cuda.max_memory_allocated() / 1e9 if device == "cuda" else float("nan")
    return {"cost": state.point.cost, "times": times[2:], "peak": peak}


def compare_binary(X: Any, k: int, best: sigmoid_products.Tiling, device: str) -> None:
    n, p = X.shape
    say(f"2. BinarySONMF, {n} x {p}, {X.values().numel()} ones, K={k}: {ITERATIONS} majoriser iterations, F's step included")
    reference = binary_run(_double(X), k, ITERATIONS, device)
    runs = {"float64, tiles": reference}
    fits = sigmoid_products.fits
    sigmoid_products.fits = lambda G: False
    runs["float32, tiles"] = binary_run(X, k, ITERATIONS, device)
    sigmoid_products.fits = fits
    for name, product in PRODUCTS.items():
        sigmoid_products.DEFAULT = best._replace(product=product)
        runs[f"fused, {name}"] = binary_run(X, k, ITERATIONS, device)
    lines = []
    for name, run in runs.items():
        gap = abs(run["cost"] / reference["cost"] - 1)
        lines.append([name, spread(run["times"]), f"{run['peak']:.2f}", f"{run['cost']:.8f}", f"{gap:.1e}"])
    say(table(["", "ms an iteration", "peak GB", "final cost", "from float64"], lines))
    good = {name: r for name, r in runs.items() if "fused" in name and abs(r["cost"] / reference["cost"] - 1) <= 1e-4}
    if good:
        name = min(good, key=lambda key: median(good[key]["times"]))
        speed, peak = median(good[name]["times"]), good[name]["peak"]
        say(f"   {name}: {speed:.1f} ms (at most 20: {verdict(speed, 20, at_most=True)}; materialised {MATERIALISED:.0f}), "
            f"peak {peak:.2f} GB (under 3: {verdict(peak, 3, at_most=True)})\n")  # fmt: skip


def _double(X: Any) -> Any:
    return torch.sparse_csr_tensor(
        X.crow_indices(), X.col_indices(), X.values().double(), tuple(X.shape), check_invariants=False
    )


# ---- 3. a continuous iteration ----


def continuous_times(X: Any, k: int, device: str) -> tuple[list[float], float]:
    """Milliseconds of accelerated iterations, and the objective they end at."""
    engine = engine_for(X)
    problem = least_squares(engine)
    state = accelerated.init_state(problem, starts.start(engine, "svd", k, np.random.RandomState(0)))
    times = []
    for _ in range(12):
        _synchronise(device)
        start = time.perf_counter()
        state = accelerated.update(problem, state)
        _synchronise(device)
        times.append(1e3 * (time.perf_counter() - start))
    return times[2:], state.point.objective


def compare_continuous(X: Any, k: int, device: str, cpu_seconds: float | None) -> None:
    n, p = X.shape
    say(f"3. SONMF, {n} x {p}, {X.values().numel()} non-zeros, K={k}: one accelerated iteration, F's step included")
    (ours, objective), (_, exact) = continuous_times(X, k, device), continuous_times(_double(X), k, device)
    say(f"   float32 on {device}: {spread(ours)} ms; objective {objective:.8g}, in float64 {exact:.8g} "
        f"({abs(objective / exact - 1):.1e} apart)")  # fmt: skip
    if cpu_seconds is None and hasattr(numba, "set_num_threads"):
        cpu_seconds = two_cores(X, k)
    if cpu_seconds is None:
        say("   two CPU cores were not measured: numba is not installed here; give --cpu-seconds")
        return
    ratio = 1e3 * cpu_seconds / median(ours)
    say(f"   two CPU cores: {1e3 * cpu_seconds:.0f} ms; {ratio:.0f} times faster (at least 20: {verdict(ratio, 20)})")


def two_cores(X: Any, k: int) -> float:
    import scipy.sparse

    numba.set_num_threads(min(2, numba.config.NUMBA_NUM_THREADS))
    parts = tuple(part.cpu().numpy() for part in (X.values(), X.col_indices(), X.crow_indices()))
    return median(continuous_times(scipy.sparse.csr_array(parts, shape=tuple(X.shape)), k, "cpu")[0]) / 1e3


def main(small: bool, cpu_seconds: float | None, only_cpu: bool) -> None:
    device = "cuda" if torch.cuda.is_available() else "cpu"
    chip = torch.cuda.get_device_name() if device == "cuda" else "no GPU"
    say(f"{chip}, torch {torch.__version__}, Python {sys.version.split()[0]}\n")
    shrink = 500 if small else 1
    sparse = documents(400_000 // shrink, 20_000 // shrink, 57, device, binary=False)
    if only_cpu:
        say(f"two CPU cores: {two_cores(sparse, 50):.3f} seconds an iteration of part 3")
        return
    n, p = 500_000 // shrink, 5_000 if not small else 400
    best = compare_tilings(n, p, 50, device) if device == "cuda" else sigmoid_products.DEFAULT
    compare_binary(documents(n, p, 60, device, binary=True), 50 if not small else 5, best, device)
    compare_continuous(sparse, 50 if not small else 5, device, cpu_seconds)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cpu-seconds", type=float, help="seconds of an iteration of part 3 on two CPU cores")
    parser.add_argument("--only-cpu", action="store_true", help="measure only those, on this machine")
    parser.add_argument("--small", action="store_true", help="small data, to try the script")
    options = parser.parse_args()
    with threads.serial_blas():  # as in a fit
        main(options.small, options.cpu_seconds, options.only_cpu)
