"""Convert all settings of a window to plain data for TOML (a recipe), and back.

A screenshot contains a recipe, the settings at exit are one, and a start merges several.
"""

from collections.abc import Mapping
from contextlib import suppress
from copy import copy
from dataclasses import asdict, dataclass, field
from typing import Any

from wheatstone.gpu.pipelines import PIPELINES
from wheatstone.viewer import VERSION
from wheatstone.viewer.choices.declared import current_name
from wheatstone.viewer.choices.mixing import Mixing
from wheatstone.viewer.choices.slot import rival
from wheatstone.viewer.choices.state import ViewerState
from wheatstone.viewer.choices.workspaces import FIRST, PanelArrangement, Workspaces, declared
from wheatstone.viewer.display.frames.facts import made_with
from wheatstone.viewer.display.frames.session import Session
from wheatstone.viewer.io.reading.documents import LARGEST, parsed
from wheatstone.viewer.io.reading.paths import with_uri, without_uri
from wheatstone.viewer.io.reading.plain_text import encodable
from wheatstone.viewer.io.reading.regular_files import in_units
from wheatstone.viewer.io.reading.typed_values import one_of, section, typed
from wheatstone.viewer.io.sources.source_spec import NO_SOURCE, SourceSpec
from wheatstone.viewer.panels import PANELS, passing
from wheatstone.viewer.run.run import Run, default_variant, saved_params
from wheatstone.viewer.settings.saved_choices import (
    apply_choices,
    kept_in_view,
    of_window,
    plain,
    to_choices,
)
from wheatstone.viewer.settings.trust import seal_of

Recipe = dict[str, Any]
"""By section: ``source``, ``view``, ``params``, ``compare``, ``b``, ``chosen``, ``shelf``, ..."""


@dataclass(frozen=True)
class SavedView:
    """The stored pipeline, variant and view of run A.

    Raises ``ValueError`` for an unknown pipeline.
    """

    pipeline: str
    variant: str
    view: str

    def __post_init__(self) -> None:
        one_of(self.pipeline, PIPELINES, "pipeline")


@dataclass(frozen=True)
class SavedSlot:
    """The stored pipeline, variant, view and parameters of run B, or of a pipeline not shown.

    Raises ``ValueError`` for an unknown pipeline.
    """

    pipeline: str
    variant: str
    view: str
    params: Mapping[str, Any]
    linked: bool = False

    def __post_init__(self) -> None:
        one_of(self.pipeline, PIPELINES, "pipeline")


@dataclass(frozen=True)
class SavedWindow:
    """The stored panels of the window: visibility, open panels and arrangement."""

    seen: bool = True
    panels: tuple[str, ...] = ()
    workspace: str = FIRST
    arrangements: Mapping[str, PanelArrangement] = field(default_factory=dict)


def recipe_of(session: Session) -> Recipe:
    """Return all settings of a session as plain data, with device, packages and compute time."""
    return to_recipe(session.state, session.source.spec) | {"made": made_with(session)}


def to_recipe(state: ViewerState, spec: SourceSpec = NO_SOURCE) -> Recipe:
    """Return all settings needed to restore a viewer state, as plain data for TOML."""
    state = state.of_images
    slot = state.slot
    view = {"pipeline": slot.pipeline.name, "variant": slot.variant, "view": state.view.name}
    view |= {name: plain(choice.get(state)) for name, choice in kept_in_view().items()}
    recipe = {
        "wheatstone": VERSION,
        "source": spec.to_dict(),
        "view": view,
        "params": slot.params.values(),
    }
    if (spec.left or spec.calibration) and (seal := seal_of(spec)):
        recipe["seal"] = seal
    chosen = to_choices(state)
    return recipe | _slot_b(state) | ({"chosen": chosen} if chosen else {})


def _slot_b(state: ViewerState) -> Recipe:
    """Return the sections of settings on run B and its comparison with A; empty if unused."""
    if state.mixing == Mixing() and not state.b:
        return {}
    compare = {name: value for name, value in asdict(state.mixing).items() if value is not None}
    return {"compare": compare, "b": section_of_b(state)}


def section_of_b(state: ViewerState) -> dict[str, Any]:
    """Return the section on run B: its pipeline, variant, view and parameters."""
    slot = state.slot_b
    return {
        "pipeline": slot.pipeline.name,
        "variant": slot.variant,
        "view": state.view_of(slot).name,
        "linked": state.linked,
        "params": slot.params.values(),
    }


def document(state: ViewerState, spec: SourceSpec = NO_SOURCE) -> Recipe:
    """Return all settings of a viewer state, including open panels and pipelines not shown."""
    state = state.of_images
    shelf = {
        name: {"variant": slot.variant, "view": state.view_of(slot).name}
        | {"params": slot.params.values()}
        for name, slot in state.shelf.items()
        if name != state.slot.pipeline.name
    }
    kept = state.open_panels.difference(passing(state.open_panels))
    window = {"seen": state.panels, "panels": sorted(kept)} | _arranged(state)
    recipe = to_recipe(state, spec) | {"window": window, "shelf": shelf}
    chosen = recipe.get("chosen", {})
    of_windows = {
        name: {**group, **chosen.get(name, {})} for name, group in of_window(state).items()
    }
    return recipe | {"chosen": chosen | of_windows}


