"""Keys pressed in browsers are named as those of a window, whatever the layout."""

import pytest

from wheatstone.viewer.window.serving.messages import PressedKey, key_name

SHIFT, CTRL, ALT = {"shift": True}, {"ctrl": True}, {"alt": True}


@pytest.mark.parametrize(
    ("key", "code", "held", "name"),
    [
        ("q", "KeyQ", {}, "Q"),
        ("Q", "KeyQ", SHIFT, "Shift+Q"),
        ("Q", "KeyQ", {}, "Q"),  # caps lock
        ("P", "KeyP", CTRL | SHIFT, "Ctrl+Shift+P"),
        (" ", "Space", {}, "Space"),
        (" ", "Space", SHIFT, "Shift+Space"),
        ("Escape", "Escape", {}, "Esc"),
        ("ArrowLeft", "ArrowLeft", SHIFT, "Shift+Left"),
        ("Tab", "Tab", CTRL | SHIFT, "Ctrl+Shift+Tab"),
        ("F12", "F12", {}, "F12"),
        ("F4", "F4", CTRL, "Ctrl+F4"),
        ("Enter", "NumpadEnter", {}, "Enter"),
        ("Alt", "AltLeft", ALT, "Alt"),
        ("Alt", "AltLeft", {}, "Alt"),
        ("y", "KeyY", ALT, "Alt+Y"),
        ("1", "Digit1", {}, "1"),
        ("!", "Digit1", SHIFT, "Shift+1"),
        ("1", "Digit1", CTRL, "Ctrl+1"),
        ("1", "Numpad1", {}, "1"),
        ("+", "NumpadAdd", {}, "Plus"),
        ("=", "Equal", {}, "Plus"),
        ("+", "Equal", SHIFT, "Plus"),
        ("=", "Equal", CTRL, "Ctrl+Plus"),
        ("_", "Minus", CTRL | SHIFT, "Ctrl+Minus"),
        ("[", "BracketLeft", {}, "["),
        ("{", "BracketLeft", SHIFT, "Shift+["),
        (",", "Comma", {}, ","),
        ("<", "Comma", SHIFT, "Shift+,"),
        (">", "Period", CTRL | SHIFT, "Ctrl+Shift+."),
        ("z", "KeyZ", {"meta": True}, "Super+Z"),
        ("Shift", "ShiftLeft", SHIFT, ""),
        ("Control", "ControlLeft", CTRL, ""),
        ("Dead", "Equal", {}, "Plus"),
        ("Unidentified", "", {}, ""),
        ("AudioVolumeUp", "AudioVolumeUp", {}, ""),
    ],
)
def test_on_a_us_keyboard(key: str, code: str, held: dict[str, bool], name: str) -> None:
    assert key_name(PressedKey(key, code, **held)) == name


@pytest.mark.parametrize(
    ("key", "code", "held", "name"),
    [
        ("z", "KeyY", {}, "Z"),  # German: what is printed counts
        ("ß", "Minus", {}, "Minus"),  # its place on a US keyboard
        ("?", "Minus", SHIFT, "?"),
        ("+", "BracketRight", {}, "Plus"),
        ("/", "Digit7", SHIFT, "Shift+7"),
        ("[", "Digit8", {}, "["),  # AltGr, as Linux tells it
        ("]", "Digit9", CTRL | ALT, "]"),  # AltGr, as Windows tells it
        ("{", "Digit7", CTRL | ALT, "Shift+["),
        ("ö", "Semicolon", {}, ";"),
        ("8", "Digit8", CTRL | ALT, "Ctrl+Alt+8"),
        ("&", "Digit1", {}, "&"),  # French: digits need Shift
        ("1", "Digit1", SHIFT, "1"),
        ("&", "Digit1", CTRL, "Ctrl+1"),
        ("a", "KeyQ", {}, "A"),
        ("ф", "KeyA", {}, "A"),  # Russian: no ASCII character
        ("Ф", "KeyA", SHIFT, "Shift+A"),
        ("\u0441", "KeyC", CTRL, "Ctrl+C"),
        ("å", "KeyA", ALT, "Alt+A"),  # macOS: Alt types something else
        (";", "Comma", SHIFT, ";"),  # German: no US keyboard types it there
    ],
)
def test_on_other_keyboards(key: str, code: str, held: dict[str, bool], name: str) -> None:
    assert key_name(PressedKey(key, code, **held)) == name
