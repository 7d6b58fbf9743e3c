"""The options of measurements: pipelines, variants, parameters, repetitions and files."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from wheatstone.gpu.parameters import Control
from wheatstone.gpu.pipelines import PIPELINES
from wheatstone.viewer.options import (
    WHOLE,
    Option,
    Pipelines,
    flag_option,
    float_option,
    for_pipelines,
    int_option,
    parameter_options,
    path_option,
    peers_of,
)


def once(names: Iterable[str]) -> tuple[str, ...]:
    """Return the names without repetitions, in the order of their first occurrence."""
    return tuple(dict.fromkeys(names))


def _variants(pipelines: Pipelines) -> Option:
    names = once(v.name for p in pipelines for v in p.variants)
    help = f"in addition to the reference; default: all of {', '.join(names)}"
    return Option(
        Control(help + peers_of(pipelines), "choice", choices=names), "V", nargs="+", default=()
    )


def _preset(pipelines: Pipelines) -> Option:
    names = once(name for p in pipelines for name in p.presets)
    help = f"named settings: {', '.join(names)}; single options override them"
    control = Control(help, "choice", choices=names)
    return Option(control, "P", nargs="+", default=(), hidden=not names)


@dataclass(frozen=True, kw_only=True)
class ExtentOptions:
    """The extent of a measurement: repetitions, time limit, and additional measurements."""

    heading: ClassVar[str] = "what is measured"
    repeat: int = int_option("frames timed of each variant; default: 200", 1, WHOLE, default=200)
    seconds: float = float_option(
        "begin no further frame of a variant after this time; default: 5",
        *(1e-3, 1e6),
        metavar="S",
        default=5.0,
    )
    sweep: bool = flag_option(
        "at all values of the parameter that tells the variants of a pipeline apart"
    )
    stages: bool = flag_option("also time every stage, in frames of its own")
    cold: bool = flag_option(
        "also time the first frame in new processes, with and without cached code"
    )


@dataclass(frozen=True, kw_only=True)
class FileOptions:
    """The result files to write, and the files of earlier runs to compare or continue."""

    heading: ClassVar[str] = "files"
    json: Path | None = path_option("write the results there")
    markdown: Path | None = path_option("write the results there")
    csv: Path | None = path_option("write the results there")
    restart: bool = flag_option(
        "measure again what an interrupted run with the same --json has measured"
    )
    baseline: Path | None = path_option(
        "results written by --json before: compare the medians with theirs"
    )


@dataclass(frozen=True, kw_only=True)
class SweepOptions:
    """The combinations of presets, parameters and variants to measure.

    Attributes:
        params: the values of parameters, by name.
    """

    pipelines: Pipelines = tuple(PIPELINES.values())
    variants: tuple[str, ...] = for_pipelines(_variants, default=())
    preset: tuple[str, ...] = for_pipelines(_preset, default=())
    params: Mapping[str, Sequence[Any]] = parameter_options(several=True)


@dataclass(frozen=True, kw_only=True)
class BenchOptions(ExtentOptions, FileOptions, SweepOptions):
    """All options of measurements, except those of the input images."""
