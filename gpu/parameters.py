"""Declare each parameter once: its type, default, bounds, unit, help and keys."""

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import MISSING, dataclass, field, fields, replace
from difflib import get_close_matches
from typing import Any, ClassVar, Literal, Self, TypeVar

LONGEST = 80  # characters of a word that are looked at
LEAST = 0.5  # how alike words must be, from 0 to 1, as ``difflib`` counts
SAME_DEVICE = {"cpu": "software", "gpu": "cuda"}
"""Names of devices, and their names in some options; by letters, each is like its opposite."""


def nearest(word: str, known: Iterable[str], least: float = LEAST) -> str:
    """Return the known word most similar to ``word``, ignoring case; empty if none is similar."""
    by_letters = {name.casefold(): name for name in sorted(known)}
    if same := SAME_DEVICE.get(word.casefold()):
        return by_letters.get(same, "")
    matches = get_close_matches(word[:LONGEST].casefold(), by_letters, 1, least)
    return by_letters[matches[0]] if matches else ""


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return a question that suggests the known word most similar to ``word``, or an empty text."""
    suggestion = nearest(word, known)
    return f" (did you mean {suggestion!r}?)" if suggestion else ""


T = TypeVar("T")
Number = TypeVar("Number", int, float)
LONGEST_SIDE = 16384
"""Pixels of an image's longer side, and so the largest coordinate of a region."""
FARTHEST = 1e15
"""No declared number may have a bound beyond this one."""
BOUNDED = ("int", "float", "region", "numbers")
"""Kinds of parameters that hold numbers."""


@dataclass(frozen=True)
class Control:
    """The declaration of a parameter, with all that a slider or a command-line option needs.

    Attributes:
        kind: ``choice``: one of ``choices``; ``int`` or ``float``: a number between ``low`` and
            ``high``; ``region``: a rectangle (x, y, width, height) in pixels of an image, no side
            shorter than ``low``, nothing beyond ``high``; ``numbers``: a number, several, a table
            of these, or None, each between ``low`` and ``high``; ``text``: any text.
        step: change of the value by a key press or a slider notch.
        stride: distance of neighbouring allowed integers.
        usual: the upper end of a slider; larger numbers are typed.
        keys: the keys that lower and raise the value, in this order; empty when there are none.
        symbol: name of the value in the status line; empty if it does not show it.
        earlier: values of earlier versions, and the values that replace them.
        before: the value that gives the behaviour from before the parameter existed; None if it has
            always existed.
    """

    help: str
    kind: Literal["choice", "int", "float", "region", "numbers", "text"]
    choices: tuple[Any, ...] = ()
    low: float = 0
    high: float = 0
    step: float = 1
    stride: int = 1
    usual: float = math.inf
    unit: str = ""
    keys: tuple[str, ...] = ()
    symbol: str = ""
    earlier: tuple[tuple[Any, Any], ...] = ()
    before: Any = None

    def __post_init__(self) -> None:
        """Raise ``ValueError`` if a number is declared without finite bounds."""
        if self.kind in BOUNDED and not -FARTHEST <= self.low < self.high <= FARTHEST:
            got = f"got {self.low} and {self.high}: {self.help}"
            raise ValueError(f"a number is declared with bounds, the lower one first ({got})")

    @property
    def bounds(self) -> str:
        """Describe the allowed values as text."""
        if self.kind == "choice":
            return "one of " + ", ".join(str(choice) for choice in self.choices)
        if self.kind == "text":
            return "text"
        if self.kind == "numbers":
            return f"in [{self.low:.10g}, {self.high:.10g}]"
        if self.kind == "region":
            return f"x,y,width,height with x, y >= 0 and sides >= {self.low}, all <= {self.high}"
        multiple = f", a multiple of {self.stride}" if self.stride > 1 else ""
        return f"in [{self.low}, {self.high}]{multiple}"

    def allows(self, value: Any) -> bool:
        """Return whether a value is within bounds and of the right type."""
        if self.kind == "choice":
            return any(value == c and type(value) is type(c) for c in self.choices)
        if self.kind == "text":
            return isinstance(value, str)
        if self.kind == "numbers":
            return all(self._within(number) for number in _numbers(value))
        if self.kind == "region":
            whole = type(value) is tuple and [type(v) for v in value] == [int] * 4
            small = whole and min(value[:2]) >= 0 and min(value[2:]) >= self.low
            return small and max(value) <= self.high
        right_type = type(value) is (int if self.kind == "int" else float)
        if not right_type or not self._within(value):
            return False
        return self.stride <= 1 or (value - self.low) % self.stride == 0

    def _within(self, value: Any) -> bool:
        return type(value) in (int, float) and self.low <= value <= self.high

    def check(self, name: str, value: Any) -> None:
        """Raise ``ValueError`` naming parameter, value and bounds unless ``value`` is allowed."""
        if not self.allows(value):
            like = did_you_mean(str(value), map(str, self.choices))
            raise ValueError(f"{name} must be {self.bounds} (got {value!r}){like}")

    def converted(self, value: Any) -> Any:
        """Convert a value from TOML or typed by the user to the parameter's own type."""
        if self.kind == "float" and type(value) is int and self._within(value):
            return float(value)
        for old, new in self.earlier:
            if value == old and type(value) is type(old):
                return new
        return tuple(value) if self.kind == "region" and isinstance(value, list) else value

    def place(self, value: Any) -> Any:
        """Convert a value for compiled code: a choice to its index, any other value unchanged."""
        return self.choices.index(self.converted(value)) if self.kind == "choice" else value

    def stepped(self, value: Any, steps: int) -> Any:
        """Change a value by ``steps`` notches; choices wrap round, numbers stop at their bounds."""
        if self.kind == "choice":
            return self.choices[(self.choices.index(value) + steps) % len(self.choices)]
        if self.kind == "region":
            return value
        return min(max(round(value + steps * self.step, 9), self.low), self.high)


