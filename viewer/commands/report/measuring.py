"""Run the plan of a report part by part, and save each part to the document at once."""

import argparse
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from wheatstone.gpu.analysis.roofline import nominal_peak
from wheatstone.gpu.device import open_device
from wheatstone.gpu.parameters import controls
from wheatstone.viewer.choices.words import spoken
from wheatstone.viewer.commands.bench.options import BenchRequest
from wheatstone.viewer.commands.evaluate.judge import judged
from wheatstone.viewer.commands.evaluate.options import parse_evaluate
from wheatstone.viewer.commands.evaluate.verb import plan_of
from wheatstone.viewer.commands.report.derived import derive
from wheatstone.viewer.commands.report.document import Document, KeptRows, now
from wheatstone.viewer.commands.report.pictures import draw_all
from wheatstone.viewer.commands.report.plan import (
    COURSE,
    Experiment,
    ReportPlan,
    as_typed,
    swept_unit,
)
from wheatstone.viewer.commands.report.transfers import transfer_name, transfers
from wheatstone.viewer.measuring.inputs import GreyPictures
from wheatstone.viewer.measuring.progress import ProgressBar
from wheatstone.viewer.measuring.rows import MeasuredRow, to_json
from wheatstone.viewer.measuring.sweep import Configuration, configurations
from wheatstone.viewer.measuring.variants import BenchmarkRunner, absence
from wheatstone.viewer.parser import parse_request


@dataclass(frozen=True)
class PreparedExperiment:
    """An experiment with its inputs and the configurations that it measures."""

    experiment: Experiment
    options: argparse.Namespace
    inputs: GreyPictures
    configurations: list[Configuration]

    @property
    def rows(self) -> int:
        """Count the rows that can be measured here."""
        return sum(not absence(one, v) for one in self.configurations for v in one.variants)


def run(document: Document, folder: Path, plan: ReportPlan) -> None:
    """Run everything that a plan lists, and complete the document.

    Args:
        folder: the folder for the pictures.

    Raises:
        OSError, ValueError: invalid input, or a file cannot be written.
    """
    prepared = [_prepared(one) for one in plan.experiments]
    with ProgressBar(sum(one.rows for one in prepared) + len(plan.quality)) as progress:
        for one in prepared:
            _measure(document, one, progress)
        for words in plan.quality:
            _evaluate(document, words, progress)
    kinds = document.content["copy_gb_per_s"]
    document.content["peak_gop_per_s"] = {kind: nominal_peak(open_device(kind)) for kind in kinds}
    draw_all(document, folder, plan)
    derive(document.content)
    document.finish()


def _prepared(one: Experiment) -> PreparedExperiment:
    options = parse_request(BenchRequest, one.words.split(), "")
    inputs = options.pictures()
    return PreparedExperiment(
        one, options, inputs, configurations(options, inputs.sizes, inputs.words)
    )


def _measure(document: Document, one: PreparedExperiment, progress: ProgressBar) -> None:
    experiment, kept = one.experiment, KeptRows(document)
    entry: dict[str, Any] = {
        "name": experiment.name,
        "title": experiment.title,
        "command": as_typed(["bench", *experiment.words.split()]),
        "swept": experiment.swept,
        "unit": swept_unit(experiment.pipeline, experiment.swept) if experiment.swept else "",
        "rows": [],
    }
    document.content["experiments"].append(entry)
    runner = BenchmarkRunner(
        one.options, one.inputs, progress, document.content["copy_gb_per_s"], kept
    )
    for configuration in one.configurations:
        for row in runner.rows(configuration):
            date = kept.dates.get(row.command, "")
            entry["rows"].append({"title": titled(configuration), **to_json(row), "date": date})
            if experiment.name == COURSE and row.measurement and row.variant.on_gpu:
                _measure_copies(document, row, one.inputs)
            document.save()


def titled(one: Configuration) -> str:
    """Return the title of a configuration, with every parameter that the status line would show."""
    values, words = one.params.values(), []
    for name, control in controls(type(one.params)).items():
        said = f"{spoken(name)} {values[name]}"
        if control.symbol and said not in one.title:
            words.append(said)
    return ", ".join([one.title, *words])


def _measure_copies(document: Document, row: MeasuredRow, inputs: GreyPictures) -> None:
    """Measure the copies between host and device of the course's programs, for a row's variant."""
    name = transfer_name(row.command)
    found = document.find("transfers", name)
    found = found or {"command": name, **transfers(row.configuration, row.variant.name, inputs)}
    document.content["transfers"].append(found)


def _evaluate(document: Document, words: tuple[str, ...], progress: ProgressBar) -> None:
    command = as_typed(words)
    progress.begin(command)
    found = document.find("quality", command)
    if not found:
        options = parse_evaluate(words[1:], "")
        plan = plan_of(options)
        report = plan.report({job.entry.name: judged(job) for job in plan.jobs})
        found = {"command": command, "preset": options.preset or "", **report.to_json()}
        found["date"] = now()
    document.content["quality"].append(found)
    document.save()
    progress.done(command, f"{len(found['pairs'])} pairs")
