"""The operations of ``lanes`` as LLVM vectors: LLVM cuts a row to the registers that the machine has.

numba gives every instruction the freedoms that ``compiled`` grants.
"""

from __future__ import annotations

from numba import types

from sonmf.llvm import Foreign, cgutils, extending, ir


class Lanes(types.Type):
    """The type of a row."""

    def __init__(self, dtype: types.Type, count: int) -> None:
        self.dtype, self.count = dtype, count
        super().__init__(f"Lanes({dtype}, {count})")


@extending.register_model(Lanes)
class LanesModel(extending.models.PrimitiveModel):
    """A row is an LLVM vector."""

    def __init__(self, manager: extending.models.DataModelManager, row: Lanes) -> None:
        number = manager.lookup(row.dtype).get_value_type()
        super().__init__(manager, row, ir.VectorType(number, row.count))


@extending.intrinsic
def nothing(typing, A, lanes):  # type: ignore[no-untyped-def]
    """A row of zeros for the numbers of A."""
    row = Lanes(A.dtype, lanes.bitwidth)

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
        return builder.select(builder.fcmp_ordered("<", arguments[0], zero), zero, arguments[0])  # NaN stays NaN

    return row(row), generate


@extending.intrinsic
def square(typing, row):  # type: ignore[no-untyped-def]
    """||row||^2 in float64."""

    def generate(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
        double = ir.VectorType(ir.DoubleType(), row.count)
        wide = arguments[0] if row.dtype == types.float64 else builder.fpext(arguments[0], double)
        kind = ir.FunctionType(ir.DoubleType(), [ir.DoubleType(), double])
        reduce = cgutils.get_or_insert_function(builder.module, kind, f"llvm.vector.reduce.fadd.v{row.count}f64")
        return builder.call(reduce, [ir.DoubleType()(0.0), builder.fmul(wide, wide)])

    return types.float64(row), generate


def _place(context: Foreign, builder: ir.IRBuilder, kind: Foreign, tile: ir.Value, i: ir.Value, vector: ir.Type) -> ir.Value:
    """The address at which row i of a tile begins."""
    array = context.make_array(kind)(context, builder, tile)
    stride = cgutils.unpack_tuple(builder, array.strides, 2)[0]
    byte = builder.bitcast(array.data, ir.IntType(8).as_pointer())
    return builder.bitcast(builder.gep(byte, [builder.mul(i, stride)]), vector.as_pointer())


def _load(builder: ir.IRBuilder, kind: Foreign, place: ir.Value) -> ir.Value:
    return builder.load(place, align=kind.dtype.bitwidth // 8)  # without ``align`` LLVM may assume that of a whole vector


def _store(builder: ir.IRBuilder, kind: Foreign, place: ir.Value, vector: ir.Value) -> None:
    builder.store(vector, place, align=kind.dtype.bitwidth // 8)


def _sum(builder: ir.IRBuilder, vector: ir.Value, x: ir.Value, other: ir.Value) -> ir.Value:
    """vector + x other, in one instruction if the machine has it."""
    kind, index = vector.type, ir.IntType(32)
    first = builder.insert_element(ir.Constant(kind, ir.Undefined), x, index(0))
    every = builder.shuffle_vector(first, first, ir.Constant(ir.VectorType(index, kind.count), [0] * kind.count))
    return builder.fadd(vector, builder.fmul(every, other))
