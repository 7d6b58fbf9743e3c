"""Compute the viewer state of each lesson step, whose lines change the pipeline's defaults."""

from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from typing import Any

from wheatstone.gpu.parameters import did_you_mean
from wheatstone.gpu.pipelines import PIPELINES
from wheatstone.viewer.choices.declared import current_name
from wheatstone.viewer.choices.learning import LESSON, Lesson, LessonUnderWay, StateLine
from wheatstone.viewer.choices.state import ViewerState
from wheatstone.viewer.io.reading.plain_text import cut
from wheatstone.viewer.options import center
from wheatstone.viewer.panels import PANELS
from wheatstone.viewer.panels.keys.actions import actions, press
from wheatstone.viewer.panels.lessons.drawing import check_drawing
from wheatstone.viewer.settings.choice_options import parse_shown
from wheatstone.viewer.settings.given_options import apply_options
from wheatstone.viewer.settings.layers import Machine, merged
from wheatstone.viewer.settings.recipe import Recipe, restore, to_recipe
from wheatstone.viewer.settings.saved_choices import of_window

KEPT = ("theme", "scale")
"""Choices of ``look`` that keep the reader's values."""
VERBS = ("pixel", "template", "panel", "draw", "key")
EFFECTS = ("fit range", "worst region")
"""Effects that a key of a lesson may request: neither files nor other sources."""


@dataclass(frozen=True)
class StepState:
    """The settings, panels, keys and drawings that a lesson's step requests.

    Attributes:
        recipe: the settings.
        panels: the panels open in addition to the lesson's.
        keys: pressed after that.
        draws: the drawings over the picture.
        notes: the parts that this machine cannot show, and why.
    """

    recipe: Recipe
    panels: frozenset[str] = frozenset()
    keys: tuple[str, ...] = ()
    draws: tuple[tuple[str, ...], ...] = ()
    notes: tuple[str, ...] = field(default=())


def base_state(state: ViewerState, lesson: Lesson, size: tuple[int, int]) -> StepState:
    """Return the initial state of a lesson, based on the defaults of its pipeline.

    Args:
        state: the state whose look, frame and presets are kept.
        size: height and width of the frames shown.

    Raises:
        ValueError: a line has no meaning; the message names it.
    """
    machine = Machine(state.absent, state.presets)
    return step_state(StepState(_base(state, machine, lesson)), lesson.base, machine, size)


def step_state(
    below: StepState, lines: Sequence[StateLine], machine: Machine, size: tuple[int, int]
) -> StepState:
    """Apply the lines of a lesson step (options, pins, panels, keys) to the state of earlier lines.

    Args:
        size: height and width of the frames shown.

    Raises:
        ValueError: a line has no meaning; the message names it.
    """
    state = below
    for line in lines:
        try:
            state = _with_line(state, line.words, machine, size)
        except ValueError as error:
            raise ValueError(f"{error} (line {line.number})") from None
    return state


def _base(state: ViewerState, machine: Machine, lesson: Lesson) -> Recipe:
    """Return the initial settings of a lesson: defaults, but the user's theme, scale and frame."""
    kept = {name: getattr(state.look, name) for name in KEPT}
    frame = {"frame": state.frame, "paused": True}
    own = {"view": frame, "chosen": {"look": kept}}
    return merged(machine.defaults(lesson.pipeline), {"chosen": of_window()}, own)


def _with_line(
    state: StepState, words: tuple[str, ...], machine: Machine, size: tuple[int, int]
) -> StepState:
    """Apply a line of a lesson (options, pin, panel, key). Raises ``ValueError`` if invalid."""
    verb, rest = words[0], words[1:]
    if verb in PIPELINES or verb.startswith("--"):
        return _with_options(state, words, machine)
    if verb not in VERBS:
        like = did_you_mean(verb, (*VERBS, *PIPELINES))
        problem = f"a line begins with an option, a pipeline, or {', '.join(VERBS)}"
        raise ValueError(f"{problem} (got {cut(repr(verb), LONGEST)}{like})")
    if verb == "pixel":
        pin = {"look": {"pin": pixel_of(rest, size)}}
        return replace(state, recipe=merged(state.recipe, {"chosen": pin}))
    if verb == "template":
        params = state.recipe["params"] | {"template": template_of(rest, state.recipe, size)}
        return replace(state, recipe=merged(state.recipe, {"params": params}))
    if verb == "panel":
        return replace(state, panels=frozenset(panel_of(name) for name in rest))
    if verb == "key":
        return replace(state, keys=(*state.keys, *rest))
    check_drawing(rest)
    return replace(state, draws=(*state.draws, rest))


