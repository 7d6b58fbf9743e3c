"""A random user of the window: keys, texts, clicks, files and sizes, determined by a seed."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from random import Random
from typing import TYPE_CHECKING

from benchmarks.soak_files import Drop
from wheatstone.gpu.pipelines import PIPELINES
from wheatstone.viewer.choices.table import choices, choose
from wheatstone.viewer.display.screen.events import Event
from wheatstone.viewer.io.scenes import SCENES
from wheatstone.viewer.io.sources.opening import open_source
from wheatstone.viewer.io.sources.source_spec import SourceSpec
from wheatstone.viewer.panels import PANELS
from wheatstone.viewer.panels.keys.actions import actions
from wheatstone.viewer.run.run import Run

if TYPE_CHECKING:  # whose import needs OpenGL to be bound
    from wheatstone.viewer.display.screen.offscreen_window import OffscreenWindow
    from wheatstone.viewer.window.app import App

WINDOW_SIZES = ((320, 240), (321, 243), (333, 251), (400, 300), (480, 320), (640, 480), (960, 600))
MINIMISED = (0, 0)
SCENE_SIZES = ((64, 48), (96, 64), (160, 120), (320, 240), (640, 480))  # width, height
SCALES = (1.0, 1.0, 1.5, 2.0)
TYPED = (
    "map",
    "wipe",
    "panel",
    "preset: ",
    "view",
    "save preset",
    "scale",
    "disp",
    "zzz",
    "g",
    "7",
)
PRESET_NAMES = ("one", "two", "three")
HEAVIEST = 2**22  # largest pixels times disparities for a CPU variant of sgm
PATIENCE = 0.5  # seconds after which the user cancels a frame


class RandomUser:
    """A user that performs random actions in a window.

    Args:
        drops: the paths of each drop on the window.
    """

    def __init__(
        self, random: Random, app: "App", window: "OffscreenWindow", drops: list[Drop]
    ) -> None:
        self._random, self._app, self._window, self._drops = random, app, window, drops
        # Actions in 1,000 frames; opening a scene takes a second, a screenshot many frames.
        self._acts: dict[Callable[[], None], int] = {
            self._press_keys: 80,
            self._use_mouse: 60,
            self._choose: 40,
            self._choose_slot: 25,
            self._toggle_panel: 20,
            self._use_palette: 6,
            self._drop: 10,
            self._open_scene: 1,
            self._resize: 8,
            self._rescale: 1,
            self._save: 2,
        }
        self._rest = 1000 - sum(self._acts.values())

    def act(self) -> None:
        """Perform a random action, or none, before the next frame."""
        acts, weights = [*self._acts, None], [*self._acts.values(), self._rest]
        if act := self._random.choices(acts, weights)[0]:
            act()

    def keep_going(self) -> None:
        """Undo requests to close the program, and end work that would take too long."""
        state = self._app.state
        state.closing = False
        progress = self._app.session.progress
        if progress and progress.seconds > PATIENCE:
            self._window.add([Event("key", key="Esc")])
        if self._window.size == MINIMISED:
            self._resize()
        if state.racing and self._random.random() < 0.02:
            state.racing = ""
        self._lighten()

    def _lighten(self) -> None:
        """Reduce the disparities of A and B if their CPU variants would take seconds."""
        state, source = self._app.state, self._app.session.source
        most = HEAVIEST // (source.width * source.height) // 16 * 16
        for slot, name in ((state.slot, "slot"), (state.b, "b")):
            disparities = slot.params.values().get("disparities", 0) if slot else 0
            if slot and disparities > max(most, 16) and not slot.declaration.on_gpu:
                params = slot.params.changed(disparities=max(most, 16))
                setattr(state, name, replace(slot, params=params))

    def _press_keys(self) -> None:
        table = [key for action in actions(self._app.state.slot.pipeline) for key in action.keys]
        keys = self._random.choices(
            [key for key in table if key != "Q"], k=self._random.randint(1, 3)
        )
        self._window.add(Event("key", key=key) for key in keys)

    def _use_mouse(self) -> None:
        x, y = (
            self._random.random() * self._window.size[0],
            self._random.random() * self._window.size[1],
        )
        button, shift = self._random.choice((0, 0, 0, 1, 2)), self._random.random() < 0.2
        events = [Event("move", x=x, y=y)]
        if self._random.random() < 0.3:
            events.append(Event("scroll", x=x, y=y, dy=self._random.choice((-3, -1, 1, 3))))
        elif self._random.random() < 0.8:
            to_x, to_y = x + self._random.randint(-40, 40), y + self._random.randint(-40, 40)
            events.append(Event("press", x=x, y=y, button=button, shift=shift))
            events.append(Event("move", x=to_x, y=to_y))
            events.append(Event("release", x=to_x, y=to_y, button=button, shift=shift))
        self._window.add(events)

    def _choose(self) -> None:
        chosen = self._random.choice(choices())
        state = self._app.state
        values = list(chosen.values(state))
        control = chosen.control
        if values:
            choose(state, chosen.path, self._random.choice(values))
        elif control.kind in ("int", "float"):
            value = self._random.uniform(control.low, control.high)
            choose(state, chosen.path, round(value) if control.kind == "int" else value)

    def _choose_slot(self) -> None:
        """Choose a pipeline, variants of A and B, and a view; fast variants more often."""
        state, random = self._app.state, self._random
        if random.random() < 0.3:
            state.choose_pipeline(random.choice(list(PIPELINES)))
        state.choose_variant(self._variant_of(state.slot))
        if random.random() < 0.3:
            state.choose_variant_b(self._variant_of(state.slot_b))
        state.choose_view(state.slot, random.choice(state.slot.pipeline.views).name)

    def _variant_of(self, slot: Run) -> str:
        """Return a random variant of a slot's pipeline, a fast one more often."""
        variants = slot.pipeline.variants
        weights = [8 if v.on_gpu else 1 if v.name == "reference" else 3 for v in variants]
        return self._random.choices(variants, weights)[0].name

    def _toggle_panel(self) -> None:
        self._window.add([Event("key", key=self._random.choice(PANELS).key)])

    def _use_palette(self) -> None:
        typed = self._random.choice(TYPED)
        events = [Event("key", key="Ctrl+Shift+P"), *_typing(typed)]
        events += [Event("key", key="Down")] * self._random.randint(0, 3)
        events += [Event("key", key="Enter"), *_typing(self._random.choice(PRESET_NAMES))]
        self._window.add([*events, Event("key", key="Enter"), Event("key", key="Esc")])

    def _drop(self) -> None:
        self._window.add([Event("drop", paths=self._random.choice(self._drops))])

    def _open_scene(self) -> None:
        width, height = self._random.choice(SCENE_SIZES)
        scene, seed = self._random.choice(SCENES), self._random.randint(0, 4)
        recipe = {"scene": scene, "seed": seed, "size": f"{width}x{height}"}
        self._app.open_source(open_source(SourceSpec.from_dict(recipe)))

    def _resize(self) -> None:
        rarely = self._random.random() < 0.05
        self._window.resize(*(MINIMISED if rarely else self._random.choice(WINDOW_SIZES)))

    def _rescale(self) -> None:
        self._window.scale = self._random.choice(SCALES)
        self._window.add([Event("scale")])

    def _save(self) -> None:
        """Write a screenshot, all files, or a preset, of which there are only few names."""
        name = self._random.choice(PRESET_NAMES)
        effect = self._random.choice((("screenshot",), ("save all",), ("save preset", name)))
        self._app.state.effects.append(effect)


def _typing(text: str) -> Iterator[Event]:
    """Yield the events of typing a text: a key and a text event for each character."""
    for character in text:
        yield Event("key", key=character.upper())
        yield Event("text", text=character)
