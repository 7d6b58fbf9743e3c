"""Time variant `fast` of semi-global matching at the sizes for which libSGM's times are known.

Prints a Markdown table; ``gpu_record`` takes its rows from here. Bits first: where the slower
kernels allow it, the result is compared with variant ``shared``; a difference ends with exit code
1.
"""

from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace

from benchmarks.cpu_sgm import differing, textured_pair
from benchmarks.runner import Count
from wheatstone.gpu.analysis.measurement import chained_steps, lap, time_frames
from wheatstone.gpu.execution import prepare
from wheatstone.gpu.pipelines.sgm import SGM, SgmParams
from wheatstone.viewer.io.files.markdown import markdown

# libSGM v3.1.0 built for sm_90, on an H200, measured apart: milliseconds from GPU memory to GPU
# memory, back to back; sub-pixel, symmetric census, uniqueness, left-right check, median.
LIBSGM = {  # width, height, disparities, paths
    (640, 480, 64, 4): 0.837,
    (640, 480, 64, 8): 0.945,
    (640, 480, 128, 4): 0.892,
    (640, 480, 128, 8): 1.105,
    (1024, 440, 128, 4): 1.105,
    (1024, 440, 128, 8): 1.454,
    (1242, 375, 128, 4): 1.329,
    (1242, 375, 128, 8): 1.678,
    (1280, 720, 128, 4): 1.575,
    (1280, 720, 128, 8): 2.154,
    (1920, 1080, 128, 4): 2.622,
    (1920, 1080, 128, 8): 3.675,
    (1920, 1080, 256, 4): 3.854,
    (1920, 1080, 256, 8): 6.385,
    (3840, 2160, 128, 4): 6.755,
    (3840, 2160, 128, 8): 11.165,
}
CHAINED = 8  # frames whose stages are told
LARGEST_COMPARED = 1920 * 1080  # pixels
STAGES = ("packed_words", "packed_matching", "packed_aggregation", "packed_winner", "packed_checks")


@dataclass(frozen=True)
class Row:
    """One size: milliseconds of the frame and of its stages, and libSGM's.

    Attributes:
        differing: pixels that differ from variant ``shared``; None where it was not asked.
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


def rows(frames: int) -> Iterator[Row]:
    """Measure one size after the other; ``Unavailable`` without a GPU."""
    base = SGM.preset("libsgm")
    assert isinstance(base, SgmParams)
    for (width, height, disparities, paths), libsgm in LIBSGM.items():
        params = replace(base, disparities=disparities, paths=paths)
        pair = textured_pair(height, width, disparities)
        execution = prepare(SGM, "fast", params, height, width)
        execution.upload(left=pair[0], right=pair[1])
        lap(execution)  # compiles
        times, _ = time_frames(execution, frames)
        stages = chained_steps(execution, CHAINED)
        compared = width * height <= LARGEST_COMPARED
        wrong = differing(params, pair, ("fast", "shared")) if compared else None
        size = (width, height, disparities, paths)
        yield Row(*size, times.median, times.fastest, libsgm, wrong, stages)


def table(timings: list[dict[str, object]]) -> str:
    """Rows, as ``asdict`` makes them, in Markdown."""
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


def main(*, frames: Count = 200) -> bool:
    """Print the table; return whether no pixel differs."""
    measured = list(rows(frames))
    print(table([asdict(row) for row in measured]))
    return not any(row.differing for row in measured)
