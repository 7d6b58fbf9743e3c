"""The options of ``compare``."""

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from wheatstone.gpu.parameters import Control
from wheatstone.viewer.cli.requests import (
    ParameterOptions,
    PipelineWord,
    SizedSceneOptions,
    VerbRequest,
    left_word,
    preset,
)
from wheatstone.viewer.io.sources.value_files import SUFFIXES
from wheatstone.viewer.options import (
    Option,
    Pipelines,
    float_option,
    for_pipelines,
    int_option,
    path_option,
    peers_of,
    text_option,
)


def _side(pipelines: Pipelines) -> Option:
    variants = ", ".join(v.name + (" (peer)" if v.peer else "") for v in pipelines[0].variants)
    help = f"variant ({variants}) or file of values ({', '.join(SUFFIXES)})"
    help += peers_of(pipelines)
    return Option(Control(help, "text"), "A", positional=True)


@dataclass(frozen=True, kw_only=True)
class SideWords:
    """The two sides to compare, each a variant or a file of values."""

    a: str = for_pipelines(_side, default="")
    b: str = text_option(
        "variant or file of values to compare with A", "B", positional=True, required=True
    )


@dataclass(frozen=True, kw_only=True)
class EightBitOptions:
    """Options that define how values in 8-bit files are decoded."""

    heading: ClassVar[str] = "8-bit files"
    scale: float | None = float_option(
        "divisor of their values; default: 4 for disparities, else 1"
    )
    unknown: int | None = int_option("value of pixels without a result; default: none")


@dataclass(frozen=True, kw_only=True)
class DifferenceOptions:
    """Options for the picture of the difference."""

    heading: ClassVar[str] = "picture"
    out: Path | None = path_option("output file for a picture of the absolute difference", "PNG")
    image: str | None = text_option("image whose difference is shown; default: the result", "NAME")


@dataclass(frozen=True, kw_only=True)
class CompareRequest(
    PipelineWord,
    SideWords,
    SizedSceneOptions,
    EightBitOptions,
    DifferenceOptions,
    ParameterOptions,
    VerbRequest,
):
    """The options of ``compare``, which compares two sides, each a variant or a file of values."""

    verb: ClassVar[str] = "compare"
    prog: ClassVar[str] = "wheatstone {verb} {pipeline}"
    usage: ClassVar[str] = "wheatstone compare [PIPELINE] A B [LEFT [RIGHT]] [options]"
    epilog: ClassVar[str] = """\
Two variants are compared in every image that both store; a file of values is compared with the
result. Exit codes: 0 identical; 1 different; 2 bad input or arguments; 3 this machine cannot run
a variant."""
    first_words: ClassVar[tuple[str, ...]] = ()
    left: str | None = left_word("image file or folder of left and right images")
    frame: int = int_option("frame of a sequence, from 0", default=0)
    preset: str | None = for_pipelines(preset)
