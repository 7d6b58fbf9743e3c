"""The subcommands, options and values of the command line as data, for documentation."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from wheatstone.gpu.parameters import Control
from wheatstone.gpu.pipelines import PIPELINES
from wheatstone.viewer.options import Option, Pipelines
from wheatstone.viewer.parser import Entry, Request, entries

WITH_PIPELINE = ("view", "render", "bench", "compare")
"""Verbs that a pipeline may follow, with options of its own."""
FILES = ("FILE", "LEFT", "RIGHT", "DIR", "PNG")
"""Words in the names of values that are files, although they are read as text."""
HELP = Option(Control("show this help message and exit", "text"), form="flag")


@dataclass(frozen=True)
class DeclaredOption:
    """An option or a positional argument of a subcommand.

    Attributes:
        names: such as ``--out``; empty for a positional argument.
        metavar: the name of its value; empty: it takes none.
        help: its full description.
        values: the values it may have; empty: any.
        is_file: whether its value is a file or a folder.
        heading: of the group of options that it belongs to.
    """

    names: tuple[str, ...]
    metavar: str
    help: str
    values: tuple[str, ...]
    is_file: bool
    heading: str

    @property
    def brief(self) -> str:
        """Return a short description of the option."""
        words = self.help.replace("\n", " ").split(";")[0].split(". ")[0].rstrip(".")
        return words if len(words) <= 72 else f"{words[:69].rsplit(' ', 1)[0]} ..."


@dataclass(frozen=True)
class DeclaredVerb:
    """A subcommand, with the options that it accepts for one pipeline.

    Attributes:
        pipeline: the pipeline's name; empty without one.
    """

    verb: str
    pipeline: str
    options: tuple[DeclaredOption, ...]


def declared_verbs() -> Iterator[DeclaredVerb]:
    """Yield every subcommand, without a pipeline and with each pipeline that it accepts."""
    from wheatstone.viewer.cli.cli import VERBS

    for name, verb in VERBS.items():
        request = verb.request_class
        yield _declared(request, "", request.pipelines_of(())[2])
        for pipeline in PIPELINES.values() if name in WITH_PIPELINE else ():
            yield _declared(request, pipeline.name, (pipeline,))


def _declared(request: type[Request], pipeline: str, pipelines: Pipelines) -> DeclaredVerb:
    listed = [Entry("help", "", HELP, ("-h", "--help")), *entries(request, pipelines)]
    listed.sort(key=lambda entry: not entry.option.positional)
    shown = tuple(_option(entry, pipelines) for entry in listed if not entry.option.hidden)
    return DeclaredVerb(request.verb, pipeline, shown)


def _option(entry: Entry, pipelines: Pipelines) -> DeclaredOption:
    option, names = entry.option, () if entry.option.positional else entry.names
    if option.form in ("switch", "switches"):
        names += tuple(name.replace("--", "--no-", 1) for name in names)
    values: tuple[str, ...] = ()
    if option.takes_value and not option.read:
        values = tuple(map(str, option.control.choices))
    if not values and names and names[0].endswith("preset"):  # users may have others
        values = tuple(pipelines[0].presets)
    metavar = ""
    if option.takes_value:
        metavar = option.metavar if isinstance(option.metavar, str) else " ".join(option.metavar)
        metavar = metavar or "|".join(values)
    is_file = option.read is Path or any(word in metavar for word in FILES)
    return DeclaredOption(names, metavar, option.help, values, is_file, entry.heading)
