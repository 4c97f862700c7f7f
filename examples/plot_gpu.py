"""
On a GPU (recorded)
===================

A fit runs where its data are: give an estimator a tensor on a GPU, and everything but a few small matrices stays there. The
machine that builds these pages has no GPU, so this page draws what ``python benchmarks/gpu.py`` printed on one that has.
Nothing is measured here.
"""

# %%
# The code is the same
# --------------------
# .. code-block:: python
#
#     import torch
#     from sonmf import BinarySONMF
#
#     X = torch.load("notes.pt").cuda()  # dense or sparse CSR, float32 or float64
#     model = BinarySONMF(n_components=50).fit(X)
#     G = model.transform(X)  # a tensor on the same device

# %%
# What was measured
# -----------------
# The output of the benchmark, as it stands on the page :doc:`/benchmarks`.

RECORDED = """\
NVIDIA H200, torch 2.11.0+cu130, Python 3.12.3

1. The fused kernel alone, 500000 x 5000, K=50: milliseconds (median of 10), error against float64 on 20,000 documents
| products | left, right, warps, stages | SF and cost | S'G  | both  | largest relative error |
| -------- | -------------------------- | ----------- | ---- | ----- | ---------------------- |
| TF32     | (128, 64, 8, 3)            | 8.69        | 6.60 | 15.28 | 1.2e-03                |
| TF32     | (128, 64, 4, 2)            | 8.04        | 6.78 | 14.82 | 1.2e-03                |
| TF32     | (128, 64, 8, 2)            | 9.03        | 5.05 | 14.09 | 1.2e-03                |
| TF32     | (64, 64, 4, 3)             | 8.36        | 6.50 | 14.85 | 1.2e-03                |
| TF32     | (64, 64, 8, 3)             | 10.08       | 7.68 | 17.76 | 1.2e-03                |
| TF32     | (128, 32, 4, 3)            | 8.59        | 7.25 | 15.84 | 1.2e-03                |
| bf16     | (128, 64, 8, 3)            | 3.63        | 2.73 | 6.36  | 2.0e-03                |
| bf16     | (128, 64, 4, 2)            | 4.52        | 2.96 | 7.48  | 2.0e-03                |
| bf16     | (128, 64, 8, 2)            | 3.74        | 2.89 | 6.63  | 2.0e-03                |
| bf16     | (64, 64, 4, 3)             | 3.55        | 2.64 | 6.19  | 2.0e-03                |
| bf16     | (64, 64, 8, 3)             | 6.92        | 4.93 | 11.84 | 2.0e-03                |
| bf16     | (128, 32, 4, 3)            | 3.71        | 2.81 | 6.52  | 2.0e-03                |
| fp16     | (128, 64, 8, 3)            | 3.83        | 2.84 | 6.67  | 2.6e-04                |
| fp16     | (128, 64, 4, 2)            | 4.48        | 2.95 | 7.43  | 2.6e-04                |
| fp16     | (128, 64, 8, 2)            | 3.70        | 2.87 | 6.57  | 2.6e-04                |
| fp16     | (64, 64, 4, 3)             | 3.53        | 2.64 | 6.17  | 2.6e-04                |
| fp16     | (64, 64, 8, 3)             | 6.67        | 4.84 | 11.51 | 2.6e-04                |
| fp16     | (128, 32, 4, 3)            | 3.58        | 2.70 | 6.28  | 2.6e-04                |
   fastest: Tiling(left=64, right=64, warps=4, stages=3, product=torch.float16)

2. BinarySONMF, 500000 x 5000, 27653258 ones, K=50: 30 majoriser iterations, F's step included
|                | ms an iteration  | peak GB | final cost | from float64 |
| -------------- | ---------------- | ------- | ---------- | ------------ |
| float64, tiles | 128 (127-129)    | 3.79    | 0.05086066 | 0.0e+00      |
| float32, tiles | 90.2 (89.5-91.4) | 2.92    | 0.05086066 | 2.2e-08      |
| fused, TF32    | 22.4 (21.8-22.8) | 2.91    | 0.05085252 | 1.6e-04      |
| fused, bf16    | 13.2 (12.9-13.5) | 2.91    | 0.05086094 | 5.4e-06      |
| fused, fp16    | 13.3 (13.1-13.6) | 2.91    | 0.05086070 | 6.5e-07      |
   fused, bf16: 13.2 ms (at most 20: met; materialised 83), peak 2.91 GB (under 3: met)

3. SONMF, 400000 x 20000, 22007131 non-zeros, K=50: one accelerated iteration, F's step included
   float32 on cuda: 4.65 (4.37-4.82) ms; objective 0.0029723837, in float64 0.0029723842 (1.5e-07 apart)
   two CPU cores: 263 ms; 57 times faster (at least 20: met)
"""
machine, *_ = RECORDED.splitlines()
print(machine)


