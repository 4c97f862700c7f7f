"""A page to look at topics: a map, two of them side by side, and each with its words and documents."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from sonmf.errors import InputError
from sonmf.kernels.structure import check_matrix
from sonmf.text import top_documents, top_words
from sonmf.text.cooccurrence import cooccurrence
from sonmf.text.lexicon import as_people_write
from sonmf.text.topic_words import amounts_of, listed_words
from sonmf.types import Matrix

if TYPE_CHECKING:
    from sklearn.base import TransformerMixin

WORDS = 10  # on each side of a topic
NAMED = 2  # words that name a topic
DOCUMENTS = 3  # typical ones of a topic
LESS = "pages of topics need the extra 'server': python -m pip install 'sonmf[server]'"


def explore(
    model: TransformerMixin,
    X: Matrix,
    words: ArrayLike | dict[str, int],
    documents: Sequence[str] | None = None,
    path: str | Path = "topics.html",
) -> Path:
    """Write one offline page on the topics of a model: a map, a compass, and every topic with its words.

    The map places topics by the correlation of their amounts G. The compass has words by their weights F in two topics that
    the reader chooses, and how many documents show both: where the size of Xf is above its root mean square, on that side.
    The page makes no request, and contains no documents except the typical ones. It needs the extra ``server``.

    Parameters
    ----------
    model : fitted estimator
        With ``components_`` and ``transform``: of this package, or scikit-learn's NMF and LDA.
    X : matrix of shape (n_documents, n_words)
        The documents of the fit, without missing entries.
    words : sequence of words in the order of the columns, or dict of word to column
    documents : sequence of str, optional
        The documents as texts, row by row of X: three typical ones are shown with each topic.
    path : str or Path, default="topics.html"
        Where to write; an existing file is replaced, and a missing folder is made.

    Returns
    -------
    Path

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from sonmf import SONMF, plot
    >>> from sonmf.datasets import make_triage_notes
    >>> from sonmf.text import NotesVectorizer
    >>> notes = make_triage_notes(500, random_state=0)["note"]
    >>> vectorizer = NotesVectorizer()
    >>> X = vectorizer.fit_transform(notes)
    >>> stems = vectorizer.get_feature_names_out()
    >>> words = [vectorizer.spelling_[stem] for stem in stems]
    >>> with TemporaryDirectory() as folder:
    ...     page = plot.explore(
    ...         SONMF(6).fit(X), X, words, notes, Path(folder, "topics.html")
    ...     )
    ...     'id="compass"' in page.read_text("utf-8")
    True
    """
    from sklearn.utils.validation import check_is_fitted

    try:
        from sonmf.triage import topics_together
        from sonmf.triage.model_report import RANKED_BY, TopicReport, about_topic
        from sonmf.web.explore_page import explore_html
        from sonmf.web.standalone import write_html
    except ImportError:
        raise ImportError(LESS) from None
    check_is_fitted(model)
    checked = check_matrix(X, "explore")
    n = checked.shape[0]
    texts = None if documents is None else _texts(documents, n)
    topics, G = top_words(model, words, WORDS, X=X), np.asarray(model.transform(X))
    names = ["/".join(word for word, _ in topic.positive[:NAMED]) or f"topic {k}" for k, topic in enumerate(topics)]
    F = np.asarray(model.components_)
    found = cooccurrence(amounts_of(checked, F, lambda _: G), G=G)
    reports = [
        TopicReport(
            number=k,
            name=names[k],
            label="",
            strength=0.0,
            odds=1.0,
            effect="",
            positive=topic.positive,
            negative=topic.negative,
            negative_share=topic.negative_share,
            about=about_topic(topic),
            stability=None,
            stability_in_words="",
            notes=int(found.documents[k, k]),
            neighbours=topics_together.neighbours(names, found, k),
            months=[],
            examples=[] if texts is None else [texts[row] for row in top_documents(G, k, DOCUMENTS)],
        )
        for k, topic in enumerate(topics)
    ]
    spelt = [as_people_write(word) for word in listed_words(words)]
    both = topics_together.compass(names, topics, F, spelt, found, n)
    title = f"{len(topics)} topic{'s' if len(topics) > 1 else ''} of {n:,} documents"
    page = explore_html(title, reports, topics_together.placed(names, topics, found), both, RANKED_BY)
    write_html(page, Path(path))
    return Path(path)


def _texts(documents: Sequence[str], n: int) -> list[str]:
    if isinstance(documents, str) or getattr(documents, "ndim", 1) != 1:
        raise InputError("documents must be a sequence of texts, such as one column of a table")
    texts = [str(document) for document in documents]
    if len(texts) != n:
        raise InputError(f"documents has {len(texts)} texts for the {n} rows of X: give one for each row")
    return texts
