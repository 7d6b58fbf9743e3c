"""Do for programs from outside what gpu.cpu.grey_conversion does."""

from wheatstone.gpu.cpu.grey_conversion import grey_conversion

__all__ = ["grey_conversion"]
