"""Rendering of both views of a scene, with exact disparity and occlusion of the left view."""

import numpy as np
from numpy.typing import NDArray

from wheatstone.gpu.interruption import check_interruption
from wheatstone.viewer.io.cameras.calibration import Calibration
from wheatstone.viewer.io.scenes.raycast import Eye, SceneMoment, open_eye, picture
from wheatstone.viewer.io.scenes.surfaces import Field
from wheatstone.viewer.io.sources.frame import Frame

FOCAL = 0.9
"""Focal length in image widths, or in 4/3 heights if larger: a 58 degree field of view."""
BASELINE = 0.25
"""Distance of the two cameras in world units; their viewing directions are equal."""
STRIP_PIXELS = 1 << 17
"""Pixels rendered at a time, so that intermediate arrays stay small and fit the CPU cache."""
OCCLUDER_MARGIN = np.float32(1.002)
"""How much nearer a surface must be to hide a point; single precision is off by less than 1e-5."""


def focal_length(width: int, height: int) -> float:
    """Return the focal length in pixels of a scene's camera for an image size."""
    return FOCAL * max(width, height * 4 / 3)


def render_stereo(stage: SceneMoment, width: int, height: int, index: int = 0) -> Frame:
    """Render both views of a scene as a frame; the same arguments give the same bytes.

    A pixel's ray passes its centre, (x + 0.5, y + 0.5), and the principal point is the image's
    centre. Disparity is focal * baseline / Z of the surface that the ray hits: the left pixel
    (x, y) shows the same point as the right (x - d, y).
    """
    focal = focal_length(width, height)
    eyes = open_eye(stage, stage.camera), open_eye(stage, stage.camera.moved(BASELINE))
    left, right = (np.empty((height, width, 3), np.uint8) for _ in range(2))
    truth, occluded = np.empty((height, width), np.float32), np.empty((height, width), np.bool_)
    u = _centres(0, width, width, focal)[None]
    for first in range(0, height, count := max(1, STRIP_PIXELS // width)):
        check_interruption()
        rows = slice(first, min(first + count, height))
        # Outlines need their neighbours: a row more on either side, so that strips leave no mark.
        above, below = min(first, 1), min(height - rows.stop, 1)
        v = _centres(first - above, rows.stop + below, height, focal)[:, None]
        inner = slice(above, v.size - below)
        seen, w = picture(eyes[0], stage, u, v, 1 / focal)
        left[rows], right[rows] = seen[inner], picture(eyes[1], stage, u, v, 1 / focal)[0][inner]
        truth[rows] = w[inner] * (focal * BASELINE)
        occluded[rows] = occluded_points(eyes[1], u, v[inner], w[inner], -width / 2 / focal)
    return Frame(left, right, index, truth, occluded, calibration(width, height))


def calibration(width: int, height: int) -> Calibration:
    """Return the calibration of a built-in scene for an image size, with lengths in world units."""
    middle = (width - 1) / 2, (height - 1) / 2
    return Calibration(focal_length(width, height), BASELINE, middle, unit="units")


def _centres(first: int, last: int, size: int, focal: float) -> Field:
    """Compute u or v of the rays through the centres of pixels ``first`` to ``last`` - 1."""
    return ((np.arange(first, last) + 0.5 - size / 2) / focal).astype(np.float32)


def occluded_points(
    right: Eye, u: Field, v: Field, w: Field, border: float, baseline: float = BASELINE
) -> NDArray[np.bool_]:
    """Mark the points seen by the left camera that are hidden from the right camera.

    A point is hidden when it projects beyond the right image's left border, or when another surface
    is nearer there.

    Args:
        u, v, w: rays of the left camera, and the inverse depth at which they hit.
        border: u of the right image's left border.
        baseline: distance of the two cameras in world units.
    """
    right_u = u - baseline * w
    hidden = right_u < border
    reach = baseline * float(w.max())
    for surface, view in zip(right.surfaces, right.views, strict=True):
        if surface.backdrop:
            continue
        low, high, top, bottom = view.bounds
        rows = slice(*np.searchsorted(v[:, 0], (top, bottom)).tolist())
        columns = slice(*np.searchsorted(u[0], (low, high + reach)).tolist())
        nearer = view.inverse_depth(right_u[rows, columns], v[rows])
        hidden[rows, columns] |= nearer > w[rows, columns] * OCCLUDER_MARGIN
    return hidden
