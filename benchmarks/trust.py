"""Topics one can trust: how many to take, have they settled, what do more starts bring, and whose words belong together?

python benchmarks/trust.py [--data ../shared/data] [--only numbers settled settled_methods starts words] [--out docs]
"""

from __future__ import annotations

import argparse
import csv
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

from common import asked, in_process, machine, median, say, table
from fingerprint import mark
from octis import indicator, listed, with_signs
from scoreboard import Gibbs
from topic_words import documents

NUMBERS, DRAWS = (5, 10, 20, 30, 50), 10
RANKS = (10, 30)
SETTLED_RANKS = (10, 30, 50, 100)
METHODS_RANKS = (10, 20, 40)
CONTINUED = 6000  # iterations after which a run is taken to have ended
SPARSITY = 0.05  # chosen on the press articles
RACES, SEEDS = (1, 2, 4, 8), 3
NEARLY_NOTHING = 1e-6  # the tolerance at which a run is taken to have ended


def seconds(action: Callable[[], Any]) -> float:
    """Of a processor: what else the machine has to do does not count."""
    start = time.process_time()
    action()
    return time.process_time() - start


def matched(A: Any, B: Any) -> Any:
    """Signed cosines of topics with unit length, matched one to one."""
    from scipy.optimize import linear_sum_assignment

    S = A @ B.T
    return S[linear_sum_assignment(-S)]


# ---- numbers: how many topics the documents forecast, and how many come back ----


def press_and_notes(data: str) -> dict[str, Callable[[], Any]]:
    """Two sets of articles and one of short notes."""

    known = documents(data)
    others = {name: lambda name=name: known[name]() for name in ("Associated Press", "NEISS")}
    return {"BBC News": lambda: press(data, "BBC News")} | others


def numbers(data: str, name: str) -> list[dict[str, Any]]:
    """Both curves of ``select_rank``, and which number each of them recommends."""
    from sonmf import SONMF, select_rank

    choice = select_rank(SONMF(), press_and_notes(data)[name](), NUMBERS, bootstrap=DRAWS, random_state=0)
    purposes = {"forecasts": choice.rank, "reading": choice.for_reading}
    return [
        {
            "topics": int(k),
            "error": error,
            "excess": excess,
            "back": int((~found.unstable).sum()),
            "score": float(found.scores.mean()),
            "take": [purpose for purpose, taken in purposes.items() if taken == k],
        }
        for k, error, excess, found in zip(
            choice.curve.ranks, choice.curve.mean, choice.curve.excess_error, choice.stability, strict=True
        )
    ]


def numbers_table(data: str) -> str:
    rows = []
    for name in press_and_notes(data):
        for one in in_process(__file__, "numbers", threads=1, data=data, name=name):
            error, back = f"{one['error']:.4f} ± {one['excess']:.4f}", f"{one['back']} of {one['topics']}"
            rows.append([name, str(one["topics"]), error, back, f"{one['score']:.2f}", ", ".join(one["take"])])
    return table(["documents", "topics", "error on unseen words", "come back", "mean score", "take for"], rows)


# ---- settled: a default fit beside the same run continued ----


def settled(data: str, name: str, k: int) -> dict[str, Any]:
    from sonmf import SONMF

    X = press(data, name) if name in PRESS else documents(data)[name]()
    SONMF(k, max_iter=1, callback=lambda it: True).fit(X)  # compiles
    spent = [seconds(lambda: SONMF(k).fit(X)) for _ in range(3)]
    path, length = beside_its_end(X, k)
    lowest = [float(cosines.min()) for cosines in path]
    needed = 1 + max((i + 1 for i, cosine in enumerate(lowest[:-1]) if cosine <= 0.99), default=0)
    shares = {f"above {level}": float((path[-1] > level).mean()) for level in (0.95, 0.99)}
    ends = {"lowest": lowest[-1], "random": float(beside_its_end(X, k, init="random", random_state=0)[0][-1].min())}
    return {"iterations": [needed, len(path), length], "seconds": median(spent)} | ends | shares


def beside_its_end(X: Any, k: int, **start: Any) -> tuple[list[Any], int]:
    """Cosines of the topics with those of the same run continued to its end, after each iteration; and its length."""
    from sonmf import SONMF

    ended = SONMF(k, tol=NEARLY_NOTHING, max_iter=3000, **start).fit(X)
    path: list[Any] = []
    SONMF(k, callback=lambda it: path.append((it.F.T * ended.components_).sum(axis=1)), **start).fit(X)
    return path, ended.n_iter_


