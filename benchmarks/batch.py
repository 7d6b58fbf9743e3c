"""Measure the pairs per second of ``wheatstone batch`` by kind of workers, and what limits it.

Pairs of noise are written as PNG into a folder in memory (/dev/shm, where there is one), and read,
computed and written as disparities in PNG: one after the other, by threads of one process, by
processes, and by a cluster of Dask on this machine; with `--gpus`, by one worker for each GPU and
by as many as `batch` begins.
Printed are for each way the seconds until the first pair, pairs a second after it, which share of
that time a device computes, what a pair takes in each part, and by how many MB the process that
gives the pairs away grows from a tenth of them on.
"""

import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from statistics import median
from typing import Annotated, Any

import cv2
import numpy as np

from benchmarks.resources import MIB, resident
from benchmarks.runner import Count, Findings, Size
from wheatstone.gpu.pipelines import PIPELINES
from wheatstone.viewer.cli.batch.outputs import Outputs
from wheatstone.viewer.cli.batch.work import BatchJob, write_frame
from wheatstone.viewer.cli.carry_request import gpu_numbers, workers_of_a_gpu
from wheatstone.viewer.io.files.markdown import markdown
from wheatstone.viewer.io.sources.source_spec import NO_SOURCE
from wheatstone.viewer.run.carry import Measures, run_jobs
from wheatstone.viewer.run.frame_ref import FrameRef
from wheatstone.viewer.run.jobs.local_cluster import local_cluster
from wheatstone.viewer.run.jobs.workers import SharedFiles, WorkerPool
from wheatstone.viewer.run.result import CONFIDENCE
from wheatstone.viewer.run.run import Run

SHIFT = 7  # disparity of all pixels
MEMORY = Path("/dev/shm")
PARTS = ("read_ms", "compute_ms", "write_ms")
HEADER = (
    *("who", "first pair, s", "pairs/s", "computing, %"),
    *("read, ms", "compute, ms", "write, ms", "grown, MB"),
)


def main(
    *,
    pairs: Count = 200,
    size: Size = (640, 480),
    disparities: Count = 64,
    variant: str = "cpu",
    threads: Count = 4,
    processes: Count = 2,
    workers: Annotated[Count, "of a cluster on this machine"] = 2,
    gpus: Annotated[tuple[str, ...], gpu_numbers, "numbers, such as 0,1"] = (),
    measures: Annotated[bool, "rows and confidence, too"] = False,
) -> Findings:
    """Measure every way to compute the pairs."""
    device = PIPELINES["sgm"].variant(variant).device
    outputs, both = Outputs("disparity", ("png",)), Measures(measures, measures)
    keep = (CONFIDENCE,) if measures else ()
    run = Run("sgm", variant, keep=keep, disparities=disparities)
    times = {}
    with ExitStack() as stack:
        place = MEMORY if MEMORY.is_dir() else None
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(dir=place)))
        written = list(_written(folder, pairs, *size))
        ways = _ways(device, threads, processes, workers, gpus)
        for name, pool in stack.enter_context(ways).items():
            out = folder / name.replace(" ", "-")
            out.mkdir()
            jobs = [
                BatchJob(run, NO_SOURCE, None, both, ref=ref, outputs=outputs, out=out)
                for ref in written
            ]
            times[name] = measured(jobs, pool, out)
            print(f"{name}: {times[name]['rate']:.3g} pairs/s", flush=True)
    width, height = size
    title = f"\n{pairs} pairs of {width}x{height}, {disparities} disparities, "
    title += f"sgm/{variant}, PNG in and out:\n"
    return Findings(times, [title, markdown(HEADER, map(_cells, times, times.values()))])


def _written(folder: Path, count: int, width: int, height: int) -> Iterator[FrameRef]:
    """Write pairs of smoothed noise, which PNG packs about as it packs photographs."""
    random = np.random.default_rng(1)
    for number in range(count):
        noise = random.integers(0, 256, (height, width + SHIFT), np.uint8)
        scene = cv2.GaussianBlur(noise, (7, 7), 0)
        left, right = (folder / f"{side}-{number:05}.png" for side in ("left", "right"))
        for path, pixels in ((left, scene[:, :width]), (right, scene[:, SHIFT:])):
            if not cv2.imwrite(str(path), pixels):
                raise OSError(f"{path}: cannot be written")
        yield FrameRef(f"{number:05}", left, right)


@contextmanager
def _ways(
    device: str, threads: int, processes: int, workers: int, gpus: Sequence[str]
) -> Iterator[dict[str, WorkerPool]]:
    """List who does the pairs; the cluster is there while this is entered."""
    with local_cluster([{}] * workers, threads if device == "cuda" else 1) as cluster:
        ways = {
            "one after the other": WorkerPool(device=device),
            f"{threads} threads": WorkerPool(threads=threads, device=device),
            f"{processes} processes": WorkerPool(processes, device=device),
            f"cluster of {workers}": WorkerPool(cluster=cluster.scheduler_address, device=device),
        }
        for count in range(1, len(gpus) + 1):
            for each in dict.fromkeys((1, workers_of_a_gpu(count))):
                name = f"GPUs {','.join(gpus[:count])}, {each} for each"
                ways[name] = WorkerPool(each, threads, tuple(gpus[:count]), device=device)
        yield ways


def measured(jobs: Sequence[BatchJob], pool: WorkerPool, out: Path) -> dict[str, Any]:
    """Do pairs, and say how long that took."""
    begin = first = time.perf_counter()
    rows, held = [], 0
    for number, done in enumerate(run_jobs(jobs, write_frame, pool, SharedFiles((), out))):
        if number == 0:
            first = time.perf_counter()
        if number == len(jobs) // 10:
            held = resident()
        if done.result is None or done.result.why:
            raise ValueError(done.why or (done.result.why if done.result else ""))
        rows.append(done.result.row)
    seconds = time.perf_counter() - first
    later = rows[1:]
    return {
        "first": first - begin,
        "rate": len(later) / seconds,
        "computing": sum(row["compute_ms"] for row in later) / seconds / 10,
        "parts": {part: median(row[part] for row in later) for part in PARTS},  # type: ignore[literal-required]
        "grown_mb": (resident() - held) / MIB,
    }


def _cells(name: str, times: dict[str, Any]) -> tuple[str, ...]:
    parts = (f"{took:.1f}" for took in times["parts"].values())
    rate = f"{times['first']:.1f}", f"{times['rate']:.3g}", f"{times['computing']:.0f}"
    return name, *rate, *parts, f"{times['grown_mb']:.1f}"
