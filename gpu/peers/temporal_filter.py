"""Filter the disparities of external programs, by gpu.cpu.temporal_filter."""

from wheatstone.gpu.cpu.temporal_filter import temporal_filter

__all__ = ["temporal_filter"]
