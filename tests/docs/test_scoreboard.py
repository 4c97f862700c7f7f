"""The coherence of the scoreboard is that of the published tables: its definition, and gensim's where it is installed."""

from __future__ import annotations

import csv
import importlib
import itertools
import json
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


DATA = ROOT.parent / "shared/data"
WORDS = [f"w{j}" for j in range(40)]
TOPICS = [[0, 39, 3], [1, 2], [5, 6, 7, 8, 9, 10]]


def texts(repeats):
    """Texts of 1 to 30 words, some shorter than a window and some without a word of a topic."""
    rng, p = np.random.default_rng(0), np.arange(40, 0, -1) / 820
    return [[f"w{j}" for j in rng.choice(40, n, p=p, replace=repeats)] for n in rng.integers(1, 31, 80)]


def coherence(scoreboard, texts):
    return scoreboard.coherence(TOPICS, scoreboard.Corpus(texts, [], None, WORDS).windows)


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


@pytest.mark.filterwarnings("ignore")  # gensim's own
@pytest.mark.skipif(not (DATA / "octis").is_dir(), reason="the corpora are not here")
@pytest.mark.parametrize(
    ("model", "passes", "npmi"), [("Lda", 1, None), ("Nmf", 1, None), ("Lda", 10, 0.080), ("Nmf", 10, 0.110)]
)
def test_published_cells_come_out_again_and_more_passes_change_them(scoreboard, model, passes, npmi):
    models = pytest.importorskip("gensim.models", reason="gensim is in the group bench alone")
    one = scoreboard.corpus(str(DATA), "BBC_News")
    dictionary = importlib.import_module("gensim.corpora").Dictionary(one.texts)
    theirs = {"Lda": models.LdaModel, "Nmf": models.Nmf}[model](
        [dictionary.doc2bow(text) for text in one.texts], num_topics=10, id2word=dictionary, random_state=0, passes=passes
    )
    column = {word: j for j, word in enumerate(one.words)}
    topics = [[column[dictionary[int(i)]] for i in np.argsort(weights)[-10:]] for weights in theirs.get_topics()]
    with (DATA / "octis/published.csv").open(encoding="utf-8") as file:
        rows = {(row["system"], row["run"], row["n_topics"]): row for row in csv.DictReader(file)}
    published = rows[model.upper(), "1", "10"]
    expected = npmi or float(published["npmi"])
    assert scoreboard.coherence(topics, one.windows) == pytest.approx(expected, abs=0.0005)
    diversity = len(set(itertools.chain(*topics))) / 100
    assert (
        diversity == pytest.approx(float(published["diversity"])) if npmi is None else diversity > float(published["diversity"])
    )
    page = (ROOT / "docs/scoreboard.md").read_text(encoding="utf-8")
    assert f"{expected:.3f}" in page


@pytest.fixture
def small(scoreboard, monkeypatch):
    """A corpus of forty texts, in two classes of other words."""
    rng = np.random.default_rng(0)
    some = [[f"w{j}" for j in rng.integers(20 * (i % 2), 20 * (i % 2) + 20, 15)] for i in range(40)]
    counts = np.array([[text.count(word) for word in WORDS] for text in some], dtype=float)
    one = scoreboard.Corpus(some, [str(i % 2) for i in range(40)], scipy.sparse.csr_array(counts), WORDS)
    monkeypatch.setattr(scoreboard, "corpus", lambda data, name, documents: one)
    return one


def keep(scoreboard, cells, *some):
    for cell in some:
        cell.place(cells).write_text(json.dumps(scoreboard.measure(cell, "")), encoding="utf-8")


@pytest.mark.parametrize("method", ["SONMF", "TruncatedSVD"])
def test_a_cell_that_was_measured_is_known_and_has_its_figures(scoreboard, small, method, tmp_path):
    fits = [scoreboard.Cell("BBC_News", method, k, 0) for k in (10, 20)]
    folds = scoreboard.folds_of(fits[0])
    keep(scoreboard, tmp_path, fits[0], *folds[1:])
    (row,) = scoreboard.known([*fits, *folds], tmp_path)
    assert "accuracy" not in row  # a fold is missing
    keep(scoreboard, tmp_path, folds[0])
    (row,) = scoreboard.known([*fits, *folds], tmp_path)
    assert [row[key] for key in ("corpus", "method", "topics", "seed")] == ["BBC_News", method, 10, 0]
    assert row["accuracy"] > 0.9
    assert -1 <= row["named npmi"] <= 1


def test_a_topic_has_the_sign_of_most_of_its_documents_in_words_and_amounts(scoreboard):
    F, G = np.array([[1.0, -2.0], [3.0, 4.0]]), np.array([[-3.0, 1.0], [1.0, 2.0]])
    turned, amounts = scoreboard.with_signs(F, G)
    assert turned.tolist() == [[-1.0, 2.0], [3.0, 4.0]]
    np.testing.assert_array_equal(amounts @ turned, G @ F)


def test_a_mean_is_over_runs_and_then_over_numbers_of_topics_and_needs_them_all(scoreboard):
    rows = [{"topics": k, "npmi": float(value)} for k, value in [(10, 0), (10, 2), (20, 3), (30, 3), (40, 3), (50, 5)]]
    assert scoreboard.mean(rows, "npmi") == (1 + 3 + 3 + 3 + 5) / 5
    assert math.isnan(scoreboard.mean(rows[2:], "npmi"))


def test_a_run_that_was_stopped_measures_only_what_is_missing(scoreboard, small, tmp_path, monkeypatch, capsys):
    (tmp_path / "octis").mkdir()
    cells = tmp_path / scoreboard.state(str(tmp_path))
    cells.mkdir()
    first, *others = (cell for cell in scoreboard.plan(quick=True) if scoreboard.present(cell))
    keep(scoreboard, cells, first)
    measured = []

    def stopped(work, tasks, *rest):
        measured.extend(cell for path, cell in tasks.items() if not path.exists())
        scoreboard.time_is_over()

    monkeypatch.setattr("sonmf.jobs.run", stopped)
    monkeypatch.setattr("signal.signal", lambda *handler: None)
    arguments = ["--quick", "--minutes", "1", "--data", str(tmp_path), "--cells", str(tmp_path)]
    monkeypatch.setattr("sys.argv", ["scoreboard.py", *arguments])
    scoreboard.main()
    assert measured == others
    printed = capsys.readouterr().out
    assert "1 minutes are over; the same command continues" in printed
    cells = printed.partition("## All cells")[2].partition("##")[0]
    (row,) = (line for line in cells.splitlines() if f"| {first.method} " in line)
    assert " - " not in row  # every figure is there, diversity too: one number of topics is all that is asked for
