"""From a command line to a state and a source: what ``view`` and ``render`` begin with."""

import argparse
import math
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from gpu import Unavailable
from gpu.device import why_unavailable
from gpu.execution import check_fit
from viewer.choices.presets import with_preset
from viewer.choices.slot import default_slot
from viewer.choices.state import ViewerState
from viewer.commands.look_options import apply_look
from viewer.commands.mixing_options import apply_mixing
from viewer.commands.truth_options import apply_truth
from viewer.picture import combined
from viewer.picture.shown import chosen, chosen_b
from viewer.scenes import SCENES
from viewer.settings import user_settings
from viewer.settings.choices import set_choices
from viewer.settings.command_line import BESIDE
from viewer.settings.recipe import Recipe
from viewer.settings.screenshot import read_recipe
from viewer.settings.sections import saved_source
from viewer.settings.user_settings import size_of
from viewer.sources.frame import Source
from viewer.sources.opening import open_source, said_beside

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
    if options.verb == "view" or options.preset or options.b_preset:
        state.presets = user_settings.presets()
    if found := _given(options):
        return _show_given(state, options, *found)
    saved = _restore(state, options) if options.verb == "view" else {}
    source = _open_saved(state, options, saved)
    try:
        _apply_options(state, options)
        if saved:
            source = _settle(state, source, options)
    except BaseException:
        source.close()
        raise
    return state, source


def _given(options: argparse.Namespace) -> tuple[Path, Recipe] | None:
    """The file that the command line names, of settings or a screenshot, and its recipe."""
    if options.settings:
        return options.settings, user_settings.read(options.settings)
    path = Path(options.left) if options.left and not options.right else None
    recipe = read_recipe(path) if path else None
    return (path, recipe) if path and recipe else None


def _show_given(
    state: ViewerState, options: argparse.Namespace, path: Path, recipe: Recipe
) -> tuple[ViewerState, Source]:
    """What a file shows, as far as options do not override it."""
    user_settings.restore_from(path, state, recipe)
    _name_pipeline(state, options)
    _apply_options(state, options)
    images = bool(options.left and options.settings)  # else LEFT is the screenshot
    return state, _open(options, saved_source(recipe), images)


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
    _name_pipeline(state, options)
    if names_source(options):
        recipe = {**recipe, "source": {}}
        forget_source(state)
    return recipe


def _name_pipeline(state: ViewerState, options: argparse.Namespace) -> None:
    """Show the pipeline that the command line names, with its own parameters."""
    if options.names_pipeline and state.slot.pipeline != options.pipeline:
        state.choose_pipeline(options.pipeline.name)


def _open_saved(
    state: ViewerState, options: argparse.Namespace, recipe: Mapping[str, Any]
) -> Source:
    """The source of the last session; if it is no more, the built-in scene, and say so."""
    saved, images = recipe.get("source", {}), bool(options.left)
    try:
        return _open(options, saved, images)
    except (OSError, ValueError) as error:
        if not saved or _said_of_images(options):
            raise
        _ignored(f"{error}; showing the built-in scene")
    forget_source(state)
    return _open(options, {}, images)


def names_source(options: argparse.Namespace) -> bool:
    """Whether a command line says where frames come from."""
    return bool(options.left) or _names_scene(options)


def _names_scene(options: argparse.Namespace) -> bool:
    return bool(options.scene or options.scene_size) or options.seed is not None


def forget_source(state: ViewerState) -> None:
    """Set back what only made sense with the source there was."""
    state.frame, state.paused = 0, False
    state.fit()
    state.mix(frozen=None)
    state.truth = replace(state.truth, show="off")
    state.look = replace(state.look, pin=None)


def _ignored(error: object) -> None:
    print(f"wheatstone: settings of the last session ignored: {error}", file=sys.stderr)


def _settle(state: ViewerState, source: Source, options: argparse.Namespace) -> Source:
    """The source; if what was restored cannot be computed from it, go back to the defaults.

    These show the source that the options name, else the built-in scene.
    """
    try:
        _check(state, source)
    except (OSError, ValueError) as error:
        _ignored(error)
        fresh = ViewerState(default_slot(options.pipeline.name, state.absent), state.absent)
        fresh.presets = state.presets
        vars(state).update(vars(fresh))
        _apply_options(state, options)
        if not names_source(options):
            source.close()
            return _open(options, {}, images=False)
    return source


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
    if options.center and not all(map(math.isfinite, options.center)):
        raise ValueError(f"--center must be two finite numbers (got {options.center})")
    for name in ("colormap", "frame", "zoom", "center"):
        value = getattr(options, name)
        if value is not None:
            setattr(state, name, value)
    apply_look(state, options)
    apply_mixing(state, options)
    apply_truth(state, options)
    set_choices(state, options.set or ())


def _open(options: argparse.Namespace, saved: Mapping[str, Any], images: bool) -> Source:
    """The source that options name, else the one saved as options change it.

    Args:
        images: whether LEFT and RIGHT are images or folders.
    """
    said = _said_of_images(options)
    if images:
        return open_source(options.left, options.right, **said_beside(said))
    if "left" in saved and not _names_scene(options):
        kept = {name: saved[name] for name in saved if "truth" not in said or name != "truth_scale"}
        return open_source(saved["left"], saved.get("right"), **said_beside({**kept, **said}))
    if "truth_scale" in said and "truth" not in said:
        raise ValueError("--truth-scale goes with images: the built-in scene knows its truth")
    size = size_of(saved)
    if not size and options.verb == "render":
        size = options.size  # a texel a pixel
    return open_source(
        None,
        size=options.scene_size or size or SCENE_SIZE,
        scene=options.scene or saved.get("scene", SCENES[0]),
        seed=saved.get("seed", 0) if options.seed is None else options.seed,
        **said_beside(said),
    )


def _said_of_images(options: argparse.Namespace) -> dict[str, Any]:
    """What the command line says of images besides where they are."""
    said = {name: getattr(options, name) for name in BESIDE}
    return {name: value for name, value in said.items() if value is not None}
