"""The title of the window: source, pipeline, variant and preset."""

from wheatstone.viewer.choices.presets import likeness
from wheatstone.viewer.choices.state import ViewerState
from wheatstone.viewer.reading.plain_text import label

PROGRAM = "Wheatstone"


def title(state: ViewerState, source_name: str) -> str:
    """Compose the window's title: file, pipeline and variant, and preset with a star if changed."""
    slot = state.slot if state.mixing.uses_a else state.slot_b
    like = likeness(state, slot)
    preset = f"  {like}" if like.preset else ""
    return f"{label(source_name)}  {slot.name}{preset} - {PROGRAM}"
