"""The declaration of pipelines: parameters, images, stages, variants, views and work.

The command line, sliders, keys, help, tables and parity tests are generated from these
declarations; the declarations themselves are in ``gpu/pipelines``.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeVar

from wheatstone.gpu.image import Array, Image
from wheatstone.gpu.parameters import Params, controls, did_you_mean
from wheatstone.gpu.stage import Stage, Variant, nothing

__all__ = [
    "Array",
    "Image",
    "Pipeline",
    "Stage",
    "Sweep",
    "Terms",
    "Variant",
    "View",
    "Work",
    "megapixels",
]

T = TypeVar("T")
MOST_BANDS = 1024
"""Maximum bands of rows in which an image is computed."""


def megapixels(params: Params, height: int, width: int) -> float:
    """Return the number of pixels of an image in millions, the default amount of work."""
    return height * width / 1e6


@dataclass(frozen=True)
class Terms:
    """The two parameters that select the first and last term of a sum, to show each term's part.

    Attributes:
        noun: the word for a term, in the singular.
        names: returns the names of the terms with given parameters, in their order, as short as a
            symbol.
        first, last: the parameters: numbers of the first and of the last term summed, from 1; one
            beyond the terms there are means the last.
    """

    noun: str
    names: Callable[[Any], tuple[str, ...]]
    first: str
    last: str

    def count(self, params: Params) -> int:
        """Return the number of terms that a pipeline's sum has with given parameters."""
        return len(self.names(params))

    def summed(self, params: Params) -> tuple[int, int]:
        """Return the numbers of the first and last term of the sum that parameters select."""
        count, values = self.count(params), params.values()
        return min(values[self.first], count), min(values[self.last], count)


@dataclass(frozen=True)
class View:
    """The declaration of one way to show a pipeline's images.

    Attributes:
        panes: images shown side by side, left to right.
        anaglyph: show the two panes on top of each other, the first red, the second cyan.
        wipe: show the second pane beyond a seam that the mouse moves, the first before it.
        row_lines: draw lines along rows over every pane, by which rows of two views are compared.
        overlay: an image drawn in one colour over every pane, where it is not 0; one of another
            pipeline with that one's name before it, such as ``canny.edges``.
        boxes: an (N, 4) int32 image of rectangles (x0, y0, x1, y1), both ends included, whose
            outlines are drawn over every pane; one with x1 < x0 is omitted.
        region: the parameter whose rectangle is drawn over every pane and dragged with the mouse.
        cloud: show the only pane, a disparity, as a 3-D point cloud that can be turned.
        colors: images that may give the points of a cloud their colours, in addition to the pane;
            one that is not of the source is computed while it is used.
    """

    name: str
    panes: tuple[str, ...]
    help: str
    anaglyph: bool = False
    wipe: bool = False
    row_lines: bool = False
    overlay: str = ""
    boxes: str = ""
    region: str = ""
    cloud: bool = False
    colors: tuple[str, ...] = ()

    @property
    def one_cell(self) -> bool:
        """Return whether both images of a view share one area, as an anaglyph or with a wipe."""
        return self.anaglyph or self.wipe

    @property
    def images(self) -> tuple[str, ...]:
        """List every image of a view: those shown side by side, then overlay and boxes."""
        return self.panes + tuple(name for name in (self.overlay, self.boxes) if name)


@dataclass(frozen=True)
class Work:
    """The amount of work of one frame, which makes speeds at different sizes comparable.

    Attributes:
        unit: unit of the work, such as ``Mpx``, millions of pixels.
        amount: how much of it a frame has with these parameters at this height and width.
    """

    unit: str = "Mpx"
    amount: Callable[[Any, int, int], float] = megapixels


def as_it_is(params: Params, value: Any) -> Any:
    """Return a plot position unchanged: the default conversion to a swept parameter's value."""
    return value


@dataclass(frozen=True)
class Sweep:
    """The declaration of the parameter that varies when variants are timed and plotted.

    Attributes:
        label: of the axis, without ``unit``.
        places: on the axis, ascending.
        value: the parameter's value at a place, given the other parameters.
    """

    parameter: str
    label: str
    unit: str
    places: tuple[float, ...]
    value: Callable[[Any, Any], Any] = as_it_is

    def at(self, params: Params, place: float) -> Params:
        """Return parameters with the swept one at a plot position; ``ValueError`` out of bounds."""
        return params.adjusted(self.parameter, self.value(params, place))


