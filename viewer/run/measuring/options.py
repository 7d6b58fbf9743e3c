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
    listed = ", ".join(names)
    help = f"variants to measure in addition to the reference: {listed}; default: all of these"
    return Option(
        Control(help + peers_of(pipelines), "choice", choices=names), "V", nargs="+", default=()
    )


def _preset(pipelines: Pipelines) -> Option:
    names = once(name for p in pipelines for name in p.presets)
    listed = ", ".join(names)
    help = f"presets of parameters: {listed}; options of single parameters override them"
    control = Control(help, "choice", choices=names)
    return Option(control, "P", nargs="+", default=(), hidden=not names)


@dataclass(frozen=True, kw_only=True)
class ExtentOptions:
    """The extent of a measurement: repetitions, time limit, and additional measurements."""

    heading: ClassVar[str] = "measurement"
    repeat: int = int_option("timed frames of each variant; default: 200", 1, WHOLE, default=200)
    seconds: float = float_option(
        "seconds after which no further frame of a variant is started; default: 5",
        *(1e-3, 1e6),
        metavar="S",
        default=5.0,
    )
    sweep: bool = flag_option(
        "measure at all values of the parameter that distinguishes the variants of a pipeline"
    )
    stages: bool = flag_option("also time every stage, in separate frames")
    cold: bool = flag_option(
        "also time the first frame in new processes, with and without cached code"
    )


@dataclass(frozen=True, kw_only=True)
class FileOptions:
    """The result files to write, and the files of earlier runs to compare or continue."""

    heading: ClassVar[str] = "files"
    json: Path | None = path_option("write the results as JSON")
    markdown: Path | None = path_option("write the results as Markdown tables")
    csv: Path | None = path_option("write the results as CSV")
    restart: bool = flag_option(
        "repeat the measurements of an interrupted run with the same --json"
    )
    baseline: Path | None = path_option(
        "earlier results of --json, whose medians are compared with the new ones"
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
