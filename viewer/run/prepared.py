"""Call a run frame after frame without allocations, on arrays of the host or of the GPU."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from wheatstone.gpu.exchange import Exchange, on_gpu
from wheatstone.gpu.execution import prepare
from wheatstone.viewer.files.values import in_units
from wheatstone.viewer.run.run import Run
from wheatstone.viewer.sources.arrays import eight_bits
from wheatstone.viewer.sources.grey import grey_levels


class PreparedRun:
    """A run that is ready for views of one size.

    Arrays that it returns are valid until the next call. Views on a GPU are taken by DLPack or
    ``__cuda_array_interface__`` and ordered on the caller's stream; results are CuPy arrays, which
    other libraries take the same way, for example by ``torch.from_dlpack``.

        >>> import numpy as np
        >>> prepared = Run("sgm", variant="cpu", disparities=32).prepared((48, 96))
        >>> view = np.random.default_rng(1).integers(0, 256, (48, 96), np.uint8)
        >>> prepared(view, np.roll(view, -5, 1)).dtype
        dtype('float32')

    Attributes:
        run: the computation.
        shape: (H, W) of the views.
    """

    def __init__(self, run: Run, shape: tuple[int, int]) -> None:
        if len(shape) != 2 or min(shape) < 1:
            raise ValueError(f"shape must be (height, width) of at least 1 pixel (got {shape})")
        self.run, self.shape = run, shape
        self._execution = prepare(run.pipeline, run.variant, run.params, *shape, run.images)
        self._exchange: Exchange | None = None
        self._last: Exchange | None = None

    def __call__(self, left: Any, right: Any = None, *, stream: int | None = None) -> Any:
        """Compute one frame.

        Args:
            left: (H, W) grey levels or (H, W, 3) RGB, uint8, on the host or on the GPU.
            right: like ``left``, in the same memory; None for pipelines of one view.
            stream: address of the caller's CUDA stream; PyTorch's or CuPy's current one by default.

        Returns:
            The pipeline's output as ``Result.output`` returns it, in the memory of the views.

        Raises:
            TypeError, ValueError: a view has another shape or type, or is in other memory.
        """
        views = {"left": left} if right is None else {"left": left, "right": right}
        known = {name: view for name, view in views.items() if name in self.run.pipeline.inputs}
        if missing := sorted(self._execution.inputs_read - known.keys()):
            raise ValueError(f"{self.run.pipeline.name} needs a {missing[0]} view")
        gpu = {name: on_gpu(view) for name, view in known.items()}
        if len(set(gpu.values())) > 1:
            raise ValueError("both views must be in the same memory: host or GPU")
        if all(gpu.values()):
            self._last = self._exchange = self._exchange or Exchange(self._execution)
            self._exchange.run(known, stream)
        else:
            self._last = None
            self._execution.upload(
                **{name: grey_levels(eight_bits(name, view)[0]) for name, view in known.items()}
            )
            self._execution.run(timed=False)
        return self[self.run.pipeline.output]

    def __getitem__(self, name: str) -> Any:
        """Return an image of the last frame in its unit, as ``Result`` does, in the views' memory.

        Raises:
            ValueError: the variant does not keep the image.
        """
        image = self.run.pipeline.image(name)
        invalid = image.invalid(self.run.params) if image.invalid else None
        measured = (invalid is not None and not np.isnan(invalid)) or image.scale != 1
        if self._last and not measured:
            return self._last.output(name)
        if self._last:
            return self._last.in_units(name, image.scale, None if invalid is None else int(invalid))
        stored: NDArray[Any] = self._execution.download(name)
        return in_units(stored, image, self.run.params) if measured else stored
