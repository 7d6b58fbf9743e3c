"""Workers that compute through one device process: the same bytes, and deaths that lose nothing."""

import os
import signal
import time
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from itertools import product
from multiprocessing import get_context
from multiprocessing.connection import Client
from pathlib import Path
from threading import Event

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from tests.batch_runs import pair
from tests.painted_videos import painted, write_video
from wheatstone.gpu import Unavailable
from wheatstone.viewer.cli.batch.work import BatchJob, Outputs
from wheatstone.viewer.io.footage import gpu_decoding
from wheatstone.viewer.io.sources.frame import Frame
from wheatstone.viewer.io.sources.opening import open_source
from wheatstone.viewer.io.sources.source_spec import NO_SOURCE, SourceSpec
from wheatstone.viewer.run.carry import DAMAGED, run_frame
from wheatstone.viewer.run.device_process import DeviceProcess, device_processes
from wheatstone.viewer.run.engine import Engine
from wheatstone.viewer.run.frame_ref import FrameRef
from wheatstone.viewer.run.jobs.processes import ProcessPool, Service
from wheatstone.viewer.run.jobs.workers import WorkerPool
from wheatstone.viewer.run.remote_engine import RemoteEngine
from wheatstone.viewer.run.run import Run
from wheatstone.viewer.run.run_job import FrameResult, Measures

RUNS = (
    Run("sgm", "cpu", disparities=16, keep=["confidence"]),
    Run("canny", "cpu"),
    Run("invert", "cpu"),
)


def jobs_of(folder: Path, out: Path, count: int = 4) -> list[BatchJob]:
    """Write pairs of two sizes, and list the jobs of computing every run on each of them."""
    refs = []
    for number in range(count):
        views = [folder / f"{side}{number}.png" for side in ("left", "right")]
        for path, pixels in zip(views, pair(number), strict=True):
            assert cv2.imwrite(str(path), pixels[number % 2 :])
        refs.append(FrameRef(f"{number}", views[0], views[1]))
    return [
        BatchJob(run, NO_SOURCE, None, Measures(False, True), ref=ref, outputs=outputs, out=made)
        for run in RUNS
        for made in [out / run.pipeline.name]
        for outputs in [Outputs(run.pipeline.output, ("npy",))]
        for ref in refs
    ]


def side_by_side(number: int) -> NDArray[np.uint8]:
    """Paint both views of a frame of a film, the right one shifted by 5 pixels."""
    return np.hstack([painted(number), np.roll(painted(number), -5, 1)])


def files(out: Path) -> dict[str, bytes]:
    return {str(path.relative_to(out)): path.read_bytes() for path in out.rglob("*.npy")}


def results(jobs: Sequence[BatchJob], service: Service) -> Iterator[tuple[FrameResult, int]]:
    """Do jobs in two processes; yield each result, and the id of the process of the service."""
    for run in RUNS:
        (jobs[0].out.parent / run.pipeline.name).mkdir(parents=True)
    pool: ProcessPool[BatchJob, FrameResult] = ProcessPool(jobs, run_frame, 2, [service])
    try:
        for done in pool.results():
            assert done.result is not None, done.why
            (serving,) = pool._services.values()
            assert serving.process.pid
            yield done.result, serving.process.pid
    finally:
        pool.end()


def test_a_device_process_computes_the_same_bytes_and_figures(tmp_path: Path) -> None:
    here, there = (jobs_of(tmp_path, tmp_path / name) for name in ("here", "there"))
    for job in here:
        job.out.mkdir(parents=True, exist_ok=True)
    expected = [run_frame(job).row for job in here]
    found = [result for result, _ in results(there, DeviceProcess("cpu"))]
    assert not any(result.why for result in found)
    assert files(tmp_path / "there") == files(tmp_path / "here")
    named = ("pair", "density", "confidence", "device", "width", "height")
    rows = [
        [tuple(map(row.get, named)) for row in each] for each in (expected, [r.row for r in found])
    ]
    assert sorted(map(str, rows[0])) == sorted(map(str, rows[1]))


def test_a_device_process_computes_in_bands_and_says_so(tmp_path: Path) -> None:
    view = np.random.default_rng(2).integers(0, 256, (325, 40), np.uint8)
    for side, shift in (("left", 0), ("right", -4)):
        assert cv2.imwrite(str(tmp_path / f"{side}.png"), np.roll(view, shift, 1))
    ref = FrameRef("0", tmp_path / "left.png", tmp_path / "right.png")
    run = Run("sgm", "cpu", disparities=16, bands=2)
    here, there = (
        BatchJob(run, NO_SOURCE, ref=ref, outputs=Outputs("disparity", ("npy",)), out=tmp_path / n)
        for n in ("here", "there/sgm")
    )
    here.out.mkdir()
    expected = run_frame(here).row["warnings"]
    ((found, _),) = results([there], DeviceProcess("cpu"))
    assert found.row["warnings"] == expected == "computed in 2 bands of 163 rows"
    assert files(tmp_path / "there/sgm") == files(tmp_path / "here")


