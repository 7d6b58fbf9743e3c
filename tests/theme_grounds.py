"""The backgrounds on which every colour of a theme is read or seen."""

from collections.abc import Mapping

PANEL_GROUNDS = ("ground", "popup", "row")
READ: Mapping[str, tuple[str, ...]] = {
    "text": (
        *(*PANEL_GROUNDS, "title", "title active", "field", "field hovered", "field active"),
        *("button", "button hovered", "button active", "chosen", "chosen hovered"),
        *("chosen active", "paper", "bar", "leading bar", "label ground", "plot"),
    ),
    "quiet": (*PANEL_GROUNDS, "plot", "field", "chosen"),
    "amber": (*PANEL_GROUNDS, "paper"),
    "key": PANEL_GROUNDS,
    "red": PANEL_GROUNDS,
    "green": PANEL_GROUNDS,
    "good": (*PANEL_GROUNDS, "paper"),
    "bad": (*PANEL_GROUNDS, "paper"),
    "neutral": (*PANEL_GROUNDS, "paper"),
    "wrong": PANEL_GROUNDS,
    "letter a": PANEL_GROUNDS,
    "letter b": PANEL_GROUNDS,
    "dim": ("paper",),
    "on a and b": ("a", "b"),
    **{
        f"code {kind}": ("code", "code gone", "code new", "code changed")
        for kind in ("text", "keyword", "builtin", "string", "comment", "directive")
    },
    "code number": ("code",),
    "code heading": ("code",),
    "code gone mark": ("code gone",),
    "code new mark": ("code new",),
    "code changed mark": ("code changed",),
}
"""Every colour of text, and the backgrounds that it is read on."""
SEEN: Mapping[str, tuple[str, ...]] = {
    **{name: ("ground",) for name in ("accent", "dot", "star", "covered 3", "all stages")},
    **{f"series {n}": ("ground", "plot") for n in range(1, 9)},
    **{name: ("plot",) for name in ("curve", "sum", "cost", "gradient cost", "line", "limit")},
    **{name: ("plot",) for name in ("truth", "bars")},
    "edge": ("paper",),
    "place": ("rim",),
}
"""Every colour of marks and lines, and the backgrounds that they are seen on."""
