"""From a command line to a state and a source: what ``view`` and ``render`` begin with."""

import argparse
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from gpu.device import why_unavailable
from gpu.execution import check_fit
from viewer.choices.state import ViewerState
from viewer.commands.option_layer import option_layer
from viewer.picture.mixable import check_mixable
from viewer.picture.shown import chosen, chosen_b
from viewer.scenes import SCENES
from viewer.settings import user_settings
from viewer.settings.command_line import BESIDE
from viewer.settings.layers import Machine, merged, on_another_source, showing
from viewer.settings.recipe import Recipe
from viewer.settings.screenshot import read_recipe
from viewer.settings.sections import saved_source
from viewer.settings.user_settings import reopened
from viewer.sources.frame import Source

SCENE_SIZE = (640, 480)


def recipe_to_show(
    options: argparse.Namespace, machine: Machine, session: Recipe, file: Recipe
) -> Recipe:
    """Merge what is to be shown: defaults < last session < file < options.

    Args:
        session: the settings at the last exit; empty: they are not restored.
        file: a screenshot's or a file's settings; empty: none is named.
    """
    recipe = merged(machine.defaults(options.pipeline.name), session, file)
    if options.names_pipeline:
        recipe = showing(recipe, machine.defaults(options.pipeline.name))
    return merged(recipe, option_layer(options, recipe, machine))


def open_view(options: argparse.Namespace) -> tuple[ViewerState, Source]:
    """Make the state and open the source that a command line describes.

    A screenshot given as LEFT, or a file of settings, restores what it shows; ``view`` restores
    the settings at the last exit. Options override both.

    Raises:
        ValueError, OSError: bad input.
        Unavailable: the variant asked for needs a device that is absent.
    """
    machine = _machine(options)
    file = _file(options, machine)
    session = {} if file else _last_session(options, machine)
    source, session = _open(options, session, file)
    try:
        state = machine.state(recipe_to_show(options, machine, session, file))
        if session and (reason := _why_impossible(state, source)):
            _ignored(reason)
            state = machine.state(recipe_to_show(options, machine, {}, {}))
            if not names_source(options):
                source.close()
                source = reopened(source_to_open(options, {}, images=False))
    except BaseException:
        source.close()
        raise
    state.message = state.message if file else ""
    return state, source


def _machine(options: argparse.Namespace) -> Machine:
    absent = {kind: why_unavailable(kind) for kind in ("cpu", "cuda")}
    asks = options.verb == "view" or options.preset or options.b_preset
    return Machine(absent, user_settings.presets() if asks else {})


def _file(options: argparse.Namespace, machine: Machine) -> Recipe:
    """Read the settings of the file or screenshot that the command line names; else nothing."""
    path = options.settings or (Path(options.left) if options.left else None)
    if options.settings:
        recipe = user_settings.read(options.settings)
    else:
        recipe = (read_recipe(path) if path and not options.right else None) or {}
    try:
        return machine.checked(recipe) if recipe else {}
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from error


def _last_session(options: argparse.Namespace, machine: Machine) -> Recipe:
    """Read the settings at the last exit; nothing, and say so, if they cannot be restored."""
    path = user_settings.last_session()
    if options.verb != "view" or options.fresh or not path.exists():
        return {}
    try:
        recipe = machine.checked(user_settings.read(path))
    except (OSError, ValueError) as error:
        _ignored(error)
        return {}
    return on_another_source(recipe) if names_source(options) else recipe


def _open(options: argparse.Namespace, session: Recipe, file: Recipe) -> tuple[Source, Recipe]:
    """Open the source; if the last session's is no more, the built-in scene, and say so.

    Returns:
        the source, and what of the last session still makes sense with it.
    """
    saved = saved_source(file) if file else session.get("source", {})
    images = bool(options.left and (options.settings or not file))  # else LEFT is the screenshot
    try:
        return reopened(source_to_open(options, saved, images)), session
    except (OSError, ValueError) as error:
        if file or not saved or _said_of_images(options):
            raise
        _ignored(f"{error}; showing the built-in scene")
    return reopened(source_to_open(options, {}, images)), on_another_source(session)


def source_to_open(
    options: argparse.Namespace, saved: Mapping[str, Any], images: bool
) -> dict[str, Any]:
    """Name the source that options say, else the one saved as options change it.

    Args:
        images: whether LEFT and RIGHT are images or folders.
    """
    said = _said_of_images(options)
    if images:
        right = {"right": options.right} if options.right else {}
        return {"left": options.left, **right, **said}
    if "left" in saved and not _names_scene(options):
        kept = {name: saved[name] for name in saved if "truth" not in said or name != "truth_scale"}
        return {**kept, **said}
    if "truth_scale" in said and "truth" not in said:
        raise ValueError("--truth-scale goes with images: the built-in scene knows its truth")
    size = user_settings.size_of(saved)
    if not size and options.verb == "render":
        size = options.size  # a texel a pixel
    width, height = options.scene_size or size or SCENE_SIZE
    return {
        "scene": options.scene or saved.get("scene", SCENES[0]),
        "seed": saved.get("seed", 0) if options.seed is None else options.seed,
        "size": f"{width}x{height}",
        **said,
    }


def names_source(options: argparse.Namespace) -> bool:
    """Tell whether a command line says where frames come from."""
    return bool(options.left) or _names_scene(options)


def _names_scene(options: argparse.Namespace) -> bool:
    return bool(options.scene or options.scene_size) or options.seed is not None


def _said_of_images(options: argparse.Namespace) -> dict[str, Any]:
    """List what the command line says of images besides where they are."""
    said = {name: getattr(options, name) for name in BESIDE}
    return {name: value for name, value in said.items() if value is not None}


def _ignored(error: object) -> None:
    print(f"wheatstone: settings of the last session ignored: {error}", file=sys.stderr)


def _why_impossible(state: ViewerState, source: Source) -> str:
    """Say why what is chosen cannot be computed from a source; nothing if it can."""
    size = source.height, source.width
    wanted = [chosen(state)] if state.mixing.uses_a else []
    wanted += [chosen_b(state)] if state.mixing.uses_b else []
    try:
        for shown in wanted:
            check_fit(shown.slot.pipeline, shown.slot.variant, shown.slot.params, *size)
            if source.frame(shown.frame).right is None:
                shown.check_single_image(source.name)
        if len(wanted) == 2 and not state.mixing.alone:
            check_mixable(state, wanted[0], wanted[1], *size)
    except (OSError, ValueError) as error:
        return str(error)
    return ""
