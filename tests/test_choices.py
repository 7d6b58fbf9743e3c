"""What panels let the user choose, through TOML and back."""

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field

import pytest

from wheatstone.viewer.choices.declared import numbers
from wheatstone.viewer.choices.slot import default_slot
from wheatstone.viewer.choices.state import ViewerState
from wheatstone.viewer.settings import recipe as settings
from wheatstone.viewer.settings.saved_choices import apply_choices, set_choices, to_choices

ABSENT = {"cpu": "", "cuda": "no GPU"}


@dataclass(frozen=True)
class Chosen:
    name: str = "plain"
    amount: float = 1.0
    pair: tuple[int, int] | None = None
    seen: frozenset[str] = frozenset()
    by_name: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    on: bool = True


@dataclass
class Wider(ViewerState):
    chosen: Chosen = field(default_factory=Chosen)


FULL = Chosen("odd", 2.0, (3, 4), frozenset({"b", "a"}), {"sgm.x": (0.5, 2.0)}, False)


def state_of(chosen: Chosen) -> Wider:
    return Wider(default_slot("sgm", ABSENT), ABSENT, chosen=chosen)


def test_only_what_differs_is_reported() -> None:
    assert to_choices(state_of(Chosen())) == {}
    assert to_choices(state_of(Chosen(amount=2.0))) == {"chosen": {"amount": 2.0}}


def test_every_kind_of_value_comes_back() -> None:
    document = settings.loads(settings.dumps(to_choices(state_of(FULL))))
    state = state_of(Chosen(name="before"))
    apply_choices(state, document)
    assert state.chosen == FULL
    apply_choices(state, {})
    assert state.chosen == Chosen()


@pytest.mark.parametrize(
    "values",
    [{"other": {}}, {"chosen": {"colour": 1}}, {"chosen": {"on": "yes"}}, {"chosen": {"name": 3}}],
)
def test_what_cannot_be_chosen_is_refused(values: dict[str, dict[str, object]]) -> None:
    with pytest.raises(ValueError, match=r"chosen|stands where"):
        apply_choices(state_of(Chosen()), values)


def test_single_choices_are_set() -> None:
    state = state_of(Chosen(name="stays"))
    set_choices(state, [("chosen", "amount", 3), ("chosen", "pair", [1, 2])])
    assert state.chosen == Chosen("stays", 3.0, (1, 2))
    with pytest.raises(ValueError, match="nothing called 'x' can be set"):
        set_choices(state, [("x", "y", 1)])


def test_every_choice_of_the_state_has_defaults_and_is_frozen() -> None:
    state = ViewerState(default_slot("sgm", ABSENT), ABSENT)
    assert to_choices(state) == {}
    for name in ("look", "truth", "probing"):
        assert dataclasses.is_dataclass(getattr(state, name))


@pytest.mark.parametrize(
    ("attribute", "value", "message"),
    [
        ("ranges", 3, r"--set look\.ranges must be a table \(got 3\)"),
        (
            "ranges",
            {"sgm.disparity": [5, "a"]},
            r"--set look\.ranges\.sgm\.disparity\[1\] must be a fin",
        ),
        ("ranges", {"sgm.disparity": [5, 2]}, r"--set look: .*range.* \(got 5 to 2\)"),
        ("pin", [1, "a"], r"--set look\.pin\[1\] must be an integer \(got 'a'\)"),
        ("pin", [1], r"--set look\.pin must be a list of 2"),
        ("colorbar", 1, r"--set look\.colorbar must be true or false"),
    ],
)
def test_a_value_of_another_type_is_refused_by_name(
    attribute: str, value: object, message: str
) -> None:
    state = ViewerState(default_slot("sgm", ABSENT), ABSENT)
    with pytest.raises(ValueError, match=message):
        set_choices(state, [("look", attribute, value)])


def test_a_choice_without_a_next_value_takes_no_keys_and_no_row() -> None:
    with pytest.raises(ValueError, match="has no next value"):
        numbers(None, 0, 1, "Any place.", keys=("Q",))
    with pytest.raises(ValueError, match="has no next value"):
        numbers(None, 0, 1, "Any place.", row=True)
