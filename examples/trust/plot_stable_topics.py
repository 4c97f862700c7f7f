"""
Which topics would come back?
=============================

A topic that changes when a few documents are replaced is a poor basis for a decision.
:func:`sonmf.stability.bootstrap` fits the model to documents drawn with replacement,
and looks for each topic again.
"""

# %%
# Ten topics, twenty draws
# ------------------------

from sonmf import SONMF, plot
from sonmf.datasets import make_triage_notes
from sonmf.stability import bootstrap
from sonmf.text import NotesVectorizer, top_words

notes = make_triage_notes(2000, complaints=["Shortness of Breath"], random_state=0)
words = NotesVectorizer()
X = words.fit_transform(notes["note"])
model = SONMF(10, n_init=4, random_state=0).fit(X)
names = [
    "/".join(word for word, _ in topic.positive)
    for topic in top_words(model, words.get_feature_names_out(), 2, X=X)
]

found = bootstrap(model, X, n=20, random_state=0)
print(found)
ax = plot.stability(found, names)

# %%
# More topics, less certain ones
# ------------------------------
# The notes do not hold 30 distinct subjects, so most of 30 topics depend on the draw.

many = bootstrap(SONMF(30, random_state=0).fit(X), X, n=10, random_state=0)
print(many)
ax = plot.stability(many)
ax.figure.set_size_inches(6, 7)
ax.tick_params(axis="y", labelsize=8)

# %%
# Read the topics to the right of the line. Those to the left of it may help a forecast,
# but do not build an explanation on them.
