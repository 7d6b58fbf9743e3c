"""Choice of the value range in which images are shown, and reset to the declared range."""

from wheatstone.viewer.choices.look import Range, parse_range
from wheatstone.viewer.choices.mixing import DIFFERENCES, Mixing
from wheatstone.viewer.choices.state import ViewerState
from wheatstone.viewer.display.picture.ranges import shown_range, with_range
from wheatstone.viewer.display.picture.shown import chosen, chosen_b

NOTHING = "nothing on screen has a range: photos and labels are shown unchanged"


def choose_range(state: ViewerState, wanted: Range) -> None:
    """Set the display range of values of result A; raise ``ValueError`` if its images have none."""
    shown = chosen(state)
    if not shown.ranged:
        raise ValueError(
            f"range: view {shown.view.name} of {shown.slot.pipeline.name} shows "
            "photos and labels, which have none"
        )
    for name in shown.ranged:
        image = shown.slot.image(name)
        state.look = with_range(state.look, shown.slot, image, wanted)


def take_range(state: ViewerState, text: str) -> None:
    """Set the display range of result A from a text, LOW,HIGH; report an error if impossible."""
    try:
        choose_range(state, parse_range(text))
    except ValueError as error:
        state.report_error(str(error))


def reset_ranges(state: ViewerState) -> None:
    """Reset the images of results A and B to their declared display ranges, and show a message."""
    texts = []
    for shown in (chosen(state), chosen_b(state)):
        for name in shown.ranged:
            image = shown.slot.image(name)
            state.look = with_range(state.look, shown.slot, image, None)
            low, high = shown_range(state, shown.slot, image)
            texts.append(f"{name} {low:g} to {high:g} {image.unit}".rstrip())
    if state.mixing.mode in DIFFERENCES:
        state.mixing = state.mixing.chosen("reach", Mixing.reach)
        texts.append(state.mixing.described())
    state.hint("shown: " + ", ".join(dict.fromkeys(texts)) if texts else NOTHING)
