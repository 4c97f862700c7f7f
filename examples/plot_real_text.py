"""
Ten minutes with real text
==========================

Every scientific Python installation contains a corpus of real English prose: the docstrings of its functions. This example
turns those of scipy, numpy and scikit-learn into a document-word matrix, finds signed topics, and reads them.
"""

# %%
# Documents
# ---------
# One document is the docstring of one public function or class.

import importlib
import inspect

import numpy as np

MODULES = [
    "numpy",
    "numpy.fft",
    "numpy.linalg",
    "numpy.ma",
    "numpy.polynomial",
    "scipy.cluster.hierarchy",
    "scipy.integrate",
    "scipy.interpolate",
    "scipy.linalg",
    "scipy.ndimage",
    "scipy.optimize",
    "scipy.signal",
    "scipy.sparse",
    "scipy.sparse.linalg",
    "scipy.spatial",
    "scipy.special",
    "scipy.stats",
    "sklearn.cluster",
    "sklearn.decomposition",
    "sklearn.ensemble",
    "sklearn.linear_model",
    "sklearn.metrics",
    "sklearn.model_selection",
    "sklearn.preprocessing",
    "sklearn.svm",
]

texts = {}
for module in map(importlib.import_module, MODULES):
    for name, value in vars(module).items():
        text = inspect.getdoc(value) if callable(value) and not name.startswith("_") else None
        if text and len(text) > 200 and not (isinstance(value, type) and issubclass(value, Exception)):
            texts.setdefault(text, f"{module.__name__}.{name}")
documents, names = list(texts), np.array(list(texts.values()))
print(f"{len(documents):,} docstrings, {sum(len(text.split()) for text in documents):,} words")

# %%
# Topics
# ------
# scikit-learn computes tf-idf weights, and :class:`sonmf.SONMF` finds the topics. A topic is a row of ``components_``. The rows
# are orthonormal, and weights may have either sign.

from sklearn.feature_extraction.text import TfidfVectorizer

from sonmf import SONMF, plot
from sonmf.text import top_documents

vectorizer = TfidfVectorizer(stop_words="english", token_pattern=r"\b[a-z]{3,}\b", min_df=5, max_df=0.3, sublinear_tf=True)
X = vectorizer.fit_transform(documents)
model = SONMF(n_components=12, n_init=4, random_state=0)
G = model.fit_transform(X)
print(f"{X.shape[1]:,} words; {100 * model.score(X):.1f}% of the squares explained after {model.n_iter_} iterations")

axes = plot.topics(model, vectorizer.get_feature_names_out(), n=4, X=X)

# %%
# Which documents have most of a topic?
# -------------------------------------
# The best way to name a topic is to look at its documents.

for topic in range(3):
    print(f"topic {topic}: {', '.join(names[top_documents(G, topic, n=4)])}")

# %%
# Documents by topic
# ------------------
# The amounts G of 500 docstrings, sorted by their main topic. ``sparsity`` sets small amounts to zero. With more of
# it, some documents are left without any topic, and a fit warns.

ax = plot.documents(model, X)
for sparsity in (0.0, 0.03):
    sparse = SONMF(12, sparsity=sparsity, random_state=0)
    amounts = sparse.fit_transform(X)
    print(f"sparsity={sparsity}: {np.mean(amounts == 0):.0%} of G is zero, {np.mean(~amounts.any(axis=1)):.0%} have no topic")
