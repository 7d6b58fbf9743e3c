"""Markdown tables for the documentation: pipelines, keys, choices and facts of lessons."""

import json
import re
from dataclasses import MISSING, Field, fields, is_dataclass
from inspect import getdoc
from typing import Any

from wheatstone.gpu.parameters import controls, defaults
from wheatstone.gpu.pipeline import Pipeline, Stage
from wheatstone.gpu.pipelines import PIPELINES
from wheatstone.gpu.steps import module_of
from wheatstone.viewer.choices.table import Choice, choices
from wheatstone.viewer.cli.package_imports import EXTRAS
from wheatstone.viewer.io.files.markdown import markdown
from wheatstone.viewer.options import option_name
from wheatstone.viewer.panels.keys.action import Action
from wheatstone.viewer.panels.keys.actions import actions, grouped
from wheatstone.viewer.panels.keys.help import mouse_actions
from wheatstone.viewer.panels.lessons.facts import FACTS

SPECIFICATIONS = "../gpu/reference"  # as seen from docs/


def in_cell(value: object) -> object:
    """Convert a parameter's value to its form in a table, such as ``on`` for True."""
    if isinstance(value, bool):
        return "on" if value else "off"
    return ",".join(map(str, value)) if isinstance(value, tuple) else value


def extra_table() -> str:
    """Return a table of the extras that need no GPU, with their purposes."""
    return markdown(("Extra", "Adds"), [(f"`{name}`", use) for name, use in EXTRAS.items()])


def variant_table(pipeline: Pipeline) -> str:
    """Return a table of a pipeline's variants with their keys."""
    rows = [
        (number, f"`{v.name}`", v.device.upper() + (", peer" if v.peer else ""), v.help)
        for number, v in enumerate(pipeline.variants, 1)
    ]
    return markdown(("Key", "Variant", "Device", "Technique"), rows)


def parameter_table(pipeline: Pipeline) -> str:
    """Return a table of a pipeline's parameters with their bounds and defaults."""
    rows = []
    for name, control in controls(pipeline.params).items():
        bounds = "on, off" if control.choices == (False, True) else control.bounds
        unit = f" {control.unit}" if control.unit else ""
        default = f"{in_cell(defaults(pipeline.params)[name])}{unit}"
        rows.append((f"`{option_name(name)}`", bounds, default, control.help))
    return markdown(("Option", "Values", "Default", "Meaning"), rows)


def preset_table(pipeline: Pipeline) -> str:
    """Return a table of a pipeline's presets, with a column for every parameter they set."""
    names = list(dict.fromkeys(key for preset in pipeline.presets.values() for key in preset))
    rows = [
        (f"`{name}`", *(in_cell(preset.get(key, "")) for key in names))
        for name, preset in pipeline.presets.items()
    ]
    return markdown(("Preset", *(f"`{name}`" for name in names)), rows)


def view_table(pipeline: Pipeline) -> str:
    """Return a table of a pipeline's views with the images they show."""
    rows = [
        (f"`{view.name}`", ", ".join(f"`{image}`" for image in view.images), view.help)
        for view in pipeline.views
    ]
    return markdown(("`--view`", "Images", "What it shows"), rows)


def stage_table(pipeline: Pipeline) -> str:
    """Return a table of a pipeline's stages, each with a link to its specification."""
    return markdown(("Stage", "Reads", "Writes", "Purpose"), map(_stage, pipeline.stages))


def _stage(stage: Stage) -> tuple[str, ...]:
    reads, writes = (", ".join(f"`{n}`" for n in names) for names in (stage.reads, stage.writes))
    file = module_of("wheatstone.gpu.reference", stage.name).rpartition(".")[2]
    title = f"[`{stage.name}`]({SPECIFICATIONS}/{file}.py)"
    return title, reads, writes, stage.help + (" Computed only while shown." * stage.on_demand)


def field_table(document: type[Any]) -> str:
    """Return a table of a dataclass's fields, with meanings from its docstring."""
    _, _, attributes = (getdoc(document) or "").partition("Attributes:\n")
    joined = re.sub(r"\n {8,}", " ", attributes.partition("\n\n")[0]).replace("``", "`")
    meanings = dict(re.findall(r"^ {4}(\w+): (.*)$", joined, re.MULTILINE))
    rows = [(f"`{each.name}`", _usual(each), meanings[each.name]) for each in fields(document)]
    return markdown(("Field", "Default", "Meaning"), rows)


