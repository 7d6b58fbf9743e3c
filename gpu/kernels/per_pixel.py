"""Launch kernels of stages in which one thread computes one pixel or a few."""

import inspect
from typing import Any

import numpy as np

from wheatstone.gpu.kernels.kernel import Dim, Kernel, blocks, declare
from wheatstone.gpu.parameters import controls
from wheatstone.gpu.pipeline import Pipeline, Stage

BLOCK = (32, 16)


class PerPixel:
    """Launcher of a stage's kernel with one thread for one or a few neighbouring pixels.

    The kernel takes the stage's images, their height and width and, where one has a third axis,
    its length, then the stage's parameters and the numbers of its item, a choice as its index. Its
    file and its name are those of the stage.

    Args:
        pipeline: declares the stage, or a step of a variant that covers it, and its images.
        element: an image whose element type differs between variants, and the macro that names the
            type in the kernel's file; absent if there is none.
        pixels: per thread, side by side; the macro PIXELS in the kernel if there are several.
        constants: macros with their values.
    """

    def __init__(
        self,
        pipeline: Pipeline,
        name: str,
        *,
        block: Dim = BLOCK,
        element: tuple[str, str] | None = None,
        pixels: int = 1,
        **constants: int,
    ) -> None:
        self._pipeline, self._block, self._pixels = pipeline, block, pixels
        self._constants = constants | ({"PIXELS": pixels} if pixels > 1 else {})
        self._stage = declared_stage(pipeline, name)
        self._images = self._stage.reads + self._stage.writes
        self._varies, self._macro = element or (self._images[-1], "")
        self.kernels = {dtype: self._kernel(dtype) for dtype in self._dtypes()}
        self.__signature__ = signature_of(self._stage)

    def _dtypes(self) -> tuple[Any, ...]:
        """List the element types in which variants store the stage's image of varying type."""
        held = (variant.dtypes.get(self._varies) for variant in self._pipeline.variants)
        declared = self._pipeline.image(self._varies).dtype
        return tuple(dict.fromkeys(np.dtype(name).type for name in (declared, *filter(None, held))))

    def _kernel(self, dtype: Any) -> Kernel:
        types = {name: np.dtype(self._pipeline.image(name).dtype).type for name in self._images}
        volume = any(len(self._pipeline.image(name).dims) > 2 for name in self._images)
        macros = ({self._macro: dtype} if self._macro else {}) | self._constants
        arrays = (types | {self._varies: dtype}).values()
        scalars = 2 + volume + len(self._stage.params)
        return declare(self._stage.name, "", tuple(arrays), scalars, **macros)

    def __call__(self, *arguments: Any) -> None:
        """Launch the kernel, with one thread for one or a few neighbouring pixels.

        Args:
            arguments: the stage's input images, output images, then parameters.
        """
        images = arguments[: len(self._images)]
        size = max((image.shape for image in images), key=len)
        kernel = self.kernels[images[self._images.index(self._varies)].dtype.type]
        across, down = self._block[:2]
        grid = blocks((self._pixels * across, down), size[1], size[0])
        declared = controls(self._pipeline.params)
        scalars = [
            declared[name].place(value) if name in declared else value
            for name, value in zip(self._stage.params, arguments[len(images) :], strict=True)
        ]
        kernel(grid, self._block, *images, *size, *scalars)


def declared_stage(pipeline: Pipeline, name: str) -> Stage:
    """Return a pipeline's stage, or a fused step of one of its variants, by name."""
    fused = (step for variant in pipeline.variants for step in variant.fused)
    return next(stage for stage in (*pipeline.stages, *fused) if stage.name == name)


def signature_of(stage: Stage, *further: str) -> inspect.Signature:
    """Return the signature of a stage's launcher: images, parameters, keyword arguments."""
    names = stage.reads + stage.writes + stage.params
    kinds = inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.KEYWORD_ONLY
    given = [inspect.Parameter(name, kinds[0]) for name in names]
    return inspect.Signature([*given, *(inspect.Parameter(name, kinds[1]) for name in further)])
