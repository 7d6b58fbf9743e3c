"""Run the user's kernels under NVIDIA's compute-sanitizer, and parse the errors it reports.

compute-sanitizer watches a process that calls the kernels with images in device memory of their
own: see ``watched_child``.
"""

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from shutil import which
from typing import Literal, get_args

from wheatstone.gpu import Unavailable
from wheatstone.gpu.interruption import end_group

Tool = Literal["memcheck", "racecheck", "initcheck", "synccheck"]
TOOLS: tuple[Tool, ...] = get_args(Tool)
PROGRAM = "compute-sanitizer"
HOW_TO_INSTALL = (
    f"{PROGRAM} is not installed; it is a part of NVIDIA's CUDA Toolkit: "
    "https://developer.nvidia.com/cuda-downloads"
)
USUAL_PLACES = ("/usr/local/cuda/bin", "/opt/cuda/bin", "/usr/lib/nvidia-cuda-toolkit/bin")
OF_VERSIONS = "/usr/local/cuda-*/bin"
HOMES = ("CUDA_HOME", "CUDA_PATH", "CONDA_PREFIX")
CHILD = "wheatstone.gpu.own_kernels.watched_child"
MOST_PRINTED = 100  # findings of a tool
MOST_BYTES = 2**20  # of a tool's output that are read
SECONDS, OFTEN = 120.0, 0.1  # that a tool may take; between two looks at it
_BAR = "========="
_PLACE = re.compile(
    r"(?:at |Device Frame: ?)(?:(?P<function>[A-Za-z_][\w:<>~]*)(?:\([^()]*\))?[+:])?0x[0-9a-f]+"
    r"(?: in (?P<file>[^\s:]+):(?P<line>\d+)(?::(?P<later>\w+))?| in (?P<alone>\w+))?"
)
_THREAD = re.compile(r"by thread \((\d+),(\d+),(\d+)\) in block \((\d+),(\d+),(\d+)\)")
_ADDRESS = re.compile(r" at 0x[0-9a-f]+")
_WHERE = re.compile(r"and is (\d+ bytes (?:after|before|inside).*)")
_SUMMARY = re.compile(
    r"(?:[A-Z]+ )*SUMMARY|COMPUTE-SANITIZER|Target application|Error: (?:process|No )|No kernel"
    r"|Program hit|LEAK|Internal Sanitizer"
)


@dataclass(frozen=True)
class SanitizerFinding:
    """An error that compute-sanitizer reports, combined over all threads.

    Attributes:
        message: a sentence, with the first thread.
        file, line: the statement; an empty name and 0 where it is not known.
        function: the kernel; empty where it is not known.
        count: threads, or pairs of threads, in which it was seen.
    """

    tool: Tool
    message: str
    file: str = ""
    line: int = 0
    function: str = ""
    count: int = 1


def find_sanitizer() -> Path | None:
    """Return the path of compute-sanitizer, on PATH or where CUDA is usually installed, or None."""
    homes = [Path(os.environ[name], "bin") for name in HOMES if os.environ.get(name)]
    versions = sorted(Path("/").glob(OF_VERSIONS[1:]), reverse=True)
    places = [*homes, *map(Path, USUAL_PLACES), *versions]
    path = which(PROGRAM) or which(PROGRAM, path=os.pathsep.join(map(str, places)))
    return Path(path) if path else None


def parse_findings(tool: Tool, log: str) -> tuple[SanitizerFinding, ...]:
    """Parse the output of compute-sanitizer, and combine the findings of each statement."""
    merged: dict[tuple[str, str, int], SanitizerFinding] = {}
    for title, details in _records(log):
        finding = _finding(tool, title, details)
        key = title, finding.file, finding.line
        before = merged.get(key)
        count = finding.count + (before.count if before else 0)
        merged[key] = replace(before or finding, count=count)
    return tuple(merged.values())


