"""
Update a model, and compare it with the old one
===============================================

A hospital opens a ward, and more patients are admitted. The forecasts of the old model
are now too low. There are two remedies. Recalibration keeps the topics and moves the
probabilities. A refit learns everything anew. Patients that neither model has seen
decide which is better.
"""

# %%
# Before and after
# ----------------
# The model was fitted to 4,000 generated patients. Then half of the patients who would
# have been sent home with a saturation below 95% are admitted as well.

import numpy as np

from sonmf.datasets import make_triage_notes
from sonmf.triage import TriageModel, compare, update

COLUMNS = ["age", "heart_rate", "saturation"]


def patients(n, seed, new_ward):
    found = make_triage_notes(n, complaints=["Cough"], details=True, random_state=seed)
    moved = (found["saturation"] < 95) & (np.arange(n) % 2 == 0) & new_ward
    found.loc[moved, "disposition"] = "admitted"
    return found["note"], found["disposition"], found[COLUMNS]


note, outcome, columns = patients(4000, seed=1, new_ward=False)
old = TriageModel(n_topics=10, random_state=0).fit(note, outcome, columns=columns)

# %%
# Two new models
# --------------
# Both are made from the 1,500 patients of the first month with the new ward.

note, outcome, columns = patients(1500, seed=2, new_ward=True)
models = {
    how: update(old, note, outcome, columns=columns, how=how).model
    for how in ("recalibrate", "refit")
}

# %%
# Which is better?
# ----------------
# Each is compared with the old model on the 1,500 patients of the next month. The old
# model is A, and the new one is B. The intervals are for the difference on the same
# patients. A log loss is better if it is smaller.

note, outcome, columns = patients(1500, seed=3, new_ward=True)
found = {
    how: compare(old, new, note, outcome, columns=columns)
    for how, new in models.items()
}
for how, comparison in found.items():
    print(f"{how}: {comparison.verdict()}\n")

# %%
# As a picture
# ------------
# Patients are sorted by forecast and divided into ten groups. For a point on the
# diagonal, as many patients were admitted as were forecast.

import matplotlib.pyplot as plt

admitted = (outcome == "admitted").to_numpy()
fig, ax = plt.subplots(figsize=(5, 4.4), layout="constrained")
ax.plot([0, 1], [0, 1], color="#57606a", linestyle="--", linewidth=0.8)
styles = {"old": ("o:", "#57606a"), "recalibrate": ("s--", "#1a5490")}
styles["refit"] = ("D-", "#1a5490")
for name, model in {"old": old, **models}.items():
    forecast = model.predict_proba(note, columns=columns)[:, 1]
    groups = np.array_split(np.argsort(forecast), 10)
    marker, colour = styles[name]
    ax.plot(
        [forecast[group].mean() for group in groups],
        [admitted[group].mean() for group in groups],
        marker,
        color=colour,
        markersize=5,
        label=f"{name}: {forecast.sum():.0f} expected",
    )
ax.set_title(f"{admitted.sum()} admitted", fontsize=10, loc="left")
ax.set(xlim=(0, 1), ylim=(0, 1), xlabel="forecast", ylabel="admitted")
ax.spines[["top", "right"]].set_visible(False)
ax.legend(frameon=False)
plt.show()

# %%
# Both are better than the old model. Recalibration raised the probabilities of all
# patients, and cannot change their order. The refit also learned that a low saturation
# now counts for more, so the order of the patients is better too.
