"""Say what a GPU can do, and how much it has of what blocks of threads take."""

from dataclasses import dataclass


@dataclass(frozen=True)
class GpuSize:
    """Hold what decides how work is laid out.

    Attributes:
        shared_bytes: of shared memory that a block may ask for.
        capability: its compute capability, 90 for 9.0.
    """

    multiprocessors: int
    shared_bytes: int
    capability: int
