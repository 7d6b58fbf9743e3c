"""Writing of point clouds to PLY and PCD files."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from wheatstone.viewer import VERSION
from wheatstone.viewer.io.cameras.calibration import Calibration, unit_text
from wheatstone.viewer.io.files.output import whole_file

AXES = {
    "camera": "X right, Y down, Z ahead of the left camera.",
    "opengl": "X right, Y up, Z backward.",
}
"""The directions of a point cloud's axes."""
Region = tuple[slice, slice]
EVERYWHERE: Region = (slice(None), slice(None))
PLACES = [("x", "<f4"), ("y", "<f4"), ("z", "<f4")]
IN_PLY = np.dtype([*PLACES, ("red", "u1"), ("green", "u1"), ("blue", "u1")])
IN_PCD = np.dtype([*PLACES, ("rgb", "<u4")])  # 0x00RRGGBB, which programs read as a float's bits


@dataclass(frozen=True, eq=False)
class PointCloud:
    """Points in space with their colours.

    Attributes:
        places: (N, 3) float32 X, Y, Z.
        colors: (N, 3) uint8 RGB.
        axes: one of ``AXES``, the directions of the axes.
        unit: of the places.
    """

    places: NDArray[np.float32]
    colors: NDArray[np.uint8]
    axes: str
    unit: str

    @property
    def note(self) -> str:
        """Return a comment line with program version, unit and directions of axes."""
        lead = AXES[self.axes].removesuffix(".")
        return f"wheatstone {VERSION}; unit {self.unit}; axes {self.axes}: {lead}"

    @property
    def summary(self) -> str:
        """Return a message with the number of points, the unit and the axes."""
        return f"{len(self.places):,} points in {unit_text(self.unit)}, axes {self.axes}"


def cloud_of(
    disparity: NDArray[np.float32],
    calibration: Calibration,
    view: NDArray[np.uint8],
    axes: str = "camera",
    region: Region = EVERYWHERE,
) -> PointCloud:
    """Make a point cloud from all pixels that have a depth, row by row.

    Pixels whose match lies outside the right view are omitted: their disparity was filled in.

    Args:
        disparity: (H, W) in pixels; NaN where it is missing.
        view: (H, W) grey levels or (H, W, 3) RGB of the left view.
        region: the rows and columns that are used.
    """
    depths, width = calibration.depths(disparity[region]), disparity.shape[1]
    first_row, first_column = (side.start or 0 for side in region)
    matches = np.arange(first_column, first_column + depths.shape[1]) - disparity[region]
    seen = (matches >= -0.5) & (matches <= width - 0.5)
    rows, columns = np.nonzero(np.isfinite(depths) & seen)
    z = depths[rows, columns].astype(np.float64)
    x = (columns + first_column - calibration.principal[0]) * z / calibration.focal
    y = (rows + first_row - calibration.principal[1]) * z / calibration.focal
    turn = -1 if axes == "opengl" else 1
    places = np.stack([x, turn * y, turn * z], 1).astype(np.float32)
    levels = view[region][rows, columns]
    colors = levels if view.ndim == 3 else np.repeat(levels[:, None], 3, 1)
    return PointCloud(places, colors, axes, calibration.unit)


def write_cloud(path: Path, cloud: PointCloud) -> None:
    """Write a point cloud as binary PLY or PCD, according to the file name's suffix.

    Raises:
        ValueError: another suffix than ``.ply`` and ``.pcd``.
        OSError: the file cannot be written.
    """
    encoder = encoder_for(path)
    with whole_file(path) as temporary:
        header, points = encoder(cloud)
        with temporary.open("wb") as file:
            file.write(header.encode("ascii"))
            file.write(points.data)


Encoder = Callable[[PointCloud], tuple[str, NDArray[np.void]]]


def encoder_for(path: Path) -> Encoder:
    """Return the encoder for the suffix of a path; raise ``ValueError`` for another suffix."""
    suffix = path.suffix.lower()
    if suffix not in ENCODERS:
        raise ValueError(
            f"{path}: clouds go to {', '.join(ENCODERS)} (got {suffix or 'no suffix'})"
        )
    return ENCODERS[suffix]


def _ply(cloud: PointCloud) -> tuple[str, NDArray[np.void]]:
    """Encode a cloud as little-endian PLY; return its header, and one record per point."""
    points = _records(cloud, IN_PLY)
    for name, level in zip(("red", "green", "blue"), cloud.colors.T, strict=True):
        points[name] = level
    properties = [f"property float {axis}" for axis in "xyz"]
    properties += [f"property uchar {name}" for name in ("red", "green", "blue")]
    lines = ["ply", "format binary_little_endian 1.0", f"comment {cloud.note}"]
    lines += [f"element vertex {len(points)}", *properties, "end_header"]
    return "\n".join(lines) + "\n", points


def _pcd(cloud: PointCloud) -> tuple[str, NDArray[np.void]]:
    """Encode a cloud as PCD 0.7 with packed colours; return its header and its records."""
    points = _records(cloud, IN_PCD)
    red, green, blue = cloud.colors.T.astype(np.uint32)
    points["rgb"] = red << 16 | green << 8 | blue
    lines = (
        "# .PCD v0.7 - Point Cloud Data file format",
        f"# {cloud.note}",
        "VERSION 0.7",
        "FIELDS x y z rgb",
        "SIZE 4 4 4 4",
        "TYPE F F F U",
        "COUNT 1 1 1 1",
        f"WIDTH {len(points)}",
        "HEIGHT 1",
        "VIEWPOINT 0 0 0 1 0 0 0",
        f"POINTS {len(points)}",
        "DATA binary",
    )
    return "\n".join(lines) + "\n", points


def _records(cloud: PointCloud, dtype: np.dtype[np.void]) -> NDArray[np.void]:
    points = np.empty(len(cloud.places), dtype)
    for axis, places in zip("xyz", cloud.places.T, strict=True):
        points[axis] = places
    return points


ENCODERS: Mapping[str, Encoder] = {".ply": _ply, ".pcd": _pcd}
