"""A few topics at a time: a row of 16 or 32 numbers is one value in compiled kernels.

As an LLVM vector it stays in the registers of the processor, so that a document's topics need no memory of their own between
reading F and adding to M. Without LLVM vectors (see ``llvm``) a row is a small array: slower, and otherwise the same.

Operations on rows, in which A is one tile, rows x lanes:

    nothing(A, lanes)       a row of zeros for the numbers of A
    plus(row, x, A, i)      row + x A[i]; the row that was given is not used again
    add(A, i, x, row)       A[i] += x row
    put(A, i, row)          A[i] = row
    positive(row)           [row]+; the row that was given is not used again
    square(row)             ||row||^2 in float64
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from sonmf import llvm
from sonmf.device_arrays import thread_bounds
from sonmf.parallel import for_each_item
from sonmf.types import Array

if llvm.AVAILABLE:
    from sonmf.kernels.lanes_llvm import add, nothing, plus, positive, put, square
else:
    from sonmf.kernels.lanes_plain import add, nothing, plus, positive, put, square

__all__ = ["add", "empty", "lanes", "nothing", "pack", "plus", "positive", "put", "square", "unpack"]

NARROW, WIDE = np.int16(16), np.int32(32)  # numba knows the bits of a number, as many as its value, at compile time
CACHE_LINE = 64  # bytes; a row that begins within a line reads one line more


def lanes(columns: int) -> np.integer[Any]:
    """The number of lanes in the tiles of a matrix with so many columns."""
    return NARROW if columns <= NARROW else WIDE


def empty(rows: int, columns: int, dtype: DTypeLike, copies: int = 1) -> Array:
    """Memory for some copies of rows x columns: tiles x copies x rows x lanes, every row at the start of a cache line."""
    width = int(lanes(columns))
    shape = -(-columns // width), copies, rows, width
    room = np.empty(math.prod(shape) + CACHE_LINE, dtype)
    first = -room.ctypes.data % CACHE_LINE // room.itemsize
    return room[first : first + math.prod(shape)].reshape(shape)


def pack(A: Array) -> Array:
    """A as tiles x rows x lanes, the last tile filled up with zeros."""
    tiles = empty(len(A), A.shape[1], A.dtype)[:, 0]
    rows = thread_bounds(A)
    _pack(len(rows) - 1, len(rows) - 1, rows, A, tiles)
    return tiles


def unpack(tiles: Array, columns: int) -> Array:
    """The matrix that ``pack`` would make into such tiles x copies x rows x lanes: the sum of the copies, in their order."""
    A = np.empty((tiles.shape[2], columns), tiles.dtype)
    rows = thread_bounds(A, copies=tiles.shape[1])
    _unpack(len(rows) - 1, len(rows) - 1, rows, A, tiles)
    return A


@for_each_item
def _pack(item, rows, A, tiles):  # type: ignore[no-untyped-def]
    width = tiles.shape[2]
    for t in range(len(tiles)):
        first, count = t * width, min(width, A.shape[1] - t * width)
        for i in range(rows[item], rows[item + 1]):
            for c in range(count):
                tiles[t, i, c] = A[i, first + c]
            for c in range(count, width):
                tiles[t, i, c] = 0


@for_each_item
def _unpack(item, rows, A, tiles):  # type: ignore[no-untyped-def]
    width = tiles.shape[3]
    for t in range(len(tiles)):
        first, count = t * width, min(width, A.shape[1] - t * width)
        for i in range(rows[item], rows[item + 1]):
            for c in range(count):
                A[i, first + c] = tiles[t, 0, i, c]
            for copy in range(1, tiles.shape[1]):
                for c in range(count):
                    A[i, first + c] += tiles[t, copy, i, c]
