"""Names of keys pressed in a browser, as ``viewer.screen.keys`` names them: ``Q``, ``Shift+[``.

A browser says what a key typed and where it lies, but not what the layout prints on it.
"""

from dataclasses import dataclass, replace

from wheatstone.viewer.screen.key_signs import BRACKETS, SIGNS

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
"""Names of keys that type nothing, by ``KeyboardEvent.key``."""
PLACES = {
    **{f"Key{letter}": letter for letter in "ABCDEFGHIJKLMNOPQRSTUVWXYZ"},
    **{f"{row}{digit}": digit for row in ("Digit", "Numpad") for digit in "0123456789"},
    **{"Minus": "-", "Equal": "=", "BracketLeft": "[", "BracketRight": "]", "Backslash": "\\"},
    **{"Semicolon": ";", "Quote": "'", "Backquote": "`", "Comma": ",", "Period": ".", "Slash": "/"},
}
"""What a US keyboard prints on a key, by ``KeyboardEvent.code``."""
SHIFTED = dict(zip('!@#$%^&*(){}:"~<>?|', "1234567890[];'`,./\\", strict=True))
"""What a US keyboard prints on the key that types a character with Shift."""


@dataclass(frozen=True)
class PressedKey:
    """A key as a browser tells of it.

    Attributes:
        key: ``KeyboardEvent.key``, what it types or its name.
        code: ``KeyboardEvent.code``, where it lies.
    """

    key: str
    code: str
    shift: bool = False
    ctrl: bool = False
    alt: bool = False
    meta: bool = False


def key_name(pressed: PressedKey) -> str:
    """Name a key that is pressed; empty for modifiers and keys without a name.

    A key that types no ASCII character is named as on a US keyboard; so are digits together with
    Ctrl or Alt, for some keyboards need Shift to type digits. What is typed with AltGr counts as
    if it had a key of its own, and so does what Shift types where no US keyboard types it.
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
    """Name the modifiers held."""
    down = (pressed.ctrl, pressed.alt, pressed.meta, pressed.shift)
    names = ("Ctrl+", "Alt+", "Super+", "Shift+")
    return "".join(name for name, held in zip(names, down, strict=True) if held)


def _needs_alt_gr(character: str, place: str) -> bool:
    """Tell whether a character is typed with AltGr, which some systems call Ctrl and Alt."""
    return bool(character) and not character.isalnum() and character != place


def _typed(character: str, place: str, *, shift: bool) -> tuple[str, bool]:
    """Name the key that typed a character, and tell whether Shift belongs to the name.

    Args:
        place: what a US keyboard prints on the key.
    """
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
