"""What the benchmarks share: pinned threads, medians with their spread, a fresh process for each job, plain tables."""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from importlib.metadata import distributions, version
from pathlib import Path
from typing import Any

DOCUMENTS, WORDS = 13_084, 5_876
RANKS = (10, 50, 150)
THREAD_VARIABLES = ["OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"]


def in_process(script: str, job: str, *, threads: int, limit: float | None = None, **arguments: Any) -> Any:
    """Run ``job`` of ``script`` in a process of its own with every thread pool pinned; return what it returned.

    None where it was not done within the limit, in seconds.
    """
    environment = os.environ | dict.fromkeys(THREAD_VARIABLES, str(threads))
    command = [sys.executable, script, "--job", job, "--arguments", json.dumps(arguments)]
    try:
        done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=True, timeout=limit)
    except subprocess.TimeoutExpired:
        return None
    return json.loads(done.stdout.splitlines()[-1])


def asked(parser: argparse.ArgumentParser, jobs: dict[str, Callable[..., Any]]) -> argparse.Namespace | None:
    """What a person asked for; None where ``in_process`` asked, which has its answer then."""
    parser.add_argument("--job", choices=jobs, help=argparse.SUPPRESS)
    parser.add_argument("--arguments", default="{}", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.job is None:
        return options
    print(json.dumps(jobs[options.job](**json.loads(options.arguments))))
    return None


def corpus() -> Any:
    """The corpus of the paper's largest size; a small fit on it compiles the kernels, so that no timing includes that."""
    from sonmf import SONMF, simulate

    X = simulate.corpus(DOCUMENTS, WORDS, random_state=0)
    for k in (2, 20):  # the two widths of tiles
        SONMF(k, max_iter=1, callback=lambda it: True).fit(X)
    return X


def seconds(action: Callable[[], Any]) -> float:
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


def median(values: list[float]) -> float:
    return statistics.median(values)


def spread(values: list[float]) -> str:
    """Median with the lowest and highest value."""
    return f"{median(values):.3g} ({min(values):.3g}-{max(values):.3g})"


def peak_memory_above(action: Callable[[], Any]) -> int | None:
    """Bytes of resident memory at the peak of ``action`` above what was there before; None where Linux cannot tell."""
    refs, status = Path("/proc/self/clear_refs"), Path("/proc/self/status")
    if not refs.exists():
        return None

    def field(name: str) -> int:
        return next(int(line.split()[1]) * 1024 for line in status.read_text().splitlines() if line.startswith(name))

    refs.write_text("5")  # reset the high-water mark
    before = field("VmRSS")
    action()
    return field("VmHWM") - before


def machine() -> str:
    from sonmf import __version__

    names = ["numpy", "scipy", "scikit-learn", "numba", "gensim", "nimfa", "torch", "torchnmf"]
    present = {d.metadata["Name"].lower() for d in distributions()}
    packages = ", ".join([f"sonmf {__version__}", *(f"{name} {version(name)}" for name in names if name in present)])
    cpu = platform.processor() or platform.machine()
    info = Path("/proc/cpuinfo")
    if info.exists():
        cpu = next((x.split(":")[1].strip() for x in info.read_text().splitlines() if x.startswith("model name")), cpu)
    return f"{cpu}, {os.cpu_count()} cores, Python {platform.python_version()}, {packages}"


def table(header: list[str], rows: list[list[str]]) -> str:
    """A Markdown table with aligned columns."""
    widths = [max(len(row[j]) for row in [header, *rows]) for j in range(len(header))]
    lines = [header, ["-" * w for w in widths], *rows]
    return "\n".join("| " + " | ".join(cell.ljust(w) for cell, w in zip(line, widths, strict=True)) + " |" for line in lines)


def parts(tables: dict[str, str]) -> str:
    """Tables of one file, each between two marks, so that pages can include one alone."""
    return "\n".join(f"<!-- {name} -->\n\n{text}\n\n<!-- end of {name} -->\n" for name, text in tables.items())


def say(text: str) -> None:
    print(text, flush=True)


def verdict(reached: float, target: float, *, at_most: bool = False) -> str:
    met = reached <= target if at_most else reached >= target
    return "met" if met else "not met"
