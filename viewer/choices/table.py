"""A table of the viewer's own choices (not pipeline parameters), and functions to set them.

A choice is named by its path: the name of a field of the state, such as ``colormap``, or the
group's and the field's in it, such as ``look.colorbar``.
"""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cache
from typing import Any, get_type_hints

from wheatstone.gpu.parameters import Control
from wheatstone.viewer.choices.declared import SHOWN, ChoiceGroup, Traits
from wheatstone.viewer.choices.judging import SHOWN_AS, SHOWS, is_disparity
from wheatstone.viewer.choices.state import ViewerState
from wheatstone.viewer.choices.tuning import tuned
from wheatstone.viewer.run.run import Run
from wheatstone.viewer.words import in_words, spoken


@dataclass(frozen=True)
class Choice:
    """A choice of the user: the state's field that holds it, and all that the field declares.

    Attributes:
        group: the state's field that holds the choice's group; empty: the state holds the choice.
        name: the field that holds the choice.
        heading: where the help of ``view`` lists its option.
    """

    group: str
    name: str
    control: Control
    traits: Traits
    kind: Any
    default: Any
    heading: str = SHOWN

    @property
    def path(self) -> str:
        """Return the path that identifies the choice, such as ``look.colorbar``."""
        return f"{self.group}.{self.name}" if self.group else self.name

    @property
    def title(self) -> str:
        """Return the choice's name as it is displayed."""
        return self.traits.title or spoken(self.name)

    @property
    def is_switch(self) -> bool:
        """Return whether the choice is a switch, with the values on and off."""
        return self.control.choices == (False, True)

    @property
    def in_window(self) -> Any:
        """Return the choice's initial value in a new window, which may differ from the default."""
        return self.default if self.traits.in_window is None else self.traits.in_window

    @property
    def has_own_option(self) -> bool:
        """Return whether an option of ``view`` sets every value of the choice, but nothing else."""
        return bool(self.traits.option) and self.traits.exact and "view" in self.traits.verbs

    def has_row(self, state: ViewerState) -> bool:
        """Return whether the parameter panel has a row for the choice, given a viewer state."""
        when = self.traits.row_when
        return self.traits.row and (not when or when(state))

    def values(self, state: ViewerState) -> Mapping[Any, str]:
        """List the values to choose from, each with its meaning; empty for numbers and text."""
        if self.traits.values_in:
            return self.traits.values_in(state)
        return {value: self.traits.meanings.get(value, "") for value in self.control.choices}

    def get(self, state: ViewerState) -> Any:
        """Return the choice's value in a viewer state."""
        return getattr(self._holder(state), self.name)

    def put(self, state: ViewerState, value: Any) -> None:
        """Set the choice's value in a viewer state, and update the values that depend on it.

        Raises:
            ValueError: the value is out of bounds.
        """
        self.control.check(self.name, value)
        if self.group:
            group = getattr(state, self.group)
            setattr(state, self.group, group.chosen(self.name, value))
            if group.in_place == self.name and value != self.default:
                state.clear_place(but=self.group)
        else:
            setattr(state, self.name, value)

    def says(self, state: ViewerState) -> str:
        """Describe the choice's value in a viewer state, in one line for the user."""
        says = self.traits.says
        if isinstance(says, tuple):
            return says[self.get(state)]
        if says:
            return says(self._holder(state))
        return f"{self.title} {in_words(self.get(state))}"

    def _holder(self, state: ViewerState) -> Any:
        """Return the object that holds the choice: its group of choices, or the viewer state."""
        return getattr(state, self.group) if self.group else state


class ViewChoice(Choice):
    """The choice of the view of the tuned run (A or B), including error map and ground truth."""

    def values(self, state: ViewerState) -> Mapping[Any, str]:
        """List the views for the tuned run (A or B), each with its meaning."""
        return views_of(tuned(state))

    def get(self, state: ViewerState) -> str:
        """Return the name of the view that shows the tuned run (A or B)."""
        return view_shown(state, tuned(state))

    def put(self, state: ViewerState, value: str) -> None:
        """Select the view that shows the tuned run (A or B); raise ``ValueError`` if unknown."""
        show_view(state, tuned(state), value)

    def says(self, state: ViewerState) -> str:
        """Describe the view that shows the tuned run (A or B), in a line for the user."""
        shown = self.get(state)
        return f"view {shown}: {self.values(state)[shown]}"


BY_TRUTH = {SHOWN_AS[show]: show for show in SHOWS if show != "off"}
"""The views that ground truth adds to those of pipelines, and their values of ``truth.show``."""


