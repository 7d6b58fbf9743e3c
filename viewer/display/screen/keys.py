"""Names of keys as labelled in the user's layout: ``Q``, ``Ctrl+1``, ``Shift+[``."""

import glfw

from wheatstone.viewer.display.screen.events import BRACKETS, SIGNS

_NAMED = {
    glfw.KEY_SPACE: "Space",
    glfw.KEY_ESCAPE: "Esc",
    glfw.KEY_ENTER: "Enter",
    glfw.KEY_KP_ENTER: "Enter",
    glfw.KEY_TAB: "Tab",
    glfw.KEY_BACKSPACE: "Backspace",
    glfw.KEY_INSERT: "Insert",
    glfw.KEY_DELETE: "Delete",
    glfw.KEY_LEFT: "Left",
    glfw.KEY_RIGHT: "Right",
    glfw.KEY_UP: "Up",
    glfw.KEY_DOWN: "Down",
    glfw.KEY_PAGE_UP: "PageUp",
    glfw.KEY_PAGE_DOWN: "PageDown",
    glfw.KEY_HOME: "Home",
    glfw.KEY_END: "End",
    **{glfw.KEY_F1 + n: f"F{n + 1}" for n in range(25)},
}
_MODIFIERS = (
    (glfw.MOD_CONTROL, "Ctrl+"),
    (glfw.MOD_ALT, "Alt+"),
    (glfw.MOD_SUPER, "Super+"),
    (glfw.MOD_SHIFT, "Shift+"),
)
_SHIFTED = {typed: f"Shift+{bracket}" for typed, bracket in BRACKETS.items()}


def key_name(key: int, label: str | None, modifiers: int) -> str:
    """Return the name of a pressed key; empty for modifiers and keys without a name.

    A key without an ASCII label is named as on a US keyboard; so are digits together with Ctrl or
    Alt, because some keyboards need Shift to type digits.

    Args:
        key: GLFW's code of the key, which identifies its place on the keyboard.
        label: the key's label in the user's layout; None if it has no label.
        modifiers: GLFW's bits of the modifiers held.
    """
    name = _NAMED.get(key) or _printable(key, label, modifiers)
    if name in SIGNS:
        name, modifiers = SIGNS[name], modifiers & ~glfw.MOD_SHIFT
    prefix = "".join(text for bit, text in _MODIFIERS if modifiers & bit)
    return prefix + name if name else ""


def _printable(key: int, label: str | None, modifiers: int) -> str:
    """Return the name of a key that types a character; empty for any other key."""
    place = chr(key) if glfw.KEY_SPACE < key <= glfw.KEY_GRAVE_ACCENT else ""
    if place.isdigit() and modifiers & (glfw.MOD_CONTROL | glfw.MOD_ALT):
        return place
    return label.upper() if label and label.isascii() else place


def typed_name(name: str, character: str) -> str:
    """Return a key's name, replaced by the typed character where the keyboard's label misleads.

    Some keyboards need AltGr for brackets and Shift for digits: there the typed character counts,
    not the label. Otherwise Shift keeps the label, so that Shift+1 keeps its name.
    """
    if "Ctrl+" in name or "Alt+" in name or not character.isascii() or not character.isprintable():
        return name
    if character in _SHIFTED | SIGNS:
        return (_SHIFTED | SIGNS)[character]
    if character.isdigit() or (not name.startswith("Shift+") and character != " "):
        return character.upper()
    return name
