"""The LASSO path of the triage model against scikit-learn's LogisticRegressionCV, judged by the duality gap; one thread.

python benchmarks/lasso.py [--notes 4000] [--topics 50] [--repeats 3]
"""

from __future__ import annotations

import argparse
from typing import Any

from common import asked, in_process, machine, median, say, seconds, spread, table

TOLERANCES = (1e-2, 1e-4, 1e-6)  # of saga
FOLDS = 5


def path(notes: int, topics: int, repeats: int) -> dict[str, Any]:
    """Seconds and largest gap of both, on the same features, folds and lambdas."""
    import warnings

    import numpy as np
    import sklearn
    from sklearn.linear_model import LogisticRegressionCV
    from sklearn.model_selection import StratifiedKFold

    from sonmf import SONMF
    from sonmf.datasets import make_triage_notes
    from sonmf.text import NotesVectorizer
    from sonmf.triage import lasso

    warnings.simplefilter("ignore")
    frame = make_triage_notes(notes, complaints=["Shortness of Breath"], random_state=0)
    X = NotesVectorizer().fit_transform(frame["note"])
    y = (frame["disposition"] == "admitted").to_numpy().astype(float)
    Z = lasso.standardise(X @ SONMF(topics).fit(X).components_.T).Z
    ours = lasso.fit_path(Z, y)
    times = [seconds(lambda: lasso.fit_path(Z, y)) for _ in range(repeats)]
    result: dict[str, Any] = {"lambdas": len(ours.lambdas), "ours": {"seconds": times, "gap": ours.gap}, "saga": []}
    old = tuple(int(part) for part in sklearn.__version__.split(".")[:2]) < (1, 8)
    l1: dict[str, Any] = {"penalty": "l1"} if old else {"l1_ratios": [1.0], "use_legacy_attributes": False}
    for tol in TOLERANCES:
        folds = StratifiedKFold(FOLDS, shuffle=True, random_state=0)
        cs = 1 / (len(y) * ours.lambdas)
        model = LogisticRegressionCV(
            Cs=list(cs), cv=folds, solver="saga", tol=tol, max_iter=5000, scoring="neg_log_loss", random_state=0, **l1
        )
        spent = seconds(lambda model=model: model.fit(Z, y))
        at = 1 / (len(y) * float(np.ravel(model.C_)[0]))
        gap = lasso.duality_gap(Z, y, model.coef_[0], float(model.intercept_[0]), at)
        result["saga"].append({"tol": tol, "seconds": spent, "gap": gap})
    return result


JOBS = {"path": path}


def report(notes: int = 4000, topics: int = 50, repeats: int = 3) -> str:
    """Both in one table; the ratio is fair where the gaps are alike, and there scikit-learn's is still the larger."""
    r = in_process(__file__, "path", threads=1, notes=notes, topics=topics, repeats=repeats)
    rows = [["sonmf", spread(r["ours"]["seconds"]), f"{r['ours']['gap']:.1e}, largest of the path", ""]]
    for one in r["saga"]:
        ratio = one["seconds"] / median(r["ours"]["seconds"])
        name = f"LogisticRegressionCV, saga, tol={one['tol']:g}"
        rows.append([name, f"{one['seconds']:.3g}", f"{one['gap']:.1e}, at its choice", f"{ratio:.1f} times ours"])
    head = f"{notes:,} generated notes, {topics} topics, {r['lambdas']} lambdas, {FOLDS} folds and all notes, one thread."
    return f"{head}\n\n{table(['path', 'seconds', 'duality gap', ''], rows)}"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--notes", type=int, default=4000, help="generated notes (default 4,000)")
    parser.add_argument("--topics", type=int, default=50, help="features (default 50)")
    parser.add_argument("--repeats", type=int, default=3, help="timings to take the median of (default 3)")
    if options := asked(parser, JOBS):
        say(f"{machine()}\n\n{report(options.notes, options.topics, options.repeats)}")
