"""Measure how many pairs a second ``wheatstone batch`` does, by whom, and what limits it.

    python -m benchmarks.batch [--pairs 200] [--size 640x480] [--disparities 64] [--variant V]
                               [--processes 2] [--workers 2] [--gpus 0,1] [--json FILE]

Pairs of noise are written as PNG into a folder in memory (/dev/shm, where there is one), and read,
computed and written as disparities in PNG: one after the other, by threads of one process, by
processes, and by a cluster of Dask on this machine; with `--gpus`, by one worker for each GPU and
by as many as `batch` begins.
Printed are for each way the seconds until the first pair, pairs a second after it, which share of
that time a device computes, what a pair takes in each part, and by how many MB the process that
gives the pairs away grows from a tenth of them on.
"""

import argparse
import json
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from statistics import median
from typing import Any

import cv2
import numpy as np

from benchmarks import positive
from wheatstone.gpu.pipelines import PIPELINES
from wheatstone.viewer.commands.batch.loading import BatchPair
from wheatstone.viewer.commands.batch.outputs import Outputs
from wheatstone.viewer.commands.batch.work import (
    BatchJob,
    Measures,
    Setting,
    done_pair,
    kept_images,
)
from wheatstone.viewer.commands.workforce import gpu_numbers, workers_of_a_gpu
from wheatstone.viewer.jobs.carrying import carried_out
from wheatstone.viewer.jobs.force import Shared, Workforce
from wheatstone.viewer.jobs.local import own_cluster
from wheatstone.viewer.options import size
from wheatstone.viewer.run.run import Run
from wheatstone.viewer.sources.said import NOTHING_SAID

SHIFT = 7  # disparity of all pixels
MEMORY = Path("/dev/shm")
PARTS = ("read_ms", "compute_ms", "write_ms")
HEADER = ("who", "first pair, s", "pairs/s", "computing, %", "read, ms", "compute, ms", "write, ms")


def main(words: Sequence[str] | None = None) -> int:
    """Measure as the command line says, and print a table."""
    options = _options(words)
    found = {}
    with ExitStack() as stack:
        place = MEMORY if MEMORY.is_dir() else None
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(dir=place)))
        pairs = list(_written(folder, options.pairs, *options.size))
        for name, force in stack.enter_context(_ways(options)).items():
            out = folder / name.replace(" ", "-")
            out.mkdir()
            found[name] = measured(_jobs(pairs, out, options), force, out)
            print(f"{name}: {found[name]['rate']:.3g} pairs/s", flush=True)
    print("\n".join(_table(found, options)))
    if options.json:
        options.json.write_text(json.dumps(found, indent=1) + "\n")
    return 0


def _options(words: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--pairs", type=positive, default=200)
    parser.add_argument("--size", type=size, default=(640, 480))
    parser.add_argument("--disparities", type=positive, default=64)
    parser.add_argument("--variant", default="cpu")
    parser.add_argument("--threads", type=positive, default=4)
    parser.add_argument("--processes", type=positive, default=2)
    parser.add_argument("--workers", type=positive, default=2, help="of a cluster on this machine")
    parser.add_argument("--gpus", type=gpu_numbers, help="numbers, such as 0,1")
    parser.add_argument("--measures", action="store_true", help="rows and confidence, too")
    parser.add_argument("--json", type=Path, help="write the findings to this file")
    return parser.parse_args(words)


def _written(folder: Path, count: int, width: int, height: int) -> Iterator[BatchPair]:
    """Write pairs of smoothed noise, which PNG packs about as it packs photographs."""
    random = np.random.default_rng(1)
    for number in range(count):
        noise = random.integers(0, 256, (height, width + SHIFT), np.uint8)
        scene = cv2.GaussianBlur(noise, (7, 7), 0)
        left, right = (folder / f"{side}-{number:05}.png" for side in ("left", "right"))
        for path, pixels in ((left, scene[:, :width]), (right, scene[:, SHIFT:])):
            if not cv2.imwrite(str(path), pixels):
                raise OSError(f"{path}: cannot be written")
        yield BatchPair(f"{number:05}", left, right)


@contextmanager
def _ways(options: argparse.Namespace) -> Iterator[dict[str, Workforce]]:
    """List who does the pairs; the cluster is there while this is entered."""
    device = PIPELINES["sgm"].variant(options.variant).device
    threads, processes, workers = options.threads, options.processes, options.workers
    with own_cluster([{}] * workers, threads if device == "cuda" else 1) as cluster:
        ways = {
            "one after the other": Workforce(device=device),
            f"{threads} threads": Workforce(threads=threads, device=device),
            f"{processes} processes": Workforce(processes, device=device),
            f"cluster of {workers}": Workforce(cluster=cluster.scheduler_address, device=device),
        }
        if options.gpus is not None:
            for count in range(1, len(options.gpus) + 1):
                gpus = options.gpus[:count]
                for each in dict.fromkeys((1, workers_of_a_gpu(count))):
                    name = f"GPUs {','.join(gpus)}, {each} for each"
                    ways[name] = Workforce(each, threads, gpus, device=device)
        yield ways


def _jobs(pairs: Sequence[BatchPair], out: Path, options: argparse.Namespace) -> list[BatchJob]:
    outputs = Outputs("disparity", ("png",))
    measures = Measures(options.measures, options.measures)
    keep = kept_images(PIPELINES["sgm"], outputs, measures)
    run = Run("sgm", options.variant, keep=keep, disparities=options.disparities)
    setting = Setting(NOTHING_SAID, outputs, measures, out)
    return [BatchJob(pair, run, setting) for pair in pairs]


def measured(jobs: Sequence[BatchJob], force: Workforce, out: Path) -> dict[str, Any]:
    """Do pairs, and say how long that took."""
    begin = first = time.perf_counter()
    rows, held = [], 0.0
    for number, done in enumerate(carried_out(jobs, done_pair, force, Shared((), out))):
        if number == 0:
            first = time.perf_counter()
        if number == len(jobs) // 10:
            held = _megabytes()
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
        "grown_mb": _megabytes() - held,
    }


def _megabytes() -> float:
    """Tell how much memory this process holds."""
    line = next(x for x in Path("/proc/self/status").read_text().splitlines() if "VmRSS" in x)
    return int(line.split()[1]) / 1024


def _table(found: dict[str, dict[str, Any]], options: argparse.Namespace) -> Iterator[str]:
    width, height = options.size
    yield f"\n{options.pairs} pairs of {width}x{height}, {options.disparities} disparities, "
    yield f"sgm/{options.variant}, PNG in and out:\n"
    yield f"| {' | '.join(HEADER)} | grown, MB |"
    yield "| --- |" + " --- |" * len(HEADER)
    for name, one in found.items():
        parts = " | ".join(f"{took:.1f}" for took in one["parts"].values())
        rate = f"{one['first']:.1f} | {one['rate']:.3g} | {one['computing']:.0f}"
        yield f"| {name} | {rate} | {parts} | {one['grown_mb']:.1f} |"


if __name__ == "__main__":
    raise SystemExit(main())
