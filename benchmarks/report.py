"""Every benchmark, or those named; writes their sections of docs/benchmarks.md and the chart.

python benchmarks/report.py [peers] [text] [limits] [passes] [growth] [lasso] [cores]
                            [--repeats 3] [--ranks 50 150] [--threads 1 2]
"""

from __future__ import annotations

import argparse
import datetime
import os
from pathlib import Path
from typing import Any

import cores
import growth
import lasso
import passes
import peers
import roofline
from common import machine, median, say
from fingerprint import mark

DOCS = Path(__file__).parents[1] / "docs"
PAGE, CHART = DOCS / "benchmarks.md", DOCS / "images" / "benchmarks.png"
HEAD = """\
# Benchmarks

Written by `make bench`; run it on your machine for your own figures. Jobs run one after another, each in a process of its own
with all its thread pools pinned, and every figure was measured in the run that its section names.
"""
PICTURE = "![Seconds and residual of SONMF and its peers, one thread](images/benchmarks.png)\n\n"
TEXT = """\
Tf-idf weights of two sets of articles and of one of short notes, one thread; medians of runs in turn (lowest-highest), in
seconds of processor time. TruncatedSVD may use amounts of both signs, which is an easier problem."""
TITLES = {
    "peers": "Beside its peers",
    "text": "Beside its peers, on real text",
    "limits": "Beside the limits of the machine",
    "passes": "Passes",
    "growth": "Start-up and growth",
    "lasso": "The LASSO path",
    "cores": "More cores",
}
ELSEWHERE = {"cores": "On sixteen cores", "gpu": "On a GPU"}
ELSEWHERE_HEAD = f"""\
*{datetime.datetime.now(tz=datetime.UTC).date()}.* What `python benchmarks/{{name}}.py` printed on another machine; put here by
`benchmarks/report.py --{{name}}-log`.

"""


def draw(records: list[dict[str, Any]], path: Path) -> None:
    """Seconds of each method on one thread with the residual it ends at, a panel for each number of topics."""
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    shown = sorted((r for r in records if r["threads"] == 1 and r["times"]), key=lambda r: -median(r["times"]))
    ranks = sorted({record["k"] for record in shown})
    figure, panels = plt.subplots(1, len(ranks), figsize=(5.4 * len(ranks), 3.2), squeeze=False, layout="constrained")
    for panel, k in zip(panels[0], ranks, strict=True):
        here = [record for record in shown if record["k"] == k]
        colours = ["#333333" if record["method"].startswith("SONMF") else "#aaaaaa" for record in here]
        bars = panel.barh([record["method"] for record in here], [median(record["times"]) for record in here], color=colours)
        panel.bar_label(bars, [f"residual {record['residual']:.4f}" for record in here], padding=4, fontsize=8)
        panel.set(xscale="log", xlabel="seconds", title=f"K = {k}")
        panel.margins(x=0.45)
        panel.spines[["top", "right"]].set_visible(False)
    figure.savefig(path, dpi=150)
    plt.close(figure)


def stamp() -> str:
    """When and where, and what the reader must know of other work on the machine."""
    wanted = os.getloadavg()[0] if hasattr(os, "getloadavg") else 0.0
    load = f"when it began, {wanted:.1f} other processes wanted a core" if wanted >= 0.5 else "nothing else ran"
    return f"*{datetime.datetime.now(tz=datetime.UTC).date()}, {machine()}; {load}.*"


def measure(name: str, options: argparse.Namespace) -> str:
    if name == "peers":
        text, records = peers.main(options.ranks, options.threads, options.repeats)
        draw(records, CHART)
        return PICTURE + text
    if name == "text":
        return f"{TEXT}\n\n{peers.on_text(str(passes.SHARED), options.repeats)}"
    if name == "limits":
        return roofline.report(repeats=9)
    if name == "passes":
        return passes.report(passes.SHARED)
    if name == "lasso":
        return lasso.report(repeats=options.repeats)
    if name == "cores":
        return cores.main(options.threads, [k for k in cores.RANKS if k <= 400], 1, large=False)
    return growth.report(options.notes, repeats=5)


def sections() -> dict[str, str]:
    """What the page holds already, by title."""
    parts = PAGE.read_text().split("\n## ")[1:] if PAGE.exists() else []
    return {part.splitlines()[0]: part.partition("\n")[2].strip() for part in parts}


def write(found: dict[str, str]) -> None:
    parts = [f"## {title}\n\n{found[title]}\n" for title in (*TITLES.values(), *ELSEWHERE.values()) if title in found]
    PAGE.write_text("\n".join([HEAD, *parts]))


def main(options: argparse.Namespace) -> None:
    """The page is written after each section, so that an interrupted run leaves what it has measured."""
    if options.gpu_log or options.cores_log:
        logs = {"gpu": options.gpu_log, "cores": options.cores_log}
        texts = {name: log.read_text().strip() for name, log in logs.items() if log}
        if "gpu" in texts:
            texts["gpu"] = f"```text\n{texts['gpu']}\n```"
        marks = {name: mark(f"benchmarks.md#{ELSEWHERE[name]}") for name in texts}
        write(
            sections()
            | {ELSEWHERE[name]: f"{ELSEWHERE_HEAD.format(name=name)}{marks[name]}\n\n{text}" for name, text in texts.items()}
        )
        return
    for name in options.parts or TITLES:
        say(f"== {TITLES[name]}")
        text = f"{stamp()}\n\n{mark(f'benchmarks.md#{TITLES[name]}')}\n\n{measure(name, options)}"
        write(sections() | {TITLES[name]: text})
        say(text)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "parts", nargs="*", choices=[[], *TITLES], metavar="part", help="peers, text, limits, passes, growth, lasso or cores"
    )
    parser.add_argument("--repeats", type=int, default=3, help="runs of each peer to take the median of (default 3)")
    parser.add_argument("--notes", type=int, default=500_000, help="notes of the largest fit (default 500,000)")
    parser.add_argument("--ranks", type=int, nargs="+", default=[50, 150], help="numbers of topics (default 50 150)")
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2], help="numbers of threads (default 1 2)")
    parser.add_argument("--gpu-log", type=Path, help="what benchmarks/gpu.py printed, elsewhere, to be put on the page")
    parser.add_argument("--cores-log", type=Path, help="what benchmarks/cores.py printed, elsewhere, to be put on the page")
    main(parser.parse_args())
