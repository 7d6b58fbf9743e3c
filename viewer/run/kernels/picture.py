"""Compare the picture that the user's kernels computed in a window with the reference's.

The reference's result is computed by the variant ``cpu``, which equals it and takes less time.
"""

import time
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from wheatstone.gpu import Unavailable
from wheatstone.gpu.pipeline import Pipeline
from wheatstone.viewer.io.sources.frame import Frame
from wheatstone.viewer.run.engine import prepare_run
from wheatstone.viewer.run.inputs import host_inputs
from wheatstone.viewer.run.kernels.calls import first_wrong
from wheatstone.viewer.run.kernels.verdict import PictureVerdict
from wheatstone.viewer.run.run import Run

SECONDS = 20.0  # after which the comparison is given up; code may have to be compiled first
EQUAL = "cpu"  # the variant that is computed in place of the reference
Images = Mapping[str, NDArray[Any]]


class _TooLong(Exception):
    """The exception raised when the reference takes too long to compute a frame."""


@dataclass(frozen=True, eq=False)
class ComparedPicture:
    """A frame computed by the user's kernels, to be compared with the reference.

    Attributes:
        run: the computation with the user's kernels.
        frame: the frame it was computed from.
        key: identifies the frame: equal for equal pixels.
        images: what was computed, as stored, by name.
    """

    run: Run
    frame: Frame
    key: object
    images: Images


def compared_names(pipeline: Pipeline, stages: Collection[str], shown: Iterable[str]) -> list[str]:
    """List the images of a frame to compare, in the order in which the pipeline computes them.

    Args:
        stages: names of the stages that the user's kernels compute.
        shown: names of the images on screen.
    """
    written = {name for each in pipeline.stages if each.name in stages for name in each.writes}
    wanted = {*written, *shown, pipeline.output} - {*pipeline.inputs}
    flat = [image for image in pipeline.images if image.dims == ("height", "width")]
    return [image.name for image in flat if image.name in wanted]


class PictureComparison:
    """A comparer of pictures that caches the reference's result of the newest frame."""

    def __init__(self) -> None:
        self._of: object = None
        self._expected: Images = {}

    def verdict(
        self, picture: ComparedPicture, report: Callable[[float, str], None]
    ) -> PictureVerdict:
        """Compare a picture with the reference's result; return the verdict.

        Args:
            report: called with the share done and the next step; may raise to end the comparison.
        """
        height, width = picture.frame.shape
        if picture.run.remembers:
            return PictureVerdict(height, width, why_not="it depends on earlier frames")
        try:
            expected = self._reference(picture, report)
        except _TooLong:
            why = f"the reference takes more than {SECONDS:.0f} s"
            return PictureVerdict(height, width, why_not=why)
        except (Unavailable, ValueError, MemoryError) as error:
            return PictureVerdict(height, width, why_not=str(error) or "out of memory")
        both = [name for name in picture.images if name in expected]
        wrong = (first_wrong(name, picture.images[name], expected[name]) for name in both)
        return PictureVerdict(height, width, tuple(both), next(filter(None, wrong), None))

    def _reference(self, picture: ComparedPicture, report: Callable[[float, str], None]) -> Images:
        """Return the reference's images of a frame, cached until another frame is compared."""
        run = picture.run.replace(variant=EQUAL, keep=picture.images)
        if self._of == (run, picture.key):
            return self._expected
        self._of, self._expected = None, {}
        execution = prepare_run(run, *picture.frame.shape)
        if execution.separate_bands > 1:
            raise ValueError("it is computed in bands of rows, which may differ")
        execution.upload(**host_inputs(execution.inputs, picture.frame))
        begin, count = time.perf_counter(), len(execution.steps)

        def after(done: int) -> None:
            report(done / count, "comparing the picture")
            if done < count and time.perf_counter() - begin > SECONDS:
                raise _TooLong

        execution.run(timed=False, after=after)
        kept = {name: execution.download(name) for name in picture.images if execution.keeps(name)}
        self._of, self._expected = (run, picture.key), kept
        return kept
