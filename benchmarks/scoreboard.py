"""Topics of several packages on the corpora that others publish tables for, beside their tables.

python benchmarks/scoreboard.py [--data ../shared/data] [--cells FOLDER] [--jobs 2] [--only BBC_News M10] [--minutes 40]
                                 [--quick] [--out docs]

A cell, which is one fit and its figures, is kept in the folder of cells and is not measured again, so a run that was stopped
continues where it was. Cells of other code, packages or data have a folder of their own. The slowest cells come last, and with
``--minutes`` a page has a dash for those that were not reached. ``--quick`` measures ten topics of 500 articles, which takes
about a minute, and writes no page.
"""

from __future__ import annotations

import argparse
import csv
import functools
import hashlib
import importlib.util
import json
import os
import signal
import sys
import tempfile
import time
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

from common import machine, say, table
from fingerprint import MEASURES, fingerprint, mark
from octis import TOP, Corpus, coherence, corpus, indicator, listed, weighted, with_signs

CORPORA = ("BBC_News", "M10", "Europarl_IT", "DBLP")
TOPICS, QUICK_DOCUMENTS = (10, 20, 30, 40, 50), 500
LABELLED = ("BBC_News", "M10", "DBLP")
LARGE = "DBLP"  # one seed
SEEDS, FOLDS = 3, 5
SPARSITY = 0.05
PAGE = "scoreboard_figures.md"


class Method(NamedTuple):
    """How a model is made, what it is fitted to, and whether a seed changes it."""

    make: Callable[[int, int], Any]
    data: str = "tf-idf"
    seeds: int = SEEDS
    package: str = "sonmf"
    """What has to be installed."""


def methods() -> dict[str, Method]:
    from sklearn import decomposition

    import sonmf

    return {
        "SONMF": Method(lambda k, seed: sonmf.SONMF(k), seeds=1),
        f"SONMF, sparsity {SPARSITY:g}": Method(lambda k, seed: sonmf.SONMF(k, sparsity=SPARSITY), seeds=1),
        "NMF (scikit-learn)": Method(lambda k, seed: decomposition.NMF(k, max_iter=500, random_state=seed)),
        "TruncatedSVD": Method(lambda k, seed: decomposition.TruncatedSVD(k, random_state=seed)),
        "NMF (ours)": Method(lambda k, seed: sonmf.NMF(k, random_state=seed)),
        "LDA (scikit-learn)": Method(lambda k, seed: decomposition.LatentDirichletAllocation(k, random_state=seed), "counts"),
        "LDA (tomotopy)": Method(Gibbs, "counts", package="tomotopy"),
        "BinarySONMF": Method(lambda k, seed: sonmf.BinarySONMF(k), "0/1", seeds=1),
    }


class Gibbs:
    """LDA of tomotopy as an estimator on counts."""

    def __init__(self, k: int, seed: int) -> None:
        import tomotopy

        self.model = tomotopy.LDAModel(k=k, seed=seed)

    def fit_transform(self, counts: Any) -> Any:
        """Shares of topics in the documents; equal ones in a document without words, which the model does not keep."""
        import numpy as np

        for words in self._words(counts):
            self.model.add_doc(words)
        self.model.train(ITERATIONS, workers=1)
        places = [int(word) for word in self.model.used_vocabs]
        self.components_ = np.zeros((self.model.k, counts.shape[1]))
        self.components_[:, places] = [self.model.get_topic_word_dist(k) for k in range(self.model.k)]
        shares = np.full((counts.shape[0], self.model.k), 1 / self.model.k)
        shares[np.diff(counts.indptr) > 0] = [document.get_topic_dist() for document in self.model.docs]
        return shares

    def transform(self, counts: Any) -> Any:
        """Shares of topics in other documents."""
        import numpy as np

        documents = [self.model.make_doc(words) for words in self._words(counts)]
        return np.array(self.model.infer(documents, workers=1)[0])

    @staticmethod
    def _words(counts: Any) -> list[list[str]]:
        """The words of each document, a word as its column."""
        rows = zip(counts.indptr, counts.indptr[1:], strict=False)
        return [
            [str(j) for j, n in zip(counts.indices[a:b], counts.data[a:b], strict=True) for _ in range(int(n))] for a, b in rows
        ]


ITERATIONS = 500  # of Gibbs sampling


# ---- one cell ----


class Cell(NamedTuple):
    """One fit to all documents, or to those outside one fold."""

    corpus: str
    method: str
    topics: int
    seed: int
    documents: int | None = None
    """The first so many; None for all."""
    fold: int | None = None
    """The fold that is left out; None for a fit to all."""

    def place(self, cells: Path) -> Path:
        """The file of its figures."""
        name = "_".join(map(str, self))
        return cells / f"{''.join(letter if letter.isalnum() else '_' for letter in name)}.json"


