"""
Documents with few topics
=========================

By default a document may have a little of every topic, and most do. ``sparsity`` sets
small amounts to zero. This example shows what that does to the documents and to the
topics, and when it has gone too far.
"""

# %%
# Documents
# ---------
# The documents are the first paragraphs of scipy's docstrings. This is real text, and
# longer than a note.

import importlib
import inspect
import warnings

import matplotlib.pyplot as plt
import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer

from sonmf import SONMF
from sonmf.metrics import diversity, npmi

texts = set()
for name in ("integrate", "linalg", "ndimage", "optimize", "signal", "sparse", "stats"):
    module = importlib.import_module(f"scipy.{name}")
    for function in map(vars(module).get, module.__all__):
        text = (inspect.getdoc(function) or "").partition("Parameters\n")[0]
        texts |= {text} if len(text.split()) >= 12 else set()
vectorizer = TfidfVectorizer(
    stop_words="english", token_pattern=r"\b[a-z]{3,}\b", min_df=4, sublinear_tf=True
)
X = vectorizer.fit_transform(sorted(texts))
print(f"{X.shape[0]} documents, {X.shape[1]} words")

# %%
# From no sparsity to too much
# ----------------------------
# The picture shows the amounts of ten topics: the darker, the larger. Documents are
# sorted by their main topic.

SHOWN = 0.0, 0.05, 0.2
figures = []
fig, axes = plt.subplots(3, 1, figsize=(6.4, 5), sharex=True, layout="constrained")
with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # some documents are left without any topic
    for sparsity in (0.0, 0.02, 0.05, 0.1, 0.15, 0.2):
        model = SONMF(10, sparsity=sparsity, n_init=4, random_state=0)
        G = model.fit_transform(X)
        figures.append(
            [
                sparsity,
                np.mean(G > 0),
                np.mean(~G.any(axis=1)),
                npmi(model.components_, X),
                diversity(model.components_),
            ]
        )
        if sparsity in SHOWN:
            order = np.lexsort([-G.max(axis=1), G.argmax(axis=1)])
            ax = axes[SHOWN.index(sparsity)]
            ax.imshow(G[order].T, aspect="auto", cmap="Blues", vmax=0.5)
            ax.set_title(f"sparsity={sparsity}", loc="left", fontsize=10)
            ax.set(ylabel="topic", yticks=[0, 9])
axes[-1].set_xlabel("document")
plt.show()

# %%
# In numbers
# ----------

print("sparsity  amounts above 0  without a topic  coherence  diversity")
for sparsity, above, without, coherent, variety in figures:
    print(
        f"{sparsity:8}  {above:15.0%}  {without:15.0%}  {coherent:9.2f}  {variety:9.2f}"
    )

# %%
# A little sparsity halves the number of amounts above zero, and each document has a few
# topics that can be named. With too much, documents are left without any topic, and the
# fit warns. On short notes ``sparsity`` does not help: see :doc:`/guide/trust`.
