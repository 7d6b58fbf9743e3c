"""Events of a window as plain data: user input and window changes."""

from dataclasses import dataclass
from typing import Literal

Kind = Literal[
    "key",
    "text",
    "press",
    "release",
    "move",
    "scroll",
    "leave",
    "drop",
    "resize",
    "refresh",
    "scale",
    "focus",
    "close",
    "error",
]
SIGNS = {"+": "Plus", "=": "Plus", "-": "Minus", "_": "Minus"}
"""The signs that zoom, independent of the keys that type them."""
BRACKETS = {"{": "[", "}": "]"}
"""The signs that Shift and a bracket type where the brackets have keys of their own."""


@dataclass(frozen=True)
class Event:
    """An event of a window, such as a key press, a mouse move or a change of size.

    Attributes:
        kind: the kind of event; ``press`` and ``release`` are of the mouse, ``key`` is a key press,
            after a ``leave`` the cursor is outside the window, after a ``refresh`` the window has
            to be drawn again.
        key: name of the key of a ``key``, such as ``Q``, ``Ctrl+1``, ``Shift+[``.
        repeat: whether the key of a ``key`` is being held down.
        text: the character of a ``text``; the message of an ``error``; for the key ``Ctrl+V`` the
            text copied by another program, if the window knows it.
        x, y: the cursor in mouse events, in framebuffer pixels from the top left.
        dx, dy: notches to the right and up of a ``scroll``.
        button: mouse button of a ``press`` or ``release``: 0 left, 1 right, 2 middle.
        shift, ctrl: whether Shift, or Ctrl, was held in a ``press`` or ``release``.
        paths: the files of a ``drop``.
        focused: whether the window has the focus after a ``focus``.
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
    ctrl: bool = False
    paths: tuple[str, ...] = ()
    focused: bool = True
