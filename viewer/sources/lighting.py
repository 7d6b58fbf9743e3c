"""Sun, ambient light and haze: Lambert's law, and balls that shade the planes near them."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from viewer.sources.surfaces import Camera, Field, Vector, View


@dataclass(frozen=True)
class Light:
    """Sunlight from one direction over an even ambient light, and haze in the distance.

    Attributes:
        towards: unit vector to the sun.
        sun, ambient: what they multiply a texture's red, green and blue by.
        haze: a colour in 0..255 that replaces up to ``haze_most`` of a far surface's colour.
        casters: balls (centre, radius) that throw soft shadows onto planes.
    """

    towards: Vector
    sun: Vector
    ambient: Vector
    haze: Vector
    haze_most: float
    casters: Sequence[tuple[Vector, float]] = ()


def illuminate(camera: Camera, light: Light, view: View, u: Field, v: Field, w: Field) -> tuple[Field, Field]:
    """Return how much sunlight and ambient light, 0..1, (N,) hits receive."""
    normal = view.normal(u, v, w)
    sun = _dot(normal, camera.turn(light.towards).tolist())
    up = _dot(normal, camera.turn((0.0, -1.0, 0.0)).tolist())
    sun, ambient = np.maximum(sun, 0), 0.75 + 0.25 * up
    if view.flat and light.casters:
        return _shadowed(camera, light, normal, (u / w, v / w, 1 / w), sun, ambient)
    return np.asarray(sun, np.float32), np.asarray(ambient, np.float32)


def _dot(a: Sequence[Field | float], b: Sequence[Field | float]) -> Field | float:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def _shadowed(
    camera: Camera, light: Light, normal: Sequence[Field | float], place: Sequence[Field], sun: Field, ambient: Field
) -> tuple[Field, Field]:
    towards = camera.turn(light.towards).tolist()
    for caster, radius in light.casters:
        centre = camera.see(caster).tolist()
        away = [there - here for there, here in zip(centre, place, strict=True)]
        height = float(np.asarray(_dot(normal, away)).flat[0])  # the same all over a plane
        if height <= 0:
            continue
        square = _dot(away, away)
        along = _dot(away, towards)
        miss = (square - along * along) * (1 / radius**2)
        sun = sun * np.where(along > 0, np.clip(miss - 0.5, 0, 1), 1)
        ambient = ambient * (1 - np.minimum(0.8 * height * radius**2 / (square * np.sqrt(square)), 0.8))
    return np.asarray(sun, np.float32), np.asarray(ambient, np.float32)


def compose(light: Light, texels: NDArray[np.uint64], sun: Field, ambient: Field, w: Field) -> NDArray[np.uint8]:
    """Light (N,) colours in 8.8 fixed-point lanes and add haze from depth 4 on; (N, 3) RGB."""
    haze = np.clip(1 - 4 * w, 0, 1) * light.haze_most
    rgb = np.empty((w.size, 3), np.uint8)
    for channel in range(3):
        lane = (texels >> np.uint64(16 * channel)).astype(np.uint16)
        colour = lane * np.float32(1 / 256) * (sun * light.sun[channel] + ambient * light.ambient[channel])
        colour += (light.haze[channel] - colour) * haze
        rgb[:, channel] = np.minimum(colour + np.float32(0.5), 255)
    return rgb
