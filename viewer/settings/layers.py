"""Merge recipes (saved settings) in layers: values of upper layers replace those of lower ones.

A layer need not be a whole recipe: it holds only the values that it changes.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from wheatstone.gpu.pipelines import PIPELINES
from wheatstone.viewer.choices.slot import default_slot
from wheatstone.viewer.choices.state import ViewerState
from wheatstone.viewer.choices.table import choice, of_one_source
from wheatstone.viewer.settings.recipe import Recipe, restore, source_of, to_recipe
from wheatstone.viewer.settings.user_settings import Presets

DEEPEST = 3
"""Names on the path to a single value of a recipe, such as ``chosen.look.near``."""
BY_KEY = ("view", "compare", "shelf", "chosen")
"""Sections that a layer may change key by key; any other section it replaces as a whole."""


@dataclass(frozen=True)
class Machine:
    """The facts about this machine on which defaults depend: missing devices, user's presets.

    Attributes:
        absent: for every kind of device that cannot be used here, why not.
        presets: the user's own, by pipeline and name.
    """

    absent: Mapping[str, str]
    presets: Presets = field(default_factory=dict)

    def defaults(self, pipeline: str) -> Recipe:
        """Return the default settings for a pipeline, as the lowest layer."""
        return to_recipe(self.first_state(pipeline))

    def first_state(self, pipeline: str) -> ViewerState:
        """Create a viewer state in which all settings of a pipeline have their defaults."""
        slot = default_slot(pipeline, self.absent)
        return ViewerState(slot, self.absent, presets=self.presets)

    def state(self, recipe: Recipe) -> ViewerState:
        """Create the viewer's state from saved settings.

        Raises:
            ValueError: the recipe does not fit this version.
        """
        state = self.first_state("sgm")
        restore(state, recipe)
        return state

    def salvaged(self, recipe: Recipe) -> tuple[Recipe, list[str]]:
        """Return the parts of incompatible saved settings that fit this version.

        Each section is tried as a whole, then each of its values separately. A source without one
        of its values would be a different source, so it is kept as a whole or not at all.

        Returns:
            A recipe that can be restored, and the names of the values that it lacks.
        """
        view = recipe.get("view")
        name = view.get("pipeline") if isinstance(view, dict) else None
        kept = self.defaults(name if isinstance(name, str) and name in PIPELINES else "sgm")
        lost: list[str] = []
        for section, value in recipe.items():
            kept = self._with(kept, (section,), value, lost)
        return kept, lost

    def _with(self, below: Recipe, place: tuple[str, ...], value: Any, lost: list[str]) -> Recipe:
        """Add a value, or its valid parts, to settings; append invalid parts' names to ``lost``."""
        tried = _put(below, place, value)
        if self._fits(tried):
            return tried
        if not isinstance(value, dict) or len(place) == DEEPEST or place == ("source",):
            lost.append(".".join(place))
            return below
        for key, item in value.items():
            below = self._with(below, (*place, key), item, lost)
        return below

    def _fits(self, recipe: Recipe) -> bool:
        """Return whether a viewer state can be created from settings without an exception."""
        try:
            source_of(recipe)
            self.state(recipe)
        except Exception:
            return False
        return True


def _put(recipe: Recipe, place: tuple[str, ...], value: Any) -> Recipe:
    """Copy settings (nested tables), replacing the value at a path of keys."""
    name, *rest = place
    inner = recipe.get(name, {})
    return {**recipe, name: _put(inner, tuple(rest), value) if rest else value}


def merged(*layers: Mapping[str, Any]) -> Recipe:
    """Merge layers of settings, the lowest first: upper values replace lower ones."""
    recipe: Recipe = {}
    for layer in layers:
        for name, section in layer.items():
            recipe[name] = _over(recipe.get(name, {}), section) if name in BY_KEY else section
    return recipe


def _over(below: Mapping[str, Any], above: Mapping[str, Any]) -> dict[str, Any]:
    """Merge a section of settings over that of a lower layer, key by key, one table deep."""
    tables = {key: {**below.get(key, {}), **v} for key, v in above.items() if isinstance(v, dict)}
    return {**below, **above, **tables}


def switch_pipeline(state: ViewerState, name: str) -> None:
    """Switch run A to a pipeline with its last settings; store those of the previous one."""
    if state.slot.pipeline.name != name:
        state.shelf[state.slot.pipeline.name] = state.slot
        state.slot = state.slot_of(name)
        state.shelf.pop(name, None)


def leave_source(state: ViewerState) -> None:
    """Reset the display choices that apply only to the previous source, such as pinned pixels."""
    for path in of_one_source():
        entry = choice(path)
        if entry.group:
            group = replace(getattr(state, entry.group), **{entry.name: entry.default})
            setattr(state, entry.group, group)
        else:
            setattr(state, entry.name, entry.default)
