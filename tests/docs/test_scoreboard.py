"""The coherence of the scoreboard is that of the published tables: its definition, and gensim's where it is installed."""

from __future__ import annotations

import importlib
import itertools
import math
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def scoreboard():
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(ROOT / "benchmarks")
        yield importlib.import_module("scoreboard")


WORDS = [f"w{j}" for j in range(40)]
TOPICS = [[0, 39, 3], [1, 2], [5, 6, 7, 8, 9, 10]]


def texts(repeats):
    """Texts of 1 to 30 words, some shorter than a window and some without a word of a topic."""
    rng, p = np.random.default_rng(0), np.arange(40, 0, -1) / 820
    return [[f"w{j}" for j in rng.choice(40, n, p=p, replace=repeats)] for n in rng.integers(1, 31, 80)]


def coherence(scoreboard, texts):
    return scoreboard.coherence(TOPICS, scoreboard.windows(scoreboard.Corpus(texts, [], None, WORDS)))


def test_coherence_is_its_definition(scoreboard):
    some = texts(repeats=False)
    windows = [set(text[at : at + 10]) for text in some for at in range(max(1, len(text) - 9))]

    def share(*words):
        return sum({f"w{j}" for j in words} <= window for window in windows) / len(windows)

    def npmi(i, j):
        both = share(i, j) + 1e-12
        return math.log(both / (share(i) * share(j))) / -math.log(both)

    means = [np.mean([npmi(i, j) for i, j in itertools.combinations(topic, 2)]) for topic in TOPICS]
    assert coherence(scoreboard, some) == pytest.approx(np.mean(means))


@pytest.mark.filterwarnings("ignore")  # gensim's own
def test_coherence_is_that_of_gensim(scoreboard):
    models = pytest.importorskip("gensim.models", reason="gensim is in the group bench alone")
    some = texts(repeats=True)
    dictionary = importlib.import_module("gensim.corpora").Dictionary(some)
    topics = [[WORDS[j] for j in topic] for topic in TOPICS]
    theirs = models.CoherenceModel(topics=topics, texts=some, dictionary=dictionary, coherence="c_npmi", processes=1)
    assert coherence(scoreboard, some) == pytest.approx(theirs.get_coherence(), abs=1e-9)


def test_a_run_that_was_stopped_fits_only_what_is_missing(scoreboard, tmp_path, monkeypatch):
    counts = np.random.default_rng(0).poisson(0.5, (30, 12)).astype(float)
    one = scoreboard.Corpus([], [], scipy.sparse.csr_array(counts), [])
    monkeypatch.setattr(scoreboard, "corpus", lambda data, name, documents: one)
    wanted = [["SONMF", 2, 0], ["TruncatedSVD", 2, 0]]
    scoreboard.fits("", "BBC_News", str(tmp_path), wanted[:1], None)
    (kept,) = tmp_path.iterdir()
    before = kept.stat().st_mtime_ns
    scoreboard.fits("", "BBC_News", str(tmp_path), wanted, None)
    assert kept.stat().st_mtime_ns == before
    assert len(list(tmp_path.iterdir())) == 2
