"""Define the options that choose the workers for pairs: processes, GPUs, or a cluster."""

import argparse

from wheatstone.gpu import Unavailable
from wheatstone.gpu.device import check_device, why_unavailable
from wheatstone.gpu.pipeline import Pipeline
from wheatstone.viewer.former_options import positive
from wheatstone.viewer.jobs.force import Workforce
from wheatstone.viewer.jobs.processes import share_of_cores
from wheatstone.viewer.run.run import default_variant

OTHERS = "--cluster excludes --processes and --gpus: give one"
MOST_WORKERS = 8  # of a GPU, unless more are asked for: each takes memory there
CORES_EACH = 2  # of a worker of a GPU, which reads and writes for it


def add_workforce(group: "argparse._ArgumentGroup") -> None:
    """Add the options for processes, GPUs and clusters to a group."""
    help = (
        "processes that share the cores, or with --gpus those of each GPU; "
        f"default: 1, with --gpus one for {CORES_EACH} cores, at most {MOST_WORKERS}"
    )
    group.add_argument("--processes", type=positive, metavar="N", help=help)
    help = "processes for each of these GPUs of this machine: all, or numbers such as 0,1"
    group.add_argument("--gpus", type=gpu_numbers, metavar="all|N,N", help=help)
    help = "the workers of a cluster of Dask, such as tcp://host:8786; see docs/clusters.md"
    group.add_argument("--cluster", metavar="ADDRESS", help=help)


def gpu_numbers(text: str) -> tuple[str, ...]:
    """Parse the value of ``--gpus``: numbers of GPUs; empty for ``all``."""
    if text == "all":
        return ()
    numbers = tuple(text.split(","))
    if not all(number.isascii() and number.isdigit() for number in numbers):
        raise argparse.ArgumentTypeError(f"is all, or numbers such as 0,1 (got {text!r})")
    if len(set(numbers)) < len(numbers):
        raise argparse.ArgumentTypeError(f"names a GPU twice (got {text!r})")
    return numbers


def workforce(options: argparse.Namespace, device: str, threads: int = 1) -> Workforce:
    """Choose the workers that a command line asks for.

    Args:
        device: kind of device that the variant needs.
        threads: pairs in progress at a time in this process, or in a worker started here.

    Raises:
        ValueError: two of the ways are requested at once; or GPUs for a variant of the CPU.
        Unavailable: Dask is not installed, or there is no such GPU.
    """
    processes, local = options.processes, options.gpus is not None
    if options.cluster and ((processes or 1) > 1 or local):
        raise ValueError(OTHERS)
    if not (local or options.cluster):
        return Workforce(processes or 1, threads, device=device)
    gpus = _gpus(options.gpus, device) if local else ()
    _check_dask()
    each = processes or workers_of_a_gpu(len(gpus)) if local else 1
    return Workforce(each, threads, gpus, options.cluster or "", device)


def workers_of_a_gpu(gpus: int) -> int:
    """Compute the number of workers for each of several GPUs, from the cores available for each."""
    return min(max(share_of_cores(gpus) // CORES_EACH, 1), MOST_WORKERS)


def variant_of(options: argparse.Namespace) -> str:
    """Choose the variant that computes: the one named, else the fastest this machine can run.

    Raises:
        Unavailable: this machine shall run it, but lacks its device.
    """
    pipeline: Pipeline = options.pipeline
    absent = {kind: why_unavailable(kind) for kind in ("cpu", "cuda")}
    chosen = pipeline.variant(options.variant or default_variant(pipeline, absent))
    if not options.cluster:  # whose workers are asked by themselves
        check_device(chosen.name, chosen.device)
    return chosen.name


def _gpus(asked: tuple[str, ...], device: str) -> tuple[str, ...]:
    """List the GPUs that get a worker; raise errors like ``workforce``."""
    if why := why_unavailable("cuda"):
        raise Unavailable(f"--gpus needs a CUDA GPU: {why}")
    if device != "cuda":
        raise ValueError("--gpus goes with a variant for GPUs: choose another with --variant")
    from wheatstone.gpu.cuda import count_gpus

    there = tuple(map(str, range(count_gpus())))
    if absent := [number for number in asked if number not in there]:
        raise Unavailable(f"there is no GPU {', '.join(absent)}; there is {', '.join(there)}")
    return asked or there


def _check_dask() -> None:
    """Raise ``Unavailable`` unless Dask's scheduler and workers are installed."""
    try:
        import distributed  # noqa: F401
    except ImportError as error:
        raise Unavailable(
            f"--gpus and --cluster need Dask ({error}); install it with: "
            "pip install 'wheatstone[cluster]'"
        ) from error
