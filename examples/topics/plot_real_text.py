"""
Ten minutes with real text
==========================

Every scientific Python installation contains a corpus of English prose: the docstrings
of its functions. This example turns those of numpy, scipy and scikit-learn into a
matrix of documents and words, finds twelve topics, and reads them.
"""

# %%
# Documents
# ---------
# One document is what the docstring of one function says about it: its first paragraphs
# and its notes, without code and formulas. Sentences that occur in more than two
# docstrings come from templates, and are left out. Otherwise some topics would be about
# the templates. Real notes have templates too.

import importlib
import inspect
import re
from collections import Counter

import numpy as np

MODULES = (
    "numpy numpy.fft numpy.linalg numpy.ma numpy.polynomial scipy.cluster.hierarchy "
    "scipy.integrate scipy.interpolate scipy.linalg scipy.ndimage scipy.optimize "
    "scipy.signal scipy.sparse scipy.spatial scipy.special scipy.stats sklearn.cluster "
    "sklearn.decomposition sklearn.ensemble sklearn.linear_model sklearn.metrics "
    "sklearn.model_selection sklearn.preprocessing sklearn.svm"
)
HEADING = re.compile(r"^(\w[\w ]*)\n-{3,}$", re.M)
CODE = re.compile(
    r"``.*?``|(:[a-z:]+:)?`[^`]*`|\[\w+\]_|^\.\. .*|^ {4,}.*|.*\(.*=.*", re.M
)


def sentences(function):
    """The prose of a docstring."""
    text, *sections = HEADING.split(inspect.getdoc(function) or "")
    text += dict(zip(sections[::2], sections[1::2], strict=True)).get("Notes", "")
    parts = re.split(r"(?<=[.:])\s+|\n\s*\n", CODE.sub(" ", text))
    return tuple(" ".join(part.split()) for part in parts if len(part.split()) > 3)


found = {}
for module in map(importlib.import_module, MODULES.split()):
    for name, value in vars(module).items():
        if inspect.isroutine(value) or type(value).__name__ in ("ufunc", "type"):
            found.setdefault(sentences(value), f"{module.__name__}.{name}")
used = Counter(sentence for document in found for sentence in set(document))
texts = {}
for document, name in found.items():
    text = " ".join(sentence for sentence in document if used[sentence] <= 2)
    if len(text.split()) >= 25:
        texts[text] = name
documents, names = list(texts), np.array(list(texts.values()))
n_words = sum(len(text.split()) for text in documents)
print(f"{len(documents):,} docstrings, {n_words:,} words")

# %%
# Topics
# ------
# scikit-learn computes tf-idf weights, and :class:`sonmf.SONMF` finds the topics. A
# topic is a row of ``components_``: one weight for each word. ``plot.topics`` shows the
# words that come and go with the topic, in green. Words against it are purple.

from sklearn.feature_extraction.text import TfidfVectorizer

from sonmf import SONMF, plot
from sonmf.text import top_documents, top_words

vectorizer = TfidfVectorizer(
    stop_words="english", token_pattern=r"\b[a-z]{3,}\b", min_df=5, sublinear_tf=True
)
X = vectorizer.fit_transform(documents)
model = SONMF(n_components=12, n_init=4, random_state=0)
G = model.fit_transform(X)
vocabulary = vectorizer.get_feature_names_out()
axes = plot.topics(model, vocabulary, n=5, X=X)

# %%
# Which documents have most of a topic?
# -------------------------------------
# To name a topic, look at its documents. These are the functions with most of each.

for topic in range(12):
    print(f"{topic:2}: {', '.join(names[top_documents(G, topic, n=3)])}")

# %%
# A new document
# --------------
# ``transform`` gives the amounts of the topics in text that the fit has not seen.

text = "Test the null hypothesis that two samples have the same mean."
amounts = model.transform(vectorizer.transform([text]))[0]
best = int(amounts.argmax())
words = vocabulary[model.components_[best].argsort()[:-5:-1]]
print(f"topic {best} ({', '.join(words)}), {amounts[best]:.2f}")

# %%
# Which topics come together?
# ---------------------------
# Topics are orthonormal, so their weights do not show which of them are related. The
# map places topics close to each other if they meet in the same documents.

# sphinx_gallery_thumbnail_number = 3
import matplotlib.pyplot as plt

topics = top_words(model, vocabulary, n=2, X=X)
titles = ["/".join(word for word, _ in topic.positive) for topic in topics]
_, ax = plt.subplots(figsize=(8, 6.5), layout="constrained")
ax = plot.topic_map(model, X, titles, ax)

# %%
# Two topics as axes
# ------------------
# The next picture takes the two topics that meet most often. Each word is placed at its
# weights in both.

together = np.corrcoef(G.T) - np.eye(12)
a, b = np.unravel_index(together.argmax(), together.shape)
ax = plot.compass(model, vocabulary, a, b, n=30)

# %%
# A page to look around in
# ------------------------
# ``plot.explore`` writes one file with all of this, which needs no network. Here it is
# shown in a frame.

from base64 import b64encode
from pathlib import Path
from tempfile import TemporaryDirectory


class Framed:
    def __init__(self, page):
        self.page = page

    def _repr_html_(self):
        style = "width: 100%; height: 40rem; border: 1px solid #d5dae0"
        source = "data:text/html;base64," + b64encode(self.page).decode()
        return f'<iframe title="Topics" style="{style}" src="{source}"></iframe>'


with TemporaryDirectory() as folder:
    page = plot.explore(model, X, vocabulary, documents, Path(folder, "topics.html"))
    framed = Framed(page.read_bytes())
framed

# %%
# Twelve topics are enough to find one's way through a thousand texts: each can be named
# from its words, and its documents agree with the name. The same code reads any matrix
# of documents and words. For notes, ``sonmf.text`` also reads negations and shorthand.
