"""
How many topics?
================

:func:`sonmf.select_rank` leaves out a quarter of the words of a quarter of the documents, forecasts it from the rest, and takes
the fewest topics that forecast it as well as any number. Here the answer is known.
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
# Text has no true number: the curve falls for long and becomes flat. The number taken is where it is flat within its error.

from sonmf.datasets import make_triage_notes
from sonmf.text import NotesVectorizer

notes = make_triage_notes(2000, complaints=["Stroke"], random_state=0)
choice = select_rank(SONMF(), NotesVectorizer().fit_transform(notes["note"]), [2, 5, 10, 15, 20, 30, 40], random_state=0)
print(choice)
ax = plot.rank_curve(choice)

# %%
# The whole data set explains itself better with every topic that is added. That is why the error on what was left out decides,
# and not the residual:

for k in (2, 8, 16):
    print(f"{k:2} topics explain {100 * SONMF(k).fit(X).score(X):.1f}% of the squares of the first data set")