def test_a_device_process_that_is_killed_is_replaced(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    jobs, seen = jobs_of(tmp_path, tmp_path / "out", 8), set[int]()
    for number, (result, pid) in enumerate(results(jobs, DeviceProcess("cpu"))):
        assert not result.why
        seen.add(pid)
        if number == 4:
            os.kill(pid, signal.SIGKILL)
    assert len(files(tmp_path / "out")) == len(jobs)
    assert len(seen) == 2
    assert "ended (SIGKILL); a new one takes its place" in capfd.readouterr().err


def test_what_cannot_be_computed_is_said_as_without_a_device_process(tmp_path: Path) -> None:
    (job, *_) = jobs_of(tmp_path, tmp_path / "out")
    assert cv2.imwrite(str(tmp_path / "alone.png"), np.zeros((40, 60), np.uint8))
    single = BatchJob(
        job.run,
        NO_SOURCE,
        ref=FrameRef("alone", tmp_path / "alone.png"),
        outputs=job.outputs,
        out=job.out,
    )
    ((found, _),) = results([single], DeviceProcess("cpu"))
    assert found.why == run_frame(single).why != ""


def test_strangers_do_not_end_a_device_process(tmp_path: Path) -> None:
    service = DeviceProcess("cpu")
    for number, (result, _) in enumerate(results(jobs_of(tmp_path, tmp_path / "out"), service)):
        assert not result.why
        if number == 1:
            with pytest.raises(Exception, match="digest"):
                Client(service.address, "AF_UNIX", authkey=b"wrong")


def test_a_result_that_is_kept_is_not_overwritten_by_the_next_frame() -> None:
    service = DeviceProcess("cpu")
    process = get_context("spawn").Process(target=service, daemon=True)
    process.start()
    try:
        engine, run = RemoteEngine(service.kind, service.address), Run("invert", "cpu")
        frames = [Frame(np.full((5, 7), level, np.uint8), None, 0) for level in (10, 20, 30)]
        kept = engine.compute(run, frames[0]).output[1:]  # a part alone keeps the whole
        levels = [int(engine.compute(run, frame).output[2, 3]) for frame in frames[1:]]
        assert np.all(kept == 245) and levels == [235, 225]
    finally:
        process.kill()
        process.join()


def test_a_device_process_decodes_videos_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    both = write_video(tmp_path / "both.mkv", count=24, picture=side_by_side)
    left, right = (write_video(tmp_path / f"{n}.mkv", count=24) for n in ("left", "right"))
    specs = SourceSpec(str(both), layout="side-by-side"), SourceSpec(str(left), str(right))
    run, service = Run("sgm", "cpu", disparities=16, keep=["confidence"]), DeviceProcess("cpu")
    process = get_context("spawn").Process(target=service, daemon=True)
    process.start()
    try:
        engine, here = RemoteEngine(service.kind, service.address), Engine()
        for spec, index in product(specs, (21, 17)):
            with closing(open_source(spec.changed(decoding="software"))) as source:
                expected = here.compute(run, source.frame(index))
            with monkeypatch.context() as worker:
                worker.setattr(gpu_decoding, "_elsewhere", Event())
                gpu_decoding.decode_elsewhere()
                with closing(open_source(spec.changed(decoding="gpu"))) as source:
                    frame = source.frame(index)
            found = engine.compute(run, frame)  # it cannot be decoded here any more
            assert not frame.damaged()
            for name in run.images:
                assert found.stored[name].tobytes() == expected.stored[name].tobytes()
            with pytest.raises(ValueError, match="closed"):
                frame.left.tobytes()
    finally:
        process.kill()
        process.join()


def test_a_worker_decodes_damaged_videos_and_names_the_damage(tmp_path: Path) -> None:
    film = write_video(tmp_path / "film.mkv", count=24, picture=side_by_side)
    content = bytearray(film.read_bytes())
    for at in range(len(content) // 2, len(content) * 3 // 4, 7):
        content[at] ^= 0xFF
    film.write_bytes(content)
    outputs, refs = Outputs("disparity", ("npy",)), [FrameRef("", film, None, n) for n in range(24)]
    here, there = (
        [
            BatchJob(
                Run("sgm", "cpu", disparities=16),
                SourceSpec(layout="side-by-side", decoding=decoding),
                ref=replace(ref, name=f"{ref.index:02}"),
                outputs=outputs,
                out=tmp_path / decoding,
            )
            for ref in refs
        ]
        for decoding in ("software", "gpu")
    )
    here[0].out.mkdir()
    there[0].out.mkdir()
    pool: ProcessPool[BatchJob, FrameResult] = ProcessPool(
        there, run_frame, 1, [DeviceProcess("cpu")]
    )
    try:
        found = [done.result for done in pool.results()]
    finally:
        pool.end()
    expected = [run_frame(job) for job in here]
    assert [each and (each.why, each.row["warnings"]) for each in found] == [
        (each.why, each.row["warnings"]) for each in expected
    ]
    assert any(DAMAGED in each.row["warnings"] for each in expected)
    assert files(there[0].out) == files(here[0].out)


@dataclass(frozen=True)
class Dying:
    """A service whose process ends as it starts."""

    def __call__(self) -> None:
        os._exit(3)

    def connect(self) -> None:
        pass


def test_a_device_process_that_never_starts_is_not_started_forever() -> None:
    pool: ProcessPool[int, None] = ProcessPool([60, 60], time.sleep, 2, [Dying()])
    with pytest.raises(Unavailable, match=r"3 processes .* ended \(exit code 3\)"):
        list(pool.results())
    pool.end()


def test_every_gpu_has_a_process_and_the_cpu_needs_none() -> None:
    assert [
        each.number for each in device_processes(WorkerPool(gpus=("0", "2"), device="cuda"))
    ] == [
        "0",
        "2",
    ]
    assert [each.number for each in device_processes(WorkerPool(4, device="cuda"))] == [""]
    assert device_processes(WorkerPool(4)) == []
