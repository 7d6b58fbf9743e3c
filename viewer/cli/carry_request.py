"""Options that ``batch`` and ``evaluate`` share: the images of pairs, and the workers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from wheatstone.gpu import Unavailable
from wheatstone.gpu.device import check_device, why_unavailable
from wheatstone.gpu.installation import install_command
from wheatstone.gpu.parameters import Params
from wheatstone.viewer.cli.requests import (
    BandOption,
    PairCalibration,
    ParameterOptions,
    PipelineOption,
    TwoCalibrations,
    VerbRequest,
    calibration_option,
    image_options,
    source_option,
)
from wheatstone.viewer.io.reading.paths import resolved
from wheatstone.viewer.io.sources.source_spec import SourceSpec
from wheatstone.viewer.io.sources.stated_range import largest_stated
from wheatstone.viewer.io.sources.value_files import SUFFIXES
from wheatstone.viewer.options import chosen_parameters, int_option, path_option, text_option
from wheatstone.viewer.run.existing_results import find_results
from wheatstone.viewer.run.frame_ref import AnyFrameRef
from wheatstone.viewer.run.jobs.processes import share_of_cores
from wheatstone.viewer.run.jobs.workers import WorkerPool
from wheatstone.viewer.run.run import default_variant
from wheatstone.viewer.run.run_job import ExistingFile, is_judgeable

OTHERS = "--cluster excludes --processes and --gpus: give one"
JOBS_EACH = 10  # pairs for which another process is worth its start, unless it is asked for


def gpu_numbers(text: str) -> tuple[str, ...]:
    """Parse GPU numbers such as ``0,1``; ``all`` gives an empty tuple."""
    if text == "all":
        return ()
    numbers = tuple(text.split(","))
    if not all(number.isascii() and number.isdigit() for number in numbers):
        raise ValueError(f"must be all, or numbers such as 0,1 (got {text!r})")
    if len(set(numbers)) < len(numbers):
        raise ValueError(f"names a GPU twice (got {text!r})")
    return numbers


@dataclass(frozen=True, kw_only=True)
class TakenPairs(TwoCalibrations, PairCalibration):
    """Options that describe how the images of all pairs were taken."""

    heading: ClassVar[str] = "input images"
    calibration: str | None = calibration_option(
        "the cameras of all sources", "the file next to the left views"
    )
    calibration_right: str | None = source_option("calibration_right")
    layout: str | None = source_option("layout")
    topics: str | None = source_option("topics")
    rectify: str | None = source_option(
        "rectify",
        "rectification; auto: by features of each source's first pair; off: none; default: by the "
        "calibration",
    )
    decoding: str | None = source_option("decoding")
    tone: str | None = source_option("tone")

    def source_options(self, truth_scale: float | None = None) -> SourceSpec:
        """Return the options for reading the images, as a source specification without paths.

        Args:
            truth_scale: stored values per pixel of disparity.

        Raises:
            ValueError: a second file of a calibration without the first.
        """
        return SourceSpec(**image_options(self)).changed(truth_scale=truth_scale)


@dataclass(frozen=True, kw_only=True)
class WorkerOptions:
    """The options for the workers that compute pairs."""

    heading: ClassVar[str] = "execution"
    processes: int | None = int_option(
        "number of processes, which share the cores; with --gpus, processes of each GPU; default: "
        "1, or one for each core with a GPU variant",
        1,
    )
    gpus: tuple[str, ...] | None = text_option(
        "GPUs of this machine to use: all, or numbers such as 0,1; default: the first",
        "all|N,N",
        read=gpu_numbers,
    )
    cluster: str | None = text_option(
        "address of a Dask cluster to use, such as tcp://host:8786; see docs/clusters.md", "ADDRESS"
    )

    @property
    def names_processes(self) -> bool:
        """Return whether several processes are requested, which must be prepared early."""
        return not self.cluster and ((self.processes or 1) > 1 or self.gpus is not None)

    def worker_pool(self, device: str, jobs: int, threads: int = 1) -> WorkerPool:
        """Build the pool of workers that the options select.

        Args:
            device: kind of device that the variant needs.
            jobs: number of pairs.
            threads: pairs in progress at a time in this process, if it is the only one.

        Raises:
            ValueError: two of the ways are requested at once; or GPUs for a variant of the CPU.
            Unavailable: Dask is not installed, or there is no such GPU.
        """
        if self.cluster:
            if (self.processes or 1) > 1 or self.gpus is not None:
                raise ValueError(OTHERS)
            _check_dask()
            return WorkerPool(cluster=self.cluster, device=device)
        gpus = () if self.gpus is None else _existing_gpus(self.gpus, device)
        each = self.processes or (workers_of_a_gpu(len(gpus) or 1, jobs) if device == "cuda" else 1)
        return WorkerPool(each, threads, gpus, device=device)


@dataclass(frozen=True, kw_only=True)
class ComputeRequest(PipelineOption, WorkerOptions, BandOption, ParameterOptions, VerbRequest):
    """Base class of the options of commands that compute a run on many pairs."""

    def parameters(self, preset: str | None) -> Params:
        """Return a preset's parameters with the given values; raise ``ValueError`` for bad ones."""
        return chosen_parameters(self.pipeline, preset, self.params)

    @property
    def chosen_variant(self) -> str:
        """Return the variant to compute with: the one named, else this machine's fastest.

        Raises:
            Unavailable: this machine is to run it, but lacks its device.
        """
        absent = {kind: why_unavailable(kind) for kind in ("cpu", "cuda")}
        chosen = self.pipeline.variant(self.variant or default_variant(self.pipeline, absent))
        if not self.cluster:  # whose workers are asked separately
            check_device(chosen.name, chosen.device)
        return chosen.name


