"""Open the folder of a batch, which belongs to one run and has one writer at a time."""

import argparse
from collections.abc import Iterator
from contextlib import contextmanager

from wheatstone.viewer.commands.batch.plan import SUMMARIES, BatchPlan
from wheatstone.viewer.commands.batch.rows import JOURNAL, BatchState
from wheatstone.viewer.commands.batch.running import BatchRun, counted, some
from wheatstone.viewer.commands.messages import say
from wheatstone.viewer.files.folders import own_folder
from wheatstone.viewer.files.output import check_file
from wheatstone.viewer.files.run_folder import RunFolder
from wheatstone.viewer.files.sole_writer import sole_writer

UNKNOWN = "holds results of an earlier version, which does not say how they were made"


@contextmanager
def opened(plan: BatchPlan, options: argparse.Namespace) -> Iterator[BatchRun]:
    """Open the folder exclusively for this run; raise ``ValueError`` if another run owns it."""
    out = plan.setting.out
    if not out.is_dir():
        check_file(out)
        own_folder(out)
    with sole_writer(out):
        folder = RunFolder(out, plan.definition)
        if options.restart:
            _remove(folder, plan, options)
        check(folder, plan, options)
        run = BatchRun(plan, folder, BatchState(out))
        if run.state.note:
            say(run.state.note)
        run.look_up()
        yield run


def check(folder: RunFolder, plan: BatchPlan, options: argparse.Namespace) -> None:
    """Raise an error if the folder belongs to another run, or contains files of other origin."""
    folder.check()
    if not folder.begun and (folder.path / JOURNAL).is_file():
        raise ValueError(f"{folder.path} {UNKNOWN}; choose another --out, or give --restart")
    if not options.force:
        folder.check_foreign(plan.files)


def _remove(folder: RunFolder, plan: BatchPlan, options: argparse.Namespace) -> None:
    """Remove the files that the earlier run wrote, except those that were changed since."""
    if not folder.begun and not (folder.path / JOURNAL).is_file():
        return
    state = BatchState(folder.path)
    if not folder.begun:
        written = (name for row in state.rows.values() for name in row["files"])
        folder.files = {*written, *SUMMARIES, JOURNAL}
    changed = {name for row in state.rows.values() for name in state.changed_files(row)}
    kept = sorted(name for name in changed if (folder.path / name).is_file())
    folder.files -= set(kept)
    if not options.force:
        folder.check_foreign(plan.files)
    folder.clear()
    if kept:
        say(f"{counted(len(kept), 'file')} kept, as somebody changed them: {some(kept)}")
