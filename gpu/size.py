"""Describe a GPU's capability and its resources for blocks of threads."""

from dataclasses import dataclass


@dataclass(frozen=True)
class GpuSize:
    """Hold the properties of a GPU that decide how work is divided into blocks.

    Attributes:
        shared_bytes: bytes of shared memory that a block may request.
        capability: its compute capability, 90 for 9.0.
    """

    multiprocessors: int
    shared_bytes: int
    capability: int
