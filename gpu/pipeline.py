"""What a pipeline is: parameters, images, stages, variants and views, each declared once.

The command line, sliders, keys, help, tables and parity tests are generated from these
declarations; the declarations themselves are in ``gpu/pipelines``.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeVar

from gpu.parameters import Params, controls

Array = Any  # numpy.ndarray on the CPU, cupy.ndarray or a texture on the GPU
Extent = Callable[[int, int, Any], int]  # of an array, at a height, a width and parameters
Count = Callable[[Any, int, int], int]  # of operations, with parameters at a height and a width
T = TypeVar("T")


def nothing(params: Params, height: int, width: int) -> str:
    """No complaint and no remark."""
    return ""


def megapixels(params: Params, height: int, width: int) -> float:
    """Millions of pixels of an image."""
    return height * width / 1e6


def always(params: Params) -> bool:
    """The condition of a stage that cannot be switched off."""
    return True


@dataclass(frozen=True)
class Image:
    """A named array that stages read or write.

    Attributes:
        dims: what each axis counts: ``height``, ``width``, the name of an integer parameter or of a
            property of the parameters, a fixed length, or a function of height, width and
            parameters.
        scale: multiplies a stored value into ``unit``.
        limits: smallest and largest value to show, in ``unit``; if absent, those of the dtype.
        invalid: the stored value that means "no result"; absent if every value is a result.
        colormap: the colour map that shows it, whatever the user chose; empty: the user's.
        labels: for an image whose values are labels, not measures, the name of each, from 0 on.
        disparity: whether it tells how many columns farther left the right view shows the point
            that a pixel of the left view shows.
        explained_by: the image of labels that tells why a pixel has no value here.
        chosen_by: for an image whose last axis counts disparities searched, the images that tell
            which of them was chosen, as its index or in pixels; of those kept the first decides.
        stands_for: for an image that is only another's name, which one it means.
        columns: for an image that is a table, which `render` prints, the names of its columns; a
            row whose last value is 0 is empty.
    """

    name: str
    dtype: str
    help: str
    dims: tuple[str | int | Extent, ...] = ("height", "width")
    scale: float = 1.0
    unit: str = ""
    limits: Callable[[Any], tuple[float, float]] | None = None
    invalid: Callable[[Any], int] | None = None
    colormap: str = ""
    stands_for: Callable[[Any], str] | None = None
    columns: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    disparity: bool = False
    explained_by: str = ""
    chosen_by: tuple[str, ...] = ()

    def shape(self, height: int, width: int, params: Params) -> tuple[int, ...]:
        """Length of every axis at an image size and a set of parameters."""
        size = {"height": height, "width": width}

        def length(dim: str | int | Extent) -> int:
            if isinstance(dim, str):
                return int(size.get(dim) or getattr(params, dim))
            return dim if isinstance(dim, int) else dim(height, width, params)

        return tuple(map(length, self.dims))


@dataclass(frozen=True)
class Stage:
    """One step of a pipeline, named by the field's term.

    An implementation is a function of the stage's name, called with the images it reads, the
    images it writes, then its parameters, all by position.

    Attributes:
        params: parameters, or keys of the items of ``each``.
        when: whether the stage runs; if not, what it reads stands for what it writes.
        each: the items the stage runs for, one after the other; stages in a row with the same
            ``each`` take turns item by item.
        covers: for a fused step of a variant, the stages whose work it does; it runs if one does.
        on_demand: whether the stage runs only if an image it writes is wanted: its images are for
            the eye, and cost nothing while nobody looks.
        operations: the arithmetic that the definition asks of one run, at a height and a width,
            whatever an implementation saves or adds. Additions, products, quotients, comparisons
            (a minimum is one), absolute values, roots and bitwise operations on values count one
            each, integer or float; places in the image, borders, conversions, the packing of bits
            into words and what is computed once a frame do not. Absent where it depends on the
            image.
        counts: for a fused step, the stages whose operations are its own; those it covers, unless
            other steps share their work.
    """

    name: str
    reads: tuple[str, ...]
    writes: tuple[str, ...]
    params: tuple[str, ...] = ()
    when: Callable[[Any], bool] = always
    each: Callable[[Any], Sequence[Mapping[str, Any]]] | None = None
    covers: tuple[str, ...] = ()
    help: str = ""
    on_demand: bool = False
    operations: Count | None = None
    counts: tuple[str, ...] = ()


@dataclass(frozen=True)
class Variant:
    """One complete implementation of a pipeline.

    Attributes:
        package: stage ``x`` is computed by function ``x`` of module ``package.x``.
        memory: for stages with several CUDA kernels, the memory whose kernel runs.
        fused: steps that do the work of several stages at once.
        dtypes: images held in another dtype than declared, with the same values.
        textures: input images held as CUDA textures.
        peer: a program from outside, never claimed to be identical.
        recorded: whether frames may be replayed; not if a stage allocates, compiles or waits.
        ignores: parameters without effect on this variant.
        refuses: why it cannot run with these parameters at this height and width; empty if it can.
        remark: what the user should know about how it runs with these; empty if nothing.
    """

    name: str
    device: Literal["cpu", "cuda"]
    package: str
    help: str
    memory: Mapping[str, str] = field(default_factory=dict)
    fused: tuple[Stage, ...] = ()
    dtypes: Mapping[str, str] = field(default_factory=dict)
    textures: tuple[str, ...] = ()
    peer: bool = False
    recorded: bool = True
    ignores: tuple[str, ...] = ()
    refuses: Callable[[Any, int, int], str] = nothing
    remark: Callable[[Any, int, int], str] = nothing

    @property
    def on_gpu(self) -> bool:
        """Tell whether it needs an NVIDIA GPU."""
        return self.device == "cuda"


@dataclass(frozen=True)
class Terms:
    """Two parameters that choose some of the terms of a sum, to see what each contributes.

    Attributes:
        noun: what a term is called, in the singular.
        names: of the terms, in their order, as short as a symbol.
        count: how many of them there are with some parameters.
        first, last: the parameters: numbers of the first and of the last term summed, from 1; one
            beyond the terms there are means the last.
    """

    noun: str
    names: tuple[str, ...]
    count: Callable[[Any], int]
    first: str
    last: str

    def summed(self, params: Params) -> tuple[int, int]:
        """Numbers of the first and of the last term summed with some parameters."""
        count, values = self.count(params), params.values()
        return min(values[self.first], count), min(values[self.last], count)


@dataclass(frozen=True)
class View:
    """One way to show a pipeline's images.

    Attributes:
        panes: images shown beside each other, left to right.
        anaglyph: show the two panes on top of each other, the first red, the second cyan.
        overlay: an image drawn in one colour over every pane, where it is not 0; one of another
            pipeline with that one's name before it, such as ``canny.edges``.
        boxes: an (N, 4) int32 image of rectangles (x0, y0, x1, y1), both ends included, whose
            outlines are drawn over every pane; one with x1 < x0 is left out.
        region: the parameter whose rectangle is drawn over every pane and dragged with the mouse.
    """

    name: str
    panes: tuple[str, ...]
    help: str
    anaglyph: bool = False
    overlay: str = ""
    boxes: str = ""
    region: str = ""

    @property
    def images(self) -> tuple[str, ...]:
        """Every image it shows, panes first."""
        return self.panes + tuple(name for name in (self.overlay, self.boxes) if name)


@dataclass(frozen=True)
class Work:
    """What one frame computes, so that speeds at different sizes and parameters compare.

    Attributes:
        unit: what is counted, such as ``Mpx``, millions of pixels.
        amount: how much of it a frame has with these parameters at this height and width.
    """

    unit: str = "Mpx"
    amount: Callable[[Any, int, int], float] = megapixels


def as_it_is(params: Params, value: Any) -> Any:
    """A place on an axis that is a parameter's value itself."""
    return value


