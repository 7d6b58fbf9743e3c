"""The user's choice in the panel of matching costs."""

from dataclasses import dataclass

from wheatstone.gpu.parameters import LONGEST_SIDE
from wheatstone.viewer.choices.declared import ChoiceGroup, numbers


@dataclass(frozen=True)
class Probing(ChoiceGroup):
    """The disparity of the probed pixel that is inspected."""

    disparity: int | None = numbers(
        None,
        -LONGEST_SIDE,
        LONGEST_SIDE,
        "Disparity in pixels of the line that is dragged; absent: it stays at the winner.",
    )
