"""Views of a run's result for a frame, and their conversion to pictures without OpenGL."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from itertools import chain
from operator import attrgetter
from typing import Any

from wheatstone.gpu.pipeline import View
from wheatstone.gpu.pipelines.ahead import RECTIFIED
from wheatstone.gpu.steps import active_stages, on_demand, passed_on
from wheatstone.viewer.choices.cloud import CloudChoice
from wheatstone.viewer.choices.judging import TruthChoice
from wheatstone.viewer.choices.mixing import DIFFERENCES
from wheatstone.viewer.choices.state import ViewerState
from wheatstone.viewer.choices.temporal import TemporalChoice
from wheatstone.viewer.display.picture import temporal, truth
from wheatstone.viewer.display.picture.colorbar import Colorbar
from wheatstone.viewer.display.picture.legend import Entry
from wheatstone.viewer.display.picture.panes import Cloud, Mix, Pane, Picture
from wheatstone.viewer.display.picture.pixel_values import MOST_DIGITS, ValueForm, digits_of
from wheatstone.viewer.display.picture.ranges import (
    is_photo,
    label_entries,
    limits,
    range_name,
    value_pane,
)
from wheatstone.viewer.findings import CHOOSE_RIGHT_VIEW, GIVE_RIGHT
from wheatstone.viewer.io.cameras.calibration import Calibration
from wheatstone.viewer.io.sources.grey import from_source
from wheatstone.viewer.memo import Memo
from wheatstone.viewer.run.run import Run
from wheatstone.viewer.words import spoken

ROW_SPACING = 40  # image rows from one line along rows to the next
CHOOSE_RIGHT = f"click {CHOOSE_RIGHT_VIEW.label} to add its right image"


class NoRightImage(ValueError):
    """An error raised if a view needs a right image, which its source lacks.

    Its text is for the command line.

    Args:
        problem: names the view and its source.

    Attributes:
        in_window: the text for a window.
    """

    def __init__(self, problem: str) -> None:
        super().__init__(f"{problem}: {GIVE_RIGHT}")
        self.in_window = f"{problem}: {CHOOSE_RIGHT}"


@dataclass(frozen=True)
class Shown:
    """A view of a run's result, computed for a frame.

    Attributes:
        frame: the frame's index in the source.
        arrays: the array that stands for every image of the view: where a stage is off, that of
            the stage before.
        textures: the names of the arrays' textures, where they differ from the arrays'.
        judged: the choice of ground truth that is shown in place of the state's view, or None.
        temporal: the choice of temporal measurement shown in place of the state's view, or None.
        lies_over: whether this is an image of one pipeline over a view of another.
        elsewhere: whether the frame is one of B's own source, not of A's.
    """

    slot: Run
    view: View
    frame: int
    arrays: Mapping[str, str]
    textures: Mapping[str, str] = field(default_factory=dict)
    judged: TruthChoice | None = None
    temporal: TemporalChoice | None = None
    lies_over: bool = False
    elsewhere: bool = False

    @property
    def what_shows(self) -> str:
        """Return a clause for an error message: which view or overlay needs a missing image."""
        if self.lies_over:
            return "which lies over the view"
        return f"which view {self.view.name} shows; choose another variant or view"

    def at(self, frame: int) -> "Shown":
        """Return the same view for another frame; cached properties are copied.

        None of them depends on the frame: properties cached here must not.
        """
        if frame == self.frame:
            return self
        _ = self.looks, self.on_demand  # found out here, once, and not of every frame
        same = object.__new__(Shown)
        vars(same).update(vars(self), frame=frame)
        return same

    @cached_property
    def looks(self) -> tuple[Any, ...]:
        """Return all fields except the frame, as the same tuple object for all frames."""
        return _BUT_FRAME(self)

    @cached_property
    def computed(self) -> tuple[str, ...]:
        """List the view's arrays that its pipeline computes, without inputs and overlays."""
        arrays = [array for array in self.arrays.values() if array not in self.overlays]
        return tuple(array for array in arrays if not from_source(self.slot.pipeline, array))

    @cached_property
    def on_demand(self) -> frozenset[str]:
        """Return the names of the view's arrays that are computed only while they are viewed."""
        seldom = on_demand(self.slot.pipeline, self.slot.declaration)
        return frozenset(self.computed).intersection(seldom)

    @property
    def written(self) -> str:
        """Return the image to save: the view's first computed one, else the pipeline's output."""
        pipeline, own = self.slot.pipeline, self.computed
        panes = [n for n in self.view.panes if self.arrays[n] in own]
        flat = [n for n in panes if pipeline.image(n).dims == ("height", "width")]
        return flat[0] if flat else pipeline.output

    def wanting(self, name: str) -> "Shown":
        """Return a view that includes an image: this one, else a view of that image alone."""
        if name in self.arrays or name not in on_demand(self.slot.pipeline, self.slot.declaration):
            return self
        view = View(name, (name,), "An image that is looked at alone.")
        return self._of(view)

    def _of(self, view: View) -> "Shown":
        arrays = _arrays(self.slot, view, CloudChoice())
        return replace(self, view=view, arrays=arrays, judged=None, temporal=None)

    @cached_property
    def overlays(self) -> tuple[str, ...]:
        """List the images of other pipelines drawn over the view, as ``pipeline.image``."""
        return tuple(array for array in self.arrays.values() if "." in array)

    def texture(self, array: str) -> str:
        """Return the name of the texture that shows an array; empty for no array."""
        return self.textures.get(array, array)

    def picture(self, state: ViewerState, calibration: Calibration | None = None) -> Picture:
        """Make the picture of the view, with colour map, ranges and zoom of the viewer state."""
        view, arrays = self.view, self.arrays
        picture = Picture(
            panes=tuple(self.pane(name, state) for name in view.panes),
            anaglyph=view.anaglyph,
            zoom=state.zoom,
            center=state.center,
            overlay=self.texture(arrays.get(view.overlay, "")),
            boxes=self.texture(arrays.get(view.boxes, "")),
            region=self.slot.params.values()[view.region] if view.region else None,
            legend=self._legend(state),
            bars=self._bars(state) if state.look.colorbar else (),
            row_lines=ROW_SPACING if view.row_lines or state.look.row_lines else 0,
            cloud=self._cloud(state, calibration) if view.cloud else None,
            values=tuple(self.form(name, state) for name in view.panes)
            if state.look.pixel_values and not view.cloud
            else (),
        )
        return _wiped(picture, state) if view.wipe else picture

    def _cloud(self, state: ViewerState, calibration: Calibration | None) -> Cloud:
        chosen, pixel = state.cloud, state.look.pin
        return Cloud(
            self.pane(cloud_color(self.view, chosen), state),
            chosen.orbit,
            chosen.surface,
            chosen.jump,
            chosen.guides,
            chosen.pivot,
            calibration,
            pixel,
        )

    def _legend(self, state: ViewerState) -> tuple[Entry, ...]:
        if self.of_errors:
            assert self.judged
            return truth.error_legend(self.judged)
        entries = (
            label_entries(self.slot.image(name), self.pane(name, state)) for name in self.view.panes
        )
        return tuple(dict.fromkeys(chain(*entries)))

    def _bars(self, state: ViewerState) -> tuple[Colorbar, ...]:
        bars = []
        for name in self.ranged:
            if self.view.cloud and name != cloud_color(self.view, state.cloud):
                continue
            pane, image = self.pane(name, state), self.slot.image(name)
            if image.binary and not self.temporal:
                continue  # the legend names its two values
            low, high = limits(image, self.slot)
            bars.append(
                Colorbar(
                    self.title(name),
                    temporal.unit_of(self.temporal) if self.temporal else image.unit,
                    pane.low,
                    pane.high,
                    pane.scale,
                    pane.colormap or state.colormap,
                    temporal.beyond(self.temporal)
                    if self.temporal
                    else (pane.low > low, pane.high < high or image.depths is not None),
                    pane.invalid is not None,
                    hatched=pane.hatched,
                    image="" if self.temporal else range_name(self.slot, name),
                )
            )
        return tuple(dict.fromkeys(bars))

    @property
    def of_two_values(self) -> bool:
        """Return whether the view shows binary images, whose difference always has a sign."""
        return any(self.slot.image(name).binary for name in self.view.panes)

    @property
    def of_errors(self) -> bool:
        """Return whether the view shows errors in place of the result."""
        return self.judged is not None and self.judged.show == "errors"

    @property
    def ranged(self) -> list[str]:
        """List the images that are shown in a range of values: neither photos nor labels."""
        if self.of_errors:
            return []
        declared = self.slot.pipeline.image
        source = self.slot.pipeline
        names = [n for n in self.view.colors if n in self.computed] or self.view.panes
        values = [n for n in names if not from_source(source, self.arrays[n])]
        return [n for n in values if not is_photo(declared(n)) and not declared(n).labels]

    def form(self, name: str, state: ViewerState) -> ValueForm:
        """Return the text format of the values of one of the view's images."""
        image, pane = self.slot.image(name), self.pane(name, state)
        if from_source(self.slot.pipeline, self.arrays[name]) or is_photo(image):
            return ValueForm(unit="grey")
        if self.temporal:
            unit = temporal.unit_of(self.temporal)
            return ValueForm(MOST_DIGITS, unit=unit, ends=(pane.low, pane.high))
        digits, invalid = digits_of(image, pane.low, pane.high), pane.invalid
        ends = limits(image, self.slot) if self.judged else (pane.low, pane.high)
        return ValueForm(digits, image.scale, invalid, image.unit, image.labels, ends)

    def title(self, name: str) -> str:
        """Return the title of an image's values, such as that of its colour bar."""
        if self.temporal:
            return temporal.title_of(self.temporal)
        return "ground truth" if self.judged else spoken(name)

    def pane(self, name: str, state: ViewerState) -> Pane:
        """Return the display settings of one of the view's images."""
        array, image = self.arrays[name], self.slot.image(name)
        if from_source(self.slot.pipeline, array) or is_photo(image):
            return Pane(self.texture(array), colored=len(image.dims) > 2)
        pane = value_pane(state, self.slot, image, self.texture(array))
        if self.temporal:
            return temporal.temporal_pane(pane, self.texture(temporal.TEXTURE), self.temporal)
        known = self.texture(truth.TEXTURE)
        if self.judged:
            return truth.judged_pane(pane, known, self.judged)
        return replace(pane, hatched=image.disparity and state.look.outside)

    def check_single_image(self, source: str) -> None:
        """Raise ``NoRightImage`` if the view needs a right image, which the named source lacks."""
        slot = self.slot
        names = passed_on(slot.pipeline, slot.declaration, slot.params)
        stages = active_stages(slot.pipeline, slot.declaration, slot.params, self.computed)
        read = {names.get(name, name) for stage in stages for name in stage.reads}
        right = {"right", "raw_right"}
        if right & read:
            needy = slot.pipeline.name
        elif right & set(self.arrays.values()):
            needy = f"view {self.view.name} of {slot.pipeline.name}"
        else:
            return
        raise NoRightImage(f"{needy} needs a stereo pair; {source} is a single image")