def rows(heading):
    """The cells of the table under a heading of the recording, without its header."""
    part = RECORDED.split(heading)[1].split("\n\n")[0]
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in part.splitlines() if line.startswith("|")]
    return cells[2:]


# %%
# Zeros and ones, without a matrix of probabilities
# -------------------------------------------------
# 500,000 documents, 5,000 words, 50 topics. A fused kernel computes the probability of each entry and adds up what the step
# needs, so the 2.5 billion probabilities are never in memory together. bf16 and fp16 are precise enough for the products: after
# 30 iterations the cost differs from that of float64 by less than a hundred-thousandth.

import matplotlib.pyplot as plt

BLUE, RED, GREY = "#1a5490", "#c1121f", "#57606a"

runs = rows("2. BinarySONMF")
names = [name for name, *_ in runs]
milliseconds = [float(spread.split()[0]) for _, spread, *_ in runs]
gaps = [float(gap) for *_, gap in runs]

fig, ax = plt.subplots(figsize=(7.5, 3), layout="constrained")
bars = ax.barh(names[::-1], milliseconds[::-1], color=[RED if "fused" in name else GREY for name in names[::-1]])
labels = [
    f"{time:g} ms" + (f", cost {gap:.0e} from float64" if gap else "") for time, gap in zip(milliseconds, gaps, strict=True)
]
ax.bar_label(bars, labels[::-1], padding=4, fontsize=9)
ax.set(xlabel="milliseconds an iteration", xlim=(0, 1.3 * max(milliseconds)))
ax.set_title("BinarySONMF, 500,000 x 5,000, 50 topics", loc="left", fontsize=11)
ax.spines[["top", "right"]].set_visible(False)
plt.show()

# %%
# The same kernel alone: each point is one way to cut the matrix into tiles. TF32 is slower than fp16, and less precise. bf16 is
# as fast as fp16, with an error eight times as large.

fig, ax = plt.subplots(figsize=(7.5, 3.2), layout="constrained")
for product, colour in (("TF32", GREY), ("bf16", BLUE), ("fp16", RED)):
    tiles = [(float(both), float(error)) for name, *_, both, error in rows("1. The fused kernel alone") if name == product]
    ax.plot(*zip(*tiles, strict=True), "o", color=colour, label=product, markersize=8, alpha=0.7)
ax.set(yscale="log", xlabel="milliseconds, both products", ylabel="largest relative error", xlim=(0, None))
ax.minorticks_off()
ax.set_yticks([3e-4, 1e-3, 2e-3], ["0.0003", "0.001", "0.002"])
ax.spines[["top", "right"]].set_visible(False)
ax.legend(frameon=False)
plt.show()

# %%
# Continuous data
# ---------------
# 400,000 documents, 20,000 words, 22 million non-zeros, 50 topics: one iteration with the step in F.

print(RECORDED.split("\n\n")[-1])

# %%
# Two CPU cores are not much to be compared with. The page :doc:`/benchmarks` has sixteen, on other data.
