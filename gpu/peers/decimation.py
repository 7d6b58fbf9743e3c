"""Filter the disparities of external programs, by gpu.cpu.decimation."""

from wheatstone.gpu.cpu.decimation import decimation

__all__ = ["decimation"]
