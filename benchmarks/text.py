"""NotesVectorizer against scikit-learn's TfidfVectorizer whose analyser stems with PyStemmer and a cache; one thread.

python benchmarks/text.py [--notes 500000] [--repeats 3]
"""

from __future__ import annotations

import argparse
import re
from typing import Any

from common import asked, in_process, machine, median, say, seconds, spread, verdict

WORDS = 40


def generated(notes: int) -> list[str]:
    """Notes of 40 words from Zipf's law over 20,000 words, stop words first."""
    import numpy as np

    from sonmf.text.lexicon import STOP

    rng = np.random.default_rng(0)
    letters = np.array(list("abcdefghijklmnopqrstuvwxyz"))
    spelled = np.array(["".join(rng.choice(letters, rng.integers(2, 10))) for _ in range(20_000)], dtype=object)
    spelled[: len(STOP)] = sorted(STOP)
    zipf = 1 / (np.arange(len(spelled)) + 3.0)
    drawn = rng.choice(len(spelled), (notes, WORDS), p=zipf / zipf.sum())
    return [" ".join(row) for row in spelled[drawn]]


def alone(notes: int) -> float:
    """Seconds of NotesVectorizer."""
    from sonmf.text import NotesVectorizer

    texts = generated(notes)
    NotesVectorizer(min_df=1).fit(texts[:100])  # compiles
    return seconds(lambda: NotesVectorizer().fit_transform(texts))


def vectorise(notes: int, repeats: int) -> dict[str, Any]:
    import Stemmer
    from sklearn.feature_extraction.text import TfidfVectorizer

    from sonmf.text import NotesVectorizer
    from sonmf.text.lexicon import STOP

    texts = generated(notes)
    stemmer, cache, token = Stemmer.Stemmer("english", 0), {}, re.compile(r"[a-z']{2,}")

    def analyse(text: str) -> list[str]:
        found = []
        for word in token.findall(text.lower()):
            if word not in STOP:
                stem = cache.get(word)
                if stem is None:
                    stem = cache[word] = stemmer.stemWord(word)
                found.append(stem)
        return found

    NotesVectorizer(min_df=1).fit(texts[:100])  # compiles
    times: dict[str, list[float]] = {"ours": [], "sklearn": []}
    for _ in range(repeats):
        ours, theirs = NotesVectorizer(), TfidfVectorizer(analyzer=analyse, min_df=5)
        times["ours"].append(seconds(lambda ours=ours: ours.fit_transform(texts)))
        times["sklearn"].append(seconds(lambda theirs=theirs: theirs.fit_transform(texts)))
    same = set(ours.get_feature_names_out()) == set(theirs.get_feature_names_out())
    return times | {"same": same, "words": len(ours.vocabulary_)}


JOBS = {f.__name__: f for f in (alone, vectorise)}

if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--notes", type=int, default=500_000, help="notes of 40 words (default 500,000)")
    parser.add_argument("--repeats", type=int, default=3, help="timings to take the median of (default 3)")
    if options := asked(parser, JOBS):
        say(
            f"{machine()}\n\n{options.notes:,} notes of {WORDS} words, one thread; median of {options.repeats} (lowest-highest)"
        )
        r = in_process(__file__, "vectorise", threads=1, notes=options.notes, repeats=options.repeats)
        ratio = median(r["sklearn"]) / median(r["ours"])
        say(f"   NotesVectorizer {spread(r['ours'])} s, TfidfVectorizer with PyStemmer and a cache {spread(r['sklearn'])} s")
        say(f"   {r['words']:,} words, {'the same' if r['same'] else 'NOT the same'} for both")
        say(f"   {ratio:.1f} times faster (at least 3: {verdict(ratio, 3)})")
