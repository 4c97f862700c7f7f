"""Seed words: does a topic stay about them, and what does it cost the others? Each way to give a topic its words.

python benchmarks/seed_topics.py [--data ../shared/data] [--topics 10 30] [--out docs/seeds_figures.md]
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from common import machine, say, table
from fingerprint import mark
from topic_words import ALTERED, NEISS, REVIEWS, column

SOURCES = {
    "altered consciousness": (
        ALTERED,
        "TriageNote",
        [
            "seizure postictal",
            "etoh drunk intoxicated",
            "weakness droop speech",
            "sugar diabetic insulin",
            "overdose pills suicidal",
        ],
    ),
    "NEISS": (
        NEISS,
        "narrative_nodx",
        ["bike bicycle helmet", "football tackled", "dog leash", "ladder fell roof", "swimming pool dove"],
    ),
    "movie reviews": (
        REVIEWS,
        "text",
        ["alien space planet", "vampire blood horror", "disney animated children", "war soldiers battle", "lawyer court trial"],
    ),
}
LISTED = 10


def judged(data: str, name: str, k: int) -> list[dict[str, Any]]:
    """Of each way: the share of the seed words among ten, AUROC of their notes, coherence, and what all topics explain."""
    import numpy as np
    from sklearn.metrics import roc_auc_score

    from sonmf import SONMF, metrics
    from sonmf.text import NotesVectorizer, seed_topics, top_words

    file, text, seeds = SOURCES[name]
    vectorizer = NotesVectorizer(negation="mark")
    X = vectorizer.fit_transform(column(Path(data, file), text))
    words = [str(word) for word in vectorizer.get_feature_names_out()]
    plain = SONMF(k, max_iter=2000).fit(X)
    rows = []
    for seed in seeds:
        columns = vectorizer.analyse(seed).row.indices
        own = {words[j] for j in columns}
        hits = np.asarray((X[:, columns] > 0).sum(axis=1)).ravel()

        def figures(way: str, model: Any, topic: int, own: set[str] = own, hits: Any = hits) -> dict[str, Any]:
            one = type("One", (), {"components_": model.components_[[topic]]})
            (listed,) = top_words(one, words, LISTED, X=X)
            return {
                "way": way,
                "found": len(own & {word for word, _ in listed.positive}) / len(own),
                "auroc": roc_auc_score(hits > 0, X @ model.components_[topic]),
                "npmi": float(np.mean(metrics.npmi(model.components_[[topic]], X, top=LISTED))),
                "explained": model.score(X) / plain.score(X),
            }

        directions = ways(X, columns, hits, seed_topics([seed], vectorizer, X).components[0])
        rows.append(max((figures("without seeds, the best topic", plain, j) for j in range(k)), key=lambda row: row["auroc"]))
        lift = directions["the words and what sets their notes apart"]
        start = SONMF(k, init=directions["what sets their notes apart"][:, None], max_iter=2000).fit(X)
        rows.append(figures("a start at what sets their notes apart", start, int(np.argmax(start.components_ @ lift))))
        for way, f in directions.items():
            rows.append(figures(f"kept: {way}", SONMF(k, fixed_components=[f], max_iter=2000).fit(X), 0))
    found = []
    for way in dict.fromkeys(row["way"] for row in rows):
        mine = [row for row in rows if row["way"] == way]
        means = {name: float(np.mean([row[name] for row in mine])) for name in ("found", "auroc", "npmi", "explained")}
        found.append({"documents": name, "topics": k, "way": way} | means)
    return found


def ways(X: Any, columns: Any, hits: Any, apart: Any) -> dict[str, Any]:
    """Directions that a topic of these words may have."""
    import numpy as np

    alone = np.zeros(X.shape[1])
    alone[columns] = len(columns) ** -0.5
    mean = np.asarray(X.T @ hits).ravel()
    return {
        "the words alone": alone,
        "the mean of their notes": mean / np.linalg.norm(mean),
        "what sets their notes apart": apart,
        "the words and what sets their notes apart": (alone + apart) / np.linalg.norm(alone + apart),
    }


HEAD = ["documents", "topics", "the topic is", "seed words among its ten", "AUROC of their notes", "coherence", "explained"]


def report(data: str, topics: list[int]) -> str:
    rows = [row for name in SOURCES for k in topics for row in judged(data, name, k)]
    shares = [[row["documents"], str(row["topics"]), row["way"], f"{row['found']:.0%}"] for row in rows]
    figures = [[f"{row['auroc']:.3f}", f"{row['npmi']:.3f}", f"{row['explained']:.1%}"] for row in rows]
    return table(HEAD, [[*share, *figure] for share, figure in zip(shares, figures, strict=True)])


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", default="../shared/data", help="folder with the three data sets")
    parser.add_argument("--topics", type=int, nargs="+", default=[10, 30], help="numbers of topics")
    parser.add_argument("--out", type=Path, help="file to write the table to")
    options = parser.parse_args()
    if not Path(options.data).is_dir():
        raise SystemExit(f"{options.data} is not there, so nothing was measured: name the folder with --data")
    text = report(options.data, options.topics)
    say(f"{machine()}\n\n{text}")
    if options.out:
        options.out.write_text(f"{mark('seeds_figures.md')}\n\n{text}\n")
