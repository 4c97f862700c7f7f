"""Passes over X until the objective is within 1e-6 of where the run ends, for the solvers and for warm starts.

python benchmarks/passes.py [--data ../shared/data]
"""

from __future__ import annotations

import argparse
import time
import warnings
from functools import partial
from pathlib import Path
from typing import Any

from common import DOCUMENTS, WORDS, asked, in_process, machine, say, table

GAP, CAP = 1e-6, 500
NOTE = f"""\
Passes over X, start included, until the objective is within {GAP:g} of where {CAP} iterations end it (with a + where it still
falls by more in their second half). Then the passes of a fit with default settings, how far above that end it stops, and its
seconds of processor time on one thread: with the default solver, and with "subspace"."""
SHARED = Path(__file__).parents[2] / "shared" / "data"
SOLVERS = ("cayley", "procrustes", "accelerated", "subspace")
FITTED, FIT = SOLVERS[2:], ("above the end", "seconds")
CASES = [(f"scenario {s}", k) for s in (1, 2, 3) for k in (10, 30, 50)] + [("corpus", 10), ("corpus", 50)]
FILES = {
    "NEISS": ("neiss_neck/neiss_neck_2003_2022.csv.gz", (10, 30, 50)),
    "AssociatedPress": ("associated_press/X_counts.npz", (10, 50)),
}


# ---- jobs, each run in a fresh process with pinned threads ----


def load(name: str, k: int, folder: str) -> Any:
    from sonmf import simulate

    if name.startswith("scenario"):
        return simulate.continuous(int(name[-1]), 500, 500, k, random_state=0)[0]
    if name == "corpus":
        return simulate.corpus(4000, 2000, random_state=0)
    path = Path(folder) / FILES[name][0]
    if name == "AssociatedPress":
        import scipy.sparse

        return scipy.sparse.csr_array(scipy.sparse.load_npz(path).astype(float))
    import pandas as pd

    from sonmf.text import NotesVectorizer

    notes = pd.read_csv(path)
    seen = notes[notes.disposition.isin(["admitted", "discharged"])]
    return NotesVectorizer().fit_transform(seen.narrative_nodx.fillna(""))


def passes(name: str, k: int, folder: str) -> dict[str, Any]:
    """For each solver passes to the end of a long run and whether that was the end; of two also a fit: passes, gap, seconds."""
    from sonmf import SONMF

    warnings.simplefilter("ignore")
    X, found = load(name, k, folder), {}
    for solver in SOLVERS:
        path: list[tuple[int, float]] = []
        see = partial(remember, path)
        SONMF(k, solver=solver, max_iter=CAP, tol=0, callback=see).fit(X)
        near = path[-1][1] * (1 + GAP)
        found[solver] = [next(n for n, value in path if value <= near), len(path) < CAP or path[CAP // 2][1] <= near]
        if solver in FITTED:
            began = time.process_time()
            fit = SONMF(k, solver=solver).fit(X)
            spent = time.process_time() - began
            found[f"fit, {solver}"] = [fit.n_passes_, fit.objective_history_[-1] / path[-1][1] - 1, spent]
    return found


def remember(path: list[tuple[int, float]], iterate: Any) -> None:
    path.append((iterate.n_passes, iterate.objective))


def warm() -> dict[str, Any]:
    """Passes of a default fit at K = 150 from the SVD and from the topics at K = 100, and of a fold from the fit of another."""
    import numpy as np

    from sonmf import SONMF, simulate
    from sonmf.engines import engine_for
    from sonmf.solvers import starts

    warnings.simplefilter("ignore")
    X = simulate.corpus(DOCUMENTS, WORDS, random_state=0)
    fold = np.arange(X.shape[0]) % 5
    small, cold = SONMF(100).fit(X), SONMF(150).fit(X)
    engine = engine_for(X)
    grown = SONMF(150, init=starts.start(engine, small.components_.T, 150, np.random.RandomState(0))).fit(X)
    first = SONMF(50).fit(X[fold != 0])
    again, other = SONMF(50).fit(X[fold != 1]), SONMF(50, init=first.components_.T).fit(X[fold != 1])
    return {
        "K = 150, from the SVD": (cold.n_passes_, cold.objective_history_[-1]),
        "K = 150, from K = 100": (grown.n_passes_ + engine.passes, grown.objective_history_[-1]),
        "a fold at K = 50, from the SVD": (again.n_passes_, again.objective_history_[-1]),
        "a fold at K = 50, from the fit of another fold": (other.n_passes_, other.objective_history_[-1]),
    }


JOBS = {f.__name__: f for f in (passes, warm)}


# ---- the report ----


def report(folder: Path) -> str:
    cases = CASES + [(name, k) for name, (path, ranks) in FILES.items() if (folder / path).exists() for k in ranks]
    absent = [name for name, (path, _) in FILES.items() if not (folder / path).exists()]
    rows = []
    for name, k in cases:
        found = in_process(__file__, "passes", threads=1, name=name, k=k, folder=str(folder))
        shown = [f"{found[s][0]}{'' if found[s][1] else ' +'}" for s in SOLVERS]
        fits = [
            text for s in FITTED for n, gap, spent in [found[f"fit, {s}"]] for text in (str(n), f"{gap:.0e}", f"{spent:.2f}")
        ]
        rows.append([name, str(k), *shown, *fits])
    starts = [[name, str(n), f"{value:.6g}"] for name, (n, value) in in_process(__file__, "warm", threads=1).items()]
    return "\n".join(
        [
            NOTE,
            "",
            table(["data", "K", *SOLVERS, "default fit", *FIT, "fit, subspace", *FIT], rows),
            "",
            *([f"Not measured, because the data are not here: {', '.join(absent)}.", ""] if absent else []),
            f"Warm starts, default settings, {DOCUMENTS:,} x {WORDS:,} corpus:",
            "",
            table(["", "passes", "objective"], starts),
        ]
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, default=SHARED, help="folder with neiss_neck and associated_press")
    if options := asked(parser, JOBS):
        say(f"{machine()}\n\n{report(options.data)}")
