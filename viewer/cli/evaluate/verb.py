"""``wheatstone evaluate``: compare the disparities of every pair with ground truth.

Finished pairs are kept in a state file, from which a stopped run continues. A pair whose line has
another form is computed again.
"""

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Literal, TypedDict

from wheatstone.gpu.analysis.conventions import CONVENTIONS, Region
from wheatstone.gpu.pipelines.values import ValuesParams
from wheatstone.viewer.cli.evaluate.data_sets import open_data, open_scenes
from wheatstone.viewer.cli.evaluate.report import (
    PairOutcome,
    Report,
    all_tables,
    state_path,
    write_files,
)
from wheatstone.viewer.cli.evaluate.request import EvaluateRequest
from wheatstone.viewer.cli.pairs import ListedSource
from wheatstone.viewer.io.files.output import check_outputs
from wheatstone.viewer.io.files.sole_writer import sole_writer
from wheatstone.viewer.io.files.streams import say
from wheatstone.viewer.io.reading.inputs import add_inputs
from wheatstone.viewer.io.reading.paths import resolved
from wheatstone.viewer.io.reading.plain_text import label, visible
from wheatstone.viewer.io.reading.typed_values import typed
from wheatstone.viewer.io.scenes import SCENES
from wheatstone.viewer.io.sources.data_sets import data_set_named
from wheatstone.viewer.io.sources.stated_range import disparities_of_truth
from wheatstone.viewer.run.carry import (
    prepare_processes,
    report_stop,
    run_frame,
    run_jobs,
    say_alarms,
    with_worker,
)
from wheatstone.viewer.run.engine import telling_bands
from wheatstone.viewer.run.frame_ref import FrameRef
from wheatstone.viewer.run.jobs.workers import HERE, SharedFiles, WorkerPlace
from wheatstone.viewer.run.measuring.inputs import SCENE_SIZE
from wheatstone.viewer.run.measuring.progress import ProgressBar
from wheatstone.viewer.run.measuring.terminal import print_tables
from wheatstone.viewer.run.run import Run
from wheatstone.viewer.run.run_job import FrameRecord, FrameResult, Judging, RunJob, range_of

SCHEMA, SCHEMA_VERSION = "wheatstone-evaluate-state", 1
RESULTS = "results"
KIND = "state file of wheatstone evaluate (--state)"
LARGEST_FIGURE = 1e39  # more than any number of a truth of 32 bits


class PairFacts(TypedDict):
    """The size, search range and evaluated region of a pair whose errors were measured."""

    width: int
    height: int
    min_disparity: int
    disparities: int
    judged: float
    occlusions: Literal["", "data set", "right truth", "left truth", "scene"]


def check_finished(outcome: PairOutcome, job: RunJob) -> None:
    """Raise ``ValueError`` unless an outcome that was read from a file is valid for its pair."""
    measures = job.judging.measures if job.judging else ()
    facts: PairFacts = typed(PairFacts, outcome.facts, "facts")
    if outcome.figures.keys() != set(measures) or facts.keys() != PairFacts.__annotations__.keys():
        raise ValueError("other figures or facts than an evaluation has")
    strange = [word for word in outcome.where.values() if word != label(word)]
    if strange or not outcome.where.keys() <= vars(HERE).keys():
        raise ValueError("another place than a worker and its device")
    if any(abs(figure or 0) > LARGEST_FIGURE for figure in outcome.figures.values()):
        raise ValueError("figures that no disparities have")
    if outcome.name != job.name or outcome.why:
        raise ValueError("another pair's outcome")


class EvaluationState(FrameRecord):
    """The file that records an evaluation's progress: the outcomes of finished pairs.

    Attributes:
        misfits: the names of the requested pairs whose lines are invalid.
    """

    def __init__(self, path: Path) -> None:
        super().__init__(path, SCHEMA, SCHEMA_VERSION, KIND)
        self.misfits: list[str] = []

    def finished(self, job: RunJob) -> PairOutcome | None:
        """Return the outcome of a pair in an earlier run; None if the pair was not finished."""
        line = self.find(job)
        if line is None:
            return None
        try:
            outcome: PairOutcome = typed(PairOutcome, line, "outcome")
            check_finished(outcome, job)
        except ValueError:
            self.misfits.append(job.name)
            return None
        return outcome


