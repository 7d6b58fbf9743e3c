"""Tables generated from the declarations, and the README that holds them.

``python -m viewer.commands.documentation README.md`` writes them anew between their markers.
"""

import re
import sys
from pathlib import Path

from gpu.parameters import controls, defaults
from gpu.pipeline import Pipeline
from gpu.pipelines import PIPELINES
from viewer.files.markdown import markdown
from viewer.keys.actions import key_table


def variant_table(pipeline: Pipeline) -> str:
    """The variants of a pipeline with their keys."""
    rows = [
        (number, f"`{v.name}`", v.device.upper() + (", peer" if v.peer else ""), v.help)
        for number, v in enumerate(pipeline.variants, 1)
    ]
    return markdown(("Key", "Variant", "Device", "Technique"), rows)


def parameter_table(pipeline: Pipeline) -> str:
    """The parameters of a pipeline with their bounds and defaults."""
    rows = []
    for name, control in controls(pipeline.params).items():
        default = defaults(pipeline.params)[name]
        shown = {True: "on", False: "off"}[default] if isinstance(default, bool) else default
        bounds = "on, off" if control.choices == (False, True) else control.bounds
        unit = f" {control.unit}" if control.unit else ""
        rows.append((f"`--{name.replace('_', '-')}`", bounds, f"{shown}{unit}", control.help))
    return markdown(("Option", "Values", "Default", "Meaning"), rows)


def preset_table(pipeline: Pipeline) -> str:
    """The presets of a pipeline, a column for every parameter they set."""
    names = list(dict.fromkeys(key for preset in pipeline.presets.values() for key in preset))
    rows = [
        (f"`{name}`", *(_short(preset.get(key, "")) for key in names))
        for name, preset in pipeline.presets.items()
    ]
    return markdown(("Preset", *(f"`{name}`" for name in names)), rows)


def _short(value: object) -> object:
    return {True: "on", False: "off"}[value] if isinstance(value, bool) else value


def sections() -> dict[str, str]:
    """All tables by the name of their marker."""
    found = {"keys": key_table(PIPELINES["sgm"])}
    for name, pipeline in PIPELINES.items():
        found[f"{name}-variants"] = variant_table(pipeline)
        if controls(pipeline.params):
            found[f"{name}-parameters"] = parameter_table(pipeline)
        if pipeline.presets:
            found[f"{name}-presets"] = preset_table(pipeline)
    return found


def renewed(text: str) -> str:
    """A Markdown text with the tables between its markers written anew.

    Raises:
        ValueError: a marker names no table.
    """
    tables = sections()

    def write(match: re.Match[str]) -> str:
        name = match[1]
        if name not in tables:
            raise ValueError(f"there is no table {name!r}; there is {', '.join(tables)}")
        return f"<!-- {name} -->\n{tables[name]}\n<!-- end -->"

    return re.sub(r"<!-- ([\w-]+) -->\n.*?<!-- end -->", write, text, flags=re.DOTALL)


if __name__ == "__main__":
    path = Path(sys.argv[1])
    path.write_text(renewed(path.read_text()))
