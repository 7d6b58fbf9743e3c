"""The user's choices in single panels: calibration, measuring, recording, playback, kernels."""

from dataclasses import dataclass

from wheatstone.gpu.parameters import LONGEST_SIDE
from wheatstone.viewer.choices.declared import (
    LAST_PIXEL,
    ChoiceGroup,
    amount,
    numbers,
    on_off,
    one_of,
    text,
)
from wheatstone.viewer.choices.look import check_pixel


@dataclass(frozen=True)
class Calibrating(ChoiceGroup):
    """The calibration board and the side of its squares, as the user typed them.

    The texts are checked only when they are used.
    """

    heading = "calibration"

    board: str = text("charuco:11x8", "Calibration board, such as charuco:11x8 or chess:9x6.")
    square: str = text("30mm", "Measured side of one square of the board, with a unit.")


SIZES = (3, 5, 7)


@dataclass(frozen=True)
class ParameterGridChoice(ChoiceGroup):
    """The two parameters of the grid of results, and the number of values of each."""

    heading = "parameter grid"

    across: str = text(
        "", "Parameter of the columns; absent: the first one that another bounds, such as p1."
    )
    down: str = text("", "Parameter of the rows; absent: the one that bounds it, such as p2.")
    size: int = one_of(5, SIZES, "values of each parameter", title="values per parameter")


@dataclass(frozen=True)
class Probing(ChoiceGroup):
    """The disparity at which the user inspects the costs of a pixel."""

    disparity: int | None = numbers(
        None,
        -LONGEST_SIDE,
        LONGEST_SIDE,
        "Disparity of the draggable line, in pixels; absent: the winner's.",
    )


@dataclass(frozen=True)
class Measuring(ChoiceGroup):
    """The pixel to which a distance is measured, and the rectangle in which a plane is measured.

    Raises:
        ValueError: the pixel or the rectangle has a negative coordinate, or the rectangle is empty.
    """

    heading = "measurement"

    other: tuple[int, int] | None = numbers(
        None,
        0,
        LAST_PIXEL + 1,
        "Row and column of the pixel whose distance from the pinned one is measured.",
        of_source=True,
    )
    rectangle: tuple[int, int, int, int] | None = numbers(
        None,
        0,
        LAST_PIXEL + 1,
        "Column, row, width and height of the rectangle in which plane and noise are measured.",
        of_source=True,
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.other is not None:
            check_pixel(self.other)
        if self.rectangle is not None:
            x, y, width, height = self.rectangle
            if min(x, y) < 0 or min(width, height) < 1:
                raise ValueError(
                    "a rectangle's column, row, width and height must be at least 0,0,1,1 (got "
                    f"{x},{y},{width},{height})"
                )


KINDS = {
    "auto": "By file type: view for .mp4 and .mov, pairs for .mkv and folders.",
    "view": "The picture shown, without panels, as H.264.",
    "pairs": "Frames of the source before rectification, lossless.",
    "packets": "Packets of a camera or stream, unchanged.",
}


@dataclass(frozen=True)
class RecordingChoice(ChoiceGroup):
    """The choices for recordings: their kind, and pictures per second."""

    heading = "recording"

    kind: str = one_of(
        "auto",
        tuple(KINDS),
        "Content of a recording.",
        title="content of recordings",
        option="record-as",
        metavar="KIND",
        meanings=KINDS,
    )
    rate: float = amount(
        30.0,
        1.0,
        120.0,
        "maximum number of pictures per second of a recorded view",
        title="rate of a recorded view",
        option="record-rate",
        step=5.0,
    )


START = "start"
"""The start page, a panel."""
TIMELINE = "timeline"
"""The panel that shows a frame's position in a sequence; it opens with a video."""


@dataclass(frozen=True)
class Playing(ChoiceGroup):
    """The playback speed of a sequence, whether it repeats, and whether its files are watched."""

    heading = "playing"

    speed: float = amount(
        1.0,
        0.1,
        4.0,
        "playback speed of a sequence, relative to its own",
        option="speed",
        keys=("Shift+.", "Shift+,"),
        each=("increase playback speed", "decrease playback speed"),
        key_help="increase or decrease playback speed",
        says=lambda playing: f"playback speed {playing.speed:g}",
        verbs=("view",),
    )
    loop: bool = on_off(
        True,
        "repeat a sequence, or stop at its end",
        option="loop",
        keys=("Shift+Space",),
        key_help="repeat or stop sequence at its end",
        says=("sequence stops at its end", "sequence repeats"),
        verbs=("view",),
    )
    watch: bool = on_off(
        True,
        "reload the source's files when they change, or only on request",
        title="watch files",
        option="watch",
        says=("changed files are not reloaded", "changed files are reloaded"),
        verbs=("view",),
    )


NOBODY = "-"  # in place of a variant: that side of the panel stays empty


@dataclass(frozen=True)
class KernelChoice(ChoiceGroup):
    """The choices for the kernel panel: which variants' code, and which kernel or function."""

    left: str = text("", "Variant on the left; empty: A's.")
    right: str = text("", "Variant on the right; empty: B's while it is shown; -: none.")
    left_part: str = text("", "Kernel or function shown on the left; empty or unknown: the first.")
    right_part: str = text(
        "",
        "Kernel or function shown on the right; empty or unknown: the counterpart of the left one.",
    )
    whole: bool = on_off(
        False,
        "Whole files, not only the parts in use.",
        title="whole files of kernels",
        keys=("Ctrl+F7",),
        says=("", ""),  # the panel shows it
    )
