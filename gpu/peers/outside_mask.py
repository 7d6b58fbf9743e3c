"""Do for programs from outside what gpu.reference.outside_mask does."""

from wheatstone.gpu.reference.outside_mask import outside_mask

__all__ = ["outside_mask"]
