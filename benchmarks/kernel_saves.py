"""Measure the time from a save of the user's own kernel until it is compiled and checked.

The files are watched as in a window; the verdict is the result of comparing the kernel with the
reference. Prints a Markdown table with the median of several saves, each of which changes the text
of the file. The processor time includes the compilers and the processes that call kernels. Without
a GPU, kernels are emulated; `WHEATSTONE_EMULATE=1` always emulates them.
"""

import os
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from benchmarks.runner import Count
from wheatstone.gpu.own_kernels.emulating import emulated
from wheatstone.gpu.pipelines import PIPELINES
from wheatstone.viewer.io.files.markdown import markdown
from wheatstone.viewer.run.kernels.folder import KernelFolder, declare_folders
from wheatstone.viewer.run.kernels.new import new_files, write_folder
from wheatstone.viewer.run.kernels.watching import KernelWatch

FOLDERS = (
    ("mean", ("mean_filter",)),
    ("canny", ("gradient",)),
    ("sgm", ("census_transform",)),
    ("sgm", ("path_aggregation",)),
    ("sgm", ("matching_cost", "path_aggregation", "path_sum", "winner_takes_all")),
)
LIMITS = {True: 3.0, False: 0.5}  # allowed seconds to the verdict, by whether kernels are emulated
HEADER = ("Stages", "compiled, s", "verdict, s", "processor, s")
POLLING = 0.002  # seconds between two checks of the state


def processor_seconds() -> float:
    """Return the processor seconds of this process and its children, running or ended."""
    times = os.times()
    total = times.user + times.system + times.children_user + times.children_system
    for thread in os.listdir("/proc/self/task"):
        for child in Path(f"/proc/self/task/{thread}/children").read_text().split():
            fields = Path(f"/proc/{child}/stat").read_text().rpartition(")")[2].split()
            total += sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")
    return total


def saves(watch: KernelWatch, file: Path, count: int) -> Iterator[tuple[float, float, float]]:
    """Save a file several times; yield seconds until compiled, until checked, and of CPU time."""
    text = file.read_text()
    for number in range(count):
        before, worked, begin = watch.saves[-1].number, processor_seconds(), time.perf_counter()
        file.write_text(f"{text}\n// {number} {os.getpid()}\n")
        compiled = 0.0
        while watch.busy or watch.saves[-1].number == before:
            newest = watch.saves[-1]
            if not compiled and newest.number > before and newest.compiled is not None:
                compiled = time.perf_counter() - begin
            watch.take()  # between two frames, as a window does
            time.sleep(POLLING)
        judged = time.perf_counter() - begin
        if watch.saves[-1].state != "identical":
            raise ValueError(f"{file.name}: {watch.saves[-1].state}")
        yield compiled, judged, processor_seconds() - worked


def main(*, repeats: Count = 5) -> bool:
    """Measure copies of variant ``global``; return whether all verdicts are within the limit."""
    rows: list[tuple[str, ...]] = []
    slowest = 0.0
    for pipeline, stages in FOLDERS:
        with TemporaryDirectory(prefix="wheatstone-") as name:
            folder = Path(name) / "own"
            own = f"own-{len(rows)}"
            write_folder(folder, new_files(PIPELINES[pipeline], stages, own, "global"))
            declare_folders([folder])
            with closing(KernelWatch(KernelFolder.read(folder)).start()) as watch:
                while watch.busy:
                    time.sleep(POLLING)
                times = list(saves(watch, folder / f"{stages[0]}.cu", repeats))
            medians = [median(each) for each in zip(*times, strict=True)]
            slowest = max(slowest, medians[1])
            rows.append((f"{pipeline}: {', '.join(stages)}", *(f"{each:.2f}" for each in medians)))
    print(markdown(HEADER, rows))
    limit = LIMITS[emulated()]
    print(f"\nslowest verdict: {slowest:.2f} s; allowed: {limit:g} s")
    return slowest <= limit
