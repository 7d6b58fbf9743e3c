"""Provide vectors of sixteen 16-bit lanes, the width of an AVX2 register, to compiled code.

Disparity ranges are multiples of sixteen, so loops over them have no remainder. LLVM's own
vectoriser cannot know that: it would compute a range of 64 in its scalar remainder loop, and
compare addresses at run time in case arrays overlap.

Arithmetic is unsigned and wraps. An index counts elements of a contiguous array, flattened, and is
not checked.
"""

import operator
from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, models, overload, register_model

LANES = 16
I16, I32, I64 = ir.IntType(16), ir.IntType(32), ir.IntType(64)


def _vector(element: ir.Type) -> ir.VectorType:
    return ir.VectorType(element, LANES)


class Lanes(types.Type):  # type: ignore[misc]
    """Numba's type of a vector of sixteen 16-bit lanes."""

    def __init__(self) -> None:
        super().__init__(name="Lanes")


lanes = Lanes()


@register_model(Lanes)
class _LanesModel(models.PrimitiveModel):  # type: ignore[misc]
    def __init__(self, manager: Any, numba_type: Any) -> None:
        super().__init__(manager, numba_type, _vector(I16))


def _address(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    """Return a pointer to the sixteen elements of array ``args[0]`` at index ``args[1]``."""
    array = context.make_array(signature.args[0])(context, builder, args[0])
    first = builder.gep(array.data, [args[1]])
    return builder.bitcast(first, _vector(first.type.pointee).as_pointer())


def _align(signature: Any) -> int:
    """Return the size of an array's element in bytes, the only alignment that LLVM may assume."""
    return int(signature.args[0].dtype.bitwidth) // 8


def _splat(builder: Any, scalar: Any) -> Any:
    vector = ir.Constant(_vector(scalar.type), ir.Undefined)
    vector = builder.insert_element(vector, scalar, I32(0))
    return builder.shuffle_vector(vector, vector, _vector(I32)([0] * LANES))


def _call(builder: Any, name: str, result: ir.Type, vector: Any) -> Any:
    function = cgutils.get_or_insert_function(
        builder.module,
        ir.FunctionType(result, [vector.type]),
        f"llvm.{name}.v{LANES}{vector.type.element.intrinsic_name}",
    )
    return builder.call(function, [vector])


@intrinsic
def load(typing: Any, array: Any, index: Any) -> Any:
    """Load sixteen elements of a uint16 or uint8 array into lanes."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        pointer = _address(context, builder, signature, args)
        loaded = builder.load(pointer, align=_align(signature))
        return loaded if loaded.type == _vector(I16) else builder.zext(loaded, _vector(I16))

    return lanes(array, types.intp), generate


@intrinsic
def store(typing: Any, array: Any, index: Any, value: Any) -> Any:
    """Write lanes to sixteen elements of a uint16 array, or their low bytes to a uint8 array."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        pointer = _address(context, builder, signature, args)
        stored, target = args[2], pointer.type.pointee
        stored = stored if target == _vector(I16) else builder.trunc(stored, target)
        builder.store(stored, pointer, align=_align(signature))
        return context.get_dummy_value()

    return types.void(array, types.intp, lanes), generate


@intrinsic
def distance(typing: Any, array: Any, index: Any, value: Any) -> Any:
    """Compute distances of sixteen elements to ``value``: Hamming if uint32, absolute if uint8."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        pointer = _address(context, builder, signature, args)
        theirs, ours = builder.load(pointer, align=_align(signature)), _splat(builder, args[2])
        if signature.args[0].dtype == types.uint32:
            differing = builder.xor(theirs, ours)
            bits = _call(builder, "ctpop", differing.type, differing)
            return builder.trunc(bits, _vector(I16))
        above = builder.icmp_unsigned(">", theirs, ours)
        larger, lesser = builder.select(above, theirs, ours), builder.select(above, ours, theirs)
        return builder.zext(builder.sub(larger, lesser), _vector(I16))

    return lanes(array, types.intp, array.dtype), generate


@intrinsic
def splat(typing: Any, scalar: Any) -> Any:
    """Return a vector whose lanes all hold the low 16 bits of an integer."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return _splat(builder, builder.trunc(args[0], I16))

    return lanes(types.intp), generate


@intrinsic
def count_up(typing: Any) -> Any:
    """Return a vector whose lanes hold 0, 1, 2 and so on to 15."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return _vector(I16)(list(range(LANES)))

    return lanes(), generate


@intrinsic
def where(typing: Any, mask: Any, first: Any, second: Any) -> Any:
    """Choose each lane from ``first`` where ``mask`` is not 0, else from ``second``."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        chosen = builder.icmp_unsigned("!=", args[0], _vector(I16)([0] * LANES))
        return builder.select(chosen, args[1], args[2])

    return lanes(lanes, lanes, lanes), generate


def _reduction(name: str) -> Any:
    """Return a function that reduces lanes to an integer by LLVM's ``vector.reduce.name``."""

    def typed(typing: Any, value: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            return builder.zext(_call(builder, f"vector.reduce.{name}", I16, args[0]), I64)

        return types.int64(lanes), generate

    return intrinsic(typed)


def _lanewise(emit: Callable[[Any, Any, Any], Any]) -> Any:
    """Return a function of two vectors of lanes, whose machine code ``emit`` generates."""

    def typed(typing: Any, first: Any, second: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            return emit(builder, *args)

        return lanes(lanes, lanes), generate

    return intrinsic(typed)


def _operator(symbol: Any, emit: Callable[[Any, Any, Any], Any]) -> None:
    function = _lanewise(emit)

    @overload(symbol)
    def of_lanes(first, second):  # type: ignore[no-untyped-def] # Numba compares both signatures
        if isinstance(first, Lanes) and isinstance(second, Lanes):
            return lambda first, second: function(first, second)
        return None


smallest = _reduction("umin")
total = _reduction("add")
minimum = _lanewise(lambda b, x, y: b.select(b.icmp_unsigned("<", x, y), x, y))
# Masks: all bits set where the relation holds, else none.
less = _lanewise(lambda b, x, y: b.sext(b.icmp_unsigned("<", x, y), x.type))
equal = _lanewise(lambda b, x, y: b.sext(b.icmp_unsigned("==", x, y), x.type))
_operator(operator.add, lambda b, x, y: b.add(x, y))
_operator(operator.sub, lambda b, x, y: b.sub(x, y))
_operator(operator.rshift, lambda b, x, y: b.lshr(x, y))
