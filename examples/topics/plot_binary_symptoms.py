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

notes = make_triage_notes(2000, complaints=["Stroke"], random_state=0)
vectorizer = NotesVectorizer(weighting="binary", min_df=20)
X = vectorizer.fit_transform(notes["note"])
words = [vectorizer.spelling_[stem] for stem in vectorizer.get_feature_names_out()]
print(
    f"{X.shape[0]:,} notes, {X.shape[1]:,} words, {X.nnz / np.prod(X.shape):.1%} ones"
)

# %%
# Topics of log-odds
# ------------------
# The words for a topic make each other more likely, and the words against it less
# likely. So topic 0 has "cva" for it and "stroke" against it: notes use one of the two.

model = BinarySONMF(n_components=4, random_state=0).fit(X)
axes = plot.topics(model, words, n=5, X=X, columns=2)

# %%
# Is the probability right?
# -------------------------
# The measure is the mean cost, log(1 + e^theta) - x theta, of notes that the fit did
# not see. Without topics, the forecast of a word is its frequency. Least squares on
# zeros and ones does not give probabilities, so its predictions are clipped.

unseen = vectorizer.transform(
    make_triage_notes(500, complaints=["Stroke"], random_state=1)["note"]
)
p = np.clip(np.asarray(X.mean(axis=0)).ravel(), 1e-6, 1 - 1e-6)
frequencies = np.broadcast_to(np.log(p / (1 - p)), unseen.shape)
print(f"frequencies alone  {mean_bernoulli_cost(unseen, frequencies):.4f}")
print(f"four topics        {-model.score(unseen):.4f}")
least_squares = SONMF(4, random_state=0).fit(X)
q = np.clip(
    least_squares.inverse_transform(least_squares.transform(unseen)), 1e-3, 1 - 1e-3
)
print(f"least squares      {mean_bernoulli_cost(unseen, np.log(q / (1 - q))):.4f}")

# %%
# Lower is better. Four topics of log-odds predict the words of an unseen note better
# than the frequencies of the words, and better than four topics of least squares.
