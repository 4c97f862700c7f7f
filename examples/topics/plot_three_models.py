"""
NMF, LDA and SONMF side by side
===============================

Three models are fitted to the same notes, with the same number of topics. What differs
is what a topic may be: non-negative weights in NMF, probabilities in LDA, orthonormal
weights of either sign in SONMF.
"""

# %%
# Generated triage notes of three complaints. LDA is a model of counts, the other two
# are fitted to tf-idf weights.

from sklearn.decomposition import NMF, LatentDirichletAllocation

from sonmf import SONMF
from sonmf.datasets import make_triage_notes
from sonmf.metrics import diversity, npmi, overlap
from sonmf.plot.canvas import AGAINST, FOR
from sonmf.text import NotesVectorizer

COMPLAINTS = {"Cough": "cough", "Stroke": "stroke", "Lower Extremity Injury": "leg"}
notes = make_triage_notes(3000, complaints=list(COMPLAINTS), random_state=0)
words = NotesVectorizer()
counts = NotesVectorizer(weighting="count")
X, N = words.fit_transform(notes["note"]), counts.fit_transform(notes["note"])
models = {
    "SONMF": SONMF(8, n_init=4, random_state=0).fit(X),
    "NMF": NMF(8, init="nndsvda", max_iter=500, random_state=0).fit(X),
    "LDA": LatentDirichletAllocation(8, random_state=0).fit(N),
}

# %%
# In figures
# ----------
# Coherence (NPMI) says whether the strongest words of a topic occur together. Diversity
# says how many of them no other topic has. Overlap is how much a topic repeats the one
# that is nearest to it.

print(f"{'':6} {'coherence':>9} {'diversity':>9} {'overlap':>7}")
for name, model in models.items():
    topics = model.components_
    figures = npmi(topics, X), diversity(topics), overlap(topics)
    print(f"{name:6} {figures[0]:9.2f} {figures[1]:9.2f} {figures[2]:7.2f}")

# %%
# In words
# --------
# Three topics of each model, those that describe most of each complaint. Purple bars
# are words that speak against a topic. Only SONMF can have them.

import matplotlib.pyplot as plt
import numpy as np

vocabulary = np.array([words.spelling_[stem] for stem in words.get_feature_names_out()])
fig, axes = plt.subplots(3, 3, figsize=(8.4, 8.4), layout="constrained")
for row, (name, model) in zip(axes, models.items(), strict=True):
    amounts = model.transform(N if name == "LDA" else X)
    for ax, (complaint, short) in zip(row, COMPLAINTS.items(), strict=True):
        patients = (notes["complaint"] == complaint).to_numpy()
        gain = amounts[patients].mean(axis=0) - amounts[~patients].mean(axis=0)
        topic = model.components_[gain.argmax()]
        order = np.argsort(topic)
        shown = [*order[:2], *order[-6:]] if topic.min() < 0 else order[-8:]
        colours = np.where(topic[shown] > 0, FOR, AGAINST)
        ax.barh(vocabulary[shown], topic[shown], color=colours)
        ax.set_title(f"{name}, {short}", fontsize=10, loc="left")
        ax.spines[["top", "right"]].set_visible(False)
plt.show()

# %%
# SONMF and NMF find topics that are equally easy to read. Those of SONMF are
# orthogonal: no topic repeats another, so the amount of one does not depend on which
# others are in the model. The topics of LDA share many words on notes as short as
# these. On other data the order is different: the guide :doc:`/guide/trust` has tables
# for real notes.
