"""Do for programs from outside what gpu.reference.depth does."""

from wheatstone.gpu.reference.depth import depth

__all__ = ["depth"]