_BUT_FRAME = attrgetter(*(each.name for each in fields(Shown) if each.name != "frame"))


def _wiped(picture: Picture, state: ViewerState) -> Picture:
    first, second = (
        replace(picture, panes=(pane,), values=picture.values[number : number + 1])
        for number, pane in enumerate(picture.panes)
    )
    return replace(first, second=second, mix=Mix("wipe", state.mixing.seam))


def chosen(state: ViewerState) -> Shown:
    """Return the view of result A that the viewer state chooses."""
    slot = state.slot
    return _showing(state, slot, state.view, state.frame)


def chosen_b(state: ViewerState, slot: Run | None = None) -> Shown:
    """Return the view of result B that the viewer state chooses.

    ``slot``: B's run, if the caller knows it. B has its own textures, except
    for the images of the source, unless it is frozen at a frame or shows another source.
    """
    slot, elsewhere = slot or state.slot_b, state.sources.other is not None
    separate = elsewhere or state.mixing.frozen is not None
    shown = _showing(state, slot, state.view_of(slot), state.frame_b)
    own = [*(shown.arrays.values() if separate else shown.computed)]
    own += [truth.TEXTURE] if shown.judged else []
    own += [temporal.TEXTURE] if shown.temporal else []
    textures = {array: f"B {array}" for array in own}
    return replace(shown, textures=textures, elsewhere=elsewhere)


