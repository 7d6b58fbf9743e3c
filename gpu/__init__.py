"""Compute pipelines on the CPU and on NVIDIA GPUs: declarations, implementations, devices.

Nothing heavy is imported here; CuPy and Numba load when a device is opened or a variant prepared.
"""


class Unavailable(RuntimeError):
    """Report that the machine lacks a requirement; the message names it and its remedy."""
