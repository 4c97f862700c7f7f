"""
Topics that you ask for
=======================

A fit finds the topics that explain most. Sometimes you want a particular topic, even if
it explains little. Name a few of its words, and :func:`sonmf.text.seed_topics` finds
the rest in the notes.
"""

# %%
# Two requests
# ------------
# The notes are generated, and about cough. We request a topic of heart failure and one
# of travel, with two words each. Both stay fixed, and the fit finds six more.

from sonmf import SONMF, plot
from sonmf.datasets import make_triage_notes
from sonmf.text import NotesVectorizer, seed_topics, top_words

patients = make_triage_notes(3000, complaints=["Cough"], details=True, random_state=0)
vectorizer = NotesVectorizer()
X = vectorizer.fit_transform(patients["note"])
words = [vectorizer.spelling_[stem] for stem in vectorizer.get_feature_names_out()]

seeds = seed_topics(["chf ankles", "travel tb"], vectorizer, X)
model = SONMF(8, fixed_components=seeds.components, random_state=0).fit(X)
axes = plot.topics(model, words, n=5, X=X, which=[0, 1, 2, 3], columns=2)
for ax, seed in zip(axes, ["chf ankles", "travel tb"], strict=False):
    ax.set_title(f"requested: {seed}", loc="left", fontsize="medium", weight="bold")

# %%
# The first two topics are the requested ones. Each also contains words that we did not
# name, because they occur in the same notes. The other two are topics that the fit
# found.
#
# Is it the right topic?
# ----------------------
# Compare them with a fit without requests. Its nearest topics have little in common
# with what we wanted.

free = SONMF(8, random_state=0).fit(X)
for asked, seed in zip(["chf ankles", "travel tb"], seeds.components, strict=True):
    cosine = free.components_ @ seed
    nearest = top_words(free, words, n=4, X=X)[cosine.argmax()]
    print(f"{asked}: cosine {cosine.max():.2f} with {nearest}")

# %%
# What the requests cost
# ----------------------

for name, fitted in (("free", free), ("with two seed topics", model)):
    print(f"{name}: {100 * fitted.score(X):.1f}% of the squares explained")

# %%
# No topic of the free fit is near what we requested, because few of these patients have
# heart failure or have travelled. The two requests cost about a tenth of what eight
# topics explain. Request a topic if you need to follow it, not to improve a fit.
