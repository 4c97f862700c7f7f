"""Topics of several packages on the corpora that others publish tables for, beside their tables.

python benchmarks/scoreboard.py [--data ../shared/data] [--cells FOLDER] [--only BBC_News M10] [--quick] [--out docs]

A fit is kept in the folder of cells and is not done again, so a run that was stopped continues where it was. ``--quick`` fits
ten topics to 500 articles, which takes less than a minute, and writes no page.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import importlib.util
import json
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

from common import asked, in_process, machine, say, table
from fingerprint import mark

CORPORA = ("BBC_News", "M10", "Europarl_IT", "DBLP")
TOPICS, QUICK_DOCUMENTS = (10, 20, 30, 40, 50), 500
LARGE = "DBLP"  # one seed, and the slowest fits at a few numbers of topics only
SEEDS, TOP, WINDOW = 3, 10, 10
NEVER = 1e-12  # what gensim adds to the share of windows with both words
SPARSITY = 0.05
PAGE = "scoreboard_figures.md"


class Corpus(NamedTuple):
    """Documents as they are tokenised in the file."""

    texts: list[list[str]]
    labels: list[str]
    counts: Any
    words: list[str]


class Method(NamedTuple):
    """How a model is made, what it is fitted to, and whether a seed changes it."""

    make: Callable[[int, int], Any]
    data: str = "tf-idf"
    seeds: int = SEEDS
    largest: int = 50
    """The largest number of topics on the large corpus."""


def methods() -> dict[str, Method]:
    from sklearn import decomposition

    import sonmf

    found = {
        "SONMF": Method(lambda k, seed: sonmf.SONMF(k), seeds=1),
        f"SONMF, sparsity {SPARSITY:g}": Method(lambda k, seed: sonmf.SONMF(k, sparsity=SPARSITY), seeds=1),
        "NMF (scikit-learn)": Method(lambda k, seed: decomposition.NMF(k, max_iter=500, random_state=seed)),
        "TruncatedSVD": Method(lambda k, seed: decomposition.TruncatedSVD(k, random_state=seed)),
        "NMF (ours)": Method(lambda k, seed: sonmf.NMF(k, random_state=seed)),
        "LDA (scikit-learn)": Method(lambda k, seed: decomposition.LatentDirichletAllocation(k, random_state=seed), "counts"),
        "LDA (tomotopy)": Method(Gibbs, "counts"),
        "BinarySONMF": Method(lambda k, seed: sonmf.BinarySONMF(k), "0/1", seeds=1, largest=10),
    }
    return (
        found if importlib.util.find_spec("tomotopy") else {name: one for name, one in found.items() if one.make is not Gibbs}
    )


class Gibbs:
    """LDA of tomotopy as an estimator on counts."""

    def __init__(self, k: int, seed: int) -> None:
        import tomotopy

        self.model = tomotopy.LDAModel(k=k, seed=seed)

    def fit_transform(self, counts: Any) -> Any:
        """Shares of topics in the documents."""
        import numpy as np

        for start, end in zip(counts.indptr, counts.indptr[1:], strict=False):
            columns = np.repeat(counts.indices[start:end], counts.data[start:end].astype(int))
            self.model.add_doc([str(j) for j in columns])
        self.model.train(ITERATIONS, workers=1)
        places = [int(word) for word in self.model.used_vocabs]
        self.components_ = np.zeros((self.model.k, counts.shape[1]))
        self.components_[:, places] = [self.model.get_topic_word_dist(k) for k in range(self.model.k)]
        return np.array([document.get_topic_dist() for document in self.model.docs])


ITERATIONS = 500  # of Gibbs sampling


def corpus(data: str, name: str, documents: int | None = None) -> Corpus:
    import scipy.sparse
    from sklearn.feature_extraction.text import CountVectorizer

    with gzip.open(Path(data, "octis", f"{name}.tsv.gz"), "rt", encoding="utf-8") as file:
        rows = [line.rstrip("\n").split("\t") for line in file][:documents]
    texts = [row[0].split() for row in rows]
    vectorizer = CountVectorizer(analyzer=lambda words: words)
    counts = scipy.sparse.csr_array(vectorizer.fit_transform(texts).astype(float))
    return Corpus(texts, [row[2] for row in rows if len(row) > 2], counts, list(vectorizer.get_feature_names_out()))


def weighted(counts: Any, data: str) -> Any:
    """tf-idf of unit length, counts, or whether a word occurs."""
    from sklearn.feature_extraction.text import TfidfTransformer

    if data == "tf-idf":
        return TfidfTransformer().fit_transform(counts)
    return counts if data == "counts" else (counts > 0).astype(float)


# ---- one fit ----


def fits(data: str, name: str, cells: str, wanted: list[list[Any]], documents: int | None) -> int:
    """Fit what is wanted and not there yet, each to a file of its own."""
    import numpy as np
    import tqdm

    one, made, ready = corpus(data, name, documents), methods(), set()
    for method, k, seed in tqdm.tqdm(wanted, desc=name, file=sys.stderr):
        if not (path := place(cells, name, method, k, seed, documents)).exists():
            model, X = made[method].make(k, seed), weighted(one.counts, made[method].data)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                if method not in ready:  # imports and compiles
                    made[method].make(2, 0).fit_transform(X[:100])
                    ready.add(method)
                start = time.process_time()
                G = model.fit_transform(X)
                spent = time.process_time() - start
            np.savez(path.with_suffix(".part.npz"), F=model.components_, G=G.astype(np.float32), seconds=spent)
            path.with_suffix(".part.npz").replace(path)
    return len(wanted)


def place(cells: str, name: str, method: str, k: int, seed: int, documents: int | None) -> Path:
    spelled = "".join(letter if letter.isalnum() else "_" for letter in method)
    return Path(cells, f"{name}_{documents or 'all'}_{spelled}_{k}_{seed}.npz")


# ---- what a fit is worth ----


def windows(one: Corpus, size: int = WINDOW) -> Any:
    """Windows of ``size`` words x words, whether a word is in a window; a shorter text is one window.

    As gensim counts, a word that leaves a window is gone, even where the window has it a second time.
    """
    import numpy as np
    import scipy.sparse

    place_of = {word: j for j, word in enumerate(one.words)}
    rows, columns, count = [], [], 0
    for text in one.texts:
        places = [place_of[word] for word in text]
        inside = set(places[:size])
        for start in range(max(1, len(places) - size + 1)):
            if start:
                inside.discard(places[start - 1])
                inside.add(places[start + size - 1])
            rows += [count] * len(inside)
            columns += inside
            count += 1
    return scipy.sparse.csc_array((np.ones(len(rows)), (rows, columns)), shape=(count, len(one.words)))


def coherence(topics: list[list[int]], occurs: Any) -> float:
    """c_npmi as gensim computes it: log((p_ij + e) / (p_i p_j)) / -log(p_ij + e) over windows, e = 1e-12."""
    import numpy as np

    means = []
    for words in topics:
        both = (occurs[:, words].T @ occurs[:, words]).toarray() / occurs.shape[0]
        p = np.diag(both)
        value = np.log((both + NEVER) / np.outer(p, p)) / -np.log(both + NEVER)
        means.append(value[np.triu_indices(len(words), 1)].mean())
    return float(np.mean(means))


def judged(data: str, name: str, cells: str, wanted: list[list[Any]], documents: int | None) -> list[dict[str, Any]]:
    """Coherence, diversity and classes of each fit that is there."""
    import numpy as np

    one, made = corpus(data, name, documents), methods()
    slid, found = windows(one), []
    for method, k, seed in wanted:
        if (path := place(cells, name, method, k, seed, documents)).exists():
            fit = np.load(path)
            row = {"corpus": name, "method": method, "topics": k, "seed": seed, "seconds": float(fit["seconds"])}
            row |= named(fit, weighted(one.counts, made[method].data), one, slid)
            if one.labels and seed == 0 and k in (TOPICS[0], TOPICS[-1]):
                size = 1.0 if made[method].data == "counts" else np.linalg.norm(fit["F"], axis=1)
                row |= classes(fit["G"] * size, one.labels, path.with_suffix(".classes"))
            found.append(row)
    return found


def named(fit: Any, X: Any, one: Corpus, slid: Any) -> dict[str, float]:
    """The coherence and diversity of ten words a topic, by weight and as ``top_words`` names a topic."""
    from sonmf import metrics
    from sonmf.text import top_words

    model = SimpleNamespace(components_=with_signs(fit["F"], fit["G"]), transform=lambda X: fit["G"])
    at = {word: j for j, word in enumerate(one.words)}
    row = {}
    for way, documents in {"weight": None, "named": X}.items():
        topics = top_words(model, one.words, TOP, X=documents, filler=())
        lists = [[at[word] for word, _ in topic.positive] for topic in topics if len(topic.positive) > 1]
        row[f"{way} npmi"] = coherence(lists, slid)
        row[f"{way} diversity"] = len({word for words in lists for word in words}) / sum(map(len, lists))
        row[f"{way} documents"] = metrics.npmi(indicator(lists, len(one.words)), one.counts, TOP)
    return row


def with_signs(F: Any, G: Any) -> Any:
    """The signs of TruncatedSVD are arbitrary: each topic takes the one that holds more of the documents."""
    import numpy as np

    most = (np.maximum(G, 0) ** 2).sum(axis=0) >= (np.minimum(G, 0) ** 2).sum(axis=0)
    return F * np.where(most, 1, -1)[:, None]


def indicator(lists: list[list[int]], p: int) -> Any:
    import numpy as np

    components = np.zeros((len(lists), p))
    for row, words in zip(components, lists, strict=True):
        row[words] = 1.0
    return components


def classes(G: Any, labels: list[str], kept: Path) -> dict[str, float]:
    """Five-fold accuracy of logistic regression on the amounts, and NMI of the largest topic with the label."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.metrics import normalized_mutual_info_score
    from sklearn.model_selection import cross_val_score
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    if not kept.exists():
        accuracy = cross_val_score(make_pipeline(StandardScaler(), LogisticRegression(max_iter=300)), G, labels).mean()
        largest = G.argmax(axis=1) + G.any(axis=1)  # 0: no topic
        nmi = normalized_mutual_info_score(labels, largest)
        kept.write_text(json.dumps({"accuracy": float(accuracy), "nmi": float(nmi), "without": float((largest == 0).mean())}))
    return json.loads(kept.read_text())


