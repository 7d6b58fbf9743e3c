"""All settings of a view as a TOML document, and back: what a screenshot carries."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from gpu.pipelines import PIPELINES
from viewer import VERSION
from viewer.colormaps import COLORMAPS
from viewer.state import Slot, ViewerState

Recipe = dict[str, Any]


def to_recipe(state: ViewerState, source: Mapping[str, str | int]) -> Recipe:
    """Everything needed to show this view again, as TOML can hold it.

    Args:
        source: what reopens the source.
    """
    view = {
        "pipeline": state.slot.pipeline.name,
        "variant": state.slot.variant,
        "view": state.view.name,
        "colormap": state.colormap,
        "frame": state.frame,
        "zoom": state.zoom,
        "center": list(state.center),
    }
    params = state.slot.params.values()
    return {"wheatstone": VERSION, "source": dict(source), "view": view, "params": params}


def apply_recipe(state: ViewerState, recipe: Mapping[str, Any]) -> None:
    """Set a state to what a recipe says; a variant this machine cannot run is left as it is.

    Raises:
        ValueError: the recipe names something this version does not have, or values out of bounds.
    """
    try:
        view = recipe["view"]
        pipeline = PIPELINES[view["pipeline"]]
        params = pipeline.params(**recipe["params"])
        state.slot = Slot(pipeline, state.slot.variant, params)
        state.views[pipeline.name] = pipeline.view(view["view"]).name
        state.colormap = COLORMAPS[COLORMAPS.index(view["colormap"])]
        state.frame, state.zoom = int(view["frame"]), float(view["zoom"])
        state.center = (float(view["center"][0]), float(view["center"][1]))
        state.choose_variant(view["variant"])
    except (KeyError, TypeError, ValueError) as error:
        version = recipe.get("wheatstone", "an unknown version")
        raise ValueError(f"settings of wheatstone {version} cannot be restored: {error}") from error


def with_options(slot: Slot, preset: str | None, options: Mapping[str, Any]) -> Slot:
    """A slot with a preset's settings, then with single parameters set.

    Raises:
        ValueError: there is no such preset, or a value is out of bounds.
    """
    params = slot.pipeline.preset(preset, slot.params) if preset else slot.params
    return replace(slot, params=params.changed(**options))


def dumps(recipe: Mapping[str, Any]) -> str:
    """A recipe as TOML text."""
    import tomli_w

    return tomli_w.dumps(recipe)


def loads(text: str) -> Recipe:
    """A recipe from TOML text. Raises ``ValueError`` when it is not TOML."""
    import tomllib

    return tomllib.loads(text)
