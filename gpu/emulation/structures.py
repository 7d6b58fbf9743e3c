"""The structures that Python passes to an emulated kernel, as runtime.hpp declares them."""

import ctypes
import re
from pathlib import Path
from typing import Any

HEADER = re.sub("//.*", "", Path(__file__).with_name("runtime.hpp").read_text())
KINDS: dict[str, Any] = {
    "int": ctypes.c_int,
    "unsigned": ctypes.c_uint,
    "unsigned long long": ctypes.c_uint64,
    "char": ctypes.c_char,
    "char*": ctypes.c_void_p,
    "unsigned char*": ctypes.c_uint64,
}


def _fields(name: str, *targets: type[ctypes.Structure]) -> list[tuple[str, Any]]:
    """Parse the fields of a structure in runtime.hpp; ``targets`` are structures it points to."""
    names = (target.__name__.removesuffix("Structure") for target in targets)
    kinds = KINDS | {f"{n}*": ctypes.POINTER(of) for n, of in zip(names, targets, strict=True)}
    fields = []
    for line in HEADER.partition(f"struct {name} {{")[2].partition("};")[0].split(";")[:-1]:
        declared = line.strip().removeprefix("const ")
        name = max((each for each in kinds if declared.startswith(f"{each} ")), key=len)
        kind = kinds[name]
        for field, length in re.findall(r"(\w+)(?:\[(\d+)\])?", declared.removeprefix(name)):
            fields.append((field, kind * int(length) if length else kind))
    return fields


class FaultStructure(ctypes.Structure):
    """The ctypes mirror of the structure ``Fault`` in runtime.hpp."""

    _fields_ = _fields("Fault")


class RangeStructure(ctypes.Structure):
    """The ctypes mirror of the structure ``Range`` in runtime.hpp."""

    _fields_ = _fields("Range")


class CountStructure(ctypes.Structure):
    """The ctypes mirror of the structure ``Count`` in runtime.hpp."""

    _fields_ = _fields("Count")


class LaunchStructure(ctypes.Structure):
    """The ctypes mirror of the structure ``Launch`` in runtime.hpp."""

    _fields_ = _fields("Launch", RangeStructure, FaultStructure, CountStructure)
