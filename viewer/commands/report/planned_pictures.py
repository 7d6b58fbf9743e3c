"""List the pictures of a report, each as a command line of ``render``."""

from collections.abc import Iterator
from dataclasses import dataclass

from wheatstone.gpu.pipeline import Pipeline, View
from wheatstone.gpu.pipelines import PIPELINES


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
