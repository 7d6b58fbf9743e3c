"""The state of the viewer that the user can change, as plain data without device or GL handles."""

from collections.abc import Mapping
from copy import copy
from dataclasses import dataclass, field, replace
from typing import Any

from wheatstone.gpu.device import needs
from wheatstone.gpu.image import DepthScale
from wheatstone.gpu.pipeline import Pipeline, View
from wheatstone.gpu.pipelines.values import VALUES
from wheatstone.viewer.choices.bounds import Bounds
from wheatstone.viewer.choices.cloud import CloudChoice
from wheatstone.viewer.choices.comparison import compare
from wheatstone.viewer.choices.declared import (
    LAST_FRAME,
    ChoiceGroup,
    amount,
    numbers,
    on_off,
    one_of,
)
from wheatstone.viewer.choices.dialogs import Palette, Question, Recent, Tour
from wheatstone.viewer.choices.history import History
from wheatstone.viewer.choices.judging import TruthChoice
from wheatstone.viewer.choices.learning import Learning, LessonUnderWay
from wheatstone.viewer.choices.look import Look
from wheatstone.viewer.choices.messages import Messages, Notified
from wheatstone.viewer.choices.mixing import Mixing
from wheatstone.viewer.choices.open_sources import OpenSources
from wheatstone.viewer.choices.panel_choices import (
    Calibrating,
    KernelChoice,
    Measuring,
    ParameterGridChoice,
    Playing,
    Probing,
    RecordingChoice,
)
from wheatstone.viewer.choices.slot import (
    NOTHING_AHEAD,
    Ahead,
    default_slot,
    fitted,
    rival,
    with_variant,
)
from wheatstone.viewer.choices.temporal import TemporalChoice
from wheatstone.viewer.choices.unfolding import UnfoldingChoice
from wheatstone.viewer.choices.workspaces import COMPARE, Workspaces, help_of
from wheatstone.viewer.colormaps import COLORMAPS, COLORMAPS_MEAN
from wheatstone.viewer.findings import Effect, Finding
from wheatstone.viewer.run.run import Run

LARGEST_ZOOM = 256.0
SMALLEST_ZOOM = 0.05
FARTHEST_CENTER = 100.0
"""How far from the image the middle of a pane may be, in widths and heights of the image."""
FITTED = 1.0, (0.5, 0.5)
"""Zoom and centre at which the whole image is shown."""


