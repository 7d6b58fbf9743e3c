"""Decide whether the user's kernels are emulated or run on a GPU."""

import os

from wheatstone.gpu.device import why_unavailable

FORCED = "WHEATSTONE_EMULATE"
"""Environment variable: with a value, the user's kernels are emulated in spite of a GPU."""


def emulated() -> bool:
    """Return whether the user's kernels are emulated on the CPU: by request or without a GPU."""
    return bool(os.environ.get(FORCED) or why_unavailable("cuda"))


def force_emulation() -> None:
    """Emulate the user's kernels from now on, in this process and in its child processes."""
    os.environ[FORCED] = "1"
