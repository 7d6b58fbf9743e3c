"""Options that say how values are shown, and what makes depths of disparities."""

import argparse
from dataclasses import replace

from viewer.choices.look import Range, parse_range
from viewer.choices.state import ViewerState
from viewer.keys.look_keys import choose_range


def add_look(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    group = parser.add_argument_group("how values are shown")
    help = "values of the first and the last colour, in the image's unit; default: as declared"
    group.add_argument("--range", type=value_range, metavar="LOW,HIGH", help=help)
    help = "bars that say what colours mean, below the picture (default: on)"
    action = argparse.BooleanOptionalAction
    group.add_argument("--colorbar", action=action, default=None, help=help)
    help = "of LEFT and RIGHT: Middlebury's calib.txt, KITTI's projections, or OpenCV's YAML or "
    help += "XML with Q; default: what lies beside LEFT"
    group.add_argument("--calibration", metavar="FILE", help=help)


def value_range(text: str) -> Range:
    """LOW,HIGH as two values."""
    try:
        return parse_range(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def apply_look(state: ViewerState, options: argparse.Namespace) -> None:
    """Set the range of what A's view shows, and whether there are bars.

    Raises:
        ValueError: the view shows nothing in a range.
    """
    if options.range:
        choose_range(state, options.range)
    if options.colorbar is not None:
        state.look = replace(state.look, colorbar=options.colorbar)
