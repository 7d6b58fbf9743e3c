"""The content of a report: the command lines of ``bench``, ``evaluate`` and ``render`` to run."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from wheatstone.gpu.parameters import controls
from wheatstone.gpu.pipeline import Pipeline, View
from wheatstone.gpu.pipelines import PIPELINES
from wheatstone.viewer.cli.evaluate.request import judgeable
from wheatstone.viewer.io.reading.plain_text import in_shell

ExperimentName = Literal[
    "overview",
    "course",
    "canny-course",
    "large",
    "12-megapixels",
    "cold",
    "disparities",
    "radius",
    "sigma",
    "template",
]
"""The names of experiments: plots are files of these names."""
OVERVIEW: Final = "overview"
COURSE: Final = "course"
CANNY_COURSE: Final = "canny-course"
LARGE: Final = "large"
TWELVE_MEGAPIXELS: Final = "12-megapixels"
COLD: Final = "cold"


@dataclass(frozen=True)
class Experiment:
    """An experiment of a report: measurements by one command line of ``bench``.

    Attributes:
        words: the command line's words after ``bench``.
        swept: the parameter against which the times are plotted; empty: none.
    """

    name: ExperimentName
    title: str
    words: str
    swept: str = ""

    @property
    def unit(self) -> str:
        """Return the unit of the experiment's swept parameter; empty without one."""
        pipeline = PIPELINES.get(self.words.split()[0])
        known = controls(pipeline.params) if pipeline else {}
        return known[self.swept].unit if self.swept else ""


@dataclass(frozen=True)
class PlannedPicture:
    """A picture of a report that is yet to be drawn.

    Attributes:
        alt: a description of the picture, for readers who cannot see it.
        words: the command line of ``render`` that draws the picture, without its file.
    """

    name: str
    title: str
    alt: str
    words: tuple[str, ...]


@dataclass(frozen=True)
class Slider:
    """Two pictures of a report to show in the same place, with a slider between them."""

    title: str
    before: PlannedPicture
    after: PlannedPicture


@dataclass(frozen=True)
class ReportPlan:
    """The measurements, evaluations and pictures of a report.

    Attributes:
        quality: command lines of ``evaluate``, without the program's name.
        views: the pictures to show next to each other.
        sliders: the pictures to show in pairs.
    """

    experiments: tuple[Experiment, ...]
    quality: tuple[tuple[str, ...], ...]
    views: tuple[PlannedPicture, ...]
    sliders: tuple[Slider, ...]

    @property
    def pictures(self) -> tuple[PlannedPicture, ...]:
        """List all pictures that the report needs."""
        return (*self.views, *(one for both in self.sliders for one in (both.before, both.after)))


def report_plan(data: Sequence[Path], *, quick: bool = False) -> ReportPlan:
    """Return the content of a report; to make it takes some minutes on a machine with a GPU.

    Args:
        data: data sets with truth, evaluated in addition to the built-in scenes.
        quick: whether to plan a small report with every kind of part, to check that all works, not
            to compare times.
    """
    size = "96x64" if quick else "640x480"
    pictures = views("96x72" if quick else "288x216")
    if quick:
        pictures = (one for one in pictures if one.name.endswith(("reasons", "overlay")))
    return ReportPlan(
        tuple(_experiments(size, quick=quick)),
        tuple(words for index, words in _quality(data, size) if index < 2 or not quick),
        tuple(pictures),
        sliders("160x120", "16") if quick else sliders("400x300", "48"),
    )


