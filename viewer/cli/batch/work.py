"""The work of ``batch`` for one pair: compute it, and write each kind of file to its folder."""

import os
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from wheatstone.viewer.colormaps import INVALID, colormap
from wheatstone.viewer.io.cameras.calibration import RELATIVE
from wheatstone.viewer.io.files.folders import folder_below
from wheatstone.viewer.io.files.output import write_whole
from wheatstone.viewer.io.files.png_file import FASTEST, encode_png
from wheatstone.viewer.io.files.values import in_units
from wheatstone.viewer.run.carry import joined, milliseconds_since
from wheatstone.viewer.run.frame_ref import FrameRef
from wheatstone.viewer.run.result import Result
from wheatstone.viewer.run.run import Run
from wheatstone.viewer.run.run_job import Row, RunJob

DEPTH, CLOUD, PICTURE = "depth", "cloud", "picture"
"""The names of the folders other than those of images of values."""


@dataclass(frozen=True)
class Outputs:
    """The kinds of files that are written for every pair.

    Attributes:
        image: the image of ``values`` and of pictures.
        values, depth, cloud: suffixes of the formats in which values, depths and clouds are
            written.
        picture: ``alone``, ``side-by-side`` with the left view, or empty: no picture.
        colors: the colour map of pictures, unless the image has its own.
        axes: the convention for the directions of a cloud's axes.
        png_level: how much PNGs are compressed; no part of ``repr``, as their pixels are the same.
    """

    image: str
    values: tuple[str, ...] = ()
    depth: tuple[str, ...] = ()
    cloud: tuple[str, ...] = ()
    picture: str = ""
    colors: str = ""
    axes: str = "camera"
    png_level: int = field(default=FASTEST, repr=False)

    def images(self, disparity: str) -> tuple[str, ...]:
        """List the images that must be computed to write the files.

        Args:
            disparity: name of the image that clouds are computed from.
        """
        names: tuple[str, ...] = (self.image,) if self.values or self.picture else ()
        names += (DEPTH,) * bool(self.depth) + (disparity,) * bool(self.cloud)
        return tuple(dict.fromkeys(names))

    @property
    def kinds(self) -> tuple[tuple[str, str], ...]:
        """List the folder and the suffix of every file that is written for a pair."""
        kinds = [(self.image, suffix) for suffix in self.values]
        kinds += [(DEPTH, suffix) for suffix in self.depth]
        kinds += [(CLOUD, suffix) for suffix in self.cloud]
        kinds += [(PICTURE, "png")] if self.picture else []
        return tuple(dict.fromkeys(kinds))

    def names(self, name: str) -> tuple[str, ...]:
        """List the files that are written for a pair, relative to the output folder."""
        return tuple(f"{folder}/{name}.{suffix}" for folder, suffix in self.kinds)

    def painted(self, result: Result) -> NDArray[np.uint8]:
        """Return the picture of a result, with the left view if it is wanted: (H, W, 3) RGB."""
        picture = painted(result.stored_image(self.image)[1], result.run, self.image, self.colors)
        if self.picture == "alone":
            return picture
        view = result.frame.left
        colors = view if view.ndim == 3 else np.repeat(view[..., None], 3, axis=2)
        return np.hstack([colors, picture])


@dataclass(frozen=True, kw_only=True)
class BatchJob(RunJob):
    """The job of computing a pair and writing its files.

    Attributes:
        out: the folder that files are written to.
    """

    ref: FrameRef
    outputs: Outputs
    out: Path

    @property
    def settings(self) -> tuple[object, ...]:
        """List all settings that affect the files, besides the run."""
        return *super().settings, self.outputs

    def write(self, result: Result, row: Row) -> dict[str, str]:
        """Write the pair's files, and record them in its table row; see ``RunJob.write``."""
        begin, notes, files, outputs = time.perf_counter(), [], {}, self.outputs
        for (folder, _), file in zip(outputs.kinds, outputs.names(self.name), strict=True):
            path, level = self.out / file, outputs.png_level
            folder_below(self.out, path.parent)
            if folder == PICTURE:
                write_whole(path, [encode_png(outputs.painted(result), level)])
            else:
                notes.append(result.save(path, folder, axes=outputs.axes, png_level=level))
            files[file] = path.stat()
        row["write_ms"] = milliseconds_since(begin)
        enter_files(row, files)
        note = "; ".join(filter(None, dict.fromkeys(notes)))
        row["warnings"] = joined(row["warnings"], note)
        return {"relative": note} if note and result.unit == RELATIVE else {}


def enter_files(row: Row, files: Mapping[str, os.stat_result]) -> None:
    """Record the sizes and modification times of a pair's files in its table row, by name."""
    row["files"] = {name: state.st_size for name, state in files.items()}
    row["changed"] = {name: state.st_mtime_ns for name, state in files.items()}


def painted(stored: NDArray[np.generic], slot: Run, name: str, colors: str) -> NDArray[np.uint8]:
    """Colour an image with the colour map and the declared range that the window uses.

    Args:
        stored: (H, W) values as a stage wrote them.
        colors: the colour map, unless the image has its own.

    Returns:
        (H, W, 3) RGB.
    """
    from wheatstone.viewer.display.picture.ranges import is_photo, limits  # loads all of a display

    image = slot.image(name)
    if is_photo(image):
        return np.repeat(stored.astype(np.uint8)[..., None], 3, axis=2)
    low, high = limits(image, slot)
    values, chosen = in_units(stored, image, slot.params), image.colormap or colors
    share = np.clip((values - low) / max(high - low, 1e-9), 0.0, 1.0)
    known = np.isfinite(share)
    table = np.vstack([colormap(chosen), INVALID[chosen]]).astype(np.uint8)
    entries = np.floor(np.where(known, share, 0) * 255 + 0.5).astype(np.intp)
    return table[np.where(known, entries, 256)]
