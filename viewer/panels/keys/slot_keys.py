"""The functions that keys call on the runs A and B; ``*_actions.py`` assign keys."""

from collections.abc import Callable
from dataclasses import replace

from wheatstone.gpu.pipelines import PIPELINES
from wheatstone.viewer.choices.comparison import compare, show_parameters
from wheatstone.viewer.choices.mixing import MODES
from wheatstone.viewer.choices.state import ViewerState
from wheatstone.viewer.choices.table import (
    BY_TRUTH,
    choice,
    choose,
    show_view,
    view_shown,
    views_of,
)
from wheatstone.viewer.choices.tuning import presets_of, with_preset
from wheatstone.viewer.display.picture.mixable import can_mix
from wheatstone.viewer.panels.keys.action import TRUTH, MenuItem, calling, nothing
from wheatstone.viewer.run.run import Run
from wheatstone.viewer.words import in_words

DIGITS = 9  # keys that choose by number


def variant(state: ViewerState, position: int) -> None:
    """Set run A's variant to the one at a position in its pipeline's list of variants."""
    if name := _variant_at(state, state.slot, position):
        state.choose_variant(name)


def variant_b(state: ViewerState, position: int) -> None:
    """Set run B's variant to the one at a position in its pipeline's list of variants."""
    if name := _variant_at(state, state.slot_b, position % DIGITS):
        state.choose_variant_b(name)


def variants(state: ViewerState) -> tuple[MenuItem, ...]:
    """List the variants of run A's pipeline as menu lines."""
    return _variants(state, state.slot, ViewerState.choose_variant)


def variants_b(state: ViewerState) -> tuple[MenuItem, ...]:
    """List the variants of run B's pipeline as menu lines."""
    return _variants(state, state.slot_b, ViewerState.choose_variant_b)


def _variants(
    state: ViewerState, slot: Run, choose: Callable[[ViewerState, str], None]
) -> tuple[MenuItem, ...]:
    hidden = [v for v in slot.pipeline.variants if v.hidden and v.name == slot.variant]
    return tuple(
        MenuItem(
            variant.name,
            calling(choose, variant.name),
            variant.help,
            state.absent.get(variant.device, ""),
            variant.name == slot.variant,
        )
        for variant in (*slot.pipeline.offered, *hidden)
    )


def _variant_at(state: ViewerState, slot: Run, position: int) -> str:
    """Return the variant at a position in a run's list; beyond the list empty, with a message."""
    variants = slot.pipeline.offered
    if position < len(variants):
        return variants[position].name
    state.hint(f"{slot.pipeline.name} has {len(variants)} variants")
    return ""


def pipeline(state: ViewerState, position: int) -> None:
    """Set run A's pipeline to the one at a position in the list of all pipelines."""
    names = list(PIPELINES)
    if position < len(names):
        state.choose_pipeline(names[position])
    else:
        state.hint(f"there are {len(names)} pipelines")


def pipelines(state: ViewerState) -> tuple[MenuItem, ...]:
    """List all pipelines as menu lines that set run A's pipeline."""
    chosen, values = state.slot.pipeline.name, state.ahead.values
    why_not = "a file of values is shown" if values else ""
    offers = tuple(
        MenuItem(name, calling(ViewerState.choose_pipeline, name), p.help, why_not, name == chosen)
        for name, p in PIPELINES.items()
    )
    return (*offers, MenuItem(values.name, nothing, values.help, "", True)) if values else offers


def presets(state: ViewerState) -> tuple[MenuItem, ...]:
    """List the presets of run A's pipeline as menu lines, including the user's own."""
    return _presets(state, state.slot, _take_preset)


def presets_b(state: ViewerState) -> tuple[MenuItem, ...]:
    """List the presets of run B's pipeline as menu lines, including the user's own."""
    return _presets(state, state.slot_b, _take_preset_b)


def _presets(
    state: ViewerState, slot: Run, take: Callable[[ViewerState, str], None]
) -> tuple[MenuItem, ...]:
    offers = []
    for name, settings in presets_of(state, slot.pipeline).items():
        help = ", ".join(f"{key} {in_words(value)}" for key, value in settings.items())
        try:
            current, why_not = with_preset(state, slot, name) == slot, ""
        except ValueError as error:  # written for another version
            current, why_not = False, str(error)
        offers.append(MenuItem(name, calling(take, name), help, why_not, current))
    return tuple(offers)


def _take_preset(state: ViewerState, name: str) -> None:
    """Set run A's parameters to those of a preset, and report this in a message."""
    state.slot = with_preset(state, state.slot, name)
    state.hint(f"preset {name}")


