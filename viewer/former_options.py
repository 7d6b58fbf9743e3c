"""Options of verbs that have no request yet, and the types of their values.

A function that reads one word serves as ``type`` of ``argparse``: it raises
``argparse.ArgumentTypeError`` for a wrong word.
"""

import argparse
from collections.abc import Callable, Sequence
from typing import Any

from wheatstone.gpu.parameters import Control, Params, controls, defaults
from wheatstone.gpu.pipeline import Pipeline
from wheatstone.viewer.parser import EverySwitch, Switch
from wheatstone.viewer.reading.documents import parsed

WHOLE = 2**31 - 1
"""The largest integer of an option that declares no bounds of its own."""
NUMBER = 1e9
"""The largest number of such an option."""


def bounded(kind: Callable[[str], float], low: float, high: float, what: str) -> Any:
    """Return a function that reads an option's number within bounds, both included.

    Args:
        kind: ``int`` or ``float``.
        what: the name of such a number in messages, such as "a whole number".
    """

    def read(text: str) -> float:
        """Read a number. Raises ``ArgumentTypeError`` for anything else."""
        try:
            number = kind(text)
        except ValueError:
            raise argparse.ArgumentTypeError(f"must be {what} (got {text!r})") from None
        if not low <= number <= high:
            bounds = f"in [{low:.10g}, {high:.10g}]"
            raise argparse.ArgumentTypeError(f"must be {bounds} (got {text!r})")
        return number

    return read


LONGEST_PIXEL = 24  # characters of a pixel's row and column


def option_name(parameter: str) -> str:
    """Return the name of a parameter's option, such as ``--p2-adaptation``."""
    return f"--{parameter.replace('_', '-')}"


def add_parameter(
    group: "argparse._ArgumentGroup",
    name: str,
    control: Control,
    default: Any,
    *,
    several: bool = False,
) -> argparse.Action:
    """Add the option of a parameter to a group, with None as its default value.

    Args:
        default: the parameter's own default, for the help.
        several: whether the option takes a list of values.
    """
    option = option_name(name)
    if control.choices == (False, True):
        help = f"{control.help} (default: {'on' if default else 'off'})".replace("%", "%%")
        action = EverySwitch if several else Switch
        return group.add_argument(option, action=action, default=None, help=help)
    kind, metavar = OPTION_TYPES.get(control.kind, (_choice_of(control), "NAME"))
    shown = ",".join(map(str, default)) if control.kind == "region" else default
    help = f"{control.help} {control.bounds[0].upper()}{control.bounds[1:]} (default: {shown})."
    help = help.replace("%", "%%")
    nargs = "+" if several else None
    for value in (new for old, new in control.earlier if old is False):  # it was a switch
        no, const = f"--no-{option[2:]}", [value] if several else value
        group.add_argument(no, dest=name, action="store_const", const=const, help=argparse.SUPPRESS)
    return group.add_argument(option, type=kind, metavar=metavar, nargs=nargs, help=help)


def _choice_of(control: Control) -> Callable[[str], Any]:
    """Return a function that maps a word to its choice, or to itself if there is no such choice."""
    named = {str(choice): choice for choice in control.choices}
    return lambda word: named.get(word, word)


def add_parameters(parser: argparse.ArgumentParser, pipeline: Pipeline, title: str = "") -> None:
    """Add an option for every parameter of a pipeline.

    Args:
        title: the heading of these options; if empty, it names the pipeline.
    """
    group = parser.add_argument_group(title or f"parameters of {pipeline.name}")
    for name, control in controls(pipeline.params).items():
        add_parameter(group, name, control, defaults(pipeline.params)[name])


def given_parameters(options: argparse.Namespace, pipeline: Pipeline) -> dict[str, Any]:
    """Return the parameters of a pipeline that a command line gives, by name."""
    values = {name: getattr(options, name) for name in controls(pipeline.params)}
    return {name: value for name, value in values.items() if value is not None}


def chosen_parameters(options: argparse.Namespace) -> Params:
    """Return the parameters of a command line: a preset's, changed by single options.

    Raises:
        ValueError: a value is out of bounds.
    """
    pipeline: Pipeline = options.pipeline
    base = pipeline.preset(options.preset) if options.preset else pipeline.params()
    return base.changed(**options.params)


def add_source(parser: argparse.ArgumentParser, left: str) -> "argparse._ArgumentGroup":
    """Add the arguments that select the source of frames.

    Args:
        left: help for the first input.

    Returns:
        The group of the options for the built-in scene.
    """
    parser.add_argument("left", nargs="?", metavar="LEFT", help=left)
    parser.add_argument("right", nargs="?", metavar="RIGHT", help="image file, video or folder")
    from wheatstone.viewer.scenes import SCENES, SCENES_SHOW

    group = parser.add_argument_group("built-in scene, shown without LEFT")
    help = "which one; " + "; ".join(f"{name}: {shows}" for name, shows in SCENES_SHOW.items())
    group.add_argument("--scene", choices=SCENES, help=help)
    group.add_argument("--seed", type=int, metavar="N", help="its layout, colours and textures")
    return group


CALIBRATIONS = (".yml", ".yaml", ".xml", ".json", ".toml", ".conf", ".txt", ".gz")
"""The suffixes of calibration files."""


def add_calibration(group: "argparse._ArgumentGroup", help: str) -> None:
    """Add the options for one or two calibration files; see ``both_calibrations``.

    Args:
        help: the help about its use, and about the default.
    """
    known = "Middlebury's calib.txt, KITTI's projections, OpenCV's YAML, XML or JSON, ROS's two "
    known += "camera_info, Kalibr's camchain, ZED's .conf, or a rig.toml; "
    group.add_argument("--calibration", metavar="FILE [FILE]", help=known + help)
    help = "the second file, where there are two: --calibration LEFT.yaml RIGHT.yaml names it, too"
    group.add_argument("--calibration-right", metavar="FILE", help=help)


