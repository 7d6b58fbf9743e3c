"""Make the manual page ``wheatstone.1`` from the declarations of the command line."""

import re
from collections.abc import Iterable, Iterator, Sequence

from wheatstone.gpu.pipelines import PIPELINES
from wheatstone.viewer import VERSION
from wheatstone.viewer.cli.declarations import DeclaredOption, DeclaredVerb, declared_verbs

PAGE = "share/man/man1/wheatstone.1"
"""The path of the page, in the checkout and in an installation."""
CLOSING = """\
.SH FILES
.TP
.I ~/.config/wheatstone
The last session, settings and presets.
.SH EXIT STATUS
0 done; 1 a result differs, or a time or a calibration is found wanting; 2 bad input or arguments;
3 the machine lacks something; 130, 143, 129 ended by Ctrl+C, SIGTERM, SIGHUP; 141 nobody reads the
output any more.
.SH EXAMPLES
.nf
wheatstone
wheatstone view left.png right.png
wheatstone render left.png right.png \\-\\-view depth \\-\\-out depth.png
wheatstone bench sgm
wheatstone doctor
.fi"""


def man_page() -> str:
    """Write the manual page as roff."""
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
        "any of several implementations that agree to the bit, in a window or without one. Without",
        "words it opens a window with the built\\-in scene.",
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
    """List the options that a verb has with every pipeline."""
    options = [{o.names for o in one.options} for one in verbs if one.verb == verb]
    return frozenset(set.intersection(*options))


def _verb(one: DeclaredVerb, listed: frozenset[tuple[str, ...]]) -> Iterator[str]:
    """Write the section of a verb, without options that are listed elsewhere."""
    yield f'.SH "WHEATSTONE {one.verb.upper()}"'
    if listed:
        yield "Takes the options of view, and"
    for option in one.options:
        if (
            option.names not in listed
            and not _is_parameter(option)
            and "--help" not in option.names
        ):
            yield from _option(option)


def _pipeline(one: DeclaredVerb) -> Iterator[str]:
    """Write the section of a pipeline: its parameters, variants, presets and views."""
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
    """Format terms and their descriptions as lines of roff."""
    lines = []
    for term, text in terms:
        lines += [".TP", f"\\fB{_roff(term)}\\fR" if plain else term, _roff(text) or "\\&"]
    return lines


def _roff(text: str) -> str:
    """Escape a text for roff, where a line must not begin like a request."""
    escaped = text.replace("\\", "\\e").replace("-", "\\-")
    return re.sub(r"^(?=[.'])", r"\\&", " ".join(escaped.split()))