# ---- all fits, and the page ----


def plan(name: str, quick: bool) -> list[list[Any]]:
    """Method, topics and seed of each fit on a corpus."""
    wanted = [
        [method, k, seed]
        for method, one in methods().items()
        for k in (TOPICS[:1] if quick else TOPICS)
        for seed in range(1 if quick or name == LARGE else one.seeds)
        if name != LARGE or k <= one.largest
    ]
    return sorted(wanted, key=lambda fit: fit[2])


def mean(rows: list[dict[str, Any]], what: str) -> float:
    """Over the numbers of topics, of the mean over the runs of each; NaN where a number of topics was not measured."""
    runs = [[row[what] for row in rows if row["topics"] == k] for k in TOPICS]
    return sum(sum(some) / len(some) for some in runs) / len(TOPICS) if all(runs) else float("nan")


def figure(value: float) -> str:
    return "-" if value != value else f"{value:.3f}".replace("-0.000", "0.000")


def beside_published(data: str, found: list[dict[str, Any]]) -> str:
    """Systems on BBC News: the mean over the numbers of topics and the runs, ours and those that were published."""
    with Path(data, "octis", "published.csv").open(encoding="utf-8") as file:
        copied = [dict(row, topics=int(row["n_topics"])) for row in csv.DictReader(file)]
    copied = [row | {what: float(row[what]) for what in ("npmi", "diversity", "seconds")} for row in copied]
    rows = []
    for name in dict.fromkeys(row["system"] for row in copied):
        some = [row for row in copied if row["system"] == name]
        rows.append([name, "published", *(mean(some, what) for what in ("npmi", "diversity", "seconds"))])
    for name, way in ((name, way) for name in methods() for way in ("named", "weight")):
        some = [row for row in found if row["method"] == name]
        ours = [mean(some, what) for what in (f"{way} npmi", f"{way} diversity", "seconds")]
        rows += [[f"{name}, {SPELLED[way]}", "run here", *ours]] if ours[0] == ours[0] else []
    rows.sort(key=lambda row: -row[2])
    cells = [[name, origin, figure(npmi), figure(diverse), f"{spent:.1f}"] for name, origin, npmi, diverse, spent in rows]
    return table(["system on BBC_News", "figures", "NPMI", "diversity", "seconds a fit"], cells)


