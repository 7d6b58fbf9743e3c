"""List the configurations to measure: each combination of the values that the options contain."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

from wheatstone.gpu.parameters import Params, controls, defaults
from wheatstone.gpu.pipeline import Pipeline, Variant
from wheatstone.viewer.io.reading.plain_text import in_shell
from wheatstone.viewer.options import option_name
from wheatstone.viewer.run.measuring.options import BenchOptions
from wheatstone.viewer.words import spoken

REFERENCE = "reference"


@dataclass(frozen=True)
class Configuration:
    """A pipeline at one image size with one set of parameters.

    Attributes:
        source: the words of a command line that name the input, such as ``--scene orbit``.
        title: a title that distinguishes this configuration from the others of the same run.
        variants: the reference first, then those to measure.
    """

    pipeline: Pipeline
    params: Params
    height: int
    width: int
    source: tuple[str, ...]
    title: str
    variants: tuple[Variant, ...]

    def command(self, variant: str, repeat: int, seconds: float, flags: Sequence[str] = ()) -> str:
        """Return the command line that measures one variant at this configuration again.

        ``flags`` are further options at its end.
        """
        words = ["wheatstone", "bench", self.pipeline.name, *self.source]
        if self.source[0].startswith("--"):
            words += ["--size", f"{self.width}x{self.height}"]
        default = defaults(type(self.params))
        for name, value in self.params.values().items():
            if value != default[name]:
                words += spelled(name, value)
        words += ["--variants", variant, "--repeat", str(repeat), "--seconds", f"{seconds:g}"]
        return in_shell([*words, *flags])


def spelled(name: str, value: Any) -> list[str]:
    """Format a parameter as command-line words: an option and its value, or a switch."""
    if isinstance(value, bool):
        return [option_name(name) if value else option_name(name).replace("--", "--no-", 1)]
    return [option_name(name), shown(value)]


def shown(value: Any) -> str:
    """Format a parameter's value as one word of a command line."""
    if isinstance(value, bool):
        return "on" if value else "off"
    return ",".join(map(str, value)) if isinstance(value, tuple) else str(value)


def configurations(
    options: BenchOptions, sizes: Sequence[tuple[int, int]], source: tuple[str, ...]
) -> list[Configuration]:
    """List the distinct configurations that the options request, for each (width, height).

    Raises:
        ValueError: values are out of bounds, contradict each other or do not fit a size.
    """
    by_key: dict[Any, Configuration] = {}
    for pipeline in options.pipelines:
        variants = chosen_variants(pipeline, options.variants)
        listed = list(settings(pipeline, options.preset, options.params)) if variants else []
        if options.sweep:
            listed = [swept for one in listed for swept in places(pipeline, *one, options.params)]
        for (width, height), (label, params) in product(sizes, listed):
            title = f"{pipeline.name} {width}x{height}{label}"
            if complaint := pipeline.fits(params, height, width):
                raise ValueError(f"{title}: {complaint}")
            one = Configuration(pipeline, params, height, width, source, title, variants)
            by_key.setdefault((pipeline.name, params, height, width), one)
    return list(by_key.values())


def places(
    pipeline: Pipeline, label: str, params: Params, given: Mapping[str, Any]
) -> Iterator[tuple[str, Params]]:
    """Yield a label and parameters for each value of the parameter that a pipeline sweeps.

    A parameter that the command line gives is not swept.
    """
    sweep = pipeline.sweep
    if sweep is None or sweep.parameter in given:
        yield label, params
        return
    for place in sweep.places:
        yield f"{label}, {sweep.label} {place:g}", sweep.at(params, place)


def chosen_variants(pipeline: Pipeline, names: Sequence[str] | None) -> tuple[Variant, ...]:
    """List the variants to measure: the reference and the named ones, or all offered ones.

    If the pipeline has no variant of these names, it is not measured: the list is empty.
    """
    if names and not any(v.name in names for v in pipeline.variants):
        return ()
    offered = pipeline.variants if names else pipeline.offered
    chosen = [v for v in offered if not names or v.name in (*names, REFERENCE)]
    return tuple(sorted(chosen, key=lambda variant: variant.name != REFERENCE))


def settings(
    pipeline: Pipeline, presets: Sequence[str], values: Mapping[str, Sequence[Any]]
) -> Iterator[tuple[str, Params]]:
    """Yield a label and parameters for every combination of presets and parameter values.

    Raises:
        ValueError: a combination is out of bounds.
    """
    own = [name for name in controls(pipeline.params) if name in values]
    for preset in [name for name in presets if name in pipeline.presets] or [""]:
        base = pipeline.preset(preset) if preset else pipeline.params()
        for combination in product(*(values[name] for name in own)):
            changes = dict(zip(own, combination, strict=True))
            words = [f"preset {preset}"] if preset else []
            words += [f"{spoken(name)} {shown(value)}" for name, value in changes.items()]
            try:
                yield "".join(f", {word}" for word in words), base.changed(**changes)
            except ValueError as error:
                raise ValueError(f"{pipeline.name}: {error}") from error