def settled_table(data: str) -> str:
    rows = []
    for name in [*documents(data), *PRESS]:
        for k in SETTLED_RANKS:
            one = in_process(__file__, "settled", threads=1, data=data, name=name, k=k)
            iterations = [f"{count:,}" for count in one["iterations"]]
            shares = [f"{one[f'above {level}']:.0%}" for level in (0.95, 0.99)]
            lowest = [f"{one[which]:.2f}" for which in ("lowest", "random")]
            rows.append([name, str(k), *iterations, *shares, *lowest, f"{one['seconds']:.2f}"])
    shares, lowest = ["above .95", "above .99"], ["lowest", "lowest, random start"]
    iterations = ["all above .99 at", "iterations", "to the end"]
    return table(["documents", "topics", *iterations, *shares, *lowest, "seconds of CPU"], rows)


# ---- the same for the other methods, on articles and speeches ----

PRESS = {"BBC News": ("BBC_News", 20), "Europarl": ("Europarl_IT", 10)}
"""Files of OCTIS, and the number of documents below which a word is left out."""


def press(data: str, name: str, binary: bool = False) -> Any:
    """tf-idf, or 0 and 1."""
    import pandas as pd
    import scipy.sparse
    from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer

    file, least = PRESS[name]
    texts = pd.read_csv(Path(data, f"octis/{file}.tsv.gz"), sep="\t", header=None, quoting=csv.QUOTE_NONE)
    counts = CountVectorizer(min_df=least).fit_transform(texts[0].fillna("").astype(str)).astype(float)
    return scipy.sparse.csr_array((counts > 0).astype(float) if binary else TfidfTransformer().fit_transform(counts))


def settled_method(data: str, name: str, method: str, k: int) -> dict[str, Any]:
    """A default fit beside the same run with a tenth of its tol; if it warns, it has not settled and is not continued."""
    import numpy as np
    from sklearn.exceptions import ConvergenceWarning

    import sonmf

    X, make = press(data, name, binary=method in ("BinarySONMF", "LogisticNMF")), getattr(sonmf, method)
    make(k, max_iter=1, callback=lambda it: True).fit(X)  # compiles
    model = make(k, random_state=0)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", ConvergenceWarning)
        spent = seconds(lambda: model.fit(X))
        found = {"iterations": [model.n_iter_], "seconds": spent, "warns": bool(caught)}
        if found["warns"]:
            return found
        ended = make(k, tol=model.tol / 10, max_iter=CONTINUED, random_state=0).fit(X)
    A, B = (F / np.linalg.norm(F, axis=1, keepdims=True) for F in (model.components_, ended.components_))
    cosines = (A * B).sum(axis=1)
    shares = {f"above {level}": float((cosines > level).mean()) for level in (0.95, 0.99)}
    return found | {"iterations": [model.n_iter_, ended.n_iter_], "lowest": float(cosines.min())} | shares


def settled_methods_table(data: str) -> str:
    rows = []
    for name in PRESS:
        for method in ("BinarySONMF", "NMF", "ONMF", "SemiNMF", *(["LogisticNMF"] if name == "BBC News" else [])):
            for k in METHODS_RANKS:
                one = in_process(__file__, "settled_method", threads=1, data=data, name=name, method=method, k=k)
                iterations = [f"{count:,}" for count in one["iterations"]]
                if one["warns"]:
                    cells = [*iterations, "warns", "", "", ""]
                else:
                    cells = [*iterations, *(f"{one[f'above {level}']:.0%}" for level in (0.95, 0.99)), f"{one['lowest']:.2f}"]
                rows.append([name, method, str(k), *cells, f"{one['seconds']:.2f}"])
    head = ["documents", "method", "topics", "iterations", "continued", "above .95", "above .99", "lowest", "seconds of CPU"]
    return table(head, rows)


# ---- starts: what a race of several brings ----


