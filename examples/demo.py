"""What ``make demo`` runs: SONMF beside scikit-learn's factorisations on generated text, ending in a table and a picture.

Everything printed is measured in this run.
"""

from __future__ import annotations

import sys
import textwrap
import threading
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import numba
import numpy as np
from sklearn.decomposition import NMF, MiniBatchNMF, TruncatedSVD
from sklearn.exceptions import ConvergenceWarning

from sonmf import SONMF
from sonmf.metrics import average_residual, orthogonal_residual, sparsity
from sonmf.simulate import corpus

try:
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt
except ImportError:
    sys.exit("The demo draws a picture with matplotlib, which is not installed: python -m pip install 'sonmf[app]'")

NOTES, WORDS, TOPICS = 30_000, 6_000, 30
PICTURE = Path(__file__).resolve().parent.parent / "demo" / "convergence.png"
BLUE = "#0072B2"
COLOURS = {"NMF (cd)": "#D55E00", "NMF (mu)": "#E69F00", "MiniBatchNMF": "#CC79A7", "TruncatedSVD": "#009E73"}


class Result(NamedTuple):
    """One row of the table."""

    method: str
    seconds: float
    iterations: str
    residual: float
    orthogonal: float
    zeros: float


def main() -> None:
    print("\nsonmf demo: SONMF beside scikit-learn on generated text. Everything below is measured in this run.")
    print("SONMF splits documents x words, X ~ W H, into orthonormal signed topics H and non-negative amounts W of them.\n")
    print(f"Making {NOTES:,} generated notes over {WORDS:,} words (tf-idf, unit length) ...", flush=True)
    X = corpus(NOTES, WORDS, random_state=0)
    print(f"  X is {NOTES:,} x {WORDS:,} with {X.nnz:,} non-zeros. Each method looks for {TOPICS} topics.")
    with alive("Compiling SONMF's kernels (not timed; kept on disk for the next run)"):
        SONMF(TOPICS, callback=lambda iterate: True).fit(X)  # a callback that returns True stops the fit
    print(f"Timing one fit each ({numba.get_num_threads()} threads for SONMF; every method stops by its own default rule):")

    path: list[tuple[float, float]] = []
    square = float(X.data @ X.data)
    began = time.perf_counter()

    def record(iterate: Any) -> None:
        path.append((time.perf_counter() - began, iterate.objective * NOTES * WORDS / square))

    methods: dict[str, Any] = {
        "SONMF": SONMF(TOPICS, callback=record),
        "NMF (cd)": NMF(TOPICS, solver="cd", random_state=0),
        "NMF (mu)": NMF(TOPICS, solver="mu", random_state=0),
        "MiniBatchNMF": MiniBatchNMF(TOPICS, random_state=0),
        "TruncatedSVD": TruncatedSVD(TOPICS, algorithm="arpack", random_state=0),
    }
    results = []
    for name, model in methods.items():
        with alive(f"  {name}"), unfinished_is_fine():
            began = time.perf_counter()
            W = model.fit_transform(X)
            seconds = time.perf_counter() - began
        results.append(measured(name, model, X, W, seconds, square))

    print("\n" + table(results) + "\n")
    draw(results, path)
    print("What to notice")
    for line in remarks(results, path):
        print(textwrap.fill(line, width=110, initial_indent="  - ", subsequent_indent="    "))
    print(f"\nThe picture:  {shown(PICTURE)}")
    print("Next:         `make test` runs the checks, `make docs` builds the guide (docs/_build/html/index.html).")


def measured(name: str, model: Any, X: Any, W: np.ndarray, seconds: float, square: float) -> Result:
    H = model.components_
    # Topics of unit length, so that only their directions count: scaling can move between W and H.
    unit = H / np.maximum(np.linalg.norm(H, axis=1, keepdims=True), np.finfo(float).tiny)
    return Result(
        method=name,
        seconds=seconds,
        iterations=str(getattr(model, "n_iter_", "-")),
        residual=average_residual(X, W, H) * NOTES * WORDS / square,
        orthogonal=orthogonal_residual(unit),
        zeros=sparsity(W),
    )


def table(results: list[Result]) -> str:
    head = ("method", "seconds", "iterations", "residual", "orthogonality", "zeros in W")
    rows = [
        (r.method, f"{r.seconds:.2f}", r.iterations, f"{r.residual:.4f}", f"{r.orthogonal:.1e}", f"{r.zeros:.0%}")
        for r in results
    ]
    widths = [max(len(row[c]) for row in [head, *rows]) for c in range(len(head))]
    lines = [
        "  ".join(cell.ljust(w) if c == 0 else cell.rjust(w) for c, (cell, w) in enumerate(zip(row, widths, strict=True)))
        for row in [head, *rows]
    ]
    lines.insert(1, "  ".join("-" * w for w in widths))
    return "\n".join(lines) + (
        "\n\nresidual = ||X - W H||^2 / ||X||^2, lower is better; orthogonality = ||H H' - I||^2 with the topics scaled to"
        "\nunit length, 0 is orthonormal; zeros = share of entries of W (documents x topics) that are 0."
    )


