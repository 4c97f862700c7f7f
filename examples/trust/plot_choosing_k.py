"""
How many topics?
================

:func:`sonmf.select_rank` hides a quarter of the matrix (half of the documents and half
of the words), predicts it from the rest, and takes the smallest number of topics that
predicts it as well as any number tried. Here the answer is known.
"""

# %%
# Data with eight topics
# ----------------------

from sonmf import SONMF, plot, select_rank
from sonmf.simulate import continuous

X, F, G = continuous(1, n=300, p=200, k=8, random_state=0)
choice = select_rank(SONMF(), X, range(2, 17), random_state=0)
print(choice)
ax = plot.rank_curve(choice)

# %%
# Notes
# -----
# Text has no true number of topics: the curve falls for a long time before it becomes
# flat. The number for forecasts is where the curve is flat within its error. Here that
# is not yet so at 40, and the search says that it ended at its edge. With
# ``bootstrap``, the notes are also drawn again, to see how many topics come back. This
# gives a second number, for people who will read the topics.

from sonmf.datasets import make_triage_notes
from sonmf.text import NotesVectorizer

notes = make_triage_notes(2000, complaints=["Stroke"], random_state=0)
choice = select_rank(
    SONMF(),
    NotesVectorizer().fit_transform(notes["note"]),
    [2, 5, 10, 15, 20, 30, 40],
    bootstrap=5,
    random_state=0,
)
print(choice)
ax = plot.rank_curve(choice)

# %%
# Every additional topic explains more of the data that were fitted. So the error on the
# hidden part decides, and not the residual:

for k in (2, 8, 16):
    explained = SONMF(k).fit(X).score(X)
    print(f"{k:2} topics explain {explained:.1%} of the squares of the first data set")

# %%
# With the answer known, the hidden part finds it. For notes there are two answers, one
# for forecasts and one for reading, and they are far apart: :doc:`/guide/trust` says
# which to take.
