"""How the two slots are shown together, as plain data."""

from dataclasses import dataclass, replace
from typing import Self

MODES = {
    "off": "A, without a comparison.",
    "a": "A alone.",
    "b": "B alone.",
    "side-by-side": "A beside B.",
    "wipe": "A left of a seam, B right of it.",
    "wipe-down": "A above a seam, B below it.",
    "blink": "A and B in turn.",
    "onion": "B shines through A.",
    "difference": "How far A and B are apart.",
    "signed-difference": "A less B: blue where A is smaller, red where it is larger.",
}
DIFFERENCES = ("difference", "signed-difference")
WIPES = ("wipe", "wipe-down")
SEAM_STEP, SHARE_STEP, PERIOD_STEP = 0.05, 0.05, 0.25

# What can be set, with its bounds.
BOUNDS = {"seam": (0.0, 1.0), "period": (0.25, 10.0), "share": (0.0, 1.0), "reach": (1 / 4096, 1.0)}


@dataclass(frozen=True)
class Mixing:
    """What of A and B is on screen.

    Attributes:
        mode: one of ``MODES``.
        seam: of a wipe: where it lies, in fractions of the pane.
        period: of a blink: seconds that A and B take together.
        share: of an onion: how much of it is B.
        reach: of a difference: the largest one that has a colour of its own, as a share of the
            range in which A's values are shown.
        turn: of a blink: whose turn it is, ``a`` or ``b``.
        frozen: the source's frame that B stays at; None: the one A shows.
        check: whether equality is checked and said.

    Raises:
        ValueError: a value is out of bounds.
    """

    mode: str = "off"
    seam: float = 0.5
    period: float = 1.0
    share: float = 0.5
    reach: float = 1 / 16
    turn: str = "a"
    frozen: int | None = None
    check: bool = False

    def __post_init__(self) -> None:
        if self.mode not in MODES:
            raise ValueError(f"compare must be one of {', '.join(MODES)} (got {self.mode!r})")
        if self.turn not in ("a", "b"):
            raise ValueError(f"turn must be a or b (got {self.turn!r})")
        for name, (low, high) in BOUNDS.items():
            value = getattr(self, name)
            if not low <= value <= high:
                raise ValueError(f"{name} must lie in [{low:g}, {high:g}] (got {value:g})")

    @property
    def alone(self) -> str:
        """Which slot fills the screen, ``a`` or ``b``; empty if both are on it."""
        if self.mode == "blink":
            return self.turn
        return {"off": "a", "a": "a", "b": "b"}.get(self.mode, "")

    @property
    def uses_a(self) -> bool:
        """Whether A must be computed."""
        return self.mode != "b" or self.check

    @property
    def uses_b(self) -> bool:
        """Whether B must be computed."""
        return self.mode not in ("off", "a") or self.check

    def adjusted(self, steps: int) -> Self:
        """The seam, period, share or reach moved by some notches, within its bounds."""
        if self.mode in WIPES:
            return self._moved("seam", self.seam + steps * SEAM_STEP)
        if self.mode == "blink":
            return self._moved("period", self.period + steps * PERIOD_STEP)
        if self.mode == "onion":
            return self._moved("share", self.share + steps * SHARE_STEP)
        if self.mode in DIFFERENCES:
            return self._moved("reach", self.reach * 2.0**steps)
        return self

    def with_seam(self, place: float) -> Self:
        """The seam at a place, in fractions of the pane; beyond it, at its border."""
        return self._moved("seam", place)

    def _moved(self, name: str, value: float) -> Self:
        low, high = BOUNDS[name]
        return replace(self, **{name: min(max(round(value, 6), low), high)})  # type: ignore[arg-type]

    def described(self) -> str:
        """What ``adjusted`` sets, in words; empty if nothing."""
        if self.mode in WIPES:
            return f"seam at {self.seam:.0%}"
        if self.mode == "blink":
            return f"blink period {self.period:g} s"
        if self.mode == "onion":
            return f"{1 - self.share:.0%} A, {self.share:.0%} B"
        if self.mode in DIFFERENCES:
            return f"differences up to {self.reach:.2%} of the range"
        return ""
