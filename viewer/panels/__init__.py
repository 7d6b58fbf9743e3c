"""The table of all panels, from which keys, help, palette and settings are generated."""

from collections.abc import Collection

from wheatstone.viewer.choices.learning import LESSON
from wheatstone.viewer.choices.open_sources import SOURCES
from wheatstone.viewer.choices.panel_choices import START
from wheatstone.viewer.panels.panel import Panel

PANELS: tuple[Panel, ...] = (
    Panel(
        "parameters",
        "Parameters",
        "F2",
        "pipeline, variant, preset and their parameters",
        "parameters.panel:ParametersPanel",
        "left",
        "tune settings options p1 p2 threshold",
    ),
    Panel(
        LESSON,
        "Lesson",
        "F8",
        "step-by-step explanation of how the pipeline computes its result",
        "lesson.panel:LessonPanel",
        "left",
        "learn teach course tutorial explain",
        share=1.8,
    ),
    Panel(
        "stages",
        "Stages",
        "F3",
        "time of each stage, frame rates",
        "stages.panel:StagesPanel",
        "below",
        "time speed profile milliseconds fps slow",
        share=1.5,
    ),
    Panel(
        "costs",
        "Matching costs",
        "K",
        "costs of a pixel by disparity, along each path and summed",
        "costs.panel:CostsPanel",
        "below",
        "why explain curve sgm",
        share=2,
    ),
    Panel(
        "race",
        "Race",
        "F4",
        "speed of all variants, also over a parameter",
        "race.panel:RacePanel",
        "left",
        "speed benchmark fastest time compare",
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
        "cuda code gpu occupancy",
    ),
    Panel(
        "own_kernel",
        "Own kernel",
        "Ctrl+F6",
        "your kernels: errors, first wrong pixel, time, memory accesses, saves",
        "own_kernel.panel:OwnKernelPanel",
        "right",
        "kernel edit cuda reload compile",
        share=1.8,
        needs_picture=False,
    ),
    Panel(
        "parameter_grid",
        "Parameter grid",
        "Shift+F2",
        "results and errors for a grid of values of two parameters",
        "parameter_grid.panel:ParameterGridPanel",
        "beside",
        "small multiples tune sweep best p1 p2",
    ),
    Panel(
        "inspector",
        "Inspector",
        "I",
        "values of all images at a pixel",
        "inspector.panel:InspectorPanel",
        "right",
        "why value pixel metres depth explain",
        share=1.4,
    ),
    Panel(
        "histogram",
        "Histogram",
        "G",
        "distribution of values, and the range shown",
        "histogram.panel:HistogramPanel",
        "right",
        "range distribution",
    ),
    Panel(
        "truth",
        "Ground truth",
        "F6",
        "errors against ground truth, and measures without it",
        "truth:TruthPanel",
        "right",
        "bad error metrics rmse accuracy quality epe tune",
        share=1.8,
        of_disparity=True,
    ),
    Panel(
        "measure",
        "Measurements",
        "Ctrl+F8",
        "distance of two pixels; plane fit, fill rate and noise in a rectangle",
        "measure.panel:MeasurePanel",
        "right",
        "metres distance plane noise length depth",
        share=1.6,
    ),
    Panel(
        "camera",
        "Cameras",
        "F9",
        "calibration, reachable depths, row alignment",
        "camera:CameraPanel",
        "right",
        "metres baseline focal calibration depth rectified",
        share=1.1,
    ),
    Panel(
        "calibrate",
        "Board calibration",
        "F12",
        "calibration of the cameras with a board",
        "calibrate:CalibratePanel",
        "right",
        "chessboard charuco calibration metres",
        share=1.4,
    ),
    Panel(
        SOURCES,
        "Sources",
        "Ctrl+F2",
        "open sources: show one, compare two, close",
        "sources:SourcesPanel",
        "left",
        "tabs images files list switch compare",
        share=1.0,
        needs_picture=False,
    ),
    Panel(
        "history",
        "History",
        "Ctrl+H",
        "previous steps: go back, or compare two of them as A and B",
        "history:HistoryPanel",
        "left",
        "undo back steps",
        share=1.0,
    ),
    Panel(
        "messages",
        "Messages",
        "Shift+F9",
        "all messages: errors, warnings, hints and confirmations",
        "messages:MessagesPanel",
        "below",
        "log errors warnings",
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
        "Timeline",
        "F10",
        "frame position in a sequence; drag to change it",
        "timeline:TimelinePanel",
        "foot",
        "frames video seek scrub",
        of_sequences=True,
    ),
    Panel(
        "slow_motion",
        "Slow motion",
        "Shift+F3",
        "stage shown in slow motion, its progress and speed",
        "slow_motion:SlowMotionPanel",
        "foot",
        "animate watch explain teach",
    ),
    Panel(
        START,
        "Start page",
        "Shift+F1",
        "sources to open, recent sources, and the tour",
        "start.panel:StartPanel",
        "left",
        "welcome home tour recent open begin",
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
    """List the open panels that close when Esc is pressed or another source is opened."""
    return [
        declared.name for declared in PANELS if declared.passing and declared.name in open_panels
    ]
