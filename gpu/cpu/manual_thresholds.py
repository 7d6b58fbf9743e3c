"""Thresholds given by the user: two numbers, as in gpu.reference.manual_thresholds."""

from gpu.reference.manual_thresholds import manual_thresholds

__all__ = ["manual_thresholds"]
