"""Paths of the data folders, in a checkout and in an installed wheel."""

from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SHADERS = ROOT / "shaders"
ASSETS = ROOT / "assets"
ICON = ASSETS / "icon" / "wheatstone.png"
ASSIGNMENTS = {path.stem: path for path in sorted((ASSETS / "assignments").glob("*.toml"))}
"""The assignments that come with the program, by name: each is of the pipeline of its name."""