def _showing(state: ViewerState, slot: Run, view: View, frame: int) -> Shown:
    """Return the chosen view of a result, or the temporal measure, errors or truth in its place."""
    view, changes = temporal.view_of(slot.pipeline, view, state.temporal)
    judged = None
    if not changes and state.mixing.mode not in DIFFERENCES:  # errors have no difference
        view, judged = truth.view_of(slot.pipeline, view, state.truth)
    arrays = _arrays(slot, view, state.cloud)
    measured = state.temporal if changes else None
    return Shown(slot, view, frame, arrays, judged=judged, temporal=measured)


def overlaid(state: ViewerState, shown: Shown) -> dict[str, Shown]:
    """Return the images drawn over a view, keyed by texture, each as a view of its own pipeline.

    Each pipeline has its last settings, else its defaults.
    """
    by_name = {}
    for array in shown.overlays:
        name, image = array.split(".")
        slot, texture = state.slot_of(name), shown.texture(array)
        view = View(array, (image,), "An image over a view of another pipeline.")
        over = Shown(slot, view, shown.frame, {image: image}, {image: texture}, lies_over=True)
        over = replace(over, elsewhere=shown.elsewhere)
        by_name[texture] = over
    return by_name


def cloud_color(view: View, cloud: CloudChoice) -> str:
    """Return the name of the image that colours a point cloud: the chosen or the first one."""
    names = cloud.color, RECTIFIED + cloud.color
    return next((name for name in names if name in view.colors), view.panes[0])


