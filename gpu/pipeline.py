"""What a pipeline is: parameters, images, stages, variants and views, each declared once.

The command line, sliders, keys, help, tables and parity tests are generated from these
declarations; the declarations themselves are in ``gpu/pipelines``.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields, replace
from typing import Any, ClassVar, Literal, Self, TypeVar

Array = Any  # numpy.ndarray on the CPU, cupy.ndarray or a texture on the GPU
T = TypeVar("T")


Number = TypeVar("Number", int, float)


@dataclass(frozen=True)
class Control:
    """One parameter's help, bounds, unit and keys: all that a slider or an option needs to know.

    Attributes:
        kind: ``choice``: one of ``choices``; ``int`` or ``float``: a number between ``low`` and
            ``high``; ``region``: a rectangle (x, y, width, height) in pixels of an image, no side
            shorter than ``low``.
        step: what a key press or a slider notch adds.
        stride: distance of neighbouring allowed integers.
        keys: the keys that lower and raise the value, in this order; empty when there are none.
        symbol: what the status line calls the value; empty if it does not show it.
    """

    help: str
    kind: Literal["choice", "int", "float", "region"]
    choices: tuple[Any, ...] = ()
    low: float = 0
    high: float = 0
    step: float = 1
    stride: int = 1
    unit: str = ""
    keys: tuple[str, ...] = ()
    symbol: str = ""

    @property
    def bounds(self) -> str:
        """The allowed values in words."""
        if self.kind == "choice":
            return "one of " + ", ".join(str(choice) for choice in self.choices)
        if self.kind == "region":
            return f"x,y,width,height with x, y >= 0 and sides >= {self.low}"
        multiple = f", a multiple of {self.stride}" if self.stride > 1 else ""
        return f"in [{self.low}, {self.high}]{multiple}"

    def allows(self, value: Any) -> bool:
        """Whether a value is within bounds and of the right type."""
        if self.kind == "choice":
            return any(value == c and type(value) is type(c) for c in self.choices)
        if self.kind == "region":
            whole = type(value) is tuple and [type(v) for v in value] == [int] * 4
            return whole and min(value[:2]) >= 0 and min(value[2:]) >= self.low
        right_type = type(value) is (int if self.kind == "int" else float)
        if not right_type or not self.low <= value <= self.high:
            return False
        return self.stride <= 1 or (value - self.low) % self.stride == 0

    def check(self, name: str, value: Any) -> None:
        """Raise ``ValueError`` naming parameter, value and bounds unless ``value`` is allowed."""
        if not self.allows(value):
            raise ValueError(f"{name} must be {self.bounds} (got {value!r})")

    def converted(self, value: Any) -> Any:
        """A value as written in TOML or typed on a keyboard, in the parameter's own type."""
        if self.kind == "float" and type(value) is int:
            return float(value)
        return tuple(value) if self.kind == "region" and isinstance(value, list) else value

    def stepped(self, value: Any, steps: int) -> Any:
        """The value ``steps`` notches on; choices wrap round, numbers stop at their bounds."""
        if self.kind == "choice":
            return self.choices[(self.choices.index(value) + steps) % len(self.choices)]
        if self.kind == "region":
            return value
        return min(max(round(value + steps * self.step, 9), self.low), self.high)


def choice(default: T, choices: tuple[T, ...], help: str, *, keys: tuple[str, ...] = ()) -> T:
    """Declare a parameter that takes one of a few values."""
    control = Control(help, "choice", choices=choices, keys=keys)
    return field(default=default, metadata={"control": control})


def switch(default: bool, help: str, *, keys: tuple[str, ...] = ()) -> bool:
    """Declare a parameter that is on or off."""
    return choice(default, (False, True), help, keys=keys)


def slider(
    default: Number,
    low: Number,
    high: Number,
    help: str,
    *,
    step: Number | None = None,
    stride: int = 1,
    unit: str = "",
    keys: tuple[str, ...] = (),
    symbol: str = "",
) -> Number:
    """Declare a number between two bounds, both included; whole if its default is."""
    whole = type(default) is int
    control = Control(
        help,
        "int" if whole else "float",
        low=low,
        high=high,
        step=step or (1 if whole else 0.1),
        stride=stride,
        unit=unit,
        keys=keys,
        symbol=symbol,
    )
    return field(default=default, metadata={"control": control})


def region(
    default: tuple[int, int, int, int], smallest: int, help: str
) -> tuple[int, int, int, int]:
    """Declare a rectangle (x, y, width, height) of the left image, no side below ``smallest``."""
    control = Control(help, "region", low=smallest, unit="px")
    return field(default=default, metadata={"control": control})


