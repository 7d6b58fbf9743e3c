"""The options of ``batch``."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from wheatstone.viewer.cli.carry_request import CarryRequest, TakenPairs, WorkerOptions
from wheatstone.viewer.cli.requests import FrameRange, PresetOption, frame_range
from wheatstone.viewer.colormaps import COLORMAPS
from wheatstone.viewer.io.files.bag_output import SUFFIX as BAG
from wheatstone.viewer.io.files.cloud import AXES, ENCODERS
from wheatstone.viewer.io.files.film import SUFFIXES as FILMS
from wheatstone.viewer.io.files.png_file import FASTEST, SMALLEST
from wheatstone.viewer.io.files.values import WRITERS
from wheatstone.viewer.options import (
    choice_option,
    flag_option,
    int_option,
    path_option,
    text_option,
)

THREADS = 4
ROWS_EVERY = 250
OUTPUTS, SELECTION = "output of each pair", "selection of pairs"


def _formats(help: str, suffixes: Iterable[str]) -> Any:
    """Declare an option of several formats, named by their suffixes without the dot."""
    names = [suffix.removeprefix(".") for suffix in suffixes]
    help = help.format(", ".join(names))
    return choice_option(names, help, "F", nargs="+", heading=OUTPUTS)


@dataclass(frozen=True, kw_only=True)
class BatchRequest(PresetOption, CarryRequest):
    """The options of ``batch``, which computes any number of pairs into files and a table."""

    verb: ClassVar[str] = "batch"
    usage: ClassVar[str] = "wheatstone batch SOURCE ... --out DIR [options]"
    epilog: ClassVar[str] = """\
SOURCE is a folder of pairs, a video, a robot recording, a manifest (.toml, .json), a picture with
its other view next to it, or a quoted pattern of these, such as 'shots/**/left.png'. Several
sources are processed in order.
Pairs with ground truth are judged: the table also contains their errors.
The same command continues an interrupted run. Exit codes: 0 done; 1 a pair failed; 2 bad input or
arguments; 3 a device or package is missing on this machine or on a worker of the cluster."""
    headings: ClassVar[tuple[str, ...]] = (
        "",
        OUTPUTS,
        SELECTION,
        TakenPairs.heading,
        WorkerOptions.heading,
    )

    sources: tuple[str, ...] = text_option(
        "folder, video, robot recording, manifest, picture, or a pattern of these",
        "SOURCE",
        positional=True,
        nargs="+",
    )
    out: Path = path_option(
        "output folder of this run alone; it also contains summary.csv, summary.json, the journal "
        "batch.jsonl and the run's definition wheatstone-run.json",
        "DIR",
        required=True,
    )
    values: tuple[str, ...] = _formats("formats of the result's values: {}", WRITERS)
    image: str | None = text_option(
        "image for --values and pictures, such as confidence; default: the result",
        "NAME",
        heading=OUTPUTS,
    )
    depth: tuple[str, ...] = _formats("formats of depths, in the calibration's unit: {}", WRITERS)
    cloud: tuple[str, ...] = _formats("formats of coloured points: {}", ENCODERS)
    axes: str = choice_option(
        AXES,
        "axes of point clouds; "
        + "; ".join(f"{name}: {text.rstrip('.')}" for name, text in AXES.items()),
        default="camera",
        heading=OUTPUTS,
    )
    png_level: int = int_option(
        f"compression level of PNG files, from {FASTEST} (fast) to {SMALLEST} (small); "
        f"default: {FASTEST}",
        FASTEST,
        SMALLEST,
        default=FASTEST,
        heading=OUTPUTS,
    )
    pictures: bool = flag_option("write a picture of the result in colours (PNG)", heading=OUTPUTS)
    side_by_side: bool = flag_option(
        "write a picture of the left view with the result to its right", heading=OUTPUTS
    )
    colormap: str = choice_option(
        COLORMAPS,
        f"colour map of pictures; default: {COLORMAPS[0]}",
        default=COLORMAPS[0],
        heading=OUTPUTS,
    )
    video: str | None = choice_option(
        [suffix.removeprefix(".") for suffix in FILMS],
        f"also write the pictures of each source as a film: {', '.join(FILMS).replace('.', '')}",
        "F",
        heading=OUTPUTS,
    )
    bag: Path | None = path_option(
        "also write the disparities and points of all pairs as ROS 2 messages to an MCAP file",
        f"F{BAG}",
        heading=OUTPUTS,
    )
    frames: FrameRange | None = text_option(
        "frames of every source: the first N, or A to B - 1",
        "N|A:B",
        read=frame_range,
        heading=SELECTION,
    )
    every: int = int_option("use every Nth of these frames", 1, default=1, heading=SELECTION)
    limit: int | None = int_option("maximum number of pairs", 1, heading=SELECTION)
    dry_run: bool = flag_option(
        "list the pairs and the files to write, and compute nothing", heading=SELECTION
    )
    threads: int = int_option(
        "pairs in progress in a process: one is computed while others are read and written; "
        f"default: {THREADS}",
        1,
        default=THREADS,
        heading=WorkerOptions.heading,
    )
    send_files: bool = flag_option(
        "with --cluster: send pictures to the workers and files back, instead of shared storage",
        heading=WorkerOptions.heading,
    )
    restart: bool = flag_option(
        "remove all files of an earlier run from the folder, and start again",
        heading=WorkerOptions.heading,
    )
    force: bool = flag_option(
        "replace files in the folder that batch did not write", heading=WorkerOptions.heading
    )
    rows: bool = flag_option(
        "measure the row offset between the views of every pair, which takes longer than reading "
        f"it; default: of a source's first and every {ROWS_EVERY}th pair",
        heading=WorkerOptions.heading,
    )
    no_rows: bool = flag_option(
        "do not measure the row offset between the views", heading=WorkerOptions.heading
    )
    no_confidence: bool = flag_option(
        "do not compute the confidence of results", heading=WorkerOptions.heading
    )
    no_judge: bool = flag_option(
        "do not compare results with ground truth next to the pairs",
        heading=WorkerOptions.heading,
    )