@dataclass(frozen=True)
class Sweep:
    """The parameter along which variants are told apart: what to time them at, and plot them over.

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
        """Parameters at a place of the axis. Raises ``ValueError`` if they are out of bounds."""
        return params.adjusted(self.parameter, self.value(params, place))


@dataclass(frozen=True)
class Pipeline:
    """Everything there is to know about a pipeline, except how its stages are computed.

    Attributes:
        inputs: the images that come from the source: ``left``, or ``left`` and ``right``. One that
            no stage reads with the parameters chosen may be absent.
        output: the image that the last stage writes.
        presets: named settings; parameters they leave out keep their value.
        views: ways to show it, the default first.
        fits: why these parameters do not fit an image of this height and width; empty if they do.
        work: what a frame computes.
        terms: the sum whose terms can be looked at alone; absent if there is none.
        sweep: what its variants are timed over; absent if nothing tells them apart.
        probe: what tells how one pixel came by its result, as ``module:class``, such as
            ``gpu.pipelines.sgm.probe:SgmProbe``; empty if nothing does.
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
    work: Work = Work()
    terms: Terms | None = None
    sweep: Sweep | None = None
    probe: str = ""

    def __post_init__(self) -> None:
        written = set(self.inputs) | {image.name for image in self.images if image.stands_for}
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
        """What always runs must not depend on what is looked at."""
        always = [stage for stage in self.stages if not stage.on_demand]
        needed = {self.output}.union(*(stage.reads for stage in always))
        needed |= set(self.inputs).union(*(stage.writes for stage in always))
        if seldom := needed & set(self.on_demand):
            raise ValueError(f"{self.name} always needs {seldom}, written only on demand")

    @property
    def on_demand(self) -> tuple[str, ...]:
        """The images that are computed only if they are wanted."""
        return tuple(name for s in self.stages if s.on_demand for name in s.writes)

    def _read_by_conditions(self) -> set[str]:
        codes = [stage.when.__code__ for stage in self.stages]
        codes += [stage.each.__code__ for stage in self.stages if stage.each]
        codes += [image.stands_for.__code__ for image in self.images if image.stands_for]
        codes += [self.fits.__code__]
        return {name for code in codes for name in code.co_names} | self._read_by_properties()

    def _read_by_properties(self) -> set[str]:
        found = [p for p in vars(self.params).values() if isinstance(p, property)]
        return {name for p in found if p.fget for name in p.fget.__code__.co_names}

    def image(self, name: str) -> Image:
        """The declaration of an image. Raises ``ValueError`` when there is none of this name."""
        return _named(self.images, name, f"{self.name} has no image")

    def variant(self, name: str) -> Variant:
        """The declaration of a variant. Raises ``ValueError`` when there is none of this name."""
        return _named(self.variants, name, f"{self.name} has no variant")

    def view(self, name: str) -> View:
        """The declaration of a view. Raises ``ValueError`` when there is none of this name."""
        return _named(self.views, name, f"{self.name} has no view")

    def preset(self, name: str, base: Params | None = None) -> Params:
        """The parameters ``base`` (default: the defaults) with a preset's settings.

        Raises:
            ValueError: there is no preset of this name.
        """
        if name not in self.presets:
            known = ", ".join(self.presets)
            raise ValueError(f"{self.name} has no preset {name!r}; it has {known}")
        return (base or self.params()).changed(**self.presets[name])


def _named(declarations: Sequence[T], name: str, complaint: str) -> T:
    for declaration in declarations:
        if declaration.name == name:  # type: ignore[attr-defined]
            return declaration
    known = ", ".join(d.name for d in declarations)  # type: ignore[attr-defined]
    raise ValueError(f"{complaint} {name!r}; it has {known}")
