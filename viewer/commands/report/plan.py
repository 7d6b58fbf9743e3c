"""List the command lines of ``bench``, ``evaluate`` and ``render`` that a report runs."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from wheatstone.gpu.parameters import controls
from wheatstone.gpu.pipeline import Pipeline, View
from wheatstone.gpu.pipelines import PIPELINES
from wheatstone.viewer.commands.evaluate.options import judgeable
from wheatstone.viewer.reading.plain_text import in_shell

ExperimentName = Literal[
    "overview",
    "course",
    "canny-course",
    "large",
    "cold",
    "disparities",
    "radius",
    "sigma",
    "template",
]
"""The names of experiments: plots are files of these names."""
COURSE: Final = "course"
OVERVIEW: Final = "overview"
LARGE: Final = "large"
COLD: Final = "cold"
CANNY_COURSE: Final = "canny-course"
BULL = "433x381"  # the size of the course's pair


@dataclass(frozen=True)
class Experiment:
    """A measurement by ``bench``.

    Attributes:
        words: the command line's words after ``bench``.
        swept: the parameter against which the times are plotted; empty: none.
    """

    name: ExperimentName
    title: str
    words: str
    swept: str = ""

    @property
    def pipeline(self) -> str:
        """Return the pipeline that is measured, or the first of all pipelines."""
        first = self.words.split()[0]
        return first if first in PIPELINES else next(iter(PIPELINES))


@dataclass(frozen=True)
class PlannedPicture:
    """A picture to draw.

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
    """Two pictures to show in the same place, with a slider between them."""

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
        """List all pictures to draw."""
        return (*self.views, *(one for both in self.sliders for one in (both.before, both.after)))


def full(data: Sequence[Path]) -> ReportPlan:
    """Plan a full report, which takes some minutes on a machine with a GPU.

    Args:
        data: data sets with truth, evaluated in addition to the built-in scenes.
    """
    some, few = "--repeat 100 --seconds 1", "--repeat 50 --seconds 0.5"
    sgm = f"sgm --preset aveiro-2016 --size {BULL} --disparities 32 64 --stages {some}"
    sizes = "512x512 300x262 200x200"
    canny = f"canny --preset aveiro-2015 --size {sizes} {few}"
    templates = " ".join(f"16,8,{side},{side}" for side in (8, 16, 24, 32, 48))
    experiments = (
        Experiment(OVERVIEW, "Every pipeline", f"--size 640x480 --stages {some}"),
        Experiment(COURSE, "Semi-global matching, step by step", sgm),
        Experiment(CANNY_COURSE, "Canny at the sizes of the course's pictures", canny),
        *_large("1920x1080", "128", "--repeat 50 --seconds 2"),
        *_sweeps("640x480", "32 64 128 256", "1920x1080", "1 2 3 4 5 6 7", few),
        Experiment(
            "sigma",
            "Canny: time against the Gaussian",
            f"canny --size 1280x720 --sigma 0.5 1.0 2.0 3.0 4.0 6.0 {few}",
            swept="sigma",
        ),
        Experiment(
            "template",
            "Template matching: time against the template",
            f"ncc --size 640x480 --template {templates} {few}",
            swept="template",
        ),
        Experiment(COLD, "Cold start", f"sgm --size 640x480 --variants cpu fast --cold {few}"),
    )
    judged = tuple(words for _, words in _quality(data, "640x480"))
    return ReportPlan(experiments, judged, tuple(views("288x216")), sliders("400x300", "48"))


def quick(data: Sequence[Path]) -> ReportPlan:
    """Plan a small report with every kind of part, to check that all works, not to compare times.

    Args:
        data: as in ``full``.
    """
    extent = "--repeat 3 --seconds 0.2"
    sgm = f"sgm --preset aveiro-2016 --size 96x64 --disparities 32 64 --stages {extent}"
    experiments = (
        Experiment(OVERVIEW, "Every pipeline", f"--size 96x64 --stages {extent}"),
        Experiment(COURSE, "Semi-global matching, step by step", sgm),
        Experiment(
            CANNY_COURSE,
            "Canny at the sizes of the course's pictures",
            f"canny --preset aveiro-2015 --size 200x200 {extent}",
        ),
        *_sweeps("96x64", "16 32", "96x64", "1 2 3", extent),
    )
    some = [view for view in views("96x72") if view.name.endswith(("reasons", "overlay"))]
    judged = tuple(words for index, words in _quality(data, "96x64") if index < 2)
    return ReportPlan(experiments, judged, tuple(some), sliders("160x120", "16"))


def _large(size: str, disparities: str, extent: str) -> Iterator[Experiment]:
    words = f"sgm --preset libsgm --size {size} --disparities {disparities} {extent}"
    yield Experiment(LARGE, "Semi-global matching of a large picture", words)


def _sweeps(
    size: str, disparities: str, large: str, radii: str, extent: str
) -> Iterator[Experiment]:
    yield Experiment(
        "disparities",
        "Semi-global matching: time against disparity range",
        f"sgm --size {size} --disparities {disparities} {extent}",
        swept="disparities",
    )
    yield Experiment(
        "radius",
        "Mean filter: time against window radius",
        f"mean --size {large} --radius {radii} {extent}",
        swept="radius",
    )


def views(size: str) -> Iterator[PlannedPicture]:
    """Yield a picture of every view with content of its own, and one of the error map."""
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
    """Plan the picture of a pipeline's view.

    Args:
        more: further words of the command line.
    """
    words = ("render", pipeline, "--view", view, *more)
    return PlannedPicture(f"{pipeline}-{view}", f"{pipeline}: {view}", alt, words)


def sliders(size: str, disparities: str) -> tuple[Slider, ...]:
    """List pairs of pictures, without colour bars so that both of a pair have the same size."""

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
    """Yield command lines of ``evaluate``: every preset and every peer, on every data set.

    Each command line comes with its index, from 0, among those of the same data set.
    """
    for place in [("--size", size), *((str(path),) for path in data)]:
        settings = [
            ("--pipeline", name, *words)
            for name, pipeline in judgeable().items()
            for words in _settings(pipeline)
        ]
        for index, words in enumerate(settings):
            yield index, ("evaluate", *place, *words)


def _settings(pipeline: Pipeline) -> Iterator[tuple[str, str]]:
    for preset in pipeline.presets:
        yield "--preset", preset
    for variant in pipeline.variants:
        if variant.peer:
            yield "--variant", variant.name


def as_typed(words: Sequence[str]) -> str:
    """Write a command line as a user types it, beginning with the program's name."""
    return in_shell(["wheatstone", *words])


def swept_unit(pipeline: str, name: str) -> str:
    """Return the unit of a parameter; empty if it has none."""
    return controls(PIPELINES[pipeline].params)[name].unit
