"""Take thresholds given by the user: two numbers, as gpu.reference.manual_thresholds does."""

from wheatstone.gpu.reference.manual_thresholds import manual_thresholds

__all__ = ["manual_thresholds"]
