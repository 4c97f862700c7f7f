"""Binary SONMF on real data: what the intercept brings, why alpha is 0.01, and the topics of 34,936 hospital visits.

python benchmarks/binary_text.py [--intercept] [--alpha] [--nhamcs-topics] [--folds 5] [--data DIR]

Without a part named, all three run. Jobs run two at a time, each in a process of its own with one thread.
"""

from __future__ import annotations

import argparse
import statistics
import time
import warnings
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

from common import asked, in_process, machine, say, table

FOLDS = 5
RANKS = (10, 30)
ALPHAS = (0, 0.003, 0.01, 0.03, 0.1)
LEAKS = r"(?:re)?admi(?:t|ss)|transf|discharg|releas|ama$|lwbs$|lwot$|eloped|xfer|hospitali"  # words that name a disposition
RARE = 20  # words and codes of fewer documents are left out
GRID = (0.003, 0.01, 0.03, 0.1, 0.3, 1.0)  # C of the L1 logistic regression
TOPICS = 20


# ---- data ----


def neiss(data: str) -> tuple[Any, Any, Any]:
    """Narratives without the diagnosis: word counts, admitted or not, words. The words are chosen without the outcome."""
    import re

    import numpy as np
    import pandas as pd
    from sklearn.feature_extraction.text import CountVectorizer

    visits = pd.read_csv(Path(data) / "neiss_neck" / "neiss_neck_2003_2022.csv.gz", usecols=["disposition", "narrative_nodx"])
    visits = visits[visits["disposition"].isin(["admitted", "discharged"])]
    vectorizer = CountVectorizer(lowercase=True, min_df=RARE)
    counts = vectorizer.fit_transform(visits["narrative_nodx"].fillna("")).astype(float)
    words = vectorizer.get_feature_names_out()
    clean = np.array([re.match(LEAKS, word) is None for word in words])
    return counts[:, clean], visits["disposition"].eq("admitted").to_numpy(), words[clean]


def nhamcs(data: str, *, rare: int = RARE, everyone: bool = False) -> tuple[Any, Any, Any]:
    """Reasons for visit: 0/1 flags, admitted or not, labels. ``everyone`` keeps the visits with another outcome too."""
    import numpy as np
    import pandas as pd
    import scipy.sparse

    folder = Path(data) / "nhamcs_ed2010"
    X = scipy.sparse.load_npz(folder / "X_rfv_binary.npz").astype(float)
    outcome = pd.read_csv(folder / "visits.csv.gz", usecols=["disposition"])["disposition"]
    labels = pd.read_csv(folder / "rfv_codes.csv")["label"].to_numpy()
    rows = np.ones(len(outcome), bool) if everyone else outcome.isin(["admitted", "discharged"]).to_numpy()
    X = X[rows]
    kept = np.asarray(X.sum(axis=0)).ravel() >= rare
    return X[:, kept], outcome[rows].eq("admitted").to_numpy(), labels[kept]


def split(y: Any, fold: int) -> tuple[Any, Any]:
    from sklearn.model_selection import StratifiedKFold

    return list(StratifiedKFold(FOLDS, shuffle=True, random_state=0).split(y, y))[fold]


# ---- jobs, each run in a fresh process with pinned threads ----


def lasso_auroc(train: Any, y_train: Any, test: Any, y_test: Any) -> float:
    """AUROC of an L1 logistic regression; the scaling and C (3 inner folds) are learned from the training documents."""
    import sklearn
    from scipy.sparse import issparse
    from sklearn.linear_model import LogisticRegression
    from sklearn.metrics import roc_auc_score
    from sklearn.model_selection import GridSearchCV, StratifiedKFold
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    old = tuple(int(v) for v in sklearn.__version__.split(".")[:2]) < (1, 8)
    l1: dict[str, Any] = {"penalty": "l1"} if old else {"l1_ratio": 1.0}
    scaler = StandardScaler(with_mean=not issparse(train))
    model = make_pipeline(scaler, LogisticRegression(solver="liblinear", max_iter=300, **l1))
    inner = StratifiedKFold(3, shuffle=True, random_state=0)
    search = GridSearchCV(model, {"logisticregression__C": GRID}, scoring="roc_auc", cv=inner)
    search.fit(train, y_train)
    return float(roc_auc_score(y_test, search.decision_function(test)))


