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

    heading = "what is calibrated"

    board: str = text("charuco:11x8", "The board, such as charuco:11x8 or chess:9x6.")
    square: str = text("30mm", "Side of one of its squares, with a unit: measure it.")


SIZES = (3, 5, 7)


@dataclass(frozen=True)
class ParameterGridChoice(ChoiceGroup):
    """The two parameters over which results are laid out in a grid, and how many values of each."""

    heading = "parameter grid"

    across: str = text(
        "", "Parameter whose values go across; absent: the first one ordered below another, as p1."
    )
    down: str = text("", "Parameter whose values go down; absent: the one that bounds it, p2.")
    size: int = one_of(5, SIZES, "values of each parameter", title="values per parameter")


@dataclass(frozen=True)
class Probing(ChoiceGroup):
    """The disparity at which the user inspects the costs of a pixel."""

    disparity: int | None = numbers(
        None,
        -LONGEST_SIDE,
        LONGEST_SIDE,
        "Disparity in pixels of the line that is dragged; absent: it stays at the winner.",
    )


@dataclass(frozen=True)
class Measuring(ChoiceGroup):
    """The pixel to which a distance is measured, and the rectangle in which a plane is measured.

    Raises:
        ValueError: the pixel or the rectangle has a negative coordinate, or the rectangle is empty.
    """

    heading = "what is measured"

    other: tuple[int, int] | None = numbers(
        None,
        0,
        LAST_PIXEL + 1,
        "Row and column of the pixel to which the distance from the pinned one is measured.",
        of_source=True,
    )
    rectangle: tuple[int, int, int, int] | None = numbers(
        None,
        0,
        LAST_PIXEL + 1,
        "Column, row, width and height of the rectangle whose plane and noise are measured.",
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
                    "a rectangle is column, row, width and height, 0,0,1,1 or more "
                    f"(got {x},{y},{width},{height})"
                )


KINDS = {
    "auto": "By the file's ending: .mp4 and .mov the view, .mkv and folders the pairs.",
    "view": "The picture as it is shown, without panels: H.264.",
    "pairs": "What the source serves, before it is rectified, every bit of it.",
    "packets": "What a camera or stream sends, as it comes.",
}


@dataclass(frozen=True)
class RecordingChoice(ChoiceGroup):
    """The kind of a recording, and its pictures per second."""

    heading = "recording"

    kind: str = one_of(
        "auto",
        tuple(KINDS),
        "What is recorded.",
        title="what is recorded",
        option="record-as",
        metavar="KIND",
        meanings=KINDS,
    )
    rate: float = amount(
        30.0,
        1.0,
        120.0,
        "pictures per second of a recorded view, at most",
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
        "play a sequence over and over, or stop at its end",
        option="loop",
        keys=("Shift+Space",),
        key_help="repeat or stop sequence at its end",
        says=("stops at the end", "plays over and over"),
        verbs=("view",),
    )
    watch: bool = on_off(
        True,
        "read the source's files again when they change, or only when asked to",
        title="watch files",
        option="watch",
        says=("files are read once", "files that change are read again"),
        verbs=("view",),
    )


NOBODY = "-"  # in place of a variant: that side of the panel stays empty


@dataclass(frozen=True)
class KernelChoice(ChoiceGroup):
    """The source code in the panel of kernels: of which variants, and which kernel or function."""

    left: str = text("", "Variant on the left; empty: A's.")
    right: str = text("", "Variant on the right; empty: B's while it is on screen; -: none.")
    left_part: str = text("", "Kernel or function read on the left; empty or unknown: the first.")
    right_part: str = text(
        "", "Kernel or function on the right; empty or unknown: the one that does the same."
    )
    whole: bool = on_off(
        False,
        "Whole files, not only what is used of them.",
        title="whole files of kernels",
        keys=("Ctrl+F7",),
        says=("", ""),  # the panel shows it
    )
