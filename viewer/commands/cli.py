"""The command line, generated from the pipelines' declarations.

    wheatstone VERB [PIPELINE] [LEFT [RIGHT]] [options]

Exit codes: 0 done; 1 a comparison or a baseline failed; 2 bad input or arguments; 3 the machine
lacks something.
"""

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from gpu import Unavailable
from gpu.parameters import controls, defaults
from gpu.pipeline import Pipeline
from gpu.pipelines import PIPELINES
from viewer import VERSION
from viewer.colormaps import COLORMAPS
from viewer.commands.look_options import add_look
from viewer.commands.mixing_options import add_mixing
from viewer.commands.truth_options import add_truth
from viewer.options import add_parameter, add_source, center, choice, size, zoom

DONE, FAILED, BAD_INPUT, LACKING = 0, 1, 2, 3
DISPLAY_MODES = ("auto", "interop", "copy")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command line; returns its exit code. Set WHEATSTONE_DEBUG=1 to see tracebacks."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    try:
        options = parse(words)
        return VERBS[options.verb](options)
    except KeyboardInterrupt:
        return _complain("interrupted", 130)
    except Unavailable as error:
        return _complain(error, LACKING)
    except MemoryError as error:
        return _complain(f"out of memory: {error}", LACKING)
    except (ValueError, OSError) as error:
        return _complain(error, BAD_INPUT)


def _complain(error: object, code: int) -> int:
    if os.environ.get("WHEATSTONE_DEBUG"):
        raise  # the exception being handled by the caller
    print(f"wheatstone: {error}", file=sys.stderr)
    return code


def parse(words: Sequence[str]) -> argparse.Namespace:
    """Read a command line: verb and pipeline first, because the options depend on them."""
    rest = list(words)
    if rest[:1] in (["--version"], ["--help"], ["-h"]):
        return _top_parser().parse_args(rest)
    verb = rest.pop(0) if rest and rest[0] in VERBS else "view"
    if verb == "doctor":
        return _doctor_parser().parse_args(rest, argparse.Namespace(verb=verb))
    if verb in OWN_PARSERS:
        return OWN_PARSERS[verb](rest, HELP[verb])
    named = bool(rest) and rest[0] in PIPELINES
    pipeline = PIPELINES[rest.pop(0) if named else "sgm"]
    options = _pipeline_parser(verb, pipeline).parse_args(rest)
    options.verb, options.pipeline = verb, pipeline
    options.params = {
        name: value
        for name in controls(pipeline.params)
        if (value := getattr(options, name)) is not None
    }
    own = (options.params, options.preset, options.variant, options.view)
    options.names_pipeline = named or any(own)
    return options


def _parse_bench(words: Sequence[str], help: str) -> argparse.Namespace:
    from viewer.commands.bench.options import parse_bench

    return parse_bench(words, help)


def _parse_compare(words: Sequence[str], help: str) -> argparse.Namespace:
    from viewer.commands.compare.command import parse_compare

    return parse_compare(words, help)


def _parse_evaluate(words: Sequence[str], help: str) -> argparse.Namespace:
    from viewer.commands.evaluate.command import parse_evaluate

    return parse_evaluate(words, help)


def _parse_report(words: Sequence[str], help: str) -> argparse.Namespace:
    from viewer.commands.report.command import parse_report

    return parse_report(words, help)


def _top_parser() -> argparse.ArgumentParser:
    pipelines = "\n".join(f"  {name:10}{p.help}" for name, p in PIPELINES.items())
    verbs = "\n".join(f"  {name:10}{HELP[name]}" for name in VERBS)
    parser = argparse.ArgumentParser(
        prog="wheatstone",
        usage="wheatstone [VERB] [PIPELINE] [LEFT [RIGHT]] [options]",
        description="A live stereo viewer. Bare `wheatstone` shows sgm on the built-in scene.",
        epilog=f"verbs:\n{verbs}\n\npipelines:\n{pipelines}\n\n"
        "`wheatstone VERB PIPELINE --help` lists the options.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"wheatstone {VERSION}")
    return parser


def _doctor_parser() -> argparse.ArgumentParser:
    return argparse.ArgumentParser("wheatstone doctor", description=HELP["doctor"])


def _pipeline_parser(verb: str, pipeline: Pipeline) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog=f"wheatstone {verb} {pipeline.name}",
        description=f"{HELP[verb]} {pipeline.help}",
        allow_abbrev=False,
    )
    help = "image file, folder of left and right images, or a screenshot to restore"
    scene = add_source(parser, help)
    help = "its size; default: 640x480, for `render` --size"
    scene.add_argument("--scene-size", type=size, metavar="WxH", help=help)
    _add_choice_of_variant(parser, pipeline)
    group = parser.add_argument_group(f"parameters of {pipeline.name}")
    for name, control in controls(pipeline.params).items():
        add_parameter(group, name, control, defaults(pipeline.params)[name])
    _add_view(parser, pipeline)
    add_look(parser)
    add_mixing(parser)
    add_truth(parser)
    _add_settings(parser)
    if verb == "render":
        help = "picture of the view (.png), or a film of it (.mp4, .mkv, .mov)"
        parser.add_argument("--out", type=Path, metavar="FILE", help=help)
        help = "of a film, from --frame on; default: as many as the sequence has"
        parser.add_argument("--frames", type=int, metavar="N", help=help)
        help = "play what a user would do, panels and all: keys, drags, waits, one step a line"
        parser.add_argument("--script", type=Path, metavar="FILE", help=help)
        help = "of a script's window: pixels a unit of text and spacing"
        parser.add_argument("--scale", type=zoom, default=1.0, metavar="X", help=help)
        help = "raw result: .npy, .tiff, .pfm, or .png (disparity: KITTI's 16 bit)"
        parser.add_argument("--values", type=Path, metavar="FILE", help=help)
    return parser


