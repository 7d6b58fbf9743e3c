"""The command line that shows what is shown: the way back from a state to words."""

from collections.abc import Iterator, Mapping
from typing import Any

from gpu.parameters import Params, defaults
from gpu.pipeline import Pipeline
from viewer.choices.slot import Slot, default_slot, default_variant, rival
from viewer.choices.state import ViewerState
from viewer.choices.table import VIEW, Choice, choices
from viewer.choices.words import in_words
from viewer.options import option_name
from viewer.scenes import SCENES
from viewer.settings.chosen import to_choices

BESIDE = ("calibration", "truth", "truth_scale")  # said of images


def command_line(state: ViewerState, source: Mapping[str, str | int]) -> list[str]:
    """The words after which ``wheatstone`` shows what a state says.

    Only what differs from the defaults is said; ``--fresh`` keeps settings saved earlier out of it.

    Args:
        source: what reopens the source.

    Raises:
        ValueError: nothing that can be written down reopens the source.
    """
    slot = state.slot
    words = ["wheatstone", "view", slot.pipeline.name, *_source(source)]
    if slot.variant != default_variant(slot.pipeline, state.absent):
        words += ["--variant", slot.variant]
    words += _params(slot.pipeline, slot.params)
    said = {choice.path: choice for choice in choices() if choice.has_own_option}
    for choice in said.values():
        words += _option(state, choice)
    words += _second(state)
    for name, chosen in to_choices(state).items():
        sets = {key: value for key, value in chosen.items() if f"{name}.{key}" not in said}
        words += [f"--set={name}.{key}={_toml(value)}" for key, value in sets.items()]
    return [*words, "--fresh"]


def _source(source: Mapping[str, str | int]) -> list[str]:
    if "left" in source:
        words = [str(source[name]) for name in ("left", "right") if name in source]
        given = [name for name in BESIDE if name in source]
        return words + [f"{option_name(name)}={source[name]}" for name in given]
    if "scene" not in source:
        raise ValueError("this source cannot be reopened by a command line")
    words = []
    if source["scene"] != SCENES[0]:
        words += ["--scene", str(source["scene"])]
    if source.get("seed", 0):
        words += ["--seed", str(source["seed"])]
    return [*words, *(["--scene-size", str(source["size"])] if "size" in source else [])]


def _params(pipeline: Pipeline, params: Params) -> list[str]:
    """Options of the parameters, with the preset that makes them fewest."""
    values = params.values()
    best = _options(defaults(pipeline.params), values)
    for name in pipeline.presets:
        words = ["--preset", name, *_options(pipeline.preset(name).values(), values)]
        best = words if len(words) < len(best) else best
    return best


def _options(base: Mapping[str, Any], values: Mapping[str, Any]) -> list[str]:
    words = []
    for name, value in values.items():
        if value == base[name]:
            continue
        option = option_name(name)
        if isinstance(value, bool):
            words += [option if value else f"--no-{option[2:]}"]
        else:
            words += _said(option, _number(value))
    return words


def _said(option: str, value: str) -> list[str]:
    """An option and its value, in one word where the value looks like an option."""
    return [f"{option}={value}"] if value.startswith("-") else [option, value]


def _number(value: Any) -> str:
    """A value in words from which exactly it is read again."""
    return repr(value) if isinstance(value, float) else in_words(value)


def _option(state: ViewerState, choice: Choice) -> Iterator[str]:
    """Say a choice with its option, if it differs from what it is without."""
    value, usual = choice.get(state), choice.default
    if choice is VIEW:  # of A, whichever slot is changed just now
        value, usual = state.view.name, state.slot.pipeline.views[0].name
    option = f"--{choice.traits.option}"
    if value == usual:
        return
    if choice.is_switch:
        yield option if value else f"--no-{choice.traits.option}"
    elif isinstance(value, tuple):
        yield from _said(option, ",".join(map(repr, value)))
    else:
        yield from _said(option, _number(value))


def _second(state: ViewerState) -> Iterator[str]:
    """Options of B, as far as it is not what it is without them."""
    b = state.slot_b
    if not state.b or (state.linked and b == _unchosen(state)):
        return
    if not state.linked:
        yield from _b_parameters(state, b)
    yield from ("--b-variant", b.variant)
    view = state.view_of(b)
    if b.pipeline != state.slot.pipeline and view != b.pipeline.views[0]:
        yield from ("--b-view", view.name)


def _unchosen(state: ViewerState) -> Slot:
    """B if the user never chose it."""
    return Slot(state.slot.pipeline, rival(state.slot, state.absent), state.slot.params)


def _b_parameters(state: ViewerState, b: Slot) -> Iterator[str]:
    """B's pipeline, and its parameters as far as they differ from those it begins with."""
    yield from ("--b-pipeline", b.pipeline.name)
    same = b.pipeline == state.slot.pipeline
    base = (state.slot if same else default_slot(b.pipeline.name, state.absent)).params.values()
    values = b.params.values()
    if changed := [name for name in values if values[name] != base[name]]:
        yield from ("--b-set", *(f"{name}={_number(values[name])}" for name in changed))


def _toml(value: Any) -> str:
    """A value as TOML writes it on one line."""
    import tomli_w

    if isinstance(value, dict):
        return "{" + ", ".join(f"{_key(k)} = {_toml(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_toml, value)) + "]"
    return tomli_w.dumps({"x": value}).partition(" = ")[2].strip()


def _key(name: str) -> str:
    return _toml(name)
