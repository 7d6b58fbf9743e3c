"""Build libSGM from a checkout of its source, and time it with the settings of preset ``libsgm``.

    python -m benchmarks libsgm ~/libSGM
    python -m benchmarks fast_sgm --libsgm ~/libSGM      with variant ``fast``, in the same run

It needs nvcc. The checkout is not changed.
"""

import ctypes
import shutil
import statistics
import subprocess
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from benchmarks.cpu_sgm import textured_pair
from benchmarks.runner import Count, WrongInput, say

# Milliseconds of libSGM v3.1.0, built for sm_90, in a separate run on an H200: consecutive frames
# from GPU memory to GPU memory; sub-pixel, symmetric census, uniqueness, left-right check, median.
Sizes = tuple[int, int, int, int]  # width, height, disparities, paths
LIBSGM: Mapping[Sizes, float] = {
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
WRAPPER = "libsgm_wrapper.cpp"  # needs OpenCV, and is not compiled
HARNESS = Path(__file__).with_suffix(".cu")
FLAGS = ("-O3", "-std=c++17", "-arch=native", "-Xcompiler", "-fPIC,-O3")


class LibSgm:
    """libSGM, compiled for this machine's GPU.

    Args:
        source: checkout of its source, with ``include`` and ``src``.

    Raises:
        WrongInput: nvcc is missing, the folder is no checkout, or it cannot be compiled.
    """

    def __init__(self, source: Path) -> None:
        files = [*sorted((source / "src").glob("*.cu")), *sorted((source / "src").glob("*.cpp"))]
        files = [file for file in files if file.name != WRAPPER]
        if not files or not (source / "include/libsgm.h").is_file():
            raise WrongInput(f"{source} is no checkout of libSGM: include/libsgm.h is missing")
        if not shutil.which("nvcc"):
            raise WrongInput("nvcc, which compiles libSGM, is not in PATH")
        with TemporaryDirectory() as folder:
            (Path(folder) / "libsgm_config.h").write_text("#pragma once\n")
            include = ("-I", str(source / "include"), "-I", folder)
            library = Path(folder) / "libsgm.so"

            def compiled(file: Path) -> str:
                target = str(Path(folder) / f"{file.name}.o")
                _run("nvcc", *FLAGS, *include, "-c", str(file), "-o", target)
                return target

            with ThreadPoolExecutor() as pool:
                objects = list(pool.map(compiled, (*files, HARNESS)))
            _run("nvcc", *FLAGS, "-shared", *objects, "-o", str(library))
            self._time = ctypes.CDLL(str(library)).time_libsgm

    def milliseconds(
        self, height: int, width: int, disparities: int, paths: int, frames: int
    ) -> float:
        """Return the median milliseconds of a frame on the textured pair."""
        pair = textured_pair(height, width, disparities)
        left, right = (np.ascontiguousarray(view, np.uint8) for view in pair)
        times = np.zeros(frames, np.float32)
        sizes = (height, width, disparities, paths, frames)
        if code := self._time(
            *(a.ctypes.data_as(ctypes.c_void_p) for a in (left, right)),
            *sizes,
            times.ctypes.data_as(ctypes.c_void_p),
        ):
            raise RuntimeError(f"libSGM: CUDA error {code}")
        return statistics.median(times.tolist())


def _run(*command: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise WrongInput(f"{' '.join(command[-3:])}: {done.stderr[-2000:]}")


def measure(source: Path, frames: int) -> dict[Sizes, float]:
    """Compile libSGM; return its milliseconds by width, height, disparities and paths."""
    say("compiling libSGM")
    library = LibSgm(source)
    return {
        (width, height, disparities, paths): library.milliseconds(
            height, width, disparities, paths, frames
        )
        for width, height, disparities, paths in LIBSGM
    }


def times_of(checkout: Path | None, frames: int) -> Mapping[Sizes, float]:
    """Measure libSGM in a checkout of its source; without one, return the recorded times."""
    if not checkout:
        return LIBSGM
    return measure(checkout, frames)


def main(source: Path, *, frames: Count = 200) -> bool:
    """Measure libSGM and print its times."""
    for (width, height, disparities, paths), time in measure(source, frames).items():
        print(f"{width}x{height} x {disparities}, {paths} paths: {time:.3f} ms")
    return True