def _arrays(slot: Run, view: View, cloud: CloudChoice) -> dict[str, str]:
    """Map the name of every image of a view to the name of the array that stores it.

    The images of the source that may colour a cloud are there at once when they are chosen.
    """
    names = passed_on(slot.pipeline, slot.declaration, slot.params)
    chosen = cloud_color(view, cloud)
    colors = [n for n in view.colors if from_source(slot.pipeline, n) or n == chosen]
    return {name: names.get(name, name) for name in (*view.images, *colors)}


class WantedImages:
    """A cache of the views that the viewer state chooses for results A and B, kept across frames.

    Usually only the frame's index changes, and many properties of a view are cached with it.
    """

    def __init__(self, state: ViewerState) -> None:
        self._state = state
        self._a, self._b = Memo[Shown](), Memo[Shown]()
        self._slot_b = Memo[Run]()

    @property
    def a(self) -> Shown:
        """Return the view of result A that must be shown."""
        state = self._state
        return self._a.of(self._choices(state.slot), lambda: chosen(state)).at(state.frame)

    @property
    def b(self) -> Shown:
        """Return the view of result B that must be shown."""
        state = self._state
        decide = state.slot, state.b, state.linked, state.absent, state.sources
        slot = self._slot_b.of(decide, lambda: state.slot_b)
        of_b = state.mixing.frozen is None, state.sources.compared
        choices = (*self._choices(slot), *of_b)
        shown = self._b.of(choices, lambda: chosen_b(state, slot))
        return shown.at(state.frame_b)

    def _choices(self, slot: Run) -> tuple[Any, ...]:
        state = self._state
        view, differs = state.views.get(slot.pipeline.name), state.mixing.mode in DIFFERENCES
        return slot, view, state.temporal, state.truth, state.cloud, differs
