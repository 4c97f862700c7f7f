"""The words of topics: coherence by ranking, negative sides, what leads the demo's topics, AUROC with negation marked.

python benchmarks/topic_words.py [--data ../shared/data] [--notes 10000] [--topics 10 30 50] [--out docs]
"""

from __future__ import annotations

import argparse
import re
from pathlib import Path
from typing import Any

from common import asked, in_process, machine, parts, say, table
from fingerprint import mark
from octis import corpus
from octis import weighted as tf_idf

ALTERED = "altered_consciousness/triage.csv.gz"
NEISS = "neiss_neck/neiss_neck_2003_2022.csv.gz"
REVIEWS = "movie_reviews/pang_lee_polarity2.csv.gz"
COUNTS = "associated_press/X_counts.npz"
DEMO_TOPICS = 30
JUDGED_TOPICS = 50
TYPICAL = 3  # notes that show a topic most
NEGATION = re.compile(r"\b(no|not|nor|never|denies|deny|denied|denying|without|negative|neg|wont|won't|cannot|can't)\b|\bw/o\b")
CLAUSE = re.compile(r"[.;\n(]| - |\bbut\b|\bfrom\b|\bhx\b|\bpmh")
RANKINGS = {"weight": "weight", "correlation": "0", "as named": "1/L"}
POWERS = {"0": 0.0, "1/2L": 0.5, "1/L": 1.0, "3/2L": 1.5, "2/L": 2.0}  # of how common a word is; commonness has 1/L
CHOSEN_ON = ("BBC_News", "M10")
TITLES = ("BBC_News", "M10", "DBLP", "Europarl_IT")  # as tokenised in the folder octis


def documents(data: str, weighting: str = "tfidf") -> dict[str, Any]:
    """What makes each set of documents: tf-idf of unit length, or with ``count`` the counts of the same words."""
    return {
        "altered consciousness": lambda: weighted(column(Path(data, ALTERED), "TriageNote"), weighting),
        "NEISS": lambda: weighted(column(Path(data, NEISS), "narrative_nodx"), weighting),
        "Associated Press": lambda: press(Path(data), weighting),
        "movie reviews": lambda: weighted(column(Path(data, REVIEWS), "text"), weighting),
    }


def tokenised(data: str, name: str) -> Any:
    """tf-idf of a corpus of the scoreboard."""
    return tf_idf(corpus(data, name).counts)


def column(path: Path, name: str) -> list[Any]:
    import pandas as pd

    return list(pd.read_csv(path, encoding="latin-1")[name])


def weighted(notes: list[Any], weighting: str = "tfidf") -> Any:
    from sonmf.text import NotesVectorizer

    return NotesVectorizer(negation="mark", weighting=weighting).fit_transform(notes)


def press(data: Path, weighting: str = "tfidf") -> Any:
    """Counts, or tf-idf of unit length, words of fewer than five documents left out."""
    import numpy as np
    import scipy.sparse
    from sklearn.preprocessing import normalize

    counts = scipy.sparse.csc_array(scipy.sparse.load_npz(data / COUNTS), dtype=float)
    frequency = np.diff(counts.indptr)
    kept = np.flatnonzero(frequency >= 5)
    if weighting == "count":
        return scipy.sparse.csr_array(counts[:, kept])
    idf = scipy.sparse.diags_array(np.log2(counts.shape[0] / frequency[kept]))
    return scipy.sparse.csr_array(normalize(counts[:, kept] @ idf))


