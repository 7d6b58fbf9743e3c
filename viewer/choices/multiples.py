"""The user's choices of small multiples: their two parameters, and how many values of each."""

from dataclasses import dataclass

from wheatstone.viewer.choices.declared import ChoiceGroup, one_of, text

SIZES = (3, 5, 7)


@dataclass(frozen=True)
class MultiplesChoice(ChoiceGroup):
    """The two parameters over which results are laid out in a grid, and how many values of each.

    Raises:
        ValueError: the number of values is not allowed.
    """

    heading = "small multiples"

    across: str = text(
        "",
        "Parameter whose values go across; absent: the first one ordered below another, as p1.",
    )
    down: str = text("", "Parameter whose values go down; absent: the one that bounds it, p2.")
    size: int = one_of(5, SIZES, "values of each parameter", title="multiples a side")
