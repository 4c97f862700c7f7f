"""
One signed topic, read with its documents
=========================================

A topic has words for it and words against it. This example takes one topic apart: its
words on both sides, the notes at both ends, and how much of the notes lies at each end.
All notes are generated.
"""

# %%
# Notes of people who are confused or hard to wake. Five topics are enough to read.

import matplotlib.pyplot as plt
import numpy as np

from sonmf import SONMF, plot
from sonmf.datasets import make_triage_notes
from sonmf.text import NotesVectorizer, top_words

notes = make_triage_notes(
    3000, complaints=["Altered Level of Consciousness"], random_state=0
)["note"]
vectorizer = NotesVectorizer(negation="mark", stem=False)
X = vectorizer.fit_transform(notes)
words = vectorizer.get_feature_names_out()
model = SONMF(5, n_init=4, random_state=0).fit(X)

# %%
# The topic with most against it
# ------------------------------
# The projection of a note on a topic is a sum over its words: words for the topic raise
# it, words against it lower it. The share of squares below zero says how much there is
# to read on the side against. For most topics that is little.

projections = X @ model.components_.T
topics = top_words(model, words, n=6, X=X, least_share=0)
for number, topic in enumerate(topics):
    print(f"{number}: {topic.negative_share:5.1%}  {topic}"[:88])
chosen = int(np.argmax([topic.negative_share for topic in topics]))

# %%
# Its words, and all notes
# ------------------------
# On the right, every note at its projection. ``transform`` returns 0 for the notes left
# of the line: they have none of this topic. A classifier gets the whole line, because
# the notes against the topic are patients too.

figure, (left, right) = plt.subplots(
    1, 2, figsize=(10, 3.6), layout="constrained", width_ratios=(1, 1.6)
)
topic = topics[chosen]
bars = [*topic.positive, *reversed(topic.negative)]
colours = [plot.canvas.FOR if value > 0 else plot.canvas.AGAINST for _, value in bars]
left.barh([word for word, _ in bars], [value for _, value in bars], color=colours)
left.invert_yaxis()
left.axvline(0, color="black", linewidth=0.8)
left.set_title(f"words for and against topic {chosen}", loc="left")
here = projections[:, chosen]
bins = 0.01 * np.arange(np.floor(100 * here.min()), np.ceil(100 * here.max()) + 1)
_, edges, patches = right.hist(here, bins=bins)
for edge, patch in zip(edges, patches, strict=False):
    patch.set_color(plot.canvas.FOR if edge > -1e-9 else plot.canvas.AGAINST)
right.axvline(0, color="black", linewidth=0.8)
right.set_yscale("log")
right.set_xlabel("projection on the topic")
right.set_ylabel("notes")
right.set_title("no amount | an amount of the topic", loc="left")

# %%
# The notes at both ends
# ----------------------
# A topic is named by the notes at its right end. The notes at the left end say whether
# the words against it are an opposite that makes sense, or only words from elsewhere.

order = np.argsort(projections[:, chosen])
for title, rows in (("most of it", order[:-4:-1]), ("furthest against it", order[:3])):
    print(f"{title}:")
    for row in rows:
        print(f"  {projections[row, chosen]:+.2f}  {notes[row][:72]}")

# %%
# Name a topic by its right end. Here the left end makes sense too, as another cause of
# the same complaint, but it holds less than a hundredth of the squares: the words
# against a topic are a remark, and not a second topic.
