"""Files kept between starts: the settings at exit, and the user's own presets.

Both are TOML in the folder for settings of this program, such as ``~/.config/wheatstone``.
"""

import os
import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from copy import copy
from dataclasses import replace
from pathlib import Path
from typing import Any, TypedDict

from wheatstone.gpu.own_variants import own_variant
from wheatstone.gpu.parameters import completed
from wheatstone.gpu.pipeline import Pipeline
from wheatstone.gpu.pipelines import PIPELINES
from wheatstone.viewer import VERSION
from wheatstone.viewer.choices.mixing import Mixing
from wheatstone.viewer.choices.state import ViewerState
from wheatstone.viewer.io.files.output import whole_file
from wheatstone.viewer.io.files.streams import say
from wheatstone.viewer.io.reading.documents import located, read_document, read_text
from wheatstone.viewer.io.reading.typed_values import typed
from wheatstone.viewer.io.sources.source_spec import NO_SOURCE, SourceSpec
from wheatstone.viewer.run.run import Run, default_variant, saved_params
from wheatstone.viewer.settings import recipe as settings
from wheatstone.viewer.settings.saved_sources import to_sources
from wheatstone.viewer.settings.trust import settings_folder

NAME = re.compile(r"\w[\w .-]{0,62}\w|\w")
"""The form of a preset's name, which is the name of a file as well."""

Presets = dict[str, dict[str, dict[str, Any]]]
"""By pipeline and name: parameters and their values."""


class SavedPreset(TypedDict):
    """The contents of a user's preset file."""

    params: dict[str, Any]


def last_session() -> Path:
    """Return the path of the settings saved at exit, which need not exist."""
    return settings_folder() / "settings.toml"


def first_start() -> bool:
    """Return whether this user has never closed a window of the program."""
    return not os.path.lexists(last_session())


def save(state: ViewerState, spec: SourceSpec = NO_SOURCE) -> None:
    """Write the settings for the next start. Raises ``OSError`` if that fails."""
    path = last_session()
    path.parent.mkdir(parents=True, exist_ok=True)
    _write(path, settings.document(_without_own_kernels(state), spec) | to_sources(state.sources))


def _without_own_kernels(state: ViewerState) -> ViewerState:
    """Return a state with built-in variants in place of the user's own kernels.

    A comparison with one ends: it would hide the picture of the next kernel.
    """
    if not any(map(_is_own_kernel, (state.slot, state.slot_b, *state.shelf.values()))):
        return state
    kept = copy(state)
    if _is_own_kernel(state.slot) or _is_own_kernel(state.slot_b):
        kept.mixing, kept.b, kept.paused = Mixing(), None, False
    kept.slot = _built_in(state.slot, state.absent)
    kept.shelf = {name: _built_in(slot, state.absent) for name, slot in state.shelf.items()}
    return kept


def _built_in(slot: Run, absent: Mapping[str, str]) -> Run:
    """Return a run with the default variant in place of the user's own kernels."""
    if not _is_own_kernel(slot):
        return slot
    return replace(slot, variant=default_variant(slot.pipeline, absent))


def _is_own_kernel(slot: Run) -> bool:
    """Return whether a run uses the user's own kernels, rather than a network or program."""
    return bool(own_variant(slot.pipeline.name, slot.variant)) and ":" not in slot.variant


def save_quietly(state: ViewerState, spec: SourceSpec = NO_SOURCE) -> None:
    """Write the settings for the next start; report a failure on standard error.

    If a start could not restore the settings, or a damaged state raises any error when it is
    saved, the settings of the last good end stay unchanged.
    """
    try:
        saved = settings.document(state, spec)
        settings.restore(copy(state), settings.loads(settings.dumps(saved)))
        save(state, spec)
    except Exception as error:
        say(f"the settings are not saved: {error}")


def read(path: Path) -> settings.Recipe:
    """Read settings from a TOML file.

    Raises:
        OSError: the file cannot be read.
        ValueError: the file is not TOML, or holds something else; the message names the file.
    """
    text = read_text(path)
    try:
        recipe = settings.loads(text)
    except ValueError as error:
        raise ValueError(f"{path} is damaged: {error}") from error
    if "wheatstone" not in recipe or "view" not in recipe:
        raise ValueError(f"{path} holds no settings of wheatstone")
    return recipe


