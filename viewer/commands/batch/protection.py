"""Check that a batch never replaces a file that it reads."""

from collections.abc import Iterator
from pathlib import Path

from wheatstone.viewer.cameras.calibration_files import places_beside
from wheatstone.viewer.commands.batch.loading import BatchPair, opened_video
from wheatstone.viewer.commands.batch.plan import BatchPlan
from wheatstone.viewer.commands.batch.rows import JOURNAL
from wheatstone.viewer.files.folders import check_below
from wheatstone.viewer.sources.said import Said
from wheatstone.viewer.sources.truth_places import find_truth


def check_inputs(plan: BatchPlan) -> None:
    """Refuse outputs that would replace an input, or that lie behind a link in the folder.

    Raises:
        OSError, ValueError: as ``check_below``.
    """
    out = plan.setting.out
    if (out / JOURNAL).is_symlink():  # which is appended to, through any link
        raise FileExistsError(f"{out / JOURNAL}: a link is in the way; remove it")
    check_below(out, plan.files, _read(plan))


def _read(plan: BatchPlan) -> Iterator[Path]:
    """List every file of the pairs: views, calibrations, and also the unused ground truth."""
    said = plan.setting.said
    yield from map(Path, said.calibration.files)
    for job in plan.jobs:
        yield from job.pair.files
        yield from places_beside(job.pair.left)
        yield from _truth(job.pair, said)


def _truth(pair: BatchPair, said: Said) -> tuple[Path, ...]:
    if pair.index is not None:
        return opened_video(pair.left, pair.right, said).files
    found = find_truth(pair.left, said.truth_scale or 1)
    return found.paths if found else ()