def features(method: str, k: int, flags: Any, weights: Any, train: Any, test: Any) -> tuple[Any, Any]:
    """Fit on the training documents alone; describe those and the others. ``method`` is a name or name:alpha."""
    from sklearn.decomposition import TruncatedSVD

    from sonmf import NMF, SONMF, BinarySONMF

    name, _, alpha = method.partition(":")
    if name in ("with", "without"):
        model, X = BinarySONMF(k, intercept=name == "with", alpha=float(alpha), signed=True), flags
    elif name == "raw":
        return flags[train], flags[test]
    else:
        models = {"SONMF": SONMF(k, signed=True), "SVD": TruncatedSVD(k, random_state=0), "NMF": NMF(k, init="svd")}
        model, X = models[name], weights
    return model.fit_transform(X[train]), model.transform(X[test])


def auroc(data: str, source: str, fold: int, k: int, methods: list[str]) -> dict[str, float]:
    from sklearn.feature_extraction.text import TfidfTransformer

    warnings.simplefilter("ignore")
    X, y, _ = {"NEISS": neiss, "NHAMCS": nhamcs}[source](data)
    train, test = split(y, fold)
    weights = TfidfTransformer().fit(X[train]).transform(X) if source == "NEISS" else X
    flags = X.copy()
    flags.data[:] = 1
    described = {method: features(method, k, flags, weights, train, test) for method in methods}
    return {method: lasso_auroc(A, y[train], B, y[test]) for method, (A, B) in described.items()}


def held_out(data: str, k: int, alpha: float) -> dict[str, float]:
    """Cost of a tenth of the entries of the NEISS matrix, which the fit does not see, followed to convergence."""
    from sonmf import BinarySONMF
    from sonmf.solvers import loop

    warnings.simplefilter("ignore")
    assert loop.WAIT  # here the fit goes on where validation_fraction would end it
    loop.WAIT = 10**6
    X, _, _ = neiss(data)
    X.data[:] = 1
    model = BinarySONMF(k, alpha=alpha, validation_fraction=0.1, random_state=0).fit(X)
    costs = model.validation_history_
    return {"lowest": costs.min(), "at": int(costs.argmin()) + 1, "last": costs[-1], "iterations": model.n_iter_}


def simulated(k: int, seed: int) -> dict[str, float]:
    """eps_P, un-squared, of the model's probabilities on the paper's binary simulation."""
    import numpy as np

    from sonmf import BinarySONMF
    from sonmf.metrics import probability_distance
    from sonmf.simulate import binary_with_log_odds

    warnings.simplefilter("ignore")
    X, theta, _, _ = binary_with_log_odds(500, 500, k, random_state=seed)
    truth = 1 / (1 + np.exp(-theta))

    def distance(**options: Any) -> tuple[float, int]:
        model = BinarySONMF(k, max_iter=1000, random_state=0, **options)
        P = model.inverse_transform(model.fit_transform(X))
        return probability_distance(truth, P, squared=False), model.n_iter_

    found: dict[str, float] = {}
    for intercept in (True, False):
        for alpha in ALPHAS:
            found[f"{intercept} {alpha}"], found[f"{intercept} {alpha} iterations"] = distance(alpha=alpha, intercept=intercept)
        for alpha in (0, 0.01):
            ended = distance(alpha=alpha, intercept=intercept, validation_fraction=0.1)
            found[f"{intercept} {alpha} early"], found[f"{intercept} {alpha} early iterations"] = ended
    return found


def topics(data: str, k: int) -> dict[str, Any]:
    """The topics of all visits and all 682 codes, those with the most mass in G first."""
    import numpy as np

    from sonmf import BinarySONMF

    X, _, labels = nhamcs(data, rare=0, everyone=True)
    start = time.perf_counter()
    model = BinarySONMF(k)
    G = model.fit_transform(X)
    took = time.perf_counter() - start
    listed = []
    for j in np.argsort(-G.sum(axis=0)):
        f = model.components_[j]
        order = np.argsort(-f)
        signed = [[f"{labels[i]} ({f[i]:+.2f})" for i in chosen] for chosen in (order[:5], order[::-1][:3])]
        listed.append({"positive": signed[0], "negative": signed[1], "share": float((G[:, j] > 0).mean())})
    return {
        "topics": listed,
        "shape": X.shape,
        "seconds": took,
        "iterations": model.n_iter_,
        "cost": model.mean_cost_,
        "zeros": float((G == 0).mean()),
    }


def flags_auroc(data: str, fold: int, k: int) -> dict[str, float]:
    """All 682 codes: K topics as G and as XF, and the flags themselves."""
    from sonmf import BinarySONMF

    warnings.simplefilter("ignore")
    X, y, _ = nhamcs(data, rare=0)
    train, test = split(y, fold)
    model = BinarySONMF(k)
    sides = {"G": (model.fit_transform(X[train]), model.transform(X[test]))}
    model.set_params(signed=True)
    sides["XF"] = model.transform(X[train]), model.transform(X[test])
    sides["raw"] = X[train], X[test]
    return {name: lasso_auroc(A, y[train], B, y[test]) for name, (A, B) in sides.items()}


