"""The corpora of OCTIS as they are tokenised there, and what its tables measure of ten words a topic."""

from __future__ import annotations

import functools
import gzip
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

TOP, WINDOW = 10, 10
NEVER = 1e-12  # what gensim adds to the share of windows with both words


@dataclass
class Corpus:
    """Documents as they are tokenised in the file."""

    texts: list[list[str]]
    labels: list[str]
    counts: Any
    words: list[str]

    @functools.cached_property
    def windows(self) -> Any:
        """Windows of ten words x words, whether a word is in a window; a shorter text is one window.

        As gensim counts, a word that leaves a window is gone, even where the window has it a second time.
        """
        import numpy as np
        import scipy.sparse

        place_of = {word: j for j, word in enumerate(self.words)}
        rows, columns, count = [], [], 0
        for text in self.texts:
            places = [place_of[word] for word in text]
            inside = set(places[:WINDOW])
            for start in range(max(1, len(places) - WINDOW + 1)):
                if start:
                    inside.discard(places[start - 1])
                    inside.add(places[start + WINDOW - 1])
                rows += [count] * len(inside)
                columns += inside
                count += 1
        return scipy.sparse.csc_array((np.ones(len(rows)), (rows, columns)), shape=(count, len(self.words)))


@functools.cache
def corpus(data: str, name: str, documents: int | None = None) -> Corpus:
    import scipy.sparse
    from sklearn.feature_extraction.text import CountVectorizer

    with gzip.open(Path(data, "octis", f"{name}.tsv.gz"), "rt", encoding="utf-8") as file:
        rows = [line.rstrip("\n").split("\t") for line in file][:documents]
    texts = [row[0].split() for row in rows]
    vectorizer = CountVectorizer(analyzer=lambda words: words)
    counts = scipy.sparse.csr_array(vectorizer.fit_transform(texts).astype(float))
    return Corpus(texts, [row[2] for row in rows if len(row) > 2], counts, list(vectorizer.get_feature_names_out()))


def weighted(counts: Any, data: str = "tf-idf", known: Any = None) -> Any:
    """tf-idf of unit length, with the idf of the documents ``known`` or of all, counts, or whether a word occurs."""
    from sklearn.feature_extraction.text import TfidfTransformer

    if data == "tf-idf":
        return TfidfTransformer().fit(counts if known is None else known).transform(counts)
    return counts if data == "counts" else (counts > 0).astype(float)


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


def with_signs(F: Any, G: Any) -> tuple[Any, Any]:
    """The signs of TruncatedSVD are arbitrary: each topic takes the one that holds more of the documents."""
    import numpy as np

    most = (np.maximum(G, 0) ** 2).sum(axis=0) >= (np.minimum(G, 0) ** 2).sum(axis=0)
    sign = np.where(most, 1, -1)
    return F * sign[:, None], G * sign


def listed(F: Any, G: Any, X: Any = None) -> list[list[int]]:
    """The columns of ten words a topic, named by the documents X, or by weight."""
    from sonmf.text import top_words

    model, columns = SimpleNamespace(components_=F, transform=lambda X: G), list(range(F.shape[1]))
    return [[int(word) for word, _ in topic.positive] for topic in top_words(model, columns, TOP, X=X, filler=())]


def indicator(lists: list[list[int]], p: int) -> Any:
    import numpy as np

    components = np.zeros((len(lists), p))
    for row, words in zip(components, lists, strict=True):
        row[words] = 1.0
    return components
