"""The options of ``figure``."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from wheatstone.gpu.analysis.conventions import CONVENTIONS, REGIONS
from wheatstone.gpu.parameters import Control, controls
from wheatstone.gpu.pipelines import PIPELINES
from wheatstone.viewer.choices.look import parse_range
from wheatstone.viewer.cli.requests import ParameterOptions, PipelineWord, VerbRequest
from wheatstone.viewer.cli.view_request import B_VALUES
from wheatstone.viewer.colormaps import COLORMAPS
from wheatstone.viewer.figures.cells import OTHER_VIEWS
from wheatstone.viewer.figures.plan import FigureStyle, Rectangle
from wheatstone.viewer.figures.templates import TEMPLATES
from wheatstone.viewer.io.scenes import SCENES
from wheatstone.viewer.options import (
    Option,
    Pipelines,
    choice_option,
    flag_option,
    float_option,
    for_pipelines,
    int_option,
    path_option,
    peers_of,
    region,
    single_choice,
    size,
    switch_option,
    text_option,
)
from wheatstone.viewer.theme import THEMES

CONTENT, DRAWN, SHOWN = "content", "drawing", "display and evaluation of results"
"""The headings of the options in the help."""
STYLE = FigureStyle()


def _template(pipelines: Pipelines) -> Option:
    # ncc has a parameter of the shorter name.
    short = () if "template" in controls(pipelines[0].params) else ("--template",)
    listed = "; ".join(f"{name}: {one.help}" for name, one in TEMPLATES.items())
    control = Control(f"template of the figure; {listed}", "choice", choices=tuple(TEMPLATES))
    return Option(control, "T", names=(*short, "--figure-template"), heading=CONTENT)


def _presets(pipelines: Pipelines) -> Option:
    presets = pipelines[0].presets
    control = Control(f"presets to compare: {', '.join([*presets, 'or your own'])}", "text")
    return Option(control, "P", heading=CONTENT, nargs="+", default=(), hidden=not presets)


def _variants(pipelines: Pipelines) -> Option:
    names = tuple(variant.name for variant in pipelines[0].variants)
    help = f"implementations to compare and time: {', '.join(names)}{peers_of(pipelines)}"
    return Option(
        Control(help, "choice", choices=names), "V", heading=CONTENT, nargs="+", default=()
    )


def _variant(pipelines: Pipelines) -> Option:
    names = tuple(variant.name for variant in pipelines[0].variants)
    help = "implementation of all other results; default: the fastest that this machine can run"
    return Option(Control(help, "choice", choices=names), "V", heading=CONTENT)


def _views(pipelines: Pipelines) -> Option:
    others = "; ".join(f"{name}: {means}" for name, means in OTHER_VIEWS.items())
    views = ", ".join(view.name for view in pipelines[0].views)
    control = Control(f"views to show instead of those of the template: {views}; {others}", "text")
    return Option(control, "VIEW", heading=CONTENT, nargs="+", default=())


def _values(text: str) -> tuple[str, tuple[str, ...]]:
    """Parse values of a parameter, written as NAME=VALUE,VALUE; the name may contain dashes."""
    name, given, values = text.partition("=")
    words = tuple(filter(None, values.split(",")))
    if not given or not words:
        raise ValueError(f"must be NAME=VALUE,VALUE, such as p2=32,64 (got {text!r})")
    return name.replace("-", "_"), words


@dataclass(frozen=True, kw_only=True)
class FigureRequest(ParameterOptions, PipelineWord, VerbRequest):
    """The options of ``figure``, which draws a figure of pairs, or an existing figure again."""

    verb: ClassVar[str] = "figure"
    usage: ClassVar[str] = "wheatstone figure [PIPELINE] [PAIR ...] [options] --out FILE"
    epilog: ClassVar[str] = (
        "PAIR is a left image, with the right one next to it or as the next argument; a folder or "
        f"video; the name of a built-in scene (default: {SCENES[0]}); or a screenshot or settings "
        "to restore. A single figure is drawn again, byte for byte. A table is written next to "
        "the figure, in LaTeX and in Markdown. Exit codes: 0 done; 1 a cell is empty and states "
        "the reason, or an inset is partly outside an image; 2 bad input or arguments; 3 a device "
        "or package is missing."
    )
    headings: ClassVar[tuple[str, ...]] = (CONTENT, DRAWN, SHOWN)
    first_words: ClassVar[tuple[str, ...]] = (*PIPELINES, *SCENES)
    pairs: tuple[str, ...] = text_option(
        "image, folder, video, scene, screenshot, settings or figure",
        "PAIR",
        positional=True,
        nargs="*",
    )
    out: tuple[Path, ...] = path_option(
        "output file: .svg, .pdf (with selectable text) or .png; may be repeated",
        required=True,
        repeated=True,
    )
    b_values: Path | None = path_option(
        f"{B_VALUES}, compared with the result of a single PAIR", heading=CONTENT
    )
    tables: bool = switch_option("write the tables next to the figure (default: on)", default=True)
    template: str | None = for_pipelines(_template)
    preset: tuple[str, ...] = for_pipelines(_presets, ())
    over: tuple[str, tuple[str, ...]] | None = text_option(
        "values of a parameter to compare, such as p2=32,64,128",
        "NAME=V,V",
        read=_values,
        heading=CONTENT,
    )
    variants: tuple[str, ...] = for_pipelines(_variants, ())
    variant: str | None = for_pipelines(_variant)
    views: tuple[str, ...] = for_pipelines(_views, ())
    inset: tuple[Rectangle, ...] = text_option(
        "rectangles of every image, in pixels, enlarged below it",
        "X,Y,W,H",
        read=region,
        heading=CONTENT,
        nargs="+",
    )
    width: float | None = float_option(
        f"width of the figure in millimetres, which determines the text size; default: "
        f"{STYLE.width:g}, two columns",
        metavar="MM",
        heading=DRAWN,
    )
    dpi: int | None = int_option(
        f"pixels per inch of a .png; default: {STYLE.dpi}", metavar="N", heading=DRAWN
    )
    theme: str | None = choice_option(
        THEMES, f"colours of the figure; default: {STYLE.theme}", heading=DRAWN
    )
    colormap: str | None = choice_option(COLORMAPS, "colour map of results", heading=SHOWN)
    range: tuple[float, float] | None = text_option(
        "values of the first and the last colour, in the result's unit; default: as the pipeline "
        "declares",
        "LOW,HIGH",
        read=parse_range,
        heading=SHOWN,
    )
    truth_convention: str | None = choice_option(
        CONVENTIONS,
        f"convention of the evaluation: {', '.join(CONVENTIONS)}",
        "C",
        heading=SHOWN,
    )
    truth_region: str | None = choice_option(
        REGIONS,
        "pixels to judge: visible in both views, or all with ground truth; default: the "
        "convention's first",
        heading=SHOWN,
    )
    truth: str | None = text_option(
        "ground truth of a single PAIR: PFM, NPY, TIFF, or PNG or PGM of integers; default: the "
        "file next to the left image",
        "FILE",
        heading=SHOWN,
    )
    truth_scale: float | None = float_option(
        "stored integers per pixel of disparity in the ground truth; default: 256 for 16 bits, "
        "1 for 8 bits",
        heading=SHOWN,
    )
    frame: int | None = int_option("frame of a sequence, from 0", heading=SHOWN)
    seed: int | None = int_option(
        "seed of layout, colours and textures of built-in scenes", heading=SHOWN
    )
    scene_size: tuple[int, int] | None = text_option(
        "size of built-in scenes; default: 640x480", "WxH", read=size, heading=SHOWN
    )
    set: tuple[tuple[str, str, Any], ...] = text_option(
        "a choice of a panel, by its name in the settings file; may be repeated",
        "FIELD.NAME=VALUE",
        read=single_choice,
        repeated=True,
        heading=SHOWN,
    )
    trust_sources: bool = flag_option(
        "without confirmation, open files that a figure or settings from someone else name outside "
        "their own folder",
        heading=SHOWN,
    )

    def __post_init__(self) -> None:
        """Raise ``ValueError`` if the pipeline lacks the parameter of ``--over``."""
        known = controls(self.pipeline.params)
        if self.over and self.over[0] not in known:
            listed = ", ".join(known) or "none"
            raise ValueError(
                f"{self.pipeline.name} has no parameter {self.over[0]!r}; it has {listed}"
            )
