"""Lighting of surfaces: sun or lamp by Lambert's law, ambient light, haze, and shadows of balls."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from wheatstone.viewer.io.scenes.planes import PlaneView
from wheatstone.viewer.io.scenes.surfaces import Field, SceneCamera, SurfaceView, Vector

REACH = 4.0
"""Distance in radii within which a ball dims ambient light; beyond, the effect is below 1 %."""


@dataclass(frozen=True)
class Light:
    """Light from the sun or a lamp, uniform ambient light, and haze in the distance.

    Attributes:
        towards: unit vector to the sun.
        sun, ambient: factors of a texture's red, green and blue in full light of each kind.
        haze: a colour in 0..255 that replaces up to ``haze_most`` of a far surface's colour.
        casters: balls (centre, radius) that cast soft shadows onto planes.
        lamp: position of a lamp that replaces the sun; None: the sun shines.
        reach: distance from the lamp at which its light is halved, in world units.
    """

    towards: Vector
    sun: Vector
    ambient: Vector
    haze: Vector
    haze_most: float
    casters: Sequence[tuple[Vector, float]] = ()
    lamp: Vector | None = None
    reach: float = 1.0

    def towards_from(self, place: Vector) -> Vector:
        """Compute the unit vector from a point towards the sun or, if there is one, the lamp."""
        if self.lamp is None:
            return self.towards
        x, y, z = (a - b for a, b in zip(self.lamp, place, strict=True))
        length = float(np.sqrt(x * x + y * y + z * z))
        return x / length, y / length, z / length


def illuminate(
    camera: SceneCamera,
    light: Light,
    view: SurfaceView,
    rays: tuple[Field, Field, Field],
    place: tuple[Field, Field],
) -> tuple[Field, Field]:
    """Compute the sunlight and the ambient light, 0..1, at each point that a ray hits.

    Args:
        camera: the camera of the view.
        light: the light, and the balls that cast shadows.
        view: the surface that was hit.
        rays: (N,) each: u, v and inverse depth of the hits.
        place: (N,) each: the hits' coordinates on the surface, in world units.
    """
    x, y, z = normal = view.normal(*rays)
    up_x, up_y, up_z = camera.turn((0.0, -1.0, 0.0)).tolist()
    if light.lamp is None:
        sun_x, sun_y, sun_z = camera.turn(light.towards).tolist()
        sun = np.maximum(x * sun_x + y * sun_y + z * sun_z, 0)
    else:
        sun = _lamp_light(camera.see(light.lamp), light.reach, normal, rays)
    ambient = 0.75 + 0.25 * (x * up_x + y * up_y + z * up_z)
    sun, ambient = (
        np.array(np.broadcast_to(part, rays[0].shape), np.float32) for part in (sun, ambient)
    )
    if isinstance(view, PlaneView):
        spots = Spots(*place)
        for centre, radius in light.casters:
            towards = view.place(camera.turn(light.towards_from(centre)), 0)
            _cast_shadow(view.place(camera.see(centre)), towards, radius, spots, sun, ambient)
    return sun, ambient


def _lamp_light(
    lamp: NDArray[np.float64],
    reach: float,
    normal: Sequence[Field | float],
    rays: tuple[Field, Field, Field],
) -> Field:
    """Compute a lamp's light, 0..1, at each point hit, from its distance and angle."""
    u, v, w = rays
    depth = 1 / w
    x, y, z = (
        float(at) - place for at, place in zip(lamp, (u * depth, v * depth, depth), strict=True)
    )
    square = x * x + y * y + z * z
    facing = np.maximum(x * normal[0] + y * normal[1] + z * normal[2], 0) / np.sqrt(square)
    lit: Field = facing * (reach**2 / (reach**2 + square))
    return lit


class Spots:
    """Points on a plane that receive light, searchable by distance, to find shadowed ones.

    Args:
        s, t: (N,) coordinates on the plane.
    """

    def __init__(self, s: Field, t: Field) -> None:
        self.s, self.t = s, t
        self._extent = float(s.min()), float(s.max()), float(t.min()), float(t.max())

    def within(self, s: float, t: float, radius: float) -> NDArray[np.int64]:
        """List the indices of the points within a radius around (s, t) on the plane."""
        left, right, top, bottom = self._extent
        if not (left - radius < s < right + radius and top - radius < t < bottom + radius):
            return np.empty(0, np.int64)
        ds, dt = self.s - s, self.t - t
        return np.flatnonzero(ds * ds + dt * dt < radius**2)


def _cast_shadow(
    ball: Vector, towards: Vector, radius: float, spots: Spots, sun: Field, ambient: Field
) -> None:
    """Reduce the sunlight and the ambient light at points of a plane near a ball or in its shadow.

    Args:
        ball: its centre in the plane's coordinates: two on the plane, and the height above.
        towards: unit vector to the sun, in the same three coordinates.
        sun, ambient: (N,) light that each of ``spots`` receives, 0..1; changed in place.
    """
    s, t, height = ball
    if height <= 0:
        return
    if height < REACH * radius and (near := spots.within(s, t, REACH * radius)).size:
        ds, dt = s - spots.s[near], t - spots.t[near]
        square = ds * ds + dt * dt + height * height
        ambient[near] *= 1 - np.clip(
            0.8 * height * radius**2 / (square * np.sqrt(square)) - 0.01, 0, 0.75
        )
    if towards[2] <= 0:
        return
    length = height / towards[2]
    near = spots.within(s - length * towards[0], t - length * towards[1], 1.3 * radius / towards[2])
    if near.size:
        ds, dt = s - spots.s[near], t - spots.t[near]
        along = ds * towards[0] + dt * towards[1] + height * towards[2]
        miss = (ds * ds + dt * dt + height * height - along * along) * (1 / radius**2)
        sun[near] *= np.clip(miss - 0.5, 0, 1)


def compose(
    light: Light, texels: NDArray[np.uint64], sun: Field, ambient: Field, w: Field
) -> NDArray[np.uint32]:
    """Multiply texture colours by the light they receive, and add haze from depth 4 on.

    Args:
        light: the colours of both kinds of light and of the haze.
        texels: (N,) colours in 8.8 fixed-point lanes, see ``textures.look_up``.
        sun, ambient: (N,) light of each kind that they receive, 0..1.
        w: (N,) inverse depth.

    Returns:
        (N,) the bytes red, green, blue, 0.
    """
    haze = np.clip(1 - 4 * w, 0, 1) * light.haze_most
    rgb = np.zeros((w.size, 4), np.uint8)
    for channel in range(3):
        lane = (texels >> np.uint64(16 * channel)).astype(np.uint16)
        colour = (
            lane
            * np.float32(1 / 256)
            * (sun * light.sun[channel] + ambient * light.ambient[channel])
        )
        colour += (light.haze[channel] - colour) * haze
        rgb[:, channel] = np.minimum(colour + np.float32(0.5), 255)
    return rgb.view(np.uint32)[:, 0]
