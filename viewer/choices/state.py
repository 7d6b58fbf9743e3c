"""What the user chose, as plain data: no device array, no GL handle; tested without either."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from gpu.parameters import controls
from gpu.pipeline import Pipeline, View
from viewer.choices.declared import amount, free, on_off, one_of
from viewer.choices.judging import TruthChoice
from viewer.choices.kernel_card import KernelChoice
from viewer.choices.look import Look
from viewer.choices.mixing import Mixing
from viewer.choices.palette import Palette
from viewer.choices.probing import Probing
from viewer.choices.slot import Slot, default_slot, rival
from viewer.colormaps import COLORMAPS

Rectangle = tuple[int, int, int, int]

LARGEST_ZOOM = 256.0
SMALLEST_ZOOM = 0.05
BOX_SURROUND, BOX_ZOOM = 4, 16.0  # how much larger than a box to look at, and the closest look


GROUPS: dict[str, type[Any]] = {
    "mixing": Mixing,
    "look": Look,
    "truth": TruthChoice,
    "probing": Probing,
    "kernel_card": KernelChoice,
}
"""The state's groups of choices, by the field that holds each."""


def _paused_says(state: "ViewerState") -> str:
    return "paused" if state.paused else "playing"


@dataclass
class ViewerState:
    """Everything keys, mouse and options can change.

    Attributes:
        slot: A, which keys and mouse change.
        b: B, as far as the user chose it; see ``slot_b``.
        linked: whether B takes pipeline and parameters from A; only its variant is its own then.
        mixing: what of A and B is on screen.
        absent: for every kind of device that cannot be used here, why not.
        views: chosen view by pipeline; a pipeline not in it shows its first view.
        shelf: the slots of the pipelines not shown, to come back to.
        look: how values are shown, and which pixel the inspector tells about.
        probing: what the cost-curve probe and the path scrub look at.
        kernel_card: the source that is read.
        racing: what is timed beside the display: all variants, or a sweep over a parameter.
        truth: how results are judged, and whether their errors are shown.
        frame: index of the source's frame shown.
        zoom: 1 fits the picture into the window.
        center: what lies in the middle of every pane, in fractions of the image (x, y).
        panels: whether panels and status line are seen.
        open_panels: those that are seen then, by name.
        stages: whether equality is told stage by stage.
        errands: what the program shall do outside the state, in order: a name of
            ``viewer.errands`` and its words.
        palette: what the user types to find an action by its name; None while it is closed.
        presets: the user's own, by pipeline and name: parameters and their values.
        tuned: the slot whose parameters the panel changes while B keeps its own: ``a`` or ``b``.
        jump: 1 or -1: the next or the previous place where A and B differ was asked for.
        message: one line for the user; the newest replaces it.
    """

    slot: Slot
    absent: Mapping[str, str] = field(default_factory=dict)
    b: Slot | None = None
    linked: bool = True
    mixing: Mixing = field(default_factory=lambda: GROUPS["mixing"]())
    views: dict[str, str] = field(default_factory=dict)
    shelf: dict[str, Slot] = field(default_factory=dict)
    colormap: str = one_of(
        COLORMAPS[0],
        COLORMAPS,
        "colours of results",
        title="colour map",
        option="colormap",
        keys=("M", "Shift+M"),
        key_help="next or previous colour map",
        row=True,
    )
    look: Look = field(default_factory=lambda: GROUPS["look"]())
    probing: Probing = field(default_factory=lambda: GROUPS["probing"]())
    kernel_card: KernelChoice = field(default_factory=lambda: GROUPS["kernel_card"]())
    racing: Literal["", "race", "sweep"] = ""
    truth: TruthChoice = field(default_factory=lambda: GROUPS["truth"]())
    frame: int = free(0, "frame of a sequence, from 0", option="frame", metavar="N")
    zoom: float = amount(
        1.0,
        SMALLEST_ZOOM,
        LARGEST_ZOOM,
        "1 fits the picture into its size",
        option="zoom",
        metavar="Z",
    )
    center: tuple[float, float] = free(
        (0.5, 0.5),
        "image point in the middle, in fractions of its width and height",
        option="center",
        metavar="X,Y",
    )
    paused: bool = on_off(
        False,
        "Stay at the frame shown.",
        keys=("Space",),
        key_help="pause or play",
        says=_paused_says,
    )
    help: bool = False
    panels: bool = True
    open_panels: set[str] = field(default_factory=set)
    fullscreen: bool = False
    closing: bool = False
    errands: list[tuple[str, ...]] = field(default_factory=list)
    palette: Palette | None = None
    presets: dict[str, dict[str, dict[str, Any]]] = field(default_factory=dict)
    tuned: str = "a"
    stages: bool = False
    jump: int = 0
    message: str = ""

    @property
    def view(self) -> View:
        """The view shown."""
        return self.view_of(self.slot)

    def view_of(self, slot: Slot) -> View:
        """The view in which a slot's pipeline is shown."""
        pipeline = slot.pipeline
        return pipeline.view(self.views.get(pipeline.name, pipeline.views[0].name))

    @property
    def slot_b(self) -> Slot:
        """B: as chosen; while it is linked, or was never chosen, A by another variant."""
        if self.b and not self.linked:
            return self.b
        names = [variant.name for variant in self.slot.pipeline.variants]
        wanted = self.b.variant if self.b else ""
        variant = wanted if wanted in names else rival(self.slot, self.absent)
        return replace(self.slot, variant=variant)

    def choose_view(self, slot: Slot, name: str) -> None:
        """Show a slot's pipeline in a view, and say what that shows."""
        self.set_view(slot.pipeline, name)
        self.message = f"view {name}: {self.view_of(slot).help}"

    def set_view(self, pipeline: Pipeline, name: str) -> None:
        """Choose the view of a pipeline. Raises ``ValueError`` when there is none of this name."""
        if pipeline.view(name) == pipeline.views[0]:
            self.views.pop(pipeline.name, None)
        else:
            self.views[pipeline.name] = name

    def show_panel(self, name: str) -> None:
        """Open a panel, and show panels if they are hidden."""
        self.open_panels.add(name)
        self.panels = True

    def choose_variant(self, name: str) -> None:
        """Switch the slot to a variant; if its device is absent say why and change nothing."""
        if self._can_run(self.slot, name):
            self.slot = replace(self.slot, variant=name)
            self.message = f"{name}: {self.slot.declaration.help}"

    def choose_variant_b(self, name: str) -> None:
        """Switch B to a variant, as ``choose_variant`` does A."""
        if self._can_run(self.slot_b, name):
            self.b = replace(self.slot_b, variant=name)
            self.message = f"B: {name}: {self.b.declaration.help}"

    def _can_run(self, slot: Slot, name: str) -> bool:
        variant = slot.pipeline.variant(name)
        if reason := self.absent.get(variant.device, ""):
            self.message = f"variant {name} needs {variant.device}: {reason}"
        return not reason

    def exchange(self) -> None:
        """A becomes B and B becomes A."""
        self.slot, self.b = self.slot_b, self.slot
        self.message = f"A is now {self.slot.name}, B {self.b.name}"

    def link(self, linked: bool) -> None:
        """Let B take A's parameters from now on, or keep those it has."""
        self.b, self.linked = self.slot_b, linked
        self.message = "B takes A's parameters" if linked else "B keeps its parameters"

    def mix(self, **changes: Any) -> None:
        """Change what of A and B is on screen. Raises ``ValueError`` for what is out of bounds."""
        self.mixing = replace(self.mixing, **changes)

    def choose_pipeline(self, name: str) -> None:
        """Switch the slot to a pipeline, as it was left last."""
        self.shelf[self.slot.pipeline.name] = self.slot
        self.slot = self.slot_of(name)
        self.message = self.slot.pipeline.title

    def slot_of(self, name: str) -> Slot:
        """A pipeline as it was left last, or with its defaults."""
        if name == self.slot.pipeline.name:
            return self.slot
        return self.shelf.get(name) or default_slot(name, self.absent)

    def step_param(self, name: str, steps: int) -> None:
        """Move a parameter by some notches and say what it is now."""
        params = self.slot.params.stepped(name, steps)
        self.slot = replace(self.slot, params=params)
        self.message = f"{name} {getattr(params, name)}"

    def draw_region(
        self, start: tuple[float, float], end: tuple[float, float], size: tuple[int, int]
    ) -> None:
        """Set the parameter that is the view's region to the rectangle drawn, and say so.

        Args:
            start, end: where the mouse was pressed and where it is, in texels (x, y).
            size: width and height of the image.
        """
        name, params = self.view.region, self.slot.params
        smallest = int(controls(type(params))[name].low)
        x, y, width, height = drawn_rectangle(start, end, smallest, size)
        region = (x, y, width, height)
        self.slot = replace(self.slot, params=params.changed(**{name: region}))
        self.message = f"{name} {x},{y} {width} x {height}"

    def zoom_at(self, factor: float, point: tuple[float, float]) -> None:
        """Zoom by ``factor``; the image point under the cursor (fractions, x y) stays there."""
        zoom = min(max(self.zoom * factor, SMALLEST_ZOOM), LARGEST_ZOOM)
        shrink = self.zoom / zoom
        self.center = (
            point[0] + (self.center[0] - point[0]) * shrink,
            point[1] + (self.center[1] - point[1]) * shrink,
        )
        self.zoom = zoom

    def show_box(self, box: Rectangle, size: tuple[int, int]) -> None:
        """Bring a rectangle of an image to the middle, with its surround.

        Args:
            box: x, y, width, height.
            size: width and height of the image.
        """
        sides = [(box[i], box[i + 2], size[i]) for i in range(2)]
        x, y = ((first + length / 2) / whole for first, length, whole in sides)
        fits = min(whole / (BOX_SURROUND * length) for _, length, whole in sides)
        self.center, self.zoom = (x, y), min(max(fits, 1.0), BOX_ZOOM)

    def fit(self) -> None:
        """Show the whole image."""
        self.zoom, self.center = 1.0, (0.5, 0.5)


def drawn_rectangle(
    start: tuple[float, float], end: tuple[float, float], smallest: int, size: tuple[int, int]
) -> Rectangle:
    """The rectangle (x, y, width, height) of the texels from one position to another.

    It stays within the image, and where it would be shorter than ``smallest`` it grows towards
    ``end``, at the image's border away from it. An image smaller than that is exceeded.

    Args:
        start, end: in texels (x, y); they may lie beside the image.
        smallest: shortest side.
        size: width and height of the image.
    """
    spans = [_span(*sides, smallest) for sides in zip(start, end, size, strict=True)]
    (x, width), (y, height) = spans
    return x, y, width, height


def _span(start: float, end: float, length: int, smallest: int) -> tuple[int, int]:
    """First texel and number of texels along one side."""
    here, there = (min(max(math.floor(place), 0), length - 1) for place in (start, end))
    count = max(abs(there - here) + 1, smallest)
    first = here if there >= here else here - count + 1
    return max(min(first, length - count), 0), count
