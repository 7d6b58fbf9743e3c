"""Unfold any stage as a GPU computes it: block by block, and warp by warp within a block."""

from wheatstone.gpu.analysis.kernel_facts import launches
from wheatstone.gpu.analysis.unfolding.asked import Asked, computed_until, copy_of, flat_images
from wheatstone.gpu.analysis.unfolding.tiling import Tiling, by_rows
from wheatstone.gpu.analysis.unfolding.unfolded import Sheet, Unfolded
from wheatstone.gpu.image import Image
from wheatstone.gpu.kernels.kernel import Launch
from wheatstone.gpu.parameters import Params
from wheatstone.gpu.pipeline import Pipeline


def blocks(asked: Asked) -> Unfolded:
    """Unfold the first image that a stage writes, in the order of blocks and warps."""
    execution = computed_until(asked, asked.stage)
    stage = next(each for each in asked.pipeline.stages if each.name == asked.stage)
    written = flat_images(asked.pipeline, stage.writes)[0]
    result = copy_of(execution, written.name)
    tiling = asked.tiling or by_rows(asked.height, asked.width)
    order = tiling.order(asked.height, asked.width)
    done = Sheet(written.name.replace("_", " "), written, result, order, tiling.boxes)
    read = _most_alike(written, flat_images(asked.pipeline, (*stage.reads, "left")))
    values = copy_of(execution, read.name)
    before = Sheet(read.name.replace("_", " "), read, values, boxes=tiling.boxes)
    counts = "warp" if tiling.variant else "row"
    return Unfolded(tiling.moments, counts, (before, done), tiling.said)


def _most_alike(written: Image, read: list[Image]) -> Image:
    """Return the first image read with the dtype and scale of the one written, else the first."""
    alike = [each for each in read if (each.dtype, each.scale) == (written.dtype, written.scale)]
    return (alike or read)[0]


def tiling_of(
    pipeline: Pipeline, variant: str, params: Params, height: int, width: int, stage: str
) -> Tiling:
    """Return the tiling of a stage's kernel over the image, of a variant or else of another one.

    If no kernel of the stage has a thread for each pixel, the tiling is by rows. Launches are noted
    meanwhile instead of done, so this must not run while another thread launches kernels.
    """
    cuda = [each for each in pipeline.variants if each.on_gpu]
    for each in sorted(cuda, key=lambda one: one.name != variant):
        if each.refuses(params, height, width):
            continue
        writes = next(one.writes for one in pipeline.stages if one.name == stage)
        for name, launch in launches(pipeline, each, params, height, width, writes):
            tiling = _tiled(each.name, launch, height, width) if name == stage else None
            if tiling:
                return tiling
    return by_rows(height, width)


def _tiled(variant: str, launch: Launch, height: int, width: int) -> Tiling | None:
    """Return the tiling of a launch over an image; None if it has not one thread per pixel."""
    (columns, rows, *_), (across, down, *_) = (*launch.block, 1), (*launch.grid, 1)
    fits = across == -(-width // columns) and down == -(-height // rows)
    return Tiling(variant, columns, rows, across, down) if fits else None
