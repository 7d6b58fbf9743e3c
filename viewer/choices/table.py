"""All choices of the viewer's own, as their fields declare them, and the one way to change each.

A choice is called by its path: the field of the state, or the group and the field in it, such as
``colormap`` and ``look.colorbar``.
"""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, get_type_hints

from gpu.parameters import Control
from viewer.choices.declared import Traits
from viewer.choices.state import GROUPS, ViewerState
from viewer.choices.tuning import tuned
from viewer.choices.words import in_words, spoken


@dataclass(frozen=True)
class Choice:
    """One choice: where the state holds it, and all that was declared of it.

    Attributes:
        group: the state's field whose group it belongs to; empty: the state itself.
        kind: the type of its values.
        default: its value before anything was chosen.
    """

    group: str
    name: str
    control: Control
    traits: Traits
    kind: Any
    default: Any

    @property
    def path(self) -> str:
        """The name under which the choice is looked up."""
        return f"{self.group}.{self.name}" if self.group else self.name

    @property
    def title(self) -> str:
        """The name as people read it."""
        return self.traits.title or spoken(self.name)

    @property
    def is_switch(self) -> bool:
        """Tell whether the choice is on or off."""
        return self.control.choices == (False, True)

    @property
    def has_own_option(self) -> bool:
        """Tell whether an option sets this choice and nothing else."""
        return bool(self.traits.option) and self.traits.exact

    def values(self, state: ViewerState) -> Mapping[Any, str]:
        """List the values to choose from, with their meanings; none where any number will do."""
        return {value: self.traits.meanings.get(value, "") for value in self.control.choices}

    def get(self, state: ViewerState) -> Any:
        """Look up the value chosen."""
        return getattr(self._holder(state), self.name)

    def put(self, state: ViewerState, value: Any) -> None:
        """Choose a value, and whatever it entails.

        Raises:
            ValueError: the value is out of bounds.
        """
        self.control.check(self.name, value)
        if self.group:
            group = getattr(state, self.group)
            setattr(state, self.group, group.chosen(self.name, value))
        else:
            setattr(state, self.name, value)

    def says(self, state: ViewerState) -> str:
        """Tell the user what is chosen, in a line."""
        if self.traits.says:
            return self.traits.says(self._holder(state))
        return f"{self.title} {in_words(self.get(state))}"

    def _holder(self, state: ViewerState) -> Any:
        return getattr(state, self.group) if self.group else state


class ViewChoice(Choice):
    """The view in which the slot that is changed shows its pipeline."""

    def values(self, state: ViewerState) -> Mapping[Any, str]:
        """List the views of the pipeline."""
        return {view.name: view.help for view in tuned(state).pipeline.views}

    def get(self, state: ViewerState) -> str:
        """Look up the name of the view chosen."""
        return state.view_of(tuned(state)).name

    def put(self, state: ViewerState, value: str) -> None:
        """Show the pipeline in another view. Raises ``ValueError`` if there is none such."""
        state.set_view(tuned(state).pipeline, value)

    def says(self, state: ViewerState) -> str:
        """Tell the user which view is shown, and what it shows."""
        return f"view {self.get(state)}: {state.view_of(tuned(state)).help}"


VIEW = ViewChoice(
    "",
    "view",
    Control("ways to show the pipeline's images", "any"),
    Traits(option="view", row=True, kept=False),  # settings keep it with the slot
    str,
    "",
)


def choices() -> tuple[Choice, ...]:
    """List every choice: the view, then what the state's fields declare, then its groups."""
    own = _declared("", ViewerState)
    grouped = (choice for name, group in GROUPS.items() for choice in _declared(name, group))
    return (VIEW, *own, *grouped)


def _declared(group: str, holder: type[Any]) -> tuple[Choice, ...]:
    hints = get_type_hints(holder)
    return tuple(
        Choice(group, f.name, f.metadata["control"], f.metadata["traits"], hints[f.name], f.default)
        for f in fields(holder)
        if "traits" in f.metadata
    )


def choice(path: str) -> Choice:
    """Look up a choice by its path. Raises ``ValueError`` if there is none."""
    known = {choice.path: choice for choice in choices()}
    if path not in known:
        raise ValueError(f"there is no choice {path!r}; there is {', '.join(known)}")
    return known[path]


def choose(state: ViewerState, path: str, value: Any) -> None:
    """Make a choice and say so; say why not, if that is impossible here."""
    found = choice(path)
    try:
        reason = found.traits.why_not(state, value) if found.traits.why_not else ""
        if not reason:
            found.put(state, value)
    except ValueError as error:
        reason = str(error)
    state.message = reason or found.says(state)


def step(state: ViewerState, path: str, steps: int = 1) -> None:
    """Choose the value so many places on, and say so; after the last comes the first."""
    found = choice(path)
    values = list(found.values(state))
    if values:
        place = values.index(found.get(state)) + steps
        choose(state, path, values[place % len(values)])
    else:
        choose(state, path, found.control.stepped(found.get(state), steps))


def press(state: ViewerState, path: str, value: Any) -> None:
    """Choose a value; where it is chosen already, choose the default again."""
    found = choice(path)
    choose(state, path, found.default if found.get(state) == value else value)
