"""Describe a computation: a pipeline, a variant and parameters, in one frozen object."""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Self

from numpy.typing import NDArray

from wheatstone.gpu.device import why_unavailable
from wheatstone.gpu.image import DepthScale, Image
from wheatstone.gpu.own_variants import OwnVariant, declare_again, own_variant
from wheatstone.gpu.parameters import Params, completed, controls
from wheatstone.gpu.pipeline import MOST_BANDS, Pipeline, Variant
from wheatstone.gpu.pipelines import known_pipeline
from wheatstone.gpu.plugins import load_plugins
from wheatstone.gpu.steps import remembering
from wheatstone.viewer import VERSION
from wheatstone.viewer.io.reading.documents import parsed
from wheatstone.viewer.io.reading.typed_values import WrongValue, check_names, section, typed
from wheatstone.viewer.run.compiling import announced_compilations

if TYPE_CHECKING:
    from wheatstone.viewer.io.sources.frame import Frame, Source
    from wheatstone.viewer.run.engine import PreparedRun
    from wheatstone.viewer.run.result import Result


RANGE = {"disparities", "min_disparity"}
"""The parameters that say which disparities are searched."""


def _range(params: Params) -> dict[str, Any]:
    return {name: getattr(params, name) for name in RANGE if hasattr(params, name)}


