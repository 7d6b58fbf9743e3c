"""Run command lines: a table of the verbs, with the functions that parse and run each.

    wheatstone VERB [PIPELINE] [LEFT [RIGHT]] [options]

Exit codes: 0 done; 1 a comparison, baseline or calibration failed; 2 invalid input or arguments;
3 a device or package is missing; 130, 143, 129 ended by Ctrl+C, SIGTERM, SIGHUP; 141 the reader of
its output is gone.
"""

import argparse
import os
import sys
from collections.abc import Sequence
from contextlib import nullcontext, suppress
from dataclasses import dataclass
from typing import Any

from wheatstone.gpu import Unavailable
from wheatstone.gpu.driver import wake_gpu
from wheatstone.gpu.pipelines import PIPELINES
from wheatstone.gpu.plugins import load_plugins
from wheatstone.viewer import VERSION
from wheatstone.viewer.commands.first_word import check_first
from wheatstone.viewer.commands.signals import code_of, raised_signals
from wheatstone.viewer.commands.windows import WINDOWS
from wheatstone.viewer.files.streams import flush_output, in_words, open_streams, say
from wheatstone.viewer.lazy_import import import_object
from wheatstone.viewer.parser import Parser
from wheatstone.viewer.reading.inputs import INPUTS
from wheatstone.viewer.run.compiling import announced_compilations

DONE, FAILED, BAD_INPUT, LACKING = 0, 1, 2, 3
UNREAD = 141
"""The exit code that shells show when the reader of the output is gone: 128 + SIGPIPE."""


@dataclass(frozen=True)
class Verb:
    """One verb of the command line.

    Attributes:
        help: one sentence that describes the verb.
        parse: the function that parses the words after the verb, as ``module:function`` of
            ``viewer.commands``; called with the words and the help.
        run: the function that runs the verb, called with the options; returns the exit code.
        shows: whether it computes a view in this process soon after the start.
    """

    help: str
    parse: str
    run: str
    shows: bool = False

    def options(self, name: str, words: Sequence[str]) -> argparse.Namespace:
        """Parse the words after the verb."""
        options: argparse.Namespace = _function(self.parse)(words, self.help)
        options.verb = name
        return options


VERBS = {
    "view": Verb("Open a window.", "view_options:parse_view", "view:view", shows=True),
    "render": Verb(
        "Draw one view without a window.",
        "view_options:parse_render",
        "render:render",
        shows=True,
    ),
    "serve": Verb(
        "Show the window in a browser.", "serve_options:parse_serve", "serve:serve", shows=True
    ),
    "lesson": Verb(
        "Teach step by step how a pipeline comes by its result, on the scene or on your own pair.",
        "lesson.options:parse_lesson",
        "lesson.verb:lesson",
        shows=True,
    ),
    "bench": Verb(
        "Compare variants with the reference, then time them.",
        "bench.options:parse_bench",
        "bench.verb:bench",
    ),
    "compare": Verb(
        "Say where two variants differ, or a variant and a file of values.",
        "compare.options:parse_compare",
        "compare.verb:compare_sides",
        shows=True,
    ),
    "report": Verb(
        "Measure everything, and write one page that shows it.",
        "report.options:parse_report",
        "report.verb:report",
    ),
    "figure": Verb(
        "Lay views, metrics and colour bars out as a figure for a report: SVG, PDF or PNG.",
        "figure.options:parse_figure",
        "figure.verb:figure",
        shows=True,
    ),
    "evaluate": Verb(
        "Judge the disparities of a data set against the truth.",
        "evaluate.options:parse_evaluate",
        "evaluate.verb:evaluate",
    ),
    "batch": Verb(
        "Compute any number of pairs, on one machine or many, into files and a table.",
        "batch.options:parse_batch",
        "batch.verb:batch",
    ),
    "calibrate": Verb(
        "Find out what two cameras are from pairs that show a board, or print the board.",
        "calibrate.options:parse_calibrate",
        "calibrate.verb:calibrate",
    ),
    "rectify": Verb(
        "Rectify pairs by the calibration of their cameras, and write them.",
        "rectify:parse_rectify",
        "rectify:rectify",
    ),
    "sources": Verb(
        "List the cameras of this machine, and what else can be shown live.",
        "sources:parse_sources",
        "sources:sources",
    ),
    "doctor": Verb(
        "Say what this machine has, what it lacks, and what mends it; or what a calibration holds.",
        "doctor:parse_doctor",
        "doctor:doctor",
    ),
    "completion": Verb(
        "Write what lets a shell complete verbs, options and values.",
        "completion:parse_completion",
        "completion:completion",
    ),
}

