"""What more cores are worth: an iteration, a fit and the other long steps with 1 to 16 threads, each in a process of its own.

python benchmarks/cores.py [--threads 1 2 4 8 16] [--ranks 10 50 150 400 1000] [--large] [--repeats 3]
"""

from __future__ import annotations

import argparse
import itertools
import os
import sys
import time
import warnings
from functools import partial
from typing import Any

from common import DOCUMENTS, WORDS, asked, in_process, machine, median, say, seconds, table, verdict

RANKS = (10, 50, 150, 400, 1000)
LARGE = 20  # times the documents
NOTES = 200_000
PRODUCTS = 800
NOTE = f"""\
Medians, in milliseconds or seconds; every thread count is a process of its own. To measure your own cores, run
`python benchmarks/cores.py`. *Iteration* is one of `SONMF()` on the generated corpus of {DOCUMENTS:,} x {WORDS:,}, pass and
step in F, its start left out."""


# ---- jobs, each run in a fresh process with pinned threads ----


def corpus(copies: int) -> Any:
    import scipy.sparse

    from sonmf import simulate

    X = simulate.corpus(DOCUMENTS, WORDS, random_state=0)
    return scipy.sparse.vstack([X] * copies, format="csr") if copies > 1 else X


def iterations(k: int, copies: int) -> dict[str, float]:
    """Seconds of an iteration, of the pass in it, and of the same pass over G = XF, which transform makes."""
    import numpy as np

    from sonmf import SONMF, kernels, threads
    from sonmf.engines import engine_for

    warnings.simplefilter("ignore")
    X, times, count = corpus(copies), [], 12 if k * copies <= 400 else 5
    for rank in (2, k):  # the first compiles the kernels
        times.clear()
        model = SONMF(rank, max_iter=count, tol=0, callback=lambda it: times.append(time.perf_counter())).fit(X)
    F, engine = np.ascontiguousarray(model.components_.T), engine_for(X)
    with threads.serial_blas():
        passes = [seconds(lambda: engine.sweep(kernels.ascent, None, F)) for _ in range(count)]
    transform = [seconds(lambda: model.transform(X)) for _ in range(3)]
    steps = np.diff(times)[1:].tolist()
    return {"iteration": median(steps), "pass": median(passes), "transform": median(transform)}


def fits(k: int, copies: int) -> dict[str, float]:
    """Seconds of a whole fit by default, of the SVD start and of TruncatedSVD."""
    from sklearn.decomposition import TruncatedSVD

    from sonmf import SONMF, threads
    from sonmf.engines import engine_for
    from sonmf.solvers import starts

    warnings.simplefilter("ignore")
    X = corpus(copies)
    for rank in (2, 20, k):
        SONMF(rank, max_iter=2).fit(X)
    with threads.serial_blas():
        start = seconds(lambda: starts.svd(engine_for(X), k))
    return {
        "fit": seconds(lambda: SONMF(k).fit(X)),
        "start": start,
        "TruncatedSVD": seconds(lambda: TruncatedSVD(k, random_state=0).fit(X)),
    }


