"""Define and parse the command line of ``compare``."""

import argparse
from collections.abc import Sequence
from pathlib import Path

from wheatstone.gpu.pipeline import Pipeline
from wheatstone.gpu.pipelines import PIPELINES
from wheatstone.viewer.former_options import add_parameters, add_source, given_parameters, size
from wheatstone.viewer.parser import Parser
from wheatstone.viewer.sources.value_files import SUFFIXES

USAGE = "wheatstone compare [PIPELINE] A B [LEFT [RIGHT]] [options]"
EPILOG = """\
Two variants are compared in every image that both keep; a file of values is compared with the
result. Exit codes: 0 identical; 1 different; 2 bad input or arguments; 3 the machine lacks
a variant."""


def parse_compare(words: Sequence[str], help: str) -> argparse.Namespace:
    """Parse the words after ``compare``: the pipeline first, because the options depend on it."""
    rest = list(words)
    pipeline = PIPELINES[rest.pop(0)] if rest and rest[0] in PIPELINES else PIPELINES["sgm"]
    options = _parser(pipeline, help).parse_args(rest)
    options.verb, options.pipeline = "compare", pipeline
    options.params = given_parameters(options, pipeline)
    return options


def _parser(pipeline: Pipeline, help: str) -> argparse.ArgumentParser:
    parser = Parser(
        usage=USAGE,
        description=help,
        epilog=EPILOG,
        prog=f"wheatstone compare {pipeline.name}",
        allow_abbrev=False,
    )
    variants = ", ".join(v.name + (" (peer)" if v.peer else "") for v in pipeline.variants)
    either = f"variant ({variants}) or file of values ({', '.join(SUFFIXES)})"
    parser.add_argument("a", metavar="A", help=either)
    parser.add_argument("b", metavar="B", help="the same")
    scene = add_source(parser, "image file or folder of left and right images")
    scene.add_argument("--scene-size", type=size, metavar="WxH", help="its size; default: 640x480")
    parser.add_argument("--frame", type=int, default=0, metavar="N", help="of a sequence, from 0")
    listed = f"named settings: {', '.join(pipeline.presets)}; single options override them"
    hidden = listed if pipeline.presets else argparse.SUPPRESS
    parser.add_argument("--preset", choices=list(pipeline.presets), metavar="P", help=hidden)
    _add_files(parser)
    add_parameters(parser, pipeline)
    return parser


def _add_files(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("files of 8 bits")
    help = "what their values are divided by; default: 4 for disparities, else 1"
    group.add_argument("--scale", type=float, metavar="X", help=help)
    help = "the value in them that means no result; default: none"
    group.add_argument("--unknown", type=int, metavar="N", help=help)
    group = parser.add_argument_group("picture")
    help = "picture of the absolute difference"
    group.add_argument("--out", type=Path, metavar="PNG", help=help)
    help = "the image it shows; default: the result"
    group.add_argument("--image", metavar="NAME", help=help)
