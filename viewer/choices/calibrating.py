"""The user's choices for a calibration made while a camera runs: the calibration board."""

from dataclasses import dataclass

from wheatstone.viewer.choices.declared import ChoiceGroup, text


@dataclass(frozen=True)
class Calibrating(ChoiceGroup):
    """The board shown to the cameras; its typed text is checked only when it is used."""

    heading = "what is calibrated"

    board: str = text("charuco:11x8", "The board, such as charuco:11x8 or chess:9x6.")
    square: str = text("30mm", "Side of one of its squares, with a unit: measure it.")