def others() -> dict[str, float]:
    """Seconds of a pass for 0/1 data, of the rivals' iterations, of reading notes and of a lasso path with ten folds.

    The products of small matrices, each thread with its own, need nothing but the cores: no method can gain more than they do.
    """
    import numpy as np

    from sonmf import NMF, ONMF, SemiNMF, threads
    from sonmf.datasets import make_triage_notes
    from sonmf.engines import engine_for
    from sonmf.kernels import bernoulli
    from sonmf.text import NotesVectorizer
    from sonmf.triage import lasso

    warnings.simplefilter("ignore")
    rng, X, found = np.random.default_rng(0), corpus(1), {}
    for rows in (200, DOCUMENTS):  # the first compiles the kernels
        ones, G = engine_for((X[:rows] > 0).astype(float)), rng.random((rows, 50))
        F, mu = np.linalg.qr(rng.normal(size=(WORDS, 50)))[0], np.full(WORDS, -4.0)
        codes = bernoulli.Codes(G, G, G)
        with threads.serial_blas():
            times = [seconds(partial(ones.sweep, bernoulli.majorise, codes, F, mu, 0.5, 0.0)) for _ in range(3)]
    found["0/1 data, a pass"] = median(times)
    small = [rng.normal(size=(300, 300)) for _ in range(PRODUCTS)]
    found[f"{PRODUCTS:,} products of 300 x 300"] = median(
        [seconds(lambda: threads.share(lambda A: A @ A, small)) for _ in range(3)]
    )
    for method in (NMF, SemiNMF, ONMF):
        at: list[float] = []
        method(50, max_iter=6, tol=0, callback=lambda it, at=at: at.append(time.perf_counter())).fit(X)
        found[f"{method.__name__}, an iteration"] = median(np.diff(at)[1:].tolist())
    notes = list(make_triage_notes(5000, random_state=0)["note"])
    NotesVectorizer().fit_transform(notes[:200])
    found[f"NotesVectorizer, {NOTES:,} notes"] = seconds(lambda: NotesVectorizer().fit_transform(notes * (NOTES // len(notes))))
    Z = rng.normal(size=(5000, 100))
    y = (rng.random(5000) < 1 / (1 + np.exp(-Z[:, :10].sum(axis=1)))).astype(float)
    lasso.fit_path(Z[:200], y[:200], folds=3, random_state=0)
    found["lasso path, 10 folds"] = seconds(lambda: lasso.fit_path(Z, y, folds=10, random_state=0))
    return found


JOBS = {"iterations": iterations, "fits": fits, "others": others}


# ---- the driver ----


def tell(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def repeated(job: str, threads: int, repeats: int, **arguments: Any) -> dict[str, float]:
    runs = [in_process(__file__, job, threads=threads, **arguments) for _ in range(repeats)]
    return {name: median([run[name] for run in runs]) for name in runs[0]}


def rows_of(label: list[str], results: list[dict[str, float]], unit: float) -> list[list[str]]:
    """A line for each figure: its values by thread count, and how many times faster the last is than the first."""
    lines = []
    for name in results[0]:
        values = [result[name] * unit for result in results]
        lines.append(
            [
                *label,
                name,
                *(f"{value:.3g}" if value < 1000 else f"{value:,.0f}" for value in values),
                f"{values[0] / values[-1]:.1f}",
            ]
        )
    return lines


def main(threads: list[int], ranks: list[int], repeats: int, *, large: bool) -> str:
    heads = [*(f"{n} thread" + "s" * (n > 1) for n in threads), "times faster"]
    text, measured, fitted = [f"{NOTE}\n\n{machine()}."], {}, []
    lines = []
    for copies, k in [(1, k) for k in ranks] + ([(LARGE, k) for k in ranks if k in (150, 400)] if large else []):
        results = measured[copies, k] = [repeated("iterations", n, repeats, k=k, copies=copies) for n in threads]
        lines += rows_of([f"{DOCUMENTS * copies:,}", str(k)], results, 1e3)
        steps = [round(1e3 * result["iteration"], 2) for result in results]
        tell(f"{DOCUMENTS * copies:,} documents, K = {k}: {steps} ms an iteration")
    text.append(table(["documents", "K", "milliseconds", *heads], lines))
    lines = []
    for k in [k for k in ranks if k == 150]:
        fitted = [repeated("fits", n, repeats, k=k, copies=1) for n in threads]
        lines += rows_of([str(k)], fitted, 1)
        tell(f"fits, K = {k}: {[round(result['fit'], 2) for result in fitted]} s")
    text.append(table(["K", "seconds", *heads], lines))
    results = [repeated("others", n, repeats) for n in threads]
    text.append(table(["seconds", *heads], rows_of([], results, 1)))
    text.append("\n".join(judged(threads, measured, fitted, results)))
    return "\n\n".join(text)


Figures = list[dict[str, float]]  # one for each thread count


def judged(threads: list[int], measured: dict[tuple[int, int], Figures], fitted: Figures, others: Figures) -> list[str]:
    """The aims that these thread counts can show."""
    steps = {line: [result["iteration"] for result in results] for line, results in measured.items()}
    worst = max((after / before for values in steps.values() for before, after in itertools.pairwise(values)), default=1.0)
    said = [
        f"- More threads are never slower: the worst ratio of neighbours is {worst:.2f} ({verdict(worst, 1.05, at_most=True)})."
    ]
    if threads[0] == 1 and (1, 150) in measured:
        ratio = measured[1, 150][0]["iteration"] / measured[1, 150][0]["pass"]
        said.append(
            f"- K = 150: an iteration takes {ratio:.1f} passes on one thread (aim 1.3: {verdict(ratio, 1.3, at_most=True)})."
        )
    by_count = dict(zip(threads, fitted, strict=False))
    for n, aim in {1: 3.0, 16: 1.5}.items():
        if n in by_count:
            ratio = by_count[n]["fit"] / by_count[n]["TruncatedSVD"]
            beside = f"{ratio:.2f} times TruncatedSVD's time with {n} thread{'s' * (n > 1)}"
            said.append(f"- K = 150: a fit takes {beside} (aim {aim}: {verdict(ratio, aim, at_most=True)}).")
    if {1, 2} <= by_count.keys():
        times = by_count[1]["fit"] / by_count[2]["fit"]
        said.append(f"- K = 150: a fit is {times:.2f} times faster with two threads (aim 1.6: {verdict(times, 1.6)}).")
    if threads[0] == 1 and threads[-1] == 16:
        for (copies, k), aim in {(1, 150): 6, (1, 400): 6, (LARGE, 150): 10, (LARGE, 400): 10}.items():
            if (copies, k) in steps:
                times = steps[copies, k][0] / steps[copies, k][-1]
                faster = f"{times:.1f} times faster with 16 threads (aim {aim}: {verdict(times, aim)})"
                said.append(f"- {DOCUMENTS * copies:,} documents, K = {k}: {faster}.")
        if (1, 150) in steps:
            ms = 1e3 * steps[1, 150][-1]
            said.append(f"- K = 150: {ms:.1f} ms an iteration with 16 threads (aim 10: {verdict(ms, 10, at_most=True)}).")
        times = others[0]["0/1 data, a pass"] / others[-1]["0/1 data, a pass"]
        said.append(f"- 0/1 data: {times:.1f} times faster with 16 threads (aim 12: {verdict(times, 12)}).")
    return said


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--threads", type=int, nargs="+", default=[n for n in (1, 2, 4, 8, 16) if n <= (os.cpu_count() or 1)])
    parser.add_argument("--ranks", type=int, nargs="+", default=list(RANKS))
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--large", action="store_true", help=f"also with {LARGE} times the documents")
    if (options := asked(parser, JOBS)) is not None:
        say(main(options.threads, options.ranks, options.repeats, large=options.large))
