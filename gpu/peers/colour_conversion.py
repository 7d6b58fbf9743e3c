"""Do for programs from outside what gpu.cpu.colour_conversion does."""

from wheatstone.gpu.cpu.colour_conversion import colour_conversion

__all__ = ["colour_conversion"]