def measure(cell: Cell, data: str) -> dict[str, Any]:
    """Fit and judge."""
    one, method = corpus(data, cell.corpus, cell.documents), methods()[cell.method]
    compiled(cell.method)
    return cell._asdict() | (of_all if cell.fold is None else of_fold)(cell, method, one)


@functools.cache
def compiled(name: str) -> None:
    """Import and compile what a method needs, so that no timing includes that."""
    import numpy as np
    import scipy.sparse

    few = scipy.sparse.csr_array((np.random.default_rng(0).random((60, 80)) < 0.3).astype(float))
    for k in (2, 20):  # the two widths of tiles
        methods()[name].make(k, 0).fit_transform(few)


# ---- what a fit is worth ----


def of_all(cell: Cell, method: Method, one: Corpus) -> dict[str, float]:
    """The seconds of a fit to all documents, its words, and its largest topics beside the labels."""
    import numpy as np

    X, model = weighted(one.counts, method.data), method.make(cell.topics, cell.seed)
    start = time.process_time()
    G = model.fit_transform(X)
    spent = time.process_time() - start
    F, G = with_signs(model.components_, G)
    row = {"seconds": spent} | named(F, G, X, one)
    return (
        row | grouping(G * (1.0 if method.data == "counts" else np.linalg.norm(F, axis=1)), one.labels) if one.labels else row
    )


def named(F: Any, G: Any, X: Any, one: Corpus) -> dict[str, float]:
    """The coherence and diversity of ten words a topic, by weight and as ``top_words`` names a topic."""
    from sonmf import metrics

    row = {}
    for way, documents in {"weight": None, "named": X}.items():
        lists = listed(F, G, documents)
        chosen = indicator(lists, len(one.words))
        row[f"{way} npmi"] = coherence([words for words in lists if len(words) > 1], one.windows)
        row[f"{way} diversity"] = metrics.diversity(chosen, TOP)
        row[f"{way} documents"] = metrics.npmi(chosen, one.counts, TOP)
    return row


def of_fold(cell: Cell, method: Method, one: Corpus) -> dict[str, float]:
    """Accuracy of logistic regression on the amounts in one fold; idf and topics are those of the other four."""
    import numpy as np
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import StratifiedKFold
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    labels, splits = np.array(one.labels), StratifiedKFold(FOLDS, shuffle=True, random_state=0)
    known, new = list(splits.split(one.counts, labels))[cell.fold]
    X, Y = (weighted(one.counts[rows], method.data, one.counts[known]) for rows in (known, new))
    model, forecast = method.make(cell.topics, cell.seed), make_pipeline(StandardScaler(), LogisticRegression(max_iter=300))
    return {"accuracy": forecast.fit(model.fit_transform(X), labels[known]).score(model.transform(Y), labels[new])}


def grouping(G: Any, labels: list[str]) -> dict[str, float]:
    """NMI of the largest topic with the label, and the share of documents without a topic."""
    from sklearn.metrics import normalized_mutual_info_score

    largest = G.argmax(axis=1) + G.any(axis=1)  # 0: no topic
    return {"nmi": float(normalized_mutual_info_score(labels, largest)), "without": float((largest == 0).mean())}


# ---- all cells, and the page ----


def plan(quick: bool) -> list[Cell]:
    """Every cell of the page, the slowest last: of the last method its fits, then its accuracies, then the large corpus."""
    fits = [
        Cell(name, method, k, seed, QUICK_DOCUMENTS if quick else None)
        for method, one in methods().items()  # the last are the slowest
        for k in numbers_of_topics(quick)
        for name in (CORPORA[:1] if quick else CORPORA)
        for seed in range(1 if quick or name == LARGE else one.seeds)
    ]
    cells, slowest = [cell for fit in fits for cell in (fit, *folds_of(fit))], fits[-1].method

    def order(cell: Cell) -> tuple[Any, ...]:
        late = (cell.corpus == LARGE, 0 if cell.fold is None else cell.topics, cell.corpus)
        return late if cell.method == slowest else ()

    return sorted(cells, key=order)


def numbers_of_topics(quick: bool) -> tuple[int, ...]:
    return TOPICS[:1] if quick else TOPICS


def folds_of(fit: Cell) -> list[Cell]:
    """The cells of its accuracy, where that is measured."""
    judged = fit.corpus in LABELLED and fit.seed == 0 and fit.topics in (TOPICS[0], TOPICS[-1])
    return [fit._replace(fold=fold) for fold in range(FOLDS)] if judged else []


