"""Measure the throughput of ``wheatstone batch`` with threads, processes, a cluster and GPUs.

Pairs of noise are written to a folder in memory (/dev/shm if it exists), as image files or as
frames of a video with both views side by side. They are then read, computed and written as
disparities: one after the other, by threads of one process, by several processes, and by a Dask
cluster on this machine if Dask is installed. With `--gpus`, several processes use each GPU.

Each of these has a row in the table. The start-up lasts until every process has finished its first
pairs; all other columns refer to the steady state after it: pairs per second, the share of the time
in which a GPU computes (pairs that are computed at the same time count separately), the shares that
the workers spend on reading, on writing and on everything else, the number of busy cores, the load
of the parent process, which distributes the pairs, and of the device process, which computes for
all workers, both in per cent of a core, and the growth of the parent's memory in MB. If cores are
idle although reading and writing take a small share, the device process limits the throughput.
"""

import multiprocessing
import os
import time
from collections import Counter
from collections.abc import Container, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from multiprocessing.process import BaseProcess
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any

import cv2
import numpy as np

from benchmarks.resources import MIB, processor_seconds, resident
from benchmarks.runner import Count, Findings, Size, positive
from wheatstone.gpu.pipelines import PIPELINES
from wheatstone.viewer.cli.batch.work import BatchJob, Outputs
from wheatstone.viewer.cli.carry_request import gpu_numbers
from wheatstone.viewer.io.files.markdown import markdown
from wheatstone.viewer.io.files.values import WRITERS
from wheatstone.viewer.io.sources.source_spec import DECODING, NO_SOURCE
from wheatstone.viewer.run.carry import run_frame, run_jobs
from wheatstone.viewer.run.frame_ref import FrameRef
from wheatstone.viewer.run.jobs.workers import SharedFiles, WorkerPool
from wheatstone.viewer.run.result import CONFIDENCE
from wheatstone.viewer.run.run import Run
from wheatstone.viewer.run.run_job import FrameResult, Measures

SHIFT = 7  # disparity of all pixels
DIFFERENT = 40  # distinct pairs; the files of all others are hard links to theirs
CODECS = {"h264": "libx264", "hevc": "libx265"}
ENCODING = {"preset": "veryfast", "crf": "23", "x265-params": "log-level=0:open-gop=0"}
FIRST = 3  # pairs that each worker finishes during the start-up, at least
MEMORY = Path("/dev/shm")
PARTS = {"read": "read_ms", "write": "write_ms", "compute": "compute_ms"}
HEADER = (
    *("workers", "start-up, s", "pairs/s", "GPU busy, %", "read, %", "write, %", "hand-over, %"),
    *("cores busy", "parent, %", "device process, %"),
    *("read, ms", "write, ms", "compute, ms", "grown, MB"),
)


def counts(text: str) -> tuple[int, ...]:
    """Parse positive integers separated by commas; return an empty tuple for an empty text."""
    return tuple(map(positive, filter(None, text.split(","))))


def main(
    *,
    pairs: Count = 200,
    size: Size = (640, 480),
    pipeline: str = "sgm",
    disparities: Count = 64,
    variant: str = "cpu",
    threads: Annotated[
        tuple[int, ...], counts, "numbers of threads of one process, such as 2,4; empty: none"
    ] = (4,),
    processes: Annotated[tuple[int, ...], counts, "numbers of processes, such as 1,4,16"] = (1, 2),
    workers: Annotated[int, "workers of a Dask cluster on this machine; 0: no cluster"] = 2,
    gpus: Annotated[tuple[str, ...], gpu_numbers, "numbers of the GPUs, such as 0,1"] = (),
    pictures: Annotated[
        str, ("png", "pgm", *CODECS), "format of the image files, or codec of the video"
    ] = "png",
    decoding: Annotated[str | None, DECODING, "decoder of the video"] = None,
    values: Annotated[
        str, tuple(suffix[1:] for suffix in WRITERS), "format of the disparities"
    ] = "png",
    measures: Annotated[bool, "also measure row offsets and confidence"] = False,
) -> Findings:
    """Measure the throughput of each kind of workers."""
    declared = PIPELINES[pipeline]
    run = Run(pipeline, variant, keep=(CONFIDENCE,) if measures else ())
    if "disparities" in run.params.values():
        run = run.replace(disparities=disparities)
    outputs, both = Outputs(declared.output, (values,)), Measures(measures, measures)
    options = NO_SOURCE
    if pictures in CODECS:
        options = options.changed(layout="side-by-side", decoding=decoding)
    times = {}
    with ExitStack() as stack:
        place = MEMORY if MEMORY.is_dir() else None
        folder = Path(stack.enter_context(TemporaryDirectory(dir=place)))
        write = written_frames if pictures in CODECS else written_pairs
        written = list(write(folder, pairs, *size, pictures))
        device = declared.variant(variant).device
        pools = _worker_pools(device, threads, processes, workers, gpus)
        for name, pool in stack.enter_context(pools).items():
            out = folder / name.replace(" ", "-")
            out.mkdir()
            jobs = [
                BatchJob(run, options, None, both, ref=ref, outputs=outputs, out=out)
                for ref in written
            ]
            times[name] = measure_throughput(jobs, pool, out)
            print(f"{name}: {times[name]['rate']:.4g} pairs/s", flush=True)
    width, height = size
    title = f"\n{pairs} pairs of {width}x{height}, {run.name}, "
    title += f"{pictures.upper()} in, {values} out:\n"
    return Findings(times, [title, markdown(HEADER, map(_cells, times, times.values()))])


