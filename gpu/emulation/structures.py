"""Declare the structures of runtime.hpp that Python passes to an emulated kernel."""

import ctypes


class FaultStructure(ctypes.Structure):
    """``Fault`` of runtime.hpp."""

    _fields_ = (
        ("kind", ctypes.c_int),
        ("write", ctypes.c_int),
        ("thread", ctypes.c_uint * 3),
        ("block", ctypes.c_uint * 3),
        ("other_thread", ctypes.c_uint * 3),
        ("other_block", ctypes.c_uint * 3),
        ("other_write", ctypes.c_int),
        ("address", ctypes.c_uint64),
        ("bytes", ctypes.c_uint64),
        ("place", ctypes.c_uint64),
        ("other", ctypes.c_uint64),
        ("text", ctypes.c_char * 256),
    )


class RangeStructure(ctypes.Structure):
    """``Range`` of runtime.hpp."""

    _fields_ = (
        ("begin", ctypes.c_uint64),
        ("bytes", ctypes.c_uint64),
        ("element", ctypes.c_uint),
        ("shared", ctypes.c_uint),
    )


class CountStructure(ctypes.Structure):
    """``Count`` of runtime.hpp."""

    _fields_ = (
        ("array", ctypes.c_int),
        ("write", ctypes.c_int),
        ("place", ctypes.c_uint64),
        ("requests", ctypes.c_uint64),
        ("transactions", ctypes.c_uint64),
        ("least", ctypes.c_uint64),
    )


class LaunchStructure(ctypes.Structure):
    """``Launch`` of runtime.hpp."""

    _fields_ = (
        ("grid", ctypes.c_uint * 3),
        ("block", ctypes.c_uint * 3),
        ("order", ctypes.c_uint),
        ("guarded", ctypes.c_int),
        ("ranges", ctypes.POINTER(RangeStructure)),
        ("range_count", ctypes.c_int),
        ("poisons", ctypes.c_int),
        ("faults", ctypes.POINTER(FaultStructure)),
        ("fault_capacity", ctypes.c_int),
        ("fault_count", ctypes.c_int),
        ("output", ctypes.c_void_p),
        ("output_capacity", ctypes.c_int),
        ("output_bytes", ctypes.c_int),
        ("output_lines", ctypes.c_int),
        ("counts", ctypes.POINTER(CountStructure)),
        ("count_capacity", ctypes.c_int),
        ("count_count", ctypes.c_int),
        ("incomplete", ctypes.c_int),
    )
