"""Check that a batch never replaces a file that it reads."""

from collections.abc import Iterator
from pathlib import Path

from wheatstone.viewer.cameras.calibration_files import places_beside
from wheatstone.viewer.commands.batch.loading import BatchPair, opened_video
from wheatstone.viewer.commands.batch.plan import BatchPlan
from wheatstone.viewer.commands.batch.rows import JOURNAL
from wheatstone.viewer.files.folders import check_below
from wheatstone.viewer.sources.source_spec import SourceSpec
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
    spec = plan.setting.spec
    yield from map(Path, spec.calibrations)
    for job in plan.jobs:
        yield from job.pair.files
        yield from places_beside(job.pair.left)
        yield from _truth(job.pair, spec)


def _truth(pair: BatchPair, spec: SourceSpec) -> tuple[Path, ...]:
    if pair.index is not None:
        return opened_video(pair.left, pair.right, spec).files
    found = find_truth(pair.left, spec.truth_scale or 1)
    return found.paths if found else ()