def by_topics(found: list[dict[str, Any]]) -> str:
    """NPMI by number of topics, and the means of the other figures."""
    rows = []
    means = ("named npmi", "named diversity", "weight npmi", "weight diversity", "named documents")
    for name, method in dict.fromkeys((row["corpus"], row["method"]) for row in found):
        some = [row for row in found if (row["corpus"], row["method"]) == (name, method)]
        at = {k: [row for row in some if row["topics"] == k] for k in TOPICS}
        cells = [figure(sum(row["named npmi"] for row in at[k]) / len(at[k])) if at[k] else "-" for k in TOPICS]
        runs = sorted({len(one) for one in at.values() if one})
        spent = [sum(row["seconds"] for row in one) / len(one) for one in at.values() if one]
        spelled = f"{spent[0]:.1f} to {spent[-1]:.1f}" if len(spent) > 1 else f"{spent[0]:.1f}"
        every = [figure(mean(some, what)) for what in means]
        rows.append([name, method, " to ".join(str(n) for n in dict.fromkeys((runs[0], runs[-1]))), *cells, *every, spelled])
    head = ["mean", "diversity", "NPMI by weight", "diversity by weight", "NPMI by documents", "seconds a fit"]
    return table(["corpus", "method", "runs", *(f"K = {k}" for k in TOPICS), *head], rows)


