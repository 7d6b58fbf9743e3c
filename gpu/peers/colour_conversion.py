"""Convert decoded video to colours for external programs, by gpu.cpu.colour_conversion."""

from wheatstone.gpu.cpu.colour_conversion import colour_conversion

__all__ = ["colour_conversion"]