def _with_options(below: StepState, words: tuple[str, ...], machine: Machine) -> StepState:
    """Apply a lesson line's options to a step's state; skip an unavailable variant with a note."""
    shown = below.recipe["view"]["pipeline"]
    if words[0] in PIPELINES:
        if words[0] != shown:
            raise ValueError(f"a lesson keeps to one pipeline, {shown} (got {words[0]})")
        words = words[1:]
    options = parse_shown(words, PIPELINES[shown])
    notes = below.notes
    for name in ("variant", "b_variant"):
        variant = options.b_variant if name[0] == "b" else options.variant
        known = PIPELINES[options.b_pipeline or shown] if name[0] == "b" else PIPELINES[shown]
        if variant and (why := machine.absent.get(known.variant(variant).device, "")):
            notes = (*notes, f"{variant} needs a GPU, so the picture is that of the CPU: {why}")
            b = name[0] == "b"
            options = replace(options, b_variant=None) if b else replace(options, variant=None)
    state = machine.state(below.recipe)
    apply_options(state, options)
    return replace(below, recipe=to_recipe(state), notes=notes)


def show_state(state: ViewerState, shown: StepState) -> None:
    """Set the window's state to that of a lesson's step, and press the step's keys.

    Raises:
        ValueError: a key writes or opens files, or has no effect.
    """
    before, state.effects = state.effects, []
    panels = state.open_panels
    try:
        restore(state, shown.recipe)
        state.open_panels, state.panels = {LESSON, *shown.panels}, True
        state.front = LESSON
        for key in shown.keys:
            _press(state, key)
    except ValueError:
        state.open_panels = panels
        raise
    finally:
        state.effects = before + state.effects
    state.paused = True


def _press(state: ViewerState, key: str) -> None:
    """Press a key for a lesson; raise ``ValueError`` if it does more than change the view."""
    known = {name for action in actions(state.slot.pipeline) for name in action.keys}
    if key not in known:
        got = cut(repr(key), LONGEST)
        raise ValueError(f"no key is called {got}{did_you_mean(key, known)}")
    press(state, key)
    goes_far = state.closing or state.palette or state.question or state.asks_for_menus
    if goes_far or any(effect[0] not in EFFECTS for effect in state.effects):
        state.closing, state.palette, state.question = False, None, None
        state.asks_for_menus, state.effects = False, []
        raise ValueError(f"a lesson can change only the display: it cannot press {key}")


def check_lesson(lesson: Lesson, state: ViewerState, size: tuple[int, int] = (480, 640)) -> None:
    """Check, in a copy of a viewer state, that every step of a lesson can be shown.

    Args:
        size: height and width of frames.

    Raises:
        ValueError: a line has no meaning; the message names it.
    """
    machine, base = Machine(state.absent, state.presets), base_state(state, lesson, size)
    for number, step in enumerate(lesson.steps):
        for answered in (False, True):
            lines = LessonUnderWay(lesson, {}, number, answered).lines
            trial = copy(state)
            trial.effects, trial.views, trial.shelf = [], dict(state.views), dict(state.shelf)
            trial.history = type(state.history)()
            shown = step_state(base, lines, machine, size)
            try:
                show_state(trial, shown)
            except ValueError as error:
                last = lines[-1].number if lines else step.line
                raise ValueError(f"{error} (the block that ends in line {last})") from None


def document_before(state: ViewerState, document: Mapping[str, Any]) -> Recipe:
    """Return the settings that are restored after a lesson, with the lesson panel closed."""
    window = document.get("window", {})
    panels = [name for name in window.get("panels", ()) if name != LESSON]
    return {**document, "window": {**window, "panels": panels}}


LONGEST = 80  # characters of a word in a message
SMALLEST = 4  # pixels along a side of a template


def pixel_of(words: Sequence[str], size: tuple[int, int]) -> list[int]:
    """Convert an image position X,Y in fractions to the row and the column of a pixel."""
    if len(words) != 1:
        raise ValueError("pixel takes one place X,Y, in fractions of the picture")
    x, y = center(words[0])
    if not (0 <= x <= 1 and 0 <= y <= 1):
        raise ValueError(f"a place lies between 0,0 and 1,1 (got {cut(words[0], LONGEST)})")
    height, width = size
    return [min(int(y * height), height - 1), min(int(x * width), width - 1)]


def template_of(words: Sequence[str], below: Recipe, size: tuple[int, int]) -> list[int]:
    """Convert a template's X,Y,W,H in fractions of the image to pixels, at least 4 per side."""
    if "template" not in below["params"]:
        raise ValueError(f"{below['view']['pipeline']} has no template")
    try:
        x, y, width, height = (float(number) for number in " ".join(words).split(","))
    except ValueError:
        got = cut(" ".join(words), LONGEST)
        raise ValueError(f"template takes X,Y,W,H, in fractions (got {got})") from None
    if not (min(x, y) >= 0 and min(width, height) > 0 and max(x + width, y + height) <= 1):
        raise ValueError("a template lies in the picture, between 0 and 1")
    rows, columns = size
    sides = [
        min(max(round(side * of), SMALLEST), of) for side, of in ((width, columns), (height, rows))
    ]
    corner = [min(int(x * columns), columns - sides[0]), min(int(y * rows), rows - sides[1])]
    return corner + sides


def panel_of(name: str) -> str:
    """Return a panel's current name; raise ``ValueError`` if a lesson cannot open it."""
    known = [panel.name for panel in PANELS if not panel.passing and panel.name != LESSON]
    if current_name(name) not in known:
        got = cut(repr(name), LONGEST)
        raise ValueError(f"no panel is called {got}{did_you_mean(name, known)}")
    return current_name(name)
