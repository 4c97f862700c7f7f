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
# The topic with the largest share against it
# -------------------------------------------
# The projection of a note on a topic is a sum over its words: words for the topic raise
# it, words against it lower it. The share of squares below zero says how much the words
# against it hold. For most topics that is little.

projections = X @ model.components_.T
topics = top_words(model, words, n=4, X=X, least_share=0)
for number, topic in enumerate(topics):
    print(number, topic)
chosen = int(np.argmax([topic.negative_share for topic in topics]))

# %%
# Its words, and all notes
# ------------------------
# The lower picture counts the notes by their projection. ``transform`` returns 0 for
# the notes to the left of the line: they have none of this topic. A classifier should
# get the signed projection, because the notes against the topic are patients too.

figure, (upper, lower) = plt.subplots(2, 1, figsize=(5.6, 5), layout="constrained")
topic = topics[chosen]
bars = [*topic.positive, *reversed(topic.negative)]
colours = [plot.canvas.FOR if value > 0 else plot.canvas.AGAINST for _, value in bars]
upper.barh([word for word, _ in bars], [value for _, value in bars], color=colours)
upper.invert_yaxis()
upper.axvline(0, color="black", linewidth=0.8)
upper.set_title(f"words for and against topic {chosen}", loc="left")
here = projections[:, chosen]
bins = 0.01 * np.arange(np.floor(100 * here.min()), np.ceil(100 * here.max()) + 1)
_, edges, patches = lower.hist(here, bins=bins)
for edge, patch in zip(edges, patches, strict=False):
    patch.set_color(plot.canvas.FOR if edge > -1e-9 else plot.canvas.AGAINST)
lower.axvline(0, color="black", linewidth=0.8)
lower.set_yscale("log")
lower.set_xlabel("projection on the topic")
lower.set_ylabel("notes")
lower.set_title("no amount | an amount of the topic", loc="left")
plt.show()

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
# Name a topic by its right end. Here the left end also makes sense: falls are another
# cause of the same complaint. But it holds less than a hundredth of the squares. So do
# not read the words against a topic as a second topic.