def written_pairs(
    folder: Path, count: int, width: int, height: int, suffix: str = "png"
) -> Iterator[FrameRef]:
    """Write pairs of smoothed noise as image files; yield a reference to each pair.

    PNG compresses the noise about as well as photographs.
    """
    random = np.random.default_rng(1)
    for number in range(count):
        views = [folder / f"{side}-{number:05}.{suffix}" for side in ("left", "right")]
        if number < DIFFERENT:
            noise = random.integers(0, 256, (height, width + SHIFT), np.uint8)
            scene = cv2.GaussianBlur(noise, (7, 7), 0)
            for path, pixels in zip(views, (scene[:, :width], scene[:, SHIFT:]), strict=True):
                if not cv2.imwrite(str(path), pixels):
                    raise OSError(f"{path}: cannot be written")
        else:
            for path, side in zip(views, ("left", "right"), strict=True):
                os.link(folder / f"{side}-{number % DIFFERENT:05}.{suffix}", path)
        left, right = views
        yield FrameRef(f"{number:05}", left, right)


def written_frames(
    folder: Path, count: int, width: int, height: int, codec: str
) -> Iterator[FrameRef]:
    """Encode a video of moving noise with both views side by side; yield its frames."""
    import av

    random = np.random.default_rng(1)
    noise = random.integers(0, 256, (height, width + SHIFT + DIFFERENT, 3), np.uint8)
    scene = cv2.normalize(cv2.GaussianBlur(noise, (0, 0), 5), None, 0, 255, cv2.NORM_MINMAX)
    columns = [*range(DIFFERENT), *range(DIFFERENT - 2, 0, -1)]  # moves there and back
    path = folder / "film.mp4"
    with av.open(str(path), "w") as file:
        stream: Any = file.add_stream(CODECS[codec], rate=30)
        stream.width, stream.height, stream.pix_fmt = 2 * width, height, "yuv420p"
        stream.options = ENCODING
        packets = []
        for number, x in enumerate(columns):
            both = [scene[:, x + shift : x + shift + width] for shift in (0, SHIFT)]
            frame = av.VideoFrame.from_ndarray(np.hstack(both), format="rgb24")
            frame.pts = number
            packets += stream.encode(frame)
        packets += stream.encode()
        kept = [(bytes(p), p.pts, p.dts, p.is_keyframe, p.time_base) for p in packets]
        for begin in range(0, count, len(columns)):  # repeats the same packets
            for content, shown, decoded, key, unit in kept:
                packet = av.Packet(content)
                packet.pts, packet.dts = shown + begin, decoded + begin
                packet.is_keyframe, packet.time_base, packet.stream = key, unit, stream
                file.mux(packet)
    for number in range(count):
        yield FrameRef(f"{number:05}", path, None, number)


