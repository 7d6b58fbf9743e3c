"""Every panel, declared once: keys, help, the palette and the settings are made from this."""

from viewer.panels.panel import Panel

PANELS: tuple[Panel, ...] = ()


def panel(name: str) -> Panel:
    """The declaration of a panel. Raises ``ValueError`` when there is none of this name."""
    for declared in PANELS:
        if declared.name == name:
            return declared
    known = ", ".join(declared.name for declared in PANELS)
    raise ValueError(f"there is no panel {name!r}; there is {known}")
