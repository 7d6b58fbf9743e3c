"""Recipes in layers: where two layers say different things, the upper one wins.

A layer need not be a whole recipe: it says what it wants to be different, and nothing else.
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
"""Names on the way to a single value of a recipe, such as ``chosen.look.near``."""
BY_KEY = ("view", "compare", "shelf", "chosen")
"""Sections that a layer may change key by key; any other section it replaces as a whole."""
SECTIONS = {"": "view", "mixing": "compare"}
"""The sections that hold the choices of no group and of a group, but for those in ``chosen``."""


@dataclass(frozen=True)
class Machine:
    """What a start finds on this machine.

    Attributes:
        absent: for every kind of device that cannot be used here, why not.
        presets: the user's own, by pipeline and name.
    """

    absent: Mapping[str, str]
    presets: Presets = field(default_factory=dict)

    def defaults(self, pipeline: str) -> Recipe:
        """Write down what a pipeline shows before anything is chosen: the lowest layer."""
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
        """Keep what fits this version of a saved recipe that as a whole does not.

        Each section is tried as a whole, then each of its values by itself. Without one of its
        values a source would be another one, so that it is kept as a whole or not at all.

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
        """Put a value into a recipe, or those of its values that fit; note the names of others."""
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
        """Tell whether a recipe makes a state, whatever is wrong if it does not."""
        try:
            self.checked({"shelf": {}, **recipe})
        except Exception:
            return False
        return True

    def checked(self, recipe: Recipe) -> Recipe:
        """Check a saved recipe, and leave out shelved pipelines that do not fit this version.

        Raises:
            ValueError: the rest of the recipe does not fit this version.
        """
        shelf = self.state(recipe).shelf
        left = {name: recipe["shelf"][name] for name in shelf}
        # Without parameters of its own it would be given those of a layer below, perhaps of another
        # pipeline.
        return {"params": {}, **recipe, "shelf": left}


def _put(recipe: Recipe, place: tuple[str, ...], value: Any) -> Recipe:
    """Copy a recipe with one value, or one table of values, in its place."""
    name, *rest = place
    inner = recipe.get(name, {})
    return {**recipe, name: _put(inner, tuple(rest), value) if rest else value}


def merged(*layers: Mapping[str, Any]) -> Recipe:
    """Merge layers, the lowest first: what a layer says wins over what those below it say."""
    found: Recipe = {}
    for layer in layers:
        for name, section in layer.items():
            found[name] = _over(found.get(name, {}), section) if name in BY_KEY else section
    return found


def _over(below: Mapping[str, Any], above: Mapping[str, Any]) -> dict[str, Any]:
    """Lay a section over another, key by key, and the tables in a section key by key, too."""
    tables = {key: {**below.get(key, {}), **v} for key, v in above.items() if isinstance(v, dict)}
    return {**below, **above, **tables}


def switched(recipe: Recipe, defaults: Recipe) -> Recipe:
    """Show another pipeline as the user left it, and shelve the one that a recipe shows.

    Args:
        defaults: the other pipeline's defaults, which count if it was never shown.
    """
    view, pipeline = recipe["view"], defaults["view"]["pipeline"]
    if view["pipeline"] == pipeline:
        return recipe
    shelf = {**recipe.get("shelf", {}), view["pipeline"]: _shelved(recipe)}
    left = shelf.pop(pipeline, _shelved(defaults))
    shown = {"pipeline": pipeline, "variant": left["variant"], "view": left["view"]}
    return {**recipe, "view": {**view, **shown}, "params": left["params"], "shelf": shelf}


def _shelved(recipe: Recipe) -> dict[str, Any]:
    """Write the pipeline that a recipe shows as the section ``shelf`` keeps it."""
    view = recipe["view"]
    return {"variant": view["variant"], "view": view["view"], "params": recipe["params"]}


def on_another_source(recipe: Recipe) -> Recipe:
    """Leave out the source of a recipe, and what only makes sense with that source."""
    by_group: dict[str, tuple[str, ...]] = {}
    for path in of_one_source():
        group, _, name = path.rpartition(".")
        by_group[group] = (*by_group.get(group, ()), name)
    own = {section: by_group.pop(group, ()) for group, section in SECTIONS.items()}
    found = {**recipe, "source": {}, **_without(own, recipe)}
    chosen = recipe.get("chosen", {})
    return found | {"chosen": {**chosen, **_without(by_group, chosen)}}


def _without(keys: Mapping[str, tuple[str, ...]], tables: Mapping[str, Any]) -> dict[str, Any]:
    """Copy the tables that have keys to leave out, without these."""
    return {
        name: {key: value for key, value in tables[name].items() if key not in left_out}
        for name, left_out in keys.items()
        if name in tables
    }
