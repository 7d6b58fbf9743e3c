"""``wheatstone calibrate``: detect the board in every pair, calibrate, and write results."""

from collections.abc import Iterator, Sequence
from contextlib import closing

from wheatstone.viewer.cli.calibrate.options import CalibrateRequest
from wheatstone.viewer.cli.calibrate.picture import write_picture
from wheatstone.viewer.cli.calibrate.printing import print_board
from wheatstone.viewer.cli.calibrate.results import tables, to_document
from wheatstone.viewer.io.cameras.board_views import BoardView, GreyPair, find_boards
from wheatstone.viewer.io.cameras.boards import board_of
from wheatstone.viewer.io.cameras.calibrating import Calibrator
from wheatstone.viewer.io.cameras.stereo_calibration import StereoCalibration
from wheatstone.viewer.io.files.output import check_outputs
from wheatstone.viewer.io.files.rig_file import write_rig
from wheatstone.viewer.io.files.streams import say
from wheatstone.viewer.io.footage.bags.opening import is_bag
from wheatstone.viewer.io.reading.plain_text import visible
from wheatstone.viewer.io.sources.frame import Source
from wheatstone.viewer.io.sources.grey import grey_levels
from wheatstone.viewer.io.sources.opening import open_source
from wheatstone.viewer.io.sources.source_spec import SourceSpec
from wheatstone.viewer.run.measuring.progress import ProgressBar
from wheatstone.viewer.run.measuring.result_files import write_json
from wheatstone.viewer.run.measuring.terminal import print_tables

MOST_OF_VIDEO = 60  # frames of a video: neighbours show the board alike
HINT = "take more views, sharp and held still, and show the board in every part of both images"


def calibrate(request: CalibrateRequest) -> int:
    """Calibrate the rig that took the pairs of a folder; return the exit code."""
    board = board_of(request.board, request.square, request.marker, request.dictionary)
    files = request.out, request.json, request.picture, request.print
    if not request.left:
        assert request.print  # as the request has checked
        check_outputs(files)
        print_board(request.print, board, request.paper)
        return 0
    # What a recording says of its cameras does not matter here, and may be wrong.
    rectify = "off" if is_bag(request.left) else None
    spec = SourceSpec(request.left, request.right, topics=request.topics, rectify=rectify)
    with closing(open_source(spec)) as source:
        check_outputs(files)
        if request.print:
            print_board(request.print, board, request.paper)
        for note in source.notes:
            say(note)
        found = calibrated(source, Calibrator(board, request.model))
    print_tables(tables(found))
    _write(request, found)
    if found.rows.why_bad:
        say(f"{found.rows.why_bad}; {HINT}")
    return 1 if found.rows.why_bad else 0


def calibrated(source: Source, calibrator: Calibrator) -> StereoCalibration:
    """Detect the board in all frames of a source, show the progress, and calibrate.

    Raises:
        ValueError: the source has no pairs, or too few.
    """
    chosen = frames_to_search(source)
    with ProgressBar(len(chosen)) as progress:
        progress.begin(f"{calibrator.board} in {source.name}")
        pairs = _pairs(source, chosen, calibrator, progress)
        for view in find_boards(calibrator.board, pairs):
            calibrator.take(view)
            progress.done(view.name, _found(view))
        return calibrator.result(lambda text: progress.begin(f"calibrating: {text}"))


def frames_to_search(source: Source) -> list[int]:
    """List the frames to search: all, or ``MOST_OF_VIDEO`` evenly spread over a video."""
    if source.times is None or source.length <= MOST_OF_VIDEO:
        return list(range(source.length))
    last = source.length - 1
    return [round(number * last / (MOST_OF_VIDEO - 1)) for number in range(MOST_OF_VIDEO)]


def _pairs(
    source: Source, chosen: Sequence[int], calibrator: Calibrator, progress: ProgressBar
) -> Iterator[GreyPair]:
    """Read unrectified pairs of a source; those that cannot be read are left out."""
    for index in chosen:
        name = source.frame_name(index)
        try:
            frame = source.frame(index)
        except (OSError, ValueError) as error:
            calibrator.leave_out(name, visible(str(error)))
            progress.done(name, "cannot be read")
            continue
        taken = frame.raw or frame
        if taken.right is None:
            raise ValueError(f"{source.name} is a single image; pairs are needed")
        yield name, grey_levels(taken.left), grey_levels(taken.right)


def _found(view: BoardView) -> str:
    counts = f"{len(view.left)} corners left, {len(view.right)} right, {len(view.common)} in both"
    return f"left out, {view.why}" if view.why else counts


def _write(request: CalibrateRequest, found: StereoCalibration) -> None:
    """Write the files of a calibration that a command line asks for."""
    assert request.out  # as the request has checked
    write_rig(request.out, found)
    if request.json:
        words = (request.left, request.right)
        write_json(request.json, to_document(found, " ".join(word for word in words if word)))
    if request.picture:
        write_picture(request.picture, found)
