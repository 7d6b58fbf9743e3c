"""Define and parse the command line of ``bench``, where options take several values."""

import argparse
from collections.abc import Iterable, Sequence
from pathlib import Path

from wheatstone.gpu.parameters import controls, defaults
from wheatstone.gpu.pipeline import Pipeline
from wheatstone.gpu.pipelines import PIPELINES
from wheatstone.viewer.former_options import add_parameter, add_source, positive, seconds, size
from wheatstone.viewer.parser import Parser, check_first

USAGE = "wheatstone bench [PIPELINE ...] [LEFT [RIGHT]] [options]"
EPILOG = """\
Options of several values are combined each with each. An option counts for the pipelines that
have it. Exit codes: 0 done; 1 a result differs from the reference, or a regression; 2 bad input
or arguments; 3 the machine lacks a variant named, or memory for the reference."""


def parse_bench(words: Sequence[str], help: str) -> argparse.Namespace:
    """Parse the words after ``bench``: pipelines first, because the options depend on them."""
    rest, pipelines = list(words), []
    while rest and rest[0] in PIPELINES:
        pipelines.append(PIPELINES[rest.pop(0)])
    check_first(rest, PIPELINES, "pipeline")
    chosen = list({p.name: p for p in pipelines}.values()) or list(PIPELINES.values())
    parser = _parser(chosen, help)
    options = parser.parse_args(rest)
    if options.source and options.left:
        parser.error(f"--source is the same as LEFT: give one (got {options.left})")
    options.left = options.source or options.left
    options.verb, options.pipelines, options.words = "bench", chosen, ["bench", *words]
    names = {name for pipeline in chosen for name in controls(pipeline.params)}
    options.params = {n: values for n, values in vars(options).items() if n in names and values}
    return options


def _parser(pipelines: Sequence[Pipeline], help: str) -> argparse.ArgumentParser:
    parser = Parser(
        usage=USAGE, description=help, epilog=EPILOG, prog="wheatstone bench", allow_abbrev=False
    )
    scene = add_source(parser, "image or video file, or folder of left and right images")
    help = "a picture, folder or video whose first frame is measured on; the same as LEFT"
    parser.add_argument("--source", metavar="FILE", help=help)
    sizes = "sizes of the scene; default: 640x480"
    scene.add_argument("--size", type=size, nargs="+", metavar="WxH", help=sizes)
    for option in ("--gpus", "--cluster"):  # which other verbs have
        parser.add_argument(option, nargs="?", action=Refused, help=argparse.SUPPRESS)
    _add_choices(parser, pipelines)
    _add_extent(parser)
    _add_files(parser)
    _add_parameters(parser, pipelines)
    return parser


class Refused(argparse.Action):
    """An option for several devices, which ``bench`` refuses because it measures one device."""

    def __call__(self, *_: object) -> None:
        """Refuse the option with an error."""
        said = "bench measures one machine and one GPU: times of several never mix"
        raise argparse.ArgumentError(self, said)


def _add_choices(parser: argparse.ArgumentParser, pipelines: Sequence[Pipeline]) -> None:
    variants = _once(v.name for p in pipelines for v in p.variants)
    presets = _once(name for p in pipelines for name in p.presets)
    listed = f"beside the reference; default: all of {', '.join(variants)}"
    parser.add_argument("--variants", choices=variants, nargs="+", metavar="V", help=listed)
    listed = f"named settings: {', '.join(presets)}; single options override them"
    hidden = listed if presets else argparse.SUPPRESS
    parser.add_argument("--preset", choices=presets, nargs="+", metavar="P", help=hidden)


def _once(names: Iterable[str]) -> list[str]:
    """List names without repetition, in order."""
    return list(dict.fromkeys(names))


def _add_extent(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("what is measured")
    help = "frames timed of each variant; default: 200"
    group.add_argument("--repeat", type=positive, default=200, metavar="N", help=help)
    help = "begin no further frame of a variant after so many seconds; default: 5"
    group.add_argument("--seconds", type=seconds, default=5.0, metavar="S", help=help)
    help = "at all values of the parameter that tells the variants of a pipeline apart"
    group.add_argument("--sweep", action="store_true", help=help)
    help = "time every stage, too, in frames of their own"
    group.add_argument("--stages", action="store_true", help=help)
    help = "time the first frame in new processes, with and without cached code, too"
    group.add_argument("--cold", action="store_true", help=help)


def _add_files(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("files")
    for name in ("json", "markdown", "csv"):
        group.add_argument(f"--{name}", type=Path, metavar="FILE", help="write the results there")
    help = "measure anew what an interrupted run with the same --json has measured"
    group.add_argument("--restart", action="store_true", help=help)
    help = "results written by --json before: compare the medians with theirs"
    group.add_argument("--baseline", type=Path, metavar="FILE", help=help)


def _add_parameters(parser: argparse.ArgumentParser, pipelines: Sequence[Pipeline]) -> None:
    added: dict[str, argparse.Action] = {}
    for pipeline in pipelines:
        group = parser.add_argument_group(f"parameters of {pipeline.name}")
        for name, control in controls(pipeline.params).items():
            default = defaults(pipeline.params)[name]
            if name not in added:
                added[name] = add_parameter(group, name, control, default, several=True)
                continue
            bounds = f" In {pipeline.name}: {control.bounds} (default: {default})."
            added[name].help = f"{added[name].help}{bounds}".replace("%", "%%")
