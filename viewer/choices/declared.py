"""How a choice of the viewer's own is declared: once, beside its default.

To add a choice, declare a field of ``ViewerState``, or of one of its groups such as ``Look``:

    seam: float = amount(0.5, 0.0, 1.0, "wipe: where the seam lies", step=0.05, option="seam")

``one_of``, ``on_off``, ``amount``, ``numbers``, ``by_name`` and ``text`` declare the kinds of
choices there are. Every number has bounds.

The first arguments make a ``Control``, as parameters of pipelines have one; all others are fields
of ``Traits``. From these two come the option, the settings in TOML, the entries of the palette, the
keys and their help, the row of the parameter panel and the words of the command line to copy.
``viewer.choices.table`` lists all choices and changes them.

To add a group, derive a frozen dataclass from ``ChoiceGroup``, and give the state a field of it.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, ClassVar, Self, TypeVar, cast

from wheatstone.gpu.parameters import LONGEST_SIDE, Control

T = TypeVar("T")
LAST_FRAME = 2**31 - 1
"""The largest number of a frame; a negative one counts from the end."""
LAST_PIXEL = LONGEST_SIDE - 1
"""The largest row or column of a pixel."""
SHOWN = "what is shown"
"""The heading of all options that have no other."""


@dataclass(frozen=True)
class Presses:
    """Keys that set a choice to one value each; the same key once more sets the default again.

    Attributes:
        values: the values that the keys set, in the order of the keys.
        help: what the keys do, in one line for all of them.
        each: what each key does, where there are several.
    """

    keys: tuple[str, ...]
    values: tuple[Any, ...]
    help: str
    each: tuple[str, ...] = ()


@dataclass(frozen=True)
class Traits:
    """What there is to know of a choice besides its control: how it is named, set and told.

    Attributes:
        title: the choice's name as people read it; empty: that of the field.
        option: its name on the command line, without dashes; empty: only ``--set`` sets it.
        metavar: what the option's value is called in the help.
        flag_values: of an option that takes no value, such as ``--error-map``: the values that
            ``--no-error-map`` and ``--error-map`` set.
        exact: whether the option can say every value, and changes no other choice; if not, the
            command line to copy says ``--set`` instead.
        meanings: what each value means, for lists to choose from.
        values_in: lists the values that a state has to choose from, each with its meaning; absent:
            all there are.
        shown_as: what a list calls each value, where that is not the value itself.
        keys: the key that takes the next value, and the one that takes the previous value.
        key_help: what the keys do, in one line; empty: made of the title.
        each: what each of the keys does; empty: made of the title.
        presses: keys that set single values.
        says: makes what the user is told of a new value from the group, or from the state if the
            choice is in no group; an empty line leaves what was said before.
        why_not: tells from the state and a value why the value cannot be chosen; empty if it can.
        in_window: what a window begins with where that is not the default, which stands for what
            pictures showed before there was the choice; None: the default.
        kept: whether settings and screenshots keep a choice of no group; those of groups are kept.
        of_source: whether it makes sense only with the source on which it was chosen.
        undone: whether undo brings it back; not, for example, where the picture is zoomed to.
        row: whether the parameter panel has a row for the choice.
        row_when: tells from the state whether the row is of any use now; absent: always.
        listed: whether the palette lists its values, or asks for one.
        verbs: of the command line, those that have the option.
    """

    title: str = ""
    option: str = ""
    metavar: str = ""
    flag_values: tuple[Any, Any] | None = None
    exact: bool = True
    meanings: Mapping[Any, str] = field(default_factory=dict)
    values_in: Callable[[Any], Mapping[Any, str]] | None = None
    shown_as: Mapping[Any, str] = field(default_factory=dict)
    keys: tuple[str, ...] = ()
    key_help: str = ""
    each: tuple[str, ...] = ()
    presses: tuple[Presses, ...] = ()
    says: Callable[[Any], str] | None = None
    why_not: Callable[[Any, Any], str] | None = None
    in_window: Any = None
    kept: bool = True
    of_source: bool = False
    undone: bool = True
    row: bool = False
    row_when: Callable[[Any], bool] | None = None
    listed: bool = True
    verbs: tuple[str, ...] = ("view", "render")


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


def numbers(default: T, low: float, high: float, help: str, **traits: Any) -> T:
    """Declare a number that may be absent, or several numbers, such as a place.

    Each lies between the bounds, both included. Nothing knows the value after another one, so that
    the choice can have neither keys nor a row.
    """
    return cast(T, _declared(default, Control(help, "numbers", low=low, high=high), traits))


def by_name(low: float, high: float, help: str, **traits: Any) -> Any:
    """Declare a choice that is a table of numbers by name, empty by default; see ``numbers``."""
    control = Control(help, "numbers", low=low, high=high)
    return field(default_factory=dict, metadata=_metadata(control, traits))


def text(default: str, help: str, **traits: Any) -> str:
    """Declare a choice of any text, such as a name; it can have neither keys nor a row."""
    return cast(str, _declared(default, Control(help, "text"), traits))


def _declared(default: Any, control: Control, traits: Mapping[str, Any]) -> Any:
    return field(default=default, metadata=_metadata(control, traits))


def _metadata(control: Control, traits: Mapping[str, Any]) -> dict[str, Any]:
    found = Traits(**traits)
    if control.kind in ("numbers", "text") and (found.keys or found.row):
        raise ValueError("a choice of such values has no next one: give it neither keys nor a row")
    return {"control": control, "traits": found}


@dataclass(frozen=True)
class ChoiceGroup:
    """Base of groups of choices: one with a value out of bounds cannot be constructed.

    Attributes:
        heading: where the help of ``view`` lists the options of the group.
        in_place: name of the choice that shows something in the result's place; empty: none does.
    """

    heading: ClassVar[str] = SHOWN
    in_place: ClassVar[str] = ""

    def __post_init__(self) -> None:
        for name, control in declared_controls(type(self)).items():
            control.check(name, getattr(self, name))

    def chosen(self, name: str, value: Any) -> Self:
        """Copy the group with one choice made, and with the choices that follow from it."""
        return replace(self, **{name: value})


def declared_controls(holder: type) -> dict[str, Control]:
    """List the controls of the choices that a class declares, by field."""
    found = fields(holder)
    return {f.name: f.metadata["control"] for f in found if "traits" in f.metadata}