def ahead(found: list[dict[str, Any]]) -> str:
    """In how many numbers of topics SONMF has the larger NPMI, both named in the same way."""

    def npmi(name: str, method: str, k: int) -> float:
        some = [row["named npmi"] for row in found if (row["corpus"], row["method"], row["topics"]) == (name, method, k)]
        return sum(some) / len(some) if some else float("nan")

    rows, (sonmf, sparse, *others) = [], methods()
    for name, one in ((name, one) for name in CORPORA for one in (sonmf, sparse)):
        differences = [[npmi(name, one, k) - npmi(name, other, k) for k in TOPICS] for other in others]
        known = [[difference for difference in some if difference == difference] for some in differences]
        if any(known):
            rows.append([name, one, *(f"{sum(d > 0 for d in some)} of {len(some)}" if some else "-" for some in known)])
    return table(["corpus", "ahead of", *others], rows)


def of_classes(found: list[dict[str, Any]]) -> str:
    rows = [
        [
            row["corpus"],
            str(row["topics"]),
            row["method"],
            f"{row['accuracy']:.1%}",
            f"{row['nmi']:.3f}",
            f"{row['without']:.1%}",
        ]
        for row in found
        if "accuracy" in row
    ]
    return table(
        ["corpus", "topics", "method", "accuracy", "NMI", "no topic"], sorted(rows, key=lambda row: (row[0], int(row[1])))
    )


JOBS: dict[str, Callable[..., Any]] = {f.__name__: f for f in (fits, judged)}
SPELLED = {"named": "named here", "weight": "by weight"}

if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", default="../shared/data", help="folder with the real data (default ../shared/data)")
    parser.add_argument("--cells", default=str(Path(tempfile.gettempdir(), "sonmf_scoreboard")), help="folder of the fits")
    parser.add_argument("--only", nargs="+", choices=CORPORA, default=CORPORA, help="which corpora are fitted (default all)")
    parser.add_argument("--quick", action="store_true", help="ten topics of 500 articles")
    parser.add_argument("--judge", action="store_true", help="fit nothing, and judge the fits that are there")
    parser.add_argument("--out", type=Path, help=f"folder to write the tables to, as {PAGE}")
    if options := asked(parser, JOBS):
        say(machine())
        Path(options.cells).mkdir(parents=True, exist_ok=True)
        found: list[dict[str, Any]] = []
        for name in CORPORA[:1] if options.quick else CORPORA:
            job = {"data": options.data, "name": name, "cells": options.cells, "wanted": plan(name, options.quick)}
            job["documents"] = QUICK_DOCUMENTS if options.quick else None
            if name in options.only and not options.judge:
                in_process(__file__, "fits", threads=1, **job)
            found += in_process(__file__, "judged", threads=1, **job)
        tables = {"All cells": by_topics(found), "Ahead, named in the same way": ahead(found), "Classes": of_classes(found)}
        if not options.quick:
            bbc = [row for row in found if row["corpus"] == CORPORA[0]]
            tables = {"Beside what others publish": beside_published(options.data, bbc)} | tables
        text = "\n\n".join(f"## {title}\n\n{one}" for title, one in tables.items())
        say(f"\n{text}")
        if options.out and not options.quick:
            (options.out / PAGE).write_text(f"{mark(PAGE)}\n\n{text}\n", encoding="utf-8")
