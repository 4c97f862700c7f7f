"""Topics as signed bars."""

from __future__ import annotations

from numpy.typing import ArrayLike

from sonmf.plot import canvas
from sonmf.plot.canvas import Axes
from sonmf.text import top_words
from sonmf.text.topic_words import HasComponents
from sonmf.types import Matrix

WIDTH, BAR = 2.6, 0.19  # inches


def topics(
    model: HasComponents,
    vocabulary: ArrayLike | dict[str, int],
    n: int = 5,
    *,
    X: Matrix = None,
    which: list[int] | None = None,
    columns: int = 4,
) -> list[Axes]:
    """The strongest words of each topic: those for it to the right, in green, those against it to the left, in purple.

    Parameters
    ----------
    model : fitted estimator with ``components_``
    vocabulary : sequence of words in the order of the columns, or dict of word to column
    n : int, default=5
        Words on each side, at most.
    X : matrix of shape (n_documents, n_words), optional
        Words are then ranked by their correlation with the topic, as in ``text.top_words``.
    which : list of int, optional
        Numbers of the topics to draw. By default all.
    columns : int, default=4
        Topics side by side.

    Returns
    -------
    list of matplotlib Axes
        One for each topic.

    Examples
    --------
    >>> from sonmf import SONMF, plot
    >>> from sonmf.datasets import make_triage_notes
    >>> from sonmf.text import NotesVectorizer
    >>> words = NotesVectorizer()
    >>> X = words.fit_transform(make_triage_notes(500, random_state=0)["note"])
    >>> axes = plot.topics(SONMF(4).fit(X), words.get_feature_names_out(), X=X)
    >>> len(axes), axes[0].get_title(loc="left")
    (4, 'topic 0')
    """
    topics = top_words(model, vocabulary, n, X=X)
    shown = list(range(len(topics))) if which is None else which
    drawn = canvas.grid(len(shown), columns, WIDTH, BAR * 2 * n + 0.5)
    for ax, number in zip(drawn, shown, strict=True):
        topic = topics[number]
        words = [*topic.positive, *((word, -abs(strength)) for word, strength in reversed(topic.negative))]
        canvas.signed_bars(ax, [word for word, _ in words], [strength for _, strength in words], (canvas.FOR, canvas.AGAINST))
        ax.set_title(f"topic {number}", loc="left", fontsize="medium")
        ax.tick_params(labelsize="small")
    drawn[0].figure.supxlabel("weight" if X is None else "correlation with the topic", fontsize="small")
    return drawn
