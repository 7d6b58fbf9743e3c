"""Functions that declare the user's choices for the viewer, each once, next to its default.

To add a choice, declare a field of ``ViewerState``, or of one of its groups such as ``Look``:

    seam: float = amount(0.5, 0.0, 1.0, "wipe: where the seam lies", step=0.05, option="seam")

``one_of``, ``on_off``, ``amount``, ``numbers``, ``by_name`` and ``text`` declare the kinds of
choices there are. Every number has bounds.

The first arguments make a ``Control``, as for parameters of pipelines; all others are fields
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
SHOWN = "display"
"""The heading of all options without a heading of their own."""
FORMER_NAMES: Mapping[str, str] = {"multiples": "parameter_grid"}
"""Names that earlier versions gave to panels and to groups of choices, and those of today."""


def current_name(name: str) -> str:
    """Return the current name of a panel or group of choices from its name in any version."""
    return FORMER_NAMES.get(name, name)


@dataclass(frozen=True)
class Presses:
    """Keys that each set a choice to one value, or to its default when pressed again.

    Attributes:
        values: the values that the keys set, in the order of the keys.
        help: one line of help for all of the keys.
        each: one line of help for each key, where there are several.
    """

    keys: tuple[str, ...]
    values: tuple[Any, ...]
    help: str
    each: tuple[str, ...] = ()


@dataclass(frozen=True)
class Traits:
    """The properties of a choice besides kind and bounds, such as name, option, keys and messages.

    Attributes:
        title: the choice's name as people read it; empty: made of the field's name.
        option: its name on the command line, without dashes; empty: only ``--set`` sets it.
        metavar: the name of the option's value in the help.
        flag_values: of an option that takes no value, such as ``--error-map``: the values that
            ``--no-error-map`` and ``--error-map`` set.
        exact: whether the option can say every value, and changes no other choice; if not, the
            command line to copy says ``--set`` instead.
        meanings: the meaning of each value, for lists to choose from.
        values_in: lists the values that a state has to choose from, each with its meaning; absent:
            all there are.
        shown_as: the text of each value in a list, where it differs from the value itself.
        keys: the key that takes the next value, and the one that takes the previous value.
        key_help: one line of help for the keys; empty: made of the title.
        each: one line of help for each of the keys; empty: made of the title.
        presses: keys that set single values.
        says: makes the message about a new value from the group, or from the state if the choice is
            in no group; of a switch, the messages for off and on. An empty line keeps the previous
            message.
        why_not: returns from the state and a value why it cannot be chosen; empty if it can.
        follows: changes the state further after the user chose a value, given the value before.
        in_window: the first value in a window where it is not the default, which stands for how
            pictures looked before the choice existed; None: the default.
        kept: whether settings and screenshots save a choice of no group; those of groups are saved.
        of_source: whether it makes sense only with the source on which it was chosen.
        undone: whether undo restores it; the zoom position, for example, is not restored.
        row: whether the parameter panel has a row for the choice.
        row_when: returns from the state whether the row is of any use now; absent: always.
        listed: whether the palette lists its values, or asks for one.
        also: other words that find its values in the palette.
        verbs: the commands of the command line that have the option.
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
    says: Callable[[Any], str] | tuple[str, str] | None = None
    why_not: Callable[[Any, Any], str] | None = None
    follows: Callable[[Any, Any], None] | None = None
    in_window: Any = None
    kept: bool = True
    of_source: bool = False
    undone: bool = True
    row: bool = False
    row_when: Callable[[Any], bool] | None = None
    listed: bool = True
    also: str = ""
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
    """Declare a choice of a number between two bounds, both included."""
    control = Control(help, "float", low=low, high=high, step=step)
    return cast(float, _declared(default, control, traits))


def numbers(default: T, low: float, high: float, help: str, **traits: Any) -> T:
    """Declare a choice of a number that may be absent, or of several numbers, such as a pixel.

    Each lies between the bounds, both included. There is no defined next value, so the choice
    can have neither keys nor a row.
    """
    return cast(T, _declared(default, Control(help, "numbers", low=low, high=high), traits))


def by_name(low: float, high: float, help: str, **traits: Any) -> Any:
    """Declare a choice that maps names to numbers, empty by default; see ``numbers``."""
    control = Control(help, "numbers", low=low, high=high)
    return field(default_factory=dict, metadata=_metadata(control, traits))


def text(default: str, help: str, **traits: Any) -> str:
    """Declare a choice of any text, such as a name.

    It can have neither keys nor a row in the parameter panel.
    """
    return cast(str, _declared(default, Control(help, "text"), traits))


def _declared(default: Any, control: Control, traits: Mapping[str, Any]) -> Any:
    return field(default=default, metadata=_metadata(control, traits))


def _metadata(control: Control, traits: Mapping[str, Any]) -> dict[str, Any]:
    declared = Traits(**traits)
    if control.kind in ("numbers", "text") and (declared.keys or declared.row):
        raise ValueError(
            "a choice of numbers or text has no next value, so it can have neither keys nor a row"
        )
    return {"control": control, "traits": declared}


@dataclass(frozen=True)
class ChoiceGroup:
    """Base class of groups of choices, which rejects values out of bounds.

    Attributes:
        heading: where the help of ``view`` lists the options of the group.
        in_place: name of the choice that replaces the result in the picture; empty: none does.
    """

    heading: ClassVar[str] = SHOWN
    in_place: ClassVar[str] = ""

    def __post_init__(self) -> None:
        for name, control in declared_controls(type(self)).items():
            control.check(name, getattr(self, name))

    def chosen(self, name: str, value: Any) -> Self:
        """Copy a group of choices with one of them set, and dependent choices updated."""
        return replace(self, **{name: value})


def declared_controls(holder: type) -> dict[str, Control]:
    """Return the controls (kind, bounds and help) of a class's choices, by field name."""
    declared = fields(holder)
    return {f.name: f.metadata["control"] for f in declared if "traits" in f.metadata}