JOBS = {f.__name__: f for f in (auroc, held_out, simulated, topics, flags_auroc)}


# ---- the report ----


def run_all(jobs: dict[Any, tuple[str, dict[str, Any]]], workers: int) -> dict[Any, Any]:
    """Every job in a process of its own, ``workers`` at a time, with a line as each ends."""
    done: dict[Any, Any] = {}
    start = time.perf_counter()
    with ThreadPoolExecutor(workers) as pool:
        futures = {
            pool.submit(partial(in_process, __file__, name, threads=1, **rest)): key for key, (name, rest) in jobs.items()
        }
        for future in as_completed(futures):
            key = futures[future]
            done[key] = future.result()
            say(f"   {len(done)} of {len(jobs)}, {time.perf_counter() - start:.0f} s: {' '.join(str(part) for part in key)}")
    return done


def mean(values: list[float], digits: int = 3) -> str:
    """Mean with its standard error."""
    error = statistics.stdev(values) / len(values) ** 0.5 if len(values) > 1 else float("nan")
    return f"{statistics.fmean(values):.{digits}f} ({error:.{digits}f})"


def report_intercept(data: str, folds: int, workers: int) -> dict[Any, Any]:
    """Return what the next part need not measure again."""
    say(f"1. The intercept: AUROC, admitted against discharged, mean of {folds} of {FOLDS} folds (standard error)")
    methods = ["without:0.01", "with:0.01", "SONMF", "SVD", "NMF"]
    jobs = {
        (source, f"K={k}", f"fold {fold}"): (
            "auroc",
            {"data": data, "source": source, "fold": fold, "k": k, "methods": [*methods, *(["raw"] if k == RANKS[0] else [])]},
        )
        for source, k, fold in product(("NHAMCS", "NEISS"), RANKS[::-1], range(folds))
    }
    done = run_all(jobs, workers)
    rows = []
    for source, k in product(("NEISS", "NHAMCS"), RANKS):
        results = [done[source, f"K={k}", f"fold {fold}"] for fold in range(folds)]
        cells = [mean([r[m] for r in results]) if m in results[0] else "" for m in [*methods, "raw"]]
        gains = [r["with:0.01"] - r["without:0.01"] for r in results]
        rows.append([source, str(k), *cells, f"{statistics.fmean(gains):+.3f}, {sum(g > 0 for g in gains)} of {folds}"])
    header = ["data", "K", "binary, no intercept", "binary, intercept", "SONMF", "SVD", "NMF", "all words or codes"]
    say(table([*header, "intercept gains, folds"], rows))
    cells = product(RANKS, range(folds))
    return {("AUROC", f"K={k}", "alpha=0.01", f"fold {fold}"): done["NEISS", f"K={k}", f"fold {fold}"] for k, fold in cells}


def report_alpha(data: str, folds: int, workers: int, known: dict[Any, Any]) -> None:
    seeds = range(3)
    say("\n2. alpha: eps_P (un-squared) at convergence, 500 x 500 simulated, mean of 3 seeds (standard error)")
    ranks = (10, 30, 50)
    jobs = {(f"K={k}", f"seed {seed}"): ("simulated", {"k": k, "seed": seed}) for k, seed in product(ranks[::-1], seeds)}
    done = run_all(jobs, workers)
    keys = [*(str(alpha) for alpha in ALPHAS), "0 early", "0.01 early"]
    rows, counts = [], []
    for intercept, k in product((True, False), ranks):
        found = [done[f"K={k}", f"seed {seed}"] for seed in seeds]
        name = "yes" if intercept else "no"
        rows.append([name, str(k), *(mean([r[f"{intercept} {key}"] for r in found], 1) for key in keys)])
        iterations = [statistics.fmean(r[f"{intercept} {key} iterations"] for r in found) for key in keys]
        counts.append([name, str(k), *(f"{n:.0f}" for n in iterations)])
    header = ["intercept", "K", *(f"alpha={alpha}" for alpha in ALPHAS), "0, stopped early", "0.01, stopped early"]
    say(table(header, rows))
    say("\n   iterations, at most 1000")
    say(table(header, counts))
    say(f"\n   NEISS, with the intercept: AUROC of the signed projection, mean of {folds} of {FOLDS} folds (standard error);")
    say("   cost of a tenth of the entries held out (all documents, seed 0), at the end and, in brackets, at its lowest")
    jobs = {}
    for alpha, k in product(ALPHAS, RANKS[::-1]):
        jobs |= {("held out", f"K={k}", f"alpha={alpha}"): ("held_out", {"data": data, "k": k, "alpha": alpha})}
        for fold in range(folds):
            rest = {"data": data, "source": "NEISS", "fold": fold, "k": k, "methods": [f"with:{alpha}"]}
            jobs |= {("AUROC", f"K={k}", f"alpha={alpha}", f"fold {fold}"): ("auroc", rest)}
    done = known | run_all({key: job for key, job in jobs.items() if key not in known}, workers)
    rows = []
    for k in RANKS:
        cells = []
        for alpha in ALPHAS:
            folded = [done["AUROC", f"K={k}", f"alpha={alpha}", f"fold {fold}"][f"with:{alpha}"] for fold in range(folds)]
            cells.append(mean(folded))
        rows.append(["AUROC", str(k), *cells])
    for k in RANKS:
        ends = [done["held out", f"K={k}", f"alpha={alpha}"] for alpha in ALPHAS]
        cells = [f"{r['last']:.4f} at {r['iterations']} ({r['lowest']:.4f} at {r['at']})" for r in ends]
        rows.append(["held-out cost", str(k), *cells])
    say(table(["NEISS", "K", *(f"alpha={alpha}" for alpha in ALPHAS)], rows))


