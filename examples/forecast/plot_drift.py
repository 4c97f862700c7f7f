"""
Monitoring a drift
==================

A forecast was right when it was fitted. Is it still right? Here a model meets three
months of new patients. In February it becomes easier to be admitted, and in March the
notes have a new word. ``sonmf monitor`` finds both.
"""

# %%
# A model
# -------
# The notes are generated. They have one complaint and the columns of a triage desk. The
# model is saved to a file, as in a hospital.

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

from sonmf.datasets import make_triage_notes
from sonmf.triage import TriageModel

COLUMNS = ["age", "heart_rate", "saturation", "temperature", "esi"]
folder = Path(tempfile.mkdtemp())
fitted = make_triage_notes(4000, complaints=["Fever"], details=True, random_state=0)
model = TriageModel(n_topics=15, random_state=0).fit(
    fitted["note"], fitted["disposition"], columns=fitted[COLUMNS]
)
model.save(folder / "model.sonmf")

# %%
# Three months later
# ------------------
# January is like the fit. From February on, one in eight of the patients who would have
# been sent home is admitted. In March every note names a virus that the model has never
# met.

random = np.random.default_rng(1)
later = make_triage_notes(1800, complaints=["Fever"], details=True, random_state=1)
month = np.repeat([1, 2, 3], 600)
later["arrival"] = [
    f"2025-{number:02d}-{day:02d}"
    for number, day in zip(month, random.integers(1, 29, 1800), strict=True)
]
sent_home = (later["disposition"] == "discharged").to_numpy()
later.loc[sent_home & (month > 1) & (random.random(1800) < 1 / 8), "disposition"] = (
    "admitted"
)
later.loc[month == 3, "note"] += ", zoonavir pcr pending, zoonavir contact"
later.to_csv(folder / "later.csv", index=False)

# %%
# The alarm
# ---------
# A star marks a figure that is further from its expected value than chance explains.
# Exit code 3 is the alarm: a monthly job can send a message when it sees it.

sonmf = Path(sys.executable).with_name("sonmf")
command = [
    sonmf,
    "monitor",
    "model.sonmf",
    "later.csv",
    "--time",
    "arrival",
    "--out",
    "monitoring",
]
wide = os.environ | {"COLUMNS": "110"}
done = subprocess.run(
    command, cwd=folder, env=wide, capture_output=True, text=True, encoding="utf-8"
)
print(done.stdout)
print("exit code", done.returncode)

# %%
# A picture
# ---------
# ``monitoring/monitor.html`` has a chart of every figure. The same numbers are in
# ``monitoring/history.jsonl``, a line for each month. Four figures are drawn here. A
# grey bar is the range of a figure while nothing has changed. A red diamond is beyond
# it.

lines = (
    (folder / "monitoring" / "history.jsonl").read_text(encoding="utf-8").splitlines()
)
months = [one for one in map(json.loads, lines) if not one["complaint"]]


def figure(name):
    """Value, lower and upper limit of each month."""
    return [
        next(
            (f["value"], f["low"], f["high"])
            for f in one["figures"]
            if f["name"] == name
        )
        for one in months
    ]


unknown = [
    next((d["value"], 0, d["limit"]) for d in one["drift"] if d["kind"] == "words")
    for one in months
]
PANELS = {
    "admitted less expected, points": 100 * np.array(figure("calibration")),
    "calibration slope": np.array(figure("slope")),
    "AUROC": np.array(figure("auroc")),
    "unknown words, %": 100 * np.array(unknown),
}

fig, axes = plt.subplots(2, 2, figsize=(6.4, 5), layout="constrained")
for ax, (title, values) in zip(axes.flat, PANELS.items(), strict=True):
    for place, (value, low, high) in enumerate(values):
        beyond = not low <= value <= high
        ax.plot(
            [place, place],
            [low, high],
            color="#d0d7de",
            linewidth=9,
            solid_capstyle="butt",
            zorder=1,
        )
        ax.plot(
            place,
            value,
            "D" if beyond else "o",
            color="#c1121f" if beyond else "#1a5490",
            markersize=7,
            zorder=2,
        )
    ax.plot(range(3), values[:, 0], color="#57606a", linewidth=0.8, zorder=1)
    ax.set_title(title, loc="left", fontsize=10)
    ax.set(xticks=range(3), xticklabels=["Jan", "Feb", "Mar"], xlim=(-0.6, 2.6))
    ax.spines[["top", "right"]].set_visible(False)
plt.show()

# %%
# The slope is within its limits in each month. Over February and March together it is
# beyond them, and the verdict judges such windows too.
#
# The alarm says what to do. ``sonmf update`` recalibrates or refits the model, and
# ``sonmf compare`` compares the new one with the old on patients that neither has seen.
