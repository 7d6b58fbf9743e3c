"""Compute pipelines on the CPU and on NVIDIA GPUs: declarations, implementations, devices.

Nothing heavy is imported here; CuPy and Numba load when a device is opened or a variant prepared.
"""

MEMORY_SHARERS = "WHEATSTONE_MEMORY_SHARERS"
"""The environment variable with the number of processes that share the memory of the host."""


class Unavailable(RuntimeError):
    """The error raised if this machine lacks a requirement; the message names it and a remedy."""
