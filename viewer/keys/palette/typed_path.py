"""The entries of the palette while a path is typed: its possible completions."""

import os
from dataclasses import replace
from functools import partial
from pathlib import Path

from wheatstone.viewer.choices.bounds import EVERYWHERE, Bounds
from wheatstone.viewer.choices.palette import Palette
from wheatstone.viewer.choices.state import ViewerState
from wheatstone.viewer.keys.palette.entries import PaletteEntry
from wheatstone.viewer.keys.palette.paths import begin_of, completions, folder_of, full


def path_entries(palette: Palette, bounds: Bounds = EVERYWHERE) -> list[PaletteEntry]:
    """List the completions of the typed path; choosing a folder continues inside it."""
    folder = folder_of(palette.query)
    found = [
        _folder_within(palette, folder + name) if is_folder else _file(palette, folder, name)
        for name, is_folder in completions(palette.query, bounds)
    ]
    whole = full(folder)
    if folder and folder == palette.query and bounds.holds(whole) and os.path.isdir(whole):
        run = partial(_open_paths, (palette.first, whole))
        found.insert(0, PaletteEntry("./", "Opens this folder as a source.", run))
    return found


def _folder_within(palette: Palette, path: str) -> PaletteEntry:
    """Make the entry of a folder to continue in."""
    within = replace(palette, query=f"{path}/", chosen=0)
    help = "Enter goes into this folder; Backspace comes back."
    return PaletteEntry(f"{begin_of(path)}/", help, partial(_type_on, within))


def _file(palette: Palette, folder: str, name: str) -> PaletteEntry:
    """Make the entry of a file to open."""
    path = full(folder + name)
    if palette.first:
        help = f"Enter opens it as the right view beside {Path(palette.first).name}."
    else:
        help = "Enter opens it; Ctrl+Enter takes it as the left view, and asks for the right one."
    return PaletteEntry(name, help, partial(_open_paths, (palette.first, path)), begin=path)


def _type_on(palette: Palette, state: ViewerState) -> None:
    """Let the user continue to type a path."""
    state.palette = palette


def _open_paths(paths: tuple[str, ...], state: ViewerState) -> None:
    """Request to open files."""
    state.effects.append(("open", *filter(None, paths)))
