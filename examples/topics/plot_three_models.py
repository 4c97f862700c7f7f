"""
NMF, LDA and SONMF side by side
===============================

Three models are fitted to the same notes, with the same number of topics. What differs
is what a topic may be: non-negative weights in NMF, probabilities in LDA, orthonormal
weights of either sign in SONMF.
"""

# %%
# The notes are generated, and have three complaints. SONMF and NMF are fitted to tf-idf
# weights. LDA is fitted to zeros and ones: which words a note has.

import numpy as np
from sklearn.decomposition import NMF, LatentDirichletAllocation

from sonmf import SONMF, plot
from sonmf.datasets import make_triage_notes
from sonmf.metrics import diversity, npmi, overlap
from sonmf.text import NotesVectorizer, top_words

COMPLAINTS = ["Cough", "Stroke", "Lower Extremity Injury"]
notes = make_triage_notes(3000, complaints=COMPLAINTS, random_state=0)
vectorizer = NotesVectorizer(stem=False)
X = vectorizer.fit_transform(notes["note"])
present = (X > 0).astype(float)
words = vectorizer.get_feature_names_out()
fits = {
    "SONMF": (SONMF(8, n_init=4, random_state=0), X),
    "NMF": (NMF(8, init="nndsvd", max_iter=500, random_state=0), X),
    "LDA": (LatentDirichletAllocation(8, max_iter=20, random_state=0), present),
}
models = {name: model.fit(data) for name, (model, data) in fits.items()}

# %%
# In numbers
# ----------
# ``top_words`` names the topics of all three in the same way. Coherence (NPMI) says
# whether the ten words of a topic occur together. Diversity says how many of them no
# other topic has. Overlap is how much a topic repeats the one that is nearest to it.

column = {word: j for j, word in enumerate(words)}


def listed(model, data):
    """A row for each topic: the strength of its ten words, 0 for the others."""
    rows = np.zeros(model.components_.shape)
    for row, topic in zip(rows, top_words(model, words, 10, X=data), strict=True):
        for word, strength in topic.positive:
            row[column[word]] = strength
    return rows


print(f"{'':6} {'coherence':>9} {'diversity':>9} {'overlap':>7}")
for name, model in models.items():
    topics = listed(model, fits[name][1])
    figures = npmi(topics, X), diversity(topics), overlap(model.components_)
    print(f"{name:6} {figures[0]:9.2f} {figures[1]:9.2f} {figures[2]:7.2f}")

# %%
# In words
# --------
# For each model and each complaint, the picture shows the topic that is most typical.


def typical(name):
    """For each complaint, the topic that its patients have more of than others."""
    amounts = models[name].transform(fits[name][1])
    groups = [(notes["complaint"] == complaint).to_numpy() for complaint in COMPLAINTS]
    gains = [
        amounts[here].mean(axis=0) - amounts[~here].mean(axis=0) for here in groups
    ]
    return [int(gain.argmax()) for gain in gains]


for name, (model, data) in fits.items():
    axes = plot.topics(model, words, n=6, X=data, which=typical(name), columns=3)
    axes[0].figure.suptitle(name, fontweight="bold")

# %%
# The three models agree on what these notes are about. The topics of SONMF are
# orthogonal: none repeats another, so the amount of one does not depend on which others
# are in the model. Its lists of words may still overlap: here they are the most
# coherent and the least diverse. Those of LDA are the other way round. On other data
# the order is different: the guide :doc:`/guide/trust` has tables for real notes and
# for articles.