def _records(log: str) -> Iterator[tuple[str, list[str]]]:
    """Yield the title and the detail lines of each error in a log."""
    title, details = "", list[str]()
    for line in log.splitlines():
        if not line.startswith(_BAR):
            continue
        text = line.removeprefix(_BAR)
        if text.startswith("    "):
            details.append(text.strip())
            continue
        if title:
            yield title, details
        title, details = text.strip(), []
        if _SUMMARY.match(title):
            title = ""
    if title:
        yield title, details


def _finding(tool: Tool, title: str, details: Sequence[str]) -> SanitizerFinding:
    """Parse the title of an error and the detail lines after it."""
    title = re.sub(r"^(?:Error|ERROR|Warning|WARN): ", "", title)
    file, line, function = "", 0, ""
    for text in (title, *details):
        match = _PLACE.search(text)
        if match and not (file or function):
            file, line = match["file"] or "", int(match["line"] or 0)
            function = match["function"] or match["later"] or match["alone"] or ""
    words = [_plain(title)]
    for text in details:
        if match := _THREAD.search(text):
            thread, block = (f"({', '.join(match.groups()[i : i + 3])})" for i in (0, 3))
            words.append(f"by thread {thread} of block {block}")
        elif match := _WHERE.search(text):
            words.append(_ADDRESS.sub("", match[1]))
        elif text.startswith("and ") and (match := _PLACE.search(text)):
            words[0] += f" {_plain(text)}"
        elif text.endswith("is misaligned"):
            words.append("its address is misaligned")
    hazards = re.search(r"\[(\d+) hazards?\]", " ".join((title, *details)))
    count = int(hazards[1]) if hazards else 1
    return SanitizerFinding(tool, ", ".join(words), file, line, function, count)


def _plain(text: str) -> str:
    """Replace the address of an instruction by its line, and remove the number of hazards."""
    text = re.sub(r" \[\d+ hazards?\]", "", text)
    text = text.removesuffix(".")
    return _PLACE.sub(lambda match: f"in line {match['line']}" if match["line"] else "", text)


def run_sanitizer(
    path: Path, tool: Tool, requests: Path, stop: Callable[[], bool]
) -> tuple[SanitizerFinding, ...]:
    """Run one tool of compute-sanitizer on a file of requests; return its findings.

    Args:
        path: of compute-sanitizer.
        requests: of calls of kernels, for ``watched_child``.
        stop: called ten times a second; True ends the run without findings.

    Raises:
        Unavailable: it does not run here, or does not end in time.
    """
    command = [
        *(str(path), "--tool", tool, "--print-limit", str(MOST_PRINTED)),
        *("--show-backtrace", "no", "--report-api-errors", "no"),
        *(sys.executable, "-m", CHILD, str(requests)),
    ]
    with tempfile.TemporaryFile() as output:
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,  # it is ended with the process that it watches
            env=os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        )
        try:
            if not _ended(process, stop):
                return ()
        finally:
            _end(process)
        output.seek(0)
        log = output.read(MOST_BYTES).decode(errors="replace")
    findings = parse_findings(tool, log)
    if not findings and process.returncode:
        lines = [line for line in log.splitlines() if line.strip(" =")]
        raise Unavailable(f"{tool} does not run here: {lines[-1] if lines else 'no message'}")
    return findings


def _ended(process: "subprocess.Popen[bytes]", stop: Callable[[], bool]) -> bool:
    """Wait until a process ends; return False if ``stop`` requests an earlier end."""
    for _ in range(round(SECONDS / OFTEN)):
        try:
            process.wait(OFTEN)
        except subprocess.TimeoutExpired:
            if stop():
                return False
        else:
            return True
    raise Unavailable(f"{PROGRAM} did not end within {SECONDS:g} s")


def _end(process: "subprocess.Popen[bytes]") -> None:
    """Kill a process and all processes that it started."""
    if process.poll() is None:
        end_group(process.pid)
        process.wait()
