"""Every benchmark in one run; writes docs/benchmarks.md and its chart.

python benchmarks/report.py [--repeats 3] [--notes 500000] [--ranks 50 150] [--threads 1 2]
"""

from __future__ import annotations

import argparse
import datetime
import os
from pathlib import Path
from typing import Any

import growth
import passes
import peers
import roofline
from common import machine, median, say

DOCS = Path(__file__).parents[1] / "docs"
HEAD = """\
---
orphan: true
---

# Benchmarks

Written by `make bench` on {date}: {machine}. Run it on your machine for your own figures. Jobs run one after another, each in
a process of its own with all its thread pools pinned, and every figure was measured in this run. {load}

![Relative residual against seconds, SONMF and its peers, one thread](images/benchmarks.png)
"""


def draw(records: list[dict[str, Any]], path: Path) -> None:
    """Residual against seconds, a panel for each number of topics: the lower and the further left, the better."""
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    shown = [record for record in records if record["threads"] == 1 and record["times"]]
    ranks = sorted({record["k"] for record in shown})
    figure, panels = plt.subplots(1, len(ranks), figsize=(5.2 * len(ranks), 3.8), squeeze=False, layout="constrained")
    for panel, k in zip(panels[0], ranks, strict=True):
        for record in (record for record in shown if record["k"] == k):
            colour = "#c1121f" if record["method"].startswith("SONMF") else "#33658a"
            place = (median(record["times"]), record["residual"])
            panel.plot(*place, "o", color=colour)
            panel.annotate(record["method"], place, xytext=(5, 4), textcoords="offset points", fontsize=7, color=colour)
        panel.set(xscale="log", xlabel="seconds", title=f"K = {k}")
        panel.margins(x=0.3, y=0.1)
    panels[0][0].set_ylabel("relative residual")
    figure.savefig(path, dpi=150)


def load() -> str:
    """What the reader must know of other work on the machine."""
    wanted = os.getloadavg()[0] if hasattr(os, "getloadavg") else 0.0
    return f"When it began, {wanted:.1f} other processes wanted a core." if wanted >= 0.5 else "Nothing else ran on it."


def main(repeats: int, notes: int, ranks: list[int], threads: list[int]) -> None:
    """The page is written after each part, so that an interrupted run leaves what it has measured."""
    head = HEAD.format(date=datetime.datetime.now(tz=datetime.UTC).date(), machine=machine(), load=load())
    table, records = peers.main(ranks, threads, repeats)
    draw(records, DOCS / "images" / "benchmarks.png")
    parts = {
        "Beside its peers": lambda: table,
        "Beside the limits of the machine": lambda: roofline.report(repeats=9),
        "Passes": lambda: passes.report(passes.SHARED),
        "Start-up and growth": lambda: growth.report(notes, repeats=5),
    }
    page = [head]
    for title, part in parts.items():
        page.append(f"## {title}\n\n{part()}\n")
        (DOCS / "benchmarks.md").write_text("\n".join(page))
    say("\n".join(page))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=3, help="runs of each peer to take the median of (default 3)")
    parser.add_argument("--notes", type=int, default=500_000, help="notes of the largest fit (default 500,000)")
    parser.add_argument("--ranks", type=int, nargs="+", default=[50, 150], help="numbers of topics (default 50 150)")
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2], help="numbers of threads (default 1 2)")
    options = parser.parse_args()
    main(options.repeats, options.notes, options.ranks, options.threads)
