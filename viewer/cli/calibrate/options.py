"""The options of ``calibrate``."""

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, get_args

from wheatstone.viewer.cli.calibrate.printing import PAPERS
from wheatstone.viewer.cli.requests import VerbRequest, source_option
from wheatstone.viewer.io.cameras.boards import DICTIONARY, length
from wheatstone.viewer.io.cameras.calibrating import FEWEST_VIEWS
from wheatstone.viewer.io.cameras.rig import Model
from wheatstone.viewer.io.cameras.stereo_calibration import GOOD_ROWS
from wheatstone.viewer.options import choice_option, path_option, text_option


@dataclass(frozen=True, kw_only=True)
class BoardOptions:
    """Options that describe the calibration board, with lengths in metres."""

    heading: ClassVar[str] = "board"
    board: str = text_option(
        "kind and size of the board, such as charuco:11x8 (squares) or chess:9x6 (inner corners)",
        "KIND:NxM",
        required=True,
    )
    square: float = text_option(
        "measured side of a square, such as 30mm", "LENGTH", read=length, required=True
    )
    marker: float | None = text_option(
        "side of a marker; default: 11/15 of the square's", "LENGTH", read=length
    )
    dictionary: str = text_option(
        f"dictionary of the markers, by its name in OpenCV; default: {DICTIONARY}",
        "NAME",
        default=DICTIONARY,
    )


@dataclass(frozen=True, kw_only=True)
class ResultOptions:
    """Options for the lens model and the files to write."""

    heading: ClassVar[str] = "results"
    model: Model = choice_option(
        get_args(Model), "distortion model of the lenses; default: plumb-bob", default="plumb-bob"
    )
    out: Path | None = path_option("output file for the rig, as TOML", "RIG.toml")
    json: Path | None = path_option("output file for the rig and all errors, view by view")
    picture: Path | None = path_option(
        "output file for a picture of the corners, the areas without corners, and the errors",
        "F.png",
    )


@dataclass(frozen=True, kw_only=True)
class PrintOptions:
    """Options for printing the calibration board."""

    heading: ClassVar[str] = "printing the board, without FOLDER"
    print: Path | None = path_option("output file for the board in true size", "F.pdf")
    paper: str = choice_option(
        PAPERS, f"paper size: {', '.join(PAPERS)}; default: a4", "NAME", default="a4"
    )


@dataclass(frozen=True, kw_only=True)
class CalibrateRequest(BoardOptions, ResultOptions, PrintOptions, VerbRequest):
    """The options of ``calibrate``, which calibrates a rig by pairs with a board, or prints one."""

    verb: ClassVar[str] = "calibrate"
    usage: ClassVar[str] = (
        "wheatstone calibrate [FOLDER|LEFT RIGHT] --board KIND:NxM --square LENGTH [options]"
    )
    preformatted: ClassVar[bool] = True
    epilog: ClassVar[str] = f"""\
Boards: charuco:11x8 counts squares, chess:9x6 inner corners; charuco-legacy:11x8 is a board drawn
by OpenCV before 4.6. Lengths have a unit: 30mm, 3cm, 0.03m, 1in. At least {FEWEST_VIEWS} pairs
must show the board, ideally 20: near and far, tilted, in every part of both images, held still.
Both cameras are refined jointly; outlier views are removed and listed. Numbers after +- are
standard deviations, which the rig file stores in [calibration.deviations].
Exit codes: 0 done; 1 the median or the mean of the row errors exceeds {GOOD_ROWS:g} px; 2 bad
input, or too few views."""
    left: str | None = text_option(
        "folder, video or robot recording of unrectified pairs, or of the left views",
        "FOLDER",
        positional=True,
        nargs="?",
    )
    right: str | None = text_option(
        "folder, video or robot recording of the right views",
        "RIGHT",
        positional=True,
        nargs="?",
    )
    topics: str | None = source_option("topics")

    def __post_init__(self) -> None:
        """Raise ``ValueError`` for options that contradict each other."""
        if not self.left and (self.out or self.json or self.picture):
            raise ValueError(
                "--out, --json and --picture need a folder of pairs that show the board"
            )
        if not self.left and not self.print:
            raise ValueError("give a folder of pairs that show the board, or --print board.pdf")
        if self.left and not self.out:
            raise ValueError(
                "--out is missing: the file that the rig is written to, such as rig.toml"
            )
        for name, suffix in (("out", ".toml"), ("picture", ".png"), ("print", ".pdf")):
            path: Path | None = getattr(self, name)
            if path and path.suffix.lower() != suffix:
                raise ValueError(
                    f"{path}: --{name} is a {suffix} file (got {path.suffix or 'no suffix'})"
                )
