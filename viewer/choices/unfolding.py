"""The user's choices for the slow motion of a stage: which stage, progress, path, speed."""

from dataclasses import dataclass
from typing import Any, Self

from wheatstone.gpu.analysis.unfolding.declared import Unfolding, every_name, unfolding, unfoldings
from wheatstone.viewer.choices.declared import (
    ChoiceGroup,
    amount,
    declared_controls,
    on_off,
    one_of,
)

OFF = "off"
WATCHED = {OFF: "The result.", **every_name()}
PATHS = tuple(range(1, 9))


def stages_in(state: Any) -> dict[str, str]:
    """List the active stages of run A that can be shown in slow motion, each with its help."""
    slot = state.slot
    running = {stage.name for stage in slot.pipeline.stages if stage.when(slot.params)}
    listed = [each for each in unfoldings(slot.pipeline) if each.stage in running]
    return {OFF: WATCHED[OFF], **{u.name: u.help for u in listed if u.name in WATCHED}}


def _why_not(state: Any, stage: str) -> str:
    known = stages_in(state)
    if stage in known:
        return ""
    pipeline = state.slot.pipeline
    listed = ", ".join(name for name in known if name != OFF)
    off = "switched on" if unfolding(pipeline, stage) else "in it"
    return f"{pipeline.name} has no stage {stage} {off}; it has {listed}"


@dataclass(frozen=True)
class UnfoldingChoice(ChoiceGroup):
    """The stage shown in slow motion in place of the result, and its progress.

    A stage that the pipeline does not have is ignored.
    """

    heading = "slow motion"
    in_place = "stage"

    stage: str = one_of(
        OFF,
        tuple(WATCHED),
        "stage to show in slow motion, in place of the result",
        title="stage in slow motion",
        option="slow",
        metavar="STAGE",
        meanings=WATCHED,
        values_in=stages_in,
        keys=("Shift+K", "Alt+K"),
        key_help="show next or previous stage in slow motion, then the result",
        each=("show next stage in slow motion", "show previous stage in slow motion"),
        says=lambda chosen: (
            f"in slow motion: {chosen.stage}" if chosen.stage != OFF else WATCHED[OFF]
        ),
        why_not=_why_not,
    )
    moment: float = amount(
        0.5,
        0.0,
        1.0,
        "slow motion: position, from 0, the beginning, to 1, the complete result",
        step=0.01,
        option="moment",
        metavar="T",
        keys=("Alt+.", "Alt+,"),
        each=("advance slow motion", "rewind slow motion"),
        key_help="advance or rewind slow motion",
        says=lambda chosen: f"slow motion at {chosen.moment:.0%}",
        undone=False,
    )
    path: int = one_of(
        1,
        PATHS,
        "slow motion: number of the path that `aggregation` follows; a larger one than exists "
        "means the last",
        title="path followed",
        option="slow-path",
        metavar="K",
    )
    seconds: float = amount(
        10.0,
        1.0,
        600.0,
        "slow motion: duration in seconds when it is played or recorded",
        step=1.0,
        title="seconds of slow motion",
        option="slow-seconds",
        metavar="S",
    )
    plays: bool = on_off(
        False,
        "Play the slow motion.",
        title="play slow motion",
        keys=("Ctrl+F3",),
        key_help="play or pause slow motion",
        says=("slow motion paused", "slow motion playing"),
        undone=False,
    )

    @property
    def on(self) -> bool:
        """Return whether a stage is shown in slow motion."""
        return self.stage != OFF

    def at(self, moment: float) -> Self:
        """Copy the choices with another position in the slow motion, clamped to 0 to 1."""
        control = declared_controls(type(self))["moment"]
        return self.chosen("moment", min(max(moment, control.low), control.high))


def watched(state: Any) -> Unfolding | None:
    """Return the stage of run A shown in slow motion; None if the result is shown.

    While A is compared with B, both results are shown.
    """
    if not state.unfolding.on:
        return None
    alone = state.mixing.mode in ("off", "a")
    return unfolding(state.slot.pipeline, state.unfolding.stage) if alone else None
