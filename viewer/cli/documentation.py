"""The manual page and the generated parts of ``docs``, and the command that updates them.

``python -m wheatstone.viewer.cli.documentation`` writes them between their markers. With
``--check`` it names the pages that are out of date, and its exit code is 1 if there are any.
"""

import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from wheatstone.gpu.parameters import controls
from wheatstone.gpu.peers.model_card import ModelCard
from wheatstone.gpu.pipeline import Pipeline
from wheatstone.gpu.pipelines import PIPELINES
from wheatstone.viewer import VERSION
from wheatstone.viewer.cli.declarations import DeclaredOption, DeclaredVerb, declared_verbs
from wheatstone.viewer.cli.documented_tables import (
    choice_table,
    extra_table,
    fact_table,
    field_table,
    key_tables,
    mouse_table,
    own_key_table,
    parameter_table,
    preset_table,
    stage_table,
    variant_table,
    view_table,
)
from wheatstone.viewer.options import flag_option
from wheatstone.viewer.parser import Request, parse_request, parser_of
from wheatstone.viewer.resources import ROOT
from wheatstone.viewer.run.kernels.assignment import Assignment
from wheatstone.viewer.run.kernels.folder import KernelDocument, StageTable

PAGE = "share/man/man1/wheatstone.1"
"""The path of the page, in the checkout and in an installation."""
CLOSING = """\
.SH FILES
.TP
.I ~/.config/wheatstone
The last session, settings and presets.
.SH EXIT STATUS
0 done; 1 a comparison, baseline or calibration failed; 2 bad input or arguments; 3 a device or
package is missing; 130, 143, 129 ended by Ctrl+C, SIGTERM, SIGHUP; 141 the reader of the output is
gone.
.SH EXAMPLES
.nf
wheatstone
wheatstone view left.png right.png
wheatstone render left.png right.png \\-\\-view depth \\-\\-out depth.png
wheatstone bench sgm
wheatstone doctor
.fi"""


def man_page() -> str:
    """Return the manual page as text in the format roff."""
    from wheatstone.viewer.cli.cli import VERBS

    verbs = list(declared_verbs())
    lines = [
        f'.TH WHEATSTONE 1 "" "wheatstone {VERSION}" "User Commands"',
        ".SH NAME",
        "wheatstone \\- a live stereo viewer",
        ".SH SYNOPSIS",
        ".B wheatstone",
        '.RI [ VERB "] [" PIPELINE "] [" LEFT " [" RIGHT ]] " " [ options ]',
        ".SH DESCRIPTION",
        "Shows disparity by semi\\-global matching, edges and matches of stereo pairs, computed by",
        "any of several implementations with identical results, in a window or without one.",
        "Without arguments it opens a window with the built\\-in scene.",
        ".SS Pipelines",
        *_terms((name, pipeline.help) for name, pipeline in PIPELINES.items()),
        ".SS Verbs",
        *_terms((name, verb.help) for name, verb in VERBS.items()),
    ]
    common = _names(verbs, "render") & _names(verbs, "view")
    for one in verbs:
        if not one.pipeline:
            lines += _verb(one, common if one.verb == "render" else frozenset())
    for one in verbs:
        if one.verb == "view" and one.pipeline:
            lines += _pipeline(one)
    return "\n".join([*lines, CLOSING, ""])


def _names(verbs: Sequence[DeclaredVerb], verb: str) -> frozenset[tuple[str, ...]]:
    """Return the names of the options that a subcommand has with every pipeline."""
    options = [{o.names for o in one.options} for one in verbs if one.verb == verb]
    return frozenset(set.intersection(*options))


def _verb(one: DeclaredVerb, listed: frozenset[tuple[str, ...]]) -> Iterator[str]:
    """Yield the manual page's lines for a subcommand, without options listed elsewhere."""
    yield f'.SH "WHEATSTONE {one.verb.upper()}"'
    if listed:
        yield "Options in addition to those of view:"
    for option in one.options:
        if (
            option.names not in listed
            and not _is_parameter(option)
            and "--help" not in option.names
        ):
            yield from _option(option)


def _pipeline(one: DeclaredVerb) -> Iterator[str]:
    """Yield the manual page's lines for a pipeline: parameters, variants, presets and views."""
    yield f'.SH "PIPELINE {one.pipeline.upper()}"'
    for option in one.options:
        if _is_parameter(option) or set(option.names) & {"--variant", "--view"}:
            yield from _option(option)


def _is_parameter(option: DeclaredOption) -> bool:
    return option.heading.startswith("parameters of ")


