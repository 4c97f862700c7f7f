"""
Larger than memory, and on a cluster
====================================

The type of X decides where a fit runs. The same estimator accepts an array, blocks on
disk, and a dask array. The topics are the same.
"""

# %%
# Blocks on disk
# --------------
# ``save_csr`` writes a sparse matrix so that it can be read in parts. ``open_blocks``
# keeps the process within ``memory``.

import tempfile
import time
from itertools import pairwise

import numpy as np

from sonmf import SONMF
from sonmf.engines.blocks import open_blocks, save_csr
from sonmf.simulate import corpus

X = corpus(20_000, 2000, random_state=0)


def timed(matrix):
    began = time.perf_counter()
    model = SONMF(10, random_state=0).fit(matrix)
    return model, time.perf_counter() - began


with tempfile.TemporaryDirectory() as folder:
    save_csr(folder, X)
    on_disk, disk_seconds = timed(open_blocks(folder, memory="1GB"))
in_memory, memory_seconds = timed(X)
print(f"in memory {memory_seconds:.1f} s, from disk {disk_seconds:.1f} s")
difference = np.abs(on_disk.components_ - in_memory.components_).max()
print(f"topics differ by at most {difference:.0e}")

# %%
# dask
# ----
# The same matrix as a dask array of sparse blocks. Without a cluster the blocks are
# computed a few at a time. With a ``distributed.Client`` they stay on the workers, and
# only small sums are sent.

import dask.array as da
from dask import delayed

rows = np.linspace(0, X.shape[0], 9).astype(int)
blocks = [
    da.from_delayed(delayed(X[a:b]), (b - a, X.shape[1]), X.dtype)
    for a, b in pairwise(rows)
]
in_dask, dask_seconds = timed(da.concatenate(blocks))
print(f"in dask {dask_seconds:.1f} s")
difference = np.abs(in_dask.components_ - in_memory.components_).max()
print(f"topics differ by at most {difference:.0e}")

# %%
# Notes that arrive day by day
# ----------------------------
# ``partial_fit`` needs each document only once. After all parts, the topics explain
# almost as much as those of one fit to all documents.

import matplotlib.pyplot as plt

daily, shares = SONMF(10, random_state=0), []
for a, b in pairwise(rows):
    daily.partial_fit(X[a:b])
    shares.append(100 * daily.score(X))
fig, ax = plt.subplots(figsize=(6, 3), layout="constrained")
ax.plot(range(1, 9), shares, "o-", color="#1a5490", label="part by part")
ax.axhline(
    100 * in_memory.score(X),
    color="#57606a",
    linestyle="--",
    linewidth=0.8,
    label="one fit of all",
)
ax.set(xlabel="parts seen", ylabel="squares explained, %")
ax.spines[["top", "right"]].set_visible(False)
ax.legend(frameon=False)
plt.show()

# %%
# Where the documents live changes the topics by rounding only. If they arrive in parts,
# little is lost. :doc:`/guide/scale` says how much memory each way takes.