def views_of(slot: Run) -> dict[str, str]:
    """List the views for a run with their meanings: its pipeline's, error map and ground truth."""
    pipeline = slot.pipeline
    views = {view.name: view.help for view in pipeline.views}
    if is_disparity(pipeline.image(pipeline.output)):
        views |= {name: SHOWS[show] for name, show in BY_TRUTH.items()}
    return views


def view_shown(state: ViewerState, slot: Run) -> str:
    """Return the name of the view that shows a run, one of those that ``views_of`` lists."""
    by_truth = SHOWN_AS[state.truth.show]
    return by_truth if by_truth in BY_TRUTH else state.view_of(slot).name


def show_view(state: ViewerState, slot: Run, name: str) -> None:
    """Select the view that shows a run, one of those that ``views_of`` lists.

    Raises:
        ValueError: there is no such view, or it cannot be shown now.
    """
    if name not in BY_TRUTH:
        state.set_view(slot.pipeline, name)
        state.clear_place()
        return
    by_truth = choice("truth.show")
    assert by_truth.traits.why_not
    if reason := by_truth.traits.why_not(state, BY_TRUTH[name]):
        raise ValueError(reason)
    by_truth.put(state, BY_TRUTH[name])


VIEW = ViewChoice(
    "",
    "view",
    Control("view of the pipeline's images", "text"),
    Traits(option="view", row=True, kept=False),  # settings keep it with the slot
    str,
    "",
)


@cache
def choices() -> tuple[Choice, ...]:
    """List every choice: the display view, then the state's own fields, then its groups'."""
    own = _declared_by(ViewerState, "")
    grouped = (choice for name, group in _groups().items() for choice in _declared_by(group, name))
    return (VIEW, *own, *grouped)


def _groups() -> Mapping[str, type[ChoiceGroup]]:
    """Return the dataclasses that group choices in the viewer state, by field name."""
    kinds = get_type_hints(ViewerState)
    return {
        name: kind
        for name, kind in kinds.items()
        if isinstance(kind, type) and issubclass(kind, ChoiceGroup)
    }


def _declared_by(holder: type[Any], group: str) -> tuple[Choice, ...]:
    """List the choices declared by the fields of the viewer state, or of a group of choices."""
    hints = get_type_hints(holder)
    heading = holder.heading if issubclass(holder, ChoiceGroup) else SHOWN
    own = [f for f in fields(holder) if "traits" in f.metadata]
    declared = [(f, f.metadata["control"], f.metadata["traits"]) for f in own]
    return tuple(
        Choice(group, f.name, control, traits, hints[f.name], f.default, heading)
        for f, control, traits in declared
    )


@cache
def _by_path() -> Mapping[str, Choice]:
    return {choice.path: choice for choice in choices()}


@cache
def of_one_source() -> frozenset[str]:
    """Return the paths of choices that are valid only for the source they were made on."""
    return frozenset(choice.path for choice in choices() if choice.traits.of_source)


def choice(path: str) -> Choice:
    """Return a choice by its path; raise ``ValueError`` if the path is unknown."""
    known = _by_path()
    if path not in known:
        raise ValueError(f"there is no choice {path!r}; there is {', '.join(known)}")
    return known[path]


def choose(state: ViewerState, path: str, value: Any) -> None:
    """Set a choice's value, with a message; report an error if this state does not allow it."""
    entry = choice(path)
    before = entry.get(state)
    try:
        reason = entry.traits.why_not(state, value) if entry.traits.why_not else ""
        if not reason:
            entry.put(state, value)
    except ValueError as error:
        reason = str(error)
    if not reason and entry.traits.follows:
        entry.traits.follows(state, before)
    if reason:
        state.report_error(reason)
    elif says := entry.says(state):
        state.hint(says)


def step(state: ViewerState, path: str, steps: int = 1) -> None:
    """Set a choice to the value some steps further on, with a message.

    After the last of a list comes the first; numbers stop at their bounds.
    """
    entry = choice(path)
    values = list(entry.values(state))
    if values:
        now = entry.get(state)
        place = values.index(now) if now in values else 0
        choose(state, path, values[(place + steps) % len(values)])
    else:
        choose(state, path, entry.control.stepped(entry.get(state), steps))


def press(state: ViewerState, path: str, value: Any) -> None:
    """Set a choice's value, with a message; if it has this value already, restore the default."""
    entry = choice(path)
    choose(state, path, entry.default if entry.get(state) == value else value)