@dataclass(frozen=True, kw_only=True)
class CarryRequest(TakenPairs, ComputeRequest):
    """Base class of the options of commands that compute a run on the pairs of several sources."""

    right: str | None = text_option(
        "right views, if SOURCE is one video or folder of left views", "PATH"
    )
    results: Path | None = path_option(
        "folder of existing disparities to judge instead of computing them: one file per pair, "
        f"named like the pair ({', '.join(SUFFIXES)})",
        "DIR",
    )

    @property
    def chosen_variant(self) -> str:
        """Return the variant to compute with; ``cpu`` if existing results are read instead.

        Raises:
            ValueError: there is nothing to compute, or the results are no disparities.
            Unavailable: this machine is to run it, but lacks its device.
        """
        if not self.results:
            return super().chosen_variant
        if self.variant:
            raise ValueError(f"--results names existing results: omit --variant {self.variant}")
        if not is_judgeable(self.pipeline):
            raise ValueError(f"{self.pipeline.name} computes no disparity: omit --results")
        return "cpu"

    def existing_files(self, refs: Sequence[AnyFrameRef]) -> Mapping[str, ExistingFile]:
        """Return the file of each pair's existing result, by the pair's name.

        A missing one is named as it should be. Raises ``OSError`` and ``ValueError`` as
        ``find_results``.
        """
        if not self.results or not refs:
            return {}
        folder = resolved(self.results)
        known, suffix = find_results(folder, refs), SUFFIXES[0]
        return {
            ref.name: ExistingFile(
                known.get(ref.name, folder / f"{ref.name}{suffix}"),
                largest_stated(ref.min_disparity, ref.disparities),
            )
            for ref in refs
        }


def workers_of_a_gpu(gpus: int, jobs: int) -> int:
    """Return the number of workers for each GPU, from the cores and the pairs per GPU."""
    return max(min(share_of_cores(gpus), jobs // gpus // JOBS_EACH), 1)


def _existing_gpus(asked: tuple[str, ...], device: str) -> tuple[str, ...]:
    """List the GPUs to run workers on: those requested, or all; raise errors as ``worker_pool``."""
    if why := why_unavailable("cuda"):
        raise Unavailable(f"--gpus needs a CUDA GPU: {why}")
    if device != "cuda":
        raise ValueError("--gpus needs a variant for GPUs: choose another with --variant")
    from wheatstone.gpu.cuda import count_gpus

    existing = tuple(map(str, range(count_gpus())))
    if absent := [number for number in asked if number not in existing]:
        raise Unavailable(f"no GPU {', '.join(absent)}; this machine has {', '.join(existing)}")
    return asked or existing


def _check_dask() -> None:
    """Raise ``Unavailable`` unless Dask's scheduler and workers are installed."""
    try:
        import distributed  # noqa: F401
    except ImportError as error:
        raise Unavailable(
            f"--cluster needs Dask ({error}); install it with: {install_command('cluster')}"
        ) from error
