"""
Missing values
==============

NaN in a dense X means that an entry was not observed. The fit uses only the other
entries, and the product of the factors predicts the missing ones.
"""

# %%
# Hide a fifth
# ------------

import matplotlib.pyplot as plt
import numpy as np
from sklearn.impute import SimpleImputer

from sonmf import SONMF
from sonmf.simulate import continuous

NOISE = 0.3
X, F, G = continuous(1, n=300, p=200, k=8, noise=NOISE, random_state=0)
hidden = np.random.default_rng(0).random(X.shape) < 0.2
seen = np.where(hidden, np.nan, X)

model = SONMF(8, random_state=0)
forecast = model.inverse_transform(model.fit_transform(seen))


def error(guess):
    """Root mean square over the hidden entries."""
    return np.sqrt(np.mean((guess - X)[hidden] ** 2))


filled = SimpleImputer().fit_transform(seen)
two_steps = SONMF(8, random_state=0)
after = two_steps.inverse_transform(two_steps.fit_transform(filled))
print(f"mean of the column        {error(filled):.3f}")
print(f"means, then a fit         {error(after):.3f}")
print(f"a fit of what was seen    {error(forecast):.3f}")
print(f"the noise alone           {NOISE:.3f}")

# %%
# Prediction and truth
# --------------------
# The scatter around the diagonal is the noise of the hidden entries, which cannot be
# predicted.

fig, axes = plt.subplots(
    1, 2, figsize=(6.4, 3.4), sharex=True, sharey=True, layout="constrained"
)
chosen = np.random.default_rng(1).choice(np.flatnonzero(hidden), 2000, replace=False)
for ax, guess, title in zip(
    axes, (filled, forecast), ("mean of the column", "SONMF"), strict=True
):
    ax.plot(
        X.ravel()[chosen],
        guess.ravel()[chosen],
        ".",
        markersize=3,
        color="#1a5490",
        alpha=0.4,
    )
    ax.axline((0, 0), slope=1, color="#57606a", linewidth=0.8)
    ax.set(title=title, xlabel="hidden value")
    ax.spines[["top", "right"]].set_visible(False)
axes[0].set_ylabel("forecast")
plt.show()

# %%
# The error on the hidden entries is close to the noise, which no method can predict. If
# the gaps are filled with means first, the error is a third larger, because the fit
# then describes the means.
