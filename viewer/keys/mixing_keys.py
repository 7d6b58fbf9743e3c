"""What keys do to B and to how it is shown with A; ``viewer.keys.actions`` says which keys."""

from collections.abc import Callable

from viewer.choices.mixing import MODES
from viewer.choices.state import ViewerState

DIGITS = 9  # keys that choose by number


def mode(*modes: str) -> Callable[[ViewerState, int], None]:
    """What shows A and B in one of these modes, and A alone when that is shown already."""

    def run(state: ViewerState, position: int) -> None:
        mode = modes[position]
        state.mix(mode="off" if state.mixing.mode == mode else mode)
        state.message = f"{state.mixing.mode}: {MODES[state.mixing.mode]}"

    return run


def toggle(state: ViewerState, position: int) -> None:
    """Show A or B alone, in turn."""
    state.mix(mode="a" if state.mixing.mode == "b" else "b")
    state.message = MODES[state.mixing.mode]


def adjust(state: ViewerState, position: int) -> None:
    """Move the seam, or what else the mode sets, down or up."""
    state.mixing = state.mixing.adjusted((-1, 1)[position])
    state.message = state.mixing.described() or "nothing to adjust: compare A and B first"


def variant_b(state: ViewerState, position: int) -> None:
    """Choose B's variant by its number."""
    variants = state.slot_b.pipeline.variants
    place = position % DIGITS
    if place < len(variants):
        state.choose_variant_b(variants[place].name)
    else:
        state.message = f"{state.slot_b.pipeline.name} has {len(variants)} variants"


def exchange(state: ViewerState, position: int) -> None:
    """Let A become B, and B A."""
    state.exchange()


def link(state: ViewerState, position: int) -> None:
    """Let B keep its parameters, or take A's."""
    state.link(not state.linked)


def freeze(state: ViewerState, position: int) -> None:
    """Let B stay at the frame shown, or follow."""
    frozen = state.frame if state.mixing.frozen is None else None
    state.mix(frozen=frozen)
    state.message = "B follows the source" if frozen is None else f"B stays at frame {frozen}"


def identity(state: ViewerState, position: int) -> None:
    """Check equality on screen, or stage by stage."""
    if position:
        state.stages = not state.stages
        return
    state.mix(check=not state.mixing.check)
    state.message = "A and B are checked" if state.mixing.check else "no check of equality"


def jump(state: ViewerState, position: int) -> None:
    """Go to the next or the previous place that differs."""
    state.jump = (1, -1)[position]
