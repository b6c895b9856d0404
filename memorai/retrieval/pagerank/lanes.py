"""SIMD vectors for numba kernels: one element a query, held in registers while a row's edges are summed.

For one query they are plain numbers: LLVM keeps vectors of one element in memory.

LLVM vectorises loops over queries badly here, for it must assume that all arrays overlap. A vector type of its own says
what is meant: on a memory-shaped graph it makes a pass several times faster (docs/pagerank.md).
"""

from __future__ import annotations

import operator
from typing import Any

from llvmlite import ir
from numba import types
from numba.core.datamodel import PrimitiveModel
from numba.extending import intrinsic, overload, register_model

_intrinsic: Any = intrinsic  # its stub keeps the typing context among the arguments of a call


class Vector(types.Type):
    """``width`` numbers of type ``dtype``."""

    def __init__(self, width: int, dtype: Any) -> None:
        self.width, self.dtype = width, dtype
        super().__init__(name=f"Vector({width}, {dtype})")


def _lanes(width: int, dtype: Any) -> Any:
    return dtype if width == 1 else Vector(width, dtype)


def _parts(kind: Any) -> tuple[int, Any]:
    """Width and element type of a vector or of a number."""
    return (kind.width, kind.dtype) if isinstance(kind, Vector) else (1, kind)


def _vector(kind: Any) -> Any:
    width, dtype = _parts(kind)
    number = ir.FloatType() if dtype == types.float32 else ir.DoubleType()
    return number if width == 1 else ir.VectorType(number, width)


@register_model(Vector)
class _VectorModel(PrimitiveModel):
    def __init__(self, dmm: Any, fe_type: Vector) -> None:
        super().__init__(dmm, fe_type, _vector(fe_type))


def _address(context: Any, builder: Any, array_type: Any, array: Any, row_type: Any, row: Any, vector: Any) -> Any:
    data = context.make_array(array_type)(context, builder, array).data
    place = context.cast(builder, row, row_type, types.int64)
    first = builder.gep(data, [builder.mul(place, ir.Constant(ir.IntType(64), _parts(vector)[0]))])
    return builder.bitcast(first, _vector(vector).as_pointer())


@_intrinsic
def load(typing_context: Any, array: Any, row: Any, lanes: Any) -> Any:
    """Row of a C-contiguous array [n, Q] as a vector; ``lanes`` is a tuple of Q items."""
    vector = _lanes(len(lanes), array.dtype)

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        address = _address(context, builder, array, args[0], row, args[1], vector)
        loaded = builder.load(address)
        loaded.align = array.dtype.bitwidth // 8
        return loaded

    return vector(array, row, lanes), generate


@_intrinsic
def store(typing_context: Any, array: Any, row: Any, value: Any) -> Any:
    """Write a vector to a row of a C-contiguous array [n, Q]."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        address = _address(context, builder, array, args[0], row, args[1], value)
        builder.store(args[2], address).align = array.dtype.bitwidth // 8
        return context.get_dummy_value()

    return types.void(array, row, value), generate


@_intrinsic
def accumulate(typing_context: Any, array: Any, row: Any, value: Any) -> Any:
    """Add a vector to a row of a float64 array [n, Q]."""
    width, dtype = _parts(value)
    wide = _lanes(width, types.float64)

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        address = _address(context, builder, array, args[0], row, args[1], wide)
        loaded = builder.load(address)
        loaded.align = 8
        added = args[2] if dtype == types.float64 else builder.fpext(args[2], _vector(wide))
        builder.store(builder.fadd(loaded, added), address).align = 8
        return context.get_dummy_value()

    return types.void(array, row, value), generate


@_intrinsic
def fill(typing_context: Any, number: Any, lanes: Any) -> Any:
    """Vector of one number."""
    vector = _lanes(len(lanes), number)

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        if len(lanes) == 1:
            return args[0]
        filled = ir.Constant(_vector(vector), ir.Undefined)
        for i in range(vector.width):
            filled = builder.insert_element(filled, args[0], ir.Constant(ir.IntType(32), i))
        return filled

    return vector(number, lanes), generate


@_intrinsic
def absolute(typing_context: Any, value: Any) -> Any:
    """|value|, element by element."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        width, dtype = _parts(value)
        bits = dtype.bitwidth
        pattern, mask = ir.IntType(bits), 2 ** (bits - 1) - 1
        if width > 1:
            pattern, mask = ir.VectorType(pattern, width), [mask] * width
        all_but_sign = ir.Constant(pattern, mask)
        return builder.bitcast(builder.and_(builder.bitcast(args[0], pattern), all_but_sign), _vector(value))

    return value(value), generate


def _binary(instruction: str) -> Any:
    @_intrinsic
    def apply(typing_context: Any, a: Any, b: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            return getattr(builder, instruction)(*args, flags=("contract",))

        return a(a, b), generate

    return apply


_add, _subtract, _multiply = _binary("fadd"), _binary("fsub"), _binary("fmul")


def _operator(function: Any, implementation: Any) -> None:
    # lambdas, because numba wants the typing and the implementation to have equal signatures, annotations included
    overload(function)(lambda a, b: (lambda a, b: implementation(a, b)) if isinstance(a, Vector) and a == b else None)


_operator(operator.add, _add)
_operator(operator.sub, _subtract)
_operator(operator.mul, _multiply)
