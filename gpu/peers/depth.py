"""Convert disparities to depths for external programs, by gpu.reference.depth."""

from wheatstone.gpu.reference.depth import depth

__all__ = ["depth"]