def _numbers(value: Any) -> Iterator[Any]:
    """Yield every number in a value and in nested tables, tuples and lists; nothing for None."""
    if isinstance(value, Mapping):
        value = tuple(value.values())
    if isinstance(value, tuple | list):
        for item in value:
            yield from _numbers(item)
    elif value is not None:
        yield value


def choice(
    default: T,
    choices: tuple[T, ...],
    help: str,
    *,
    earlier: tuple[tuple[Any, T], ...] = (),
    before: T | None = None,
) -> T:
    """Declare a parameter that takes one of a few values."""
    control = Control(help, "choice", choices=choices, earlier=earlier, before=before)
    return field(default=default, metadata={"control": control})


def switch(default: bool, help: str, *, before: bool | None = None) -> bool:
    """Declare a parameter that is on or off."""
    return choice(default, (False, True), help, before=before)


def slider(
    default: Number,
    low: Number,
    high: Number,
    help: str,
    *,
    step: Number | None = None,
    stride: int = 1,
    usual: float = math.inf,
    unit: str = "",
    keys: tuple[str, ...] = (),
    symbol: str = "",
    before: Number | None = None,
) -> Number:
    """Declare a number between two bounds, both included; an integer if its default is one."""
    whole = type(default) is int
    control = Control(
        help,
        "int" if whole else "float",
        low=low,
        high=high,
        step=step or (1 if whole else 0.1),
        stride=stride,
        usual=usual,
        unit=unit,
        keys=keys,
        symbol=symbol,
        before=before,
    )
    return field(default=default, metadata={"control": control})


def region(
    default: tuple[int, int, int, int], smallest: int, help: str
) -> tuple[int, int, int, int]:
    """Declare a rectangle (x, y, width, height) of the left image, no side below ``smallest``."""
    control = Control(help, "region", low=smallest, high=LONGEST_SIDE, unit="px")
    return field(default=default, metadata={"control": control})


@dataclass(frozen=True)
class Params:
    """The parameters of a pipeline; creating an object with a value out of bounds fails.

    Attributes:
        ordered: pairs of parameters, the first of which must not exceed the second.
        groups: names of parameters by the heading under which they are listed; empty: all together.
    """

    ordered: ClassVar[tuple[tuple[str, str], ...]] = ()
    groups: ClassVar[Mapping[str, tuple[str, ...]]] = {}

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
        """Return a copy with some parameters set. Raises ``ValueError`` if one is out of bounds."""
        return replace(self, **changes)

    def adjusted(self, name: str, value: Any) -> Self:
        """Return a copy with ``name`` set; parameters that must stay above or below it move along.

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
        """Return a copy with ``name`` moved by ``steps`` notches, within its bounds."""
        value = controls(type(self))[name].stepped(getattr(self, name), steps)
        return self.adjusted(name, value)

    def values(self) -> dict[str, Any]:
        """Return the value of every parameter by name, in the order of declaration."""
        return {name: getattr(self, name) for name in controls(type(self))}


def controls(params: type[Params]) -> dict[str, Control]:
    """Return the control of every parameter by name, in the order of declaration."""
    return {f.name: f.metadata["control"] for f in fields(params)}


def completed(params: type[Params], values: Mapping[str, Any]) -> dict[str, Any]:
    """Add newer parameters to a set of values from an earlier version, keeping its behaviour.

    A set that names only some parameters is returned unchanged: the others have their defaults.
    """
    newer = {n: c.before for n, c in controls(params).items() if c.before is not None}
    whole = controls(params).keys() - newer.keys() <= values.keys()
    return {**newer, **values} if whole else dict(values)


def defaults(params: type[Params]) -> dict[str, Any]:
    """Return the default of every parameter by name, in the order of declaration."""
    assert all(f.default is not MISSING for f in fields(params))
    return {f.name: f.default for f in fields(params)}
