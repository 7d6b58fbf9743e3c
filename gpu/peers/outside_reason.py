"""Do for programs from outside what gpu.reference.outside_reason does."""

from wheatstone.gpu.reference.outside_reason import outside_reason

__all__ = ["outside_reason"]
