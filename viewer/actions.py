"""What keys do: one table, read by the window, the help overlay and the README."""

from collections.abc import Callable
from dataclasses import dataclass

from gpu.parameters import controls
from gpu.pipeline import Pipeline
from gpu.pipelines import PIPELINES
from viewer import mixing_keys
from viewer.colormaps import COLORMAPS
from viewer.mixing import DIFFERENCES, WIPES
from viewer.panels import PANELS
from viewer.panels.panel import Panel
from viewer.state import ViewerState


@dataclass(frozen=True)
class Action:
    """Something keys do.

    Attributes:
        keys: the keys that do it, such as ``Ctrl+1``, ``Shift+[``, ``F11``.
        run: does it; called with the state and the position of the pressed key in ``keys``.
        short: the keys as shown to people; empty: all of ``keys``.
    """

    keys: tuple[str, ...]
    help: str
    run: Callable[[ViewerState, int], None]
    short: str = ""

    @property
    def shown_keys(self) -> str:
        """The keys as shown to people."""
        return self.short or " ".join(self.keys)


def _variant(state: ViewerState, position: int) -> None:
    variants = state.slot.pipeline.variants
    if position < len(variants):
        state.choose_variant(variants[position].name)
    else:
        state.message = f"{state.slot.pipeline.name} has {len(variants)} variants"


def _pipeline(state: ViewerState, position: int) -> None:
    names = list(PIPELINES)
    if position < len(names):
        state.choose_pipeline(names[position])
    else:
        state.message = f"there are {len(names)} pipelines"


def _view(state: ViewerState, position: int) -> None:
    pipeline = state.slot.pipeline
    names = [view.name for view in pipeline.views]
    name = names[(names.index(state.view.name) + (1, -1)[position]) % len(names)]
    state.views[pipeline.name] = name
    state.message = f"view {name}: {pipeline.view(name).help}"


def _preset(state: ViewerState, position: int) -> None:
    pipeline = state.slot.pipeline
    names = list(pipeline.presets)
    if not names:
        state.message = f"{pipeline.name} has no presets"
        return
    shown = [
        name for name in names if pipeline.preset(name, state.slot.params) == state.slot.params
    ]
    step = (1, -1)[position]
    index = names.index(shown[0]) + step if shown else (0, -1)[position]
    state.choose_preset(names[index % len(names)])


def _colormap(state: ViewerState, position: int) -> None:
    index = COLORMAPS.index(state.colormap) + (1, -1)[position]
    state.colormap = COLORMAPS[index % len(COLORMAPS)]
    state.message = f"colour map {state.colormap}"


def _pause(state: ViewerState, position: int) -> None:
    state.paused = not state.paused
    state.message = "paused" if state.paused else "playing"


def _step_frame(state: ViewerState, position: int) -> None:
    state.paused = True
    state.frame += (-1, 1)[position]
    state.message = f"frame {state.frame}"


def _screenshot(state: ViewerState, position: int) -> None:
    state.wants_screenshot = True


def _fit(state: ViewerState, position: int) -> None:
    state.fit()
    state.message = "fitted to the window"


def _fullscreen(state: ViewerState, position: int) -> None:
    state.fullscreen = not state.fullscreen


def _help(state: ViewerState, position: int) -> None:
    state.help = not state.help


def _panels(state: ViewerState, position: int) -> None:
    state.panels = not state.panels


def _quit(state: ViewerState, position: int) -> None:
    state.closing = True


DIGITS = tuple("123456789")

FIXED = (
    Action(DIGITS, "variant", _variant, "1..9"),
    Action(tuple(f"Ctrl+{d}" for d in DIGITS), "pipeline", _pipeline, "Ctrl+1..9"),
    Action(("V", "Shift+V"), "next or previous view", _view),
    Action(("P", "Shift+P"), "next or previous preset", _preset),
    Action(("M", "Shift+M"), "next or previous colour map", _colormap),
    Action(
        tuple(f"{key}+{d}" for key in ("Shift", "Alt") for d in DIGITS),
        "variant of B",
        mixing_keys.variant_b,
        "Shift+1..9",
    ),
    Action(("C",), "A beside B, or A only", mixing_keys.mode("side-by-side")),
    Action(("W", "Shift+W"), "wipe from A to B, across or down", mixing_keys.mode(*WIPES)),
    Action(("B",), "blink between A and B", mixing_keys.mode("blink")),
    Action(("O",), "onion: B shines through A", mixing_keys.mode("onion")),
    Action(
        ("D", "Shift+D"),
        "difference of A and B, absolute or signed",
        mixing_keys.mode(*DIFFERENCES),
    ),
    Action(("T",), "toggle between A and B", mixing_keys.toggle),
    Action(
        ("Left", "Right"),
        "seam, blink period, onion's mix or difference's reach",
        mixing_keys.adjust,
    ),
    Action(("X",), "exchange A and B", mixing_keys.exchange),
    Action(("Shift+X",), "B keeps its own parameters, or takes A's", mixing_keys.link),
    Action(("Z",), "B stays at this frame, or follows", mixing_keys.freeze),
    Action(
        ("E", "Shift+E"),
        "check that A and B are equal: on screen, every stage",
        mixing_keys.identity,
    ),
    Action(("J", "Shift+J"), "next or previous place where A and B differ", mixing_keys.jump),
    Action(("Space",), "pause or play", _pause),
    Action((",", "."), "previous or next frame", _step_frame),
    Action(("S",), "screenshot that can restore all settings", _screenshot),
    Action(("F",), "fit the picture to the window", _fit),
    Action(("F11",), "full screen", _fullscreen),
    Action(("Tab",), "hide or show panels and status line", _panels),
    Action(("H", "F1"), "this help", _help),
    Action(("Q", "Esc"), "quit", _quit),
)


def actions(pipeline: Pipeline) -> tuple[Action, ...]:
    """All actions while a pipeline is shown: the fixed ones, then those of its parameters."""
    declared = [
        Action(control.keys, f"{name.replace('_', ' ')} down or up", _stepper(name))
        for name, control in controls(pipeline.params).items()
        if control.keys
    ]
    toggles = [Action((panel.key,), f"panel: {panel.help}", _toggle(panel)) for panel in PANELS]
    return FIXED[:2] + tuple(declared) + FIXED[2:] + tuple(toggles)


def _toggle(panel: Panel) -> Callable[[ViewerState, int], None]:
    """What opens a panel that is not seen, and closes one that is."""

    def toggle(state: ViewerState, position: int) -> None:
        if state.panels and panel.name in state.open_panels:
            state.open_panels.discard(panel.name)
        else:
            state.open_panels.add(panel.name)
            state.panels = True

    return toggle


def _stepper(name: str) -> Callable[[ViewerState, int], None]:
    return lambda state, position: state.step_param(name, (-1, 1)[position])


def press(state: ViewerState, key: str) -> bool:
    """Do what a key does; False if it does nothing."""
    for action in actions(state.slot.pipeline):
        if key in action.keys:
            action.run(state, action.keys.index(key))
            return True
    return False


def key_table(pipeline: Pipeline) -> str:
    """The actions as a Markdown table."""
    rows = [f"| `{action.shown_keys}` | {action.help} |" for action in actions(pipeline)]
    return "\n".join(["| Keys | What they do |", "| --- | --- |", *rows])
