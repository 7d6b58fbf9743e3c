"""From a command line to a state and a source: what ``view`` and ``render`` begin with."""

import argparse
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from gpu.device import why_unavailable
from viewer.mixing_options import apply_mixing
from viewer.screenshot import read_recipe
from viewer.settings import apply_recipe, with_options
from viewer.sources import SCENES, Source, open_source
from viewer.state import ViewerState, default_slot

SCENE_SIZE = (640, 480)


def open_view(options: argparse.Namespace) -> tuple[ViewerState, Source]:
    """The state and the source that a command line describes.

    A screenshot given as LEFT restores what it shows; options given beside it override.

    Raises:
        ValueError, OSError: bad input.
        Unavailable: the variant asked for needs a device that is absent.
    """
    absent = {kind: why_unavailable(kind) for kind in ("cpu", "cuda")}
    state = ViewerState(default_slot(options.pipeline.name, absent), absent)
    recipe = read_recipe(Path(options.left)) if options.left and not options.right else None
    if recipe:
        apply_recipe(state, recipe)
    state.slot = with_options(state.slot, options.preset, options.params)
    if options.variant:
        why = absent[state.slot.pipeline.variant(options.variant).device]
        if why:
            from gpu import Unavailable

            raise Unavailable(f"variant {options.variant} needs a GPU: {why}")
        state.slot = replace(state.slot, variant=options.variant)
    _apply_look(state, options)
    apply_mixing(state, options)
    return state, _open(options, recipe["source"] if recipe else {})


def _apply_look(state: ViewerState, options: argparse.Namespace) -> None:
    if options.view:
        state.views[state.slot.pipeline.name] = options.view
    for name in ("colormap", "frame", "zoom", "center"):
        value = getattr(options, name)
        if value is not None:
            setattr(state, name, value)


def _open(options: argparse.Namespace, saved: Mapping[str, Any]) -> Source:
    if "left" in saved:
        return open_source(saved["left"], saved.get("right"))
    if options.left and not saved:
        return open_source(options.left, options.right)
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
