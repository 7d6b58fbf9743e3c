"""Make tables of a pipeline's declared variants, parameters, presets, views and stages."""

from wheatstone.gpu.parameters import controls, defaults
from wheatstone.gpu.pipeline import Pipeline, Stage
from wheatstone.viewer.files.markdown import markdown
from wheatstone.viewer.options import option_name

SPECIFICATIONS = "../gpu/reference"  # as seen from docs/


def in_cell(value: object) -> object:
    """Convert a parameter's value to its form in a table."""
    if isinstance(value, bool):
        return "on" if value else "off"
    return ",".join(map(str, value)) if isinstance(value, tuple) else value


def variant_table(pipeline: Pipeline) -> str:
    """List the variants of a pipeline with their keys."""
    rows = [
        (number, f"`{v.name}`", v.device.upper() + (", peer" if v.peer else ""), v.help)
        for number, v in enumerate(pipeline.variants, 1)
    ]
    return markdown(("Key", "Variant", "Device", "Technique"), rows)


def parameter_table(pipeline: Pipeline) -> str:
    """List the parameters of a pipeline with their bounds and defaults."""
    rows = []
    for name, control in controls(pipeline.params).items():
        bounds = "on, off" if control.choices == (False, True) else control.bounds
        unit = f" {control.unit}" if control.unit else ""
        default = f"{in_cell(defaults(pipeline.params)[name])}{unit}"
        rows.append((f"`{option_name(name)}`", bounds, default, control.help))
    return markdown(("Option", "Values", "Default", "Meaning"), rows)


def preset_table(pipeline: Pipeline) -> str:
    """List the presets of a pipeline, with a column for every parameter they set."""
    names = list(dict.fromkeys(key for preset in pipeline.presets.values() for key in preset))
    rows = [
        (f"`{name}`", *(in_cell(preset.get(key, "")) for key in names))
        for name, preset in pipeline.presets.items()
    ]
    return markdown(("Preset", *(f"`{name}`" for name in names)), rows)


def view_table(pipeline: Pipeline) -> str:
    """List the views of a pipeline with the images they show."""
    rows = [
        (f"`{view.name}`", ", ".join(f"`{image}`" for image in view.images), view.help)
        for view in pipeline.views
    ]
    return markdown(("`--view`", "Images", "What it shows"), rows)


def stage_table(pipeline: Pipeline) -> str:
    """List the stages of a pipeline in their order, each with a link to its specification."""
    return markdown(("Stage", "Reads", "Writes", "What it does"), map(_stage, pipeline.stages))


def _stage(stage: Stage) -> tuple[str, ...]:
    reads, writes = (", ".join(f"`{n}`" for n in names) for names in (stage.reads, stage.writes))
    title = f"[`{stage.name}`]({SPECIFICATIONS}/{stage.name}.py)"
    return title, reads, writes, stage.help + (" Only while it is looked at." * stage.on_demand)
