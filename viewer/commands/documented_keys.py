"""Make the documentation's tables of keys, mouse actions and the viewer's own choices."""

from dataclasses import MISSING

from wheatstone.gpu.pipelines import PIPELINES
from wheatstone.viewer.choices.table import Choice, choices
from wheatstone.viewer.commands.documented_pipelines import in_cell
from wheatstone.viewer.files.markdown import markdown
from wheatstone.viewer.keys.action import Action
from wheatstone.viewer.keys.actions import actions, grouped
from wheatstone.viewer.keys.help import mouse_actions

HEADER = ("Keys", "What they do")
NOTHING = "\N{EN DASH}"


def _row(action: Action) -> tuple[str, str]:
    return f"`{action.shown_keys}`", action.help


def _shared() -> set[tuple[str, str]]:
    """Return the table rows of the actions that every pipeline has."""
    return set.intersection(*({_row(a) for a in actions(p)} for p in PIPELINES.values()))


def key_tables() -> str:
    """List the keys that do the same in every pipeline, in one table under each heading."""
    first, shared = next(iter(PIPELINES.values())), _shared()
    tables = {
        heading: markdown(HEADER, [row for row in map(_row, found) if row in shared])
        for heading, found in grouped(first).items()
    }
    return "\n\n".join(f"### {heading}\n\n{table}" for heading, table in tables.items())


def own_key_table() -> str:
    """List the keys that only some pipelines have, such as those for parameters."""
    shared = _shared()
    rows = [
        (f"`{name}`", *_row(action))
        for name, pipeline in PIPELINES.items()
        for action in actions(pipeline)
        if _row(action) not in shared
    ]
    return markdown(("Pipeline", *HEADER), rows)


def mouse_table() -> str:
    """List the mouse actions, and the views in which they work."""
    views = {
        f"`{p.name} --view {v.name}`": mouse_actions(v, wipes=True)
        for p in PIPELINES.values()
        for v in p.views
    }
    rows = []
    for pair in dict.fromkeys(pair for found in views.values() for pair in found):
        where = [name for name, found in views.items() if pair in found]
        many = "every view" if len(where) == len(views) else "every other view"
        rows.append((*pair, many if 2 * len(where) > len(views) else ", ".join(where)))
    return markdown(("Mouse", "What it does", "Where"), rows)


def choice_table() -> str:
    """List every choice of the viewer's own, as declared by its field."""
    header = ("Choice", "Option", "Values", "Default", "Keys", "Meaning")
    return markdown(header, map(_choice, choices()))


def _choice(found: Choice) -> tuple[object, ...]:
    keys = " ".join((*found.traits.keys, *(k for p in found.traits.presses for k in p.keys)))
    return (
        f"`{found.path}`",
        _option(found),
        "on, off" if found.is_switch else found.control.bounds,
        _default(found),
        f"`{keys}`" if keys else NOTHING,
        _meaning(found),
    )


def _option(found: Choice) -> str:
    traits = found.traits
    if not traits.option:
        return f"`--set {found.path}=…`" if found.group else NOTHING
    both = found.is_switch or traits.flag_values
    return f"`--{traits.option}`" + (f", `--no-{traits.option}`" if both else "")


def _default(found: Choice) -> object:
    if found.default in (MISSING, None, ""):
        return NOTHING
    return f"{found.default:g}" if isinstance(found.default, float) else in_cell(found.default)


def _meaning(found: Choice) -> str:
    help, meanings = found.control.help, found.traits.meanings
    values = "".join(f" `{value}`: {meaning}" for value, meaning in meanings.items())
    return f"{help[0].upper()}{help[1:].rstrip('.')}.{values}"
