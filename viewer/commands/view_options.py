"""Define and parse the command line of ``view``, ``render`` and ``serve``.

Parameters of pipelines and the viewer's own choices declare their own options.
"""

import argparse
from collections.abc import Callable, Sequence
from pathlib import Path

from wheatstone.gpu.pipeline import Pipeline
from wheatstone.gpu.pipelines import PIPELINES
from wheatstone.viewer.choices.cloud import CloudChoice
from wheatstone.viewer.choices.declared import SHOWN
from wheatstone.viewer.choices.judging import TruthChoice
from wheatstone.viewer.choices.look import Look
from wheatstone.viewer.choices.panel_choices import Playing, RecordingChoice
from wheatstone.viewer.choices.unfolding import UnfoldingChoice
from wheatstone.viewer.commands.first_word import check_first
from wheatstone.viewer.commands.frame_range import frame_range
from wheatstone.viewer.commands.windows import WINDOWS
from wheatstone.viewer.options import (
    add_calibration,
    add_parameters,
    add_source,
    both_calibrations,
    given_parameters,
    single_choice,
    size,
    zoom,
)
from wheatstone.viewer.parser import Parser
from wheatstone.viewer.settings.shown_options import (
    add_choices,
    add_slot_b,
    add_variant_and_preset,
    value_range,
)
from wheatstone.viewer.sources.layouts import LAYOUTS
from wheatstone.viewer.sources.levelling import RECTIFY
from wheatstone.viewer.sources.said import DECODING

DISPLAY_MODES = ("auto", "interop", "copy")


def parse_view(words: Sequence[str], help: str) -> argparse.Namespace:
    """Parse the words after ``view``."""
    return parse_window("view", words, help)


def parse_render(words: Sequence[str], help: str) -> argparse.Namespace:
    """Parse the words after ``render``."""
    return parse_window("render", words, help, _add_outputs)


def parse_window(
    verb: str,
    words: Sequence[str],
    help: str,
    add: Callable[[argparse.ArgumentParser], None] = lambda _: None,
) -> argparse.Namespace:
    """Parse the words after a verb: the pipeline first, because the options depend on it.

    ``names_pipeline`` is set if the words name a pipeline, or options that belong to one.

    Args:
        add: adds the verb's options other than those of the view.
    """
    rest = both_calibrations(words)
    named = bool(rest) and rest[0] in PIPELINES
    check_first(rest, PIPELINES, "pipeline")
    pipeline = PIPELINES[rest.pop(0) if named else "sgm"]
    parser = _parser(verb, pipeline, help)
    add(parser)
    options = parser.parse_args(rest)
    options.verb, options.pipeline = verb, pipeline
    options.params = given_parameters(options, pipeline)
    of_pipeline = (options.params, options.preset, options.variant, options.view)
    options.names_pipeline = named or any(of_pipeline)
    return options


def _parser(verb: str, pipeline: Pipeline, help: str) -> argparse.ArgumentParser:
    parser = Parser(
        prog=f"wheatstone {verb} {pipeline.name}",
        description=f"{help} {pipeline.help}",
        allow_abbrev=False,
    )
    help = (
        "image or video file, folder of left and right images, camera (/dev/video0), "
        "stream (rtsp://...), pipe (-), test source (lavfi:testsrc2), or a screenshot to restore; "
        "beside an image named left, its right one is found"
    )
    scene = add_source(parser, help)
    help = "its size; default: 640x480, for `render` --size"
    scene.add_argument("--scene-size", type=size, metavar="WxH", help=help)
    add_variant_and_preset(parser, pipeline)
    add_parameters(parser, pipeline)
    asked = "view" if verb in WINDOWS else verb
    _add_shown(parser, pipeline, asked)
    add_slot_b(parser, asked)
    _add_truth(parser, asked)
    _add_recording(parser, asked)
    _add_settings(parser)
    return parser


