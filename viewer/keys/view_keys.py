"""What keys do to A, to the picture and to the program; ``viewer.keys.actions`` says which keys."""

from collections.abc import Callable
from dataclasses import replace

from gpu.pipelines import PIPELINES
from viewer.choices.palette import Palette
from viewer.choices.presets import presets_of, with_preset
from viewer.choices.state import ViewerState
from viewer.colormaps import COLORMAPS
from viewer.panels import PANELS
from viewer.panels.panel import Panel
from viewer.picture.combined import mixes


def variant(state: ViewerState, position: int) -> None:
    """Choose A's variant by its number."""
    variants = state.slot.pipeline.variants
    if position < len(variants):
        state.choose_variant(variants[position].name)
    else:
        state.message = f"{state.slot.pipeline.name} has {len(variants)} variants"


def pipeline(state: ViewerState, position: int) -> None:
    """Choose A's pipeline by its number."""
    names = list(PIPELINES)
    if position < len(names):
        state.choose_pipeline(names[position])
    else:
        state.message = f"there are {len(names)} pipelines"


def view(state: ViewerState, position: int) -> None:
    """Show the next or the previous view, of those in which A and B can be mixed as chosen."""
    pipeline, step = state.slot.pipeline, (1, -1)[position]
    names = [view.name for view in pipeline.views]
    begin = names.index(state.view.name) + step
    order = [names[(begin + step * n) % len(names)] for n in range(len(names))]
    views = state.views
    fits = (name for name in order if mixes(replace(state, views=views | {pipeline.name: name})))
    name = next(fits, order[0])
    state.views[pipeline.name] = name
    state.message = f"view {name}: {pipeline.view(name).help}"


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


def colormap(state: ViewerState, position: int) -> None:
    """Show results in the next or the previous colour map."""
    index = COLORMAPS.index(state.colormap) + (1, -1)[position]
    state.colormap = COLORMAPS[index % len(COLORMAPS)]
    state.message = f"colour map {state.colormap}"


def pause(state: ViewerState, position: int) -> None:
    """Stay at the frame shown, or go on."""
    state.paused = not state.paused
    state.message = "paused" if state.paused else "playing"


def step_frame(state: ViewerState, position: int) -> None:
    """Show the previous or the next frame and stay there."""
    state.paused = True
    state.frame += (-1, 1)[position]
    state.message = f"frame {state.frame}"


def fit(state: ViewerState, position: int) -> None:
    """Show the whole picture."""
    state.fit()
    state.message = "fitted to the window"


def switch(name: str) -> Callable[[ViewerState, int], None]:
    """What turns a field of the state on or off."""

    def turn(state: ViewerState, position: int) -> None:
        setattr(state, name, not getattr(state, name))

    return turn


def errand(name: str) -> Callable[[ViewerState, int], None]:
    """What asks the program for something; see ``viewer.errands``."""
    return lambda state, position: state.errands.append((name,))


def toggle(panel: Panel) -> Callable[[ViewerState, int], None]:
    """What opens a panel that is not seen, and closes one that is."""

    def run(state: ViewerState, position: int) -> None:
        if state.panels and panel.name in state.open_panels:
            state.open_panels.discard(panel.name)
        else:
            state.open_panels.add(panel.name)
            state.panels = True

    return run


def stepper(name: str) -> Callable[[ViewerState, int], None]:
    """What lowers or raises a parameter by a notch."""
    return lambda state, position: state.step_param(name, (-1, 1)[position])


def palette(state: ViewerState, position: int) -> None:
    """Open the palette."""
    state.palette = Palette()


def close(state: ViewerState, position: int) -> None:
    """Close what lies over the picture, the uppermost first; else stop the race, else quit."""
    over = [panel.name for panel in PANELS if panel.place == "over"]
    opened = [name for name in over if name in state.open_panels and state.panels]
    if state.help or state.stages:
        state.help = state.stages = False
    elif opened:
        state.open_panels.discard(opened[-1])
    elif state.racing:
        state.message = f"the {state.racing} was stopped; what it measured stays"
        state.racing = ""
    else:
        state.closing = True


def quit(state: ViewerState, position: int) -> None:
    """Close the program."""
    state.closing = True
