"""Choose the source for ``view`` and ``render``: the one that options name, else the saved one."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from wheatstone.gpu import Unavailable
from wheatstone.viewer.commands.messages import say, say_session_ignored
from wheatstone.viewer.commands.view_request import WindowRequest
from wheatstone.viewer.footage.address import Address, is_live
from wheatstone.viewer.measuring.inputs import SCENE_SIZE
from wheatstone.viewer.reading.paths import expanded
from wheatstone.viewer.scenes import SCENES
from wheatstone.viewer.settings.dropped import ordered, partner
from wheatstone.viewer.settings.layers import on_another_source
from wheatstone.viewer.settings.recipe import Recipe
from wheatstone.viewer.settings.sections import saved_source
from wheatstone.viewer.settings.user_settings import reopened, size_of
from wheatstone.viewer.sources.calibrated import WORDS
from wheatstone.viewer.sources.frame import Source
from wheatstone.viewer.sources.said import BESIDE


def open_chosen(options: WindowRequest, session: Recipe, file: Recipe) -> tuple[Source, Recipe]:
    """Open the source; if the last session's fails, print why and open the built-in scene.

    Args:
        session: the settings at the last exit; empty: they are ignored.
        file: the settings of the file named; empty: no file is named.

    Returns:
        The source, and the settings of the last session that apply to it.

    Raises:
        OSError, ValueError: a source that options or the file name cannot be opened.
    """
    saved = saved_source(file) if file else session.get("source", {})
    screenshot = bool(file) and not options.settings
    if options.left and is_live(options.left):
        say(f"waiting for the first frame of {Address(options.left).name} ...")
    right = "" if screenshot else _right_beside(options)
    if right and options.left:
        say(f"right view: {Path(right).name}, found beside {Path(options.left).name}")
        options = replace(options, right=right)
    try:
        return reopened(source_to_open(options, saved, left_is_screenshot=screenshot)), session
    except (OSError, ValueError, Unavailable) as error:
        if file or not saved or _said_of_images(options):
            raise
        say_session_ignored(f"{error}; showing the built-in scene")
    return reopened(source_to_open(options, {})), on_another_source(session)


def source_to_open(
    options: WindowRequest, saved: Mapping[str, Any], *, left_is_screenshot: bool = False
) -> dict[str, Any]:
    """Describe the source that options name, else the saved one with changes by options.

    Args:
        saved: a recipe's section ``source``; empty: the built-in scene.

    Returns:
        The source as a recipe's section.

    Raises:
        ValueError: an option does not fit the source.
    """
    said = _said_of_images(options)
    if options.left and not left_is_screenshot:
        right = {"right": options.right} if options.right else {}
        return {"left": options.left, **right, **said}
    if "left" in saved and not names_scene(options):
        return {**_without_outdated(saved, said), **said}
    if "truth_scale" in said and "truth" not in said:
        raise ValueError("--truth-scale goes with images: the built-in scene knows its truth")
    return {**_scene(options, _without_outdated(saved, said)), **said}


def _right_beside(options: WindowRequest) -> str:
    """Find the right view of a left picture that is named alone; empty if it has none.

    No search is made if the pipeline takes one picture, or if the layout defines both views.
    """
    if not options.left or options.right or "right" not in options.pipeline.inputs:
        return ""
    if options.layout not in (None, "pair"):
        return ""
    path = expanded(options.left)
    other = partner(path)
    return str(other) if other and ordered((path, other))[0] == path else ""


def _without_outdated(saved: Mapping[str, Any], said: Mapping[str, Any]) -> dict[str, Any]:
    """Remove saved settings of a ground truth or calibration that an option replaces."""
    outdated: tuple[str, ...] = ("truth_scale",) if "truth" in said else ()
    outdated += (*WORDS, "rectify") if "calibration" in said else ()
    outdated += WORDS if said.get("rectify") == "auto" else ()
    return {name: value for name, value in saved.items() if name not in outdated}


def _scene(options: WindowRequest, saved: Mapping[str, Any]) -> dict[str, Any]:
    """Describe the built-in scene that options name, else the saved one."""
    kept = {} if options.scene else {name: saved[name] for name in WORDS if name in saved}
    described = {
        "scene": options.scene or saved.get("scene", SCENES[0]),
        "seed": saved.get("seed", 0) if options.seed is None else options.seed,
        **kept,
    }
    size = options.scene_size or size_of(saved)
    if not size and options.calibration:
        return described  # at the size that the rig was calibrated with
    if not size and options.verb == "render":
        size = options.size  # a texel a pixel
    width, height = size or SCENE_SIZE
    return {**described, "size": f"{width}x{height}"}


def names_source(options: WindowRequest) -> bool:
    """Return whether a command line names a source of frames."""
    return bool(options.left) or names_scene(options)


def names_scene(options: WindowRequest) -> bool:
    """Return whether a command line names the built-in scene."""
    return bool(options.scene or options.scene_size) or options.seed is not None


def _said_of_images(options: WindowRequest) -> dict[str, Any]:
    """Return the options about images other than their paths, such as the ground truth."""
    said = {name: getattr(options, name) for name in BESIDE}
    return {name: value for name, value in said.items() if value is not None}
