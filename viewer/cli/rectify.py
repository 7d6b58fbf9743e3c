"""``wheatstone rectify``: rectify stereo pairs, and write them for use by any program."""

from collections.abc import Callable, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import ClassVar

from wheatstone.viewer.cli.pairs import first_tone
from wheatstone.viewer.cli.requests import (
    PairCalibration,
    PairWords,
    TwoCalibrations,
    VerbRequest,
    calibration_option,
    image_options,
    left_word,
    source_option,
)
from wheatstone.viewer.io.cameras.calibration import RELATIVE
from wheatstone.viewer.io.cameras.formats.rectified import middlebury_text
from wheatstone.viewer.io.cameras.rectification import Rectification
from wheatstone.viewer.io.files.folders import check_below, own_folder
from wheatstone.viewer.io.files.output import beginning, whole_file, write_png
from wheatstone.viewer.io.files.streams import say
from wheatstone.viewer.io.footage.bags.opening import is_recording
from wheatstone.viewer.io.reading.inputs import add_inputs
from wheatstone.viewer.io.sources.folder import FolderFrames, FramePaths, find_pairs, pair_folders
from wheatstone.viewer.io.sources.frame import Frame, ReadFrame, Source
from wheatstone.viewer.io.sources.frame_maker import frame_maker
from wheatstone.viewer.io.sources.opening import open_source, require_same_kind
from wheatstone.viewer.io.sources.source_spec import SourceSpec
from wheatstone.viewer.io.sources.still import read_pair
from wheatstone.viewer.options import choice_option, path_option, text_option
from wheatstone.viewer.run.measuring.progress import ProgressBar
from wheatstone.viewer.words import plural

CALIBRATION = "calib.txt"
SINGLE = ("im0.png", "im1.png")
"""The file names of the two views in Middlebury's data sets."""
FOLDERS = ("left", "right")


@dataclass(frozen=True, kw_only=True)
class RectifyRequest(TwoCalibrations, PairCalibration, PairWords, VerbRequest):
    """The options of ``rectify``, which rectifies pairs, and writes them into a folder."""

    verb: ClassVar[str] = "rectify"
    left: str = left_word("image or video file, or folder of left images", required=True, nargs="")
    right: str | None = text_option(
        "right views: image, video or folder; default: LEFT is a folder or video of both views",
        "RIGHT",
        positional=True,
        nargs="?",
    )
    calibration: str | None = calibration_option("the cameras", heading="calibration")
    calibration_right: str | None = source_option("calibration_right", heading="calibration")
    rectify: str | None = choice_option(
        ("auto",),
        "rectification; auto: by features of the first pair, without a calibration and with "
        "relative depth; default: by the calibration",
        heading="calibration",
    )
    layout: str | None = source_option(
        "layout",
        "layout of the views in a video's pictures; default: detected from matching halves",
    )
    topics: str | None = source_option("topics")
    tone: str | None = source_option("tone")
    out: Path = path_option(
        "output folder: im0.png and im1.png, or folders left and right, and calib.txt",
        "DIR",
        required=True,
    )


def rectify(request: RectifyRequest) -> int:
    """Run ``wheatstone rectify``: rectify pairs and write them; return the exit code.

    Raises:
        OSError, ValueError: a file cannot be read or written, or the calibration is unsuitable.
    """
    with ExitStack() as stack:
        spec = SourceSpec(request.left, request.right, **image_options(request))
        add_inputs(spec.calibrations)
        pairs = _pairs(spec, stack)
        return _rectified(pairs, request.out)


def _rectified(pairs: "Sequence[TakenPair]", out: Path) -> int:
    """Rectify pairs, and write them into a folder; return the exit code."""
    plan = RectifyPlan(out, pairs)
    plan.check()
    known: Rectification | None = None
    with ProgressBar(len(pairs)) as progress:
        for number, pair in enumerate(pairs):
            progress.begin(pair.name)
            frame, notes = pair.read()
            known = _same(known, frame, pair)
            if number == 0:
                for note in notes:
                    say(note)
                plan.begin(known)
            plan.write(number, frame)
            progress.done(pair.name, "rectified")
    counted = plural(len(pairs), "pair")
    relative = known is not None and known.calibration.unit == RELATIVE
    wrote = counted if relative else f"{counted} and {CALIBRATION}"
    say(f"wrote {wrote} to {out}")
    return 0


@dataclass(frozen=True)
class TakenPair:
    """A pair to rectify, whose files are read only when it is processed.

    Attributes:
        name: the name shown to the user.
        stem: the stem of its output files.
        files: the files that hold it.
        read: the function that reads and rectifies it.
    """

    name: str
    stem: str
    files: tuple[Path, ...]
    read: Callable[[], ReadFrame]


