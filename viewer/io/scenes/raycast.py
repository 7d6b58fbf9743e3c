"""Rendering of surfaces: one ray per pixel, lit and textured hits, and antialiased outlines."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from wheatstone.viewer.io.scenes.lighting import Light, compose, illuminate
from wheatstone.viewer.io.scenes.surfaces import Field, SceneCamera, Surface, SurfaceView
from wheatstone.viewer.io.scenes.textures import Atlas, look_up

CHUNK = 1 << 15
"""Pixels coloured at a time, so that intermediate arrays stay in the second-level cache."""
SUBSAMPLES = ((-0.125, -0.375), (0.375, -0.125), (0.125, 0.375), (-0.375, 0.125))
"""Offsets in pixels of the rays of an outline pixel from its centre: a rotated grid."""


@dataclass(frozen=True, eq=False)
class SceneMoment:
    """A scene at one moment: the left camera, the surfaces, the light and the textures."""

    camera: SceneCamera
    surfaces: Sequence[Surface]
    light: Light
    atlas: Atlas


@dataclass(frozen=True, eq=False)
class Eye:
    """The surfaces that a camera can see, and the view of each from this camera.

    ``views[k]`` shows ``surfaces[k]``.
    """

    camera: SceneCamera
    surfaces: list[Surface]
    views: list[SurfaceView]


def open_eye(stage: SceneMoment, camera: SceneCamera) -> Eye:
    """Return a camera with the surfaces of a scene that it can see, each as the camera sees it."""
    seen = [
        (surface, view)
        for surface in stage.surfaces
        if (view := surface.seen_by(camera)) is not None
    ]
    return Eye(camera, [surface for surface, _ in seen], [view for _, view in seen])


def trace(eye: Eye, u: Field, v: Field) -> tuple[Field, NDArray[np.uint8]]:
    """Compute the inverse depth and the surface that each ray of a regular grid hits first.

    Args:
        eye: the camera's views, at most 255.
        u: (1, W) ascending, v: (H, 1) ascending.

    Returns:
        (H, W) inverse depth, and (H, W) the number of the view; 0 and 255 where a ray hits
        nothing.
    """
    nearest = np.zeros((v.size, u.size), np.float32)
    which = np.full(nearest.shape, 255, np.uint8)
    for number, view in enumerate(eye.views):
        columns, rows = _window(u[0], view.bounds[:2]), _window(v[:, 0], view.bounds[2:])
        if rows.start >= rows.stop or columns.start >= columns.stop:
            continue
        w = view.inverse_depth(u[:, columns], v[rows])
        closer = w > nearest[rows, columns]
        np.copyto(nearest[rows, columns], w, where=closer)
        np.copyto(which[rows, columns], np.uint8(number), where=closer)
    return nearest, which


def _window(places: Field, bounds: tuple[float, float]) -> slice:
    """Return the slice of ascending coordinates within bounds, extended by one at either end."""
    low, high = np.searchsorted(places, np.asarray(bounds, np.float32)).tolist()
    return slice(max(low - 1, 0), min(high + 1, places.size))  # to spare for rounding


def trace_rays(eye: Eye, u: Field, v: Field) -> tuple[Field, NDArray[np.uint8]]:
    """Compute inverse depth and surface of the first hit of each of (N,) rays in any order."""
    nearest = np.zeros(u.size, np.float32)
    which = np.full(u.size, 255, np.uint8)
    highest, lowest = v.min(initial=np.inf), v.max(initial=-np.inf)
    for number, view in enumerate(eye.views):
        left, right, top, bottom = view.bounds
        if top > lowest or bottom < highest:
            continue
        here = np.flatnonzero((u >= left) & (u <= right) & (v >= top) & (v <= bottom))
        if here.size:
            w = view.inverse_depth(u[here], v[here])
            closer = w > nearest[here]
            nearest[here[closer]] = w[closer]
            which[here[closer]] = number
    return nearest, which


def picture(
    eye: Eye, stage: SceneMoment, u: Field, v: Field, pitch: float
) -> tuple[NDArray[np.uint8], Field]:
    """Render a picture and inverse depths for a grid of rays, ``pitch`` apart in u and v.

    Returns:
        (H, W, 3) RGB with antialiased outlines, and (H, W) the inverse depth at pixel centres.
    """
    w, which = trace(eye, u, v)
    grid_u, grid_v = (np.broadcast_to(places, w.shape).ravel() for places in (u, v))
    outline = np.flatnonzero(_outlines(which))
    fine_u = np.concatenate([grid_u[outline] + dx * pitch for dx, _ in SUBSAMPLES])
    fine_v = np.concatenate([grid_v[outline] + dy * pitch for _, dy in SUBSAMPLES])
    rgb = _smoothed(eye, stage, (grid_u, grid_v, w, which), (outline, fine_u, fine_v), pitch)
    return rgb, w


def picture_of_rays(
    eye: Eye, stage: SceneMoment, u: Field, v: Field, pitch: float
) -> NDArray[np.uint8]:
    """Render a picture for rays that form no regular grid, such as those of a distorting lens.

    Neighbouring pixels must have neighbouring rays.

    Args:
        u, v: (H, W); NaN where there is no ray, which shows haze only.
        pitch: approximate spacing of the rays.

    Returns:
        (H, W, 3) RGB with antialiased outlines.
    """
    hits, numbers = trace_rays(eye, u.ravel(), v.ravel())
    w, which = hits.reshape(u.shape), numbers.reshape(u.shape)
    outline = np.flatnonzero(_outlines(which))
    fine = [_between(places, outline) for places in (u, v)]
    rays = (u.ravel(), v.ravel(), w, which)
    return _smoothed(eye, stage, rays, (outline, fine[0], fine[1]), pitch)


def _between(places: Field, outline: NDArray[np.int64]) -> Field:
    """Interpolate u or v of the additional rays in each outline pixel from neighbouring rays."""
    height, width = places.shape
    rows, columns = np.divmod(outline, width)
    above, below = np.maximum(rows - 1, 0), np.minimum(rows + 1, height - 1)
    before, after = np.maximum(columns - 1, 0), np.minimum(columns + 1, width - 1)
    down = (places[below, columns] - places[above, columns]) / np.maximum(below - above, 1)
    across = (places[rows, after] - places[rows, before]) / np.maximum(after - before, 1)
    centres = places[rows, columns]
    points = np.concatenate([centres + dx * across + dy * down for dx, dy in SUBSAMPLES])
    return points.astype(np.float32)


def _smoothed(
    eye: Eye,
    stage: SceneMoment,
    rays: tuple[Field, Field, Field, NDArray[np.uint8]],
    fine: tuple[NDArray[np.int64], Field, Field],
    pitch: float,
) -> NDArray[np.uint8]:
    """Colour a picture, with the mean colour of several rays for each pixel on an outline.

    Args:
        rays: (N,) u and v; (H, W) the inverse depth and the number of the view that they hit.
        fine: indices of the outline pixels, and u and v of their rays, one set per subsample.
    """
    (u, v, w, which), (outline, fine_u, fine_v) = rays, fine
    fine_w, fine_which = trace_rays(eye, fine_u, fine_v)
    rgb = shade(
        eye,
        stage,
        np.concatenate([u, fine_u]),
        np.concatenate([v, fine_v]),
        np.concatenate([w.ravel(), fine_w]),
        np.concatenate([which.ravel(), fine_which]),
        pitch,
    )
    total = rgb[w.size :].reshape(len(SUBSAMPLES), -1, 3).sum(axis=0, dtype=np.uint16)
    rgb[outline] = (total + 2) >> 2
    return rgb[: w.size].reshape(*w.shape, 3)


def _outlines(which: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """Mark the pixels that show another surface than a horizontal or vertical neighbour."""
    edge = np.zeros(which.shape, np.bool_)
    across, down = which[:, 1:] != which[:, :-1], which[1:] != which[:-1]
    edge[:, 1:] |= across
    edge[:, :-1] |= across
    edge[1:] |= down
    edge[:-1] |= down
    return edge


def shade(
    eye: Eye,
    stage: SceneMoment,
    u: Field,
    v: Field,
    w: Field,
    which: NDArray[np.uint8],
    pitch: float,
) -> NDArray[np.uint8]:
    """Colour (N,) hits: texture times light, then haze; rays without a hit show haze only.

    Returns:
        (N, 3) RGB.
    """
    order = np.argsort(which, kind="stable")
    counts = np.bincount(which, minlength=256)
    u, v, w = u[order], v[order], np.maximum(w[order], np.float32(1e-6))
    s, t, spacing, sun, ambient = (np.zeros(u.size, np.float32) for _ in range(5))
    tile = np.zeros(u.size, np.int32)
    ends = np.cumsum(counts)
    for number in np.flatnonzero(counts[:255]):
        part = slice(int(ends[number] - counts[number]), int(ends[number]))
        view, material = eye.views[number], eye.surfaces[number].material
        rays = u[part], v[part], w[part]
        across, along = view.coordinates(*rays)
        s[part], t[part] = across * (1 / material.repeat), along * (1 / material.repeat)
        spacing[part] = view.spacing(w[part]) * (pitch * stage.atlas.side / material.repeat)
        tile[part] = material.tile
        if material.glows:
            sun[part], ambient[part] = 0.62, 1.0
            continue
        sun[part], ambient[part] = illuminate(eye.camera, stage.light, view, rays, (across, along))
    colours = np.empty(u.size, np.uint32)
    colours[order] = _coloured(stage, (tile, s, t, spacing), sun, ambient, w)
    return colours.view(np.uint8).reshape(-1, 4)[:, :3]


def _coloured(
    stage: SceneMoment,
    sample: tuple[NDArray[np.int32], Field, Field, Field],
    sun: Field,
    ambient: Field,
    w: Field,
) -> NDArray[np.uint32]:
    """Sample the textures of (N,) hits and light them, ``CHUNK`` hits at a time."""
    colours = np.empty(w.size, np.uint32)
    for first in range(0, w.size, CHUNK):
        part = slice(first, first + CHUNK)
        texels = look_up(stage.atlas, sample[0][part], *(values[part] for values in sample[1:]))
        colours[part] = compose(stage.light, texels, sun[part], ambient[part], w[part])
    return colours