def measure_all(wanted: list[Cell], data: str, cells: Path, processes: int, minutes: float) -> None:
    """The cells that are missing, each in one of the processes of one thread; TimeoutError where time is over."""
    import tqdm

    from sonmf import jobs

    signal.signal(signal.SIGTERM, signal.default_int_handler)
    signal.signal(signal.SIGALRM, time_is_over)
    signal.setitimer(signal.ITIMER_REAL, 60 * minutes)
    try:
        with tqdm.tqdm(total=len(wanted), unit="cell", file=sys.stderr) as bar:
            jobs.run(measure, {cell.place(cells): cell for cell in wanted}, processes, lambda cell: bar.update(), (data,))
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def time_is_over(*signal_and_frame: Any) -> None:
    raise TimeoutError


def known(planned: list[Cell], cells: Path) -> list[dict[str, Any]]:
    """A row for each fit that is there, with its accuracy where all folds are there, in the order of the page."""
    rows = {cell: json.loads(place.read_text(encoding="utf-8")) for cell in planned if (place := cell.place(cells)).exists()}
    fits, order = [cell for cell in rows if cell.fold is None], list(methods())
    for fit in fits:
        scores = [rows[cell]["accuracy"] for cell in folds_of(fit) if cell in rows]
        rows[fit] |= {"accuracy": sum(scores) / FOLDS} if len(scores) == FOLDS else {}
    fits.sort(key=lambda fit: (CORPORA.index(fit.corpus), order.index(fit.method), fit.topics, fit.seed))
    return [rows[fit] for fit in fits]


def at(rows: list[dict[str, Any]], k: int, what: str) -> float:
    """The mean over the runs with ``k`` topics; NaN without any."""
    runs = [row[what] for row in rows if row["topics"] == k]
    return sum(runs) / len(runs) if runs else float("nan")


def mean(rows: list[dict[str, Any]], what: str, topics: tuple[int, ...] = TOPICS) -> float:
    """Over the numbers of topics; NaN where one was not measured."""
    return sum(at(rows, k, what) for k in topics) / len(topics)


def of(found: list[dict[str, Any]], **wanted: str) -> list[dict[str, Any]]:
    """The rows with these values."""
    return [row for row in found if all(row[key] == value for key, value in wanted.items())]


def figure(value: float) -> str:
    return "-" if value != value else f"{value:.3f}".replace("-0.000", "0.000")


def said(values: list[Any]) -> str:
    """The first and the last, or the one that there is."""
    return " to ".join(str(value) for value in dict.fromkeys((values[0], values[-1])))


def beside_published(data: str, found: list[dict[str, Any]]) -> str:
    """Systems on BBC News: the mean over the numbers of topics and the runs, ours and those that were published."""
    with Path(data, "octis", "published.csv").open(encoding="utf-8") as file:
        copied = [dict(row, topics=int(row["n_topics"])) for row in csv.DictReader(file)]
    copied = [row | {what: float(row[what]) for what in ("npmi", "diversity", "seconds")} for row in copied]
    rows = []
    for name in dict.fromkeys(row["system"] for row in copied):
        rows.append([name, "published", *(mean(of(copied, system=name), what) for what in ("npmi", "diversity", "seconds"))])
    for name, way in ((name, way) for name in methods() for way in ("named", "weight")):
        some = of(found, corpus=CORPORA[0], method=name)
        ours = [mean(some, what) for what in (f"{way} npmi", f"{way} diversity", "seconds")]
        rows += [[f"{name}, {SPELLED[way]}", "run here", *ours]] if ours[0] == ours[0] else []
    rows.sort(key=lambda row: -row[2])
    cells = [[name, origin, figure(npmi), figure(diverse), f"{spent:.1f}"] for name, origin, npmi, diverse, spent in rows]
    return table(["system on BBC_News", "figures", "NPMI", "diversity", "seconds a fit"], cells)


def by_topics(found: list[dict[str, Any]], topics: tuple[int, ...]) -> str:
    """NPMI by number of topics, and the means of the other figures."""
    rows = []
    means = ("named npmi", "named diversity", "weight npmi", "weight diversity", "named documents")
    for name, method in dict.fromkeys((row["corpus"], row["method"]) for row in found):
        some = of(found, corpus=name, method=method)
        runs = sorted({sum(row["topics"] == k for row in some) for k in topics} - {0})
        spent = [f"{at(some, k, 'seconds'):.1f}" for k in (some[0]["topics"], some[-1]["topics"])]
        figures = [*(at(some, k, "named npmi") for k in topics), *(mean(some, what, topics) for what in means)]
        rows.append([name, method, said(runs), *map(figure, figures), said(spent)])
    head = ["mean", "diversity", "NPMI by weight", "diversity by weight", "NPMI by documents", "seconds a fit"]
    return table(["corpus", "method", "runs", *(f"K = {k}" for k in topics), *head], rows)


