"""Where the data folders lie: beside the packages, in a checkout and in a wheel alike."""

from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SHADERS = ROOT / "shaders"
ASSETS = ROOT / "assets"
ICON = ASSETS / "icon" / "wheatstone.png"