@dataclass(frozen=True)
class EvaluationPlan:
    """The plan of ``evaluate``: the pairs, the run, and the rules to compare with ground truth.

    Attributes:
        title: the data set, as the command line names it.
        run: of all pairs; each job also has its own range.
        jobs: the pairs to judge.
        unfit: the pairs that cannot be judged, by name.
        results: the folder of results that exist already; None: they are computed.
    """

    title: str
    data: ListedSource
    run: Run
    convention: str
    region: Region
    jobs: tuple[RunJob, ...]
    unfit: Mapping[str, PairOutcome]
    results: Path | None = None

    def report(self, outcomes: Mapping[str, PairOutcome]) -> Report:
        """Return the report on all pairs, given the outcomes of those that could be evaluated.

        Args:
            outcomes: those of the jobs, by the pair's name.
        """
        every = {**self.unfit, **outcomes}
        in_order = tuple(every[pair.name] for pair in self.data.pairs)
        names, preset = (self.run.pipeline.name, self.run.variant, self.run.params), self.run.preset
        if self.results:
            names, preset = (RESULTS, label(self.results.name), ValuesParams()), ""
        rules = self.convention, self.region
        return Report(self.title, *names, *rules, in_order, self.data.data_set, preset)

    def report_here(self) -> Report:
        """Compute and evaluate all pairs in this process, and return the report on them."""
        return self.report({job.name: outcome_of(job, run_frame(job)) for job in self.jobs})


def evaluate(request: EvaluateRequest) -> int:
    """Run ``wheatstone evaluate``: evaluate disparities of a data set; return the exit code."""
    if request.names_processes:
        prepare_processes()
    plans = plans_of(request)
    plan = plans[0]
    for note in plan.data.notes:
        say(note)
    state = request.state or state_path(plan.data.name)
    add_inputs([*plan.data.files, *(job.existing.path for job in plan.jobs if job.existing)])
    check_outputs([request.json, request.markdown, request.csv, state])
    with sole_writer(state, "--state"):
        reports = []
        for plan, preset in zip(plans, request.preset or ("",), strict=True):
            if len(plans) > 1:
                say(f"preset {preset}")
            reports.append(plan.report(_run(plan, state, request)))
    print_tables(all_tables(reports, request.preset))
    write_files(reports, request.preset, request.json, request.markdown, request.csv)
    return 1 if any(report.failed for report in reports) else 0


def plans_of(request: EvaluateRequest) -> list[EvaluationPlan]:
    """Return a plan for each preset: the pairs, the run, and the rules of comparison.

    Raises:
        OSError, ValueError: invalid input.
        Unavailable: the machine lacks the variant.
    """
    data = _data(request)
    return [_plan_of(request, data, preset) for preset in request.preset or (None,)]


def _plan_of(request: EvaluateRequest, data: ListedSource, preset: str | None) -> EvaluationPlan:
    options = request.source_options(request.scale)
    chosen = request.chosen_variant, request.parameters(preset)
    run = Run(request.pipeline, *chosen, bands=request.bands)
    convention = CONVENTIONS[request.convention or data.convention]
    data_set = data_set_named(data.data_set)
    region = request.region or (data_set and data_set.region) or convention.region
    judging = Judging(convention.name, region, required=True, data_set=data.data_set)
    jobs, unfit, existing = [], {}, request.existing_files(data.pairs)
    for ref in data.pairs:
        try:
            ranged = ref
            if isinstance(ref, FrameRef) and ref.disparities is None and ref.truth:
                ranged = replace(ref, disparities=disparities_of_truth([ref.truth]))
            own = replace(
                run, params=range_of(ranged, run.params, request.params, cut=bool(existing))
            )
            jobs.append(RunJob(ref, own, options, judging, existing=existing.get(ref.name)))
        except ValueError as error:
            unfit[ref.name] = PairOutcome(ref.name, why=visible(str(error)))
    title = visible(" ".join(str(Path(word)) for word in request.sources) or "built-in scenes")
    rules, folder = (convention.name, region), request.results and resolved(request.results)
    return EvaluationPlan(title, data, run, *rules, tuple(jobs), unfit, folder)


