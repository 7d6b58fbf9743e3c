"""What the user did, as plain data."""

from dataclasses import dataclass
from typing import Literal

Kind = Literal[
    "key", "text", "press", "release", "move", "scroll", "drop", "resize", "scale", "focus", "close"
]


@dataclass(frozen=True)
class Event:
    """Something that happened to a window.

    Attributes:
        key: of ``key``, which tells a press: its name, such as ``Q``, ``Ctrl+1``, ``Shift+[``.
        repeat: of ``key``: it is held down.
        text: of ``text``: the character typed.
        x, y: of all that the mouse does: the cursor, in framebuffer pixels from the top left.
        dx, dy: of ``scroll``: notches to the right and up.
        button: of ``press`` and ``release``: 0 left, 1 right, 2 middle.
        shift: of ``press``: whether Shift was held.
        paths: of ``drop``: the files.
        focused: of ``focus``: whether the window has it now.
    """

    kind: Kind
    key: str = ""
    repeat: bool = False
    text: str = ""
    x: float = 0.0
    y: float = 0.0
    dx: float = 0.0
    dy: float = 0.0
    button: int = 0
    shift: bool = False
    paths: tuple[str, ...] = ()
    focused: bool = True
