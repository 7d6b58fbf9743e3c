"""A choice is declared in one place; whatever is made of choices has it from there."""

from collections.abc import Iterator
from dataclasses import dataclass, field

import pytest

from wheatstone.viewer.choices import table, undoing
from wheatstone.viewer.choices.declared import amount, on_off, one_of
from wheatstone.viewer.choices.look import Look
from wheatstone.viewer.choices.slot import default_slot
from wheatstone.viewer.choices.state import ViewerState
from wheatstone.viewer.choices.table import Choice, choices, choose, press, step
from wheatstone.viewer.cli.cli import parse
from wheatstone.viewer.cli.documented_tables import choice_table, key_tables
from wheatstone.viewer.io.sources.source_spec import SourceSpec
from wheatstone.viewer.panels.keys import actions
from wheatstone.viewer.panels.keys.help import help_groups
from wheatstone.viewer.panels.keys.palette.entries import entries
from wheatstone.viewer.settings import layers
from wheatstone.viewer.settings.command_line import command_line
from wheatstone.viewer.settings.given_options import apply_options
from wheatstone.viewer.settings.layers import Machine
from wheatstone.viewer.settings.recipe import dumps, loads, to_recipe

ABSENT = {"cpu": "", "cuda": "no GPU"}
SCENE: dict[str, str | int] = {"scene": "orbit", "seed": 0, "size": "64x48"}


@dataclass(frozen=True)
class Wider(Look):
    """The look, with a few choices more: the one place where they are declared."""

    grid: str = one_of(
        "none",
        ("none", "lines", "dots"),
        "A grid over the picture.",
        title="grid over the picture",
        option="grid",
        meanings={"lines": "Lines every ten pixels."},
        keys=("Ctrl+B",),
        row=True,
    )
    ruler: bool = on_off(False, "A ruler at the border.", option="ruler", keys=("Ctrl+U",))
    fade: float = amount(0.5, 0.0, 1.0, "How far the rest fades.", option="fade")


@dataclass
class WiderState(ViewerState):
    look: Wider = field(default_factory=Wider)


