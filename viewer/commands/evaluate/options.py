"""Define and parse the command line of ``evaluate``."""

import argparse
from collections.abc import Sequence
from pathlib import Path

from wheatstone.gpu.analysis.conventions import CONVENTIONS, REGIONS
from wheatstone.gpu.pipeline import Pipeline
from wheatstone.gpu.pipelines import PIPELINES
from wheatstone.viewer.commands.workforce import add_workforce
from wheatstone.viewer.former_options import add_parameters, given_parameters, size
from wheatstone.viewer.parser import Parser
from wheatstone.viewer.scenes import SCENES

USAGE = "wheatstone evaluate [DIR|MANIFEST|VIDEO] [options]"
EPILOG = """\
Without DIR the built-in scenes are evaluated. DIR holds manifest.toml, manifest.json or pairs.json,
or has the layout of Middlebury, ETH3D or KITTI; viewer/sources/manifest.py describes manifests.
VIDEO shows both views side by side; truth of its frame 12 is VIDEO_WITHOUT_SUFFIX.truth/12.pfm.
Exit codes: 0 done; 1 a pair failed; 2 bad input or arguments; 3 the machine lacks the variant."""


def judgeable() -> dict[str, Pipeline]:
    """List the pipelines whose result is a disparity, by name."""
    images = {name: p.image(p.output) for name, p in PIPELINES.items()}
    return {n: PIPELINES[n] for n, image in images.items() if image.unit == "px" and image.invalid}


def parse_evaluate(words: Sequence[str], help: str) -> argparse.Namespace:
    """Parse the words after ``evaluate``: the pipeline first, because the options depend on it."""
    pipelines = judgeable()
    first = Parser(USAGE, add_help=False, allow_abbrev=False)
    _add_pipeline(first, pipelines)
    pipeline = pipelines[first.parse_known_args(words)[0].pipeline]
    options = _parser(pipeline, pipelines, help).parse_args(words)
    options.verb, options.pipeline = "evaluate", pipeline
    options.params = given_parameters(options, pipeline)
    return options


def _add_pipeline(parser: argparse.ArgumentParser, pipelines: dict[str, Pipeline]) -> None:
    names, default = list(pipelines), next(iter(pipelines))
    help = f"one of {', '.join(names)}; default: {default}"
    parser.add_argument("--pipeline", choices=names, default=default, metavar="NAME", help=help)


def _parser(
    pipeline: Pipeline, pipelines: dict[str, Pipeline], help: str
) -> argparse.ArgumentParser:
    parser = Parser(
        usage=USAGE, description=help, epilog=EPILOG, prog="wheatstone evaluate", allow_abbrev=False
    )
    help = "pairs with truth; default: the built-in scenes"
    parser.add_argument("data", type=Path, nargs="?", metavar="DIR|MANIFEST|VIDEO", help=help)
    _add_pipeline(parser, pipelines)
    variants = [variant.name for variant in pipeline.variants]
    listed = f"one of {', '.join(variants)}; default: the fastest this machine can run"
    parser.add_argument("--variant", choices=variants, metavar="V", help=listed)
    listed = f"named settings: {', '.join(pipeline.presets)}; single options override them"
    parser.add_argument("--preset", choices=list(pipeline.presets), metavar="P", help=listed)
    listed = f"how it is judged: {', '.join(CONVENTIONS)}; default: the data set's own"
    parser.add_argument("--convention", choices=list(CONVENTIONS), metavar="C", help=listed)
    listed = "judge pixels that both views see, or all known; default: the convention's first"
    parser.add_argument("--region", choices=REGIONS, help=listed)
    listed = "stored values per pixel of disparity, where neither layout nor manifest says"
    parser.add_argument("--scale", type=float, metavar="X", help=listed)
    _add_scenes(parser)
    _add_running(parser)
    title = f"parameters of {pipeline.name}; the range is the data set's, unless given"
    add_parameters(parser, pipeline, title)
    return parser


def _add_scenes(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("built-in scenes, evaluated without DIR")
    group.add_argument("--scene", choices=SCENES, nargs="+", help="which; default: all")
    group.add_argument("--seed", type=int, metavar="N", help="layout, colours and textures")
    group.add_argument("--size", type=size, metavar="WxH", help="default: 640x480")


def _add_running(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("how it runs")
    add_workforce(group)
    help = "where finished pairs are kept; default: NAME.evaluate.jsonl, NAME the data set's"
    group.add_argument("--state", type=Path, metavar="FILE", help=help)
    help = "compute pairs anew that the state file holds"
    group.add_argument("--restart", action="store_true", help=help)
    group = parser.add_argument_group("files")
    for name in ("json", "csv", "markdown"):
        group.add_argument(f"--{name}", type=Path, metavar="FILE", help="write the results there")