@dataclass(frozen=True, init=False)
class Run:
    """A description of a computation: a pipeline, one of its variants, and all parameters.

    A run is immutable, validated at its creation, and equal to any run with the same values.
    It can be pickled and written as TOML.

        >>> run = Run("sgm", variant="cpu", preset="fast", disparities=128)
        >>> run.params.disparities
        128
        >>> Run.from_toml(run.to_toml()) == run
        True

    Attributes:
        pipeline: declaration of the pipeline.
        variant: name of the variant that computes. All variants give the same bits.
        params: value of every parameter.
        keep: names of further images that a result holds, besides the pipeline's output.
        bands: the number of bands of rows in which images are computed, see ``gpu.bands``; 1: as a
            whole; None: as a whole where that fits into the free memory, else in as few as fit.
        scale: unit and factor of depths; not part of the run's identity. None before the first
            frame.
        range_given: whether the user gave the disparities to search; if not, a source's calibration
            may say them. Not part of the run's identity.
    """

    pipeline: Pipeline
    variant: str
    params: Params
    keep: tuple[str, ...]
    bands: int | None
    scale: DepthScale | None = field(compare=False)
    range_given: bool = field(init=False, compare=False, repr=False)

    def __init__(
        self,
        pipeline: str | Pipeline = "sgm",
        variant: str | None = None,
        params: Params | None = None,
        scale: DepthScale | None = None,
        *,
        preset: str | None = None,
        keep: Iterable[str] = (),
        bands: int | None = None,
        **parameters: Any,
    ) -> None:
        """Create a run from a pipeline, a variant and parameters.

        Args:
            pipeline: name of a pipeline, such as ``sgm`` or ``canny``.
            variant: name of a variant; the fastest one of this machine by default.
            params: all parameters, instead of a preset.
            scale: unit and factor of depths.
            preset: named parameter values to begin with; the pipeline's defaults without.
            keep: names of images that the result holds besides the output, such as ``confidence``.
            bands: number of bands of rows for images larger than the memory; by default as few as
                fit, one where the whole image does.
            parameters: values of single parameters, which override the preset.

        Raises:
            ValueError: an unknown name, or a value out of bounds.
        """
        declared = pipeline_named(pipeline) if isinstance(pipeline, str) else pipeline
        if params is None:
            params = declared.preset(preset) if preset else declared.params()
        if parameters:
            check_names(parameters, controls(declared.params), declared.name)
            params = params.changed(**parameters)
        if variant is None:
            variant = default_variant(declared, {"cuda": why_unavailable("cuda")})
        elif variant:
            declared.variant(variant)
        if bands is not None and not (isinstance(bands, int) and 1 <= bands <= MOST_BANDS):
            raise ValueError(f"bands must be an integer in 1 to {MOST_BANDS} (got {bands!r})")
        values = {
            "pipeline": declared,
            "variant": variant,
            "params": params,
            "keep": tuple(dict.fromkeys(declared.image(name).name for name in keep)),
            "bands": bands,
            "scale": scale,
            "range_given": _range(params) != _range(declared.params())
            or bool(RANGE & parameters.keys()),
        }
        for name, value in values.items():
            object.__setattr__(self, name, value)  # the one moment before it is frozen

    def __repr__(self) -> str:
        """Return the Python call that creates the run, without parameters at their defaults."""
        usual = self.pipeline.params().values()
        words: dict[str, Any] = {"variant": self.variant}
        values = self.params.values()
        given = "disparities" if self._usual_range_given else None
        words |= {n: value for n, value in values.items() if n == given or value != usual[n]}
        words |= {"keep": self.keep} if self.keep else {}
        words |= {"bands": self.bands} if self.bands else {}
        given = "".join(f", {name}={value!r}" for name, value in words.items())
        return f"Run({self.pipeline.name!r}{given})"

    @property
    def name(self) -> str:
        """Return the names of pipeline and variant, such as ``sgm/fast``."""
        return f"{self.pipeline.name}/{self.variant}"

    @property
    def declaration(self) -> Variant:
        """Return the declaration of the variant."""
        return self.pipeline.variant(self.variant)

    @property
    def preset(self) -> str:
        """Return the name of the first preset whose values the parameters equal; empty if none."""
        values = self.params.values()
        for name, settings in self.pipeline.presets.items():
            if all(values[key] == value for key, value in settings.items()):
                return name
        return ""

    def image(self, name: str) -> Image:
        """Return the declaration of an image; depths have the unit of the run's ``scale``."""
        return self.pipeline.image(name).scaled(self.scale)

    @property
    def output(self) -> Image:
        """Return the declaration of the pipeline's output image."""
        return self.pipeline.image(self.pipeline.output)

    @property
    def inputs(self) -> tuple[str, ...]:
        """Return the names of the images that a frame must provide."""
        return self.pipeline.inputs + self.declaration.inputs

    @property
    def images(self) -> tuple[str, ...]:
        """Return the names of all images that a result holds."""
        return tuple(dict.fromkeys((self.pipeline.output, *self.keep)))

    @property
    def remembers(self) -> bool:
        """Return whether results depend on earlier frames, which must come in order."""
        return any(stage.when(self.params) for stage in remembering(self.pipeline))

    @property
    def searched(self) -> tuple[int, int] | None:
        """Return the first disparity and the number of disparities; None if none are searched."""
        declared = _range(self.params)
        return (declared["min_disparity"], declared["disparities"]) if len(declared) == 2 else None

    def replace(
        self,
        *,
        variant: str | None = None,
        preset: str | None = None,
        keep: Iterable[str] | None = None,
        bands: int | None = None,
        **parameters: Any,
    ) -> Self:
        """Copy the run with some values replaced; ``preset`` is applied before ``parameters``.

        Raises:
            ValueError: an unknown name, or a value out of bounds.
        """
        base = self.pipeline.preset(preset, self.params) if preset else self.params
        check_names(parameters, controls(self.pipeline.params), self.pipeline.name)
        kept = self.keep if keep is None else keep
        params, bands = base.changed(**parameters), bands or self.bands
        changed = variant or self.variant, params, self.scale
        given = _range(params) if self.range_given else {}
        given |= {name: parameters[name] for name in RANGE if name in parameters}
        return type(self)(self.pipeline, *changed, keep=kept, bands=bands, **given)

    def __call__(
        self,
        left: "Source | Frame | NDArray[Any]",
        right: "NDArray[Any] | None" = None,
        *,
        index: int = 0,
    ) -> "Result":
        """Compute the run on one frame; return the result.

        Args:
            left: a source that ``wheatstone.open`` returned, a frame, or the left view as an
                array: (H, W) grey levels or (H, W, 3) RGB, uint8 or uint16.
            right: the right view as an array of the same size; only with an array.
            index: number of the source's frame, from 0.

        Raises:
            TypeError: something else was passed.
            IndexError: the source has no such frame.
            ValueError: the views do not fit each other, the pipeline or the parameters.
            Unavailable: the device of the variant is absent or has too little memory.
        """
        from wheatstone.viewer.io.sources.arrays import frame_of
        from wheatstone.viewer.run.engine import shared_engine

        with announced_compilations():
            return shared_engine().compute(self._on(left), frame_of(left, right, index))

    def _on(self, source: Any) -> "Run":
        """Return the run with the disparity range that a source states, unless one was given."""
        from wheatstone.viewer.io.sources.frame_maker import stated_by
        from wheatstone.viewer.io.sources.stated_range import possible

        if self.range_given or not _range(self.params) or not hasattr(source, "spec"):
            return self
        stated = stated_by(source)
        return self.replace(disparities=possible(stated)) if stated else self

    def over(self, source: "Source") -> "Iterator[Result]":
        """Compute the run on every frame of a source, in order; yield the results.

        Frames are read ahead. The temporal filter of ``sgm`` goes on from frame to frame, and
        begins with the first.

        Raises:
            TypeError: something else than a source was passed.
            OSError, ValueError, Unavailable: as a call, or a frame cannot be read.
        """
        from wheatstone.viewer.run.engine import Engine, shared_engine

        if not hasattr(source, "length"):
            raise TypeError(f"expected a source (got {source!r}); see wheatstone.open")
        engine = Engine(kept=1) if self.remembers else shared_engine()
        with announced_compilations():
            yield from engine.compute_all(self._on(source), source)

    def prepared(self, shape: tuple[int, int], tone: str | None = None) -> "PreparedRun":
        """Return the run prepared for views of one size, to be called with frame after frame.

        Args:
            shape: (height, width) of the views in pixels.
            tone: how 16 bits become 8, as in ``wheatstone.open``; the first views determine it.

        Raises:
            ValueError: the parameters do not fit the size, or there is no such tone.
            Unavailable: the device of the variant is absent or has too little memory.
        """
        from wheatstone.viewer.run.engine import PreparedRun

        return PreparedRun(self, shape, tone)

    def to_toml(self) -> str:
        """Format the run as TOML, which ``from_toml`` reads."""
        import tomli_w

        given = {"range_given": True} if self._usual_range_given else {}
        return tomli_w.dumps({"wheatstone": VERSION, **given, **self._values()})

    @classmethod
    def from_toml(cls, text: str) -> Self:
        """Parse a run from TOML.

        Raises:
            ValueError: the text is damaged, or describes no run; the message names the place.
        """
        saved = section(_SavedRun, parsed(text, "TOML"), "run")
        pipeline = pipeline_named(saved.pipeline)
        params = saved_params(pipeline, saved.params, "params")
        rest = saved.variant or None, params
        given = _range(params) if saved.range_given else {}
        return cls(pipeline, *rest, keep=saved.keep, bands=saved.bands or None, **given)

    def digest(self) -> str:
        """Return a SHA-256 digest of all values, equal for equal runs in every process.

        What the user's own variant is made of is one of them.
        """
        own = own_variant(self.pipeline.name, self.variant)
        return _digest(self, own.digest if own else "")

    def _values(self) -> dict[str, Any]:
        return {
            "pipeline": self.pipeline.name,
            "variant": self.variant,
            "keep": list(self.keep),
            "params": self.params.values(),
        } | ({"bands": self.bands} if self.bands else {})

    @property
    def _usual_range_given(self) -> bool:
        """Whether the user explicitly gave a disparity range equal to the default."""
        return self.range_given and _range(self.params) == _range(self.pipeline.params())

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the pipeline by its name, because its declaration holds functions.

        The user's own variant goes with it, so that another process has the variant as well.
        """
        names = self.pipeline.name, self.variant
        values = self.params, self.keep, self.bands, self.range_given
        return _restored, (own_variant(*names), type(self), *names, *values)


@lru_cache(maxsize=64)
def _digest(run: Run, own: str) -> str:
    """Compute the digest of a run; ``own`` is the digest of the user's own variant, or empty."""
    values = run._values() | ({"kernels": own} if own else {})
    return hashlib.sha256(json.dumps(values, sort_keys=True).encode()).hexdigest()