def coherence(data: str, name: str, topics: list[int]) -> list[dict[str, Any]]:
    """NPMI and diversity of ten words by each ranking, and how much of each topic lies on its negative side."""
    import numpy as np

    from sonmf import SONMF, metrics
    from sonmf.text import topic_words as ranking

    X = tokenised(data, name) if name in TITLES else documents(data)[name]()
    common, rows = ranking.commonness(X), []
    for k in topics:
        F = SONMF(k).fit(X).components_
        Z = X @ F.T
        r, shares = ranking.correlations(X, Z), ranking.negative_shares(Z)
        towards = (F > 0) & (r > 0)
        close = np.where(towards, r, 0.0)
        ranked = {"weight": np.maximum(F, 0.0)} | {power: close * common**times for power, times in POWERS.items()}
        away = np.where((F < 0) & (r < 0), -r * common, 0.0)
        shown = shares >= ranking.LEAST_SHARE
        rows.append(
            {way: [metrics.npmi(one, X), metrics.diversity(one)] for way, one in ranked.items()}
            | {"topics": k, "shares": np.quantile(shares, [0.0, 0.5, 1.0]).tolist(), "shown": int(shown.sum())}
            | {"away": metrics.npmi(away, X), "length": X.nnz / X.shape[0]}
        )
    return rows


def leaders(notes: int) -> dict[str, list[int]]:
    """Topics of all seven complaints, those led by filler, and those led by words that their typical notes deny."""
    from sonmf.datasets import make_triage_notes

    frame = make_triage_notes(notes, random_state=0)
    found: dict[str, list[int]] = {}
    for _, some in frame.groupby("complaint"):
        for title, counts in _leaders(list(some["note"])).items():
            found[title] = [a + b for a, b in zip(found.get(title, [0, 0, 0]), counts, strict=True)]
    return found


def _leaders(notes: list[str]) -> dict[str, list[int]]:
    from sonmf.text import NotesVectorizer, top_documents, top_words
    from sonmf.text.lexicon import FILLER
    from sonmf.triage.factorisations import METHODS

    found = {}
    for negation in (None, "mark"):
        vectorizer = NotesVectorizer(negation=negation)
        X = vectorizer.fit_transform(notes)
        model = METHODS["sonmf"].fit(X, DEMO_TOPICS, 0)
        words, Z = vectorizer.get_feature_names_out(), X @ model.components_.T
        for title, settings in {"by weight": {"filler": ()}, "as named, filler hidden": {"X": X}}.items():
            counts = [0, 0, 0]
            for k, topic in enumerate(top_words(model, words, 2, **settings)):
                leading = [word for word, _ in topic.positive]
                typical = [notes[i].lower() for i in top_documents(Z, k, TYPICAL)]
                counts[0] += 1
                counts[1] += any(word in FILLER for word in leading)
                counts[2] += any(sum(denies(note, word) for note in typical) > 1 for word in leading)
            found[f"{'negation marked' if negation else 'as written'}, {title}"] = counts
    return found


def denies(note: str, word: str) -> bool:
    """Whether a note has a word and denies it wherever it stands; a word that is marked as denied is no such word."""
    places = [match.start() for match in re.finditer(rf"\b{re.escape(word)}", note)]
    before = [CLAUSE.split(note[:place])[-1][-60:] for place in places]
    return bool(before) and all(NEGATION.search(part) for part in before) and not NEGATION.fullmatch(word)


def auroc(data: str, name: str, notes: int) -> list[float]:
    """Of notes alone, five folds: as written, and with negation marked."""
    from sonmf.text import NotesVectorizer
    from sonmf.triage import evaluate

    texts, outcomes, complaints = patients(data, name, notes)
    found = []
    for negation in (None, "mark"):
        rows = evaluate(
            texts, outcomes, complaints, methods=["sonmf"], n_topics=DEMO_TOPICS if complaints else JUDGED_TOPICS,
            vectorizer=NotesVectorizer(negation=negation), measurements=False, processes=1,
        ).summary()  # fmt: skip
        own = [row for row in rows if row["complaint"]] or rows
        found += [sum(row[figure] for row in own) / len(own) for figure in ("auroc", "log_loss")]
    return found


