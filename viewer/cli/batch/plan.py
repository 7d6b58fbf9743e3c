"""The plan of ``batch``, made from a command line: the pairs, and the settings for each."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from wheatstone.gpu.steps import can_keep
from wheatstone.viewer import VERSION
from wheatstone.viewer.cli.batch.request import ROWS_EVERY, BatchRequest
from wheatstone.viewer.cli.batch.work import DEPTH, BatchJob, Outputs
from wheatstone.viewer.cli.pairs import ListedSource, list_sources, select_pairs, with_file_names
from wheatstone.viewer.io.cameras.calibration_files import places_beside
from wheatstone.viewer.io.files.bag_output import SUFFIX
from wheatstone.viewer.io.files.film import check_encoder
from wheatstone.viewer.io.files.folders import check_below
from wheatstone.viewer.io.files.journal import program
from wheatstone.viewer.io.files.output import check_file, claim_outputs
from wheatstone.viewer.io.files.run_folder import PARAMETERS, PRESET, RunDefinition
from wheatstone.viewer.io.footage.bags.opening import bag_files, check_bags
from wheatstone.viewer.io.reading.paths import resolved
from wheatstone.viewer.io.sources.source_spec import CALIBRATION_CHOICES, SourceSpec
from wheatstone.viewer.io.sources.truth_places import find_truth
from wheatstone.viewer.run.frame_ref import FrameRef, opened_video
from wheatstone.viewer.run.result import CONFIDENCE
from wheatstone.viewer.run.run import Run
from wheatstone.viewer.run.run_job import Judging, Measures, is_judgeable, range_of

SUMMARIES = ("summary.csv", "summary.json")
JOURNAL = "batch.jsonl"
PROGRAM = 12  # digits of the digest that tells states of the program apart


@dataclass(frozen=True)
class BatchPlan:
    """The plan of ``batch``: its pairs, the run to compute on them, and the files to write.

    Attributes:
        sources: the sources with all of their pairs.
        chosen: the sources with the requested pairs.
        run: of all pairs; some pairs have their own range of disparities.
        options: of all pairs.
        out: the folder to write to.
        film: suffix of the films to write; empty: none.
        bag: the MCAP file to write; None: none.
        all_jobs: for all pairs of the sources; other runs into the same folder may have done them.
        jobs: those of them that are requested.
        definition: of the run that the folder belongs to.
    """

    sources: tuple[ListedSource, ...]
    chosen: tuple[ListedSource, ...]
    run: Run
    options: SourceSpec
    outputs: Outputs
    out: Path
    film: str
    bag: Path | None
    all_jobs: tuple[BatchJob, ...]
    jobs: tuple[BatchJob, ...]
    definition: RunDefinition

    @property
    def device(self) -> str:
        """Return the kind of device that the variant needs, such as ``cuda``."""
        return self.run.declaration.device

    @property
    def ends(self) -> tuple[Path, ...]:
        """List the input files of the first and the last pair."""
        ends = (*self.jobs[:1], *self.jobs[-1:])
        return tuple(dict.fromkeys(path for job in ends for path in job.ref.files))

    @property
    def files(self) -> list[str]:
        """List all files to write, relative to the output folder."""
        films = [f"{each.name}.{self.film}" for each in self.sources if self.film]
        pairs = (name for job in self.jobs for name in self.outputs.names(job.name))
        return [*pairs, *films, *SUMMARIES, JOURNAL]

    def check_inputs(self) -> None:
        """Check that no output would replace an input, or be written through a symbolic link.

        Raises:
            OSError, ValueError: as ``check_below``.
        """
        if (self.out / JOURNAL).is_symlink():  # which is appended to, through any link
            raise FileExistsError(f"{self.out / JOURNAL}: a link is in the way; remove it")
        check_below(self.out, self.files, self._inputs())
        if self.bag:
            check_file(self.bag)
            claim_outputs([self.bag], self._inputs())

    def _inputs(self) -> Iterator[Path]:
        """Yield every input file of the pairs: views, calibrations and even unused ground truth."""
        yield from map(Path, self.options.calibrations)
        for job in self.jobs:
            ref = job.ref
            files = [file for path in ref.files for file in bag_files(path)]
            yield from (*files, *map(Path, places_beside(ref.left)), *ref.truth_files)
            if job.existing:
                yield job.existing.path
            if ref.index is not None:
                yield from opened_video(ref.left, ref.right, self.options).files
            elif unused := find_truth(ref.left, self.options.truth_scale or 1):
                yield from unused.paths

    def lines(self, remaining: Sequence[BatchJob]) -> list[str]:
        """List the pairs, and the files that would be written, as lines of text.

        Args:
            remaining: the pairs that no earlier run has finished.
        """
        lines = []
        for each in self.chosen:
            first, last = each.pairs[0].name, each.pairs[-1].name
            many = f"{len(each.pairs)} pairs" if len(each.pairs) > 1 else "1 pair"
            lines.append(f"{each.name}: {many}, {first}{f' to {last}' if last != first else ''}")
        files = self.outputs.names(self.jobs[0].name)
        lines.append(f"of each: {', '.join(files) or 'no file, only a row of the summary'}")
        lines.append(f"{len(remaining)} of {len(self.jobs)} pairs to compute into {self.out}")
        return lines


def plan_of(request: BatchRequest) -> BatchPlan:
    """Return the plan for a command line of ``batch``: pairs, run, and files to write.

    Raises:
        OSError, ValueError: invalid input.
        Unavailable: the machine lacks the variant.
    """
    outputs, options = outputs_of(request), request.source_options()
    params = request.parameters(request.preset)
    confidence = not (request.no_confidence or request.results)
    measures = Measures(_rows_measured(request), confidence)
    keep = kept_images(request, outputs, measures)
    run = Run(request.pipeline, request.chosen_variant, params, keep=keep, bands=request.bands)
    sources = with_file_names(list_sources(request.sources, request.right, options))
    chosen = select_pairs(sources, request.frames, request.every, request.limit)
    out = resolved(request.out)
    firsts = {each.pairs[0].name for each in chosen}
    existing = request.existing_files([pair for each in chosen for pair in each.pairs])
    all_jobs = [
        BatchJob(
            own,
            options,
            judging,
            measures,
            each.pairs if run.remembers and each.successive else (),
            number,
            ref.name in firsts,
            existing.get(ref.name),
            ref=ref,
            outputs=outputs,
            out=out,
        )
        for each in sources
        for judging in [_judging(request, each)]
        for number, (ref, own) in enumerate(_runs(request, each, run, options))
    ]
    names = {pair.name for each in chosen for pair in each.pairs}
    jobs = tuple(job for job in all_jobs if job.name in names)
    if not jobs:
        raise ValueError("no pair to compute")
    return BatchPlan(
        tuple(sources),
        tuple(chosen),
        run,
        options,
        outputs,
        out,
        request.video or "",
        resolved(request.bag) if request.bag else None,
        tuple(all_jobs),
        jobs,
        definition_of(request, outputs, measures, run),
    )


def definition_of(
    request: BatchRequest, outputs: Outputs, measures: Measures, run: Run
) -> RunDefinition:
    """Return all that defines the run of a ``batch`` command: sources, settings, outputs."""
    options = request.source_options()
    facts = {
        "source": [str(resolved(word)) for word in (*request.sources, request.right) if word],
        "pipeline": run.pipeline.name,
        "variant": run.variant,
        PRESET: request.preset,
        PARAMETERS: run.params.values(),
        "calibration": [str(resolved(file)) for file in options.calibrations],
        "layout": options.layout,
        "rectify": options.rectify,
        "image": outputs.image if outputs.values or outputs.picture else "",
        "values": outputs.values,
        "depth": outputs.depth,
        "cloud": outputs.cloud,
        "axes": outputs.axes if outputs.cloud else "",
        "pictures": outputs.picture,
        "colormap": outputs.colors if outputs.picture else "",
        "video": request.video,
        "rows": bool(measures.rows),
        "confidence": measures.confidence,
        "version": VERSION,
        "program": program()[:PROGRAM],
    }
    later = {  # options that a definition of version 0.1.0 lacks
        "decoding": options.decoding,
        **{name: getattr(options, name) for name in CALIBRATION_CHOICES},
        "baseline": options.baseline,
        "tone": options.tone,
        "topics": options.topics,
        "judged": "no" if request.no_judge else None,
        "results": str(resolved(request.results)) if request.results else None,
    }
    facts |= {name: value for name, value in later.items() if value is not None}
    return RunDefinition("batch", facts, "--restart")


def outputs_of(request: BatchRequest) -> Outputs:
    """Return the kinds of files that a ``batch`` command writes for every pair.

    Raises:
        ValueError: the pipeline has no such image, no depth or no disparity.
        Unavailable: a film is requested, and PyAV is not installed.
    """
    pipeline = request.pipeline
    image = pipeline.image(request.image or pipeline.output)
    if image.dims != ("height", "width"):
        raise ValueError(f"{pipeline.name}: {image.name} is not an image with one value per pixel")
    if request.depth and not any(each.name == DEPTH for each in pipeline.images):
        raise ValueError(f"{pipeline.name} has no depth: omit --depth")
    if request.cloud and not pipeline.image(pipeline.output).disparity:
        raise ValueError(f"{pipeline.name} has no disparity to make points of: omit --cloud")
    if request.pictures and request.side_by_side:
        raise ValueError("--pictures and --side-by-side exclude each other: give one")
    if request.results and image.name not in (pipeline.output, DEPTH):
        raise ValueError(f"--results contains {pipeline.output} only: omit --image {image.name}")
    if request.video:
        check_encoder()
    if request.bag:
        _check_bag(request, request.bag)
    both = request.side_by_side or (request.video and not request.pictures)
    return Outputs(
        image.name,
        tuple(dict.fromkeys((*request.values, *(("npy",) if request.bag else ())))),
        tuple(dict.fromkeys(request.depth)),
        tuple(dict.fromkeys(request.cloud)),
        "side-by-side" if both else "alone" if request.pictures else "",
        request.colormap,
        request.axes,
        request.png_level,
    )


def _check_bag(request: BatchRequest, bag: Path) -> None:
    """Raise ``ValueError`` if results cannot be written to an MCAP file of this name."""
    output = request.pipeline.image(request.pipeline.output)
    if not output.disparity:
        raise ValueError(f"{request.pipeline.name} has no disparity to write: omit --bag")
    if request.image not in (None, output.name):
        raise ValueError(f"--bag contains {output.name}: omit --image {request.image}")
    if bag.suffix.lower() != SUFFIX:
        raise ValueError(f"{bag}: --bag is a {SUFFIX} file (got {bag.suffix or 'no suffix'})")
    check_bags()


def kept_images(request: BatchRequest, outputs: Outputs, measures: Measures) -> tuple[str, ...]:
    """List the images to compute besides the pipeline's output, to write or to measure."""
    pipeline = request.pipeline
    variant = pipeline.variant(request.chosen_variant)
    measured = (
        measures.confidence
        and any(each.name == CONFIDENCE for each in pipeline.images)
        and can_keep(pipeline, variant, request.parameters(request.preset), CONFIDENCE)
    )
    return (*outputs.images(pipeline.output), *((CONFIDENCE,) if measured else ()))


