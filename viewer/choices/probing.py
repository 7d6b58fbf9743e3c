"""What the user chose in the probe of matching costs, as plain data."""

from dataclasses import dataclass

from viewer.choices.declared import ChoiceGroup, free


@dataclass(frozen=True)
class Probing(ChoiceGroup):
    """What is looked at of the pixel probed."""

    disparity: int | None = free(
        None, "Disparity in pixels of the line that is dragged; absent: it stays at the winner."
    )
