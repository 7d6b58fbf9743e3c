"""Which source the user reads, as plain data."""

from dataclasses import dataclass

NOBODY = "-"  # instead of a variant: nothing stands there


@dataclass(frozen=True)
class KernelChoice:
    """What the user chose to read.

    Attributes:
        left, right: variants; empty: A's, and B's while it is on screen; ``-``: none.
        left_part, right_part: kernels or functions; empty or unknown: the first, and the one that
            does the same on the right.
        whole: whole files, not only what is used of them.
    """

    left: str = ""
    right: str = ""
    left_part: str = ""
    right_part: str = ""
    whole: bool = False
