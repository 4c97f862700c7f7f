"""The topics of the paper's notes in the form of its supplement, and what the words against them are worth.

There are ten topics after 30 iterations, ordered by the length of their column of G, with ten words on each side.

For a topic f the notes are split by their projection z = Xf. The share of ||z||^2 below zero says how much the words against
the topic hold, which G = [XF]+ drops. NPMI, the normalised pointwise mutual information of two words over notes, says which
words occur in the same notes: 1 always, 0 as by chance, -1 never.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from functools import partial
from itertools import combinations, product
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import minimize
from scipy.sparse import csr_array
from scipy.special import expit

from sonmf import SONMF, files
from sonmf.estimators.nmf import NMF
from sonmf.experiments import authors_words
from sonmf.experiments.paper_tables import markdown_table, write_text
from sonmf.experiments.simulation_report import COLOURS
from sonmf.metrics import npmi_of_pairs
from sonmf.text import NotesVectorizer
from sonmf.text.topic_words import negative_shares
from sonmf.triage.labels import signed
from sonmf.types import Array

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TOPICS, ITERATIONS, WORDS = 10, 30, 10
DISCHARGED, ADMITTED = COLOURS[:2]  # blue and orange, as effects on the odds have them everywhere
END = 0.1  # share of the notes at each end of a topic
SURE = 2.8  # errors from zero that fewer than one in twenty sets of ten meaningless sides would reach
HEAD = [
    "topic", "energy against it, %", "NPMI of the words for it", "of the words against it", "between both",
    "words for it and those for others", "admitted at the end for it, %", "near zero, %", "at the end against it, %",
    "log-odds of the side for it", "of the side against it",
]  # fmt: skip


class Topics(NamedTuple):
    """Topics in the paper's order."""

    F: Array
    """Words x topics."""
    G: Array
    X: csr_array
    words: list[str]

    def top(self, topic: int) -> tuple[list[int], list[int]]:
        """Columns of the largest and of the smallest weights, the strongest first."""
        order = np.argsort(self.F[:, topic], kind="stable")
        return order[: -WORDS - 1 : -1].tolist(), order[:WORDS].tolist()


def ordered(F: Array, X: csr_array, words: list[str]) -> Topics:
    G = np.maximum(np.asarray(X @ F), 0)
    order = np.argsort(-np.linalg.norm(G, axis=0), kind="stable")
    return Topics(F[:, order], G[:, order], X, words)


def theirs(notes: Sequence[object]) -> Topics:
    """Topics as the authors computed them, from their words."""
    counted, words = authors_words.counts(notes)
    X = authors_words.weighted(counted)
    return ordered(_topics(SONMF(TOPICS, solver="cayley", init="svd", max_iter=ITERATIONS, tol=0), X), X, words)


def ours(notes: Sequence[object]) -> Topics:
    """Topics of our solver, from our words, each in its most frequent spelling."""
    vectorizer = NotesVectorizer(weighting="paper-tfidf", negation=None)
    X = vectorizer.fit_transform(notes)
    words = [vectorizer.spelling_[stem] for stem in sorted(vectorizer.vocabulary_, key=vectorizer.vocabulary_.__getitem__)]
    return ordered(_topics(SONMF(TOPICS), X), X, words)


def _topics(model: SONMF | NMF, X: csr_array) -> Array:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # it does not converge in 30 iterations
        return np.asarray(model.fit(X).components_.T)


def word_table(topics: Topics) -> tuple[list[str], list[list[str]]]:
    """One column for each topic: its ten largest words, then its ten smallest."""
    sides = [topics.top(topic) for topic in range(TOPICS)]
    body = [["**for it**", *[""] * (TOPICS - 1)]]
    body += [[topics.words[positive[row]] for positive, _ in sides] for row in range(WORDS)]
    body += [["**against it**", *[""] * (TOPICS - 1)]]
    body += [[topics.words[negative[row]] for _, negative in sides] for row in range(WORDS)]
    return [f"topic {topic + 1}" for topic in range(TOPICS)], body


def sides_table(topics: Topics, admitted: Array) -> list[list[str]]:
    """A row for each topic: what its two sides are worth."""
    Z = np.asarray(topics.X @ topics.F)
    sides = [topics.top(topic) for topic in range(TOPICS)]
    named = sorted({column for side in sides for words in side for column in words})
    npmi, shares = npmi_of_pairs((topics.X[:, named] > 0).astype(float)), negative_shares(Z)
    place = {column: position for position, column in enumerate(named)}
    odds, errors = side_log_odds(Z, admitted)
    body = []
    for topic, (positive, negative) in enumerate(sides):
        z = Z[:, topic]
        others = {column for other, (words, _) in enumerate(sides) if other != topic for column in words} - {*positive}
        pairs = (combinations(positive, 2), combinations(negative, 2), product(positive, negative), product(positive, others))
        means = (np.mean([npmi[place[a], place[b]] for a, b in few if a != b]) for few in pairs)
        ends = (_first(-z), _first(np.abs(z)), _first(z))
        shown = [signed(mean, 2) for mean in means] + [_rate(admitted[rows]) for rows in ends]
        shown += [_sure(odds[side, topic], errors[side, topic]) for side in (0, 1)]
        body.append([str(topic + 1), f"{100 * shares[topic]:.1f}", *shown])
    return body


