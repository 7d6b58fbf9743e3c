"""Benchmarks: each is run as ``python -m benchmarks.NAME``."""

from wheatstone.viewer.options import whole_number


def positive(text: str) -> int:
    """Read an integer of at least 1, for ``argparse``."""
    return whole_number(text, 1)
