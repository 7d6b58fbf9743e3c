"""Write the two thresholds given by the user, by gpu.reference.manual_thresholds."""

from wheatstone.gpu.reference.manual_thresholds import manual_thresholds

__all__ = ["manual_thresholds"]
