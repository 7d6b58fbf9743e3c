"""Define and parse the command line of ``figure``."""

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from wheatstone.gpu.analysis.conventions import CONVENTIONS, REGIONS
from wheatstone.gpu.parameters import controls
from wheatstone.gpu.pipeline import Pipeline
from wheatstone.gpu.pipelines import PIPELINES
from wheatstone.viewer.choices.look import parse_range
from wheatstone.viewer.colormaps import COLORMAPS
from wheatstone.viewer.figures.cells import BESIDE_VIEWS
from wheatstone.viewer.figures.plan import FigureStyle
from wheatstone.viewer.figures.templates import TEMPLATES
from wheatstone.viewer.former_options import (
    add_parameters,
    given_parameters,
    region,
    single_choice,
    size,
)
from wheatstone.viewer.parser import Parser, Switch, check_first
from wheatstone.viewer.scenes import SCENES
from wheatstone.viewer.theme import THEMES

USAGE = "wheatstone figure [PIPELINE] [PAIR ...] [options] --out FILE"
EPILOG = """\
PAIR is a left image, whose right one lies beside it or is the next word; a folder or a video; a
built-in scene by its name (default: {scene}); or a screenshot or settings that restore what they
show. A figure alone is made again, byte for byte. Beside it a table is written in LaTeX and in
Markdown. Exit codes: 0 done; 1 a cell is empty, and says why, or an inset leaves an image; 2 bad
input or arguments; 3 the machine lacks something."""


def parse_figure(words: Sequence[str], help: str) -> argparse.Namespace:
    """Parse the words after ``figure``: the pipeline first, because the options depend on it."""
    rest = list(words)
    named = bool(rest) and rest[0] in PIPELINES
    if not (rest and rest[0] in SCENES):
        check_first(rest, (*PIPELINES, *SCENES), "pipeline")
    pipeline = PIPELINES[rest.pop(0) if named else "sgm"]
    parser = _parser(pipeline, help)
    options = parser.parse_args(rest)
    options.verb, options.pipeline, options.names_pipeline = "figure", pipeline, named
    options.params = given_parameters(options, pipeline)
    if options.over and options.over[0] not in controls(pipeline.params):
        known = ", ".join(controls(pipeline.params)) or "none"
        parser.error(f"{pipeline.name} has no parameter {options.over[0]!r}; it has {known}")
    return options


def _parser(pipeline: Pipeline, help: str) -> argparse.ArgumentParser:
    parser = Parser(
        usage=USAGE,
        description=help,
        epilog=EPILOG.format(scene=SCENES[0]),
        prog="wheatstone figure",
        allow_abbrev=False,
    )
    listed = "image, folder, video, scene, screenshot, settings or figure"
    parser.add_argument("pairs", nargs="*", metavar="PAIR", help=listed)
    listed = ".svg, .pdf (with text as text) or .png; may be repeated"
    kind: dict[str, Any] = {"type": Path, "action": "append", "metavar": "FILE"}
    parser.add_argument("--out", required=True, help=listed, **kind)
    help = "write the tables beside the figure (default: on)"
    parser.add_argument("--tables", action=Switch, default=True, help=help)
    _add_content(parser, pipeline)
    _add_style(parser)
    _add_shown(parser)
    if controls(pipeline.params):
        add_parameters(parser, pipeline)
    return parser


def _add_content(parser: argparse.ArgumentParser, pipeline: Pipeline) -> None:
    group = parser.add_argument_group("what is shown")
    listed = "; ".join(f"{name}: {one.help}" for name, one in TEMPLATES.items())
    # ncc has a parameter of the shorter name.
    short = [] if "template" in controls(pipeline.params) else ["--template"]
    words = [*short, "--figure-template"]
    group.add_argument(*words, dest="layout", choices=TEMPLATES, metavar="T", help=listed)
    listed = f"named settings to compare: {', '.join([*pipeline.presets, 'your own'])}"
    hidden = listed if pipeline.presets else argparse.SUPPRESS
    group.add_argument("--preset", nargs="+", metavar="P", help=hidden)
    help = "values of a parameter to compare, such as p2=32,64,128"
    group.add_argument("--over", type=_over, metavar="NAME=V,V", help=help)
    names = [variant.name for variant in pipeline.variants]
    help = f"implementations to compare and time: {', '.join(names)}"
    group.add_argument("--variants", choices=names, nargs="+", metavar="V", help=help)
    help = "the implementation that computes all else; default: the fastest this machine can run"
    group.add_argument("--variant", choices=names, metavar="V", help=help)
    beside = "; ".join(f"{name}: {means}" for name, means in BESIDE_VIEWS.items())
    views = ", ".join(view.name for view in pipeline.views)
    help = f"in place of the template's: {views}; {beside}"
    group.add_argument("--views", nargs="+", metavar="VIEW", help=help)
    help = "a part of every image, in pixels, shown larger below it; may be several"
    group.add_argument("--inset", nargs="+", type=region, metavar="X,Y,W,H", help=help)


def _over(text: str) -> tuple[str, tuple[str, ...]]:
    """Parse ``NAME=VALUE,VALUE``; the name may contain dashes."""
    name, given, values = text.partition("=")
    found = tuple(filter(None, values.split(",")))
    if not given or not found:
        said = f"is NAME=VALUE,VALUE, such as p2=32,64 (got {text!r})"
        raise argparse.ArgumentTypeError(said)
    return name.replace("-", "_"), found


def _add_style(parser: argparse.ArgumentParser) -> None:
    group, usual = parser.add_argument_group("how it is drawn"), FigureStyle()
    help = f"of the figure, in millimetres; text follows it; default: {usual.width:g}, two columns"
    group.add_argument("--width", type=float, metavar="MM", help=help)
    help = f"pixels an inch of a .png; default: {usual.dpi}"
    group.add_argument("--dpi", type=int, metavar="N", help=help)
    group.add_argument("--theme", choices=THEMES, help=f"default: {usual.theme}")


def _add_shown(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("how results are shown and judged")
    group.add_argument("--colormap", choices=COLORMAPS, help="colours of results")
    help = "values of the first and the last colour, in the result's unit; default: as declared"
    group.add_argument("--range", type=_range, metavar="LOW,HIGH", help=help)
    help = f"how results are judged: {', '.join(CONVENTIONS)}"
    group.add_argument("--truth-convention", choices=list(CONVENTIONS), metavar="C", help=help)
    help = "judge pixels that both views see, or all known; default: the convention's first"
    group.add_argument("--truth-region", choices=REGIONS, help=help)
    help = "of a single PAIR: PFM, NPY, TIFF, or PNG or PGM of integers; default: beside LEFT"
    group.add_argument("--truth", metavar="FILE", help=help)
    help = "integers of it per pixel of disparity; default: 256 for 16 bits, 1 for 8"
    group.add_argument("--truth-scale", type=float, metavar="X", help=help)
    group.add_argument("--frame", type=int, metavar="N", help="frame of a sequence, from 0")
    help = "layout, colours and textures of built-in scenes"
    group.add_argument("--seed", type=int, metavar="N", help=help)
    group.add_argument("--scene-size", type=size, metavar="WxH", help="default: 640x480")
    help = "what a panel chooses, as settings call it; may be repeated"
    kind: dict[str, Any] = {"type": single_choice, "action": "append"}
    group.add_argument("--set", metavar="FIELD.NAME=VALUE", help=help, **kind)
    help = "open, unasked, what a stranger's figure or settings name outside their own folder"
    group.add_argument("--trust-sources", action="store_true", help=help)


def _range(text: str) -> tuple[float, float]:
    try:
        return parse_range(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
