"""Missing entries: what SONMF forecasts for them in the paper's scenarios, and what they cost.

python benchmarks/missing.py [--topics 10 30] [--shares 0 0.2 0.5] [--out docs/missing_figures.md]
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

from common import machine, say, table
from fingerprint import mark

HEAD = [
    "scenario",
    "topics",
    "missing",
    "iterations",
    "ms of CPU an iteration",
    "error on what was observed",
    "error on what was missing",
]
SIZE = 500


def row(scenario: int, k: int, share: float) -> list[str]:
    """Of one data set of 500 x 500 with noise of standard deviation .3: root mean square errors, and the time of a fit."""
    import numpy as np

    from sonmf import SONMF, simulate

    X, _, _ = simulate.continuous(scenario, SIZE, SIZE, k, random_state=0)
    gaps = np.random.default_rng(0).random(X.shape) < share
    seen = np.where(gaps, np.nan, X)
    model = SONMF(k, max_iter=2000).fit(seen)  # compiles
    begun = time.process_time()
    SONMF(k, max_iter=2000).fit(seen)
    spent = time.process_time() - begun
    errors = (model.inverse_transform(model.transform(seen)) - X) ** 2
    unseen = f"{np.sqrt(errors[gaps].mean()):.3f}" if gaps.any() else ""
    each = f"{1000 * spent / model.n_iter_:.1f}"
    return [str(scenario), str(k), f"{share:.0%}", str(model.n_iter_), each, f"{np.sqrt(errors[~gaps].mean()):.3f}", unseen]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--topics", type=int, nargs="+", default=[10, 30])
    parser.add_argument("--shares", type=float, nargs="+", default=[0.0, 0.2, 0.5])
    parser.add_argument("--out", type=Path, help="file to write the table to")
    options = parser.parse_args()
    rows = [row(scenario, k, share) for scenario in (1, 2, 3) for k in options.topics for share in options.shares]
    text = table(HEAD, rows)
    say(f"{machine()}\n\n{text}")
    if options.out:
        options.out.write_text(f"{mark('missing_figures.md')}\n\n{text}\n")
