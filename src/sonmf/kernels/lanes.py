"""A few topics at a time in the registers of the processor: LLVM vectors for compiled kernels.

A row of 16 or 32 numbers is one value here, so that a document's topics need no memory of their own between reading F and
adding to M. LLVM cuts the vectors to the registers that the machine has.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numba import types

from sonmf.compiled import compiled
from sonmf.llvm import cgutils, extending, ir
from sonmf.parallel import dealt, together
from sonmf.tall import compiled_rows
from sonmf.types import Array

NARROW, WIDE = (0.0,) * 16, (0.0,) * 32  # numba sees the length of a tuple when it compiles
CACHE_LINE = 64  # bytes; a row that starts elsewhere costs one line more


def lanes(columns: int) -> tuple[float, ...]:
    """As many zeros as there are lanes in the tiles of a matrix with so many columns."""
    return NARROW if columns <= len(NARROW) else WIDE


def empty(rows: int, columns: int, dtype: Any, copies: int = 1) -> Array:
    """Room for rows x columns, a few times: tiles x copies x rows x lanes, every row at the start of a cache line."""
    width = len(lanes(columns))
    shape = -(-columns // width), copies, rows, width
    room = np.empty(math.prod(shape) + CACHE_LINE, dtype)
    first = -room.ctypes.data % CACHE_LINE // room.itemsize
    return room[first : first + math.prod(shape)].reshape(shape)


def pack(A: Array) -> Array:
    """A as tiles x rows x lanes, the last one filled up with zeros."""
    tiles = empty(len(A), A.shape[1], A.dtype)[:, 0]
    rows = compiled_rows(A)
    together(_packed, len(rows) - 1, rows, A, tiles)
    return tiles


def unpack(tiles: Array, columns: int) -> Array:
    """The matrix that ``pack`` would make into such tiles x copies x rows x lanes: the sum of the copies, in their order."""
    A = np.empty((tiles.shape[2], columns), tiles.dtype)
    rows = compiled_rows(A, copies=tiles.shape[1])
    together(_unpacked, len(rows) - 1, rows, A, tiles)
    return A


@dealt
def _pack(item, rows, A, tiles):  # type: ignore[no-untyped-def]
    width = tiles.shape[2]
    for t in range(len(tiles)):
        first, count = t * width, min(width, A.shape[1] - t * width)
        for i in range(rows[item], rows[item + 1]):
            for c in range(count):
                tiles[t, i, c] = A[i, first + c]
            for c in range(count, width):
                tiles[t, i, c] = 0


@compiled
def _packed(board, rows, A, tiles):  # type: ignore[no-untyped-def]
    _pack(board, len(rows) - 1, (rows, A, tiles))


@dealt
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


@compiled
def _unpacked(board, rows, A, tiles):  # type: ignore[no-untyped-def]
    _unpack(board, len(rows) - 1, (rows, A, tiles))


# ---- inside compiled code; A is one tile, rows x lanes ----


class Lanes(types.Type):
    """The type of a row."""

    def __init__(self, dtype: Any, count: int) -> None:
        self.dtype, self.count = dtype, count
        super().__init__(f"Lanes({dtype}, {count})")


@extending.register_model(Lanes)
class LanesModel(extending.models.PrimitiveModel):
    """A row is an LLVM vector."""

    def __init__(self, manager: Any, row: Lanes) -> None:
        number = manager.lookup(row.dtype).get_value_type()
        super().__init__(manager, row, ir.VectorType(number, row.count))


@extending.intrinsic
def nothing(typing, A, lanes):  # type: ignore[no-untyped-def]
    """A row of zeros for the numbers of A."""
    row = Lanes(A.dtype, len(lanes))

    def generate(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
        return ir.Constant(context.get_value_type(row), None)

    return row(A, lanes), generate


@extending.intrinsic
def plus(typing, row, x, A, i):  # type: ignore[no-untyped-def]
    """row + x A[i]."""

    def generate(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
        vector, x, tile, i = arguments
        place = _place(context, builder, A, tile, i, vector.type)
        return _sum(builder, vector, x, _load(builder, A, place))

    return row(row, A.dtype, A, types.intp), generate


@extending.intrinsic
def add(typing, A, i, x, row):  # type: ignore[no-untyped-def]
    """A[i] += x row."""

    def generate(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
        tile, i, x, vector = arguments
        place = _place(context, builder, A, tile, i, vector.type)
        _store(builder, A, place, _sum(builder, _load(builder, A, place), x, vector))

    return types.void(A, types.intp, A.dtype, row), generate


@extending.intrinsic
def put(typing, A, i, row):  # type: ignore[no-untyped-def]
    """A[i] = row."""

    def generate(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
        tile, i, vector = arguments
        _store(builder, A, _place(context, builder, A, tile, i, vector.type), vector)

    return types.void(A, types.intp, row), generate


@extending.intrinsic
def positive(typing, row):  # type: ignore[no-untyped-def]
    """[row]+."""

    def generate(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
        zero = ir.Constant(arguments[0].type, None)
        return builder.select(builder.fcmp_ordered(">", arguments[0], zero), arguments[0], zero)

    return row(row), generate


@extending.intrinsic
def square(typing, row):  # type: ignore[no-untyped-def]
    """||row||^2 in float64."""

    def generate(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
        double = ir.VectorType(ir.DoubleType(), row.count)
        wide = arguments[0] if row.dtype == types.float64 else builder.fpext(arguments[0], double)
        kind = ir.FunctionType(ir.DoubleType(), [ir.DoubleType(), double])
        reduce = cgutils.get_or_insert_function(builder.module, kind, f"llvm.vector.reduce.fadd.v{row.count}f64")
        return builder.call(reduce, [ir.DoubleType()(0.0), builder.fmul(wide, wide)], fastmath=["fast"])

    return types.float64(row), generate


def _place(context: Any, builder: Any, kind: Any, tile: Any, i: Any, vector: Any) -> Any:
    """Where row i of a tile begins."""
    array = context.make_array(kind)(context, builder, tile)
    stride = cgutils.unpack_tuple(builder, array.strides, 2)[0]
    byte = builder.bitcast(array.data, ir.IntType(8).as_pointer())
    return builder.bitcast(builder.gep(byte, [builder.mul(i, stride)]), vector.as_pointer())


def _load(builder: Any, kind: Any, place: Any) -> Any:
    return builder.load(place, align=kind.dtype.bitwidth // 8)  # without ``align`` LLVM may ask for a whole vector's


def _store(builder: Any, kind: Any, place: Any, vector: Any) -> None:
    builder.store(vector, place, align=kind.dtype.bitwidth // 8)


def _sum(builder: Any, vector: Any, x: Any, other: Any) -> Any:
    """vector + x other, fused where the machine can."""
    kind, index = vector.type, ir.IntType(32)
    first = builder.insert_element(ir.Constant(kind, ir.Undefined), x, index(0))
    every = builder.shuffle_vector(first, first, ir.Constant(ir.VectorType(index, kind.count), [0] * kind.count))
    return builder.fadd(vector, builder.fmul(every, other, flags=["fast"]), flags=["fast"])