def remarks(results: list[Result], path: list[tuple[float, float]]) -> Iterator[str]:
    """In words, only what the numbers of this run say."""
    by_name = {r.method: r for r in results}
    ours, svd = by_name["SONMF"], by_name["TruncatedSVD"]
    rivals = [r for r in results if "NMF" in r.method and r is not ours]
    best = min(rivals, key=lambda r: r.residual)
    nearest = min(rivals, key=lambda r: r.orthogonal)

    relation = "below" if ours.residual < best.residual else "above"
    yield (
        f"Accuracy: SONMF ends at {ours.residual:.4f}, {abs(ours.residual - best.residual):.4f} {relation} {best.method}, "
        "the best of the NMFs."
    )
    passed = [seconds for seconds, residual in path if residual <= best.residual]
    reached = (
        f"had passed {best.method}'s residual after {passed[0]:.2f} s" if passed else f"never reached {best.method}'s residual"
    )
    yield (
        f"Time: {best.method} took {best.seconds:.2f} s, {best.seconds / ours.seconds:.1f} times SONMF's {ours.seconds:.2f} s. "
        f"SONMF {reached}."
    )
    floor = "No factorisation with this many topics can be below TruncatedSVD (exact, no sign constraint)"
    yield f"{floor}: {svd.residual:.4f}. SONMF is {ours.residual - svd.residual:.4f} above it, and its W is non-negative."
    sparsest = max(rivals, key=lambda r: r.zeros)
    yield (
        f"Zeros: {ours.zeros:.0%} of SONMF's W and {svd.zeros:.0%} of TruncatedSVD's; the sparsest NMF here, "
        f"{sparsest.method}, has {sparsest.zeros:.0%}."
    )
    yield (
        f"Overlap: SONMF's topics are orthonormal to {ours.orthogonal:.0e}; among the NMFs {nearest.method} comes nearest, "
        f"with {nearest.orthogonal:.2g}."
    )


def draw(results: list[Result], path: list[tuple[float, float]]) -> None:
    fig, ax = plt.subplots(figsize=(8, 4.6), layout="constrained")
    seconds, residuals = np.array(path).T
    ours = results[0]
    ax.plot(seconds, residuals, color=BLUE, linewidth=2.4, solid_capstyle="round")
    ax.plot(seconds[-1], residuals[-1], "o", color=BLUE, markersize=7)
    label(ax, f"SONMF, {ours.iterations} iterations", seconds[0], residuals[0], BLUE, "right")
    for r in results[1:]:
        ax.plot(r.seconds, r.residual, "D", color=COLOURS[r.method], markersize=8)
        label(ax, r.method, r.seconds, r.residual, COLOURS[r.method], "below" if r.method == "TruncatedSVD" else "above")
    ax.set_xscale("log")
    ax.xaxis.set_major_locator(mpl.ticker.LogLocator(subs=(1, 2, 5)))
    ax.xaxis.set_major_formatter(mpl.ticker.FormatStrFormatter("%g"))
    ax.minorticks_off()
    ax.margins(x=0.12, y=0.14)
    ax.set(xlabel="seconds, one fit each", ylabel=r"relative residual  $\|X - WH\|^2 / \|X\|^2$")
    ax.set_title(f"{NOTES:,} generated notes x {WORDS:,} words, {TOPICS} topics", loc="left")
    ax.grid(color="0.92")
    ax.set_axisbelow(True)
    ax.spines[["top", "right"]].set_visible(False)
    PICTURE.parent.mkdir(exist_ok=True)
    partial = PICTURE.with_name("convergence.partial.png")
    fig.savefig(partial, dpi=150)
    partial.replace(PICTURE)


def label(ax: Any, text: str, x: float, y: float, colour: str, side: str) -> None:
    offset, align = {"above": ((0, 9), "center"), "below": ((0, -18), "center"), "right": ((9, -4), "left")}[side]
    ax.annotate(text, (x, y), xytext=offset, textcoords="offset points", ha=align, color=colour, fontweight="bold")


@contextmanager
def alive(what: str) -> Iterator[None]:
    """Say what is being done and how long it took, with a dot every second while it runs."""
    print(f"{what} ", end="", flush=True)
    done, start = threading.Event(), time.perf_counter()

    def dots() -> None:
        while not done.wait(1.0):
            print(".", end="", flush=True)

    thread = threading.Thread(target=dots, daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()
    print(f" {time.perf_counter() - start:.1f} s", flush=True)


@contextmanager
def unfinished_is_fine() -> Iterator[None]:
    """A peer that stops at its default ``max_iter`` is part of the comparison: the table shows its iterations."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        yield


def shown(path: Path) -> Path:
    """The path as a person in this folder would type it."""
    return path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path


if __name__ == "__main__":
    main()