def both_calibrations(words: Sequence[str]) -> list[str]:
    """Rewrite ``--calibration FILE FILE`` as the two options that it stands for.

    A word after the first file is a second one if it has the suffix of a calibration file, so that
    images are not mistaken for one.
    """
    found: list[str] = []
    for number, word in enumerate(words):
        one, two = (words[number - back] if number >= back else "" for back in (1, 2))
        follows = one.startswith("--calibration=") or two == "--calibration"
        is_file = not word.startswith("-") and word.lower().endswith(CALIBRATIONS)
        found += ["--calibration-right", word] if follows and is_file else [word]
    return found


def region(text: str) -> tuple[int, ...]:
    """Read a rectangle, X,Y,WIDTH,HEIGHT."""
    try:
        x, y, width, height = (int(number) for number in text.split(","))
    except ValueError:
        message = f"a rectangle is X,Y,WIDTH,HEIGHT, such as 10,20,52,52 (got {text!r})"
        raise argparse.ArgumentTypeError(message) from None
    return x, y, width, height


OPTION_TYPES: dict[str, tuple[Callable[[str], Any], str]] = {
    "int": (int, "N"),
    "float": (float, "X"),
    "region": (region, "X,Y,W,H"),
}
"""For each kind of control, the reader of its value and the name of the value in the help."""


def parameter_value(control: Control, name: str, text: str) -> Any:
    """Read a parameter's value from a word. Raises ``ValueError`` for a wrong word."""
    if control.choices == (False, True):
        if text not in ("on", "off"):
            raise ValueError(f"{name} is on or off (got {text!r})")
        return text == "on"
    kind, _ = OPTION_TYPES.get(control.kind, (_choice_of(control), ""))
    try:
        return kind(text)
    except argparse.ArgumentTypeError as error:
        raise ValueError(f"{name} cannot be {text!r}: {error}") from error
    except ValueError:
        number = "a whole number" if control.kind == "int" else "a number"
        raise ValueError(f"{name} cannot be {text!r}: it is {number}") from None


def single_choice(text: str) -> tuple[str, str, Any]:
    """Read FIELD.NAME=VALUE, with the value in TOML; a bare word is a string."""
    name, given, value = text.partition("=")
    field, dot, attribute = name.partition(".")
    if not given or not dot:
        raise argparse.ArgumentTypeError(f"a choice is FIELD.NAME=VALUE (got {text!r})")
    try:
        return field, attribute, parsed(f"value = {value}", "TOML")["value"]
    except ValueError:
        return field, attribute, value


def setting(text: str) -> tuple[str, str]:
    """Read NAME=VALUE; the name may have dashes."""
    name, given, value = text.partition("=")
    if not given:
        raise argparse.ArgumentTypeError(f"a setting is NAME=VALUE, such as p2=99 (got {text!r})")
    return name.replace("-", "_"), value


def size(text: str) -> tuple[int, int]:
    """Read width and height from WxH, both from 1 to 16384."""
    try:
        width, height = (int(number) for number in text.lower().split("x"))
    except ValueError:
        raise argparse.ArgumentTypeError(f"a size is WxH, such as 640x480 (got {text!r})") from None
    if not (1 <= width <= 16384 and 1 <= height <= 16384):
        raise argparse.ArgumentTypeError(f"sizes go from 1x1 to 16384x16384 (got {text!r})")
    return width, height


def zoom(text: str) -> float:
    """Read a zoom factor relative to a picture that fits the window."""
    from wheatstone.viewer.choices.state import LARGEST_ZOOM, SMALLEST_ZOOM

    try:
        zoom = float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"a zoom is a number (got {text!r})") from None
    if not SMALLEST_ZOOM <= zoom <= LARGEST_ZOOM:
        raise argparse.ArgumentTypeError(
            f"zoom must be in [{SMALLEST_ZOOM:g}, {LARGEST_ZOOM:g}] (got {text!r})"
        )
    return zoom


def center(text: str) -> tuple[float, float]:
    """Read a point X,Y, in fractions of a picture's width and height."""
    try:
        x, y = (float(number) for number in text.split(","))
    except ValueError:
        raise argparse.ArgumentTypeError(
            f"a point is X,Y, such as 0.5,0.5 (got {text!r})"
        ) from None
    return x, y


def pixel(text: str) -> tuple[int, int]:
    """Read the row and the column of a pixel, Y,X, from 0."""
    row, _, column = text.partition(",")
    if not (row.isdecimal() and column.isdecimal() and len(text) < LONGEST_PIXEL):
        raise argparse.ArgumentTypeError(f"a pixel is Y,X, such as 240,100 (got {text!r})")
    return int(row), int(column)


def orbit(text: str) -> tuple[float, float, float]:
    """Read the viewpoint of a point cloud: YAW,PITCH,DISTANCE."""
    try:
        yaw, pitch, distance = (float(number) for number in text.split(","))
    except ValueError:
        raise argparse.ArgumentTypeError(
            f"an orbit is YAW,PITCH,DISTANCE, such as 20,10,1.2 (got {text!r})"
        ) from None
    return yaw, pitch, distance


positive: Callable[[str], int] = bounded(int, 1, WHOLE, "a whole number of at least 1")
"""Reads an integer of at least 1."""
seconds: Callable[[str], float] = bounded(float, 1e-3, 1e6, "a number of seconds")
"""Reads a number of seconds above 0."""
