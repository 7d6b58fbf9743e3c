"""What keys do to the race and to the kernel card; ``viewer.keys.actions`` says which keys."""

from dataclasses import replace

from viewer.choices.state import ViewerState
from viewer.panels.kernels.kernel_card import chosen_slots
from viewer.panels.kernels.kernel_parts import parts

ANY_SIZE = (64, 64)  # a variant has the same kernels at every size


def race(state: ViewerState, position: int) -> None:
    """Let the variants race, or sweep over a parameter; stop what runs."""
    state.racing = "" if state.racing else "sweep" if position else "race"
    if state.racing:
        state.open_panels.add("race")
        state.panels = True


def card(state: ViewerState, position: int) -> None:
    """Read the next kernel, or whole files instead of what is used of them."""
    state.open_panels.add("kernels")
    state.panels = True
    choice = state.kernel_card
    if position:
        state.kernel_card = replace(choice, whole=not choice.whole)
        return
    left, _ = chosen_slots(state)
    names = [p.name for p in parts(left.pipeline, left.declaration, left.params, *ANY_SIZE)]
    index = names.index(choice.left_part) if choice.left_part in names else 0
    name = names[(index + 1) % len(names)]
    state.kernel_card = replace(choice, left_part=name, right_part="")
