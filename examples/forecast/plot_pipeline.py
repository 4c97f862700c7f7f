"""
A pipeline with grid search
===========================

The estimators follow scikit-learn's conventions, so they work in its pipelines and
searches. ``signed=True`` gives the classifier the projection XF with both signs, as in
the paper. The non-negative G keeps only one side.
"""

# %%
# Words, topics, classifier
# -------------------------

import matplotlib.pyplot as plt
import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from sonmf import SONMF
from sonmf.datasets import make_triage_notes
from sonmf.text import NotesVectorizer

notes = make_triage_notes(2500, complaints=["Stroke"], random_state=0)
y = notes["disposition"] == "admitted"
pipeline = make_pipeline(
    NotesVectorizer(),
    SONMF(signed=True, random_state=0),
    StandardScaler(),
    LogisticRegression(C=0.1),
)
search = GridSearchCV(
    pipeline,
    {"sonmf__n_components": [2, 5, 10, 20, 40], "sonmf__signed": [True, False]},
    scoring="roc_auc",
    cv=5,
).fit(notes["note"], y)
print(f"best: {search.best_params_}, AUROC {search.best_score_:.3f}")

# %%
# What the search found
# ---------------------
# Bars are standard errors over the five folds.

fig, ax = plt.subplots(figsize=(6.4, 3.6), layout="constrained")
found = search.cv_results_
for signed, name, style in (
    (True, "signed projection XF", {"marker": "o", "color": "#1a5490"}),
    (False, "non-negative amounts G", {"marker": "s", "color": "#57606a", "ls": "--"}),
):
    rows = np.flatnonzero([kept == signed for kept in found["param_sonmf__signed"]])
    k = [found["param_sonmf__n_components"][row] for row in rows]
    mean, error = found["mean_test_score"][rows], found["std_test_score"][rows] / 5**0.5
    ax.errorbar(k, mean, error, capsize=2, label=name, **style)
    print(
        name, *(f"{topics}: {auroc:.3f}" for topics, auroc in zip(k, mean, strict=True))
    )
ax.set(xscale="log", xlabel="topics", ylabel="AUROC", xticks=k, xticklabels=k)
ax.minorticks_off()
ax.spines[["top", "right"]].set_visible(False)
ax.legend(frameon=False)
plt.show()

# %%
# Up to ten topics the forecast becomes much better, and from ten to forty a little. The
# signed projection and the amounts do equally well here. So G is enough, and each of
# its numbers can be read as "how much". If people read the topics, take ten. If only
# the forecast counts, take forty or try more, because the best number is the largest
# tried.