def restore_from(path: Path, state: ViewerState, recipe: Mapping[str, Any]) -> None:
    """Set a viewer state to saved settings; an error names the file that they were read from."""
    try:
        settings.restore(state, recipe)
    except ValueError as error:
        raise named_error(path, error) from error


def named_error(path: Path, error: ValueError) -> ValueError:
    """Return an error about saved settings with the file's name and, for TOML, the line added."""
    if path.suffix.lower() == ".toml":
        error = located(error, read_text(path), "TOML")
    return ValueError(f"{path}: {error}")


def presets(say: Callable[[str], None] = lambda note: None) -> Presets:
    """Read the user's presets; return them by pipeline and name.

    Args:
        say: receives a message about every file that is skipped.
    """
    own: Presets = {}
    for path in sorted((settings_folder() / "presets").glob("*/*.toml")):
        pipeline = PIPELINES.get(path.parent.name)
        if not pipeline or path.stem in pipeline.presets:
            continue
        try:
            own.setdefault(pipeline.name, {})[path.stem] = _read_preset(path, pipeline)
        except Exception as error:  # whatever a file holds, it stops no start
            say(f"a preset is ignored: {error}")
    return own


def keep_former_presets() -> None:
    """Save an earlier version's presets as the user's own, if it wrote the last settings.

    Settings that cannot be read, and presets that cannot be written, are ignored silently.
    """
    try:
        recipe = read(last_session())
    except (OSError, ValueError):
        return
    for pipeline in PIPELINES.values():
        params = _saved_params_of(recipe, pipeline.name)
        if params and completed(pipeline.params, params).keys() > params.keys():
            for name, values in pipeline.former.items():
                if not preset_path(pipeline.name, name).exists():
                    with suppress(OSError):
                        _write_preset(pipeline.name, name, values)


def _saved_params_of(recipe: Mapping[str, Any], pipeline: str) -> Mapping[str, Any]:
    """Return a pipeline's parameters in saved settings, whether shown or not; empty if absent."""
    try:
        view = typed(Mapping[str, Any], recipe["view"], "view")
        shelf = typed(Mapping[str, Any], recipe.get("shelf", {}), "shelf")
        shelved = typed(Mapping[str, Any], shelf.get(pipeline, {}), "shelf")
        shown = recipe if view.get("pipeline") == pipeline else shelved
        params: Mapping[str, Any] = typed(Mapping[str, Any], shown.get("params", {}), "params")
        return params
    except ValueError:
        return {}


def _read_preset(path: Path, pipeline: Pipeline) -> dict[str, Any]:
    """Read the parameters of a preset. Raises ``ValueError`` if the pipeline rejects them."""
    params = read_document(path, SavedPreset)["params"]
    try:
        saved_params(pipeline, params, "params")
    except ValueError as error:
        raise named_error(path, error) from error
    return completed(pipeline.params, params)


def save_preset(slot: Run, name: str) -> Path:
    """Write a run's parameters as a user's preset, replacing one of the same name.

    Returns:
        The preset's file.

    Raises:
        ValueError: a preset cannot have this name.
        OSError: the file cannot be written.
    """
    if not NAME.fullmatch(name):
        raise ValueError(
            f"a preset's name must consist of letters, digits, spaces and .-_ (got {name!r})"
        )
    if name in slot.pipeline.presets:
        raise ValueError(f"{name} is a preset of {slot.pipeline.name} already; choose another name")
    return _write_preset(slot.pipeline.name, name, slot.params.values())


def _write_preset(pipeline: str, name: str, params: Mapping[str, Any]) -> Path:
    """Write a preset's file; return its path. Raises ``OSError`` if that fails."""
    path = preset_path(pipeline, name)
    path.parent.mkdir(parents=True, exist_ok=True)
    _write(path, {"wheatstone": VERSION, "params": dict(params)})
    return path


def delete_preset(pipeline: str, name: str) -> None:
    """Delete one of the user's presets. Raises ``OSError`` if that fails."""
    preset_path(pipeline, name).unlink()


def preset_path(pipeline: str, name: str) -> Path:
    """Return the path of a user's preset."""
    return settings_folder() / "presets" / pipeline / f"{name}.toml"


def _write(path: Path, recipe: settings.Recipe) -> None:
    with whole_file(path, own=True) as temporary:
        temporary.write_text(settings.dumps(recipe), encoding="utf-8")
