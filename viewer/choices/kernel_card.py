"""Which source the user reads, as plain data."""

from dataclasses import dataclass

from viewer.choices.declared import ChoiceGroup, free, on_off

NOBODY = "-"  # instead of a variant: nothing stands there


@dataclass(frozen=True)
class KernelChoice(ChoiceGroup):
    """What the user chose to read in the kernel card."""

    left: str = free("", "Variant on the left; empty: A's.")
    right: str = free("", "Variant on the right; empty: B's while it is on screen; -: none.")
    left_part: str = free("", "Kernel or function read on the left; empty or unknown: the first.")
    right_part: str = free(
        "", "Kernel or function on the right; empty or unknown: the one that does the same."
    )
    whole: bool = on_off(
        False,
        "Whole files, not only what is used of them.",
        title="whole files of kernels",
        keys=("Ctrl+F7",),
    )