def _data(request: EvaluateRequest) -> ListedSource:
    """List the pairs of the sources, or the built-in scenes; raise errors like ``plan_of``."""
    options = request.source_options(request.scale)
    if request.sources:
        if request.scene or request.size or request.seed is not None:
            raise ValueError("--scene, --size and --seed apply to the built-in scenes: omit SOURCE")
        return open_data(request.sources, request.right, options)
    if request.right or options.calibration or options.layout or options.rectify:
        names = "--right, --calibration, --layout and --rectify"
        raise ValueError(f"{names} need SOURCE: the built-in scenes are rectified pairs")
    return open_scenes(request.scene or SCENES, request.seed or 0, request.size or SCENE_SIZE)


def _run(plan: EvaluationPlan, path: Path, request: EvaluateRequest) -> dict[str, PairOutcome]:
    """Evaluate the pairs that were not finished before; return the outcomes of all, by name."""
    pool = request.worker_pool(plan.run.declaration.device, len(plan.jobs))
    state, jobs = EvaluationState(path), plan.jobs
    if state.note:
        say(state.note)
    before = {} if request.restart else {job.name: state.finished(job) for job in jobs}
    outcomes = {name: outcome for name, outcome in before.items() if outcome}
    if outcomes:
        many = f"{len(outcomes)} of {len(jobs)} pairs"
        say(f"{many} were finished before ({path}; --restart computes them again)")
    if state.misfits:
        say(f"{path}: {len(state.misfits)} lines are invalid; their pairs are computed again")
    remaining, announced = [job for job in jobs if job.name not in outcomes], set[str]()
    shared = SharedFiles(_ends(remaining))
    with (
        ExitStack() as stack,
        report_stop(lambda: len(outcomes), len(jobs)),
        ProgressBar(len(remaining)) as progress,
        telling_bands(progress.within),
    ):
        stack.callback(state.flush)
        for done in run_jobs(remaining, run_frame, pool, shared):
            result = with_worker(done)
            outcome = outcome_of(done.job, result, done.place)
            if not outcome.why:
                state.add(done.job, asdict(outcome), result.inputs)
            outcomes[outcome.name] = outcome
            say_alarms(result, announced)
            progress.done(outcome.name, _summary(outcome))
    return outcomes


def outcome_of(job: RunJob, result: FrameResult, place: WorkerPlace = HERE) -> PairOutcome:
    """Return the error measures and facts of an evaluated pair, or the reason why it failed."""
    row, searched = result.row, job.run.params.values()
    where = {name: word for name, word in vars(place).items() if word}
    if result.why:
        return PairOutcome(job.name, why=result.why, where=where)
    region = job.judging.region if job.judging else None
    first, count = searched["min_disparity"], searched["disparities"]
    if job.existing:
        first, count = job.ref.min_disparity, job.existing.count(job.ref.min_disparity)
    facts = {
        "width": row["width"],
        "height": row["height"],
        "min_disparity": first,
        "disparities": count,
        "judged": row["judged"],
        "occlusions": job.ref.occlusions if region == "seen" else "",
    }
    return PairOutcome(job.name, row["figures"], facts, where=where)


def _ends(jobs: Sequence[RunJob]) -> tuple[Path, ...]:
    """List the input files of the first and the last pair."""
    refs = [job.ref for job in (*jobs[:1], *jobs[-1:])]
    paths = (path for ref in refs for path in (*ref.files, *ref.truth_files))
    return tuple(dict.fromkeys(paths))


def _summary(outcome: PairOutcome) -> str:
    if outcome.why:
        return f"FAILED: {outcome.why}"
    return f"bad-2 {outcome.figures['bad-2']:.2f} %, density {outcome.figures['density']:.2f} %"
