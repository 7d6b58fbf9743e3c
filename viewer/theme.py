"""Themes: the named colours of panels, captions and plots, in a dark and a light version.

Colours that represent data are in ``viewer.colormaps``.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

Rgb = tuple[int, int, int]
"""Red, green and blue, 0 to 255 each."""

THEMES = ("dark", "light")
"""The names of all themes, the default one first."""

COLORS: Mapping[str, tuple[str, str]] = {
    # Grounds: of panels, lists and tooltips, titles, captions below and above the picture, code;
    # around images.
    "ground": ("#15151a", "#f7f7f5"),
    "popup": ("#1b1b20", "#ffffff"),
    "title": ("#1f1f22", "#e4e4e1"),
    "title active": ("#2a2a30", "#d8dbe0"),
    "paper": ("#1e1e21", "#f0f0ee"),
    "code": ("#101012", "#ffffff"),
    "label ground": ("#1a1a1c", "#ffffff"),
    "strip": ("#26282c", "#dcdcd9"),
    "around": ("#121214", "#d2d2ce"),
    # What can be clicked and typed into, and what is chosen in a list.
    "field": ("#26262b", "#e6e6e3"),
    "field hovered": ("#303036", "#dcdcd8"),
    "field active": ("#3a3a42", "#d2d2ce"),
    "button": ("#2a2a30", "#dededa"),
    "button hovered": ("#2f4a68", "#bcd3ec"),
    "button active": ("#33608f", "#a5c4e6"),
    "chosen": ("#263a52", "#cfdff0"),
    "chosen hovered": ("#2f4a68", "#bcd3ec"),
    "chosen active": ("#355878", "#b0cae6"),
    "row": ("#1b1b20", "#efefec"),
    "separator": ("#3a3a40", "#c9c9c5"),
    "border": ("#46464c", "#8c8c88"),
    "grip": ("#3a3a40", "#b4b4b0"),
    "scroll": ("#5a5a62", "#a0a09c"),
    # Words: the usual, those that stand back, those that the eye should find, names of keys.
    "text": ("#e6e6e8", "#1c1c1f"),
    "quiet": ("#a2a2a6", "#57575b"),
    "amber": ("#ffc759", "#7d4a00"),
    "key": ("#8cccff", "#0a4f8f"),
    "red": ("#ff7a70", "#b3201b"),
    "green": ("#6fd08c", "#1b6b35"),
    # Verdicts: blue and orange, which all eyes tell apart; a sign and words stand beside them.
    "good": ("#6cc4ee", "#00567f"),
    "bad": ("#ff9d5c", "#96400a"),
    "neutral": ("#a8a8ac", "#57575b"),
    "wrong": ("#ff9e4d", "#8f4200"),
    # Marks: of what can be moved, of progress, of focus; A and B, and letters on them.
    "accent": ("#4d8cd9", "#2f6db5"),
    "dot": ("#f2403a", "#c8201b"),
    "a": ("#56b4e9", "#56b4e9"),
    "b": ("#e69f00", "#e69f00"),
    "letter a": ("#56b4e9", "#0a649c"),
    "letter b": ("#e69f00", "#8a5500"),
    "on a and b": ("#1e1e21", "#1e1e21"),
    "dim": ("#87878c", "#6c6c70"),
    "edge": ("#78787c", "#707074"),
    "star": ("#ffcc59", "#a06000"),
    "bar": ("#22344c", "#cddcef"),
    "leading bar": ("#4b3b1c", "#f3dcae"),
    # Plots.
    "plot": ("#101013", "#ffffff"),
    "grid": ("#3c3c42", "#cfcfcb"),
    "curve": ("#bfbfc4", "#55555a"),
    "sum": ("#ffffff", "#111114"),
    "cost": ("#6e7685", "#82868f"),
    "gradient cost": ("#b08a5e", "#a87a45"),
    "line": ("#ff9e00", "#a85c00"),
    "limit": ("#d966bf", "#9c2d85"),
    "truth": ("#40d9f2", "#00708a"),
    "bars": ("#57b5e8", "#2272a8"),
    # Lines of a plot and stages of a pipeline, in their order: Okabe and Ito's colours, told apart
    # with any colour vision; in daylight darker.
    "series 1": ("#e69f00", "#b06c00"),
    "series 2": ("#56b4e9", "#1f85c2"),
    "series 3": ("#00ad80", "#007a59"),
    "series 4": ("#f0e442", "#857a00"),
    "series 5": ("#5a8cf0", "#2f5fc0"),
    "series 6": ("#e0651a", "#bd4a00"),
    "series 7": ("#db8fbd", "#a8528a"),
    "series 8": ("#b4b4b8", "#737378"),
    "all stages": ("#78787c", "#86868a"),
    # Source code, and lines that differ: blue, orange and yellow; a mark says it once more.
    "code text": ("#dbdbde", "#202024"),
    "code keyword": ("#87bffa", "#0b4fa0"),
    "code builtin": ("#fac773", "#7a4a00"),
    "code string": ("#ccd98c", "#4a5a00"),
    "code comment": ("#9aa0a6", "#5c6066"),
    "code directive": ("#d9a6e6", "#7a2d8c"),
    "code number": ("#85898f", "#6a6d73"),
    "code heading": ("#8cccff", "#0a4f8f"),
    "code gone": ("#3d2c18", "#fbe3cc"),
    "code new": ("#172b4a", "#d5e5fb"),
    "code changed": ("#35331c", "#f6f2c4"),
    "code gone mark": ("#ffb359", "#8f4a00"),
    "code new mark": ("#80bfff", "#0b4fa0"),
    "code changed mark": ("#f2e673", "#6b6000"),
    # How well a board was seen, from nowhere to often.
    "bare": ("#34343a", "#d9d9d6"),
    "covered 1": ("#2c5a82", "#a9cbe6"),
    "covered 2": ("#3882b4", "#5a9fd0"),
    "covered 3": ("#56b4e9", "#1f75b5"),
    # Over pictures, which no theme changes: a line and its dark rim.
    "on picture": ("#ffffff", "#ffffff"),
    "place": ("#ffc759", "#ffc759"),
    "on picture too": ("#ff9e00", "#ff9e00"),
    "rim": ("#000000", "#000000"),
}
"""For every name, its colour in the dark theme and in the light theme, as #rrggbb."""

AROUND = "around"
"""The name of the colour around images."""


@dataclass(frozen=True)
class PictureStyle:
    """The style of captions, colour bars and legends.

    Attributes:
        theme: name of the theme.
        scale: factor of the text size; where a wide picture has larger text already, that size is
            kept.
    """

    theme: str = THEMES[0]
    scale: float = 1.0

    def color(self, name: str) -> Rgb:
        """Return a colour of the theme by its name, as RGB."""
        return color(name, self.theme)


USUAL = PictureStyle()


@cache
def color(name: str, theme: str = THEMES[0]) -> Rgb:
    """Return a named colour of a theme, as RGB."""
    written = COLORS[name][THEMES.index(theme)]
    red, green, blue = (int(written[at : at + 2], 16) for at in (1, 3, 5))
    return red, green, blue


def contrast(one: Rgb, other: Rgb) -> float:
    """Compute the contrast ratio of two colours as WCAG 2 defines it: 1 to 21."""
    lighter, darker = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def _luminance(color: Rgb) -> float:
    """Compute the relative luminance of an sRGB colour: 0 to 1."""
    shares = (level / 255 for level in color)
    red, green, blue = (s / 12.92 if s <= 0.04045 else ((s + 0.055) / 1.055) ** 2.4 for s in shares)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
