"""The pass of BinarySONMF beside its matrix products alone: what the sigmoids, the cost and the sums add to them.

python benchmarks/binary_pass.py [--repeats 5]
"""

from __future__ import annotations

import argparse
from typing import Any

from common import DOCUMENTS, RANKS, WORDS, asked, corpus, in_process, machine, median, say, seconds, table

# ---- jobs, each run in a fresh process with pinned threads ----


def one_pass(k: int, dtype: str, repeats: int) -> dict[str, list[float]]:
    """Seconds of a majoriser pass, and of its products over stripes of the same height."""
    import numpy as np

    from sonmf.kernels import bernoulli

    X = corpus().astype(dtype)
    X.data[:] = 1
    rng = np.random.default_rng(0)
    F = np.linalg.qr(rng.normal(size=(WORDS, k)))[0].astype(dtype)
    G, mu = rng.random((DOCUMENTS, k)).astype(dtype), np.full(WORDS, -4, dtype)
    codes = bernoulli.Codes(G, G, G)
    jobs = {
        "pass": lambda: bernoulli.majorise(X, codes, F, mu, 0.5, 0.01),
        "products": lambda: products(G, F, bernoulli.stripe_height(F)),
    }
    return {name: [seconds(action) for _ in range(repeats + 1)][1:] for name, action in jobs.items()}  # the first compiles


def products(G: Any, F: Any, height: int) -> None:
    """T = GF', TF and T'(TF), a stripe of documents at a time: what a pass multiplies, without its sigmoids."""
    import numpy as np

    T, M = np.empty((height, len(F)), F.dtype), np.zeros_like(F)
    for a in range(0, len(G), height):
        t = np.matmul(G[a : a + height], F.T, out=T[: len(G) - a])
        M += t.T @ (t @ F)


JOBS = {"one_pass": one_pass}


# ---- the report ----


def binary_pass(repeats: int) -> str:
    rows = []
    for dtype in ("float64", "float32"):
        for k in RANKS:
            r = in_process(__file__, "one_pass", threads=1, k=k, dtype=dtype, repeats=repeats)
            passed, alone = median(r["pass"]), median(r["products"])
            rows.append([dtype, str(k), f"{1e3 * passed:.0f}", f"{1e3 * alone:.0f}", f"{passed / alone:.2f}"])
    size = f"{DOCUMENTS:,} x {WORDS:,}"
    title = f"### The binary pass beside its three matrix products alone, {size}, one thread, medians of {repeats}"
    return "\n".join([title, "", table(["", "K", "pass, ms", "products, ms", "ratio (aim: at most 1.5)"], rows)])


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=5, help="timings to take the median of (default 5)")
    if options := asked(parser, JOBS):
        say(f"{machine()}\n\n{binary_pass(options.repeats)}")
