"""
From notes and vital signs to beds
==================================

A forecast of admission in Python, step by step. The model combines topics of the notes
with age and vital signs. Its probabilities are calibrated, and each splits into exact
terms. Together they forecast the beds that the patients in a waiting room will need.
"""

# %%
# A model
# -------
# The notes are generated, with the columns that a triage desk has.
# ``measurements=False`` leaves out the numbers that a note states in its text.

from sonmf import plot
from sonmf.datasets import make_triage_notes
from sonmf.triage import TriageModel
from sonmf.triage.labels import label_of

COLUMNS = ["age", "heart_rate", "saturation", "temperature", "esi"]
notes = make_triage_notes(4000, complaints=["Fever"], details=True, random_state=0)
model = TriageModel(n_topics=20, measurements=False).fit(
    notes["note"], notes["disposition"], columns=notes[COLUMNS]
)

# %%
# What raises and lowers the risk
# -------------------------------

ax = plot.effects(model)

# %%
# The effects of columns are curves that are fitted with the classifier. Each point
# stands for patients with similar values.

axes = plot.column_effects(model, columns=3)

# %%
# One patient, taken apart
# ------------------------
# The terms add up exactly to the log-odds.

note = "81 yo f from nursing home, fever x2 days, lethargic, not eating, denies cough"
found = model.explain(
    note,
    columns={
        "age": 81,
        "heart_rate": 118,
        "saturation": 91,
        "temperature": 39.2,
        "esi": 2,
    },
)
print(
    f"probability of admission {found.probability:.0%}, base rate {found.base_rate:.0%}"
)
for part in sorted(
    (*found.topics, *found.columns), key=lambda part: -abs(part.contribution)
)[:6]:
    print(f"{part.contribution:+6.2f}  {label_of(part.name)}")

# %%
# Is the probability right?
# -------------------------
# On the diagonal, thirty of a hundred patients with a forecast of 30% were admitted.
# The fit did not see these outcomes.

ax = plot.calibration(model)

# %%
# To see what the columns add, compare with a model that has only the notes.
# :func:`sonmf.triage.evaluate` compares methods by cross-validation of the whole
# pipeline.

alone = TriageModel(n_topics=20, measurements=False).fit(
    notes["note"], notes["disposition"]
)
for name, one in (("words of the notes", alone), ("words and columns", model)):
    figures = one.pooled_model_.record.out_of_fold
    print(f"{name:18} AUROC {figures.auroc:.3f}   log loss {figures.log_loss:.3f}")

# %%
# Beds
# ----
# The exact distribution of how many of the next thirty patients will be admitted.

waiting = make_triage_notes(30, complaints=["Fever"], details=True, random_state=1)
ax = plot.beds(model.predict_proba(waiting["note"], columns=waiting[COLUMNS])[:, 1])

# %%
# The notes alone rank the patients well, and the columns add a little. Both forecasts
# are sums that can be read. If the probabilities are right on average, so is the number
# of beds. :doc:`/guide/triage` has the same on the command line.
