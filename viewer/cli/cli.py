"""The program's entry point: a table of subcommands, and functions that parse and run them.

    wheatstone VERB [PIPELINE] [LEFT [RIGHT]] [options]

Exit codes: 0 done; 1 a comparison, baseline or calibration failed; 2 invalid input or arguments;
3 a device or package is missing; 130, 143, 129 ended by Ctrl+C, SIGTERM, SIGHUP; 141 the reader of
its output is gone.
"""

import os
import sys
from collections.abc import Mapping, Sequence
from contextlib import nullcontext, suppress
from dataclasses import dataclass
from typing import Any, ClassVar

from wheatstone.gpu import Unavailable
from wheatstone.gpu.nvidia import wake_gpu
from wheatstone.gpu.pipelines import PIPELINES
from wheatstone.gpu.plugins import load_plugins
from wheatstone.viewer import VERSION
from wheatstone.viewer.cli.requests import (
    PROGRAM_SECONDS,
    kernel_folders,
    peer_names,
    program_seconds,
)
from wheatstone.viewer.cli.signals import code_of, raised_signals
from wheatstone.viewer.io.files.streams import flush_output, in_words, open_streams, say
from wheatstone.viewer.io.reading.inputs import INPUTS
from wheatstone.viewer.lazy_import import import_object
from wheatstone.viewer.options import flag_option
from wheatstone.viewer.parser import Request, check_first, parse_request
from wheatstone.viewer.run.compiling import announced_compilations

DONE, FAILED, BAD_INPUT, LACKING = 0, 1, 2, 3
UNREAD = 141
"""The exit code that shells show when the reader of the output is gone: 128 + SIGPIPE."""


@dataclass(frozen=True)
class Verb:
    """A verb (subcommand) of the command line, such as ``view``: help, options and function.

    Attributes:
        help: one sentence that describes the verb.
        request: the class that declares its options, as ``module:class`` of ``viewer.cli``.
        run: the function that runs the verb, called with the request; returns the exit code.
        shows: whether it computes a view in this process soon after the start.
        window: whether it shows the program's window, which reports compilations itself.
        of_kernel: whether it shows a kernel that the command line brings, if that names no variant.
    """

    help: str
    request: str
    run: str
    shows: bool = False
    window: bool = False
    of_kernel: bool = False

    @property
    def request_class(self) -> type[Request]:
        """Import and return the class that declares the subcommand's options."""
        request: type[Request] = _imported(self.request)
        return request


VERBS = {
    "view": Verb(
        "Open a window.",
        "view_request:ViewRequest",
        "view:view",
        shows=True,
        window=True,
        of_kernel=True,
    ),
    "render": Verb(
        "Draw one view without a window.",
        "view_request:RenderRequest",
        "render:render",
        shows=True,
        of_kernel=True,
    ),
    "serve": Verb(
        "Show the window in a browser.",
        "view_request:ServeRequest",
        "serve:serve",
        shows=True,
        window=True,
        of_kernel=True,
    ),
    "lesson": Verb(
        "Explain a pipeline step by step, on a built-in scene or on your own pair.",
        "lesson.options:LessonRequest",
        "lesson.verb:lesson",
        shows=True,
        window=True,
    ),
    "bench": Verb(
        "Compare variants with the reference, then time them.",
        "bench.options:BenchRequest",
        "bench.verb:bench",
    ),
    "compare": Verb(
        "Compare two variants, or a variant and a file of values.",
        "compare.options:CompareRequest",
        "compare.verb:compare_sides",
        shows=True,
    ),
    "report": Verb(
        "Measure this machine, and write a page of all results.",
        "report.verb:ReportRequest",
        "report.verb:report",
    ),
    "figure": Verb(
        "Arrange views, metrics and colour bars in a figure: SVG, PDF or PNG.",
        "figure.request:FigureRequest",
        "figure.verb:figure",
        shows=True,
    ),
    "evaluate": Verb(
        "Compare the disparities of a data set with its ground truth.",
        "evaluate.request:EvaluateRequest",
        "evaluate.verb:evaluate",
    ),
    "batch": Verb(
        "Compute any number of pairs, on one or more machines, and write files and a table.",
        "batch.request:BatchRequest",
        "batch.verb:batch",
    ),
    "submit": Verb(
        "Compute a benchmark's pairs, and write the archive that its server accepts.",
        "submit:SubmitRequest",
        "submit:submit",
    ),
    "calibrate": Verb(
        "Calibrate two cameras from pairs that show a board, or print the board.",
        "calibrate.options:CalibrateRequest",
        "calibrate.verb:calibrate",
    ),
    "rectify": Verb(
        "Rectify pairs with the calibration of their cameras, and write them.",
        "rectify:RectifyRequest",
        "rectify:rectify",
    ),
    "sources": Verb(
        "List the cameras of this machine, and examples of other live sources.",
        "sources:SourcesRequest",
        "sources:sources",
    ),
    "doctor": Verb(
        "Check this machine, and suggest repairs; or describe a calibration.",
        "doctor:DoctorRequest",
        "doctor:doctor",
    ),
    "kernel": Verb(
        "Create a folder for your own kernels, check them, or grade those of a course.",
        "kernel.request:KernelRequest",
        "kernel.verb:kernel",
    ),
    "model": Verb(
        "Determine the convention of a stereo network, for `--variant onnx:FILE`.",
        "model.request:ModelRequest",
        "model.verb:model",
    ),
    "completion": Verb(
        "Print a script for a shell that completes verbs, options and values.",
        "completion:CompletionRequest",
        "completion:completion",
    ),
}

