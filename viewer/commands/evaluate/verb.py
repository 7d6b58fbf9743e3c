"""``wheatstone evaluate``: judge every pair of a data set that no earlier run finished."""

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from wheatstone.gpu.analysis.conventions import CONVENTIONS, Convention, Region
from wheatstone.gpu.parameters import Params
from wheatstone.gpu.pipeline import Pipeline
from wheatstone.viewer.commands.evaluate.data_sets import DataSet, open_data_set
from wheatstone.viewer.commands.evaluate.judge import Job, PairOutcome, with_range
from wheatstone.viewer.commands.evaluate.report import Report, state_path, tables, write_files
from wheatstone.viewer.commands.evaluate.scenes import open_scenes
from wheatstone.viewer.commands.evaluate.state import State
from wheatstone.viewer.commands.evaluate.workers import outcomes
from wheatstone.viewer.commands.messages import say
from wheatstone.viewer.commands.workforce import variant_of, workforce
from wheatstone.viewer.files.output import check_outputs
from wheatstone.viewer.former_options import chosen_parameters
from wheatstone.viewer.measuring.progress import ProgressBar
from wheatstone.viewer.measuring.terminal import print_tables
from wheatstone.viewer.reading.inputs import add_inputs
from wheatstone.viewer.reading.plain_text import visible


def evaluate(options: argparse.Namespace) -> int:
    """Judge the data set that a command line names; return the exit code."""
    plan = plan_of(options)
    options.state = options.state or state_path(plan.data.name)
    add_inputs(plan.data.files)
    check_outputs([options.json, options.markdown, options.csv, options.state])
    report = plan.report(_run(plan.jobs, plan.variant, options))
    print_tables(tables(report))
    write_files(options, report)
    return 1 if report.failed else 0


@dataclass(frozen=True)
class EvaluationPlan:
    """The evaluation that a command line asks for.

    Attributes:
        said: the data set, as the command line names it.
        params: the parameters of all pairs; each job also has its own range.
        jobs: the pairs to judge.
        unfit: the pairs that cannot be judged, by name.
    """

    said: str
    data: DataSet
    pipeline: Pipeline
    variant: str
    params: Params
    convention: Convention
    region: Region
    jobs: tuple[Job, ...]
    unfit: Mapping[str, PairOutcome]

    def report(self, found: Mapping[str, PairOutcome]) -> Report:
        """Make the report of all pairs.

        Args:
            found: the outcomes of the jobs, by the pair's name.
        """
        every = {**self.unfit, **found}
        in_order = tuple(every[entry.name] for entry in self.data.entries)
        names = (self.pipeline.name, self.variant, self.params, self.convention.name, self.region)
        return Report(self.said, *names, in_order)


def plan_of(options: argparse.Namespace) -> EvaluationPlan:
    """Make the plan for a command line: its pairs, and the settings to judge them with.

    Raises:
        OSError, ValueError: invalid input.
        Unavailable: the machine lacks the variant.
    """
    data = _data(options)
    pipeline: Pipeline = options.pipeline
    params, variant = chosen_parameters(options), variant_of(options)
    convention = CONVENTIONS[options.convention or data.convention]
    region = options.region or convention.region
    jobs, unfit = [], {}
    for entry in data.entries:
        try:
            own = with_range(entry, params, options.params)
            jobs.append(Job(entry, pipeline.name, variant, own, convention.name, region))
        except ValueError as error:
            unfit[entry.name] = PairOutcome(entry.name, why=visible(str(error)))
    said = visible(str(options.data or "built-in scenes"))
    return EvaluationPlan(
        said, data, pipeline, variant, params, convention, region, tuple(jobs), unfit
    )


def _data(options: argparse.Namespace) -> DataSet:
    if not options.data:
        return open_scenes(options)
    if options.scene or options.size or options.seed is not None:
        raise ValueError("--scene, --size and --seed are for the built-in scenes, without DIR")
    return open_data_set(options.data, options.scale)


def _run(jobs: Sequence[Job], variant: str, options: argparse.Namespace) -> dict[str, PairOutcome]:
    """Judge the pairs that were not finished before; return the outcomes of all, by name."""
    force = workforce(options, options.pipeline.variant(variant).device)
    state = State(options.state)
    if state.note:
        say(state.note)
    before = {} if options.restart else {job.entry.name: state.finished(job) for job in jobs}
    found = {name: outcome for name, outcome in before.items() if outcome}
    if found:
        say(
            f"{len(found)} of {len(jobs)} pairs were finished before ({state.path}; --restart "
            "computes them anew)"
        )
    if state.misfits:
        say(f"{state.path}: {len(state.misfits)} lines do not fit; their pairs are computed anew")
    left = [job for job in jobs if job.entry.name not in found]
    try:
        with ProgressBar(len(left)) as progress:
            for job, outcome in outcomes(left, force):
                if not outcome.why:
                    state.add(job, outcome)
                found[outcome.name] = outcome
                progress.done(outcome.name, _summed_up(outcome))
    except KeyboardInterrupt:
        say(f"{len(found)} of {len(jobs)} pairs are done; the same command goes on from here")
        raise
    return found


def _summed_up(outcome: PairOutcome) -> str:
    if outcome.why:
        return f"FAILED: {outcome.why}"
    return f"bad-2 {outcome.figures['bad-2']:.2f} %, density {outcome.figures['density']:.2f} %"
