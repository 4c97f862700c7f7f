"""
Binary symptoms
===============

A table of zeros and ones, such as a list of symptoms that are ticked or not, is not a
matrix of amounts. :class:`sonmf.BinarySONMF` models the probability of each tick, with
an intercept for each symptom in addition to the topics.
"""

# %%
# Which words a note contains
# ---------------------------
# Each row is a note and each column a word. An entry is 1 if the word occurs.

import numpy as np

from sonmf import SONMF, BinarySONMF, plot
from sonmf.datasets import make_triage_notes
from sonmf.metrics import mean_bernoulli_cost
from sonmf.text import NotesVectorizer

notes = make_triage_notes(2000, complaints=["Fever"], random_state=0)
words = NotesVectorizer(weighting="binary", min_df=20, stem=False)
X = words.fit_transform(notes["note"])
print(
    f"{X.shape[0]:,} notes, {X.shape[1]:,} words, {X.nnz / np.prod(X.shape):.1%} ones"
)

# %%
# Topics of log-odds
# ------------------

model = BinarySONMF(n_components=6, random_state=0).fit(X)
vocabulary = words.get_feature_names_out()
axes = plot.topics(model, vocabulary, n=5, X=X, which=[0, 1, 2, 3], columns=2)

# %%
# Is the probability right?
# -------------------------
# The mean cost, log(1 + e^theta) - x theta, of notes that the fit did not see. Without
# topics, each word has its own frequency. Least squares on zeros and ones does not give
# probabilities, so its predictions are clipped.

unseen = words.transform(
    make_triage_notes(500, complaints=["Fever"], random_state=1)["note"]
)
p = np.clip(np.asarray(X.mean(axis=0)).ravel(), 1e-6, 1 - 1e-6)
frequencies = np.broadcast_to(np.log(p / (1 - p)), unseen.shape)
print(f"frequencies alone  {mean_bernoulli_cost(unseen, frequencies):.4f}")
print(f"six topics         {-model.score(unseen):.4f}")
least_squares = SONMF(6, random_state=0).fit(X)
q = np.clip(
    least_squares.inverse_transform(least_squares.transform(unseen)), 1e-3, 1 - 1e-3
)
print(f"least squares      {mean_bernoulli_cost(unseen, np.log(q / (1 - q))):.4f}")

# %%
# Lower is better. Six topics of log-odds predict the words of an unseen note better
# than the frequencies of the words, and better than six topics of least squares.
