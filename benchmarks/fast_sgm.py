"""Time variant ``fast`` of semi-global matching, and compare it with libSGM.

Prints a Markdown table, whose rows ``gpu_record`` also uses. Images of at most 1920x1080 are also
computed with variant ``shared``; if a result differs, the exit code is 1.
"""

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Annotated

from benchmarks.cpu_sgm import differing, textured_pair
from benchmarks.libsgm import LIBSGM, Sizes, times_of
from benchmarks.runner import Count
from wheatstone.gpu.analysis.measurement import CHAINED, chained_milliseconds, lap, time_frames
from wheatstone.gpu.execution import Execution, prepare
from wheatstone.gpu.pipelines.sgm import SGM, SgmParams
from wheatstone.viewer.io.files.markdown import markdown

FEW_CHAINED = 8  # consecutive frames when stages are timed
LARGEST_COMPARED = 1920 * 1080  # pixels
STAGES = ("packed_words", "packed_matching", "packed_aggregation", "packed_winner", "packed_checks")


@dataclass(frozen=True)
class Row:
    """The times of one size: frame, stages and libSGM, in milliseconds.

    Attributes:
        differing: number of pixels unlike variant ``shared``; None if they were not compared.
    """

    width: int
    height: int
    disparities: int
    paths: int
    median: float
    fastest: float
    libsgm: float
    differing: int | None
    stages: dict[str, float]


def chained_steps(execution: Execution, frames: int = CHAINED) -> dict[str, float]:
    """Measure how much each step adds to the time of consecutive frames, in milliseconds.

    That is the time of frames that end with the step minus that of frames that end before it: a
    step needs the results of earlier ones, and launches hidden behind them do not count.
    """
    count = len(execution.steps)
    ends = [0.0] + [chained_milliseconds(execution, frames, k) for k in range(1, count + 1)]
    names = [step.stage.name for step in execution.steps]
    return {name: end - begin for name, (begin, end) in zip(names, pairwise(ends), strict=True)}


def rows(frames: int, libsgm_times: Mapping[Sizes, float] = LIBSGM) -> Iterator[Row]:
    """Time variant ``fast`` at each size of ``libsgm_times``; yield a row per size.

    Raises:
        Unavailable: this machine has no GPU.
    """
    base = SGM.preset("libsgm")
    assert isinstance(base, SgmParams)
    for (width, height, disparities, paths), libsgm in libsgm_times.items():
        params = replace(base, disparities=disparities, paths=paths)
        pair = textured_pair(height, width, disparities)
        execution = prepare(SGM, "fast", params, height, width)
        execution.upload(left=pair[0], right=pair[1])
        lap(execution)  # compiles
        times, _ = time_frames(execution, frames)
        stages = chained_steps(execution, FEW_CHAINED)
        compared = width * height <= LARGEST_COMPARED
        wrong = differing(params, pair, ("fast", "shared")) if compared else None
        size = (width, height, disparities, paths)
        yield Row(*size, times.median, times.fastest, libsgm, wrong, stages)


def table(timings: list[dict[str, object]]) -> str:
    """Return a Markdown table of rows, which ``asdict`` has converted to dictionaries."""
    header = ("Size", "D", "Paths", "ms", "libSGM", "Ratio", "Differ", *STAGES)
    return markdown(header, map(_cells, (Row(**row) for row in timings)))  # type: ignore[arg-type]


def _cells(row: Row) -> tuple[str, ...]:
    return (
        f"{row.width}x{row.height}",
        f"{row.disparities}",
        f"{row.paths}",
        f"**{row.median:.3f}**",
        f"{row.libsgm:.3f}",
        f"{row.libsgm / row.median:.2f}",
        "" if row.differing is None else f"{row.differing}",
        *(f"{row.stages.get(stage, 0.0):.3f}" for stage in STAGES),
    )


def main(
    *,
    frames: Count = 200,
    libsgm: Annotated[Path | None, "checkout of libSGM to measure here"] = None,
) -> bool:
    """Time all sizes and print a table; return whether no compared pixel differs."""
    measured = list(rows(frames, times_of(libsgm, frames)))
    print(table([asdict(row) for row in measured]))
    return not any(row.differing for row in measured)
