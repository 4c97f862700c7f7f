"""Two topics as axes: where the words of both stand."""

from __future__ import annotations

from numbers import Integral

import numpy as np
from numpy.typing import ArrayLike

from sonmf.errors import InputError
from sonmf.plot import canvas
from sonmf.plot.canvas import Axes
from sonmf.text import top_words
from sonmf.text.lexicon import as_people_write
from sonmf.text.topic_words import HasComponents, listed_words

NAMED = 2  # words that name a topic
DOT = 14.0  # area, in points
SIDES = {"for the topic in which the word counts most": canvas.FOR, "against it": canvas.AGAINST}


def compass(
    model: HasComponents,
    words: ArrayLike | dict[str, int],
    topic_x: int,
    topic_y: int,
    n: int = 40,
    ax: Axes | None = None,
) -> Axes:
    """Words on two signed topics as axes: word j is at (F_jx, F_jy).

    Words to the right are for topic ``topic_x``, words on top for ``topic_y``; those near an axis count in one topic alone.
    A green word is for the topic in which it counts most, a purple one against it. A name that finds no room is left out.

    Parameters
    ----------
    model : fitted estimator with ``components_``
    words : sequence of words in the order of the columns, or dict of word to column
    topic_x, topic_y : int
        Numbers of the topics.
    n : int, default=40
        Words, at most, the farthest from the middle.
    ax : matplotlib Axes, optional
        By default those of a new figure.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from sonmf import SONMF, plot
    >>> from sonmf.datasets import make_triage_notes
    >>> from sonmf.text import NotesVectorizer
    >>> vectorizer = NotesVectorizer()
    >>> X = vectorizer.fit_transform(make_triage_notes(500, random_state=0)["note"])
    >>> model = SONMF(4).fit(X)
    >>> ax = plot.compass(model, vectorizer.get_feature_names_out(), 0, 1, n=10)
    >>> len(ax.collections[0].get_offsets())
    10
    """
    F, names = np.asarray(model.components_), top_words(model, words, NAMED)
    for name, topic in (("topic_x", topic_x), ("topic_y", topic_y)):
        if not isinstance(topic, Integral) or not 0 <= topic < len(F):
            raise InputError(f"{name}={topic!r} is no topic: the model has topics 0 to {len(F) - 1}")
    if not isinstance(n, Integral) or n < 1:
        raise InputError(f"n={n!r} must be a whole number of words, at least 1")
    at = F[[topic_x, topic_y]].T
    farthest = np.argsort(-np.hypot(*at.T), kind="stable")[:n]
    at, labels = at[farthest], [as_people_write(word) for word in np.array(listed_words(words))[farthest]]
    main = at[np.arange(len(at)), np.abs(at).argmax(axis=1)]
    ax = canvas.axes(ax, 6.5, 5.5)
    ax.scatter(at[:, 0], at[:, 1], s=DOT, color=[canvas.FOR if weight > 0 else canvas.AGAINST for weight in main])
    for label, colour in SIDES.items():
        ax.scatter([], [], s=DOT, color=colour, label=label)
    ax.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=len(SIDES), frameon=False, borderpad=0, handletextpad=0.2)
    ax.axhline(0, color=canvas.MUTED, linewidth=0.8)
    ax.axvline(0, color=canvas.MUTED, linewidth=0.8)
    ax.margins(0.12)
    for topic, write in ((topic_x, ax.set_xlabel), (topic_y, ax.set_ylabel)):
        write(f"weight in topic {topic}: {', '.join(word for word, _ in names[topic].positive)} →", parse_math=False)
    canvas.remove_frame(ax)
    canvas.place_labels(ax, at, labels)
    return ax
