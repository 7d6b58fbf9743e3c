"""Recipes: convert all settings of a view to plain data that TOML can hold, and back.

A screenshot contains a recipe, the settings at exit are one, and a start merges several.
"""

from collections.abc import Mapping
from dataclasses import asdict, replace
from typing import Any

from wheatstone.gpu.pipelines import PIPELINES
from wheatstone.viewer import VERSION
from wheatstone.viewer.choices.mixing import Mixing
from wheatstone.viewer.choices.slot import rival
from wheatstone.viewer.choices.state import ViewerState
from wheatstone.viewer.frames.facts import made_with
from wheatstone.viewer.frames.session import Session
from wheatstone.viewer.reading.documents import LARGEST, parsed
from wheatstone.viewer.reading.regular_files import in_units
from wheatstone.viewer.reading.typed_values import section, typed
from wheatstone.viewer.run.run import Run, default_variant, saved_params
from wheatstone.viewer.settings.chosen import apply_choices, kept_in_view, plain, to_choices
from wheatstone.viewer.settings.file_names import with_names, with_uris
from wheatstone.viewer.settings.seal import seal_of
from wheatstone.viewer.settings.sections import SavedSlot, SavedView, saved_source

Recipe = dict[str, Any]
"""By section: ``source``, ``view``, ``params``, ``compare``, ``b``, ``chosen``, ``shelf``, ..."""


def recipe_of(session: Session) -> Recipe:
    """Return the recipe of a session, with device, packages and compute time under ``made``."""
    return to_recipe(session.state, session.source.recipe) | {"made": made_with(session)}


def to_recipe(state: ViewerState, source: Mapping[str, str | int]) -> Recipe:
    """Return everything needed to show this view again, in a form that TOML can hold.

    Args:
        source: the section of a recipe that reopens the source.
    """
    slot = state.slot
    view = {"pipeline": slot.pipeline.name, "variant": slot.variant, "view": state.view.name}
    view |= {name: plain(choice.get(state)) for name, choice in kept_in_view().items()}
    recipe = {
        "wheatstone": VERSION,
        "source": dict(source),
        "view": view,
        "params": slot.params.values(),
    }
    if source.keys() & {"left", "calibration"} and (seal := seal_of(source)):
        recipe["seal"] = seal
    chosen = to_choices(state)
    return recipe | _slot_b(state) | ({"chosen": chosen} if chosen else {})


def _slot_b(state: ViewerState) -> Recipe:
    """Return slot B and the comparison of A and B; empty if the user never asked for B."""
    if state.mixing == Mixing() and not state.b:
        return {}
    compare = {name: value for name, value in asdict(state.mixing).items() if value is not None}
    return {"compare": compare, "b": section_of_b(state)}


def section_of_b(state: ViewerState) -> dict[str, Any]:
    """Return the section of slot B: its pipeline, variant, view and parameters."""
    slot = state.slot_b
    return {
        "pipeline": slot.pipeline.name,
        "variant": slot.variant,
        "view": state.view_of(slot).name,
        "linked": state.linked,
        "params": slot.params.values(),
    }


def apply_recipe(state: ViewerState, recipe: Mapping[str, Any]) -> None:
    """Set a state to a recipe, except for variants that this machine cannot run.

    Raises:
        ValueError: the recipe has names unknown to this version, or values out of bounds; the state
            is then unchanged.
    """
    restored = replace(state, views=dict(state.views))
    try:
        saved_source(recipe)
        _apply_slot_a(restored, recipe)
        _apply_slot_b(restored, recipe)
        apply_choices(restored, recipe.get("chosen", {}))
    except ValueError as error:
        version = recipe.get("wheatstone", "an unknown version")
        raise ValueError(f"settings of wheatstone {version} cannot be restored: {error}") from error
    restored.fit_slots(state.ahead, state.scale)
    vars(state).update(vars(restored))


def _apply_slot_a(state: ViewerState, recipe: Mapping[str, Any]) -> None:
    """Set slot A, and the choices that share the section ``view`` with it."""
    said = typed(Mapping[str, Any], recipe.get("view", {}), "view")
    kept = kept_in_view()
    own = {name: value for name, value in said.items() if name not in kept}
    view = section(SavedView, own, "view", kept)
    pipeline = PIPELINES[view.pipeline]
    params = saved_params(pipeline, recipe.get("params", {}), "params")
    state.slot = Run(pipeline, default_variant(pipeline, state.absent), params)
    state.set_view(pipeline, view.view)
    for name, choice in kept.items():
        value = said.get(name, choice.default)
        choice.put(state, typed(choice.kind, value, f"view.{name}"))
    state.choose_variant(view.variant)


def _apply_slot_b(state: ViewerState, recipe: Mapping[str, Any]) -> None:
    """Set slot B and its comparison with A; without such sections B is not chosen."""
    state.b, state.linked = None, True
    state.mixing = section(Mixing, recipe.get("compare", {}), "compare")
    if "b" in recipe:
        b = section(SavedSlot, recipe["b"], "b")
        pipeline = PIPELINES[b.pipeline]
        params = saved_params(pipeline, b.params, "b.params")
        variant = rival(Run(pipeline, "", params), state.absent)
        state.b, state.linked = Run(pipeline, variant, params), b.linked
        state.set_view(pipeline, b.view)
        state.choose_variant_b(b.variant)


def dumps(recipe: Mapping[str, Any]) -> str:
    """Format a recipe as TOML text."""
    import tomli_w

    return tomli_w.dumps(with_uris(recipe))


def loads(text: str) -> Recipe:
    """Parse a recipe from TOML text. Raises ``ValueError`` if the text is damaged or too deep."""
    if len(text) > LARGEST:
        raise ValueError(f"larger than {in_units(LARGEST)}, the most that is read")
    return with_names(parsed(text, "TOML"))
