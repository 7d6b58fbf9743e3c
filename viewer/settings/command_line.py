"""Convert a window's state to a command line that reproduces it."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from wheatstone.gpu.parameters import Params, defaults
from wheatstone.gpu.pipeline import Pipeline
from wheatstone.viewer.choices.slot import default_slot, rival
from wheatstone.viewer.choices.state import ViewerState
from wheatstone.viewer.choices.table import VIEW, Choice, choices
from wheatstone.viewer.io.scenes import SCENES
from wheatstone.viewer.io.sources.source_spec import IMAGE_OPTIONS, SourceSpec
from wheatstone.viewer.options import option_name
from wheatstone.viewer.run.run import Run, default_variant
from wheatstone.viewer.settings.saved_choices import to_choices
from wheatstone.viewer.words import in_words


def command_line(state: ViewerState, spec: SourceSpec) -> list[str]:
    """Return the words of a command line that reproduces a viewer state.

    The words give only differences from the defaults; ``--fresh`` ignores the last session.

    Raises:
        ValueError: the source cannot be opened again.
    """
    state = state.of_images
    slot = state.slot
    words = ["wheatstone", "view", slot.pipeline.name, *_source(spec)]
    if slot.variant != default_variant(slot.pipeline, state.absent):
        words += ["--variant", slot.variant]
    words += _params(slot.pipeline, slot.params)
    with_option = {choice.path: choice for choice in choices() if choice.has_own_option}
    for choice in with_option.values():
        words += _choice(state, choice)
    words += _slot_b(state)
    for group, chosen in to_choices(state).items():
        others = {k: value for k, value in chosen.items() if f"{group}.{k}" not in with_option}
        words += [f"--set={group}.{name}={_toml(value)}" for name, value in others.items()]
    return [*words, "--fresh"]


def _source(spec: SourceSpec) -> list[str]:
    if not spec.left and not spec.scene:
        raise ValueError("this source cannot be reopened by a command line")
    values = spec.to_dict()
    words = [word for word in (spec.left, spec.right) if word]
    if spec.scene and spec.scene != SCENES[0]:
        words += ["--scene", spec.scene]
    words += ["--seed", str(spec.seed)] if spec.seed else []
    words += ["--scene-size", str(values["size"])] if spec.size else []
    given = [name for name in IMAGE_OPTIONS if name in values]
    return words + [f"{option_name(name)}={values[name]}" for name in given]


def _params(pipeline: Pipeline, params: Params) -> list[str]:
    """Format a run's parameters as options, including a preset if this needs fewer options."""
    values = params.values()
    best = _differences(defaults(pipeline.params), values)
    for name in pipeline.presets:
        words = ["--preset", name, *_differences(pipeline.preset(name).values(), values)]
        best = words if len(words) < len(best) else best
    return best


def _differences(base: Mapping[str, Any], values: Mapping[str, Any]) -> list[str]:
    """Format as options the parameters whose values differ from those of defaults or a preset."""
    words = []
    for name, value in values.items():
        if value == base[name]:
            continue
        option = option_name(name)
        if isinstance(value, bool):
            words += [option if value else f"--no-{option[2:]}"]
        else:
            words += _with_value(option, _exact(value))
    return words


def _with_value(option: str, value: str) -> list[str]:
    """Format an option and its value as words, joined by ``=`` if the value begins with ``-``."""
    return [f"{option}={value}"] if value.startswith("-") else [option, value]


def _exact(value: Any) -> str:
    """Format a value as a word that is parsed to exactly the same value."""
    return repr(value) if isinstance(value, float) else in_words(value)


def _choice(state: ViewerState, choice: Choice) -> Iterator[str]:
    """Yield the command-line option of a display choice; nothing if it has its initial value."""
    value, default = choice.get(state), choice.in_window
    if choice is VIEW:  # of A, whichever slot is changed just now
        value, default = state.view.name, state.slot.pipeline.views[0].name
    option = f"--{choice.traits.option}"
    if value == default:
        return
    if choice.is_switch:
        yield option if value else f"--no-{choice.traits.option}"
    elif isinstance(value, tuple):
        yield from _with_value(option, ",".join(map(repr, value)))
    else:
        yield from _with_value(option, _exact(value))


def _slot_b(state: ViewerState) -> Iterator[str]:
    """Yield the options of run B of the comparison; none if it has its default run and view."""
    b, a = state.slot_b, state.slot
    if not state.b or (state.linked and b == replace(a, variant=rival(a, state.absent))):
        return
    if not state.linked:
        yield from _b_parameters(state, b)
    yield from ("--b-variant", b.variant)
    view = state.view_of(b)
    if b.pipeline != state.slot.pipeline and view != b.pipeline.views[0]:
        yield from ("--b-view", view.name)


def _b_parameters(state: ViewerState, b: Run) -> Iterator[str]:
    """Yield the options of run B's pipeline and of parameters changed from its initial ones."""
    yield from ("--b-pipeline", b.pipeline.name)
    same = b.pipeline == state.slot.pipeline
    base = (state.slot if same else default_slot(b.pipeline.name, state.absent)).params.values()
    values = b.params.values()
    if changed := [name for name in values if values[name] != base[name]]:
        yield from ("--b-set", *(f"{name}={_exact(values[name])}" for name in changed))


def _toml(value: Any) -> str:
    """Format a value as TOML on one line."""
    import tomli_w

    if isinstance(value, dict):
        return "{" + ", ".join(f"{_toml(k)} = {_toml(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_toml, value)) + "]"
    return tomli_w.dumps({"x": value}).partition(" = ")[2].strip()
