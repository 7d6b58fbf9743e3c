"""``wheatstone batch``: compute every pair that no earlier run finished, and write its files."""

import argparse
from collections.abc import Sequence

from wheatstone.viewer.commands.batch.opening import check, opened
from wheatstone.viewer.commands.batch.plan import BatchPlan, listed, plan_of
from wheatstone.viewer.commands.batch.protection import check_inputs
from wheatstone.viewer.commands.batch.rows import BatchState
from wheatstone.viewer.commands.batch.running import BatchRun, counted
from wheatstone.viewer.commands.batch.work import BatchJob
from wheatstone.viewer.commands.messages import say
from wheatstone.viewer.commands.workforce import workforce
from wheatstone.viewer.files.output import remove_unfinished
from wheatstone.viewer.files.run_folder import RunFolder

CHANGED = "pictures or files are not those of the earlier run"


def batch(options: argparse.Namespace) -> int:
    """Compute and write the pairs that a command line names; return the exit code."""
    plan = plan_of(options)
    force = workforce(options, plan.device, options.threads)
    if options.send_files and not options.cluster:
        raise ValueError("--send-files goes with --cluster: here all files can be read")
    check_inputs(plan)
    if options.dry_run:
        return _dry_run(plan, options)
    with opened(plan, options) as run:
        _say_before(run)
        run.folder.claim(plan.files)
        remove_unfinished(run.folder.folders)
        run.compute(force, sends=options.send_files)
        return run.finish()


def _dry_run(plan: BatchPlan, options: argparse.Namespace) -> int:
    """Print the pairs and files of a run without computing them; return the exit code."""
    folder = RunFolder(plan.setting.out, plan.definition)
    remaining: Sequence[BatchJob] = plan.jobs
    if not options.restart:
        check(folder, plan, options)
        if folder.begun:
            run = BatchRun(plan, folder, BatchState(plan.setting.out))
            run.look_up()
            remaining = run.remaining
    print(*listed(plan, remaining), sep="\n")
    return 0


def _say_before(run: BatchRun) -> None:
    """Print how many pairs an earlier run has finished, and how many of them are outdated."""
    if run.found:
        many = f"{len(run.found)} of {len(run.plan.jobs)} pairs"
        say(f"{many} were done before; --restart does them anew")
    if anew := sum(job.name in run.state.rows for job in run.remaining):
        say(f"{counted(anew, 'pair')} to be done anew: {CHANGED}")
