"""Declare every panel once; its keys, help, palette entry and settings are generated from this."""

from collections.abc import Collection

from wheatstone.viewer.choices.learning import LESSON
from wheatstone.viewer.panels.panel import Panel

START = "start"
"""Name of the start page."""

PANELS: tuple[Panel, ...] = (
    Panel(
        "parameters",
        "Parameters",
        "F2",
        "pipeline, variant, preset and parameters",
        "parameters.panel:ParametersPanel",
        "left",
    ),
    Panel(
        LESSON,
        "Lesson",
        "F8",
        "lesson: how the pipeline comes by its result, step by step",
        "lesson.panel:LessonPanel",
        "left",
        share=1.8,
    ),
    Panel(
        "stages",
        "Stages",
        "F3",
        "what each stage costs, frame rates",
        "stages.panel:StagesPanel",
        "below",
        share=1.5,
    ),
    Panel(
        "costs",
        "Matching costs",
        "K",
        "costs of a pixel by disparity, along each path and summed",
        "costs.panel:CostsPanel",
        "below",
        share=2,
    ),
    Panel(
        "race",
        "Race",
        "F4",
        "which variant is fastest, over a parameter, too",
        "race.panel:RacePanel",
        "left",
        share=2.0,
        lasting=True,
    ),
    Panel(
        "kernels",
        "Kernels",
        "F7",
        "source, launch and resources of kernels",
        "kernels.panel:KernelsPanel",
        "beside",
    ),
    Panel(
        "multiples",
        "Small multiples",
        "Shift+F2",
        "A's result over two parameters, to choose from",
        "multiples.panel:MultiplesPanel",
        "beside",
    ),
    Panel(
        "inspector",
        "Inspector",
        "I",
        "every image's value at a pixel",
        "inspector.panel:InspectorPanel",
        "right",
        share=1.4,
    ),
    Panel(
        "histogram",
        "Histogram",
        "G",
        "histogram, and the range shown",
        "histogram.panel:HistogramPanel",
        "right",
    ),
    Panel(
        "truth",
        "Ground truth",
        "F6",
        "errors against ground truth, and figures without it",
        "truth:TruthPanel",
        "right",
        share=1.8,
    ),
    Panel(
        "measure",
        "Measure",
        "Ctrl+F8",
        "distance of two pixels; plane fit, fill rate and noise in a rectangle",
        "measure.panel:MeasurePanel",
        "right",
        share=1.6,
    ),
    Panel(
        "camera",
        "Calibration",
        "F9",
        "what is known of the cameras, depths they can tell, rows",
        "camera:CameraPanel",
        "right",
        share=1.1,
    ),
    Panel(
        "calibrate",
        "Calibrate",
        "F12",
        "calibrate the rig while its cameras see a board",
        "calibrate:CalibratePanel",
        "right",
        share=1.4,
    ),
    Panel(
        "history",
        "History",
        "Ctrl+H",
        "steps made so far: go back, or compare two of them as A and B",
        "history:HistoryPanel",
        "left",
        share=1.0,
    ),
    Panel(
        "messages",
        "Messages",
        "Shift+F9",
        "messages so far: errors, warnings, hints and confirmations",
        "messages:MessagesPanel",
        "below",
        needs_picture=False,
    ),
    Panel(
        "plot",
        "Plot over time",
        "Ctrl+F9",
        "errors, density, flicker, row error and time of each frame shown",
        "plot.panel:PlotPanel",
        "below",
        share=1.5,
        lasting=True,
        of_sequences=True,
    ),
    Panel(
        "timeline",
        "Time line",
        "F10",
        "where in a sequence the frame lies, to be dragged",
        "timeline:TimelinePanel",
        "foot",
        of_sequences=True,
    ),
    Panel(
        "slow_motion",
        "Slow motion",
        "Shift+F3",
        "a stage in slow motion: which, how far, how fast",
        "slow_motion:SlowMotionPanel",
        "foot",
    ),
    Panel(
        START,
        "Start page",
        "Shift+F1",
        "start page: what can be opened, what was, and a tour",
        "start.panel:StartPanel",
        "left",
        share=3.0,
        passing=True,
    ),
)


def panel(name: str) -> Panel:
    """Return the declaration of a panel. Raises ``ValueError`` if no panel has this name."""
    for declared in PANELS:
        if declared.name == name:
            return declared
    known = ", ".join(declared.name for declared in PANELS)
    raise ValueError(f"there is no panel {name!r}; there is {known}")


def passing(open_panels: Collection[str]) -> list[str]:
    """List the open panels that close when Esc is pressed or a source is opened."""
    return [
        declared.name for declared in PANELS if declared.passing and declared.name in open_panels
    ]
