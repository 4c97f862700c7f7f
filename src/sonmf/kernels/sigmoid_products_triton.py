"""The Triton kernel behind ``sigmoid_products``."""

from __future__ import annotations

import triton
import triton.language as tl


@triton.jit
def _times(a, b):  # type: ignore[no-untyped-def]
    return a * b


@triton.jit
def sigma_product(  # type: ignore[no-untyped-def]
    L, R, V, bias, out, sums, m, q, v_row, v_topic, chunk,
    K: tl.constexpr, M: tl.constexpr, Q: tl.constexpr, BY_DOCUMENTS: tl.constexpr,
):  # fmt: skip
    """out = sigma(LR' + bias)V for M rows of L and one chunk of the rows of R and V, K topics wide.

    BY_DOCUMENTS: L holds documents, the bias belongs to the rows of R, and the sums are those of softplus(theta). Otherwise L
    holds words with their bias, and the sums are those of sigma.
    """
    i = tl.program_id(0) * M + tl.arange(0, M)
    c = tl.arange(0, K)
    left = tl.load(L + i[:, None].to(tl.int64) * K + c[None, :], mask=i[:, None] < m, other=0.0)
    bias_left = tl.zeros((M,), tl.float32)
    if not BY_DOCUMENTS:
        bias_left = tl.load(bias + i, mask=i < m, other=0.0)
    product, total = tl.zeros((M, K), tl.float32), tl.zeros((M,), tl.float32)
    first = tl.program_id(1) * chunk
    for begin in range(first, tl.minimum(first + chunk, q), Q):
        j = begin + tl.arange(0, Q)
        right = tl.load(R + j[None, :].to(tl.int64) * K + c[:, None], mask=j[None, :] < q, other=0.0)
        theta = tl.dot(left, right) + bias_left[:, None]
        if BY_DOCUMENTS:
            theta += tl.load(bias + j, mask=j < q, other=-1e30)[None, :]  # beyond the last word sigma and softplus are 0
        if BY_DOCUMENTS:
            decay = tl.exp(-tl.abs(theta))  # never overflows
            share = 1.0 / (1.0 + decay)
            sigma = tl.where(theta >= 0, share, decay * share)
            # softplus = [theta]+ + log(1 + decay); one logarithm for Q <= 64 factors of at most 2 each
            total += tl.sum(tl.maximum(theta, 0.0), axis=1) + tl.log(tl.reduce(1.0 + decay, 1, _times))
        else:
            sigma = tl.where(j[None, :] < q, 1.0 / (1.0 + tl.exp(-theta)), 0.0)
            total += tl.sum(sigma, axis=1)
        value = tl.load(V + j[:, None].to(tl.int64) * v_row + c[None, :] * v_topic, mask=j[:, None] < q, other=0.0)
        product = tl.dot(sigma.to(value.dtype), value, product)
    row = (tl.program_id(1) * m + i).to(tl.int64)
    tl.store(out + row[:, None] * K + c[None, :], product, mask=i[:, None] < m)
    tl.store(sums + row, total, mask=i < m)
