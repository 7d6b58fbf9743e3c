"""Mark pixels rejected as outside a view for external programs, by gpu.reference.outside_reason."""

from wheatstone.gpu.reference.outside_reason import outside_reason

__all__ = ["outside_reason"]
