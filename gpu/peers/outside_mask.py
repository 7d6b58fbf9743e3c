"""Reject disparities outside a view for external programs, by gpu.reference.outside_mask."""

from wheatstone.gpu.reference.outside_mask import outside_mask

__all__ = ["outside_mask"]
