"""
NMF, LDA and SONMF side by side
===============================

Three models are fitted to the same notes with the same number of topics. The topics of NMF and LDA have non-negative weights
and overlap. The topics of SONMF are orthonormal and have two sides.
"""

# %%
# Notes
# -----
# Generated triage notes of three complaints.

import time

import matplotlib.pyplot as plt
from sklearn.decomposition import NMF, LatentDirichletAllocation

from sonmf import SONMF, plot
from sonmf.datasets import make_triage_notes
from sonmf.metrics import diversity, npmi, overlap
from sonmf.text import NotesVectorizer

notes = make_triage_notes(3000, complaints=["Cough", "Stroke", "Lower Extremity Injury"], random_state=0)
words, counts = NotesVectorizer(), NotesVectorizer(weighting="count")
X, N = words.fit_transform(notes["note"]), counts.fit_transform(notes["note"])  # tf-idf; counts for LDA

# %%
# Three fits
# ----------
# Coherence (NPMI) says whether the leading words of a topic occur together. Diversity says how many of them no other topic has.
# Overlap is the largest cosine between two topics. No model is best in everything, and on other data the order is different:
# the guide :doc:`/guide/trust` has tables for real notes.

models = {
    "SONMF": (SONMF(10, n_init=4, random_state=0), X),
    "NMF": (NMF(10, init="nndsvda", max_iter=500, random_state=0), X),
    "LDA": (LatentDirichletAllocation(10, random_state=0), N),
}
print(f"{'':6} {'seconds':>8} {'NPMI':>6} {'diversity':>10} {'overlap':>8}")
for name, (model, matrix) in models.items():
    began = time.perf_counter()
    model.fit(matrix)
    seconds = time.perf_counter() - began
    topics = model.components_
    print(f"{name:6} {seconds:8.2f} {npmi(topics, X):6.2f} {diversity(topics):10.2f} {overlap(topics):8.2f}")

# %%
# What they look like
# -------------------
# The first four topics of each model. Blue bars, to the left, are words that point away from a topic.

vocabulary = words.get_feature_names_out()
for name, (model, _) in models.items():
    axes = plot.topics(model, vocabulary, n=5, which=[0, 1, 2, 3])
    axes[0].figure.suptitle(name, x=0.02, ha="left", weight="bold")
    plt.show()
