"""Checks whether the pictures of A and B can be mixed in the comparison mode, or why not."""

from wheatstone.viewer.choices.mixing import DIFFERENCES, WIPES
from wheatstone.viewer.choices.state import ViewerState
from wheatstone.viewer.display.picture.shown import Shown, chosen, chosen_b
from wheatstone.viewer.io.sources.grey import from_source

ANY_SIZE = (4096, 4096)  # height and width of a source that no parameter is too large for


def can_mix(state: ViewerState) -> bool:
    """Return whether the pictures of A and B can be mixed as chosen, without opening the source."""
    if state.mixing.alone:
        return True
    try:
        check_mixable(state, chosen(state), chosen_b(state), *ANY_SIZE)
    except ValueError:
        return False
    return True


def check_mixable(state: ViewerState, a: Shown, b: Shown, height: int, width: int) -> None:
    """Raise ``ValueError`` if the views of A and B cannot be mixed for images of a size."""
    mode = state.mixing.mode
    for shown in (a, b):
        if shown.view.one_cell:
            raise ValueError(
                f"view {shown.view.name} already overlays two images; choose another view to "
                "compare A and B"
            )
    if mode == "side-by-side":
        return
    _check_clouds(mode, a, b)
    if len(a.view.panes) != len(b.view.panes):
        raise ValueError(
            f"{mode}: view {a.view.name} of {a.slot.pipeline.name} has {len(a.view.panes)} panes, "
            f"view {b.view.name} of {b.slot.pipeline.name} {len(b.view.panes)}"
        )
    for name, other in zip(a.view.panes, b.view.panes, strict=True):
        shapes = [
            s.slot.image(n).shape(height, width, s.slot.params) for s, n in ((a, name), (b, other))
        ]
        if shapes[0] != shapes[1]:
            raise ValueError(f"{mode}: A's {name} is {shapes[0]}, B's {other} is {shapes[1]}")
        if mode in DIFFERENCES:
            _check_difference(a, b, name, other)
    if mode in DIFFERENCES and all(
        from_source(a.slot.pipeline, a.arrays[pane]) for pane in a.view.panes
    ):
        raise ValueError(
            f"view {a.view.name} shows only the source, so there is no difference; choose "
            "another view to compare A and B"
        )


def _check_clouds(mode: str, a: Shown, b: Shown) -> None:
    clouds = [shown.view.name for shown in (a, b) if shown.view.cloud]
    if clouds and (mode not in WIPES or len(clouds) < 2):
        raise ValueError(
            f"{mode}: view {clouds[0]} is a 3D view, where pixels of A and B do not coincide; "
            "compare side by side, blink, or wipe between two such views"
        )


def _check_difference(a: Shown, b: Shown, name: str, other: str) -> None:
    if a.texture(a.arrays[name]) == b.texture(b.arrays[other]):
        return  # the same image: shown as it is
    one, two = a.slot.image(name), b.slot.image(other)
    if min(len(one.dims), len(two.dims)) > 2:
        return  # colours: A's are shown as they are
    for shown, image in ((a, name), (b, other)):
        if from_source(shown.slot.pipeline, shown.arrays[image]):
            raise ValueError(f"there is no difference with the source's image {image}")
    for side in (one, two):
        if side.labels:
            raise ValueError(f"{side.name} holds labels, which have no difference")
    if (one.unit, one.scale) != (two.unit, two.scale):
        raise ValueError(
            f"no difference of {_kind(a, name)} and {_kind(b, other)}: they differ in unit"
        )


def _kind(shown: Shown, name: str) -> str:
    image = shown.slot.image(name)
    return f"{shown.slot.pipeline.name}'s {name} in {image.scale:g} {image.unit}".rstrip()