def race(data: str, name: str, k: int) -> list[dict[str, Any]]:
    """For each number of starts and seed: share explained, topics and time; the best explained of all is the measure."""
    from sonmf import SONMF

    X = documents(data)[name]()
    SONMF(k, max_iter=1, callback=lambda it: True).fit(X)  # compiles
    fits = []
    for init, n in [("svd", 1), ("random", 1), *(("varimax", n) for n in RACES)]:
        for seed in range(1 if n == 1 and init != "random" else SEEDS):
            model = SONMF(k, init=init, n_init=n, random_state=seed)
            fits.append((init, n, seconds(lambda model=model: model.fit(X)), model.score(X), model.components_))
    _, _, _, best, topics = max(fits, key=lambda fit: fit[3])
    return [
        {
            "init": init,
            "n": n,
            "seconds": spent,
            "short": 1 - score / best,
            "same": float((matched(F, topics) > 0.95).mean()),
        }
        for init, n, spent, score, F in fits
    ]


def race_table(data: str) -> str:
    import numpy as np

    rows = []
    for name in documents(data):
        for k in RANKS:
            found = in_process(__file__, "race", threads=1, data=data, name=name, k=k)
            for start in dict.fromkeys((one["init"], one["n"]) for one in found):
                some = [one for one in found if (one["init"], one["n"]) == start]
                mean = {what: float(np.mean([one[what] for one in some])) for what in ("short", "same", "seconds")}
                rows.append(
                    [
                        name,
                        str(k),
                        start[0],
                        str(start[1]),
                        f"{mean['short']:.1e}",
                        f"{mean['same']:.0%}",
                        f"{mean['seconds']:.2f}",
                    ]
                )
    return table(["documents", "topics", "start", "n_init", "short of the best by", "its topics", "seconds of CPU"], rows)


# ---- words: coherence and diversity of every method, words ranked the same way ----


def methods(k: int) -> dict[str, Any]:
    from sklearn.decomposition import NMF, TruncatedSVD

    from sonmf import ONMF, SONMF, SemiNMF

    return {
        "SONMF": SONMF(k, n_init=4, random_state=0),
        f"SONMF, sparsity {SPARSITY:g}": SONMF(k, n_init=4, sparsity=SPARSITY, random_state=0),
        "NMF (scikit-learn)": NMF(k, init="nndsvd", max_iter=500, random_state=0),
        "ONMF": ONMF(k, random_state=0),
        "SemiNMF": SemiNMF(k, random_state=0),
        "TruncatedSVD": TruncatedSVD(k, random_state=0),
        "LDA (tomotopy, counts)": Gibbs(k, 0),
        "LDA, words by weight": Gibbs(k, 0),
    }


def words(data: str, name: str, k: int, method: str) -> dict[str, float]:
    """NPMI and diversity of ten words a topic, as ``top_words`` names it, and the non-zero share of the amounts."""
    import numpy as np

    from sonmf import metrics

    model = methods(k)[method]
    X = documents(data, "count" if isinstance(model, Gibbs) else "tfidf")[name]()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        G = model.fit_transform(X)
    lists = indicator(listed(*with_signs(model.components_, G), None if "by weight" in method else X), X.shape[1])
    return {"npmi": metrics.npmi(lists, X), "diversity": metrics.diversity(lists), "used": float(np.mean(G > 1e-12))}


def words_table(data: str) -> str:
    rows = []
    for name in documents(data):
        for k in RANKS:
            for method in methods(k):
                one = in_process(__file__, "words", threads=1, data=data, name=name, k=k, method=method)
                rows.append([name, str(k), method, f"{one['npmi']:.3f}", f"{one['diversity']:.2f}", f"{one['used']:.0%}"])
    return table(["documents", "topics", "method", "coherence", "diversity", "amounts above 0"], rows)


JOBS: dict[str, Callable[..., Any]] = {f.__name__: f for f in (numbers, settled, settled_method, race, words)}
TABLES = {
    "numbers": numbers_table,
    "settled": settled_table,
    "settled_methods": settled_methods_table,
    "starts": race_table,
    "words": words_table,
}

if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", default="../shared/data", help="folder with the real data (default ../shared/data)")
    parser.add_argument("--only", nargs="+", choices=TABLES, default=list(TABLES), help="which tables (default all)")
    parser.add_argument("--out", type=Path, help="folder to write the tables to, as NAME_figures.md")
    if options := asked(parser, JOBS):
        say(machine())
        for which in options.only:
            text = TABLES[which](options.data)
            say(f"\n{which}\n\n{text}")
            if options.out:
                name = f"{which}_figures.md"
                (options.out / name).write_text(f"{mark(name)}\n\n{text}\n")