ALONE = ("--help", "--version")
"""Options that are used without a verb."""

DESCRIPTION = "A live stereo viewer. Without arguments, it shows sgm on the built-in scene."


def _listed(helped: Mapping[str, Any]) -> str:
    return "\n".join(f"  {name:12}{one.help}" for name, one in helped.items())


@dataclass(frozen=True, kw_only=True)
class ProgramRequest(Request):
    """The options that are used without a subcommand, such as ``--version``."""

    prog: ClassVar[str] = "wheatstone"
    usage: ClassVar[str] = "wheatstone [VERB] [PIPELINE] [LEFT [RIGHT]] [options]"
    preformatted: ClassVar[bool] = True
    epilog: ClassVar[str] = (
        f"verbs:\n{_listed(VERBS)}\n\npipelines:\n{_listed(PIPELINES)}\n\n"
        "`wheatstone VERB PIPELINE --help` lists the options."
    )
    version: bool = flag_option("show the program's version and exit")
    verbose: bool = flag_option(
        "with --version: also show the versions of dependencies, for an error report"
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command line; return its exit code.

    Set WHEATSTONE_DEBUG=1 to see tracebacks.
    """
    open_streams()
    INPUTS.clear()
    with raised_signals():
        try:
            return _run(list(sys.argv[1:] if arguments is None else arguments))
        except KeyboardInterrupt as interruption:
            return _complain(str(interruption) or "interrupted", code_of(interruption))
        except Unavailable as error:
            return _complain(error, LACKING)
        except ImportError as error:
            why = str(error).strip().partition("\n")[0]
            return _complain(
                f"a package cannot be imported: {why}; see `wheatstone doctor`", LACKING
            )
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
        _load_own_variants(words)
        request = parse(_with_own_kernel(words))
        verb = VERBS[request.verb]
        if verb.shows:
            wake_gpu()  # while modules are imported
        with nullcontext() if verb.window else announced_compilations():
            code: int = _imported(verb.run)(request)
    except SystemExit as leaving:
        if isinstance(leaving.__context__, BrokenPipeError):  # rich leaves so, with exit code 1
            raise BrokenPipeError from leaving
        flush_output()
        raise
    flush_output()
    return code


def _load_own_variants(words: Sequence[str]) -> None:
    """Declare the kernels and external variants that a command line names.

    Raises:
        OSError, ValueError, Unavailable: one cannot be read, or is no variant.
    """
    if folders := kernel_folders(words):
        declare_folders = import_object("wheatstone.viewer.run.kernels.folder:declare_folders")
        declare_folders(folders)
    if names := peer_names(words):
        remedy = "" if VERBS[_verb_of(words)].window else f"; {PROGRAM_SECONDS} changes the limit"
        declare_peers = import_object("wheatstone.viewer.run.peers.own_peer:declare_peers")
        declare_peers(names, program_seconds(words), remedy)


def _with_own_kernel(words: Sequence[str]) -> list[str]:
    """Return the command line, with ``--variant`` added for a kernel of the user's own.

    It is added only if the command line names no variant.
    """
    chosen = any(word.partition("=")[0] == "--variant" for word in words)
    if not chosen and kernel_folders(words) and VERBS[_verb_of(words)].of_kernel:
        loaded = import_object("wheatstone.viewer.run.kernels.folder:loaded_folders")()
        for kernels in (folder.kernels for folder in loaded):
            if kernels.pipeline in words:
                return [*words, "--variant", kernels.variant]
    return list(words)


def _complain(error: object, code: int) -> int:
    """Print an error and return an exit code; in debug mode, raise the error again instead."""
    if os.environ.get("WHEATSTONE_DEBUG"):
        raise  # the exception being handled by the caller
    say(error)
    return code


def parse(words: Sequence[str]) -> Any:
    """Parse a command line (of ``view`` if it names no subcommand); return its options' values."""
    rest = list(words)
    if set(rest) == {"--version", "--verbose"}:
        print(*_imported("versions:version_lines")(), sep="\n")
        raise SystemExit(DONE)
    if rest and rest[0] == "--version":
        print(f"wheatstone {VERSION}")
        raise SystemExit(DONE)
    if rest and rest[0] in ("--help", "-h"):
        parse_request(ProgramRequest, rest, DESCRIPTION)
    check_first(rest, (*VERBS, *PIPELINES, *ALONE), "verb")
    if rest[:1] == [verb := _verb_of(rest)]:
        rest.pop(0)
    return parse_request(VERBS[verb].request_class, rest, VERBS[verb].help)


def _verb_of(words: Sequence[str]) -> str:
    """Return the subcommand of a command line: ``view`` if it names none."""
    return next((word for word in words[:1] if word in VERBS), "view")


def _imported(place: str) -> Any:
    """Import an object of ``viewer.cli``, given as ``module:name``, only when it is needed."""
    return import_object(f"wheatstone.viewer.cli.{place}")