def _take_preset_b(state: ViewerState, name: str) -> None:
    """Set run B's parameters to a preset's; they no longer follow run A's; report this.

    B computes with A's variant unless another one was chosen for it.
    """
    slot = state.slot_b if state.b else replace(state.slot_b, variant=state.slot.variant)
    state.b, state.linked = with_preset(state, slot, name), False
    _show_b(state)
    state.hint(f"B: preset {name}")


def _show_b(state: ViewerState) -> None:
    """Show result B next to result A, unless B is on screen already."""
    if not state.mixing.shows_b:
        compare(state, "side-by-side")


def preset_b(state: ViewerState, position: int) -> None:
    """Apply the next preset to run B, skipping presets that change nothing."""
    if name := _next_preset(state, state.slot_b, 1):
        _take_preset_b(state, name)


def preset(state: ViewerState, position: int) -> None:
    """Apply the next or previous preset to run A, skipping presets that change nothing."""
    if name := _next_preset(state, state.slot, (1, -1)[position]):
        _take_preset(state, name)


def _next_preset(state: ViewerState, slot: Run, step: int) -> str:
    """Return the next preset that changes a run; empty, with a message, if there is no preset."""
    by_name = {name: slot for name in presets_of(state, slot.pipeline)}
    for name in list(by_name):
        try:
            by_name[name] = with_preset(state, slot, name)
        except ValueError:
            del by_name[name]  # written for another version
    names = list(by_name)
    shown = [number for number, name in enumerate(names) if by_name[name] == slot]
    begin = shown[0] + step if shown else 0 if step > 0 else -1
    order = [names[(begin + step * n) % len(names)] for n in range(len(names))]
    if not names:
        state.hint(f"{slot.pipeline.name} has no presets")
        return ""
    return next((name for name in order if by_name[name] != slot), order[0])


def view(state: ViewerState, position: int) -> None:
    """Show the next or the previous view that allows the chosen comparison of results A and B."""
    pipeline, step = state.slot.pipeline, (1, -1)[position]
    names = [view.name for view in pipeline.views]
    begin = names.index(state.view.name) + step
    order = [names[(begin + step * n) % len(names)] for n in range(len(names))]
    views = state.views
    fits = (name for name in order if can_mix(replace(state, views=views | {pipeline.name: name})))
    state.choose_view(state.slot, next(fits, order[0]))


def views(state: ViewerState) -> tuple[MenuItem, ...]:
    """List the views of run A's pipeline as menu lines."""
    shown, why_not = view_shown(state, state.slot), choice("truth.show").traits.why_not
    assert why_not
    return tuple(
        MenuItem(
            name,
            calling(_show_view, name),
            help,
            why_not(state, BY_TRUTH[name]) if name in BY_TRUTH else "",
            name == shown,
            TRUTH if name in BY_TRUTH else "",
        )
        for name, help in views_of(state.slot).items()
    )


def _show_view(state: ViewerState, name: str) -> None:
    """Select the view of result A, and report the meaning of the view in a message."""
    show_view(state, state.slot, name)
    state.hint(f"view {name}: {views_of(state.slot)[name]}")


def compare_settings(state: ViewerState, position: int) -> None:
    """Copy run A to run B, show B as well, and open the panel with the parameters of B."""
    state.b, state.linked, state.tuned, state.panels = state.slot, False, "b", True
    _show_b(state)
    show_parameters(state)
    state.hint("change B's parameters in the panel; A keeps its own")


def toggle(state: ViewerState, position: int) -> None:
    """Show result B alone, or result A alone if B alone is shown already."""
    compare(state, "a" if state.mixing.mode == "b" else "b")
    state.hint(MODES[state.mixing.mode])


def adjust(state: ViewerState, position: int) -> None:
    """Change the comparison mode's number, such as the position of the seam of A and B."""
    state.mixing = state.mixing.adjusted((-1, 1)[position])
    state.hint(state.mixing.described() or "nothing to adjust: compare A and B first")


def freeze(state: ViewerState, position: int) -> None:
    """Freeze result B at the frame shown, or let it show the current frame again."""
    choose(state, "mixing.frozen", state.frame if state.mixing.frozen is None else None)


def identity(state: ViewerState, position: int) -> None:
    """Toggle the check whether results A and B are equal, in the picture or after every stage."""
    if position:
        state.stages = not state.stages
    else:
        choose(state, "mixing.check", not state.mixing.check)


def jump(state: ViewerState, position: int) -> None:
    """Pause, and request the next or the previous place where results A and B differ."""
    state.paused = True
    state.jump = (1, -1)[position]