@dataclass(frozen=True)
class Params:
    """Base of every pipeline's parameters: a value out of bounds cannot be constructed.

    Attributes:
        ordered: pairs of parameters of which the first must not exceed the second.
    """

    ordered: ClassVar[tuple[tuple[str, str], ...]] = ()

    def __post_init__(self) -> None:
        for name, control in controls(type(self)).items():
            value = control.converted(getattr(self, name))
            object.__setattr__(self, name, value)  # the one moment before it is frozen
            control.check(name, value)
        for low, high in self.ordered:
            small, large = getattr(self, low), getattr(self, high)
            if small > large:
                raise ValueError(
                    f"{low} must not exceed {high} (got {low} {small}, {high} {large})"
                )

    def changed(self, **changes: Any) -> Self:
        """A copy with some parameters set. Raises ``ValueError`` when one is out of bounds."""
        return replace(self, **changes)

    def adjusted(self, name: str, value: Any) -> Self:
        """A copy with ``name`` set to ``value``; a parameter ordered against it moves along.

        Raises:
            ValueError: ``value`` is out of bounds.
        """
        changes = {name: value}
        for low, high in self.ordered:
            if name == low and value > getattr(self, high):
                changes[high] = value
            if name == high and value < getattr(self, low):
                changes[low] = value
        return self.changed(**changes)

    def stepped(self, name: str, steps: int) -> Self:
        """A copy with ``name`` moved by ``steps`` notches, within its bounds."""
        value = controls(type(self))[name].stepped(getattr(self, name), steps)
        return self.adjusted(name, value)

    def values(self) -> dict[str, Any]:
        """Name and value of every parameter, in the order of declaration."""
        return {name: getattr(self, name) for name in controls(type(self))}


def controls(params: type[Params]) -> dict[str, Control]:
    """The control of every parameter, in the order of declaration."""
    return {f.name: f.metadata["control"] for f in fields(params)}


def defaults(params: type[Params]) -> dict[str, Any]:
    """The default of every parameter, in the order of declaration."""
    assert all(f.default is not MISSING for f in fields(params))
    return {f.name: f.default for f in fields(params)}


def nothing(params: Params, height: int, width: int) -> str:
    """No complaint and no remark."""
    return ""


def always(params: Params) -> bool:
    """The condition of a stage that cannot be switched off."""
    return True


@dataclass(frozen=True)
class Image:
    """A named array that stages read or write.

    Attributes:
        dims: what each axis counts: ``height``, ``width``, the name of an integer parameter or of a
            property of the parameters, or a fixed length.
        scale: multiplies a stored value into ``unit``.
        limits: smallest and largest value to show, in ``unit``; if absent, those of the dtype.
        invalid: the stored value that means "no result"; absent if every value is a result.
        colormap: the colour map that shows it, whatever the user chose; empty: the user's.
        stands_for: for an image that is only another's name, which one it means.
        columns: for an image that is a table, which `render` prints, the names of its columns; a
            row whose last value is 0 is empty.
    """

    name: str
    dtype: str
    help: str
    dims: tuple[str | int, ...] = ("height", "width")
    scale: float = 1.0
    unit: str = ""
    limits: Callable[[Any], tuple[float, float]] | None = None
    invalid: Callable[[Any], int] | None = None
    colormap: str = ""
    stands_for: Callable[[Any], str] | None = None
    columns: tuple[str, ...] = ()

    def shape(self, height: int, width: int, params: Params) -> tuple[int, ...]:
        """Length of every axis at an image size and a set of parameters."""
        size = {"height": height, "width": width}
        return tuple(
            dim if isinstance(dim, int) else int(size.get(dim) or getattr(params, dim))
            for dim in self.dims
        )


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
        covers: for a fused step of a variant, the stages whose work it does.
    """

    name: str
    reads: tuple[str, ...]
    writes: tuple[str, ...]
    params: tuple[str, ...] = ()
    when: Callable[[Any], bool] = always
    each: Callable[[Any], Sequence[Mapping[str, Any]]] | None = None
    covers: tuple[str, ...] = ()
    help: str = ""


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
class Pipeline:
    """Everything there is to know about a pipeline, except how its stages are computed.

    Attributes:
        inputs: the images that come from the source: ``left``, or ``left`` and ``right``. One that
            no stage reads with the parameters chosen may be absent.
        output: the image that the last stage writes.
        presets: named settings; parameters they leave out keep their value.
        views: ways to show it, the default first.
        fits: why these parameters do not fit an image of this height and width; empty if they do.
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

    def __post_init__(self) -> None:
        written = set(self.inputs) | {image.name for image in self.images if image.stands_for}
        for stage in self.stages:
            unknown = set(stage.reads) - written
            if unknown:
                raise ValueError(f"{self.name}.{stage.name} reads {unknown}, which no stage wrote")
            written |= set(stage.writes)
        undeclared = written - {image.name for image in self.images}
        if undeclared:
            raise ValueError(f"{self.name} does not declare the images {undeclared}")
        used = {name for stage in self.stages for name in stage.params}
        used |= {str(dim) for image in self.images for dim in image.dims}
        idle = set(controls(self.params)) - used - self._read_by_conditions()
        if idle:
            raise ValueError(f"no stage of {self.name} reads the parameters {idle}")

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
