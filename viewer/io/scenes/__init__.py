"""The built-in scenes: a small ray tracer, and the objects of each scene."""

from collections.abc import Mapping

SCENES_SHOW: Mapping[str, str] = {
    "orbit": "balls circle a globe in a gallery",
    "corridor": "a walk along a hall of poles and lamps",
    "garden": "bushes, stakes and a trellis on a lawn",
    "bare-wall": "a wall with hardly any texture in a lamp's light",
    "brushes": "thin things before a brick wall",
    "basket": "openings, through which farther things are seen",
}
"""A description of every built-in scene, by its name."""

SCENES = tuple(SCENES_SHOW)
"""The built-in scenes; the first is the default."""