def _add_choice_of_variant(parser: argparse.ArgumentParser, pipeline: Pipeline) -> None:
    variants = ", ".join(f"{v.name} ({v.device})" for v in pipeline.variants)
    help = f"implementation: {variants}; default: the fastest this machine can run"
    names = [variant.name for variant in pipeline.variants]
    parser.add_argument("--variant", choices=names, metavar="V", help=help)
    if not controls(pipeline.params):
        parser.set_defaults(preset=None)
        return
    presets = ", ".join([*pipeline.presets, "your own"])
    help = f"named settings: {presets}; single options override them"
    parser.add_argument("--preset", metavar="P", help=help)


def _add_view(parser: argparse.ArgumentParser, pipeline: Pipeline) -> None:
    group = parser.add_argument_group("what is shown")
    views = "; ".join(f"{view.name}: {view.help}" for view in pipeline.views)
    names = [view.name for view in pipeline.views]
    group.add_argument("--view", choices=names, help=views)
    group.add_argument("--colormap", choices=COLORMAPS, help="colours of results")
    group.add_argument("--size", type=size, metavar="WxH", help="size of the picture or window")
    group.add_argument("--frame", type=int, metavar="N", help="frame of a sequence, from 0")
    group.add_argument("--zoom", type=zoom, metavar="Z", help="1 fits the picture into its size")
    help = "image point in the middle, in fractions of its width and height"
    group.add_argument("--center", type=center, metavar="X,Y", help=help)
    help = "how results of CUDA variants reach OpenGL; auto: interop where it works, else copy"
    group.add_argument("--display", choices=DISPLAY_MODES, default="auto", help=help)


def _add_settings(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("settings")
    help = "restore settings saved as TOML; options override them"
    group.add_argument("--settings", type=Path, metavar="FILE", help=help)
    help = "do not restore the last session; `render` never does"
    group.add_argument("--fresh", action="store_true", help=help)
    help = "what a panel chooses, as settings call it; may be repeated"
    group.add_argument("--set", type=choice, action="append", metavar="FIELD.NAME=VALUE", help=help)


def _view(options: argparse.Namespace) -> int:
    from viewer.app import view

    return view(options)


def _render(options: argparse.Namespace) -> int:
    from viewer.commands.render import render

    return render(options)


def _bench(options: argparse.Namespace) -> int:
    from viewer.commands.bench.verb import bench

    return bench(options)


def _compare(options: argparse.Namespace) -> int:
    from viewer.commands.compare.verb import compare_sides

    return compare_sides(options)


def _evaluate(options: argparse.Namespace) -> int:
    from viewer.commands.evaluate.verb import evaluate

    return evaluate(options)


def _report(options: argparse.Namespace) -> int:
    from viewer.commands.report.verb import report

    return report(options)


def _doctor(options: argparse.Namespace) -> int:
    from viewer.commands.doctor import doctor

    return doctor()


VERBS: dict[str, Callable[[argparse.Namespace], int]] = {
    "view": _view,
    "render": _render,
    "bench": _bench,
    "compare": _compare,
    "report": _report,
    "evaluate": _evaluate,
    "doctor": _doctor,
}
HELP = {
    "view": "Open a window.",
    "render": "Draw one view without a window.",
    "bench": "Compare variants with the reference, then time them.",
    "compare": "Say where two variants differ, or a variant and a file of values.",
    "report": "Measure everything, and write one page that shows it.",
    "evaluate": "Judge the disparities of a data set against the truth.",
    "doctor": "Say what this machine has, what it lacks, and what mends it.",
}
OWN_PARSERS: dict[str, Callable[[Sequence[str], str], argparse.Namespace]] = {
    "bench": _parse_bench,
    "compare": _parse_compare,
    "report": _parse_report,
    "evaluate": _parse_evaluate,
}
