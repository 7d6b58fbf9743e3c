"""Run a batch in its folder: compute the remaining pairs, record them, and check the files."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from wheatstone.viewer.commands.batch.films import write_films
from wheatstone.viewer.commands.batch.plan import SUMMARIES, BatchPlan
from wheatstone.viewer.commands.batch.rows import BatchState
from wheatstone.viewer.commands.batch.summary import Results, all_results, write_summary
from wheatstone.viewer.commands.batch.work import BatchJob, PairResult, done_pair, empty_row
from wheatstone.viewer.commands.messages import say
from wheatstone.viewer.files.run_folder import RunFolder
from wheatstone.viewer.jobs.carrying import carried_out
from wheatstone.viewer.jobs.done import Done
from wheatstone.viewer.jobs.force import Shared, Workforce
from wheatstone.viewer.measuring.progress import FrameBar

NAMED = 10  # pairs or files in a message
FAILED = 1  # exit code


@dataclass
class BatchRun:
    """The run that a folder belongs to.

    Attributes:
        found: the results of the requested pairs so far, by name.
    """

    plan: BatchPlan
    folder: RunFolder
    state: BatchState
    found: dict[str, PairResult] = field(default_factory=dict)

    def look_up(self) -> None:
        """Collect the results of the pairs that an earlier run has finished."""
        rows = ((job.name, self.state.finished(job)) for job in self.plan.jobs)
        self.found = {name: PairResult(row) for name, row in rows if row}

    @property
    def remaining(self) -> list[BatchJob]:
        """List the pairs that are still to be computed."""
        return [job for job in self.plan.jobs if job.name not in self.found]

    def compute(self, force: Workforce, *, sends: bool) -> None:
        """Compute the remaining pairs, and write the table even if this ends early.

        Raises:
            OSError: files cannot be written, or the folder was removed.
        """
        jobs = self.remaining
        try:
            with FrameBar(len(jobs), "pairs") as bar:
                for job, result in _results(self.plan, jobs, force, sends=sends):
                    self._note(job, result)
                    bar.done(made=not result.why)
        except BaseException:
            done = sum(not result.why for result in self.found.values())
            many = f"{done} of {len(self.plan.jobs)} pairs are done"
            say(f"{many}; the same command goes on from there")
            raise
        finally:
            if self.folder.intact:
                write_summary(self.plan, self._all)

    @property
    def _all(self) -> Results:
        return all_results(self.plan, self.state, self.found)

    def _note(self, job: BatchJob, result: PairResult) -> None:
        """Record the result of a pair in the journal, or print why it failed."""
        self.folder.check_intact()
        if result.stops:
            raise OSError(result.why)
        if not result.why:
            self.state.add(job, result.row, result.inputs)
        else:
            say(f"{job.name}: {result.why}")
        self.found[job.name] = result

    def finish(self) -> int:
        """Check that all files exist, write films, and print a summary; return the exit code."""
        self.folder.check_intact()
        missing = self._missing()
        if missing:
            write_summary(self.plan, self._all)
        films = write_films(self.plan, self._all) if self.plan.film else []
        names = (job.name for job in self.plan.jobs)
        failed = [name for name in names if name in self.found and self.found[name].why]
        _told(self.plan, len(self.found) - len(failed), films)
        if missing:
            say(f"{counted(len(missing), 'file')} missing or changed: {some(missing)}")
        if failed:
            many = "1 pair" if len(failed) == 1 else f"{len(failed)} pairs"
            say(f"{many} failed: {some(failed)}")
        return FAILED if failed else 0

    def _missing(self) -> list[str]:
        """List the files that are missing or were changed; mark their pairs as failed."""
        missing = []
        for name, result in self.found.items():
            if names := self.state.changed_files(result.row):
                why = f"{some(names)}: removed or changed during the run"
                self.found[name] = replace(result, why=why)
                missing += names
        return missing


def _results(
    plan: BatchPlan, jobs: Sequence[BatchJob], force: Workforce, *, sends: bool
) -> Iterator[tuple[BatchJob, PairResult]]:
    """Run pairs here, in processes, or on workers, which may need their input files sent."""
    if sends:
        from wheatstone.viewer.commands.batch.sending import sent_results

        done = sent_results(jobs, force)
    else:
        done = carried_out(jobs, done_pair, force, Shared(plan.ends, plan.setting.out))
    for each in done:
        yield each.job, _placed(each)


def _placed(done: Done[BatchJob, PairResult]) -> PairResult:
    """Record in a pair's row which worker computed it."""
    if done.result is None:
        return PairResult(empty_row(done.job), done.why)
    return replace(done.result, row={**done.result.row, "worker": done.place.worker})


def _told(plan: BatchPlan, done: int, films: Sequence[Path]) -> None:
    """Print how many pairs were written, to which folders and files."""
    folders = dict.fromkeys(f"{folder}/" for folder, _ in plan.setting.outputs.kinds)
    names = ", ".join((*folders, *SUMMARIES, *(film.name for film in films)))
    say(f"wrote {done} of {len(plan.jobs)} pairs to {plan.setting.out}: {names}")


def counted(number: int, what: str) -> str:
    """Write a count, noun and verb to begin a sentence, such as ``3 files are``."""
    return f"1 {what} is" if number == 1 else f"{number} {what}s are"


def some(names: Sequence[str]) -> str:
    """Join the first names of a list, with an ellipsis for the others."""
    return ", ".join([*names[:NAMED], *["..."][: len(names) > NAMED]])