def ahead(found: list[dict[str, Any]]) -> str:
    """In how many numbers of topics SONMF has the larger NPMI, both named in the same way."""

    rows, (sonmf, sparse, *others) = [], methods()
    for name, one in ((name, one) for name in CORPORA for one in (sonmf, sparse)):
        own, cells = of(found, corpus=name, method=one), []
        for other in others:
            theirs = of(found, corpus=name, method=other)
            differences = [at(own, k, "named npmi") - at(theirs, k, "named npmi") for k in TOPICS]
            measured = [difference for difference in differences if difference == difference]
            cells.append(f"{sum(d > 0 for d in measured)} of {len(measured)}" if measured else "-")
        rows += [[name, one, *cells]] if own else []
    return table(["corpus", "ahead of", *others], rows)


def of_classes(found: list[dict[str, Any]]) -> str:
    rows = sorted((row for row in found if "accuracy" in row), key=lambda row: (row["corpus"], row["topics"]))
    head, figures = ["corpus", "topics", "method", "accuracy", "NMI", "no topic"], []
    for row in rows:
        cells = [f"{row['accuracy']:.1%}", f"{row['nmi']:.3f}", f"{row['without']:.1%}"]
        figures.append([row["corpus"], str(row["topics"]), row["method"], *cells])
    return table(head, figures)


SPELLED = {"named": "named here", "weight": "by weight"}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", default="../shared/data", help="folder with the real data (default ../shared/data)")
    parser.add_argument(
        "--cells", type=Path, default=Path(tempfile.gettempdir(), "sonmf_scoreboard"), help="folder of the cells"
    )
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="cells measured at a time (default one a core)")
    parser.add_argument("--only", nargs="+", choices=CORPORA, default=CORPORA, help="which corpora are measured (default all)")
    parser.add_argument(
        "--minutes", type=float, default=0, help="stop after so long, and write the page with a dash for what is missing"
    )
    parser.add_argument("--quick", action="store_true", help="ten topics of 500 articles, and no page")
    parser.add_argument("--out", type=Path, help=f"folder to write the tables to, as {PAGE}")
    options = parser.parse_args()
    if options.jobs < 1 or options.minutes < 0:
        parser.error("--jobs takes 1 or more, and --minutes 0 (no limit) or more")
    if options.out and not options.out.is_dir():
        parser.error(f"--out {options.out} is no folder")
    if not Path(options.data, "octis").is_dir():
        raise SystemExit(f"{options.data}/octis is not there, so nothing was measured: name the folder with --data")
    stamp, planned = mark(PAGE), plan(options.quick)  # now: the code may be edited before the page is written
    cells = options.cells / state(options.data)
    cells.mkdir(parents=True, exist_ok=True)
    wanted = [cell for cell in planned if cell.corpus in options.only and present(cell)]
    say(f"{run_by()}\n{len(wanted)} cells, {sum(cell.place(cells).exists() for cell in wanted)} of them already in {cells}")
    try:
        measure_all(wanted, options.data, cells, options.jobs, options.minutes)
    except TimeoutError:
        say(f"\n{options.minutes:g} minutes are over; the same command continues with the cells that are missing")
    except KeyboardInterrupt:
        raise SystemExit("\nstopped; the same command continues with the cells that are missing") from None
    found = known(planned, cells)
    text = "\n\n".join(f"## {title}\n\n{one}" for title, one in tables(found, options).items())
    say(f"\n{text}")
    if options.out and not options.quick:
        (options.out / PAGE).write_text(f"{stamp}\n\n*{run_by()}.*\n\n{text}\n", encoding="utf-8")


def state(data: str) -> str:
    """A hash of all that figures depend on besides the cell: code of the package and of this script, other packages, data."""
    scripts = [Path(__file__).with_name(name).read_text(encoding="utf-8") for name in ("scoreboard.py", "octis.py")]
    parts = [fingerprint(MEASURES[PAGE]), *scripts, run_by(), str(Path(data).resolve())]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:12]


def present(cell: Cell) -> bool:
    """Whether the package of its method is installed."""
    return importlib.util.find_spec(methods()[cell.method].package) is not None


def run_by() -> str:
    """The machine and its packages, with that of each method."""
    packages = dict.fromkeys(one.package for one in methods().values() if importlib.util.find_spec(one.package))
    return ", ".join([machine(), *(f"{name} {version(name)}" for name in packages if name != "sonmf")])


def tables(found: list[dict[str, Any]], options: argparse.Namespace) -> dict[str, str]:
    published = {} if options.quick else {"Beside what others publish": beside_published(options.data, found)}
    cells = by_topics(found, numbers_of_topics(options.quick))
    return published | {"All cells": cells, "Ahead, named in the same way": ahead(found), "Classes": of_classes(found)}


if __name__ == "__main__":
    main()