def _rows_measured(request: BatchRequest) -> int:
    """Return N to measure the row error (vertical offset) of every Nth pair; 0 for no pair."""
    if request.rows and request.no_rows:
        raise ValueError("--rows and --no-rows exclude each other: give one")
    return 0 if request.no_rows else 1 if request.rows else ROWS_EVERY


def _judging(request: BatchRequest, each: ListedSource) -> Judging | None:
    """Return the rules to compare a source's pairs with ground truth; None for no comparison."""
    if request.no_judge or not is_judgeable(request.pipeline):
        return None
    return Judging(each.convention)


def _runs(
    request: BatchRequest, each: ListedSource, run: Run, options: SourceSpec
) -> Iterable[tuple[FrameRef, Run]]:
    """Yield each pair of a source with the run to compute, which has the pair's disparity range."""
    refs = [ref for ref in each.pairs if isinstance(ref, FrameRef)]
    own = run.params.changed(**_expected_range(request, refs[0], run, options)) if refs else None
    for ref in refs:
        assert own is not None
        yield ref, replace(run, params=range_of(ref, own, request.params, cut=True))


def _expected_range(
    request: BatchRequest, first: FrameRef, run: Run, options: SourceSpec
) -> dict[str, int]:
    """Return the disparity range expected after rectification by features; empty without one."""
    raw = first.read(options)[0].raw if options.rectify == "auto" else None
    if not raw or not raw.rectification.disparities:
        return {}
    expected = dict(
        zip(("min_disparity", "disparities"), raw.rectification.disparities, strict=True)
    )
    known = run.params.values()
    return {n: v for n, v in expected.items() if n in known and n not in request.params}
