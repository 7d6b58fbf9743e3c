"""Rendering of the built-in scenes as a calibrated rig sees them: distorted and not rectified."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from wheatstone.viewer.io.cameras.calibration_files import FoundCalibration, read_calibration
from wheatstone.viewer.io.cameras.levelling import levelling_of, rectify_rig
from wheatstone.viewer.io.cameras.rectification import RawPair, Rectification
from wheatstone.viewer.io.cameras.rig import Camera, Matrix
from wheatstone.viewer.io.reading.plain_text import label
from wheatstone.viewer.io.scenes.raycast import SceneMoment, open_eye, picture_of_rays, trace
from wheatstone.viewer.io.scenes.surfaces import Field, SceneCamera
from wheatstone.viewer.io.sources.frame import Frame, Pixels
from wheatstone.viewer.io.sources.source_spec import SourceSpec
from wheatstone.viewer.io.sources.stereo import STRIP_PIXELS, occluded_points

MOST_STEPS = 50
CLOSE = 1e-4
"""Error in pixels at which a ray is accurate enough: maps have steps of 1/32 pixel."""
LOST = 1e-2
"""Error in pixels from which a ray is invalid: the lens sees nothing in that pixel."""
WIDEST = np.radians(89.0)
"""Angle from the axis beyond which (u, v, 1) cannot represent a ray."""


def rays_of(camera: Camera, width: int, height: int) -> tuple[Matrix, Matrix]:
    """Compute the ray (u, v, 1) through the centre of every pixel of a camera with distortion.

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
    """Compute a point on each ray from its undistorted position (for a fisheye, its angles)."""
    if camera.model != "fisheye":
        return np.concatenate([places, np.ones_like(places[:, :1])], axis=1)
    angle = np.hypot(*places.T)[:, None]
    return np.concatenate([places * np.sinc(angle / np.pi), np.cos(angle)], axis=1)


def _seen(camera: Camera, points: Matrix) -> Matrix:
    """Project points in camera coordinates to the image: (column, row) each."""
    import cv2

    still, lens = np.zeros(3), (camera.matrix, camera.coefficients)
    listed = points[:, None]
    if camera.model == "fisheye":
        seen = cv2.fisheye.projectPoints(listed, still, still, *lens)[0]
    else:
        seen = cv2.projectPoints(listed, still, still, *lens)[0]
    return np.asarray(seen, np.float64).reshape(-1, 2)


@dataclass(frozen=True, eq=False)
class RigViews:
    """The rectification, rotations and rays of a rig at an image size, shared by all frames.

    Attributes:
        rectification: of its images.
        rotations: (3, 3) each, from the left and the right camera's axes to the rectified ones.
        rays: (H, W) float32 each, u and v of every pixel's ray of the left and the right camera.
    """

    rectification: Rectification
    rotations: tuple[Matrix, Matrix]
    rays: tuple[tuple[Field, Field], tuple[Field, Field]]


def read_rig(spec: SourceSpec) -> FoundCalibration:
    """Read the calibration of the rig with which a built-in scene is rendered.

    Without a size in the spec, it is for the size that the rig was calibrated with.

    Raises:
        OSError: a file cannot be read.
        ValueError: it is no calibration, that of a rectified pair, or does not fit the size.
    """
    files, choices = map(Path, spec.calibrations), spec.calibration_choices
    calibration = read_calibration(*files, size=spec.size, choices=choices)
    if not calibration.rig:
        raise ValueError(
            f"{calibration.name}: the built-in scene knows its calibration; it can be seen as "
            "a rig would see it, whose images are not rectified yet"
        )
    return calibration


def views_of(calibration: FoundCalibration, size: tuple[int, int]) -> RigViews:
    """Compute the rectification, rotations and rays of a rig at an image size (width, height).

    Raises:
        ValueError: the rig cannot be rectified.
    """
    assert calibration.rig
    rig = calibration.rig.scaled(*size)
    (left_u, left_v), (right_u, right_v) = (rays_of(camera, *size) for camera in rig.cameras)
    rays = (_single(left_u), _single(left_v)), (_single(right_u), _single(right_v))
    maps = rectify_rig(rig, *size, origin=label(calibration.name))
    return RigViews(maps, levelling_of(rig).rotations, rays)


def _single(places: Matrix) -> Field:
    return places.astype(np.float32)


def render_rig(stage: SceneMoment, views: RigViews, index: int = 0) -> Frame:
    """Render both views of a scene as a rig sees them: distorted and not rectified.

    After rectification the left view is that of the scene's own camera; truth and occlusion are
    those of the rectified pair. A unit of the world counts as a metre.
    """
    maps, known = views.rectification, views.rectification.calibration
    height, width = maps.left.fraction.shape
    cameras = stage.camera, stage.camera.moved(known.baseline)
    left, right = (
        _raw(stage, camera.turned(turn.T), rays, 1 / known.focal)
        for camera, turn, rays in zip(cameras, views.rotations, views.rays, strict=True)
    )
    u, v = (
        ((np.arange(size) - middle) / known.focal).astype(np.float32)
        for size, middle in zip((width, height), known.principal, strict=True)
    )
    grid = u[None], v[:, None]
    w, _ = trace(open_eye(stage, stage.camera), *grid)
    border = (-0.5 - known.principal[0] - known.offset) / known.focal
    hidden = occluded_points(open_eye(stage, cameras[1]), *grid, w, border, known.baseline)
    truth = w * np.float32(known.focal * known.baseline) - np.float32(known.offset)
    return Frame.of_raw(RawPair(left, right, maps), index, truth, hidden)


def _raw(
    stage: SceneMoment, camera: SceneCamera, rays: tuple[Field, Field], pitch: float
) -> Pixels:
    """Render the distorted view of one camera, a strip of rows at a time."""
    (u, v), eye = rays, open_eye(stage, camera)
    taken = np.empty((*u.shape, 3), np.uint8)
    count = max(1, STRIP_PIXELS // u.shape[1])
    for first in range(0, len(u), count):
        # Outlines need their neighbours: a row more on either side, so that strips leave no mark.
        above, last = max(first - 1, 0), min(first + count, len(u))
        rows = slice(above, last + 1)
        seen = picture_of_rays(eye, stage, u[rows], v[rows], pitch)
        taken[first:last] = seen[first - above :][: last - first]
    return taken
