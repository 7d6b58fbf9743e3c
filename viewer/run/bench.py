"""Time several variants of one run on a source's first frame, and compare their results."""

from collections.abc import Sequence
from dataclasses import dataclass

from wheatstone.gpu import Unavailable
from wheatstone.gpu.analysis.measurement import measure
from wheatstone.viewer.io.sources.arrays import frame_of
from wheatstone.viewer.io.sources.frame import Frame, Source
from wheatstone.viewer.run.engine import Engine
from wheatstone.viewer.run.run import Run


@dataclass(frozen=True)
class Timing:
    """The time of one variant in a benchmark.

    Attributes:
        milliseconds: median compute time of a frame, without upload and download; None if the
            variant could not run.
        p5, p95: percentiles of that time.
        frames: number of frames measured.
        identical: whether the output equals that of the first variant that ran, to the bit.
        why: the reason why the variant could not run; empty if it ran.
    """

    variant: str
    milliseconds: float | None = None
    p5: float | None = None
    p95: float | None = None
    frames: int = 0
    identical: bool = False
    why: str = ""


def bench(
    run: Run | str,
    variants: Sequence[str],
    source: Source | Frame,
    *,
    frames: int = 50,
    seconds: float = 5.0,
) -> list[Timing]:
    """Time variants one after the other on the first frame of a source.

    Args:
        run: the computation, or the name of a pipeline with its default parameters.
        variants: names of variants.
        source: a source that ``wheatstone.open`` returned, or a frame.
        frames: maximum number of frames to measure.
        seconds: maximum time to measure a variant.

    Raises:
        ValueError: there is no such variant, or the frame lacks a view.
    """
    run = Run(run) if isinstance(run, str) else run
    frame = frame_of(source, None)
    engine, timings = Engine(), list[Timing]()
    first: bytes | None = None
    for name in variants:
        one = run.replace(variant=name, bands=run.bands or 1)
        try:
            output = engine.compute(one, frame).stored[run.pipeline.output].tobytes()
        except Unavailable as error:
            timings.append(Timing(name, why=str(error)))
            continue
        first = first or output
        times = measure(engine.prepared(one, *frame.shape), frames, seconds).device
        timings.append(
            Timing(name, times.median, times.p5, times.p95, times.frames, output == first)
        )
    return timings