def _experiments(size: str, *, quick: bool) -> Iterator[Experiment]:
    few = "--repeat 3 --seconds 0.2" if quick else "--repeat 50 --seconds 0.5"
    some = few if quick else "--repeat 100 --seconds 1"
    bull = size if quick else "433x381"  # the size of the course's pair
    yield Experiment(OVERVIEW, "Every pipeline", f"--size {size} --stages {some}")
    yield Experiment(
        COURSE,
        "Semi-global matching, step by step",
        f"sgm --preset aveiro-2016 --size {bull} --disparities 32 64 --stages {some}",
    )
    sizes = "200x200" if quick else "512x512 300x262 200x200"
    yield Experiment(
        CANNY_COURSE,
        "Canny at the sizes of the course's pictures",
        f"canny --preset aveiro-2015 --size {sizes} {few}",
    )
    if not quick:
        yield Experiment(
            LARGE,
            "Semi-global matching of a large picture",
            "sgm --preset libsgm --size 1920x1080 --disparities 128 --repeat 50 --seconds 2",
        )
        yield Experiment(
            TWELVE_MEGAPIXELS,
            "Semi-global matching of 12 megapixels, searched in full and hierarchically",
            "sgm --preset fast --size 4000x3000 --disparities 256 --search full hierarchical "
            "--variants cpu shared fast --repeat 50 --seconds 2",
        )
    disparities = "16 32" if quick else "32 64 128 256"
    yield Experiment(
        "disparities",
        "Semi-global matching: time against disparity range",
        f"sgm --size {size} --disparities {disparities} {few}",
        swept="disparities",
    )
    filtered = f"{size} --radius 1 2 3" if quick else "1920x1080 --radius 1 2 3 4 5 6 7"
    yield Experiment(
        "radius",
        "Mean filter: time against window radius",
        f"mean --size {filtered} {few}",
        swept="radius",
    )
    if not quick:
        yield Experiment(
            "sigma",
            "Canny: time against the Gaussian",
            f"canny --size 1280x720 --sigma 0.5 1.0 2.0 3.0 4.0 6.0 {few}",
            swept="sigma",
        )
        templates = " ".join(f"16,8,{side},{side}" for side in (8, 16, 24, 32, 48))
        yield Experiment(
            "template",
            "Template matching: time against the template",
            f"ncc --size {size} --template {templates} {few}",
            swept="template",
        )
        words = f"sgm --size {size} --variants cpu fast --cold {few}"
        yield Experiment(COLD, "Cold start", words)


def views(size: str) -> Iterator[PlannedPicture]:
    """Yield a planned picture of every informative view, and one of the error map."""
    for pipeline in PIPELINES.values():
        for view in pipeline.views:
            if _tells(pipeline, view):
                yield picture_of_view(pipeline.name, view.name, view.help, "--scene-size", size)
    alt = "How far each disparity is from the truth."
    words = ("render", "sgm", "--error-map", "--scene-size", size)
    yield PlannedPicture("sgm-error-map", "sgm: error map", alt, words)


def _tells(pipeline: Pipeline, view: View) -> bool:
    """Return whether a view shows more than the source images or a combination of other views."""
    bare = set(view.images) <= set(pipeline.inputs) and not view.one_cell and not view.region
    return not bare and (len(view.panes) == 1 or view.one_cell)


def picture_of_view(pipeline: str, view: str, alt: str, *more: str) -> PlannedPicture:
    """Return the plan of a picture that shows a view of a pipeline."""
    words = ("render", pipeline, "--view", view, *more)
    return PlannedPicture(f"{pipeline}-{view}", f"{pipeline}: {view}", alt, words)


def sliders(size: str, disparities: str) -> tuple[Slider, ...]:
    """List pairs of the report's pictures to compare by a slider.

    They have no colour bars, so that both of a pair have the same size.
    """

    def picture(name: str, title: str, alt: str, *words: str) -> PlannedPicture:
        shape = ("--scene-size", size, "--no-colorbar")
        return PlannedPicture(f"large-{name}", title, alt, ("render", *words, *shape))

    left = picture(
        "left", "left view", "The left view of the built-in scene.", "sgm", "--view", "left"
    )
    disparity = ("sgm", "--view", "disparity", "--disparities", disparities)
    ours = picture("disparity", "our settings", "Disparity by our default settings.", *disparity)
    course = (*disparity, "--preset", "aveiro-2016")
    theirs = picture("aveiro-2016", "course's settings", "Disparity by their settings.", *course)
    edges = picture("edges", "edges", "Edges over the left view.", "canny", "--view", "overlay")
    mean = picture("mean", "mean", "Mean over 15x15 pixels.", "mean", "--radius", "7")
    return (
        Slider("From the left view to its disparity", left, ours),
        Slider("From the settings of the course of 2016 to our default", theirs, ours),
        Slider("From the left view to its edges", left, edges),
        Slider("From the left view to the mean of every 15x15 pixels", left, mean),
    )


def _quality(data: Sequence[Path], size: str) -> Iterator[tuple[int, tuple[str, ...]]]:
    """Yield the command lines that evaluate every preset and external variant on each data set.

    Each has its number within the data set, from 0.
    """
    runs = [
        ("--pipeline", name, *words)
        for name, pipeline in judgeable().items()
        for words in (
            *(("--preset", preset) for preset in pipeline.presets),
            *(("--variant", variant.name) for variant in pipeline.variants if variant.peer),
        )
    ]
    for place in [("--size", size), *((str(path),) for path in data)]:
        for index, words in enumerate(runs):
            yield index, ("evaluate", *place, *words)


def as_typed(words: Sequence[str]) -> str:
    """Format a command line as a user types it, beginning with the program's name."""
    return in_shell(["wheatstone", *words])
