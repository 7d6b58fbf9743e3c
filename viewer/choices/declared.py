"""How a choice of the viewer's own is declared: once, beside its default.

The field of a dataclass carries two things: a ``Control``, as parameters of pipelines do, and
``Traits``, which say what else there is to know. From these come the option, the settings in TOML,
the entry of the palette, the keys and their help, the row of the parameter panel and the words of
the command line to copy. ``viewer.choices.table`` lists all choices and changes them.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, Self, TypeVar, cast

from gpu.parameters import Control

T = TypeVar("T")


@dataclass(frozen=True)
class Presses:
    """Keys that set a choice to one value each; the same key once more sets the default again.

    Attributes:
        values: that the keys set, in the same order.
        help: what the keys do, all together.
        each: what every key does, where there are several.
    """

    keys: tuple[str, ...]
    values: tuple[Any, ...]
    help: str
    each: tuple[str, ...] = ()


@dataclass(frozen=True)
class Traits:
    """What there is to know of a choice besides its control.

    Attributes:
        title: its name as people read it; empty: that of the field.
        option: its name on the command line, without dashes; empty: only ``--set`` sets it.
        metavar: what the option's value is called in the help.
        states: of an option without a value, such as ``--error-map``: what ``--no-...`` sets, and
            what the option sets.
        exact: whether the option sets this choice alone; if not, a copied line says ``--set``.
        meanings: what each value means, for lists to choose from.
        shown_as: what a list calls each value, where that is not the value itself.
        keys: the keys that take the next value, and the previous one.
        key_help: what the keys do; empty: made of the title.
        each: what every one of the keys does; empty: made of the title.
        presses: keys that set single values.
        says: what the user is told of a new value, made of the object that holds the choice.
        why_not: why a value cannot be chosen, made of the state and the value; empty if it can.
        kept: whether settings and screenshots keep it.
        row: whether the parameter panel has a row for it.
    """

    title: str = ""
    option: str = ""
    metavar: str = ""
    states: tuple[Any, Any] | None = None
    exact: bool = True
    meanings: Mapping[Any, str] = field(default_factory=dict)
    shown_as: Mapping[Any, str] = field(default_factory=dict)
    keys: tuple[str, ...] = ()
    key_help: str = ""
    each: tuple[str, ...] = ()
    presses: tuple[Presses, ...] = ()
    says: Callable[[Any], str] | None = None
    why_not: Callable[[Any, Any], str] | None = None
    kept: bool = True
    row: bool = False


def one_of(default: T, values: tuple[T, ...], help: str, **traits: Any) -> T:
    """Declare a choice that takes one of a few values."""
    return cast(T, _declared(default, Control(help, "choice", choices=values), traits))


def on_off(default: bool, help: str, **traits: Any) -> bool:
    """Declare a choice that is on or off."""
    return one_of(default, (False, True), help, **traits)


def amount(
    default: float, low: float, high: float, help: str, *, step: float = 0.1, **traits: Any
) -> float:
    """Declare a number between two bounds, both included."""
    control = Control(help, "float", low=low, high=high, step=step)
    return cast(float, _declared(default, control, traits))


def free(default: T, help: str, **traits: Any) -> T:
    """Declare a choice of any value that its type allows, such as a place or a name."""
    return cast(T, _declared(default, Control(help, "any"), traits))


def by_name(help: str) -> Any:
    """Declare a table of values by name, empty before any was chosen."""
    return field(default_factory=dict, metadata=_metadata(Control(help, "any"), {}))


def _declared(default: Any, control: Control, traits: Mapping[str, Any]) -> Any:
    return field(default=default, metadata=_metadata(control, traits))


def _metadata(control: Control, traits: Mapping[str, Any]) -> dict[str, Any]:
    return {"control": control, "traits": Traits(**traits)}


@dataclass(frozen=True)
class ChoiceGroup:
    """Base of choices that belong together: a value out of bounds cannot be constructed."""

    def __post_init__(self) -> None:
        for name, control in declared_controls(type(self)).items():
            control.check(name, getattr(self, name))

    def chosen(self, name: str, value: Any) -> Self:
        """Copy the group with one choice made, and whatever that entails."""
        return replace(self, **{name: value})


def declared_controls(holder: type) -> dict[str, Control]:
    """List the controls of the choices that a class declares, by field."""
    found = fields(holder)
    return {f.name: f.metadata["control"] for f in found if "traits" in f.metadata}
