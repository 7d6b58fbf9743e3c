"""What of a pipeline is shown: from a view and its declaration to a picture, without OpenGL."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from gpu.execution import active_stages, passed_on
from gpu.pipeline import Image, View
from viewer.colormaps import colormap as map_colors
from viewer.inputs import SOURCE_IMAGES
from viewer.legend import Entry
from viewer.picture import Pane, Picture
from viewer.state import Slot, ViewerState


@dataclass(frozen=True)
class Shown:
    """A view of a frame.

    Attributes:
        frame: its index in the source.
        arrays: for every image of the view the one it means: another one where its stage is off.
        textures: the textures of the arrays, by name; the array's own name for those left out.
    """

    slot: Slot
    view: View
    frame: int
    arrays: Mapping[str, str]
    textures: Mapping[str, str] = field(default_factory=dict)

    @property
    def computed(self) -> list[str]:
        """The arrays that come from the pipeline, not from the source or another pipeline."""
        others = (*SOURCE_IMAGES, *self.guests)
        return [array for array in self.arrays.values() if array not in others]

    @property
    def guests(self) -> list[str]:
        """The arrays of other pipelines, each with its pipeline's name before a dot."""
        return [array for array in self.arrays.values() if "." in array]

    def texture(self, array: str) -> str:
        """The name of an array's texture; empty for none."""
        return self.textures.get(array, array)

    def picture(self, state: ViewerState) -> Picture:
        """It as a picture, in the state's colours and at its place."""
        view, arrays = self.view, self.arrays
        return Picture(
            panes=tuple(self._pane(name, state.colormap) for name in view.panes),
            anaglyph=view.anaglyph,
            zoom=state.zoom,
            center=state.center,
            overlay=self.texture(arrays.get(view.overlay, "")),
            boxes=self.texture(arrays.get(view.boxes, "")),
            region=self.slot.params.values()[view.region] if view.region else None,
            legend=self._legend(state.colormap),
        )

    def _legend(self, colormap: str) -> tuple[Entry, ...]:
        """The labels of all panes, each with its colour."""
        entries = []
        for name in self.view.panes:
            pane, labels = self._pane(name, colormap), self.slot.pipeline.image(name).labels
            colors = map_colors(pane.colormap).tolist() if pane.colormap and labels else []
            entries += [(label, (*colors[pane.entry(i)],)) for i, label in enumerate(labels)]
        return tuple(dict.fromkeys(entries))

    def _pane(self, name: str, colormap: str) -> Pane:
        array, image = self.arrays[name], self.slot.pipeline.image(name)
        if array in SOURCE_IMAGES or is_photo(image):
            return Pane(self.texture(array))
        low, high = limits(image, self.slot)
        invalid = image.invalid(self.slot.params) if image.invalid else None
        texture = self.texture(array)
        return Pane(texture, image.scale, low, high, invalid, image.colormap or colormap)

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
    slot, view = state.slot, state.view
    return Shown(slot, view, state.frame, _arrays(slot, view))


def chosen_b(state: ViewerState) -> Shown:
    """What the state asks for in B; its textures are its own, but for images both have."""
    slot, frozen = state.slot_b, state.mixing.frozen
    view = state.view_of(slot)
    arrays = _arrays(slot, view)
    shown = Shown(slot, view, state.frame if frozen is None else frozen, arrays)
    own = shown.computed if frozen is None else arrays.values()
    return replace(shown, textures={array: f"B {array}" for array in own})


def _arrays(slot: Slot, view: View) -> dict[str, str]:
    names = passed_on(slot.pipeline, slot.declaration, slot.params)
    return {name: names.get(name, name) for name in view.images}


def is_photo(image: Image) -> bool:
    """Whether an image holds grey levels to be shown as they are, averaged when minified."""
    ranged = image.limits or image.invalid
    return image.colormap == "grey" and image.dtype == "uint8" and not ranged


def limits(image: Image, slot: Slot) -> tuple[float, float]:
    """Smallest and largest value of an image to show, in its unit.

    Raises:
        ValueError: it is not of whole numbers and its declaration gives none.
    """
    if image.limits:
        return image.limits(slot.params)
    if image.labels:
        return 0, len(image.labels) - 1
    if not np.issubdtype(image.dtype, np.integer):
        raise ValueError(f"{image.name} is {image.dtype}: its declaration must give its limits")
    info = np.iinfo(image.dtype)
    return info.min * image.scale, info.max * image.scale
