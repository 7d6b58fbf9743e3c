"""Recipes in layers: plain data, of which what a layer says wins over the layers below."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from viewer.choices.slot import default_slot
from viewer.choices.state import ViewerState
from viewer.settings.recipe import Recipe, to_recipe
from viewer.settings.user_settings import restore

BY_KEY = ("view", "compare", "shelf", "chosen")
"""Sections of which a layer may say single keys; of any other it says all or nothing."""


@dataclass(frozen=True)
class Machine:
    """What a start finds on this machine.

    Attributes:
        absent: for every kind of device that cannot be used here, why not.
        presets: the user's own, by pipeline and name.
    """

    absent: Mapping[str, str]
    presets: dict[str, dict[str, dict[str, Any]]] = field(default_factory=dict)

    def defaults(self, pipeline: str) -> Recipe:
        """Write down what a pipeline shows before anything is chosen."""
        state = ViewerState(default_slot(pipeline, self.absent), self.absent)
        return to_recipe(state, {})

    def state(self, recipe: Recipe) -> ViewerState:
        """Make the state that a recipe tells of.

        Raises:
            ValueError: the recipe does not fit this version.
        """
        state = ViewerState(default_slot("sgm", self.absent), self.absent)
        state.presets = self.presets
        restore(state, recipe)
        return state

    def checked(self, recipe: Recipe) -> Recipe:
        """Check a layer by itself, and leave out the pipelines not shown that do not fit.

        Raises:
            ValueError: the rest of it does not fit this version.
        """
        shelf = self.state(recipe).shelf
        return {**recipe, "shelf": {name: recipe["shelf"][name] for name in shelf}}


def merged(*layers: Mapping[str, Any]) -> Recipe:
    """Merge layers, the lowest first: what a layer says wins over what those below it say."""
    found: Recipe = {}
    for layer in layers:
        for name, said in layer.items():
            found[name] = _over(found.get(name, {}), said) if name in BY_KEY else said
    return found


def _over(below: Mapping[str, Any], said: Mapping[str, Any]) -> dict[str, Any]:
    """Lay a section over another, key by key; a group of choices in it likewise."""
    groups = {key: {**below.get(key, {}), **v} for key, v in said.items() if isinstance(v, dict)}
    return {**below, **said, **groups}


def showing(recipe: Recipe, fresh: Recipe) -> Recipe:
    """Show another pipeline as it was left last, and shelve the one shown.

    Args:
        fresh: the other pipeline by its defaults, which it has if it was never left.
    """
    view, pipeline = recipe["view"], fresh["view"]["pipeline"]
    if view["pipeline"] == pipeline:
        return recipe
    shelf = {**recipe.get("shelf", {}), view["pipeline"]: _shelved(recipe)}
    left = shelf.pop(pipeline, _shelved(fresh))
    shown = {"pipeline": pipeline, "variant": left["variant"], "view": left["view"]}
    return {**recipe, "view": {**view, **shown}, "params": left["params"], "shelf": shelf}


def _shelved(recipe: Recipe) -> dict[str, Any]:
    """Write the pipeline that a recipe shows as the shelf keeps it."""
    view = recipe["view"]
    return {"variant": view["variant"], "view": view["view"], "params": recipe["params"]}


def on_another_source(recipe: Recipe) -> Recipe:
    """Leave out what only made sense with the source there was: frame, place, truth, pin."""
    placed = {
        "view": ("frame", "zoom", "center", "paused"),
        "compare": ("frozen",),
    }
    found: Recipe = {**recipe, "source": {}}
    for name, keys in placed.items():
        if name in recipe:
            found[name] = {key: v for key, v in recipe[name].items() if key not in keys}
    chosen = recipe.get("chosen", {})
    of_source = {"truth": "show", "look": "pin"}
    left = {g: {k: v for k, v in c.items() if k != of_source.get(g)} for g, c in chosen.items()}
    return found | ({"chosen": left} if chosen else {})
