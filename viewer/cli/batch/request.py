"""The options of ``batch``."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from wheatstone.viewer.cli.carry_request import CarryRequest, TakenPairs, WorkerOptions
from wheatstone.viewer.cli.requests import FrameRange, frame_range
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
OUTPUTS, SELECTION = "what is written of each pair", "which pairs"


def _formats(help: str, suffixes: Iterable[str]) -> Any:
    """Declare an option of several formats, named by their suffixes without the dot."""
    names = [suffix.removeprefix(".") for suffix in suffixes]
    help = help.format(", ".join(names))
    return choice_option(names, help, "F", nargs="+", heading=OUTPUTS)


@dataclass(frozen=True, kw_only=True)
class BatchRequest(CarryRequest):
    """A request of ``batch`` to compute any number of pairs into files and a table."""

    verb: ClassVar[str] = "batch"
    usage: ClassVar[str] = "wheatstone batch SOURCE ... --out DIR [options]"
    epilog: ClassVar[str] = """\
SOURCE is a folder of pairs, a video, a robot recording, a manifest (.toml, .json), a picture whose
other view lies next to it, or a pattern of these in quotes, such as 'shots/**/left.png'. Several
are done in turn.
Pairs with ground truth are judged: the table also has their errors.
The same command goes on where an earlier run stopped. Exit codes: 0 done; 1 a pair failed; 2 bad
input or arguments; 3 the machine, or a worker of the cluster, lacks something."""
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
        "folder to write into, which then belongs to this run; also summary.csv, summary.json, "
        "the record batch.jsonl and the definition wheatstone-run.json",
        "DIR",
        required=True,
    )
    values: tuple[str, ...] = _formats("values of the result: {}; may be several", WRITERS)
    image: str | None = text_option(
        "of --values and pictures: another image, such as confidence", "NAME", heading=OUTPUTS
    )
    depth: tuple[str, ...] = _formats(
        "depths, in the unit of the calibration: the same formats", WRITERS
    )
    cloud: tuple[str, ...] = _formats("points with colours: {}", ENCODERS)
    axes: str = choice_option(
        AXES,
        "of clouds: " + "; ".join(f"{name}: {text.rstrip('.')}" for name, text in AXES.items()),
        default="camera",
        heading=OUTPUTS,
    )
    png_level: int = int_option(
        f"how much PNGs are compressed, from {FASTEST} (fast) to {SMALLEST} (small); "
        f"default: {FASTEST}",
        FASTEST,
        SMALLEST,
        default=FASTEST,
        heading=OUTPUTS,
    )
    pictures: bool = flag_option("a picture of the result in colours (PNG)", heading=OUTPUTS)
    side_by_side: bool = flag_option(
        "a picture of the left view with the result to its right", heading=OUTPUTS
    )
    colormap: str = choice_option(
        COLORMAPS, "colours of pictures; default: the first", default=COLORMAPS[0], heading=OUTPUTS
    )
    video: str | None = choice_option(
        [suffix.removeprefix(".") for suffix in FILMS],
        f"the pictures of each source as a film as well: {', '.join(FILMS).replace('.', '')}",
        "F",
        heading=OUTPUTS,
    )
    bag: Path | None = path_option(
        "the disparities and points of all pairs as ROS 2 messages in an MCAP file as well",
        f"F{BAG}",
        heading=OUTPUTS,
    )
    frames: FrameRange | None = text_option(
        "of every source: the first N, or A to before B",
        "N|A:B",
        read=frame_range,
        heading=SELECTION,
    )
    every: int = int_option("every Nth of these", 1, default=1, heading=SELECTION)
    limit: int | None = int_option("at most this number of pairs in all", 1, heading=SELECTION)
    dry_run: bool = flag_option(
        "only say which pairs there are, and what would be written", heading=SELECTION
    )
    threads: int = int_option(
        "pairs on their way in a process: one is computed while others are read and written; "
        f"default: {THREADS}",
        1,
        default=THREADS,
        heading=WorkerOptions.heading,
    )
    send_files: bool = flag_option(
        "with --cluster: send pictures to the workers, and files back, instead of shared storage",
        heading=WorkerOptions.heading,
    )
    restart: bool = flag_option(
        "remove what an earlier run wrote to the folder, whatever it computed, and begin again",
        heading=WorkerOptions.heading,
    )
    force: bool = flag_option(
        "replace files in the folder that batch did not write", heading=WorkerOptions.heading
    )
    rows: bool = flag_option(
        "measure of every pair by how many rows the views are apart, which takes longer than "
        f"reading it; default: of a source's first pair and every {ROWS_EVERY}th",
        heading=WorkerOptions.heading,
    )
    no_rows: bool = flag_option(
        "do not measure by how many rows the views are apart", heading=WorkerOptions.heading
    )
    no_confidence: bool = flag_option(
        "do not compute how far the result may be trusted", heading=WorkerOptions.heading
    )
    no_judge: bool = flag_option(
        "do not compare results with ground truth that lies next to the pairs",
        heading=WorkerOptions.heading,
    )
