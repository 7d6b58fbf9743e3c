"""The user's choices of a calibration that is made while a camera runs: of which board."""

from dataclasses import dataclass

from wheatstone.viewer.choices.declared import ChoiceGroup, text


@dataclass(frozen=True)
class Calibrating(ChoiceGroup):
    """Which board is shown to the cameras; what is typed may be wrong until it is used."""

    heading = "what is calibrated"

    board: str = text("charuco:11x8", "The board, such as charuco:11x8 or chess:9x6.")
    square: str = text("30mm", "Side of one of its squares, with a unit: measure it.")