def _usual(declared: Field[Any]) -> str:
    """Format the default of a field as TOML; ``required`` if the field has none."""
    if declared.default_factory is not MISSING:
        usual = declared.default_factory()
        values = vars(usual).items() if is_dataclass(usual) else ()
        return ", ".join(f"`{name} = {value}`" for name, value in values) or "required"
    return "required" if declared.default is MISSING else f"`{json.dumps(declared.default)}`"


def fact_table() -> str:
    """Return a table of all facts (numbers) that lessons can quote, with their arguments."""
    rows = (
        (f"`{{{' '.join((name, *fact.takes))}}}`", f"{fact.help[0].upper()}{fact.help[1:]}.")
        for name, fact in FACTS.items()
    )
    return markdown(("Fact", "What it is"), rows)


HEADER = ("Keys", "Action")
NOTHING = "\N{EN DASH}"


def _row(action: Action) -> tuple[str, str]:
    return f"`{action.shown_keys}`", action.help


def _shared() -> set[tuple[str, str]]:
    """Return the table rows of those key actions that every pipeline has."""
    return set.intersection(*({_row(a) for a in actions(p)} for p in PIPELINES.values()))


def key_tables() -> str:
    """Return tables of the keys that all pipelines share, one under each heading."""
    first, shared = next(iter(PIPELINES.values())), _shared()
    tables = {
        heading: markdown(HEADER, [row for row in map(_row, listed) if row in shared])
        for heading, listed in grouped(first).items()
    }
    return "\n\n".join(f"### {heading}\n\n{table}" for heading, table in tables.items())


def own_key_table() -> str:
    """Return a Markdown table of the keyboard keys that only some pipelines have."""
    shared = _shared()
    rows = [
        (f"`{name}`", *_row(action))
        for name, pipeline in PIPELINES.items()
        for action in actions(pipeline)
        if _row(action) not in shared
    ]
    return markdown(("Pipeline", *HEADER), rows)


def mouse_table() -> str:
    """Return a table of the mouse actions, and the views in which they work."""
    views = {
        f"`{p.name} --view {v.name}`": mouse_actions(v, wipes=True)
        for p in PIPELINES.values()
        for v in p.views
    }
    rows = []
    for pair in dict.fromkeys(pair for pairs in views.values() for pair in pairs):
        where = [name for name, pairs in views.items() if pair in pairs]
        many = "every view" if len(where) == len(views) else "every other view"
        rows.append((*pair, many if 2 * len(where) > len(views) else ", ".join(where)))
    return markdown(("Mouse", "Action", "Where"), rows)


def choice_table() -> str:
    """Return a table of the user's choices for the viewer, as their fields declare them."""
    header = ("Choice", "Option", "Values", "Default", "Keys", "Meaning")
    return markdown(header, map(_choice, choices()))


def _choice(entry: Choice) -> tuple[object, ...]:
    keys = " ".join((*entry.traits.keys, *(k for p in entry.traits.presses for k in p.keys)))
    return (
        f"`{entry.path}`",
        _option(entry),
        "on, off" if entry.is_switch else entry.control.bounds,
        _default(entry),
        f"`{keys}`" if keys else NOTHING,
        _meaning(entry),
    )


def _option(entry: Choice) -> str:
    traits = entry.traits
    if not traits.option:
        return f"`--set {entry.path}=…`" if entry.group else NOTHING
    both = entry.is_switch or traits.flag_values
    return f"`--{traits.option}`" + (f", `--no-{traits.option}`" if both else "")


def _default(entry: Choice) -> object:
    if entry.default in (MISSING, None, ""):
        return NOTHING
    return f"{entry.default:g}" if isinstance(entry.default, float) else in_cell(entry.default)


def _meaning(entry: Choice) -> str:
    help, meanings = entry.control.help, entry.traits.meanings
    values = "".join(f" `{value}`: {meaning}" for value, meaning in meanings.items())
    return f"{help[0].upper()}{help[1:].rstrip('.')}.{values}"