@dataclass
class ViewerState(Notified):
    """The state of the viewer: everything that keys, mouse, panels and options can change.

    ``viewer.choices.declared`` describes how to add a choice.

    Attributes:
        slot: A, which keys and mouse change.
        b: B, as far as the user chose it; see ``slot_b``.
        linked: whether B takes pipeline and parameters from A; only its variant is its own then.
        absent: for every kind of device that cannot be used here, why not.
        views: chosen view by pipeline; a pipeline not in it shows its first view.
        shelf: the slots of the pipelines not shown, to come back to.
        frame: index of the source's frame shown.
        zoom: 1 fits the picture into the window.
        center: the point in the middle of every pane, in fractions of the image (x, y).
        held: zoom and centre that keep a fitted picture in place when a panel is opened or closed.
        stepped: whether a step to another frame paused what was playing; a recording plays it on.
        panels: whether menus, panels and status line are seen.
        bars: whether there are a menu bar and a toolbar, which are seen with the panels.
        open_panels: the panels that are seen then, by name.
        workspaces: the workspace shown, and where its panels are.
        front: the panel that was opened last, which a narrow window shows in front.
        behind: the open panels that tabs of a narrow window hide, by name.
        asks_for_menus: whether a key asked to go through the menus.
        focus: the panel that receives arrows, Space and Enter, by name; empty: none does.
        stages: whether equality is shown stage by stage.
        effects: the effects requested outside the state, in order: a name in
            ``viewer.window.effects`` and its words.
        palette: the open command palette; None while it is closed.
        keys_for_dialog: whether keys belong to a dialog of the desktop that was requested and does
            not have the focus yet.
        question: the question that the window asks before an action; None while it asks nothing.
        single: the path of an image that cannot be shown without its right view; empty: none.
        refused: the finding that explains why what was chosen last could not be used; None: nothing
            was refused, or it was dismissed.
        rig: the calibration by which the next pair that is opened is rectified; empty: its own.
        sources: those that are open, and which of them A and B show.
        recent: the sources shown before, the newest first.
        dismissed: the names of the findings that the user dismissed, by the key of their source.
        hints: whether the hints of the first start are shown.
        tour: the tour through the window; None while it is not shown.
        lesson: the lesson in progress; None without one.
        ahead: the stages that pipelines run first, as the source shown needs them.
        scale: the scale of depths, by the calibration of the frame shown; None before that.
        presets: the user's own, by pipeline and name: parameters and their values.
        tuned: the slot whose parameters the panel changes while B keeps its own: ``a`` or ``b``.
        served: whether the window is in browsers, whose viewers do not end the program.
        leaving: when Esc stops ending the program, as ``time.monotonic`` counts; 0: it asks first.
        jump: 1 or -1: the next or the previous place where A and B differ was requested.
        picks: the effect of the next click in the picture on the pixel there, an effect of
            ``viewer.window.effects``; empty: nothing.
        asks_for_picture_menu: whether a right click asked for the menu of a pixel.
        picture_menu: whether the menu of a pixel is open; its pixel and its frame stay.
        marked: the rectangle of the image gone to last, (x, y, width, height), which is marked
            until the next key.
        messages: those that the user got; see ``Notified`` for how to make one.
    """

    slot: Run
    absent: Mapping[str, str] = field(default_factory=dict)
    b: Run | None = None
    linked: bool = True
    mixing: Mixing = field(default_factory=Mixing)
    views: dict[str, str] = field(default_factory=dict)
    shelf: dict[str, Run] = field(default_factory=dict)
    colormap: str = one_of(
        COLORMAPS[0],
        COLORMAPS,
        "colour map of results",
        title="colour map",
        meanings=COLORMAPS_MEAN,
        option="colormap",
        keys=("M", "Shift+M"),
        row=True,
    )
    look: Look = field(default_factory=Look)
    measuring: Measuring = field(default_factory=Measuring)
    calibrating: Calibrating = field(default_factory=Calibrating)
    cloud: CloudChoice = field(default_factory=CloudChoice)
    probing: Probing = field(default_factory=Probing)
    playing: Playing = field(default_factory=Playing)
    kernel_card: KernelChoice = field(default_factory=KernelChoice)
    recording: RecordingChoice = field(default_factory=RecordingChoice)
    parameter_grid: ParameterGridChoice = field(default_factory=ParameterGridChoice)
    learning: Learning = field(default_factory=Learning)
    racing: str = one_of(
        "",
        ("", "race", "sweep", "grid"),
        "Background computation: race of all variants, sweep, or parameter grid.",
        kept=False,
        undone=False,
        listed=False,
    )
    truth: TruthChoice = field(default_factory=TruthChoice)
    temporal: TemporalChoice = field(default_factory=TemporalChoice)
    unfolding: UnfoldingChoice = field(default_factory=UnfoldingChoice)
    frame: int = numbers(
        0,
        -LAST_FRAME,
        LAST_FRAME,
        "frame of a sequence, from 0",
        option="frame",
        metavar="N",
        of_source=True,
    )
    zoom: float = amount(
        1.0,
        SMALLEST_ZOOM,
        LARGEST_ZOOM,
        "zoom factor; 1: the picture fits into its size",
        option="zoom",
        of_source=True,
        undone=False,
        metavar="Z",
    )
    center: tuple[float, float] = numbers(
        (0.5, 0.5),
        -FARTHEST_CENTER,
        FARTHEST_CENTER,
        "image point in the centre, in fractions of the image's width and height",
        option="center",
        of_source=True,
        undone=False,
        metavar="X,Y",
    )
    held: tuple[float, tuple[float, float]] = FITTED
    paused: bool = on_off(
        False,
        "Pause the sequence at the frame shown.",
        keys=("Space",),
        key_help="pause or play sequence",
        says=("playing", "paused"),
        of_source=True,
        undone=False,
    )
    stepped: bool = False
    help: bool = False
    panels: bool = True
    bars: bool = False
    asks_for_menus: bool = False
    open_panels: set[str] = field(default_factory=set)
    workspaces: Workspaces = field(default_factory=Workspaces)
    front: str = ""
    behind: frozenset[str] = frozenset()
    focus: str = ""
    fullscreen: bool = False
    closing: bool = False
    effects: list[tuple[str, ...]] = field(default_factory=list)
    palette: Palette | None = None
    keys_for_dialog: bool = False
    question: Question | None = None
    single: str = ""
    refused: Finding | None = None
    rig: str = ""
    sources: OpenSources = field(default_factory=OpenSources, compare=False)
    recent: tuple[Recent, ...] = ()
    dismissed: Mapping[str, tuple[str, ...]] = field(default_factory=dict, repr=False)
    hints: bool = False
    tour: Tour | None = None
    lesson: LessonUnderWay | None = None
    presets: dict[str, dict[str, dict[str, Any]]] = field(default_factory=dict)
    tuned: str = "a"
    ahead: Ahead = NOTHING_AHEAD
    scale: DepthScale | None = None
    stages: bool = False
    served: bool = False
    leaving: float = 0.0
    jump: int = 0
    picks: str = ""
    asks_for_picture_menu: bool = False
    picture_menu: bool = False
    marked: tuple[int, int, int, int] | None = None
    messages: Messages = field(default_factory=Messages, compare=False)
    bounds: Bounds = field(default_factory=Bounds)
    history: History = field(default_factory=History, repr=False, compare=False)

    @property
    def shows_bars(self) -> bool:
        """Return whether the menu bar, the toolbar and the bar of findings are visible."""
        return self.bars and self.panels

    @property
    def in_picture_menu(self) -> bool:
        """Return whether the context menu of a pixel is open, or about to be."""
        return self.asks_for_picture_menu or self.picture_menu

    @property
    def view(self) -> View:
        """Return the display view that is chosen for run A."""
        return self.view_of(self.slot)

    def view_of(self, slot: Run) -> View:
        """Return the display view that is chosen for a run's pipeline."""
        pipeline = slot.pipeline
        return pipeline.view(self.views.get(pipeline.name, pipeline.views[0].name))

    @property
    def slot_b(self) -> Run:
        """Return run B: the chosen one or, while linked to A, a copy of A with another variant.

        If B shows another source than A, it also has A's variant, unless another one was chosen.
        """
        if other := self.sources.other:
            of_values = self.slot.pipeline.name == VALUES
            slot = self.slot_of(self._shelved) if of_values else self.slot
            if self.b and self.b.pipeline.name != VALUES:
                slot = with_variant(slot, self.b.variant) if self.linked else self.b
            return fitted(slot, other.ahead, other.scale)
        if self.ahead.values:
            return self.slot
        if self.b and not self.linked:
            return self.b
        compared = replace(self.slot, variant=rival(self.slot, self.absent))
        return with_variant(compared, self.b.variant if self.b else "")

    @property
    def fits(self) -> bool:
        """Whether the image is still fitted: the user has neither zoomed nor moved it since."""
        return (self.zoom, self.center) in (FITTED, self.held)

    @property
    def of_images(self) -> "ViewerState":
        """Return a copy of the state for saving in settings, without files of values in A and B.

        While a file of values is shown, A has the run that it had before; B shows A's source. A
        picture that is held in place while panels open and close counts as fitted.
        """
        kept, of_values = copy(self), self.ahead.values or self.sources.other
        if self.fits:
            kept.zoom, kept.center = kept.held = FITTED
        if of_values:
            kept.sources, kept.ahead = OpenSources(), NOTHING_AHEAD
            kept.slot = self.slot_of(self._shelved) if self.ahead.values else self.slot
        return kept

    @property
    def frame_b(self) -> int:
        """Return the index of the frame that run B computes, in the source of B."""
        frame = self.frame if self.mixing.frozen is None else self.mixing.frozen
        return frame % self.sources.other.length if self.sources.other else frame

    def look_at(self, x: float, y: float) -> None:
        """Move the display so that an image point, in fractions (x, y), is in the middle.

        A point too far away is moved to the nearest allowed one.
        """
        far = FARTHEST_CENTER
        self.center = min(max(x, -far), far), min(max(y, -far), far)

    def choose_view(self, slot: Run, name: str) -> None:
        """Select the view (image display) for a run's pipeline, and show its help as a message."""
        self.set_view(slot.pipeline, name)
        self.clear_place()
        self.hint(f"view {name}: {self.view_of(slot).help}")

    def set_view(self, pipeline: Pipeline, name: str) -> None:
        """Set the display view of a pipeline; raise ``ValueError`` if it has no such view."""
        if pipeline.view(name) == pipeline.views[0]:
            self.views.pop(pipeline.name, None)
        else:
            self.views[pipeline.name] = name

    def clear_place(self, but: str = "") -> None:
        """Switch off everything shown instead of the view, such as errors; keep group ``but``."""
        for name, group in list(vars(self).items()):
            if isinstance(group, ChoiceGroup) and group.in_place and name != but:
                default = getattr(type(group), group.in_place)
                setattr(self, name, group.chosen(group.in_place, default))

    def answer(self, yes: bool, effect: Effect = ()) -> None:
        """Close the question in the window, and request the action for the user's answer.

        Args:
            yes: whether its effect is requested.
            effect: that of another answer, which is requested then; empty: the question's.
        """
        if self.question and yes:
            self.effects.append(effect or self.question.effect)
        elif self.question:
            self.hint(f"not opened: {', '.join(self.question.about)}")
        self.question = None

    def request(self, *effect: str) -> None:
        """Request an effect, an action that the window runs after the frame, by name and arguments.

        ``viewer.window.effects`` lists the names.
        """
        self.effects.append(effect)

    def show_panel(self, name: str) -> None:
        """Open a panel, and show all open panels if they are hidden."""
        self.open_panels.add(name)
        self.panels, self.front, self.behind = True, name, self.behind - {name}

    def show_workspace(self, name: str) -> None:
        """Switch to another workspace (panel arrangement), with a message; save the present one."""
        if name != self.workspaces.name:
            panels = set(self.open_panels)
            if name == COMPARE and not self.mixing.shows_b:
                compare(self, "side-by-side")
            elif self.workspaces.name == COMPARE and self.mixing.mode == "side-by-side":
                compare(self, "off")
            self.workspaces, self.open_panels = self.workspaces.shown(name, panels)
        self.panels, self.front = True, ""
        self.hint(f"{name}: {help_of(name)}")

    def name_workspace(self, name: str) -> None:
        """Save the present arrangement of panels as a workspace; report an error if that fails."""
        try:
            self.workspaces = self.workspaces.named(name.strip(), self.open_panels)
        except ValueError as error:
            self.report_error(str(error))

    def reset_workspace(self) -> None:
        """Restore the original arrangement of panels of the workspace, with a message."""
        self.workspaces, self.open_panels = self.workspaces.reset(self.open_panels)
        self.front = ""
        self.hint(f"{self.workspaces.name}: original arrangement of panels restored")

    def delete_workspace(self, name: str) -> None:
        """Delete a workspace (arrangement of panels) that the user named."""
        self.workspaces, self.open_panels = self.workspaces.without(name, self.open_panels)

    def choose_variant(self, name: str) -> None:
        """Switch run A to another variant; if its device is unavailable, report an error."""
        if self._can_run(self.slot, name):
            self.slot = replace(self.slot, variant=name)
            self.hint(f"{name}: {self.slot.declaration.help}")

    def choose_variant_b(self, name: str) -> None:
        """Switch run B to another variant; if its device is unavailable, report an error."""
        if self._can_run(self.slot_b, name):
            self.b = replace(self.slot_b, variant=name)
            self.hint(f"B: {name}: {self.b.declaration.help}")

    def _can_run(self, slot: Run, name: str) -> bool:
        """Return whether this machine can compute a variant of a run's pipeline; report why not."""
        variant = slot.pipeline.variant(name)
        if reason := self.absent.get(variant.device, ""):
            self.report_error(needs(name, variant.device, reason))
        return not reason

    def exchange(self) -> None:
        """Exchange runs A and B, and their sources, with a message."""
        if self.sources.other:
            self.request("exchange sources")
            return
        self.slot, self.b = self.slot_b, self.slot
        self.hint(f"A is now {self.slot.name}, B {self.b.name}")

    def link(self, linked: bool) -> None:
        """Link the parameters of run B to those of run A, or unlink them, with a message."""
        self.b, self.linked = self.slot_b, linked
        self.hint("B uses A's parameters" if linked else "B keeps its parameters")

    def mix(self, **changes: Any) -> None:
        """Change fields of the comparison mode; raise ``ValueError`` for a value out of bounds."""
        self.mixing = replace(self.mixing, **changes)

    def choose_pipeline(self, name: str) -> None:
        """Switch run A to another pipeline with its last parameters, with a message.

        An unlinked B that has A's pipeline switches too. A file of values stays as it is, with a
        message.
        """
        if self.ahead.values:
            self.warn(f"a file of values is shown; {name} needs images")
            return
        follows = self.b is not None and self.b.pipeline.name == self.slot.pipeline.name
        self.shelf[self.slot.pipeline.name] = self.slot
        self.slot = self.slot_of(name)
        if follows and not self.linked:
            self.b = self.slot
        self.hint(self.slot.pipeline.title)

    def slot_of(self, name: str) -> Run:
        """Return a run of a pipeline with its last parameters, or with its defaults."""
        if name == self.slot.pipeline.name:
            return self.slot
        slot = self.shelf.get(name) or default_slot(name, self.absent)
        return slot if self.ahead.values else fitted(slot, self.ahead, self.scale)

    @property
    def _shelved(self) -> str:
        """Return the name of the last pipeline of run A that was not a file of values."""
        return next((name for name in reversed(self.shelf) if name != VALUES), "sgm")

    def fit_slots(self, ahead: Ahead, scale: DepthScale | None = None) -> None:
        """Update runs A and B to begin with the stages, such as rectification, that a source needs.

        While a file of values is shown, A's run is shelved.

        Args:
            ahead: the stages that they run before their own.
            scale: the scale of depths; None while it is unknown.
        """
        self.ahead, self.scale = ahead, scale
        of_values = self.slot.pipeline.name == VALUES
        if ahead.values and not of_values:
            self.shelf.pop(self.slot.pipeline.name, None)
            self.shelf[self.slot.pipeline.name] = self.slot  # the last one of it
        elif of_values and not ahead.values:
            self.slot = self.slot_of(self._shelved)
        if ahead.values and not self.sources.other and not self.mixing.alone:
            self.mix(mode="off")  # there is nothing to compare it with
        self.slot = fitted(self.slot, ahead, scale)
        if self.b and not ahead.values:
            self.b = fitted(self.b, ahead, scale)

    def step_param(self, name: str, steps: int) -> None:
        """Change a parameter of run A by some steps, and show its new value."""
        params = self.slot.params.stepped(name, steps)
        self.slot = replace(self.slot, params=params)
        self.hint(f"{name} {getattr(params, name)}")
