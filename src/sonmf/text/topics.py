"""Topics as words: what pulls towards a topic, what pulls away, and the notes that show it most."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike


class Topic(NamedTuple):
    """A topic in words, each with its weight, the strongest first."""

    positive: list[tuple[str, float]]
    negative: list[tuple[str, float]]
    label: str = ""
    """A name that a person has given it."""

    def __str__(self) -> str:
        towards = " ".join(word for word, _ in self.positive)
        away = " ".join(word for word, _ in self.negative)
        return (f"{self.label}: " if self.label else "") + f"+ {towards}" + (f"  - {away}" if away else "")


def top_words(model: Any, vocabulary: ArrayLike | dict[str, int], n: int = 5, labels: list[str] | None = None) -> list[Topic]:
    """The n largest positive and negative weights of each row of ``components_``, as tables 8 and 9 of the paper.

    Parameters
    ----------
    model : fitted estimator with ``components_``
    vocabulary : sequence of words in the order of the columns, or dict of word to column
    n : int, default=5
        Words on each side, at most; only those with a weight on that side.
    labels : list of str, optional
        A name for each topic.

    Returns
    -------
    list of Topic

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> from sonmf.text import top_words
    >>> model = SimpleNamespace(components_=np.array([[0.8, -0.6, 0.0]]))
    >>> print(top_words(model, ["chest", "ankle", "cough"])[0])
    + chest  - ankle
    """
    F = np.asarray(model.components_)
    words = sorted(vocabulary, key=vocabulary.__getitem__) if isinstance(vocabulary, dict) else list(np.asarray(vocabulary))
    if len(words) != F.shape[1]:
        raise ValueError(
            f"vocabulary has {len(words)} words, but the topics have {F.shape[1]}: give the words the model was fitted on"
        )
    if labels is not None and len(labels) != len(F):
        raise ValueError(f"labels has {len(labels)} names for {len(F)} topics")
    if n < 1:
        raise ValueError(f"n={n} must be at least 1")
    return [
        Topic(_strongest(f, words, n), _strongest(-f, words, n, sign=-1), labels[j] if labels else "") for j, f in enumerate(F)
    ]


def _strongest(weights: Any, words: list[Any], n: int, sign: int = 1) -> list[tuple[str, float]]:
    order = np.argsort(-weights, kind="stable")[:n]
    return [(str(words[j]), sign * float(weights[j])) for j in order if weights[j] > 0]


def top_documents(amounts: ArrayLike, topic: int, n: int = 5) -> Any:
    """The rows with the largest amounts of a topic, largest first; rows without any are left out.

    Parameters
    ----------
    amounts : array of shape (n_documents, n_topics)
        What ``transform`` returned.
    topic : int
    n : int, default=5

    Returns
    -------
    ndarray of int

    Examples
    --------
    >>> from sonmf.text import top_documents
    >>> top_documents([[0.0, 2.0], [1.0, 3.0], [0.0, 0.0]], topic=1).tolist()
    [1, 0]
    """
    column = np.asarray(amounts)[:, topic]
    order = np.argsort(-column, kind="stable")[:n]
    return order[column[order] > 0]
