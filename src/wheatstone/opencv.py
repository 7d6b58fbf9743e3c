"""A drop-in replacement for OpenCV's ``StereoSGBM``, with the same parameters and result type."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from wheatstone.gpu.parameters import controls
from wheatstone.gpu.pipelines.sgm.params import SgmParams
from wheatstone.viewer.run.run import Run

MODES: dict[int, int | str] = {0: 8, 1: 8, 2: "sweeps", 3: 4}
"""Paths for OpenCV's modes SGBM (0), HH (1), SGBM_3WAY (2) and HH4 (3)."""
USUAL_P1, USUAL_P2 = 8, 32
"""Penalties that OpenCV's documentation recommends, per pixel of the block."""
DEFAULTS = {
    "minDisparity": 0,
    "numDisparities": 16,
    "blockSize": 3,
    "P1": 0,
    "P2": 0,
    "disp12MaxDiff": 0,
    "preFilterCap": 0,
    "uniquenessRatio": 0,
    "speckleWindowSize": 0,
    "speckleRange": 0,
    "mode": 0,
}
"""OpenCV's parameters and their defaults, in their order."""


class StereoSGBM:
    """A matcher with OpenCV's interface that computes disparities with Wheatstone.

    Every parameter has OpenCV's getter and setter, such as ``getNumDisparities()``.
    """

    def __init__(self, **values: int) -> None:
        self._values = {**DEFAULTS, **values}
        self._run = run_of(self._values)

    def compute(
        self,
        left: NDArray[Any],
        right: NDArray[Any],
        disparity: NDArray[np.int16] | None = None,
    ) -> NDArray[np.int16]:
        """Compute the disparity of a rectified pair.

        Args:
            left, right: (H, W) grey levels or (H, W, 3) BGR, uint8, as OpenCV reads files.
            disparity: (H, W) int16 that receives the result; a new array by default.

        Returns:
            (H, W) int16 disparity in 1/16 pixel; ``(minDisparity - 1) * 16`` where invalid.

        Raises:
            ValueError: the views differ in size, or the range does not fit the image.
        """
        result = self._run(_rgb(left), _rgb(right))
        stored = result.stored[self._run.pipeline.output]
        if disparity is None:
            return stored
        disparity[:] = stored
        return disparity

    def __getattr__(self, name: str) -> Any:
        """Return the getter or the setter of a parameter, such as ``setMinDisparity``."""
        for parameter in DEFAULTS:
            if name[3:].lower() == parameter.lower() and name[:3] in ("get", "set"):
                getter, setter = self._accessors(parameter)
                return getter if name[:3] == "get" else setter
        raise AttributeError(f"StereoSGBM has no attribute {name!r}")

    def _accessors(self, parameter: str) -> tuple[Any, Any]:
        def put(value: int) -> None:
            changed = {**self._values, parameter: value}
            self._run, self._values = run_of(changed), changed

        return lambda: self._values[parameter], put


def StereoSGBM_create(  # noqa: N802  OpenCV's name
    minDisparity: int = 0,  # noqa: N803
    numDisparities: int = 16,  # noqa: N803
    blockSize: int = 3,  # noqa: N803
    P1: int = 0,  # noqa: N803
    P2: int = 0,  # noqa: N803
    disp12MaxDiff: int = 0,  # noqa: N803
    preFilterCap: int = 0,  # noqa: N803
    uniquenessRatio: int = 0,  # noqa: N803
    speckleWindowSize: int = 0,  # noqa: N803
    speckleRange: int = 0,  # noqa: N803
    mode: int = 0,
) -> StereoSGBM:
    """Create a matcher with the parameters of ``cv2.StereoSGBM_create(...)``.

        >>> import numpy as np
        >>> view = np.random.default_rng(1).integers(0, 256, (48, 96), np.uint8)
        >>> matcher = StereoSGBM_create(numDisparities=32)
        >>> float(matcher.compute(view, np.roll(view, -5, 1))[24, 48]) / 16
        5.0

    The result has the same shape, dtype, unit and invalid value as OpenCV's. Its values differ,
    because another matching cost is used. ``docs/python.md`` lists how each parameter is mapped.

    Args:
        minDisparity: first disparity searched, in pixels.
        numDisparities: number of disparities searched, a multiple of 16.
        blockSize: scales ``P1`` and ``P2`` only: our matching cost has a fixed window.
        P1: penalty for a disparity change of one pixel; 0 uses our default. OpenCV's recommended
            ``8 * blockSize ** 2`` equals our default.
        P2: penalty for larger changes; 0 uses our default, as ``32 * blockSize ** 2`` does.
        disp12MaxDiff: largest difference in the left-right check, in pixels; 0 counts as 1, as in
            OpenCV; a negative number switches the check off.
        preFilterCap: accepted and not used.
        uniquenessRatio: margin in per cent by which the best match must win.
        speckleWindowSize: largest size in pixels of islands that are removed; 0 for none.
        speckleRange: largest disparity step between neighbours of an island, in pixels.
        mode: one of OpenCV's modes: SGBM and HH use 8 paths, HH4 uses 4, SGBM_3WAY uses sweeps.

    Raises:
        ValueError: a value is out of bounds.
    """
    return StereoSGBM(**{name: value for name, value in locals().items()})


def run_of(values: dict[str, int]) -> Run:
    """Convert OpenCV's parameters to a ``Run``. Raises ``ValueError`` for a value out of bounds."""
    if values["mode"] not in MODES:
        raise ValueError(f"mode must be one of {', '.join(map(str, MODES))} (got {values['mode']})")
    base = SgmParams()
    pixels = max(1, values["blockSize"]) ** 2
    p1 = _scaled(base.p1, values["P1"], USUAL_P1 * pixels, "p1")
    p2 = _scaled(base.p2, values["P2"], USUAL_P2 * pixels, "p2")
    check = values["disp12MaxDiff"]
    return Run(
        "sgm",
        disparities=values["numDisparities"],
        min_disparity=values["minDisparity"],
        paths=MODES[values["mode"]],
        p1=min(p1, p2),
        p2=p2,
        lr_check=-1 if check < 0 else max(1, check),
        uniqueness=values["uniquenessRatio"],
        speckle_size=values["speckleWindowSize"],
        speckle_range=values["speckleRange"],
        fill_holes=False,
    )


def _scaled(ours: int, given: int, usual: int, name: str) -> int:
    """Scale Wheatstone's default penalty by the ratio of a given penalty to OpenCV's usual one."""
    highest = int(controls(SgmParams)[name].high)
    return ours if given <= 0 else min(highest, max(1, round(ours * given / usual)))


def _rgb(view: NDArray[Any]) -> NDArray[Any]:
    """Convert a colour image from OpenCV's channel order, BGR, to RGB."""
    return view[..., ::-1] if getattr(view, "ndim", 0) == 3 else view
