"""What of a pipeline is shown: from a view and its declaration to a picture, without OpenGL."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from gpu.pipeline import View
from gpu.steps import active_stages, passed_on
from viewer.choices.judging import TruthChoice
from viewer.choices.slot import Slot
from viewer.choices.state import ViewerState
from viewer.colormaps import colormap as map_colors
from viewer.picture import truth
from viewer.picture.colorbar import Colorbar
from viewer.picture.legend import Entry
from viewer.picture.panes import Pane, Picture
from viewer.picture.ranges import is_photo, limits, shown_range
from viewer.sources.grey import SOURCE_IMAGES


@dataclass(frozen=True)
class Shown:
    """A view of a frame.

    Attributes:
        frame: its index in the source.
        arrays: for every image of the view the one it means: another one where its stage is off.
        textures: the textures of the arrays, by name; the array's own name for those left out.
        judged: what is shown of ground truth in place of the state's view; None if that is shown.
        lies_over: whether this is an image of one pipeline over a view of another.
    """

    slot: Slot
    view: View
    frame: int
    arrays: Mapping[str, str]
    textures: Mapping[str, str] = field(default_factory=dict)
    judged: TruthChoice | None = None
    lies_over: bool = False

    @property
    def what_shows(self) -> str:
        """Say what needs the images, for a message that they are not kept."""
        if self.lies_over:
            return "which lies over the view"
        return f"which view {self.view.name} shows; choose another variant or view"

    @property
    def computed(self) -> list[str]:
        """The arrays that come from the pipeline, not from the source or another pipeline."""
        others = (*SOURCE_IMAGES, *self.overlays)
        return [array for array in self.arrays.values() if array not in others]

    @property
    def overlays(self) -> list[str]:
        """The arrays of other pipelines, each with its pipeline's name before a dot."""
        return [array for array in self.arrays.values() if "." in array]

    def texture(self, array: str) -> str:
        """The name of an array's texture; empty for none."""
        return self.textures.get(array, array)

    def picture(self, state: ViewerState) -> Picture:
        """It as a picture, in the state's colours and at its place."""
        view, arrays = self.view, self.arrays
        return Picture(
            panes=tuple(self._pane(name, state) for name in view.panes),
            anaglyph=view.anaglyph,
            zoom=state.zoom,
            center=state.center,
            overlay=self.texture(arrays.get(view.overlay, "")),
            boxes=self.texture(arrays.get(view.boxes, "")),
            region=self.slot.params.values()[view.region] if view.region else None,
            legend=self._legend(state),
            bars=self._bars(state) if state.look.colorbar else (),
        )

    def _legend(self, state: ViewerState) -> tuple[Entry, ...]:
        """The labels of all panes, each with its colour."""
        if self.judged and self.judged.show == "errors":
            return truth.error_legend(self.judged)
        entries = []
        for name in self.view.panes:
            pane, labels = self._pane(name, state), self.slot.pipeline.image(name).labels
            colors = map_colors(pane.colormap).tolist() if pane.colormap and labels else []
            entries += [(label, (*colors[pane.entry(i)],)) for i, label in enumerate(labels)]
        return tuple(dict.fromkeys(entries))

    def _bars(self, state: ViewerState) -> tuple[Colorbar, ...]:
        """What the colours of the panes' values mean."""
        bars = []
        for name in self.ranged:
            pane, image = self._pane(name, state), self.slot.pipeline.image(name)
            low, high = limits(image, self.slot)
            bars.append(
                Colorbar(
                    "ground truth" if self.judged else name.replace("_", " "),
                    image.unit,
                    pane.low,
                    pane.high,
                    pane.scale,
                    pane.colormap or state.colormap,
                    (pane.low > low, pane.high < high),
                    pane.invalid is not None,
                )
            )
        return tuple(dict.fromkeys(bars))

    @property
    def ranged(self) -> list[str]:
        """The panes that are shown in a range of values: neither photos nor labels."""
        if self.judged and self.judged.show == "errors":
            return []
        declared = self.slot.pipeline.image
        values = [n for n in self.view.panes if self.arrays[n] not in SOURCE_IMAGES]
        return [n for n in values if not is_photo(declared(n)) and not declared(n).labels]

    def _pane(self, name: str, state: ViewerState) -> Pane:
        array, image = self.arrays[name], self.slot.pipeline.image(name)
        if array in SOURCE_IMAGES or is_photo(image):
            return Pane(self.texture(array))
        low, high = shown_range(state, self.slot, image)
        invalid = image.invalid(self.slot.params) if image.invalid else None
        texture = self.texture(array)
        colormap = image.colormap or state.colormap
        pane = Pane(texture, image.scale, low, high, invalid, colormap)
        known = self.texture(truth.TEXTURE)
        return truth.judged_pane(pane, known, self.judged) if self.judged else pane

    def check_single_image(self, source: str) -> None:
        """Raise ``ValueError`` if it takes a right image, which the source of this name lacks."""
        slot = self.slot
        names = passed_on(slot.pipeline, slot.declaration, slot.params)
        stages = active_stages(slot.pipeline, slot.declaration, slot.params, self.computed)
        if "right" in {names.get(name, name) for stage in stages for name in stage.reads}:
            needy = slot.pipeline.name
        elif "right" in self.arrays.values():
            needy = f"view {self.view.name} of {slot.pipeline.name}"
        else:
            return
        raise ValueError(
            f"{needy} needs a stereo pair; {source} is a single image: give a right image too"
        )


def chosen(state: ViewerState) -> Shown:
    """What the state asks for in A."""
    slot = state.slot
    view, judged = truth.view_of(slot.pipeline, state.view, state.truth)
    return Shown(slot, view, state.frame, _arrays(slot, view), judged=judged)


def chosen_b(state: ViewerState) -> Shown:
    """What the state asks for in B; its textures are its own, but for images both have."""
    slot, frozen = state.slot_b, state.mixing.frozen
    view, judged = truth.view_of(slot.pipeline, state.view_of(slot), state.truth)
    arrays, index = _arrays(slot, view), state.frame if frozen is None else frozen
    shown = Shown(slot, view, index, arrays, judged=judged)
    own = [*(shown.computed if frozen is None else arrays.values())]
    own += [truth.TEXTURE] if judged else []
    return replace(shown, textures={array: f"B {array}" for array in own})


def overlaid(state: ViewerState, shown: Shown) -> dict[str, Shown]:
    """List what lies over a view, by texture, with the settings its pipelines were left with."""
    found = {}
    for array in shown.overlays:
        name, image = array.split(".")
        slot, texture = state.slot_of(name), shown.texture(array)
        view = View(array, (image,), "An image over a view of another pipeline.")
        over = Shown(slot, view, shown.frame, {image: image}, {image: texture}, lies_over=True)
        found[texture] = over
    return found


def _arrays(slot: Slot, view: View) -> dict[str, str]:
    names = passed_on(slot.pipeline, slot.declaration, slot.params)
    return {name: names.get(name, name) for name in view.images}
