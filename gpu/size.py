"""Say how much a GPU has of what blocks of threads take."""

from dataclasses import dataclass


@dataclass(frozen=True)
class GpuSize:
    """Hold what decides how work is laid out.

    Attributes:
        shared_bytes: of shared memory that a block may ask for.
    """

    multiprocessors: int
    shared_bytes: int