def lines_of(found: dict[str, Any]) -> Iterator[list[str]]:
    for number, topic in enumerate(found["topics"], 1):
        yield [str(number), f"{topic['share']:.0%}", "; ".join(topic["positive"]), "; ".join(topic["negative"])]


def report_topics(data: str, folds: int, workers: int) -> None:
    say(f"\n3. NHAMCS reasons for visit: BinarySONMF({TOPICS})")
    jobs: dict[Any, tuple[str, dict[str, Any]]] = {("topics of all visits",): ("topics", {"data": data, "k": TOPICS})}
    jobs |= {("AUROC", f"fold {fold}"): ("flags_auroc", {"data": data, "fold": fold, "k": TOPICS}) for fold in range(folds)}
    done = run_all(jobs, workers)
    found = done["topics of all visits",]
    n, p = found["shape"]
    say(f"   all {n} visits x {p} codes: {found['seconds']:.0f} s on one thread, {found['iterations']} iterations, "
        f"mean cost {found['cost']:.5f}, {found['zeros']:.0%} of G is zero")  # fmt: skip
    say(table(["topic", "visits with it", "towards it", "away from it"], list(lines_of(found))))
    results = [done["AUROC", f"fold {fold}"] for fold in range(folds)]
    say(f"\n   L1 logistic regression, admitted against discharged, mean of {folds} of {FOLDS} folds (standard error)")
    names = {"G": f"{TOPICS} amounts G", "XF": f"{TOPICS} signed projections XF", "raw": f"{p} flags"}
    say(table(["features", "AUROC"], [[shown, mean([r[name] for r in results])] for name, shown in names.items()]))


def main(options: argparse.Namespace) -> None:
    everything = not (options.intercept or options.alpha or options.nhamcs_topics)
    if not all((options.data / folder).is_dir() for folder in ("neiss_neck", "nhamcs_ed2010")):
        say(f"not run: {options.data} does not hold the folders neiss_neck and nhamcs_ed2010 (say where with --data)")
        return
    data, start = str(options.data.resolve()), time.perf_counter()
    known: dict[Any, Any] = {}
    say(f"{machine()}\n")
    if options.intercept or everything:
        known = report_intercept(data, options.folds, options.workers)
    if options.alpha or everything:
        report_alpha(data, options.folds, options.workers, known)
    if options.nhamcs_topics or everything:
        report_topics(data, options.folds, options.workers)
    say(f"\n{time.perf_counter() - start:.0f} s in all")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--intercept", action="store_true", help="part 1: with and without the intercept, beside the others")
    parser.add_argument("--alpha", action="store_true", help="part 2: alpha on simulated data and on NEISS")
    parser.add_argument("--nhamcs-topics", action="store_true", help="part 3: topics of the NHAMCS reasons for visit")
    parser.add_argument(
        "--folds", type=int, default=FOLDS, choices=range(1, FOLDS + 1), help=f"of {FOLDS} to run (default all)"
    )
    parser.add_argument("--workers", type=int, default=2, help="processes at a time, one thread each (default 2)")
    beside = Path(__file__).resolve().parents[2] / "shared" / "data"
    parser.add_argument("--data", type=Path, default=beside, help="folder of the data (default ../shared/data)")
    if options := asked(parser, JOBS):
        main(options)
