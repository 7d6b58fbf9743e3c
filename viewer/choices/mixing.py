"""The user's choices for showing runs A and B together: the mode, and each mode's numbers."""

from dataclasses import dataclass
from typing import Self

from wheatstone.viewer.choices.comparison import follow_mode
from wheatstone.viewer.choices.declared import (
    LAST_FRAME,
    ChoiceGroup,
    Presses,
    amount,
    declared_controls,
    numbers,
    on_off,
    one_of,
)

MODES = {
    "off": "A, without a comparison.",
    "a": "A alone.",
    "b": "B alone.",
    "side-by-side": "A and B side by side.",
    "wipe": "A left of a seam, B right of it.",
    "wipe-down": "A above a seam, B below it.",
    "blink": "A and B alternately.",
    "onion": "B blended over A.",
    "difference": "The absolute difference of A and B.",
    "signed-difference": "A minus B: blue where A is smaller, red where it is larger.",
}
SHOWN_AS = {"a": "A only", "b": "B only"}
DIFFERENCES = ("difference", "signed-difference")
WIPES = ("wipe", "wipe-down")
WITHOUT_B = ("off", "a")


@dataclass(frozen=True)
class Mixing(ChoiceGroup):
    """The mode that compares runs A and B on screen, and its numbers, such as the blink period."""

    heading = "slot B and its comparison with A"

    mode: str = one_of(
        "off",
        tuple(MODES),
        "Comparison of A and B.",
        title="comparison",
        also="compare",
        option="compare",
        metavar="MODE",
        meanings=MODES,
        shown_as=SHOWN_AS,
        follows=follow_mode,
        says=lambda mixing: f"{mixing.mode}: {MODES[mixing.mode]}",
        row=True,
        presses=(
            Presses(("C",), ("side-by-side",), "show A and B side by side, or A only"),
            Presses(
                ("W", "Shift+W"),
                WIPES,
                "wipe from A to B, across or down",
                ("wipe from A to B, across", "wipe from A to B, down"),
            ),
            Presses(("B",), ("blink",), "blink between A and B"),
            Presses(("O",), ("onion",), "blend B over A"),
            Presses(
                ("D", "Shift+D"),
                DIFFERENCES,
                "show difference of A and B, absolute or signed",
                ("show difference of A and B", "show signed difference of A and B"),
            ),
        ),
    )
    seam: float = amount(
        0.5, 0.0, 1.0, "wipe: position of the seam, from 0 to 1", step=0.05, option="seam"
    )
    period: float = amount(
        1.0,
        0.25,
        10.0,
        "blink: seconds per cycle of A and B",
        step=0.25,
        title="blink period",
        option="period",
    )
    share: float = amount(
        0.5,
        0.0,
        1.0,
        "onion: share of B, from 0 to 1",
        step=0.05,
        title="onion share",
        option="share",
    )
    reach: float = amount(
        1 / 16,
        1 / 4096,
        1.0,
        "difference: largest difference with its own colour, as a share of the range shown",
        title="difference reach",
        option="reach",
    )
    turn: str = "a"  # the slot that a blink shows now, ``a`` or ``b``
    frozen: int | None = numbers(
        None,
        -LAST_FRAME,
        LAST_FRAME,
        "frame at which B is frozen",
        title="frame of B",
        of_source=True,
        option="b-frame",
        metavar="N",
        says=lambda mixing: (
            "B follows the source"
            if mixing.frozen is None
            else f"B is frozen at frame {mixing.frozen}"
        ),
    )
    check: bool = on_off(
        False,
        "show in the picture whether A and B are equal",
        title="identity check",
        option="identity",
        says=("equality of A and B is not checked", "equality of A and B is checked"),
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.turn not in ("a", "b"):
            raise ValueError(f"turn must be a or b (got {self.turn!r})")

    @property
    def alone(self) -> str:
        """Return the run whose result is alone on screen, ``a`` or ``b``; empty if both are."""
        if self.mode == "blink":
            return self.turn
        return {"off": "a", "a": "a", "b": "b"}.get(self.mode, "")

    @property
    def uses_a(self) -> bool:
        """Return whether run A must be computed, to be shown or compared."""
        return self.mode != "b" or self.check

    @property
    def uses_b(self) -> bool:
        """Return whether run B must be computed, to be shown or compared."""
        return self.shows_b or self.check

    @property
    def shows_b(self) -> bool:
        """Return whether the result of run B is on screen, alone or together with that of A."""
        return self.mode not in WITHOUT_B

    @property
    def adjustable(self) -> str:
        """Return the name of the mode's adjustable number, such as ``seam``; empty without one."""
        by_mode = {"blink": "period", "onion": "share"}
        by_mode |= dict.fromkeys(WIPES, "seam") | dict.fromkeys(DIFFERENCES, "reach")
        return by_mode.get(self.mode, "")

    def adjusted(self, steps: int) -> Self:
        """Copy the choices with the mode's adjustable number changed by some steps, within bounds.

        The reach doubles with each step.
        """
        name = self.adjustable
        if not name:
            return self
        value = getattr(self, name)
        if name == "reach":
            return self._clamped(name, value * 2.0**steps)
        return self._clamped(name, value + steps * declared_controls(type(self))[name].step)

    def with_seam(self, place: float) -> Self:
        """Copy the choices with the seam at a fraction of the image's area on screen, clamped."""
        return self._clamped("seam", place)

    def _clamped(self, name: str, value: float) -> Self:
        """Copy the choices with one of the numbers set to a value, or to the nearest bound."""
        control = declared_controls(type(self))[name]
        return self.chosen(name, min(max(round(value, 6), control.low), control.high))

    def described(self) -> str:
        """Describe the comparison mode's number, such as ``seam at 50%``; empty without one."""
        return {
            "seam": f"seam at {self.seam:.0%}",
            "period": f"blink period {self.period:g} s",
            "share": f"{1 - self.share:.0%} A, {self.share:.0%} B",
            "reach": f"differences up to {self.reach:.2%} of the range",
        }.get(self.adjustable, "")