@pytest.fixture
def wider(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    for module in (table, layers):
        monkeypatch.setattr(module, "ViewerState", WiderState)
    of_choices = choices, table._by_path, table.of_one_source
    kept = *of_choices, undoing.undoable, actions._unplaced
    for made in kept:
        made.cache_clear()
    yield
    for made in kept:
        made.cache_clear()


def state_of(kind: type[ViewerState] = WiderState) -> ViewerState:
    return kind(default_slot("sgm", ABSENT), ABSENT)


def shown_by(*words: str, verb: str = "view") -> ViewerState:
    machine, options = Machine(ABSENT), parse([verb, "sgm", *words])
    state = machine.first_state("sgm")
    apply_options(state, options)
    return state


def value(state: ViewerState, name: str) -> object:
    return getattr(state.look, name)


def test_it_is_listed_with_its_bounds(wider: None) -> None:
    by_name = {choice.path: choice for choice in choices()}
    assert by_name["look.grid"].control.bounds == "one of none, lines, dots"
    state = state_of()
    choose(state, "look.grid", "stripes")
    assert "grid must be one of none, lines, dots (got 'stripes')" in state.message
    choose(state, "look.fade", 2.0)
    assert "fade must be in [0.0, 1.0]" in state.message and value(state, "fade") == 0.5


def test_it_is_an_option(wider: None) -> None:
    state = shown_by("--grid", "dots", "--ruler", "--fade", "0.25")
    assert [value(state, name) for name in ("grid", "ruler", "fade")] == ["dots", True, 0.25]
    assert value(shown_by("--set", "look.grid=lines"), "grid") == "lines"
    with pytest.raises(ValueError, match="fade must be in"):
        shown_by("--fade", "3")


def test_settings_and_screenshots_keep_it(wider: None) -> None:
    state = shown_by("--grid", "dots", "--fade", "0.25")
    recipe = loads(dumps(to_recipe(state, SourceSpec.from_dict(SCENE))))
    assert recipe["chosen"]["look"] == {"grid": "dots", "fade": 0.25}
    assert Machine(ABSENT).state(recipe).look == state.look


def test_the_line_to_copy_says_it(wider: None) -> None:
    state = shown_by("--grid", "dots", "--ruler")
    words = command_line(state, SourceSpec.from_dict(SCENE))[1:]
    assert words[words.index("--grid") + 1] == "dots" and "--ruler" in words
    again = shown_by(*words[2:])
    assert again.look == state.look


def test_the_palette_offers_its_values(wider: None) -> None:
    state = state_of()
    by_name = {entry.name: entry for entry in entries(state)}
    assert by_name["grid over the picture: lines"].help == "Lines every ten pixels."
    assert by_name["grid over the picture: none"].current
    by_name["grid over the picture: lines"].run(state)
    assert value(state, "grid") == "lines" and state.message == "grid over the picture lines"
    take = by_name["fade ..."].take
    assert take
    take(state, "0.75")
    assert value(state, "fade") == 0.75
    take(state, "much")
    assert value(state, "fade") == 0.75 and "is a number" in state.message


def test_its_key_steps_it_and_the_help_says_so(wider: None) -> None:
    state = state_of()
    seen = []
    for _ in range(3):
        assert actions.press(state, "Ctrl+B")
        seen.append(value(state, "grid"))
    assert seen == ["lines", "dots", "none"]
    actions.press(state, "Ctrl+U")
    assert value(state, "ruler") is True
    rows = [row for group in help_groups(state) for row in group.rows]
    assert ("Ctrl+B", "choose next grid over the picture") in rows
    assert ("Ctrl+U", "show or hide ruler") in rows
    assert "`Ctrl+U`" in key_tables() and "`--ruler`" in choice_table()


def test_the_parameter_panel_has_a_row_for_it(wider: None) -> None:
    state = state_of()
    titles = "view", "colour map", "comparison", "change over time", "grid over the picture"
    assert set(rows(state)) == set(titles)
    state.set_view(state.slot.pipeline, "cloud")
    assert {"surface", "grid and axes"} <= {*rows(state)} - {*rows(state_of())}


def rows(state: ViewerState) -> list[str]:
    return [choice.title for choice in choices() if choice.has_row(state)]


def test_pressing_a_value_once_more_goes_back_to_the_default(wider: None) -> None:
    state = state_of()
    press(state, "look.grid", "dots")
    assert value(state, "grid") == "dots"
    press(state, "look.grid", "dots")
    assert value(state, "grid") == "none"


def test_every_choice_can_be_made_and_says_something() -> None:
    for choice in choices():
        state = state_of(ViewerState)
        for wanted in choice.values(state):
            choose(state, choice.path, wanted)
            assert choice.get(state) == wanted, choice.path
            assert state.message == choice.says(state), choice.path
        if choice.control.kind == "float":
            step(state, choice.path, 1)
            assert choice.get(state) > choice.default, choice.path


VALUES = {
    "look.pin": (3, 4),
    "frame": 7,
    "center": (0.25, 0.75),
    "mixing.frozen": 3,
    "cloud.orbit": (-90.0, 45.5, 2.0),
    "look.near": 1.5,
    "look.far": 9.0,
}
"""One that is not the default, of every choice of any value that has an option."""


@pytest.mark.parametrize("entry", [c for c in choices() if c.traits.option], ids=lambda c: c.path)
def test_every_option_reaches_the_state_and_its_settings(entry: Choice) -> None:
    state = state_of(ViewerState)
    listed = [v for v in entry.values(state) if v not in (entry.get(state), entry.default)]
    number = entry.control.kind == "float"
    wanted = entry.control.stepped(entry.default, 1) if number else (listed or [None])[0]
    wanted = VALUES.get(entry.path, wanted)
    option = f"--{entry.traits.option}"
    if entry.is_switch or entry.traits.flag_values:
        flags = entry.traits.flag_values or (False, True)
        words = [option if flags[1] == wanted else f"--no-{option[2:]}"]
    else:
        words = [option, ",".join(map(str, wanted)) if isinstance(wanted, tuple) else str(wanted)]
    shown = shown_by(*words, verb=entry.traits.verbs[-1])
    assert entry.get(shown) == wanted
    again = Machine(ABSENT).state(loads(dumps(to_recipe(shown, SourceSpec.from_dict(SCENE)))))
    assert entry.get(again) == wanted


def test_an_unknown_choice_is_named() -> None:
    with pytest.raises(ValueError, match=r"no choice 'look.speed'; there is view, colormap"):
        table.choice("look.speed")