def _arranged(state: ViewerState) -> dict[str, Any]:
    """Return the workspace's name and the arrangements of panels that the user changed."""
    workspaces = state.workspaces
    kept = {**workspaces.kept, workspaces.name: workspaces.arrangement(state.open_panels)}
    changed = {n: plain(asdict(a)) for n, a in kept.items() if a != declared(n)}
    if not (workspaces.places or workspaces.sizes or workspaces.name in workspaces.own):
        changed.pop(workspaces.name, None)  # ``panels`` says it
    window: dict[str, Any] = {"workspace": workspaces.name} if workspaces.name != FIRST else {}
    return window | ({"arrangements": changed} if changed else {})


def source_of(recipe: Mapping[str, Any]) -> SourceSpec:
    """Return the source in saved settings. Raises ``ValueError`` if it is invalid."""
    try:
        return SourceSpec.from_dict(recipe.get("source", {}))
    except ValueError as error:
        raise _misfit(recipe, error) from error


def restore(state: ViewerState, recipe: Mapping[str, Any]) -> None:
    """Set a viewer state to saved settings, except the source and variants that cannot run here.

    Slots A and B and the display choices have their defaults where the recipe lacks them. Pipelines
    not shown and panels that it lacks stay unchanged.

    Raises:
        ValueError: the recipe has names unknown to this version, or values out of bounds; the state
            is then unchanged.
    """
    shelf = typed(Mapping[str, Any], recipe.get("shelf", {}), "shelf")
    window = section(SavedWindow, recipe.get("window", {}), "window")
    restored = copy(state)
    restored.views, restored.shelf = dict(state.views), dict(state.shelf)
    try:
        _apply_slot_a(restored, recipe)
        _apply_slot_b(restored, recipe)
        apply_choices(restored, recipe.get("chosen", {}))
    except ValueError as error:
        raise _misfit(recipe, error) from error
    restored.fit_slots(state.ahead, state.scale)
    for name, saved in shelf.items():
        with suppress(ValueError):  # one pipeline's settings are no reason to lose the others
            _restore_shelved(restored, name, saved)
    if "window" in recipe:
        restored.open_panels = {panel.name for panel in PANELS} & {
            *map(current_name, window.panels)
        }
        shown = window.arrangements.get(window.workspace) or declared(window.workspace)
        places = shown.places, shown.sizes
        restored.workspaces = Workspaces(window.workspace, *places, window.arrangements)
        restored.panels = window.seen
    vars(state).update(vars(restored))


def _misfit(recipe: Mapping[str, Any], error: ValueError) -> ValueError:
    version = recipe.get("wheatstone", "an unknown version")
    return ValueError(f"settings of wheatstone {version} cannot be restored: {error}")


def _apply_slot_a(state: ViewerState, recipe: Mapping[str, Any]) -> None:
    """Set run A, and the display choices that are saved in the same section ``view``."""
    saved = typed(Mapping[str, Any], recipe.get("view", {}), "view")
    kept = kept_in_view()
    own = {name: value for name, value in saved.items() if name not in kept}
    view = section(SavedView, own, "view", kept)
    pipeline = PIPELINES[view.pipeline]
    params = saved_params(pipeline, recipe.get("params", {}), "params")
    state.slot = Run(pipeline, default_variant(pipeline, state.absent), params)
    state.set_view(pipeline, view.view)
    for name, choice in kept.items():
        value = saved.get(name, choice.default)
        choice.put(state, typed(choice.kind, value, f"view.{name}"))
    state.choose_variant(view.variant)


def _apply_slot_b(state: ViewerState, recipe: Mapping[str, Any]) -> None:
    """Set run B and its comparison with run A from settings; if they lack run B, unset it."""
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


def _restore_shelved(state: ViewerState, name: str, saved_values: Any) -> None:
    """Set run and view of a pipeline not shown; raise ``ValueError`` if they are invalid."""
    values = typed(Mapping[str, Any], saved_values, f"shelf.{name}")
    saved = section(SavedSlot, {**values, "pipeline": name}, f"shelf.{name}")
    pipeline = PIPELINES[name]
    variant = pipeline.variant(saved.variant)
    runs = not state.absent.get(variant.device, "")
    chosen = variant.name if runs else default_variant(pipeline, state.absent)
    params = saved_params(pipeline, saved.params, f"shelf.{name}.params")
    pipeline.view(saved.view)
    state.shelf[name] = Run(pipeline, chosen, params)
    if name not in state.views:
        state.set_view(pipeline, saved.view)


def dumps(recipe: Mapping[str, Any]) -> str:
    """Format settings as TOML text."""
    import tomli_w

    return tomli_w.dumps(with_uris(recipe))


def loads(text: str) -> Recipe:
    """Parse settings from TOML; raise ``ValueError`` if damaged, too large or too deep."""
    if len(text) > LARGEST:
        raise ValueError(f"larger than {in_units(LARGEST)}, the most that is read")
    return with_names(parsed(text, "TOML"))


def with_uris(recipe: Mapping[str, Any]) -> dict[str, Any]:
    """Encode file names in settings as URIs, and texts as valid Unicode that TOML can hold."""
    source = {name: with_uri(value) for name, value in recipe.get("source", {}).items()}
    named = {**recipe, "source": source} if source else recipe
    return {name: _encodable(value) for name, value in named.items()}


def _encodable(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {encodable(name): _encodable(inner) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_encodable(inner) for inner in value]
    return encodable(value) if isinstance(value, str) else value


def with_names(recipe: dict[str, Any]) -> dict[str, Any]:
    """Convert the URIs in saved settings back to file names."""
    source = recipe.get("source")
    if not isinstance(source, dict):
        return recipe
    return {**recipe, "source": {name: without_uri(value) for name, value in source.items()}}
