"""The user's choice in the panel of matching costs."""

from dataclasses import dataclass

from wheatstone.viewer.choices.declared import ChoiceGroup, free


@dataclass(frozen=True)
class Probing(ChoiceGroup):
    """Which disparity of the pixel probed is looked at."""

    disparity: int | None = free(
        None, "Disparity in pixels of the line that is dragged; absent: it stays at the winner."
    )
