"""Define and parse the command line of ``calibrate``."""

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import get_args

from wheatstone.viewer.cameras.boards import DICTIONARY, length
from wheatstone.viewer.cameras.calibrating import FEWEST_VIEWS
from wheatstone.viewer.cameras.rig import Model
from wheatstone.viewer.cameras.stereo_calibration import GOOD_ROWS
from wheatstone.viewer.commands.calibrate.printing import PAPERS
from wheatstone.viewer.parser import Parser

USAGE = "wheatstone calibrate [FOLDER|LEFT RIGHT] --board KIND:NxM --square LENGTH [options]"
EPILOG = f"""\
Boards: charuco:11x8 counts squares, chess:9x6 inner corners; charuco-legacy:11x8 is a board drawn
by OpenCV before 4.6. Lengths have a unit: 30mm, 3cm, 0.03m, 1in. At least {FEWEST_VIEWS} pairs
must show the board, better 20: near and far, tilted, in every part of both images, held still.
Exit codes: 0 the rows are good; 1 their median or mean is off by more than {GOOD_ROWS:g} px;
2 bad input, or too few views."""


def parse_calibrate(words: Sequence[str], help: str) -> argparse.Namespace:
    """Parse the words after ``calibrate``."""
    options = _parser(help).parse_args(words)
    _check(options)
    return options


def _parser(help: str) -> argparse.ArgumentParser:
    parser = Parser(
        usage=USAGE,
        description=help,
        epilog=EPILOG,
        prog="wheatstone calibrate",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    listed = "a folder or a video of pairs, or that of the left views, as they were taken"
    parser.add_argument("left", nargs="?", metavar="FOLDER", help=listed)
    parser.add_argument("right", nargs="?", metavar="RIGHT", help="that of the right views")
    group = parser.add_argument_group("the board")
    listed = "charuco:11x8 (squares) or chess:9x6 (inner corners), for example"
    group.add_argument("--board", required=True, metavar="KIND:NxM", help=listed)
    listed = "side of a square, such as 30mm: measure it"
    group.add_argument("--square", required=True, type=_length, metavar="LENGTH", help=listed)
    listed = "side of a marker; default: 11/15 of the square's"
    group.add_argument("--marker", type=_length, metavar="LENGTH", help=listed)
    listed = f"where the markers come from, as OpenCV calls them; default: {DICTIONARY}"
    group.add_argument("--dictionary", default=DICTIONARY, metavar="NAME", help=listed)
    listed = "of the lenses' distortion; default: plumb-bob"
    group = parser.add_argument_group("what is computed and written")
    group.add_argument("--model", choices=get_args(Model), default="plumb-bob", help=listed)
    listed = "the rig, as TOML"
    group.add_argument("--out", type=Path, metavar="RIG.toml", help=listed)
    listed = "the rig and all errors, view by view"
    group.add_argument("--json", type=Path, metavar="FILE", help=listed)
    listed = "a picture of the corners, the empty parts and the errors"
    group.add_argument("--picture", type=Path, metavar="F.png", help=listed)
    group = parser.add_argument_group("printing the board; FOLDER is not needed for it")
    group.add_argument("--print", type=Path, metavar="F.pdf", help="the board in its true size")
    listed = f"one of {', '.join(PAPERS)}; default: a4"
    group.add_argument("--paper", choices=list(PAPERS), default="a4", metavar="NAME", help=listed)
    return parser


def _length(text: str) -> float:
    """Parse a length for ``argparse``."""
    try:
        return length(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def _check(options: argparse.Namespace) -> None:
    """Raise ``ValueError`` for options that contradict each other."""
    if not options.left and (options.out or options.json or options.picture):
        raise ValueError("--out, --json and --picture need a folder of pairs that show the board")
    if not options.left and not options.print:
        raise ValueError("give a folder of pairs that show the board, or --print board.pdf")
    if options.left and not options.out:
        raise ValueError("--out is missing: the file that the rig is written to, such as rig.toml")
    for name, suffix in (("out", ".toml"), ("picture", ".png"), ("print", ".pdf")):
        path: Path | None = getattr(options, name)
        if path and path.suffix.lower() != suffix:
            raise ValueError(
                f"{path}: --{name} is a {suffix} file (got {path.suffix or 'no suffix'})"
            )