@dataclass(frozen=True, eq=False)
class Pipeline:
    """The complete declaration of a pipeline, except how its stages are computed.

    There is one object per pipeline; pipelines compare by identity.

    Attributes:
        inputs: the images that come from the source: ``left``, or ``left`` and ``right``, then its
            other data. One that no stage reads with the parameters chosen may be absent.
        output: the image that the last stage writes.
        presets: named settings; parameters they omit keep their value.
        former: settings of earlier versions' presets that have changed, by a name that shows it.
        in_bands: whether an image may be computed in bands of rows; see ``gpu.bands``.
        followers: called with every variant that is added; pipelines derived from this one are.
        views: ways to show it, the default first.
        fits: returns why parameters do not fit an image of a height and width; empty if they do.
        work: the amount of work of a frame.
        terms: the sum whose terms can be looked at alone; absent if there is none.
        sweep: the parameter over which variants are timed; absent if none distinguishes them.
        probe: class that explains the result of one pixel, as ``module:class``, such as
            ``gpu.pipelines.sgm.probe:SgmProbe``; empty if there is no such class.
    """

    name: str
    title: str
    help: str
    params: type[Params]
    inputs: tuple[str, ...]
    output: str
    images: tuple[Image, ...]
    stages: tuple[Stage, ...]
    variants: tuple[Variant, ...]
    presets: Mapping[str, Mapping[str, Any]]
    views: tuple[View, ...]
    fits: Callable[[Any, int, int], str] = nothing
    work: Work = field(default_factory=Work)
    terms: Terms | None = None
    sweep: Sweep | None = None
    probe: str = ""
    former: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    in_bands: bool = False
    followers: list[Callable[[Variant], None]] = field(default_factory=list, init=False)

    def __post_init__(self) -> None:
        written = set(self.inputs) | {i.name for i in self.images if i.stands_for or i.remembers}
        for stage in self.stages:
            unknown = set(stage.reads) - written
            if unknown:
                raise ValueError(f"{self.name}.{stage.name} reads {unknown}, which no stage wrote")
            written |= set(stage.writes)
        self._check_demand()
        undeclared = written - {image.name for image in self.images}
        if undeclared:
            raise ValueError(f"{self.name} does not declare the images {undeclared}")
        used = {name for stage in self.stages for name in stage.params}
        used |= {str(dim) for image in self.images for dim in image.dims}
        idle = set(controls(self.params)) - used - self._read_by_conditions()
        if idle:
            raise ValueError(f"no stage of {self.name} reads the parameters {idle}")

    def _check_demand(self) -> None:
        """Raise ``ValueError`` if a stage that always runs reads an image computed on demand."""
        always = [stage for stage in self.stages if not stage.on_demand]
        needed = {self.output}.union(*(stage.reads for stage in always))
        needed |= set(self.inputs).union(*(stage.writes for stage in always))
        if seldom := needed & set(self.on_demand):
            raise ValueError(f"{self.name} always needs {seldom}, written only on demand")

    @cached_property
    def on_demand(self) -> tuple[str, ...]:
        """List the images that are computed only on demand."""
        return tuple(name for s in self.stages if s.on_demand for name in s.writes)

    def _read_by_conditions(self) -> set[str]:
        codes = [stage.when.__code__ for stage in self.stages]
        codes += [stage.each.__code__ for stage in self.stages if stage.each]
        codes += [image.stands_for.__code__ for image in self.images if image.stands_for]
        codes += [self.fits.__code__]
        return {name for code in codes for name in code.co_names} | self._read_by_properties()

    def _read_by_properties(self) -> set[str]:
        properties = [p for p in vars(self.params).values() if isinstance(p, property)]
        return {name for p in properties if p.fget for name in p.fget.__code__.co_names}

    @cached_property
    def _images(self) -> dict[str, Image]:
        return {image.name: image for image in reversed(self.images)}

    @cached_property
    def _variants(self) -> dict[str, Variant]:
        return {variant.name: variant for variant in reversed(self.variants)}

    @property
    def offered(self) -> tuple[Variant, ...]:
        """List the variants that are not hidden, from which the user chooses."""
        return tuple(variant for variant in self.variants if not variant.hidden)

    @cached_property
    def _views(self) -> dict[str, View]:
        return {view.name: view for view in reversed(self.views)}

    def image(self, name: str) -> Image:
        """Return an image's declaration. Raises ``ValueError`` if none has this name."""
        return self._images.get(name) or _named(self.images, name, f"{self.name} has no image")

    def variant(self, name: str) -> Variant:
        """Return a variant's declaration. Raises ``ValueError`` if none has this name."""
        variant = self._variants.get(name)
        return variant or _named(self.variants, name, f"{self.name} has no variant")

    def view(self, name: str) -> View:
        """Return a view's declaration. Raises ``ValueError`` if none has this name."""
        return self._views.get(name) or _named(self.views, name, f"{self.name} has no view")

    def add_variant(self, variant: Variant) -> None:
        """Add a variant, such as one of a plug-in, or replace the variant of the same name."""
        named = {each.name: each for each in self.variants} | {variant.name: variant}
        object.__setattr__(self, "variants", tuple(named.values()))
        self.__dict__.pop("_variants", None)
        for follow in self.followers:
            follow(variant)

    def preset(self, name: str, base: Params | None = None) -> Params:
        """Return ``base``, or else the default parameters, changed to the settings of a preset.

        Raises:
            ValueError: there is no preset of this name.
        """
        if name not in self.presets:
            known = ", ".join(self.presets)
            like = did_you_mean(name, self.presets)
            raise ValueError(f"{self.name} has no preset {name!r}{like}; it has {known}")
        return (base or self.params()).changed(**self.presets[name])


def _named(declarations: Sequence[T], name: str, complaint: str) -> T:
    for declaration in declarations:
        if declaration.name == name:  # type: ignore[attr-defined]
            return declaration
    known = [d.name for d in declarations]  # type: ignore[attr-defined]
    like = did_you_mean(name, known)
    raise ValueError(f"{complaint} {name!r}{like}; it has {', '.join(known)}")
