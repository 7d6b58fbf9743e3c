"""``wheatstone batch``: compute every pair that no earlier run finished, and write its files."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from wheatstone.viewer.cli.batch.folder import BatchRun, BatchState, check_folder, counted, open_run
from wheatstone.viewer.cli.batch.plan import BatchPlan, plan_of
from wheatstone.viewer.cli.batch.request import BatchRequest
from wheatstone.viewer.cli.batch.work import BatchJob
from wheatstone.viewer.io.files.output import remove_unfinished
from wheatstone.viewer.io.files.run_folder import RunFolder
from wheatstone.viewer.io.files.streams import say
from wheatstone.viewer.io.reading.plain_text import some
from wheatstone.viewer.io.sources.stated_range import range_note
from wheatstone.viewer.run.carry import prepare_processes

CHANGED = "input or output files have changed since the earlier run"


def batch(request: BatchRequest) -> int:
    """Run ``wheatstone batch``: compute and write the requested pairs; return the exit code."""
    if request.names_processes and not request.dry_run:
        prepare_processes()
    plan = plan_of(request)
    for note in (note for each in plan.sources for note in each.notes):
        say(note)
    for note in () if request.results else range_notes(plan, request):
        say(note)
    if not (plan.outputs.kinds or plan.film or plan.bag):
        say("only tables are written; --values npy, for example, also writes each pair's result")
    pool = request.worker_pool(plan.device, len(plan.jobs), request.threads)
    if any(job.sequence for job in plan.jobs):
        pool = replace(pool, processes=1, threads=1, gpus=pool.gpus[:1])
        say("the temporal filter needs frames in order: one worker computes them")
    if request.send_files and not request.cluster:
        raise ValueError("--send-files needs --cluster: processes of this machine read all files")
    if request.send_files and request.results:
        raise ValueError("--results are read where their folder is: omit --send-files")
    plan.check_inputs()
    if request.dry_run:
        return _dry_run(plan, request)
    with open_run(plan, request) as run:
        if run.results:
            many = f"{len(run.results)} of {len(plan.jobs)} pairs"
            say(f"{many} were done before; --restart computes them again")
        earlier = run.state.rows
        if again := [job.name for job in run.remaining if job.name in earlier]:
            say(f"{counted(len(again), 'pair')} to be computed again, {some(again)}: {CHANGED}")
        changed = [name for each in again for name in run.state.changed_files(earlier[each])]
        if replaced := [name for name in changed if (plan.out / name).is_file()]:
            say(f"{counted(len(replaced), 'changed file')} replaced: {some(replaced)}")
        run.folder.claim(plan.files)
        remove_unfinished(run.folder.folders)
        run.compute(pool, sends=request.send_files)
        return run.finish()


def range_notes(plan: BatchPlan, request: BatchRequest) -> Iterator[str]:
    """Yield notes about the disparity ranges that the sources define for their pairs."""
    params = plan.run.params.values()
    if not {"disparities", "min_disparity"} <= params.keys():
        return
    if "disparities" in request.params:
        return
    for each in plan.chosen:
        if counts := sorted({ref.disparities for ref in each.pairs if ref.disparities}):
            yield f"{each.name}: {range_note(counts[-1], counts[0])}"


def _dry_run(plan: BatchPlan, request: BatchRequest) -> int:
    """Print the pairs and files of a run without computing them; return the exit code."""
    folder = RunFolder(plan.out, plan.definition)
    remaining: Sequence[BatchJob] = plan.jobs
    if not request.restart:
        check_folder(folder, plan, request)
        if folder.begun:
            remaining = BatchRun(plan, folder, BatchState(plan.out)).remaining
    print(*plan.lines(remaining), sep="\n")
    return 0
