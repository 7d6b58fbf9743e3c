"""The user's choices in the panel of kernels: whose source code is shown, and which part."""

from dataclasses import dataclass

from wheatstone.viewer.choices.declared import ChoiceGroup, on_off, text

NOBODY = "-"  # in place of a variant: that side of the panel stays empty


@dataclass(frozen=True)
class KernelChoice(ChoiceGroup):
    """The source code that the user reads: of which variants, and which part of it."""

    left: str = text("", "Variant on the left; empty: A's.")
    right: str = text("", "Variant on the right; empty: B's while it is on screen; -: none.")
    left_part: str = text("", "Kernel or function read on the left; empty or unknown: the first.")
    right_part: str = text(
        "", "Kernel or function on the right; empty or unknown: the one that does the same."
    )
    whole: bool = on_off(
        False,
        "Whole files, not only what is used of them.",
        title="whole files of kernels",
        keys=("Ctrl+F7",),
        says=lambda card: "",  # the panel shows it
    )
