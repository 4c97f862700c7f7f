"""
Topics over time
================

The topics of a fit do not change, and the amounts of a new document need no other
document. So the amount of a topic, week by week, is a fair series: what changes is what
people write about.
"""

# %%
# A year of notes
# ---------------
# The patients of one year are generated. In winter we draw more patients who cough, as
# a real department sees them.

import matplotlib.pyplot as plt
import numpy as np

from sonmf import SONMF
from sonmf.datasets import make_triage_notes
from sonmf.text import NotesVectorizer, top_words

rng = np.random.default_rng(1)
notes = make_triage_notes(43_000, first_day="2024-01-01", random_state=0)
day = notes["arrival"].dt.day_of_year
winter = (1 + np.cos(2 * np.pi * (day - 20) / 366)) / 2  # 1 in late January, 0 in July
kept = rng.random(len(notes)) < np.where(notes["complaint"] == "Cough", winter, 0.25)
notes = notes[kept & (day <= 357)]
week = (notes["arrival"].dt.day_of_year - 1) // 7
print(f"{len(notes):,} patients in {week.nunique()} weeks")

# %%
# Topics of the first half, amounts of the whole year
# ---------------------------------------------------
# The weekly total of a topic does not depend on how many other notes there are.

vectorizer = NotesVectorizer(min_df=20)
X = vectorizer.fit_transform(notes["note"][week < 26])
model = SONMF(12, n_init=4, random_state=0).fit(X)
amounts = model.transform(vectorizer.transform(notes["note"]))
weeks = [amounts[week == number] for number in range(51)]
totals = np.array([each.sum(axis=0) for each in weeks])
errors = np.array([np.sqrt((each**2).sum(axis=0)) for each in weeks])

# %%
# What moved, and what did not
# ----------------------------
# The error of a week says how far chance alone moves its total. A topic has moved if
# its weeks differ by much more. Here are the three that moved most, and the one that
# moved least.

moved = totals.std(axis=0) / errors.mean(axis=0)
order = np.argsort(-moved)
stems = vectorizer.get_feature_names_out()
vocabulary = [vectorizer.spelling_[stem] for stem in stems]
labels = top_words(model, vocabulary, n=3, X=X)
fig, axes = plt.subplots(4, 1, figsize=(6, 6.4), sharex=True, layout="constrained")
for ax, topic in zip(axes, [*order[:3], order[-1]], strict=True):
    total, width = totals[:, topic], 2 * errors[:, topic]
    ax.fill_between(range(51), total - width, total + width, color="#c6d4e3")
    ax.plot(total, color="#1a5490")
    words = ", ".join(word for word, _ in labels[topic].positive)
    ax.set_title(f"{words}: {moved[topic]:.1f} times chance", loc="left", fontsize=10)
    ax.set_ylim(0, None)
    ax.spines[["top", "right"]].set_visible(False)
axes[-1].set(xlabel="week of the year", xlim=(0, 50))
fig.supylabel("amount of the topic in a week, with two errors", fontsize=10)
plt.show()

# %%
# The topics of cough fall until July and come back in autumn, in weeks that the fit has
# not seen. The last topic has nothing to do with cough, and stays where it was. For a
# model that is in use, ``sonmf monitor`` judges such changes with limits for false
# alarms: see :ref:`sphx_glr_gallery_forecast_plot_drift.py`.
