"""From a command line to a state and a source: what ``view`` and ``render`` begin with."""

import argparse
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from gpu import Unavailable
from gpu.device import why_unavailable
from gpu.execution import check_fit
from viewer.comparing.mixing_options import apply_mixing
from viewer.frames import combined
from viewer.frames.shown import chosen, chosen_b
from viewer.panels.inspector.look_options import apply_look
from viewer.panels.truth.truth_options import apply_truth
from viewer.settings import user_settings
from viewer.settings.choices import set_choices
from viewer.settings.presets import with_preset
from viewer.settings.screenshot import read_recipe
from viewer.settings.settings import Recipe
from viewer.slot import default_slot
from viewer.sources import SCENES, Source, open_source, said_beside
from viewer.state import ViewerState

SCENE_SIZE = (640, 480)


def open_view(options: argparse.Namespace) -> tuple[ViewerState, Source]:
    """The state and the source that a command line describes.

    A screenshot given as LEFT, or a file of settings, restores what it shows; ``view`` restores
    the settings at the last exit. Options override both.

    Raises:
        ValueError, OSError: bad input.
        Unavailable: the variant asked for needs a device that is absent.
    """
    absent = {kind: why_unavailable(kind) for kind in ("cpu", "cuda")}
    state = ViewerState(default_slot(options.pipeline.name, absent), absent)
    given = _given(options)
    if given:
        user_settings.restore(state, given)
    saved = {} if given or options.verb != "view" else _restore(state, options)
    if options.verb == "view" or options.preset or options.b_preset:
        state.presets = user_settings.presets()
    source = _open(options, (given or saved).get("source", {}))
    try:
        _apply_options(state, options)
        if saved:
            _settle(state, source, options)
    except BaseException:
        source.close()
        raise
    return state, source


def _given(options: argparse.Namespace) -> Recipe | None:
    """The recipe that the command line names, in a screenshot or a file of settings."""
    if options.settings:
        return user_settings.read(options.settings)
    return read_recipe(Path(options.left)) if options.left and not options.right else None


def _restore(state: ViewerState, options: argparse.Namespace) -> Recipe:
    """Set the state to the settings at the last exit; what was restored, nothing if they cannot be.

    The options say what is left out: another pipeline, another source.
    """
    path = user_settings.last_session()
    if options.fresh or not path.exists():
        return {}
    try:
        recipe = user_settings.read(path)
        user_settings.restore(state, recipe)
    except (OSError, ValueError) as error:
        _ignored(error)
        return {}
    state.message = ""
    if options.names_pipeline and state.slot.pipeline != options.pipeline:
        state.choose_pipeline(options.pipeline.name)
    if names_source(options) or not _exists(recipe):
        recipe = {**recipe, "source": {}}
        forget_source(state)
    return recipe


def names_source(options: argparse.Namespace) -> bool:
    """Whether a command line says where frames come from."""
    asked = (options.left, options.scene, options.scene_size)
    return any(asked) or options.seed is not None


def forget_source(state: ViewerState) -> None:
    """Set back what only made sense with the source there was."""
    state.frame = 0
    state.fit()
    state.mix(frozen=None)
    state.truth = replace(state.truth, show="off")
    state.look = replace(state.look, pin=None)


def _exists(recipe: Mapping[str, Any]) -> bool:
    """Whether the files of a recipe's source are there; if not, say so."""
    source = recipe.get("source", {})
    missing = [path for key in ("left", "right") if (path := source.get(key)) and not _is(path)]
    if missing:
        _ignored(f"{missing[0]} is gone; showing the built-in scene")
    return not missing


def _is(path: str) -> bool:
    return Path(path).exists()


def _ignored(error: object) -> None:
    print(f"wheatstone: settings of the last session ignored: {error}", file=sys.stderr)


def _settle(state: ViewerState, source: Source, options: argparse.Namespace) -> None:
    """Go back to the defaults if what was restored cannot be computed from this source."""
    try:
        _check(state, source)
    except ValueError as error:
        _ignored(error)
        fresh = ViewerState(default_slot(options.pipeline.name, state.absent), state.absent)
        fresh.presets = state.presets
        vars(state).update(vars(fresh))
        _apply_options(state, options)


def _check(state: ViewerState, source: Source) -> None:
    """Raise ``ValueError`` if what is chosen cannot be computed from a source."""
    size = source.height, source.width
    wanted = [chosen(state)] if state.mixing.uses_a else []
    wanted += [chosen_b(state)] if state.mixing.uses_b else []
    for shown in wanted:
        check_fit(shown.slot.pipeline, shown.slot.variant, shown.slot.params, *size)
        if source.frame(shown.frame).right is None:
            shown.check_single_image(source.name)
    if len(wanted) == 2 and not state.mixing.alone:
        combined.check(state, wanted[0], wanted[1], *size)


def _apply_options(state: ViewerState, options: argparse.Namespace) -> None:
    slot = state.slot
    if options.preset:
        slot = with_preset(state, slot, options.preset)
    state.slot = replace(slot, params=slot.params.changed(**options.params))
    if options.variant:
        why = state.absent[state.slot.pipeline.variant(options.variant).device]
        if why:
            raise Unavailable(f"variant {options.variant} needs a GPU: {why}")
        state.slot = replace(state.slot, variant=options.variant)
    if options.view:
        state.views[state.slot.pipeline.name] = options.view
    for name in ("colormap", "frame", "zoom", "center"):
        value = getattr(options, name)
        if value is not None:
            setattr(state, name, value)
    apply_look(state, options)
    apply_mixing(state, options)
    apply_truth(state, options)
    set_choices(state, options.set or ())


def _open(options: argparse.Namespace, saved: Mapping[str, Any]) -> Source:
    if options.left and (options.settings or not saved):
        return open_source(options.left, options.right, **said_beside(vars(options)))
    if "left" in saved:
        return open_source(saved["left"], saved.get("right"), **said_beside(saved))
    width, _, height = str(saved.get("size", "")).partition("x")
    size = (int(width), int(height)) if height else None
    if not size and options.verb == "render":
        size = options.size  # a texel a pixel
    return open_source(
        None,
        size=options.scene_size or size or SCENE_SIZE,
        scene=options.scene or saved.get("scene", SCENES[0]),
        seed=saved.get("seed", 0) if options.seed is None else options.seed,
    )
