"""Frames and sources made from arrays in memory, converted in the same way as image files."""

import operator
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wheatstone.gpu.analysis.metrics import not_covered
from wheatstone.viewer.io.cameras.calibration import Calibration
from wheatstone.viewer.io.reading.typed_values import one_of
from wheatstone.viewer.io.sources.depth import Stored, stored_array
from wheatstone.viewer.io.sources.frame import DeepViews, Frame, Pixels, SingleFrame
from wheatstone.viewer.io.sources.source_spec import TONES
from wheatstone.viewer.io.sources.tone import Tone, measured_tone, sixteen_bits, with_tone


class ArraySource(SingleFrame):
    """A stereo pair in memory, as a `Source` of one frame."""

    def __init__(
        self,
        left: NDArray[Any],
        right: NDArray[Any] | None = None,
        calibration: Calibration | None = None,
        truth: NDArray[np.float32] | None = None,
        tone: str | None = None,
    ) -> None:
        """Convert the arrays of one or two views to 8 bits, as the source's only frame.

        Args:
            left: (H, W) grey levels or (H, W, 3) RGB, uint8, uint16 or float in 0..1 or 0..255.
            right: an array of the same height and width; None for a single image.
            calibration: of a rectified pair.
            truth: (H, W) float32 disparity in pixels, NaN where unknown.
            tone: how 16 bits become 8, one of ``TONES``; None: linear.

        Raises:
            TypeError, ValueError: an array has another type or shape; the message names both.
        """
        views = {"left": left} if right is None else {"left": left, "right": right}
        converter = ArrayConverter(tone)
        pixels, self.notes = converter.converted(views)
        first, second = pixels["left"], pixels.get("right")
        known = None if truth is None else np.asarray(truth, np.float32)
        for name, other in (("right", second), ("truth", known)):
            if other is not None and other.shape[:2] != first.shape[:2]:
                size = "{}x{}".format(*first.shape[:2])
                raise ValueError(f"{name} must be {size}, as left is (got {other.shape})")
        occluded = None if known is None or second is None else ~not_covered(known)
        self._frame = Frame(first, second, 0, known, occluded, calibration)
        deep = [sixteen_bits(_stored(name, view)) for name, view in views.items()]
        if deep[0] is not None and deep[-1] is not None:
            self._frame.deep = DeepViews(deep[0], deep[1] if len(deep) > 1 else None)
        self.name = "arrays"
        self.height, self.width = self._frame.shape


def frame_of(left: Any, right: NDArray[Any] | None, index: int = 0) -> Frame:
    """Return a frame: of a given source, given as a frame already, or made from one or two arrays.

    Raises:
        TypeError: ``left`` is neither, or ``right`` was passed without a left array.
        IndexError: the source has no such frame.
        ValueError: the arrays have the wrong shape or type.
    """
    if isinstance(left, np.ndarray):
        return ArraySource(left, right).frame(0)
    if right is not None:
        raise TypeError(f"two views are passed as arrays (got {type(left).__name__})")
    if isinstance(left, Frame):
        return left
    if hasattr(left, "frame"):
        if not 0 <= operator.index(index) < left.length:
            raise IndexError(f"{left.name} has frames 0 to {left.length - 1} (got {index})")
        frame: Frame = left.frame(index)
        return frame
    expected = "a source, a frame or an array"
    raise TypeError(f"expected {expected} (got {type(left).__name__}); see wheatstone.open")


class ArrayConverter:
    """A converter of arrays to 8 bits, which treats them like image files.

    The first views determine the mapping of 16 bits, as a source's first frame does.
    """

    def __init__(self, tone: str | None = None) -> None:
        """Set the rule that maps 16-bit pixels to 8 bits, one of ``TONES``; None: linear."""
        if tone is not None:
            one_of(tone, TONES, "tone")
        self._rule = tone
        self._tone: Tone | None = None

    def converted(
        self, views: Mapping[str, NDArray[Any]]
    ) -> tuple[dict[str, Pixels], tuple[str, ...]]:
        """Convert a frame's views, given by name, to 8 bits; return them with notes.

        Raises:
            TypeError, ValueError: a view has another type or shape; the message names both.
        """
        stored = {name: _stored(name, view) for name, view in views.items()}
        self._tone = self._tone or measured_tone(self._rule, list(stored.values()))
        toned = {name: with_tone(Path(name), view, self._tone) for name, view in stored.items()}
        notes = (f"{name}: {note}" for name, (_, remarks) in toned.items() for note in remarks)
        return {name: pixels for name, (pixels, _) in toned.items()}, tuple(notes)


def _stored(name: str, view: NDArray[Any]) -> Stored:
    if not isinstance(view, np.ndarray):
        raise TypeError(f"{name} must be a NumPy array (got {type(view).__name__})")
    is_image = view.ndim == 2 or (view.ndim == 3 and view.shape[2] == 3)
    if not is_image or 0 in view.shape:
        raise ValueError(f"{name} must be (H, W) or (H, W, 3) (got {view.shape} {view.dtype})")
    return stored_array(np.ascontiguousarray(view))
