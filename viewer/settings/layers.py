"""Recipes in layers: where two layers differ, the upper one wins.

A layer need not be a whole recipe: it holds only the values that it changes.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from wheatstone.gpu.pipelines import PIPELINES
from wheatstone.viewer.choices.slot import default_slot
from wheatstone.viewer.choices.state import ViewerState
from wheatstone.viewer.choices.table import of_one_source
from wheatstone.viewer.settings.recipe import Recipe, to_recipe
from wheatstone.viewer.settings.user_settings import Presets, restore

DEEPEST = 3
"""Names on the path to a single value of a recipe, such as ``chosen.look.near``."""
BY_KEY = ("view", "compare", "shelf", "chosen")
"""Sections that a layer may change key by key; any other section it replaces as a whole."""
SECTIONS = {"": "view", "mixing": "compare"}
"""The sections with the choices of no group and of a group, except for those in ``chosen``."""


@dataclass(frozen=True)
class Machine:
    """The devices and presets of this machine.

    Attributes:
        absent: for every kind of device that cannot be used here, why not.
        presets: the user's own, by pipeline and name.
    """

    absent: Mapping[str, str]
    presets: Presets = field(default_factory=dict)

    def defaults(self, pipeline: str) -> Recipe:
        """Return the recipe of a pipeline without any choices: the lowest layer."""
        state = ViewerState(default_slot(pipeline, self.absent), self.absent)
        return to_recipe(state, {})

    def state(self, recipe: Recipe) -> ViewerState:
        """Make the state that a recipe describes.

        Raises:
            ValueError: the recipe does not fit this version.
        """
        state = ViewerState(default_slot("sgm", self.absent), self.absent)
        state.presets = self.presets
        restore(state, recipe)
        return state

    def salvaged(self, recipe: Recipe) -> tuple[Recipe, list[str]]:
        """Keep the parts of an incompatible saved recipe that fit this version.

        Each section is tried as a whole, then each of its values by itself. A source without one of
        its values would be a different source, so it is kept as a whole or not at all.

        Returns:
            A recipe that can be restored, and the names of the values that it lacks.
        """
        view = recipe.get("view")
        name = view.get("pipeline") if isinstance(view, dict) else None
        kept = self.defaults(name if isinstance(name, str) and name in PIPELINES else "sgm")
        lost: list[str] = []
        for section, value in recipe.items():
            kept = self._with(kept, (section,), value, lost)
        kept = on_another_source(kept) if "source" in lost else kept
        return self.checked({"shelf": {}, **kept}), lost

    def _with(self, below: Recipe, place: tuple[str, ...], value: Any, lost: list[str]) -> Recipe:
        """Put a value, or those of its parts that fit, into a recipe; collect the other names."""
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
        """Return whether a recipe makes a state, whatever the error is."""
        try:
            self.checked({"shelf": {}, **recipe})
        except Exception:
            return False
        return True

    def checked(self, recipe: Recipe) -> Recipe:
        """Check a saved recipe, and remove shelved pipelines that do not fit this version.

        Raises:
            ValueError: the rest of the recipe does not fit this version.
        """
        shelf = self.state(recipe).shelf
        left = {name: recipe["shelf"][name] for name in shelf}
        # Without parameters of its own it would be given those of a layer below, perhaps of another
        # pipeline.
        return {"params": {}, **recipe, "shelf": left}


def _put(recipe: Recipe, place: tuple[str, ...], value: Any) -> Recipe:
    """Copy a recipe with one value, or one table of values, replaced."""
    name, *rest = place
    inner = recipe.get(name, {})
    return {**recipe, name: _put(inner, tuple(rest), value) if rest else value}


def merged(*layers: Mapping[str, Any]) -> Recipe:
    """Merge layers, the lowest first: the values of a layer replace those below it."""
    found: Recipe = {}
    for layer in layers:
        for name, section in layer.items():
            found[name] = _over(found.get(name, {}), section) if name in BY_KEY else section
    return found


def _over(below: Mapping[str, Any], above: Mapping[str, Any]) -> dict[str, Any]:
    """Merge a section into the one below, key by key, and the tables in it key by key, too."""
    tables = {key: {**below.get(key, {}), **v} for key, v in above.items() if isinstance(v, dict)}
    return {**below, **above, **tables}


def switched(recipe: Recipe, defaults: Recipe) -> Recipe:
    """Switch a recipe to another pipeline with its last settings, and shelve the one shown.

    Args:
        defaults: the other pipeline's defaults, used if it was never shown.
    """
    view, pipeline = recipe["view"], defaults["view"]["pipeline"]
    if view["pipeline"] == pipeline:
        return recipe
    shelf = {**recipe.get("shelf", {}), view["pipeline"]: _shelved(recipe)}
    left = shelf.pop(pipeline, _shelved(defaults))
    shown = {"pipeline": pipeline, "variant": left["variant"], "view": left["view"]}
    return {**recipe, "view": {**view, **shown}, "params": left["params"], "shelf": shelf}


def _shelved(recipe: Recipe) -> dict[str, Any]:
    """Return the pipeline that a recipe shows in the form of the section ``shelf``."""
    view = recipe["view"]
    return {"variant": view["variant"], "view": view["view"], "params": recipe["params"]}


def on_another_source(recipe: Recipe) -> Recipe:
    """Remove the source of a recipe, and the choices that only make sense with that source."""
    by_group: dict[str, tuple[str, ...]] = {}
    for path in of_one_source():
        group, _, name = path.rpartition(".")
        by_group[group] = (*by_group.get(group, ()), name)
    own = {section: by_group.pop(group, ()) for group, section in SECTIONS.items()}
    found = {**recipe, "source": {}, **_without(own, recipe)}
    chosen = recipe.get("chosen", {})
    return found | {"chosen": {**chosen, **_without(by_group, chosen)}}


def _without(keys: Mapping[str, tuple[str, ...]], tables: Mapping[str, Any]) -> dict[str, Any]:
    """Copy the named tables without the keys to leave out."""
    return {
        name: {key: value for key, value in tables[name].items() if key not in left_out}
        for name, left_out in keys.items()
        if name in tables
    }
