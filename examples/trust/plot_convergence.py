"""
Three solvers from two starts
=============================

:class:`sonmf.SONMF` has several solvers for the same problem. This example runs three
on the first scenario of the paper's simulations, from a good start and from a poor one.
"""

# %%
# How fast the solvers converge
# -----------------------------
# The data are ``X = G F' + noise`` with 300 documents, 300 words and 10 topics. Every
# solver reads X once in an iteration, so the number of passes over X is a fair measure
# of work. A callback sees each iteration; ``tol=0`` lets the solvers run on until
# rounding stops them.

import warnings

import matplotlib.pyplot as plt
import numpy as np
from sklearn.exceptions import ConvergenceWarning

from sonmf import SONMF
from sonmf.metrics import average_residual
from sonmf.simulate import continuous

X, F_true, G_true = continuous(1, n=300, p=300, k=10, random_state=0)
noise_floor = average_residual(X, G_true, F_true.T)

paths = {}
for init in ("svd", "random"):
    for solver in ("accelerated", "procrustes", "cayley"):
        passes, residuals = [], []

        def record(iterate, passes=passes, residuals=residuals):
            passes.append(iterate.n_passes)
            residuals.append(iterate.objective)

        model = SONMF(
            10,
            solver=solver,
            init=init,
            max_iter=400,
            tol=0,
            random_state=0,
            callback=record,
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # of tol=0
            model.fit(X)
        paths[init, solver] = np.array(passes), np.array(residuals)

best = min(residuals.min() for _, residuals in paths.values())
for (init, solver), (passes, residuals) in paths.items():
    print(f"{init:6} {solver:11} {residuals[-1]:.6f} after {passes[-1]} passes")

# %%
# The vertical axis shows how far the mean residual is above the lowest one that any run
# found, on a logarithmic scale. The dotted line is the residual of the F and G that
# made the data. This residual is the noise, so below the line a fit describes noise.

STYLE = {
    "accelerated": {"color": "#1a5490", "linewidth": 2.6},
    "procrustes": {"color": "#57606a", "linewidth": 1.8},
    "cayley": {"color": "#57606a", "linewidth": 1.8, "linestyle": "--"},
}
TITLES = {
    "svd": "Start: leading singular vectors",
    "random": "Start: random orthonormal F",
}
FLOOR = 1e-7  # what is closer to the best than this is drawn at the bottom edge

fig, axes = plt.subplots(1, 2, figsize=(8, 4), sharey=True, layout="constrained")
for ax, init in zip(axes, TITLES, strict=True):
    for solver, style in STYLE.items():
        passes, residuals = paths[init, solver]
        gap = residuals - best
        shown = slice(
            0, int(np.argmax(gap < FLOOR)) + 1 if (gap < FLOOR).any() else None
        )
        x, y = passes[shown], np.maximum(gap[shown], FLOOR)
        ax.plot(x, y, **style)
        place = (
            {"xytext": (-12, 5), "ha": "right"}
            if y[-1] <= FLOOR
            else {"xytext": (5, -3), "ha": "left"}
        )
        ax.annotate(
            solver,
            (x[-1], y[-1]),
            textcoords="offset points",
            color=style["color"],
            fontweight="bold",
            **place,
        )
    ax.axhline(noise_floor - best, color="0.35", linewidth=1, linestyle=":", zorder=0)
    ax.set(
        xscale="log",
        yscale="log",
        xlim=(1.3, 4000),
        ylim=(FLOOR, 60),
        xlabel="passes over X",
    )
    ax.set_title(TITLES[init], loc="left", fontsize=11)
    ax.set_xticks([3, 10, 30, 100, 400], ["3", "10", "30", "100", "400"])
    ax.minorticks_off()
    ax.grid(axis="y", color="0.92")
    ax.set_axisbelow(True)
    ax.spines[["top", "right"]].set_visible(False)
axes[0].set_ylabel("mean residual above the best found")
axes[1].annotate(
    "noise",
    (1.4, noise_floor - best),
    xytext=(0, -12),
    textcoords="offset points",
    color="0.35",
    ha="left",
)
plt.show()

# %%
# The exact step (``procrustes``) needs no step size and did not suffer from the poor
# start. Extrapolation (``accelerated``, the default) made it faster. The paper's line
# search (``cayley``) depended most on where it began.