def _pairs(spec: SourceSpec, stack: ExitStack) -> list[TakenPair]:
    """List the pairs of a source: two images, videos or folders, or one folder or video.

    Args:
        stack: closes the sources that are opened.
    """
    left, right = spec.left or "", spec.right
    require_same_kind(left, right)
    if is_recording(left):
        return _of_video(stack.enter_context(closing(open_source(spec))))
    if spec.layout:
        raise ValueError(f"--layout needs a video; {left} is none (got {spec.layout})")
    if spec.topics:
        raise ValueError(f"--topics needs a robot recording; {left} is none")
    frames, files = frame_maker(spec), _paths(left, right)
    tone = first_tone(files, spec)

    def read(pair: FramePaths) -> ReadFrame:
        return read_pair((pair.left, pair.right), spec, tone).frame(frames, None)

    return [
        TakenPair(
            pair.left.name,
            pair.left.stem,
            tuple(path for path in (pair.left, pair.right) if path),
            partial(read, pair),
        )
        for pair in files
    ]


def _of_video(source: Source) -> list[TakenPair]:
    files = tuple(Path(side) for side in (source.spec.left, source.spec.right) if side)

    def read(index: int) -> ReadFrame:
        return source.frame(index), source.notes

    return [
        TakenPair(source.frame_name(index), f"{index:06}", files, partial(read, index))
        for index in range(source.length)
    ]


def _paths(left: str, right: str | None) -> list[FramePaths]:
    """List the files of pairs: of two images, of two folders, or of a folder of both views."""
    if right is None:
        if not Path(left).is_dir():
            raise ValueError(f"{left}: a pair has two images; give LEFT RIGHT")
        return _report_notes(find_pairs(Path(left)))
    if Path(left).is_dir():
        return _report_notes(pair_folders(Path(left), Path(right)))
    return [FramePaths(Path(left), Path(right))]


def _report_notes(folder: FolderFrames) -> list[FramePaths]:
    """Print the notes on the pairs of a folder; return the pairs."""
    for note in folder.notes:
        say(note)
    return folder.frames


def _same(known: Rectification | None, frame: Frame, pair: TakenPair) -> Rectification:
    """Return the rectification of a frame; raise ``ValueError`` if earlier frames have another."""
    first = pair.files[0]
    if frame.raw is None:
        why = "is rectified already" if frame.calibration else "no calibration is next to it"
        raise ValueError(
            f"{first}: {why}; give a rig's calibration with --calibration, or --rectify auto"
        )
    if known and known is not frame.raw.rectification:
        raise ValueError(
            f"{first}: calibration or size differs from earlier pairs; rectify it separately"
        )
    return frame.raw.rectification


@dataclass(frozen=True)
class RectifyPlan:
    """The output folder and files for the rectified views of pairs.

    Attributes:
        out: the folder.
        pairs: the pairs to rectify.
    """

    out: Path
    pairs: Sequence[TakenPair]

    def files(self, number: int) -> tuple[Path, Path]:
        """Return the output files of a pair, named after its left image if that is unique."""
        if len(self.pairs) == 1:
            return self.out / SINGLE[0], self.out / SINGLE[1]
        stem = self.pairs[number].stem if self._is_named_apart else f"{number:06}"
        left, right = (self.out / folder / f"{stem}.png" for folder in FOLDERS)
        return left, right

    @cached_property
    def _is_named_apart(self) -> bool:
        return len({pair.stem for pair in self.pairs}) == len(self.pairs)

    def check(self) -> None:
        """Raise an error if an output file cannot be written, or is an input."""
        files = [path for number in range(len(self.pairs)) for path in self.files(number)]
        names = [str(path.relative_to(self.out)) for path in files]
        check_below(self.out, [*names, CALIBRATION], (p for pair in self.pairs for p in pair.files))

    def begin(self, known: Rectification) -> None:
        """Create the output folders, and write the calibration of the rectified pairs."""
        text = self._calibration_text(known)
        _refuse_other(self.out / CALIBRATION, text)
        if not (text and (self.out / CALIBRATION).exists()):  # else an earlier run wrote all this
            self._refuse_foreign()
        own_folder(self.out, links=True)
        for folder in FOLDERS if len(self.pairs) > 1 else ():
            own_folder(self.out / folder)
        if text:
            with whole_file(self.out / CALIBRATION) as temporary:
                temporary.write_text(text)

    def _refuse_foreign(self) -> None:
        """Raise ``FileExistsError`` if a picture to write exists already."""
        for number in range(len(self.pairs)):
            for path in self.files(number):
                if path.exists():
                    why = "exists already; choose another folder, or remove it"
                    raise FileExistsError(f"{path}: {why}")

    def _calibration_text(self, known: Rectification) -> str:
        """Return the calibration text of the rectified pairs; empty if lengths have no unit."""
        if known.calibration.unit == RELATIVE:
            return ""  # a file of millimetres would say what nobody knows
        height, width = known.left.fraction.shape
        return middlebury_text(known.calibration, width, height)

    def write(self, number: int, frame: Frame) -> None:
        """Write the rectified views of a pair."""
        assert frame.right is not None
        for path, pixels in zip(self.files(number), (frame.left, frame.right), strict=True):
            write_png(path, pixels)


def _refuse_other(path: Path, text: str) -> None:
    """Raise ``ValueError`` if a calibration file exists that has another content."""
    if path.exists() and beginning(path, len(text.encode()) + 1) != text.encode():
        raise ValueError(
            f"{path}: exists already, for other pairs; choose another folder, or remove it"
        )
