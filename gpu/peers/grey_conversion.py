"""Convert decoded video to grey levels for external programs, by gpu.cpu.grey_conversion."""

from wheatstone.gpu.cpu.grey_conversion import grey_conversion

__all__ = ["grey_conversion"]
