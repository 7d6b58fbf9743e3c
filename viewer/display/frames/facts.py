"""Facts about how the frame shown was computed: device, times, display mode, flicker."""

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from wheatstone.gpu.analysis.environment import describe, versions
from wheatstone.gpu.device import open_device

if TYPE_CHECKING:
    from wheatstone.viewer.display.frames.session import Session


@dataclass(frozen=True)
class Facts:
    """Facts about the frame shown, for the status line and screenshots.

    Attributes:
        milliseconds: compute time of the newest finished frame; None before the first one.
        mode: how results reach OpenGL: ``interop``, ``copy`` or ``cpu``.
        median: median compute time of the newest frames; None while fewer than three count.
    """

    device: str
    milliseconds: float | None
    mode: str
    median: float | None = None

    @property
    def usual(self) -> float | None:
        """Return the median compute time in milliseconds, or the newest time without a median."""
        return self.milliseconds if self.median is None else self.median


def facts_of(session: "Session", slot: str = "") -> Facts:
    """Return the facts about run ``a`` or ``b``, by default about A, or B if A is not computed."""
    state = session.state
    first = (slot or ("a" if state.mixing.uses_a else "b")) == "a"
    runner, shown = (session.a, state.slot) if first else (session.b, state.slot_b)
    device, newest = open_device(shown.declaration.device), runner.milliseconds(shown)
    meter = session.meters.slots["a" if first else "b"]
    median = None if newest is None else meter.median
    return Facts(device.name, newest, session.modes.of(device.kind), median)


def made_with(session: "Session") -> dict[str, Any]:
    """Describe the device, packages and compute time of the frame shown."""
    facts, slot = facts_of(session), session.state.slot
    made: dict[str, Any] = describe(open_device(slot.declaration.device))
    made |= {"display": facts.mode, "packages": versions()}
    if facts.milliseconds is not None:
        made["compute_ms"] = round(facts.milliseconds, 4)
    if badge := session.checks.badge(session.a.shown):
        made["identity"] = badge.text
    return made


def over_time(session: "Session") -> str:
    """Describe the frames and the flicker rate of the temporal view; empty without one."""
    letter, side = ("a", session.a) if session.state.mixing.uses_a else ("b", session.b)
    changes = session.changes[letter]
    if not changes.frames or not side.shown or not side.shown.temporal:
        return ""
    rate = changes.flicker_rate
    flicker = "" if math.isnan(rate) else f", flicker {rate:.2%}"
    return f"{changes.frames} frames{flicker}"