@dataclass(frozen=True)
class _SavedRun:
    """The TOML document that holds a run."""

    pipeline: str
    params: Mapping[str, Any]
    variant: str = ""
    keep: tuple[str, ...] = ()
    bands: int = 0
    range_given: bool = False
    wheatstone: str = ""


def pipeline_named(name: str) -> Pipeline:
    """Return a built-in or plug-in pipeline. Raises ``ValueError`` for an unknown name."""
    load_plugins()
    return known_pipeline(name)


def default_variant(pipeline: Pipeline, absent: Mapping[str, str]) -> str:
    """Return the name of the fastest variant this machine can run: a GPU variant, else ``cpu``.

    Args:
        absent: the reason for every kind of device that cannot be used here.
    """
    device = "cpu" if absent.get("cuda", "") else "cuda"
    able = [v for v in pipeline.offered if v.device == device and not v.peer]
    names = [v.name for v in able or pipeline.offered]
    preferred = [name for name in ("fast", "cpu") if name in names]
    return preferred[0] if preferred else names[-1]


def saved_params(pipeline: Pipeline, saved: Any, name: str) -> Params:
    """Parse a pipeline's parameters from a section of a document.

    Raises:
        ValueError: the pipeline does not know or does not allow a value; the message names it.
    """
    values = typed(Mapping[str, Any], saved, name)
    check_names(values, controls(pipeline.params), name)
    try:
        return pipeline.params(**completed(pipeline.params, values))
    except ValueError as error:  # which begins with the parameter's name
        raise WrongValue(str(error), (name, str(error).partition(" ")[0])) from error


def _restored(own: OwnVariant | None, *facts: Any) -> Run:
    if own:
        declare_again(own)
        return _made.__wrapped__(*facts)
    return _made(*facts)


@lru_cache(maxsize=64)  # the jobs of a batch all have the same
def _made(
    kind: Any,
    pipeline: str,
    variant: str,
    params: Params,
    keep: tuple[str, ...],
    bands: int | None,
    range_given: bool,
) -> Run:
    given = _range(params) if range_given else {}
    run: Run = kind(pipeline, variant, params, keep=keep, bands=bands, **given)
    return run
