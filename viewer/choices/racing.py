"""Whether the variants race, as plain data."""

from dataclasses import dataclass, field
from typing import Literal

from gpu.pipeline import Sweep
from viewer.panels.race.standings import Standing
from viewer.panels.race.sweeping import Curve


@dataclass
class Racing:
    """What of the race was asked for, and what came of it; it is no setting.

    Attributes:
        asked: what shall run: the variants, or the sweep over the pipeline's declared values.
        standings: of the last race; ``standings_of`` says in a few words what they are about.
        curves: of the last sweep, with what they are about and over what it went.
    """

    asked: Literal["", "race", "sweep"] = field(default="", init=False)
    standings_of: str = field(default="", init=False)
    standings: tuple[Standing, ...] = field(default=(), init=False)
    curves_of: str = field(default="", init=False)
    curves: tuple[Curve, ...] = field(default=(), init=False)
    sweep: Sweep | None = field(default=None, init=False)
