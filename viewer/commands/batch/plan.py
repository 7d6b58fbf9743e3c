"""Plan a batch from a command line: the pairs to compute, and the settings for each."""

import argparse
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from wheatstone.gpu.parameters import Params
from wheatstone.gpu.pipeline import Pipeline
from wheatstone.viewer import VERSION
from wheatstone.viewer.commands.batch.loading import BatchPair, load_pair
from wheatstone.viewer.commands.batch.outputs import DEPTH, Outputs
from wheatstone.viewer.commands.batch.pairs import Listed, PairSelection, list_sources, selected
from wheatstone.viewer.commands.batch.rows import JOURNAL
from wheatstone.viewer.commands.batch.work import BatchJob, Measures, Setting, kept_images
from wheatstone.viewer.commands.workforce import variant_of
from wheatstone.viewer.files.film import check_encoder
from wheatstone.viewer.files.journal import program
from wheatstone.viewer.files.run_folder import PARAMETERS, PRESET, RunDefinition
from wheatstone.viewer.former_options import chosen_parameters
from wheatstone.viewer.reading.paths import resolved
from wheatstone.viewer.run.run import Run
from wheatstone.viewer.sources.said import Said, said_beside

SUMMARIES = ("summary.csv", "summary.json")
PROGRAM = 12  # digits of the digest that tells states of the program apart


@dataclass(frozen=True)
class BatchPlan:
    """The computation that a command line asks for.

    Attributes:
        sources: the sources with all of their pairs.
        chosen: the sources with the requested pairs.
        run: of all pairs; some pairs have their own range of disparities.
        film: suffix of the films to write; empty: none.
        all_jobs: for all pairs of the sources; other runs into the same folder may have done them.
        jobs: those of them that are requested.
        definition: of the run that the folder belongs to.
    """

    sources: tuple[Listed, ...]
    chosen: tuple[Listed, ...]
    run: Run
    setting: Setting
    film: str
    all_jobs: tuple[BatchJob, ...]
    jobs: tuple[BatchJob, ...]
    definition: RunDefinition

    @property
    def device(self) -> str:
        """Return the kind of device that the variant needs."""
        return self.run.declaration.device

    @property
    def ends(self) -> tuple[Path, ...]:
        """List the files of the first and the last pair."""
        ends = (*self.jobs[:1], *self.jobs[-1:])
        return tuple(dict.fromkeys(path for job in ends for path in job.pair.files))

    @property
    def files(self) -> list[str]:
        """List all files to write, relative to the output folder."""
        films = [f"{each.name}.{self.film}" for each in self.sources if self.film]
        pairs = (name for job in self.jobs for name in self.setting.outputs.names(job.name))
        return [*pairs, *films, *SUMMARIES, JOURNAL]


def plan_of(options: argparse.Namespace) -> BatchPlan:
    """Make the plan for a command line: its pairs, and the files to write for each.

    Raises:
        OSError, ValueError: invalid input.
        Unavailable: the machine lacks the variant.
    """
    outputs, params = outputs_of(options), chosen_parameters(options)
    said = said_beside(vars(options))
    measures = Measures(not options.no_rows, not options.no_confidence)
    keep = kept_images(options.pipeline, outputs, measures)
    run = Run(options.pipeline, variant_of(options), params, keep=keep)
    setting = Setting(said, outputs, measures, resolved(options.out))
    sources = list_sources(options.sources, options.right, said)
    chosen = selected(sources, PairSelection(options.frames, options.every, options.limit))
    all_jobs = [job for each in sources for job in _jobs(each, setting, run, options.params)]
    asked_for = {pair.name for each in chosen for pair in each.pairs}
    jobs = tuple(job for job in all_jobs if job.name in asked_for)
    if not jobs:
        raise ValueError("there is no pair to compute")
    return BatchPlan(
        tuple(sources),
        tuple(chosen),
        run,
        setting,
        options.video or "",
        tuple(all_jobs),
        jobs,
        definition_of(options, setting, run),
    )