def side_log_odds(Z: Array, y: Array) -> tuple[Array, Array]:
    """Log-odds of y = 1 for one standard deviation more of [Z]+ and of [-Z]+, all other sides given, and errors: 2 x k each.

    The logistic regression has a ridge of 1, far weaker than the evidence of 5,000 notes, so that it has a solution even if the
    sides separate the outcomes.
    """
    sides = np.hstack([np.maximum(Z, 0), np.maximum(-Z, 0)])
    spread = sides.std(axis=0)
    A = np.column_stack([(sides - sides.mean(axis=0)) / np.where(spread > 0, spread, 1), np.ones(len(sides))])
    optimum = minimize(_penalised, np.zeros(A.shape[1]), (A, y), jac=True, method="L-BFGS-B", tol=1e-12)
    p = expit(A @ optimum.x)
    errors = np.sqrt(np.diag(np.linalg.inv((A.T * (p * (1 - p))) @ A + np.eye(A.shape[1]))))
    return optimum.x[:-1].reshape(2, -1), errors[:-1].reshape(2, -1)


def _penalised(b: Array, A: Array, y: Array) -> tuple[float, Array]:
    """Negative log-likelihood with the ridge, and its gradient."""
    theta = A @ b
    return float(np.logaddexp(0, theta).sum() - y @ theta + b @ b / 2), A.T @ (expit(theta) - y) + b


def _first(z: Array) -> Array:
    """The tenth of the notes with the smallest z."""
    return np.argsort(z, kind="stable")[: round(END * len(z))]


def _sure(value: float, error: float) -> str:
    shown = f"{signed(value, 2)} ± {error:.2f}"
    return f"**{shown}**" if abs(value) > SURE * error else shown


def _rate(y: Array) -> str:
    return f"{100 * y.mean():.1f} ± {100 * y.std(ddof=1) / np.sqrt(len(y)):.1f}"


def write(notes: Sequence[object], admitted: ArrayLike, folder: Path) -> list[str]:
    """topics.md, topics-ours.md, sides.md, sides-ours.md, correlation.png and violins.png; returns their names."""
    y = np.asarray(admitted, float)
    topics_of = {"": theirs(notes), "-ours": ours(notes)}
    for ending, topics in topics_of.items():
        write_text(folder / f"topics{ending}.md", markdown_table(*word_table(topics)))
        write_text(folder / f"sides{ending}.md", markdown_table(HEAD, sides_table(topics, y)))
    figures = {"correlation.png": draw_correlation(topics_of[""]), "violins.png": draw_violins(topics_of[""], y)}
    for name, figure in figures.items():
        files.replace(folder / name, partial(figure.savefig, dpi=130))
    return [f"{name}{ending}.md" for name in ("topics", "sides") for ending in topics_of] + list(figures)


def draw_correlation(topics: Topics) -> Figure:
    """Correlation between the columns of F, and for comparison those of NMF on the same matrix."""
    from matplotlib.figure import Figure

    nmf = ordered(_topics(NMF(TOPICS, random_state=0), topics.X), topics.X, topics.words)
    figure = Figure(figsize=(9.2, 4.3), layout="constrained")
    axes = figure.subplots(1, 2)
    for ax, title, F in zip(axes, ("SONMF", "NMF"), (topics.F, nmf.F), strict=True):
        values = np.corrcoef(F.T)
        image = ax.imshow(values, cmap="RdBu_r", vmin=-1, vmax=1)
        largest = np.abs(values - np.eye(TOPICS)).max()
        ax.set_title(f"{title}: largest correlation {largest:.2f}", loc="left", fontsize=11)
        ax.set_xticks(range(TOPICS), range(1, TOPICS + 1))
        ax.set_yticks(range(TOPICS), range(1, TOPICS + 1))
        ax.set_xlabel("topic")
    axes[0].set_ylabel("topic")
    figure.colorbar(image, ax=axes, label="correlation of word weights", shrink=0.85)
    return figure


def draw_violins(topics: Topics, admitted: Array) -> Figure:
    """How the amounts G of each topic are distributed, by outcome."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8.8, 5), layout="constrained")
    axes = figure.subplots(2, TOPICS // 2, sharey=True)
    for topic, ax in enumerate(axes.flat):
        parts = [topics.G[admitted == outcome, topic] for outcome in (1, 0)]
        shape = ax.violinplot(parts, showextrema=False, showmedians=True, widths=0.9)
        for body, colour in zip(shape["bodies"], (ADMITTED, DISCHARGED), strict=True):
            body.set(facecolor=colour, alpha=0.8)
        shape["cmedians"].set(color="0.2", linewidth=1)
        words = ", ".join(topics.words[column] for column in topics.top(topic)[0][:2])
        ax.set_title(f"{topic + 1}: {words}", loc="left", fontsize=10)
        ax.set_xticks([])
        ax.set_ylim(0, np.quantile(topics.G, 0.998))
        ax.spines[["top", "right"]].set_visible(False)
    for ax in axes[:, 0]:
        ax.set_ylabel("amount of the topic (G)")
    figure.legend(shape["bodies"], ["admitted", "discharged"], loc="outside lower center", ncols=2, frameon=False)
    return figure
