"""Sixteen 16-bit lanes, the width of an AVX2 register, as a value in compiled code.

Disparity ranges are multiples of sixteen, so loops over them have no remainder. LLVM's own
vectoriser cannot know that: it serves a range of 64 by its scalar remainder loop, after checking
at run time that no arrays overlap. Arithmetic is unsigned and wraps. Functions that take an index
count elements of the flattened array and check nothing.
"""

import operator
from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, models, overload, register_model

LANES = 16
I1, I16 = ir.IntType(1), ir.IntType(16)


class Lanes(types.Type):  # type: ignore[misc]
    """Numba's type of sixteen 16-bit lanes."""

    def __init__(self) -> None:
        super().__init__(name="Lanes")


lanes = Lanes()


def _vector(element: ir.Type) -> ir.VectorType:
    return ir.VectorType(element, LANES)


@register_model(Lanes)
class _LanesModel(models.PrimitiveModel):  # type: ignore[misc]
    def __init__(self, manager: Any, frontend_type: Any) -> None:
        super().__init__(manager, frontend_type, _vector(I16))


def _address(context: Any, builder: Any, signature: Any, args: Any) -> tuple[Any, ir.Type]:
    """Pointer to the sixteen elements of array ``args[0]`` at index ``args[1]``; element type."""
    array = context.make_array(signature.args[0])(context, builder, args[0])
    element = ir.IntType(signature.args[0].dtype.bitwidth)
    pointer = builder.gep(array.data, [args[1]])
    return builder.bitcast(pointer, _vector(element).as_pointer()), element


def _splat(builder: Any, scalar: Any, element: ir.Type) -> Any:
    first = builder.insert_element(ir.Constant(_vector(element), ir.Undefined), scalar, I32_ZERO)
    everywhere = ir.Constant(_vector(ir.IntType(32)), [0] * LANES)
    return builder.shuffle_vector(first, first, everywhere)


I32_ZERO = ir.Constant(ir.IntType(32), 0)


def _llvm(builder: Any, name: str, result: ir.Type, vector: Any) -> Any:
    """Call an LLVM function of one vector."""
    function = cgutils.get_or_insert_function(
        builder.module,
        ir.FunctionType(result, [vector.type]),
        f"llvm.{name}.v{LANES}{vector.type.element.intrinsic_name}",
    )
    return builder.call(function, [vector])


@intrinsic
def load(typing: Any, array: Any, index: Any) -> Any:
    """Sixteen elements of a uint16 or uint8 array."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        pointer, element = _address(context, builder, signature, args)
        loaded = builder.load(pointer, align=element.width // 8)
        return loaded if element.width == 16 else builder.zext(loaded, _vector(I16))

    return lanes(array, types.intp), generate


@intrinsic
def store(typing: Any, array: Any, index: Any, value: Any) -> Any:
    """Write sixteen elements of a uint16 or, keeping the low byte, a uint8 array."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        pointer, element = _address(context, builder, signature, args)
        value = args[2] if element.width == 16 else builder.trunc(args[2], _vector(element))
        builder.store(value, pointer, align=element.width // 8)
        return context.get_dummy_value()

    return types.void(array, types.intp, lanes), generate


@intrinsic
def distance(typing: Any, array: Any, index: Any, value: Any) -> Any:
    """How far sixteen elements lie from ``value``: uint32 by bits that differ, uint8 in levels."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        pointer, element = _address(context, builder, signature, args)
        theirs = builder.load(pointer, align=element.width // 8)
        ours = _splat(builder, args[2], element)
        if element.width == 32:
            differing = builder.xor(theirs, ours)
            bits = _llvm(builder, "ctpop", differing.type, differing)
            return builder.trunc(bits, _vector(I16))
        above = builder.icmp_unsigned(">", theirs, ours)
        larger, lesser = builder.select(above, theirs, ours), builder.select(above, ours, theirs)
        return builder.zext(builder.sub(larger, lesser), _vector(I16))

    return lanes(array, types.intp, array.dtype), generate


@intrinsic
def splat(typing: Any, scalar: Any) -> Any:
    """The low 16 bits of an integer in every lane."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return _splat(builder, builder.trunc(args[0], I16), I16)

    return lanes(types.intp), generate


@intrinsic
def count_up(typing: Any) -> Any:
    """0, 1, 2, ... 15."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return ir.Constant(_vector(I16), list(range(LANES)))

    return lanes(), generate


def _reduction(name: str, meaning: str) -> Any:
    def typed(typing: Any, value: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            reduced = _llvm(builder, f"vector.reduce.{name}", I16, args[0])
            return builder.zext(reduced, ir.IntType(64))

        return types.intp(lanes), generate

    typed.__doc__ = meaning
    return intrinsic(typed)


def _binary(emit: Callable[[Any, Any, Any], Any], meaning: str) -> Any:
    def typed(typing: Any, first: Any, second: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            return emit(builder, *args)

        return lanes(lanes, lanes), generate

    typed.__doc__ = meaning
    return intrinsic(typed)


def _select(relation: str) -> Callable[[Any, Any, Any], Any]:
    return lambda b, x, y: b.select(b.icmp_unsigned(relation, x, y), x, y)


def _compare(relation: str) -> Callable[[Any, Any, Any], Any]:
    return lambda b, x, y: b.sext(b.icmp_unsigned(relation, x, y), _vector(I16))


smallest = _reduction("umin", "The smallest lane.")
total = _reduction("add", "The sum of the lanes.")
minimum = _binary(_select("<"), "The smaller of each two lanes.")
maximum = _binary(_select(">"), "The larger of each two lanes.")
less = _binary(_compare("<"), "All bits set where the first lane is below the second, else none.")
equal = _binary(_compare("=="), "All bits set where the lanes are equal, else none.")


def _operator(symbol: Any, emit: Callable[[Any, Any, Any], Any]) -> None:
    function = _binary(emit, "")

    @overload(symbol)
    def of_lanes(first, second):  # type: ignore[no-untyped-def] # Numba compares the signatures
        if isinstance(first, Lanes) and isinstance(second, Lanes):
            return lambda first, second: function(first, second)
        return None


_operator(operator.add, lambda b, x, y: b.add(x, y))
_operator(operator.sub, lambda b, x, y: b.sub(x, y))
_operator(operator.and_, lambda b, x, y: b.and_(x, y))
_operator(operator.or_, lambda b, x, y: b.or_(x, y))


@intrinsic
def where(typing: Any, mask: Any, first: Any, second: Any) -> Any:
    """The first lane where the mask has its bits set, the second elsewhere."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        condition = builder.icmp_unsigned("!=", args[0], ir.Constant(_vector(I16), [0] * LANES))
        return builder.select(condition, args[1], args[2])

    return lanes(lanes, lanes, lanes), generate
