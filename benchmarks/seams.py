"""Measure how many pixels of a hierarchical search differ when it is computed in bands.

The share is measured near the seams between bands and elsewhere. The result of a full search does
not depend on bands; see ``gpu.bands``.
"""

from collections.abc import Iterator
from typing import Annotated

import numpy as np

from benchmarks.runner import Count, Size, positive
from wheatstone.gpu.bands import MARGIN, bands_of
from wheatstone.gpu.pipelines.sgm import SGM
from wheatstone.gpu.pipelines.sgm.params import SUBPIXEL_STEPS
from wheatstone.viewer.io.files.markdown import markdown
from wheatstone.viewer.io.scenes import SCENES
from wheatstone.viewer.io.sources.scene import Scene
from wheatstone.viewer.run.run import Run

INNER = MARGIN // 2  # rows on either side of a seam: the inner half of the overlap


def shares(
    scene: str, size: tuple[int, int], disparities: int, bands: int, variant: str
) -> tuple[float, float]:
    """Return the percentages of pixels that differ by over 1/16 px, near seams and elsewhere."""
    frame = Scene(scene, 0, size).render(0)
    params = SGM.preset("fast").changed(disparities=disparities, search="hierarchical")
    run = Run("sgm", variant, params)
    whole, banded = (
        run.replace(bands=n)(frame).stored["disparity"].astype(int) for n in (1, bands)
    )
    differs = np.abs(whole - banded) > SUBPIXEL_STEPS // 16
    rows = np.arange(size[1])
    seams = [band.first for band in bands_of(size[1], bands)[1:]]
    near = np.any([np.abs(rows + 0.5 - seam) < INNER for seam in seams], axis=0)
    return 100 * float(differs[near].mean()), 100 * float(differs[~near].mean())


def _rows(
    size: tuple[int, int], disparities: int, bands: int, variant: str
) -> Iterator[tuple[str, str, str]]:
    for scene in SCENES:
        near, elsewhere = shares(scene, size, disparities, bands, variant)
        yield scene, f"{near:.2f} %", f"{elsewhere:.2f} %"


def main(
    *,
    size: Size = (960, 720),
    disparities: Annotated[int, positive] = 96,
    bands: Count = 2,
    variant: str = "cpu",
) -> bool:
    """Measure each built-in scene and print a table."""
    head = ("scene", f"less than {INNER} rows from a seam", "farther")
    print(markdown(head, _rows(size, disparities, bands, variant)))
    return True
