"""What keys do to ranges, colour bar and inspector; ``viewer.keys.actions`` says which keys."""

from dataclasses import replace

from viewer.choices.look import Range, parse_range
from viewer.choices.state import ViewerState


def reset_range(state: ViewerState, position: int) -> None:
    """Show values in the ranges declared."""
    from viewer.panels.histogram.counting import reset_ranges

    reset_ranges(state)


def colorbar(state: ViewerState, position: int) -> None:
    """Show or hide the colour bar."""
    state.look = replace(state.look, colorbar=not state.look.colorbar)
    state.message = "colour bar" if state.look.colorbar else "no colour bar"


def histogram(state: ViewerState, position: int) -> None:
    """Change the histogram's axis of counts, or how much of the image it counts."""
    look = state.look
    if position:
        state.look = replace(look, whole=not look.whole)
        state.message = f"histogram of {'what is seen' if look.whole else 'the whole image'}"
    else:
        state.look = replace(look, logarithmic=not look.logarithmic)
        state.message = f"{'linear' if look.logarithmic else 'logarithmic'} histogram"


def choose_range(state: ViewerState, chosen: Range) -> None:
    """Show what A's view shows in a range.

    Raises:
        ValueError: the view shows nothing in a range.
    """
    from viewer.picture.ranges import range_name
    from viewer.picture.shown import chosen as shown_in

    shown = shown_in(state)
    if not shown.ranged:
        raise ValueError(
            f"range: view {shown.view.name} of {shown.slot.pipeline.name} shows "
            "photos and labels, which have none"
        )
    for name in shown.ranged:
        state.look = state.look.with_range(range_name(shown.slot, name), chosen)


def take_range(state: ViewerState, text: str) -> None:
    """Show what A's view shows in a range that was typed; if that is impossible, say why."""
    try:
        choose_range(state, parse_range(text))
    except ValueError as error:
        state.message = str(error)
