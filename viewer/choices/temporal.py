"""The user's choices for temporal views, which show changes from frame to frame."""

from dataclasses import dataclass
from typing import Any

from wheatstone.gpu.analysis.temporal import JUMP
from wheatstone.viewer.choices.declared import ChoiceGroup, one_of
from wheatstone.viewer.choices.judging import is_disparity

TEMPORAL = {
    "off": "The result.",
    "difference": "Difference from the disparity of the previous frame.",
    "mean": "Mean of the disparity over the newest frames.",
    "noise": "Standard deviation of the disparity over the newest frames.",
    "flicker": "Percentage of frames in which the disparity appears, disappears or changes by "
    f"more than {JUMP:g} px while the grey level of its pixel stays the same.",
}
FRAMES = (2, 4, 8, 16, 32, 64)
STILL = (0, 1, 2, 4, 8, 16)


def _has_disparity(state: Any) -> bool:
    pipeline = state.slot.pipeline
    return is_disparity(pipeline.image(pipeline.output))


def _why_no_show(state: Any, value: str) -> str:
    if value == "off" or _has_disparity(state):
        return ""
    return f"{state.slot.pipeline.name} computes no disparity to compare over time"


@dataclass(frozen=True)
class TemporalChoice(ChoiceGroup):
    """The temporal view shown, such as noise, and the number of frames that it uses.

    Raises:
        ValueError: ``show`` has an unknown value, or the number of frames is not allowed.
    """

    heading = "display"
    in_place = "show"

    show: str = one_of(
        "off",
        tuple(TEMPORAL),
        "temporal view: difference from the previous frame; mean, noise or flicker over the "
        "newest frames",
        title="change over time",
        option="over-time",
        metavar="WHAT",
        meanings=TEMPORAL,
        keys=("Ctrl+T", "Ctrl+Shift+T"),
        each=("show next change over time", "show previous change over time"),
        key_help="show next or previous change over time, then the result",
        says=lambda temporal: (
            TEMPORAL["off"] if temporal.show == "off" else f"over time: {temporal.show}"
        ),
        why_not=_why_no_show,
        row=True,
        row_when=_has_disparity,
    )
    frames: int = one_of(
        16,
        FRAMES,
        "frames over which mean, noise and flicker are measured",
        title="frames averaged",
        option="over-frames",
        metavar="N",
    )
    still: int = one_of(
        2,
        STILL,
        "Largest change in grey levels of an input pixel that counts as at rest.",
        title="input at rest",
    )

    @property
    def measured(self) -> "TemporalChoice | None":
        """Return these choices if a temporal view, such as noise, is switched on, else None."""
        return None if self.show == "off" else self

    @property
    def span(self) -> int:
        """Return the largest number of frames that the temporal view uses, including the newest."""
        return {"off": 1, "difference": 2}.get(self.show, self.frames)
