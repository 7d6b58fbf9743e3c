"""The result of a run on one frame: its images, in their units (such as pixels)."""

import math
import os
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wheatstone.gpu.analysis.conventions import CONVENTIONS, Region, measures, own_measures
from wheatstone.gpu.analysis.metrics import not_covered
from wheatstone.gpu.image import Image
from wheatstone.viewer.io.files.cloud import ENCODERS, PointCloud, cloud_of, write_cloud
from wheatstone.viewer.io.files.png_file import FASTEST
from wheatstone.viewer.io.files.values import in_units, valid_pixels, write_values
from wheatstone.viewer.io.sources.frame import Frame
from wheatstone.viewer.run.run import Run

CONFIDENCE = "confidence"


@dataclass(frozen=True, eq=False)
class Result:
    """The images that a run computed from one frame.

    Attributes:
        run: the computation.
        frame: the frame it was computed from, with ground truth and calibration where known.
        stored: every image by name as the pipeline stores it, such as int16 in 1/16 pixel.
        milliseconds: compute time, without reading, uploading and downloading.
        division: the bands in which it was computed, and their memory; empty: as a whole.
    """

    run: Run
    frame: Frame
    stored: Mapping[str, NDArray[Any]]
    milliseconds: float
    division: str = ""

    def __repr__(self) -> str:
        """Return the names of run and images, and the compute time."""
        images = ", ".join(f"{name} {each.shape}" for name, each in self.stored.items())
        return f"<Result of {self.run!r}: {images}; {self.milliseconds:.3f} ms>"

    def __getitem__(self, name: str) -> NDArray[Any]:
        """Return the image with a name, in its unit (such as pixels).

        Measures are float32, NaN where invalid. Other images are returned as stored.

        Raises:
            KeyError: the result does not hold the image; the message says how to keep it.
        """
        image, stored = self.stored_image(name)
        measures = image.invalid or image.scale != 1
        return in_units(stored, image, self.run.params) if measures else stored

    def stored_image(self, name: str) -> tuple[Image, NDArray[Any]]:
        """Return an image's declaration and stored values; compute depths that were not kept.

        Depths are in the calibration's unit.
        """
        declared = self.run.image(name)
        if name in self.stored:
            return declared, self.stored[name]
        if declared.depths and self.run.output.disparity:
            return declared, self.depth
        have = ", ".join(self.stored)
        raise KeyError(f"{name} was not kept (kept: {have}); use Run(..., keep=[{name!r}])")

    @property
    def output(self) -> NDArray[Any]:
        """Return the output image of the pipeline, such as edges or a disparity."""
        return self[self.run.pipeline.output]

    @property
    def disparity(self) -> NDArray[np.float32]:
        """Return the disparity: (H, W) float32 in pixels, NaN where invalid.

        Raises:
            ValueError: the pipeline computes no disparity.
        """
        if not self.run.output.disparity:
            raise ValueError(f"{self.run.pipeline.name} computes no disparity")
        return self.output

    @property
    def confidence(self) -> NDArray[np.float32]:
        """Return the confidence: (H, W) float32 in per cent; the run must keep ``confidence``."""
        return self[CONFIDENCE]

    @property
    def depth(self) -> NDArray[np.float32]:
        """Return the depth: (H, W) float32 in ``unit``, NaN where invalid."""
        return self.frame.calibration_or_assumed.depths(self.disparity)

    @property
    def unit(self) -> str:
        """Return the unit of depths and points: ``m``, or ``relative`` without a calibration."""
        return self.frame.calibration_or_assumed.unit

    @property
    def density(self) -> float:
        """Return the share of pixels that have a result, in per cent."""
        return 100 * (int(np.count_nonzero(self._valid)) / self._valid.size)

    @property
    def mean_confidence(self) -> float:
        """Return the mean confidence of valid pixels, in per cent; NaN without any."""
        image, stored = self.stored_image(CONFIDENCE)
        values = in_units(stored[self._valid], image, self.run.params)
        return float(np.mean(values)) if values.size else math.nan

    @cached_property
    def _valid(self) -> NDArray[np.bool_]:
        return valid_pixels(self.stored[self.run.output.name], self.run.output, self.run.params)

    def points(self, axes: str = "camera") -> PointCloud:
        """Return the 3D points of all pixels that have a depth, with their colours.

        Args:
            axes: ``camera`` (X right, Y down, Z ahead) or ``opengl`` (X right, Y up, Z back).

        Returns:
            ``places`` is (N, 3) float32 in ``unit``, ``colors`` (N, 3) uint8 RGB.
        """
        calibration = self.frame.calibration_or_assumed
        return cloud_of(self.disparity, calibration, self.frame.left, axes)

    def judge(
        self,
        convention: str = "middlebury",
        truth: NDArray[np.float32] | None = None,
        region: Region | None = None,
        *,
        own: bool = False,
        largest: float | None = None,
    ) -> dict[str, float]:
        """Compare the disparity with ground truth.

        Args:
            convention: ``middlebury``, ``eth3d``, ``kitti`` or ``wheatstone``.
            truth: (H, W) float32 in pixels, NaN where unknown; the frame's by default. The pixels
                that both views see are determined from it.
            region: ``seen`` judges the pixels that both views see, ``known`` all pixels whose
                truth is known; the convention's choice by default.
            own: whether the measures that only some data sets have are added, such as ``D1-fg``.
            largest: the largest disparity possible; by default the largest one searched.

        Returns:
            Measures by name, such as ``bad-2`` in per cent and ``average error`` in pixels.

        Raises:
            ValueError: there is no ground truth, no such convention, or no pixel to judge.
        """
        if convention not in CONVENTIONS:
            raise ValueError(f"no convention {convention!r}; there is {', '.join(CONVENTIONS)}")
        judging, disparity = CONVENTIONS[convention], self.disparity
        known = self.frame.truth if truth is None else np.asarray(truth, np.float32)
        if known is None:
            raise ValueError("the frame has no ground truth; pass truth=")
        if known.shape != disparity.shape:
            raise ValueError(f"truth must be {disparity.shape} (got {known.shape})")
        occluded = self.frame.occluded if truth is None else None
        seen = not_covered(known) if occluded is None else ~occluded
        mask = judging.judged(known, seen, region)
        if not mask.any():
            raise ValueError("no pixel is judged: the truth is known nowhere in the region")
        if largest is None:
            searched = self.run.params.values()
            largest = searched["min_disparity"] + searched["disparities"] - 1
        judged = measures(judging, disparity, known, mask, largest)
        if own:
            objects = self.frame.objects
            judged |= own_measures(judging, disparity, known, mask, largest, objects)
        return judged

    def save(
        self,
        path: str | os.PathLike[str],
        image: str | None = None,
        *,
        axes: str = "camera",
        png_level: int = FASTEST,
    ) -> str:
        """Write an image or the points in the format given by the file name.

        Values are written in their unit, NaN where there is no result; for PNG see
        ``write_values``. The file is written completely or not at all, and it never replaces a
        file that was read.

        Args:
            path: ``.npy``, ``.tiff``, ``.pfm`` or ``.png`` for values, ``.ply`` or ``.pcd`` for
                points. An existing file is replaced completely. A TIFF has the georeference of
                the left view's file, if that has one.
            image: name of the image; the pipeline's output by default. ``depth`` need not be
                kept: it is computed from the disparity. Points need none.
            axes: of points, as for ``points``.
            png_level: how much a PNG is compressed, from 1 (fast) to 9 (small).

        Returns:
            A remark on the values, such as the unit of depths; empty if there is none.

        Raises:
            ValueError: an unknown file name extension, or values that the format cannot hold.
            OSError: the file cannot be written.
        """
        place = Path(path)
        if place.suffix.lower() in ENCODERS:
            write_cloud(place, self.points(axes))
            return ""
        name = image or self.run.pipeline.output
        declared, stored = self.stored_image(name)
        place_on_map = self.frame.georeference
        return write_values(place, stored, declared, self.run.params, png_level, place_on_map)
