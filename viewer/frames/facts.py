"""What is known of how the frame shown was computed: device, times, transfer, change over time."""

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from wheatstone.gpu.analysis.environment import describe, versions
from wheatstone.gpu.device import open_device

if TYPE_CHECKING:
    from wheatstone.viewer.frames.session import Session


@dataclass(frozen=True)
class Facts:
    """What the status line and a screenshot say about the frame shown.

    Attributes:
        milliseconds: compute time of the newest finished frame; None before there is one.
        mode: how results reach OpenGL: ``interop``, ``copy`` or ``cpu``.
        why_not_interop: empty with ``interop``.
        median: of the compute times of the newest frames, as many as a race measures; None while
            fewer than three were measured undisturbed.
    """

    device: str
    milliseconds: float | None
    mode: str
    why_not_interop: str
    median: float | None = None

    @property
    def usual(self) -> float | None:
        """Look up the median, or where there is none the newest time."""
        return self.milliseconds if self.median is None else self.median


def facts_of(session: "Session", slot: str = "") -> Facts:
    """Say what there is to say about the newest frame of slot ``a`` or ``b``.

    Without a slot: of A, or of B where only B is computed.
    """
    state = session.state
    first = (slot or ("a" if state.mixing.uses_a else "b")) == "a"
    runner, shown = (session.a, state.slot) if first else (session.b, state.slot_b)
    device, newest = open_device(shown.declaration.device), runner.milliseconds(shown)
    meter = session.meters.slots["a" if first else "b"]
    median = None if newest is None else meter.median
    return Facts(device.name, newest, *session.modes.of(device.kind), median)


def made_with(session: "Session") -> dict[str, Any]:
    """Say what the frame shown was computed with, and how long that took."""
    facts, slot = facts_of(session), session.state.slot
    made: dict[str, Any] = describe(open_device(slot.declaration.device))
    made |= {"display": facts.mode, "packages": versions()}
    if facts.milliseconds is not None:
        made["compute_ms"] = round(facts.milliseconds, 4)
    if badge := session.checks.badge(session.a.shown):
        made["identity"] = badge.text
    return made


def over_time(session: "Session") -> str:
    """Say over how many frames changes of A are measured, and how it flickers; or nothing."""
    changes = session.changes["a" if session.state.mixing.uses_a else "b"]
    if not changes.frames:
        return ""
    rate = changes.flicker_rate
    flicker = "" if math.isnan(rate) else f", flicker {rate:.2%}"
    return f"{changes.frames} frames{flicker}"
