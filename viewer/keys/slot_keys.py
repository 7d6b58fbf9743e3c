"""What keys do to the slots A and B; ``viewer.keys.actions`` says which keys."""

from dataclasses import replace

from gpu.pipelines import PIPELINES
from viewer.choices.mixing import MODES
from viewer.choices.presets import presets_of, with_preset
from viewer.choices.slot import Slot
from viewer.choices.state import ViewerState
from viewer.choices.table import choose
from viewer.picture.mixable import can_mix

DIGITS = 9  # keys that choose by number


def variant(state: ViewerState, position: int) -> None:
    """Choose A's variant by its number."""
    if name := _variant_at(state, state.slot, position):
        state.choose_variant(name)


def variant_b(state: ViewerState, position: int) -> None:
    """Choose B's variant by its number."""
    if name := _variant_at(state, state.slot_b, position % DIGITS):
        state.choose_variant_b(name)


def _variant_at(state: ViewerState, slot: Slot, position: int) -> str:
    """Look up the variant at a position of the slot's list; empty, and a message, without one."""
    variants = slot.pipeline.variants
    if position < len(variants):
        return variants[position].name
    state.message = f"{slot.pipeline.name} has {len(variants)} variants"
    return ""


def pipeline(state: ViewerState, position: int) -> None:
    """Choose A's pipeline by its number."""
    names = list(PIPELINES)
    if position < len(names):
        state.choose_pipeline(names[position])
    else:
        state.message = f"there are {len(names)} pipelines"


def preset(state: ViewerState, position: int) -> None:
    """Choose the next or the previous preset that changes something, the user's own among them."""
    slot, step = state.slot, (1, -1)[position]
    found = {name: slot for name in presets_of(state, slot.pipeline)}
    for name in list(found):
        try:
            found[name] = with_preset(state, slot, name)
        except ValueError:
            del found[name]  # written for another version
    names = list(found)
    shown = [number for number, name in enumerate(names) if found[name] == slot]
    begin = shown[0] + step if shown else (0, -1)[position]
    order = [names[(begin + step * n) % len(names)] for n in range(len(names))]
    if not names:
        state.message = f"{slot.pipeline.name} has no presets"
        return
    name = next((name for name in order if found[name] != slot), order[0])
    state.slot, state.message = found[name], f"preset {name}"


def view(state: ViewerState, position: int) -> None:
    """Show the next or the previous view in which A and B can be mixed as the user chose."""
    pipeline, step = state.slot.pipeline, (1, -1)[position]
    names = [view.name for view in pipeline.views]
    begin = names.index(state.view.name) + step
    order = [names[(begin + step * n) % len(names)] for n in range(len(names))]
    views = state.views
    fits = (name for name in order if can_mix(replace(state, views=views | {pipeline.name: name})))
    state.choose_view(state.slot, next(fits, order[0]))


def toggle(state: ViewerState, position: int) -> None:
    """Show B alone, or A alone if B is already."""
    state.mix(mode="a" if state.mixing.mode == "b" else "b")
    state.message = MODES[state.mixing.mode]


def adjust(state: ViewerState, position: int) -> None:
    """Move the seam, or lower or raise whatever else the mode of comparison sets."""
    state.mixing = state.mixing.adjusted((-1, 1)[position])
    state.message = state.mixing.described() or "nothing to adjust: compare A and B first"


def exchange(state: ViewerState, position: int) -> None:
    """Exchange A and B."""
    state.exchange()


def link(state: ViewerState, position: int) -> None:
    """Let B have parameters of its own, or A's again."""
    state.link(not state.linked)


def freeze(state: ViewerState, position: int) -> None:
    """Freeze B at the frame shown, or let B follow the source again."""
    choose(state, "mixing.frozen", state.frame if state.mixing.frozen is None else None)


def identity(state: ViewerState, position: int) -> None:
    """Turn the check that A and B are equal on or off: of the picture, or of every stage."""
    if position:
        state.stages = not state.stages
    else:
        choose(state, "mixing.check", not state.mixing.check)


def jump(state: ViewerState, position: int) -> None:
    """Go to the next or the previous place where A and B differ."""
    state.jump = (1, -1)[position]