ALONE = ("--help", "--version")
"""Options that are used without a verb."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command line; return its exit code. Set WHEATSTONE_DEBUG=1 to see tracebacks."""
    open_streams()
    INPUTS.clear()
    with raised_signals():
        try:
            return _run(list(sys.argv[1:] if arguments is None else arguments))
        except KeyboardInterrupt as interruption:
            return _complain(str(interruption) or "interrupted", code_of(interruption))
        except Unavailable as error:
            return _complain(error, LACKING)
        except MemoryError as error:
            return _complain(f"out of memory: {error}", LACKING)
        except BrokenPipeError as error:
            return UNREAD if error.filename is None else _complain(error, BAD_INPUT)
        except OSError as error:
            return _complain(in_words(error), BAD_INPUT)
        except ValueError as error:
            return _complain(error, BAD_INPUT)
        finally:
            with suppress(OSError):  # which was said before, if there is one
                flush_output()


def _run(words: Sequence[str]) -> int:
    """Run a command line, and flush its output, even if parsing ends the program."""
    try:
        for problem in load_plugins():
            say(problem)
        options = parse(words)
        if VERBS[options.verb].shows:
            wake_gpu()  # while modules are imported
        told = nullcontext() if options.verb in WINDOWS else announced_compilations()
        with told:  # a window says it itself
            code: int = _function(VERBS[options.verb].run)(options)
    except SystemExit as leaving:
        if isinstance(leaving.__context__, BrokenPipeError):  # rich leaves so, with exit code 1
            raise BrokenPipeError from leaving
        flush_output()
        raise
    flush_output()
    return code


def _complain(error: object, code: int) -> int:
    """Print an error and return an exit code; in debug mode, raise the error again instead."""
    if os.environ.get("WHEATSTONE_DEBUG"):
        raise  # the exception being handled by the caller
    say(error)
    return code


def parse(words: Sequence[str]) -> argparse.Namespace:
    """Parse a command line: the verb first, because the options depend on it."""
    rest = list(words)
    if set(rest) == {"--version", "--verbose"}:
        print(*_function("versions:version_lines")(), sep="\n")
        raise SystemExit(DONE)
    if rest and rest[0] in (*ALONE, "-h"):
        return _top_parser().parse_args(rest)
    check_first(rest, (*VERBS, *PIPELINES, *ALONE), "verb")
    verb = rest.pop(0) if rest and rest[0] in VERBS else "view"
    return VERBS[verb].options(verb, rest)


def _function(place: str) -> Any:
    """Import the function ``module:function`` only now, so that no verb loads another's modules."""
    return import_object(f"wheatstone.viewer.commands.{place}")


def _top_parser() -> argparse.ArgumentParser:
    pipelines = "\n".join(f"  {name:12}{p.help}" for name, p in PIPELINES.items())
    verbs = "\n".join(f"  {name:12}{verb.help}" for name, verb in VERBS.items())
    parser = Parser(
        prog="wheatstone",
        usage="wheatstone [VERB] [PIPELINE] [LEFT [RIGHT]] [options]",
        description="A live stereo viewer. Bare `wheatstone` shows sgm on the built-in scene.",
        epilog=f"verbs:\n{verbs}\n\npipelines:\n{pipelines}\n\n"
        "`wheatstone VERB PIPELINE --help` lists the options.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"wheatstone {VERSION}")
    help = "with --version: the versions of all that is used, for a report of an error"
    parser.add_argument("--verbose", action="store_true", help=help)
    return parser
