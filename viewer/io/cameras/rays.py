"""Exact rays of all pixels of a camera with distortion."""

import numpy as np

from wheatstone.viewer.io.cameras.rig import Camera, Matrix

MOST_STEPS = 50
CLOSE = 1e-4
"""Error in pixels at which a ray is accurate enough: maps have steps of 1/32 pixel."""
LOST = 1e-2
"""Error in pixels from which a ray is invalid: the lens sees nothing in that pixel."""
WIDEST = np.radians(89.0)
"""Angle from the axis beyond which (u, v, 1) cannot represent a ray."""


def rays_of(camera: Camera, width: int, height: int) -> tuple[Matrix, Matrix]:
    """Compute the ray (u, v, 1) of every pixel's centre.

    Starting from the pixel's ray without distortion, each step corrects the ray by the distance
    between its projection and the pixel; that converges where the lens keeps the order of points.

    Returns:
        (height, width) float64 each, u and v; NaN where no forward ray projects to the pixel.
    """
    rows, columns = np.mgrid[:height, :width].reshape(2, -1).astype(np.float64)
    pixels = np.stack([columns, rows], axis=1)
    focal, middle = camera.matrix[[0, 1], [0, 1]], camera.matrix[:2, 2]
    places = (pixels - middle) / focal
    off = np.full(len(places), np.inf)
    left = np.arange(len(places))
    with np.errstate(all="ignore"):  # what is lost may leave all bounds
        for _ in range(MOST_STEPS):
            wrong = pixels[left] - _seen(camera, _points(camera, places[left]))
            off[left] = np.hypot(*wrong.T)
            places[left] += wrong / focal
            left = left[off[left] > CLOSE]
            if not left.size:
                break
        points = _points(camera, places)
        known = (off < LOST) & (points[:, 2] > np.cos(WIDEST))
        rays = np.where(known[:, None], points[:, :2] / points[:, 2:], np.nan)
    u, v = rays.T.reshape(2, height, width)
    return u, v


def _points(camera: Camera, places: Matrix) -> Matrix:
    """Compute a point on each ray, from its place at depth 1, or from its angle for a fisheye."""
    if camera.model != "fisheye":
        return np.concatenate([places, np.ones_like(places[:, :1])], axis=1)
    angle = np.hypot(*places.T)[:, None]
    return np.concatenate([places * np.sinc(angle / np.pi), np.cos(angle)], axis=1)


def _seen(camera: Camera, points: Matrix) -> Matrix:
    """Project points of a camera's own axes to its image: (column, row) each."""
    import cv2

    still, lens = np.zeros(3), (camera.matrix, camera.coefficients)
    listed = points[:, None]
    if camera.model == "fisheye":
        seen = cv2.fisheye.projectPoints(listed, still, still, *lens)[0]
    else:
        seen = cv2.projectPoints(listed, still, still, *lens)[0]
    return np.asarray(seen, np.float64).reshape(-1, 2)