def definition_of(options: argparse.Namespace, setting: Setting, run: Run) -> RunDefinition:
    """Define the run that a command line asks for by its sources, settings and outputs."""
    outputs = setting.outputs
    facts = {
        "source": [str(resolved(word)) for word in (*options.sources, options.right) if word],
        "pipeline": run.pipeline.name,
        "variant": run.variant,
        PRESET: options.preset,
        PARAMETERS: run.params.values(),
        "calibration": [str(resolved(file)) for file in setting.said.calibration.files],
        "layout": setting.said.layout,
        "rectify": setting.said.rectify,
        "image": outputs.image if outputs.values or outputs.picture else "",
        "values": outputs.values,
        "depth": outputs.depth,
        "cloud": outputs.cloud,
        "axes": outputs.axes if outputs.cloud else "",
        "pictures": outputs.picture,
        "colormap": outputs.colors if outputs.picture else "",
        "video": options.video,
        **vars(setting.measures),
        "version": VERSION,
        "program": program()[:PROGRAM],
    }
    return RunDefinition("batch", facts, "--restart")


def outputs_of(options: argparse.Namespace) -> Outputs:
    """Read from a command line which files are written for a pair.

    Raises:
        ValueError: the pipeline has no such image, no depth or no disparity.
        Unavailable: a film is requested, and PyAV is not installed.
    """
    pipeline: Pipeline = options.pipeline
    image = pipeline.image(options.image or pipeline.output)
    if image.dims != ("height", "width"):
        raise ValueError(f"{pipeline.name}: {image.name} is no image of a value a pixel")
    if options.depth and not any(each.name == DEPTH for each in pipeline.images):
        raise ValueError(f"{pipeline.name} has no depth: omit --depth")
    if options.cloud and not pipeline.image(pipeline.output).disparity:
        raise ValueError(f"{pipeline.name} has no disparity to make points of: omit --cloud")
    if options.pictures and options.side_by_side:
        raise ValueError("--pictures and --side-by-side exclude each other: give one")
    if options.video:
        check_encoder()
    beside = options.side_by_side or (options.video and not options.pictures)
    return Outputs(
        image.name,
        tuple(dict.fromkeys(options.values)),
        tuple(dict.fromkeys(options.depth)),
        tuple(dict.fromkeys(options.cloud)),
        "side-by-side" if beside else "alone" if options.pictures else "",
        options.colormap,
        options.axes,
    )


def _jobs(each: Listed, setting: Setting, run: Run, given: Mapping[str, Any]) -> Iterator[BatchJob]:
    """Yield a job for each pair of a source."""
    own = run.params.changed(**_expected(each, setting.said, given, run.params))
    for pair in each.pairs:
        yield BatchJob(pair, replace(run, params=_with_range(pair, own, given)), setting)


def _with_range(pair: BatchPair, params: Params, given: Mapping[str, Any]) -> Params:
    """Set the range of disparities that a pair declares, unless the command line gives it."""
    if pair.disparities is None or "disparities" not in params.values():
        return params
    own = {"min_disparity": pair.min_disparity}
    own["disparities"] = 16 * math.ceil(pair.disparities / 16)
    return params.changed(**{name: value for name, value in own.items() if name not in given})


def _expected(each: Listed, said: Said, given: Mapping[str, Any], params: Params) -> dict[str, int]:
    """Return the range of disparities to expect of a source that is rectified by its features."""
    if said.rectify != "auto":
        return {}
    raw = load_pair(each.pairs[0], said)[0].raw
    if not raw or not raw.rectification.disparities:
        return {}
    found = dict(zip(("min_disparity", "disparities"), raw.rectification.disparities, strict=True))
    return {n: v for n, v in found.items() if n in params.values() and n not in given}


def listed(plan: BatchPlan, left: Sequence[BatchJob]) -> list[str]:
    """List the pairs, and the files that would be written, as lines of text.

    Args:
        left: the pairs that no earlier run has finished.
    """
    lines = []
    for each in plan.chosen:
        first, last = each.pairs[0].name, each.pairs[-1].name
        many = f"{len(each.pairs)} pairs" if len(each.pairs) > 1 else "1 pair"
        lines.append(f"{each.name}: {many}, {first}{f' to {last}' if last != first else ''}")
    files = plan.setting.outputs.names(plan.jobs[0].name)
    lines.append(f"of each: {', '.join(files) or 'no file, a row of the summary alone'}")
    lines.append(f"{len(left)} of {len(plan.jobs)} pairs to compute into {plan.setting.out}")
    return lines
