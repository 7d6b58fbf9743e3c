"""A live stereo viewer and matcher: several implementations whose results agree to the bit.

    >>> import wheatstone as ws
    >>> pair = ws.open("scene:garden", size=(96, 64))
    >>> run = ws.Run("sgm", variant="cpu", disparities=32)
    >>> result = run(pair)
    >>> result.disparity.shape, result.disparity.dtype.name
    ((64, 96), 'float32')

Disparities are in pixels, NaN where invalid. A pixel's disparity is how many columns its match in
the right view is shifted to the left. Everything is imported when it is first used.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from wheatstone.viewer import VERSION as __version__  # noqa: N811  the usual name

if TYPE_CHECKING:
    from wheatstone.gpu import Unavailable
    from wheatstone.gpu.plugins import variant
    from wheatstone.opencv import StereoSGBM_create
    from wheatstone.sources import open
    from wheatstone.viewer.io.cameras.calibration import Calibration
    from wheatstone.viewer.io.sources.frame import Frame, Source
    from wheatstone.viewer.run.bench import bench
    from wheatstone.viewer.run.parity.checking import check
    from wheatstone.viewer.run.peers.own_peer import peer
    from wheatstone.viewer.run.result import Result
    from wheatstone.viewer.run.run import Run
    from wheatstone.window import show

__all__ = [
    "Calibration",
    "Frame",
    "Result",
    "Run",
    "Source",
    "StereoSGBM_create",
    "Unavailable",
    "__version__",
    "bench",
    "check",
    "open",
    "peer",
    "show",
    "variant",
]

_PLACES = {
    "Calibration": "wheatstone.viewer.io.cameras.calibration",
    "Frame": "wheatstone.viewer.io.sources.frame",
    "Result": "wheatstone.viewer.run.result",
    "Run": "wheatstone.viewer.run.run",
    "Source": "wheatstone.viewer.io.sources.frame",
    "StereoSGBM_create": "wheatstone.opencv",
    "Unavailable": "wheatstone.gpu",
    "bench": "wheatstone.viewer.run.bench",
    "check": "wheatstone.viewer.run.parity.checking",
    "open": "wheatstone.sources",
    "peer": "wheatstone.viewer.run.peers.own_peer",
    "show": "wheatstone.window",
    "variant": "wheatstone.gpu.plugins",
}


def __getattr__(name: str) -> Any:
    """Import a public name at its first use, and return the object."""
    if name not in _PLACES:
        raise AttributeError(f"module 'wheatstone' has no attribute {name!r}")
    value = getattr(import_module(_PLACES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """List the public names."""
    return __all__
