"""Run the measurements that a report needs, and save each result to its document at once."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

from wheatstone.gpu import Unavailable
from wheatstone.gpu.analysis.roofline import nominal_peak
from wheatstone.gpu.clock import wall_milliseconds
from wheatstone.gpu.device import open_device
from wheatstone.gpu.execution import Execution
from wheatstone.gpu.parameters import controls
from wheatstone.gpu.pipelines.inputs import inputs_of
from wheatstone.viewer.cli.bench.options import BenchRequest
from wheatstone.viewer.cli.evaluate.request import EvaluateRequest
from wheatstone.viewer.cli.evaluate.verb import plans_of
from wheatstone.viewer.cli.report.derived import STEPS, derive, transfer_name
from wheatstone.viewer.cli.report.document import Document, KeptRows, now
from wheatstone.viewer.cli.report.forecast import (
    Forecast,
    PlannedRow,
    memory_words,
    steps_words,
)
from wheatstone.viewer.cli.report.picture_files import FOLDER, file_name, read_picture
from wheatstone.viewer.cli.report.plan import (
    COURSE,
    Experiment,
    PlannedPicture,
    ReportPlan,
    as_typed,
)
from wheatstone.viewer.io.files.folders import own_folder
from wheatstone.viewer.io.files.streams import say
from wheatstone.viewer.parser import parse_request
from wheatstone.viewer.run.measuring.inputs import GreyPictures
from wheatstone.viewer.run.measuring.progress import ProgressBar
from wheatstone.viewer.run.measuring.rows import MeasuredRow, to_json
from wheatstone.viewer.run.measuring.sweep import Configuration, configurations
from wheatstone.viewer.run.measuring.variants import BenchmarkRunner, absence, first_frame
from wheatstone.viewer.words import spoken

COPIES = 5  # of each image, of which the median counts


@dataclass(frozen=True)
class PreparedExperiment:
    """An experiment of a report, with its inputs and the configurations that it measures."""

    experiment: Experiment
    options: BenchRequest
    inputs: GreyPictures
    configurations: list[Configuration]

    @property
    def rows(self) -> list[PlannedRow]:
        """List the measurements that are possible on this machine."""
        limits = self.options.seconds, 1 + self.options.stages
        return [
            PlannedRow(one, variant, *limits)
            for one in self.configurations
            for variant in one.variants
            if not absence(one, variant)
        ]


def run(document: Document, folder: Path, plan: ReportPlan) -> None:
    """Measure, evaluate and draw everything that a report needs, and complete its document.

    Args:
        folder: the folder for the pictures.

    Raises:
        OSError, ValueError: invalid input, or a file cannot be written.
    """
    prepared = [_prepared(one) for one in plan.experiments]
    rows = [row for one in prepared for row in one.rows]
    pictures = {one.name: one for one in plan.pictures}
    others = len(plan.quality) + len(pictures)
    say(steps_words(len(rows), len(plan.quality), len(pictures)))
    say(memory_words(rows))
    forecast = Forecast(rows, others)
    with ProgressBar(len(rows) + others, forecast.remaining) as progress:
        for one in prepared:
            _measure(document, one, progress, forecast)
        for words in plan.quality:
            _evaluate(document, words, progress, forecast)
        kinds = document.content["copy_gb_per_s"]
        document.content["peak_gop_per_s"] = {k: nominal_peak(open_device(k)) for k in kinds}
        _draw_all(document, folder, pictures, progress, forecast)
    document.content["views"] = [view.name for view in plan.views]
    document.content["sliders"] = [
        {"title": one.title, "before": one.before.name, "after": one.after.name}
        for one in plan.sliders
    ]
    derive(document.content)
    document.finish()


def _prepared(one: Experiment) -> PreparedExperiment:
    options = parse_request(BenchRequest, one.words.split(), "")
    inputs = options.pictures()
    return PreparedExperiment(
        one, options, inputs, configurations(options, inputs.sizes, inputs.words)
    )


def _measure(
    document: Document, one: PreparedExperiment, progress: ProgressBar, forecast: Forecast
) -> None:
    experiment, kept = one.experiment, KeptRows(document)
    entry: dict[str, Any] = {
        "name": experiment.name,
        "title": experiment.title,
        "command": as_typed(["bench", *experiment.words.split()]),
        "swept": experiment.swept,
        "unit": experiment.unit,
        "rows": [],
    }
    document.content["experiments"].append(entry)
    runner = BenchmarkRunner(
        one.options, one.inputs, progress, document.content["copy_gb_per_s"], kept
    )
    for configuration in one.configurations:
        for row in runner.rows(configuration):
            if not absence(configuration, row.variant):
                made = row.measurement is not None and row.command not in kept.reused
                forecast.add(row, made=made)
            date = kept.dates.get(row.command, "")
            entry["rows"].append({"title": titled(configuration), **to_json(row), "date": date})
            if experiment.name == COURSE and row.measurement and row.variant.on_gpu:
                _measure_copies(document, row, one.inputs)
            document.save()


def titled(one: Configuration) -> str:
    """Return the title of a configuration, with every parameter that the status line would show."""
    values, words = one.params.values(), []
    for name, control in controls(type(one.params)).items():
        text = f"{spoken(name)} {values[name]}"
        if control.symbol and text not in one.title:
            words.append(text)
    return ", ".join([one.title, *words])


def _measure_copies(document: Document, row: MeasuredRow, inputs: GreyPictures) -> None:
    """Add the times of copies between host and device to a measurement of the CUDA course."""
    name = transfer_name(row.command)
    entry = document.find("transfers", name)
    entry = entry or {"command": name, **transfers(row.configuration, row.variant.name, inputs)}
    document.content["transfers"].append(entry)


def transfers(one: Configuration, variant: str, inputs: GreyPictures) -> dict[str, Any]:
    """Return the times in ms to upload the inputs and download the images of CUDA course steps.

    Host memory is page-locked; times are by the wall clock. An image that the host copies once for
    every path is counted that often; one that the variant does not keep is omitted.
    """
    execution = first_frame(one, variant, inputs)
    paths = one.params.values()["paths"]
    steps = {step.crossing: step for step in STEPS}
    times = {
        name: (paths if step.each else 1) * _download(execution, name or one.pipeline.output)
        for name, step in steps.items()
        if execution.keeps(name or one.pipeline.output)
    }
    return {"upload_ms": _upload(execution, inputs, one), "download_ms": times}


def _upload(execution: Execution, inputs: GreyPictures, one: Configuration) -> float:
    views = inputs_of(one.pipeline, inputs.grey(one.width, one.height))

    def upload() -> None:
        execution.upload(**views)
        execution.device.synchronize()

    return _median(upload)


def _download(execution: Execution, name: str) -> float:
    array = execution.array(name)
    target = execution.device.host_buffer(tuple(array.shape), array.dtype)
    return _median(partial(execution.device.download, array, target))


def _median(copy: Callable[[], object]) -> float:
    return float(median(wall_milliseconds(copy) for _ in range(COPIES)))


def _evaluate(
    document: Document, words: tuple[str, ...], progress: ProgressBar, forecast: Forecast
) -> None:
    command = as_typed(words)
    progress.begin(command)
    before = entry = document.find("quality", command)
    if not entry:
        request = parse_request(EvaluateRequest, words[1:], "")
        (quality,) = plans_of(request)
        preset = " ".join(request.preset)
        entry = {"command": command, "preset": preset, **quality.report_here().to_json()}
        entry["date"] = now()
    document.content["quality"].append(entry)
    document.save()
    forecast.add_other(made=not before)
    progress.done(command, f"{len(entry['pairs'])} pairs")


def _draw_all(
    document: Document,
    folder: Path,
    pictures: Mapping[str, PlannedPicture],
    progress: ProgressBar,
    forecast: Forecast,
) -> None:
    """Draw every picture, given by name, that an earlier run did not draw."""
    own_folder(folder / FOLDER)
    for name, one in pictures.items():
        progress.begin(name)
        entry, made = _picture(document, folder, one)
        document.content["pictures"].append(entry)
        document.save()
        forecast.add_other(made=made)
        progress.done(name, "drawn" if made else entry.get("why", "drawn before"))


def _picture(document: Document, folder: Path, one: PlannedPicture) -> tuple[dict[str, Any], bool]:
    """Draw a picture unless it exists.

    Returns:
        Its entry, with the reason if it cannot be drawn; and whether it was drawn now.
    """
    file = file_name(one.name)
    path, words = folder / FOLDER / file, [*one.words, "--out", file]
    entry = {"name": one.name, "title": one.title, "alt": one.alt, "command": as_typed(words)}
    before = document.find("pictures", as_typed(words))
    made = not before or "file" not in before or not _is_picture(path)
    if made:
        try:
            _render([*one.words, "--out", str(path)])
        except Unavailable as error:
            say(f"{one.name} is not drawn: {error}")
            return entry | {"why": str(error)}, False
    picture = read_picture(path)
    return entry | {"file": file, "width": picture.width, "height": picture.height}, made


def _is_picture(path: Path) -> bool:
    """Return whether a path is a readable PNG file."""
    try:
        read_picture(path)
    except (OSError, ValueError):
        return False
    return True


def _render(words: list[str]) -> None:
    from wheatstone.viewer.cli.render import render
    from wheatstone.viewer.cli.view_request import RenderRequest

    render(parse_request(RenderRequest, words[1:], ""))
