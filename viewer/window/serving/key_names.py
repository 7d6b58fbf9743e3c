"""Names of keys pressed in a browser, in the form of ``display.screen.keys``: ``Q``, ``Shift+[``.

A browser reports the character of a key and its place, but not its label on the keyboard.
"""

from dataclasses import dataclass, replace

from wheatstone.viewer.display.screen.events import BRACKETS, SIGNS

NAMED = {
    " ": "Space",
    "Spacebar": "Space",
    "Escape": "Esc",
    "ArrowLeft": "Left",
    "ArrowRight": "Right",
    "ArrowUp": "Up",
    "ArrowDown": "Down",
    **{
        name: name
        for name in (
            *("Enter", "Tab", "Backspace", "Insert", "Delete", "PageUp", "PageDown"),
            *("Home", "End", "Alt", *(f"F{n}" for n in range(1, 26))),
        )
    },
}
"""Names of keys that type no character, by ``KeyboardEvent.key``."""
PLACES = {
    **{f"Key{letter}": letter for letter in "ABCDEFGHIJKLMNOPQRSTUVWXYZ"},
    **{f"{row}{digit}": digit for row in ("Digit", "Numpad") for digit in "0123456789"},
    **{"Minus": "-", "Equal": "=", "BracketLeft": "[", "BracketRight": "]", "Backslash": "\\"},
    **{"Semicolon": ";", "Quote": "'", "Backquote": "`", "Comma": ",", "Period": ".", "Slash": "/"},
}
"""Labels of a US keyboard's keys, by ``KeyboardEvent.code``."""
SHIFTED = dict(zip('!@#$%^&*(){}:"~<>?|', "1234567890[];'`,./\\", strict=True))
"""Labels of a US keyboard's keys, by the character that the key types with Shift."""


@dataclass(frozen=True)
class PressedKey:
    """A key press as reported by a browser.

    Attributes:
        key: ``KeyboardEvent.key``, the character it types or its name.
        code: ``KeyboardEvent.code``, its place on the keyboard.
    """

    key: str
    code: str
    shift: bool = False
    ctrl: bool = False
    alt: bool = False
    meta: bool = False


def key_name(pressed: PressedKey) -> str:
    """Return the name of a pressed key; empty for modifiers and keys without a name.

    A key that types no ASCII character is named as on a US keyboard; so are digits together with
    Ctrl or Alt, because some keyboards need Shift to type digits. Characters typed with AltGr are
    named as keys of their own, and so are characters with Shift that a US keyboard does not have.
    """
    if name := NAMED.get(pressed.key):
        return name if name == "Alt" else _held(pressed) + name
    place = PLACES.get(pressed.code, "")
    character = pressed.key if pressed.key.isascii() and len(pressed.key) == 1 else ""
    if pressed.ctrl and pressed.alt and _needs_alt_gr(character, place):
        pressed = replace(pressed, ctrl=False, alt=False)
    if place.isdigit() and (pressed.ctrl or pressed.alt):
        return _held(pressed) + place
    if not character:
        name, shift = SIGNS.get(place, place), pressed.shift and place not in SIGNS
    else:
        name, shift = _typed(character, place, shift=pressed.shift)
    return _held(replace(pressed, shift=shift)) + name if name else ""


def _held(pressed: PressedKey) -> str:
    """Return the names of the modifiers that are held, as a prefix."""
    down = (pressed.ctrl, pressed.alt, pressed.meta, pressed.shift)
    names = ("Ctrl+", "Alt+", "Super+", "Shift+")
    return "".join(name for name, held in zip(names, down, strict=True) if held)


def _needs_alt_gr(character: str, place: str) -> bool:
    """Return whether a character is typed with AltGr, which some systems report as Ctrl+Alt."""
    return bool(character) and not character.isalnum() and character != place


def _typed(character: str, place: str, *, shift: bool) -> tuple[str, bool]:
    """Return the key that typed a character at a place, and whether Shift belongs to its name."""
    if character in SIGNS:
        return SIGNS[character], False
    if character in BRACKETS:
        return BRACKETS[character], True
    if character.isalpha():
        return character.upper(), shift
    if not shift or character.isdigit():
        return character, False
    if place.isdigit() or SHIFTED.get(character) == place:
        return place, True
    return character, False
