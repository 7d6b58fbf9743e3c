"""``wheatstone batch``: compute every pair that no earlier run has finished, and write it."""

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from wheatstone.viewer.commands.batch.films import write_films
from wheatstone.viewer.commands.batch.plan import BatchPlan, listed, plan_of
from wheatstone.viewer.commands.batch.rows import JOURNAL, BatchState
from wheatstone.viewer.commands.batch.summary import NAMES, write_summary
from wheatstone.viewer.commands.batch.work import BatchJob, PairResult, done_pair, empty_row
from wheatstone.viewer.commands.messages import say
from wheatstone.viewer.commands.workforce import workforce
from wheatstone.viewer.files.output import check_files, remove_unfinished
from wheatstone.viewer.jobs.carrying import carried_out
from wheatstone.viewer.jobs.done import Done
from wheatstone.viewer.jobs.force import Shared, Workforce
from wheatstone.viewer.measuring.frame_bar import FrameBar

CHANGED = "settings, pictures, program or files are not those of the earlier run"
NAMED = 10  # pairs that failed and are named at the end
FAILED = 1  # exit code


def batch(options: argparse.Namespace) -> int:
    """Compute and write the pairs that a command line names; return the exit code."""
    plan = plan_of(options)
    force = workforce(options, plan.device, options.threads)
    if options.send_files and not options.cluster:
        raise ValueError("--send-files goes with --cluster: here all files can be read")
    state = _state(plan.setting.out, dry=options.dry_run)
    found = {} if options.restart or not state else _before(plan, state)
    left = [job for job in plan.jobs if job.name not in found]
    if options.dry_run:
        print(*listed(plan, left), sep="\n")
        return 0
    assert state
    remove_unfinished(_written_to(plan))
    if not options.restart:
        _say_before(len(found), len(plan.jobs), anew=sum(map(state.known, left)))
    try:
        _run(plan, left, force, state, found, sends=options.send_files)
    finally:
        write_summary(plan, found)
    films = []
    if options.video:
        films = write_films(plan.setting.out, plan.sources, found, options.video)
    return _told(plan, found, films)


def _written_to(plan: BatchPlan) -> set[Path]:
    """List the folders that files are written to."""
    out, names = plan.setting.out, plan.setting.outputs.names
    return {out, *((out / file).parent for job in plan.jobs for file in names(job.name))}


def _state(out: Path, *, dry: bool) -> BatchState | None:
    """Open the record of the folder, which is made if need be; none for a dry run without it."""
    if dry and not (out / JOURNAL).is_file():
        return None
    if not out.is_dir():
        check_files(out=out)
        out.mkdir(exist_ok=True)
    state = BatchState(out)
    if state.note:
        say(state.note)
    return state


def _before(plan: BatchPlan, state: BatchState) -> dict[str, PairResult]:
    """Look up the pairs that an earlier run has finished."""
    rows = ((job.name, state.finished(job)) for job in plan.jobs)
    return {name: PairResult(row) for name, row in rows if row}


def _say_before(found: int, pairs: int, anew: int) -> None:
    """Say how many pairs an earlier run has finished, and how many of them count no more."""
    if found:
        say(f"{found} of {pairs} pairs were done before; --restart does them anew")
    if anew:
        counted = "1 pair is" if anew == 1 else f"{anew} pairs are"
        say(f"{counted} to be done anew: {CHANGED}")


def _run(
    plan: BatchPlan,
    jobs: Sequence[BatchJob],
    force: Workforce,
    state: BatchState,
    found: dict[str, PairResult],
    *,
    sends: bool,
) -> None:
    """Do pairs, and add what came of each to what is found, as soon as it is done.

    Raises:
        OSError: files cannot be written.
    """
    try:
        with FrameBar(len(jobs), "pairs") as bar:
            for job, result in _results(plan, jobs, force, sends=sends):
                if result.stops:
                    raise OSError(result.why)
                if not result.why:
                    state.add(job, result.row)
                else:
                    say(f"{job.name}: {result.why}")
                found[job.name] = result
                bar.done(made=not result.why)
    except BaseException:
        done = sum(not result.why for result in found.values())
        say(f"{done} of {len(plan.jobs)} pairs are done; the same command goes on from there")
        raise


def _results(
    plan: BatchPlan, jobs: Sequence[BatchJob], force: Workforce, *, sends: bool
) -> Iterator[tuple[BatchJob, PairResult]]:
    """Do pairs here, by processes, or by workers, which may have to be sent all they read."""
    if sends:
        from wheatstone.viewer.commands.batch.sending import sent_results

        done = sent_results(jobs, force)
    else:
        done = carried_out(jobs, done_pair, force, Shared(plan.ends, plan.setting.out))
    for each in done:
        yield each.job, _placed(each)


def _placed(done: Done[BatchJob, PairResult]) -> PairResult:
    """Note in a pair's row which worker did it."""
    if done.result is None:
        return PairResult(empty_row(done.job), done.why)
    return replace(done.result, row={**done.result.row, "worker": done.place.worker})


def _told(plan: BatchPlan, found: dict[str, PairResult], films: Sequence[Path]) -> int:
    """Say what was written, and which pairs failed; return the exit code."""
    failed = [job.name for job in plan.jobs if job.name in found and found[job.name].why]
    many = f"{len(found) - len(failed)} of {len(plan.jobs)} pairs"
    names = ", ".join((*NAMES, *(film.name for film in films)))
    say(f"wrote {many} to {plan.setting.out}: {', '.join(_folders(plan))}{names}")
    if not failed:
        return 0
    more = ", ..." if len(failed) > NAMED else ""
    counted = "1 pair" if len(failed) == 1 else f"{len(failed)} pairs"
    say(f"{counted} failed: {', '.join(failed[:NAMED])}{more}")
    return FAILED


def _folders(plan: BatchPlan) -> list[str]:
    """List the folders that files of pairs are in, for a sentence."""
    folders = dict.fromkeys(folder for folder, _ in plan.setting.outputs.kinds)
    return [*(f"{folder}/" for folder in folders), ""] if folders else []
