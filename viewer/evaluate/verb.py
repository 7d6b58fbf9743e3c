"""``evaluate``: every pair of a data set, those that were finished before only looked up."""

import argparse
import sys
from collections.abc import Sequence

from gpu import Unavailable
from gpu.conventions import CONVENTIONS
from gpu.device import why_unavailable
from gpu.pipeline import Pipeline
from viewer.bench.progress import Progress
from viewer.bench.terminal import print_tables
from viewer.evaluate.data_sets import open_data_set
from viewer.evaluate.judge import Job, Outcome, range_of
from viewer.evaluate.report import Report, state_path, tables, write_files
from viewer.evaluate.state import State
from viewer.evaluate.workers import outcomes
from viewer.output import check_files
from viewer.state import default_variant


def evaluate(options: argparse.Namespace) -> int:
    """Judge what a command line names; returns the exit code."""
    data = open_data_set(options.data, options.scale)
    options.state = options.state or state_path(data.name)
    outputs = {"json": options.json, "markdown": options.markdown, "csv": options.csv}
    check_files(**outputs, state=options.state)
    pipeline: Pipeline = options.pipeline
    base = pipeline.preset(options.preset) if options.preset else pipeline.params()
    params = base.changed(**options.params)
    variant = _variant(options.variant, pipeline)
    convention = CONVENTIONS[options.convention or data.convention]
    region = options.region or convention.region
    jobs, found = [], {}
    for entry in data.entries:
        try:
            own = range_of(entry, params, options.params)
        except ValueError as error:
            found[entry.name] = Outcome(entry.name, why=str(error))
            continue
        jobs.append(Job(entry, pipeline.name, variant, own, convention.name, region))
    found |= _run(jobs, options)
    in_order = tuple(found[entry.name] for entry in data.entries)
    said = str(options.data)
    report = Report(said, pipeline.name, variant, params, convention.name, region, in_order)
    print_tables(tables(report))
    write_files(options, report)
    return 1 if report.failed else 0


def _variant(name: str | None, pipeline: Pipeline) -> str:
    absent = {kind: why_unavailable(kind) for kind in ("cpu", "cuda")}
    chosen = pipeline.variant(name or default_variant(pipeline, absent))
    if why := absent[chosen.device]:
        raise Unavailable(f"variant {chosen.name} needs {chosen.device}: {why}")
    return chosen.name


def _run(jobs: Sequence[Job], options: argparse.Namespace) -> dict[str, Outcome]:
    """The outcomes of all pairs by name; those that are new go to the state file."""
    state = State(options.state)
    before = {} if options.restart else {job.entry.name: state.finished(job) for job in jobs}
    found = {name: outcome for name, outcome in before.items() if outcome}
    if found:
        _say(
            f"{len(found)} of {len(jobs)} pairs were finished before ({state.path}; --restart "
            "computes them anew)"
        )
    left = [job for job in jobs if job.entry.name not in found]
    try:
        with Progress(len(left)) as progress:
            for job, outcome in outcomes(left, options.processes):
                if not outcome.why:
                    state.add(job, outcome)
                found[outcome.name] = outcome
                progress.done(outcome.name, _said(outcome))
    except KeyboardInterrupt:
        _say(f"{len(found)} of {len(jobs)} pairs are done; the same command goes on from here")
        raise
    return found


def _said(outcome: Outcome) -> str:
    if outcome.why:
        return f"FAILED: {outcome.why}"
    return f"bad-2 {outcome.figures['bad-2']:.2f} %, density {outcome.figures['density']:.2f} %"


def _say(text: str) -> None:
    print(f"wheatstone: {text}", file=sys.stderr)
