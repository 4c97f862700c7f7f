"""What a user waits for first, and how time and memory grow with the number of notes.

python benchmarks/growth.py [--notes 500000]
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path
from typing import Any

from common import asked, in_process, machine, median, peak_memory_above, say, seconds, spread, table, verdict

WORDS, TOPICS = 5_000, 50
NOTE_LENGTH = 52  # about 40 distinct words a note, 20 million non-zeros in 500,000
COMMANDS = {
    "import numpy": "import numpy",
    "import sklearn": "import sklearn.base, sklearn.utils.validation",
    "import sonmf": "import sonmf",
    "from sonmf import SONMF": "from sonmf import SONMF",
}
FIRST_FIT = "import numpy as np; from sonmf import SONMF, simulate; SONMF(20).fit(simulate.corpus(400, 200, random_state=0))"


# ---- jobs, each run in a fresh process with pinned threads ----


def fit(notes: int) -> dict[str, Any]:
    """Seconds, iterations and peak memory above X of a default fit."""
    from sonmf import SONMF, simulate

    warnings.simplefilter("ignore")
    X = simulate.corpus(notes, WORDS, words=NOTE_LENGTH, random_state=0)
    for k in (2, TOPICS):
        SONMF(k, max_iter=1, callback=lambda it: True).fit(X[:2000])  # compiles
    model, stamps = SONMF(TOPICS, callback=lambda it: stamps.append(time.perf_counter())), []
    start = time.perf_counter()
    memory = peak_memory_above(lambda: model.fit(X))
    return {
        "seconds": time.perf_counter() - start,
        "memory": memory,
        "data": X.data.nbytes + X.indices.nbytes + X.indptr.nbytes,
        "nonzeros": X.nnz,
        "iterations": model.n_iter_,
        "iteration": (stamps[-1] - stamps[0]) / max(1, len(stamps) - 1),
    }


JOBS = {"fit": fit}


# ---- the report ----


def startup(repeats: int) -> list[str]:
    times = {name: [seconds(lambda code=code: python(code)) for _ in range(repeats)] for name, code in COMMANDS.items()}
    times["sonmf --help"] = [seconds(lambda: run("-m", "sonmf.cli", "--help")) for _ in range(repeats)]
    above = median(times["from sonmf import SONMF"]) - median(times["import sklearn"])
    shown = median(times["sonmf --help"])
    with tempfile.TemporaryDirectory() as cache:
        environment = os.environ | {"NUMBA_CACHE_DIR": cache}
        first, second = (seconds(lambda: python(FIRST_FIT, environment)) for _ in range(2))
    rows = [[name, spread(values)] for name, values in times.items()]
    return [
        table(["command, in a fresh process", "seconds"], rows),
        "",
        f"- `from sonmf import SONMF` takes {above:.2f} s more than scikit-learn alone "
        f"(aim 0.3: {verdict(above, 0.3, at_most=True)}); `import sonmf` loads nothing heavy.",
        f"- `sonmf --help` in {shown:.2f} s (aim 0.5: {verdict(shown, 0.5, at_most=True)}).",
        f"- The first fit with an empty cache of compiled kernels takes {first:.1f} s, the next {second:.1f} s, imports "
        f"included (aim for compiling 10: {verdict(first - second, 10, at_most=True)}).",
    ]


def python(code: str, environment: Any = None) -> None:
    run("-c", code, environment=environment)


def run(*arguments: str, environment: Any = None) -> None:
    subprocess.run([sys.executable, *arguments], check=True, stdout=subprocess.DEVNULL, env=environment)


def growth(notes: int) -> list[str]:
    sizes = [notes // 8, notes]
    found = [in_process(__file__, "fit", threads=2, notes=n) for n in sizes]
    rows = [
        [f"{n:,}", f"{r['nonzeros']:,}", f"{r['seconds']:.1f}", str(r["iterations"]), f"{r['iteration']:.3f}", megabytes(r)]
        for n, r in zip(sizes, found, strict=True)
    ]
    small, large = found
    each, whole = large["iteration"] / small["iteration"], large["seconds"]
    vectorised = in_process(str(Path(__file__).with_name("text.py")), "alone", threads=1, notes=notes)
    lines = [
        table(["notes", "non-zeros", "seconds", "iterations", "seconds an iteration", "peak MB, X included"], rows),
        "",
        f"- Eight times the notes: {each:.1f} times the seconds an iteration (aim 8.5: {verdict(each, 8.5, at_most=True)}).",
        f"- {notes:,} notes x {WORDS:,} words at K = {TOPICS} in {whole:.0f} s (aim 90: {verdict(whole, 90, at_most=True)}).",
        f"- As many notes of 40 words vectorised in {vectorised:.0f} s (aim 60: {verdict(vectorised, 60, at_most=True)}).",
    ]
    if large["memory"] is not None:
        peak = (large["memory"] + large["data"]) / 2**30
        lines.append(f"- X and the fit take {peak:.2f} GB at the peak (aim 3: {verdict(peak, 3, at_most=True)}).")
    return lines


def megabytes(record: dict[str, Any]) -> str:
    return "" if record["memory"] is None else f"{(record['memory'] + record['data']) / 2**20:.0f}"


def report(notes: int, repeats: int) -> str:
    title = f"### Growth: default `SONMF({TOPICS})`, {WORDS:,} words, two threads"
    return "\n".join(["### Start-up", "", *startup(repeats), "", title, "", *growth(notes)])


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--notes", type=int, default=500_000, help="notes of the largest fit (default 500,000)")
    parser.add_argument("--repeats", type=int, default=5, help="starts to take the median of (default 5)")
    if options := asked(parser, JOBS):
        say(f"{machine()}\n\n{report(options.notes, options.repeats)}")