def _add_shown(parser: argparse.ArgumentParser, pipeline: Pipeline, verb: str) -> None:
    group = parser.add_argument_group(SHOWN)
    views = "; ".join(f"{view.name}: {view.help}" for view in pipeline.views)
    names = [view.name for view in pipeline.views]
    group.add_argument("--view", choices=names, help=views)
    add_choices(group, SHOWN, verb)
    group.add_argument("--size", type=size, metavar="WxH", help="size of the picture or window")
    help = "how results of CUDA variants reach OpenGL; auto: interop where it works, else copy"
    group.add_argument("--display", choices=DISPLAY_MODES, default="auto", help=help)
    group = parser.add_argument_group(Look.heading)
    help = "values of the first and the last colour, in the image's unit; default: as declared"
    group.add_argument("--range", type=value_range, metavar="LOW,HIGH", help=help)
    add_choices(group, Look.heading, verb)
    add_calibration(group, "of LEFT and RIGHT, or of what sees the scene; default: beside LEFT")
    help = "who decodes videos: gpu: a GPU what it can; software: the CPU; default: gpu"
    group.add_argument("--decoding", choices=DECODING, help=help)
    help = "where the views lie in each picture; default: found out where the halves match"
    group.add_argument("--layout", choices=LAYOUTS, help=help)
    help = "auto: by the features of LEFT and RIGHT, without a calibration; off: not at all; "
    help += "default: as the calibration says"
    group.add_argument("--rectify", choices=RECTIFY, help=help)
    _add_capture(parser.add_argument_group("cameras; `wheatstone sources` lists them"))
    headings = CloudChoice.heading, UnfoldingChoice.heading
    for heading in (*headings, *([Playing.heading] if verb == "view" else [])):
        add_choices(parser.add_argument_group(heading), heading, verb)


def _add_capture(group: "argparse._ArgumentGroup") -> None:
    """Add the options that configure a camera; see ``Capture``."""
    help = "of a whole picture, that the camera is asked for; what it gives instead is said"
    group.add_argument("--video-size", metavar="WxH", help=help)
    help = "frames a second that it is asked for"
    group.add_argument("--frame-rate", type=float, metavar="N", help=help)
    help = "pixel format or codec that it is asked for, such as mjpeg or yuyv422"
    group.add_argument("--input-format", metavar="NAME", help=help)


def _add_truth(parser: argparse.ArgumentParser, verb: str) -> None:
    group = parser.add_argument_group(TruthChoice.heading)
    help = "of LEFT: PFM, NPY, TIFF, or PNG or PGM of integers; default: what lies beside LEFT"
    group.add_argument("--truth", metavar="FILE", help=help)
    help = "integers of it per pixel of disparity; default: 256 for 16 bits, 1 for 8"
    group.add_argument("--truth-scale", type=zoom, metavar="X", help=help)
    add_choices(group, TruthChoice.heading, verb)


def _add_recording(parser: argparse.ArgumentParser, verb: str) -> None:
    group = parser.add_argument_group(RecordingChoice.heading)
    help = "record from the first picture on: the view (.mp4), raw pairs (.mkv, or a folder)"
    help += "; `render`: while a script plays" * (verb == "render")
    group.add_argument("--record", type=Path, metavar="FILE", help=help)
    add_choices(group, RecordingChoice.heading, verb)


def _add_settings(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("settings")
    help = "restore settings saved as TOML; options override them"
    group.add_argument("--settings", type=Path, metavar="FILE", help=help)
    help = "open, unasked, what a stranger's screenshot or settings name outside their own folder"
    group.add_argument("--trust-sources", action="store_true", help=help)
    help = "do not restore the last session; `render` never does"
    group.add_argument("--fresh", action="store_true", help=help)
    help = "do not save this session for the next start, nor its source among the recent ones"
    group.add_argument("--no-save", action="store_true", help=help)
    help = "menu bar and toolbar above the picture; default: in a window, but not with --script"
    group.add_argument("--bars", action=argparse.BooleanOptionalAction, default=None, help=help)
    help = "what a panel chooses, as settings call it; may be repeated"
    group.add_argument(
        "--set", type=single_choice, action="append", metavar="FIELD.NAME=VALUE", help=help
    )


def _add_outputs(parser: argparse.ArgumentParser) -> None:
    help = "picture of the view (.png), pictures with the number of the frame (shot-%%03d.png), "
    help += "or a film (.mp4, .mkv, .mov)"
    parser.add_argument("--out", type=Path, metavar="FILE", help=help)
    help = "of a film or of files with numbers: N from --frame on, or A to before B; default: as "
    help += "many as the sequence has"
    parser.add_argument("--frames", type=frame_range, metavar="N|A:B", help=help)
    help = "play what a user would do, panels and all: keys, drags, waits, one step a line"
    parser.add_argument("--script", type=Path, metavar="FILE", help=help)
    help = "values of what the view shows: .npy, .tiff, .pfm, or .png (disparity: KITTI's 16 bit; "
    help += "depth: millimetres in 16 bit); with a number (disp-%%04d.npy) of successive frames"
    help += "; may be repeated"
    parser.add_argument(
        "--values", type=Path, action="append", default=[], metavar="FILE", help=help
    )
    help = "of --values: another image, such as depth; one for all files, or one for each, in order"
    parser.add_argument("--image", action="append", default=[], metavar="NAME", help=help)
    help = "points of what is seen of the disparity, with colours: .ply or .pcd, binary; see --axes"
    parser.add_argument("--cloud", type=Path, metavar="FILE", help=help)
