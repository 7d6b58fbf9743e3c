"""Define and parse the command line of ``batch``."""

import argparse
from collections.abc import Sequence
from pathlib import Path

from wheatstone.gpu.pipeline import Pipeline
from wheatstone.gpu.pipelines import PIPELINES
from wheatstone.viewer.colormaps import COLORMAPS
from wheatstone.viewer.commands.frame_range import frame_range
from wheatstone.viewer.commands.workforce import add_workforce
from wheatstone.viewer.files.cloud import AXES, ENCODERS
from wheatstone.viewer.files.film import SUFFIXES as FILMS
from wheatstone.viewer.files.values import WRITERS
from wheatstone.viewer.former_options import (
    add_calibration,
    add_parameters,
    both_calibrations,
    given_parameters,
    positive,
)
from wheatstone.viewer.parser import Parser
from wheatstone.viewer.sources.layouts import LAYOUTS
from wheatstone.viewer.sources.levelling import RECTIFY

USAGE = "wheatstone batch SOURCE ... --out DIR [options]"
EPILOG = """\
SOURCE is a folder of pairs, a video, a manifest (.toml, .json), a picture whose other view lies
beside it, or a pattern of these in quotes, such as 'shots/**/left.png'. Several are done in turn.
The same command goes on where an earlier run stopped. Exit codes: 0 done; 1 a pair failed; 2 bad
input or arguments; 3 the machine, or a worker of the cluster, lacks something."""
THREADS = 4


def parse_batch(words: Sequence[str], help: str) -> argparse.Namespace:
    """Parse the words after ``batch``: the pipeline first, because the options depend on it."""
    first = Parser(USAGE, add_help=False, allow_abbrev=False)
    _add_pipeline(first)
    pipeline = PIPELINES[first.parse_known_args(words)[0].pipeline]
    options = _parser(pipeline, help).parse_args(both_calibrations(words))
    options.pipeline = pipeline
    options.params = given_parameters(options, pipeline)
    return options


def formats(writers: Sequence[str]) -> list[str]:
    """List formats as options name them: suffixes without the dot."""
    return [suffix.removeprefix(".") for suffix in writers]


def _add_pipeline(parser: argparse.ArgumentParser) -> None:
    names, default = list(PIPELINES), next(iter(PIPELINES))
    help = f"one of {', '.join(names)}; default: {default}"
    parser.add_argument("--pipeline", choices=names, default=default, metavar="NAME", help=help)


def _parser(pipeline: Pipeline, help: str) -> argparse.ArgumentParser:
    parser = Parser(
        usage=USAGE, description=help, epilog=EPILOG, prog="wheatstone batch", allow_abbrev=False
    )
    help = "folder, video, manifest, picture, or a pattern of these"
    parser.add_argument("sources", nargs="+", metavar="SOURCE", help=help)
    help = "what holds the right views, where SOURCE is one video or folder of left ones"
    parser.add_argument("--right", metavar="PATH", help=help)
    help = "folder to write into, which then belongs to this run; also summary.csv, summary.json, "
    help += "the record batch.jsonl and the definition wheatstone-run.json"
    parser.add_argument("--out", type=Path, required=True, metavar="DIR", help=help)
    _add_pipeline(parser)
    variants = [variant.name for variant in pipeline.variants]
    listed = f"one of {', '.join(variants)}; default: the fastest this machine can run"
    parser.add_argument("--variant", choices=variants, metavar="V", help=listed)
    listed = f"named settings: {', '.join(pipeline.presets)}; single options override them"
    parser.add_argument("--preset", choices=list(pipeline.presets), metavar="P", help=listed)
    _add_outputs(parser)
    _add_selection(parser)
    _add_sources(parser)
    _add_running(parser)
    add_parameters(parser, pipeline)
    return parser


def _add_outputs(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("what is written of each pair")
    values, clouds, films = formats([*WRITERS]), formats([*ENCODERS]), formats(FILMS)
    help = f"values of the result: {', '.join(values)}; may be several"
    group.add_argument("--values", choices=values, nargs="+", default=[], metavar="F", help=help)
    help = "of --values and pictures: another image, such as confidence"
    group.add_argument("--image", metavar="NAME", help=help)
    help = "depths, in the unit of the calibration: the same formats"
    group.add_argument("--depth", choices=values, nargs="+", default=[], metavar="F", help=help)
    help = f"points with colours: {', '.join(clouds)}"
    group.add_argument("--cloud", choices=clouds, nargs="+", default=[], metavar="F", help=help)
    lead = "; ".join(f"{name}: {text.rstrip('.')}" for name, text in AXES.items())
    group.add_argument("--axes", choices=list(AXES), default="camera", help=f"of clouds: {lead}")
    help = "a picture of the result in colours (PNG)"
    group.add_argument("--pictures", action="store_true", help=help)
    help = "a picture of the left view with the result beside it"
    group.add_argument("--side-by-side", action="store_true", help=help)
    help = "colours of pictures; default: the first"
    group.add_argument("--colormap", choices=COLORMAPS, default=COLORMAPS[0], help=help)
    help = f"the pictures of each source as a film, too: {', '.join(films)}"
    group.add_argument("--video", choices=films, metavar="F", help=help)


def _add_selection(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("which pairs")
    help = "of every source: the first N, or A to before B"
    group.add_argument("--frames", type=frame_range, metavar="N|A:B", help=help)
    help = "every Nth of these"
    group.add_argument("--every", type=positive, default=1, metavar="N", help=help)
    group.add_argument("--limit", type=positive, metavar="N", help="at most so many pairs in all")
    help = "only say which pairs there are, and what would be written"
    group.add_argument("--dry-run", action="store_true", help=help)


def _add_sources(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("how pairs were taken")
    add_calibration(group, "of all sources; default: beside the left views")
    help = "where the views lie in each picture; default: found out where the halves match"
    group.add_argument("--layout", choices=LAYOUTS, help=help)
    help = "auto: by features, those of a source as its first pair; off: not at all; default: as "
    help += "the calibration says"
    group.add_argument("--rectify", choices=RECTIFY, help=help)


def _add_running(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("how it runs")
    add_workforce(group)
    help = "pairs on their way in a process: one is computed while others are read and written; "
    help += f"default: {THREADS}"
    group.add_argument("--threads", type=positive, default=THREADS, metavar="N", help=help)
    help = "with --cluster: send pictures to the workers, and files back, instead of shared storage"
    group.add_argument("--send-files", action="store_true", help=help)
    help = "remove what an earlier run wrote to the folder, whatever it computed, and begin again"
    group.add_argument("--restart", action="store_true", help=help)
    help = "replace files in the folder that batch did not write"
    group.add_argument("--force", action="store_true", help=help)
    help = "do not measure by how many rows the views are apart"
    group.add_argument("--no-rows", action="store_true", help=help)
    help = "do not compute how far the result may be trusted"
    group.add_argument("--no-confidence", action="store_true", help=help)