@contextmanager
def _worker_pools(
    device: str, threads: Sequence[int], processes: Sequence[int], workers: int, gpus: Sequence[str]
) -> Iterator[dict[str, WorkerPool]]:
    """Return the worker pools by name; the cluster of Dask runs until the context ends."""
    pools = {}
    for count in processes:
        name = f"{count} processes" if count > 1 else "one after the other"
        pools[name] = WorkerPool(count, device=device)
    pools |= {f"{count} threads": WorkerPool(threads=count, device=device) for count in threads}
    for number in range(1, len(gpus) + 1):
        for count in processes:
            each = count // number or 1
            name = f"GPUs {','.join(gpus[:number])}, {each} processes for each"
            pools[name] = WorkerPool(each, gpus=tuple(gpus[:number]), device=device)
    if not workers or not find_spec("distributed"):
        yield pools
        return
    from benchmarks.local_cluster import local_cluster

    with local_cluster(
        [{}] * workers, max(threads, default=1) if device == "cuda" else 1
    ) as cluster:
        address = cluster.scheduler_address
        yield pools | {f"cluster of {workers}": WorkerPool(cluster=address, device=device)}


@dataclass(frozen=True)
class NamedResult:
    """The result of a pair with the name of the process that computed it."""

    result: FrameResult
    process: str


def named_frame(job: BatchJob) -> NamedResult:
    """Compute a pair as ``batch`` does; return the result with the name of this process."""
    return NamedResult(run_frame(job), f"{os.uname().nodename} {os.getpid()}")


def measure_throughput(jobs: Sequence[BatchJob], pool: WorkerPool, out: Path) -> dict[str, Any]:
    """Compute all jobs with a worker pool; return the times, rates and shares of the table."""
    workers = max(pool.processes, pool.threads) * max(len(pool.gpus), 1)
    expected = 1 if pool.threads > 1 else workers
    ignored = () if pool.cluster else multiprocessing.active_children()  # those of the cluster
    begun = steady = time.perf_counter()
    rows, held, spent, taken = [], 0, 0.0, dict[str, float]()
    numbers, starting = Counter[str](), True
    for number, done in enumerate(run_jobs(jobs, named_frame, pool, SharedFiles((), out)), 1):
        if done.result is None or done.result.result.why:
            raise ValueError(done.why or (done.result.result.why if done.result else ""))
        numbers[done.result.process] += 1
        if not starting:
            rows.append(done.result.result.row)
            if number == len(jobs):  # the processes end after the last pair
                after = _seconds_of_children(ignored)
                taken = {name: after[name] - taken.get(name, 0) for name in after}
            continue
        started = sum(count >= FIRST for count in numbers.values()) >= expected
        if started or number == len(jobs) // 2:
            starting = False
            steady, held, spent = time.perf_counter(), resident(), time.process_time()
            taken = _seconds_of_children(ignored)
    seconds, parent = time.perf_counter() - steady, time.process_time() - spent
    sums = {part: sum(row[key] for row in rows) / 1e3 for part, key in PARTS.items()}  # type: ignore[literal-required]
    shares = {part: 100 * sums[part] / (seconds * workers) for part in ("read", "write")}
    return {
        "start_up": steady - begun,
        "rate": len(rows) / seconds,
        "busy": 100 * sums["compute"] / seconds / max(len(pool.gpus), 1),
        **shares,
        "hand_over": 100 - sum(shares.values()),
        "cores": (sum(taken.values()) + parent) / seconds,
        "parent": 100 * parent / seconds,
        "device": 100 * sum(taken[name] for name in taken.keys() - numbers) / seconds,
        "parts": {part: 1e3 * took / len(rows) for part, took in sums.items()},
        "grown_mb": (resident() - held) / MIB,
    }


def _seconds_of_children(ignored: Container[BaseProcess]) -> dict[str, float]:
    """Return the processor seconds of each child process, by its name in ``NamedResult``.

    Args:
        ignored: child processes that compute no pairs.
    """
    children = [each for each in multiprocessing.active_children() if each not in ignored]
    return {f"{os.uname().nodename} {each.pid}": processor_seconds(each.pid) for each in children}


def _cells(name: str, times: dict[str, Any]) -> tuple[str, ...]:
    shares = (f"{times[key]:.0f}" for key in ("busy", "read", "write", "hand_over"))
    processes = f"{times['cores']:.1f}", f"{times['parent']:.0f}", f"{times['device']:.0f}"
    parts = (f"{took:.2f}" for took in times["parts"].values())
    rate = f"{times['start_up']:.1f}", f"{times['rate']:.4g}"
    return name, *rate, *shares, *processes, *parts, f"{times['grown_mb']:.1f}"
