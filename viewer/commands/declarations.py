"""List the verbs, pipelines, options and values of the command line, from its parsers."""

import argparse
from collections.abc import Iterator
from contextlib import redirect_stdout
from dataclasses import dataclass, replace
from io import StringIO
from pathlib import Path

from wheatstone.gpu.pipelines import PIPELINES
from wheatstone.viewer.parser import HelpShown, Parser, Switch


@dataclass(frozen=True)
class DeclaredOption:
    """An option, or a positional argument.

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
    """A verb, with the options that it takes for one pipeline.

    Attributes:
        pipeline: the pipeline's name; empty without one.
        usage: the words after the program's name.
    """

    verb: str
    pipeline: str
    usage: str
    options: tuple[DeclaredOption, ...]


def declared_verbs() -> Iterator[DeclaredVerb]:
    """Yield every verb, without a pipeline and with each pipeline that may follow it."""
    from wheatstone.viewer.commands.cli import VERBS

    for verb in VERBS:
        plain = _parser(verb)
        yield _declared(verb, "", plain)
        for name in PIPELINES if _takes_pipeline(verb) else ():
            yield _declared(verb, name, _parser(verb, name))


def _takes_pipeline(verb: str) -> bool:
    """Return whether a pipeline may follow a verb; its options then depend on the pipeline."""
    return verb in ("view", "render", "bench", "compare")


def _parser(*words: str) -> Parser:
    """Return the parser of a command line, by asking that parser for its help."""
    from wheatstone.viewer.commands.cli import parse

    try:
        with redirect_stdout(StringIO()):
            parse([*words, "--help"])
    except HelpShown as shown:
        return shown.parser
    raise AssertionError(f"{words} have no help")


def _declared(verb: str, pipeline: str, parser: Parser) -> DeclaredVerb:
    found = []
    for group in parser._action_groups:
        heading = group.title or ""
        for action in group._group_actions:
            if action.help != argparse.SUPPRESS:
                found.append(_with_presets(_option(action, heading, parser.prog), pipeline))
    words = " ".join(w for w in parser.format_usage().split()[1:])
    return DeclaredVerb(verb, pipeline, words, tuple(found))


def _with_presets(option: DeclaredOption, pipeline: str) -> DeclaredOption:
    """Add the pipeline's presets to an option that names presets; users may have others."""
    if option.values or not option.names or not option.names[0].endswith("preset"):
        return option
    return replace(option, values=tuple(PIPELINES[pipeline or "sgm"].presets))


def _option(action: argparse.Action, heading: str, prog: str) -> DeclaredOption:
    takes = action.nargs != 0
    values = tuple(map(str, action.choices)) if action.choices and takes else ()
    name = action.metavar if isinstance(action.metavar, str) else action.dest.upper()
    metavar = ("|".join(values) if values and not action.metavar else name) if takes else ""
    help = (action.help or "").replace("%(prog)s", prog).replace("%%", "%")
    if isinstance(action, Switch):
        help = help.removesuffix(" (default: None)")
    is_file = action.type is Path or any(word in metavar for word in FILES)
    return DeclaredOption(tuple(action.option_strings), metavar, help, values, is_file, heading)


FILES = ("FILE", "LEFT", "RIGHT", "DIR", "PNG")
"""Words in the names of values that are files, although the parser reads them as text."""
