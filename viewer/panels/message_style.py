"""The icon and the colour of every kind of message, so that neither is the only sign."""

from collections.abc import Mapping

from wheatstone.viewer.choices.messages import Kind
from wheatstone.viewer.screen.style import Ink

ICONS: Mapping[Kind, str] = {
    "error": "\uf057",  # a cross in a circle
    "warning": "\uf071",  # an exclamation mark in a triangle
    "hint": "\uf05a",  # an i in a circle
    "success": "\uf058",  # a tick in a circle
}
INKS: Mapping[Kind, Ink] = {
    "error": Ink("red"),
    "warning": Ink("amber"),
    "hint": Ink("quiet"),
    "success": Ink("green"),
}