def _option(option: DeclaredOption) -> Iterator[str]:
    names = ", ".join(f"\\fB{_roff(name)}\\fR" for name in option.names)
    value = f"\\fI{_roff(option.metavar)}\\fR" if option.metavar else ""
    yield from _terms([(" ".join(filter(None, (names, value))), option.help)], plain=False)


def _terms(terms: Iterable[tuple[str, str]], plain: bool = True) -> list[str]:
    """Format terms and their descriptions as lines of roff, the format of manual pages."""
    lines = []
    for term, text in terms:
        lines += [".TP", f"\\fB{_roff(term)}\\fR" if plain else term, _roff(text) or "\\&"]
    return lines


def _roff(text: str) -> str:
    """Escape a text for roff, also at its start, where it must not look like a macro."""
    escaped = text.replace("\\", "\\e").replace("-", "\\-")
    return re.sub(r"^(?=[.'])", r"\\&", " ".join(escaped.split()))


PAGES = (
    "docs/keys.md",
    "docs/choices.md",
    "docs/pipelines.md",
    "docs/lessons.md",
    "docs/kernels.md",
    "docs/models.md",
    "docs/install.md",
)
MARKED = re.compile(r"<!-- ([\w-]+) -->\n.*?<!-- end -->", re.DOTALL)


def sections() -> dict[str, str]:
    """Return all generated parts of the documentation, by the name of their marker."""
    texts = {
        "keys": key_tables(),
        "own-keys": own_key_table(),
        "mouse": mouse_table(),
        "choices": choice_table(),
        "facts": fact_table(),
        "extras": extra_table(),
        "kernel-fields": field_table(KernelDocument),
        "stage-fields": field_table(StageTable),
        "assignment-fields": field_table(Assignment),
        "model-fields": field_table(ModelCard),
    }
    for name, pipeline in PIPELINES.items():
        texts |= {f"{name}-{part}": table for part, table in _parts(pipeline).items()}
    return texts


def _parts(pipeline: Pipeline) -> Mapping[str, str]:
    tables = {"variants": variant_table(pipeline)}
    if controls(pipeline.params):
        tables["parameters"] = parameter_table(pipeline)
    if pipeline.presets:
        tables["presets"] = preset_table(pipeline)
    return tables | {"views": view_table(pipeline), "stages": stage_table(pipeline)}


def renewed(text: str, made: Mapping[str, str]) -> str:
    """Return a page with its generated parts replaced between their markers.

    Raises:
        ValueError: a marker names no part.
    """

    def write(match: re.Match[str]) -> str:
        name = match[1]
        if name not in made:
            raise ValueError(f"there is no generated part {name!r}; there is {', '.join(made)}")
        return f"<!-- {name} -->\n{made[name]}\n<!-- end -->"

    return MARKED.sub(write, text)


def renewed_pages(root: Path = ROOT) -> dict[Path, str]:
    """Return the text of every page, with its parts generated again, by path.

    Raises:
        ValueError: a part is on no page, or a marker names no part.
    """
    made = sections()
    texts = {root / page: (root / page).read_text() for page in PAGES}
    held = {name for text in texts.values() for name in MARKED.findall(text)}
    if lacking := [name for name in made if name not in held]:
        markers = ", ".join(f"<!-- {name} -->" for name in lacking)
        raise ValueError(f"no page of {', '.join(PAGES)} holds {markers}, closed by <!-- end -->")
    pages = {path: renewed(text, made) for path, text in texts.items()}
    return pages | {root / PAGE: man_page()}


@dataclass(frozen=True, kw_only=True)
class DocumentationRequest(Request):
    """The options of the command that updates the documentation, or lists outdated pages."""

    prog: ClassVar[str] = "python -m wheatstone.viewer.cli.documentation"
    check: bool = flag_option("write nothing; exit with code 1 if a page is out of date")


def main(arguments: Sequence[str] | None = None, root: Path = ROOT) -> int:
    """Write the outdated pages of the documentation, or only list them; return the exit code."""
    words = sys.argv[1:] if arguments is None else arguments
    request = parse_request(DocumentationRequest, words, "Write the outdated pages.")
    try:
        pages = renewed_pages(root)
    except ValueError as error:
        parser_of(DocumentationRequest).error(str(error))
    old = {path: text for path, text in pages.items() if _read(path) != text}
    for path, text in old.items():
        if not request.check:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        print(f"{path} {'is out of date' if request.check else 'written'}", file=sys.stderr)
    return 1 if old and request.check else 0


def _read(path: Path) -> str:
    return path.read_text() if path.exists() else ""


if __name__ == "__main__":
    raise SystemExit(main())