def patients(data: str, name: str, notes: int) -> tuple[list[Any], list[str], list[str] | None]:
    """Notes, outcomes and complaints: generated, or of one of the data sets with two outcomes."""
    from sonmf.datasets import make_triage_notes

    if name == "demo":
        frame = make_triage_notes(notes, random_state=0)
        return list(frame["note"]), list(frame["disposition"]), list(frame["complaint"])
    if name == "NEISS":
        texts, outcomes = (column(Path(data, NEISS), key) for key in ("narrative_nodx", "disposition"))
    else:
        texts, codes = (column(Path(data, ALTERED), key) for key in ("TriageNote", "DISPOSITION"))
        outcomes = [{"A": "admitted", "D": "discharged"}.get(code) for code in codes]
    kept = [i for i, outcome in enumerate(outcomes) if outcome in ("admitted", "discharged")]
    return [texts[i] for i in kept], [outcomes[i] for i in kept], None


JOBS = {f.__name__: f for f in (coherence, leaders, auroc)}


def rankings(data: str, topics: list[int]) -> dict[str, str]:
    """Three tables."""
    rows, powers, sides = [], [], []
    for name in (*documents(data), *TITLES):
        found = in_process(__file__, "coherence", threads=1, data=data, name=name, topics=topics)
        if name in CHOSEN_ON:
            means = ([sum(row[way][at] for row in found) / len(found) for at in (0, 1)] for way in ("weight", *POWERS))
            powers.append([name, *(f"{npmi:.3f} / {diversity:.2f}" for npmi, diversity in means)])
        for row in found:
            cells = [f"{npmi:.3f} / {diversity:.2f}" for npmi, diversity in (row[way] for way in RANKINGS.values())]
            rows.append([name, f"{row['length']:.0f}", str(row["topics"]), *cells])
            low, middle, high = row["shares"]
            shares = f"{low:.2%} to {high:.2%}, median {middle:.2%}"
            sides.append([name, str(row["topics"]), shares, f"{row['shown']} of {row['topics']}", f"{row['away']:.3f}"])
    return {
        "rankings": table(["documents", "words of each", "topics", *RANKINGS], rows),
        "powers": table(["mean of the rows above", "weight", *POWERS], powers),
        "sides": table(["documents", "topics", "share of the energy", "shown", "NPMI of ten words"], sides),
    }


def named(notes: int) -> str:
    found = in_process(__file__, "leaders", threads=1, notes=notes)
    header = [
        f"{notes:,} generated notes, seven complaints",
        "topics",
        "named by filler",
        "named by a word that its typical notes deny",
    ]
    return table(header, [[title, *map(str, counts)] for title, counts in found.items()])


def marking(data: str, names: list[str], notes: int) -> str:
    rows = []
    for name in names:
        one = in_process(__file__, "auroc", threads=1, data=data, name=name, notes=notes)
        rows.append([f"{notes:,} generated notes" if name == "demo" else name, *(f"{figure:.4f}" for figure in one)])
    return table(["notes", "AUROC, as written", "log loss, as written", "AUROC, marked", "log loss, marked"], rows)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", default="../shared/data", help="the folder of real data (default ../shared/data)")
    parser.add_argument("--notes", type=int, default=10_000, help="generated notes (default 10,000)")
    parser.add_argument("--topics", type=int, nargs="+", default=[10, 30, 50], help="for the coherence (default 10 30 50)")
    parser.add_argument("--out", type=Path, help="folder to write ranking_figures.md to")
    if options := asked(parser, JOBS):
        say(machine())
        page = "ranking_figures.md"
        stamp = mark(page)  # now: the code may be edited before the page is written
        there = Path(options.data).is_dir()
        tables = rankings(options.data, options.topics) if there else {}
        tables["names"] = named(options.notes)
        names = ["demo", *(["altered consciousness", "NEISS"] if there else [])]
        tables["marking"] = marking(options.data, names, options.notes)
        for name, text in tables.items():
            say(f"\n{name}\n\n{text}")
        if options.out and there:
            (options.out / page).write_text(f"{stamp}\n\n{parts(tables)}")
