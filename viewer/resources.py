"""Paths of the data folders, next to the packages in a checkout and in a wheel."""

from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SHADERS = ROOT / "shaders"
ASSETS = ROOT / "assets"
ICON = ASSETS / "icon" / "wheatstone.png"
ASSIGNMENTS = {path.stem: path for path in sorted((ASSETS / "assignments").glob("*.toml"))}
"""The assignments that come with the program, by name: each is of the pipeline of its name."""
