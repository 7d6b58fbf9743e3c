"""The whole key table, pressed by xdotool in a real window, does what it does to a bare state."""

from pathlib import Path
from typing import Any

import pytest

from tests.test_app import Program, running
from wheatstone.gpu.pipelines.sgm import SGM
from wheatstone.viewer.choices.state import ViewerState
from wheatstone.viewer.cli.cli import parse
from wheatstone.viewer.cli.start import open_view
from wheatstone.viewer.panels import PANELS
from wheatstone.viewer.panels.keys.actions import actions, press
from wheatstone.viewer.settings import recipe as settings
from wheatstone.viewer.settings import user_settings
from wheatstone.viewer.settings.screenshot import read_recipe

pytestmark = pytest.mark.window
WORDS = ["sgm", "--scene-size", "96x64", "--disparities", "16", "--variant", "cpu"]
KEYSYMS = {"[": "bracketleft", "]": "bracketright", ",": "comma", ".": "period"}
KEYSYMS |= {"PageDown": "Next", "PageUp": "Prior"}
KEYSYMS |= {"Plus": "plus", "Minus": "minus"}
KEYSYMS |= {"Space": "space", "Esc": "Escape", "Enter": "Return"}

DIGITS = "123456789"
ROUNDS = (
    # In each only what can be computed, whatever of it falls between two frames.
    (*DIGITS, "2", *"PP", "Shift+P", *"]][", "Shift+[", "Shift+[", "Shift+]"),
    (*"VV", "Shift+V", *"MM", "Shift+M", *",.", ".", "Shift+R", "Shift+I", "Shift+I"),
    ("Ctrl+I", "Ctrl+I", "Shift+F8", "Shift+F8", "Shift+L", "Shift+L"),
    ("Shift+N", "Shift+H", "Shift+T", "Shift+T", "Ctrl+Shift+I", "Ctrl+Shift+I"),
    ("Shift+V", "N", "Shift+G", "Ctrl+G", *"YYYUU", "Shift+U", "Shift+Y", "Alt+Y"),
    ("Shift+C", "Ctrl+M", "Ctrl+L", "Home", "Shift+Home", "Shift+Space", "Shift+.", "Shift+,"),
    ("Shift+,", "Ctrl+.", "Ctrl+,", "Shift+K", "Shift+K", "Alt+K", "Alt+K", "Alt+.", "Alt+,"),
    ("Ctrl+F3", "Ctrl+F3"),
    ("F", "R", *(f"Shift+{digit}" for digit in DIGITS)),
    (*(f"Alt+{digit}" for digit in DIGITS), "Alt+1", *"CWBT", "W", "Left", "Left", "Right"),
    ("Shift+W", "O", "Right", "D", "Left", "Shift+D", *"XX", "E", "Shift+E", "Shift+E", "J"),
    ("Shift+J", "E", "Z", "Z", "Shift+D", "Shift+X", "]", "Shift+X", "A", "A", "Shift+A"),
    ("PageDown", "PageUp", "Ctrl+B", "Ctrl+W"),  # of a single source, which stays
    ("Ctrl+P", "Ctrl+P", "Shift+X", "Alt+X", "C", "Shift+X", "F2"),
    ("Ctrl+R", "V", "Ctrl+R", "Ctrl+T", "Ctrl+Shift+T", "Ctrl+D"),
    ("M", "]", "V", "Ctrl+Z", "Ctrl+Z", "Ctrl+Y", "Ctrl+Z", "Ctrl+Shift+Z", "Ctrl+Z"),
    (
        *(f"Ctrl+{digit}" for digit in DIGITS),
        "Ctrl+1",
        "L",
        "Ctrl+E",
        "Ctrl+Shift+S",
        "F5",
        "H",
        "Esc",
        "F1",
        "F1",
    ),
    ("Plus", "Plus", "Minus", "Shift+Left", "Shift+Right", "Shift+Up", "Shift+Down"),
    ("Ctrl+Plus", "Ctrl+Minus", "Ctrl+Minus", "Ctrl+0", "F2", "Ctrl+Tab", "Ctrl+Shift+Tab"),
    ("Esc", "F2"),  # while nothing is computed, which Esc would give up first
    ("F", "F11", "F11", "Shift+F7", "Ctrl+F7", "Shift+F4", "Shift+F4", "Ctrl+F4", "Ctrl+F4"),
    (*(panel.key for panel in PANELS), *(panel.key for panel in PANELS[1:]), "Tab"),
)
ELSEWHERE = {
    "Space",
    "S",
    "Ctrl+S",
    "Ctrl+Shift+P",
    "Q",
    "Alt",
    "Ctrl+O",
    *("Ctrl+Shift+O", "Ctrl+V", "Alt+O", "Alt+W", "Ctrl+Shift+F6"),
    "Shift+S",
    *("Alt+I", "Ctrl+K", "Alt+M", "Alt+P", "Alt+T", "Ctrl+C", "Ctrl+Shift+C", "Ctrl+[", "Ctrl+]"),
}
"""Keys pressed by tests themselves, and one that starts the desktop's own program."""


def pressed(program: Program, *keys: str) -> None:
    words = []
    for key in keys:
        *modifiers, base = key.split("+")
        named = KEYSYMS.get(base, base.lower() if len(base) == 1 else base)
        words.append("+".join([*map(str.lower, modifiers), named]))
    program.xdotool("key", "--delay", "25", *words)


def restored(recipe: dict[str, Any]) -> dict[str, Any]:
    parts = {name: dict(recipe.get(name, {})) for name in ("view", "params", "compare", "b")}
    parts["compare"].pop("turn", None)
    parts["view"] = {k: v for k, v in parts["view"].items() if k not in ("zoom", "center")}
    look = dict(recipe.get("chosen", {}).get("look", {}))
    look.pop("ranges", None)
    chosen = {**recipe.get("chosen", {}), "look": look}
    chosen.pop("measuring", None)  # the picture's size and the cursor decide it
    return parts | {"chosen": chosen}


def model(state: ViewerState) -> dict[str, Any]:
    return restored(settings.loads(settings.dumps(settings.to_recipe(state))))


def test_the_whole_key_table_is_pressed_here() -> None:
    table = {key for action in actions(SGM) for key in action.keys}
    assert table == ELSEWHERE.union(*ROUNDS)


def test_every_key_does_to_the_window_what_it_does_to_a_bare_state(
    x_display: dict[str, str], tmp_path: Path
) -> None:
    state, source = open_view(parse(["view", *WORDS]))
    source.close()
    with running(x_display, tmp_path, *WORDS, "--size", "960x420") as program:  # without tabs
        pressed(program, "Space")
        begun = read_recipe(program.shot(1))
        assert begun
        state.frame = begun["view"]["frame"]
        press(state, "Space")
        for number, keys in enumerate(ROUNDS, 2):
            pressed(program, *keys)
            recipe = read_recipe(program.shot(number))
            for key in keys:
                press(state, key)
            state.jump = 0  # asked for, and done
            assert recipe and restored(recipe) == model(state), keys
        code, output = program.quit("q")
    assert (code, output) == (0, "")
    assert recipe
    assert recipe["view"]["zoom"] == 1.0 and "ranges" not in recipe["chosen"]["look"]
    saved = user_settings.read(tmp_path / "settings" / "wheatstone" / "settings.toml")
    assert saved["window"] == {"seen": False, "panels": sorted(state.open_panels)}
    assert state.open_panels and not state.panels


def test_what_is_typed_into_the_palette_does_nothing_else(
    x_display: dict[str, str], tmp_path: Path
) -> None:
    with running(x_display, tmp_path, *WORDS, "--size", "640x420") as program:
        pressed(program, "Space", "Ctrl+Shift+P")
        program.xdotool("type", "--delay", "25", "q2Hv[]")
        pressed(program, "Esc", "Ctrl+Shift+P")
        program.xdotool("type", "--delay", "25", "Map: Virid")
        pressed(program, "Enter", "Ctrl+Shift+P")
        program.xdotool("type", "--delay", "25", "wipe")
        pressed(program, "Down", "Enter", "Ctrl+Shift+P")
        program.xdotool("type", "--delay", "25", "save preset")
        pressed(program, "Enter")
        program.xdotool("type", "--delay", "25", "My street-2")
        pressed(program, "Enter", "Ctrl+S")
        recipe = read_recipe(program.shot(2))
        code, output = program.quit("Escape", "Escape", "Escape")
    assert (code, output) == (0, "")
    assert recipe
    assert (recipe["view"]["colormap"], recipe["view"]["view"]) == ("viridis", "disparity")
    assert (recipe["view"]["variant"], recipe["compare"]["mode"]) == ("cpu", "wipe-down")
    presets = tmp_path / "settings" / "wheatstone" / "presets" / "sgm"
    assert [path.name for path in presets.iterdir()] == ["My street-2.toml"]
    kept = sorted(path.name for path in tmp_path.glob("wheatstone-001.*"))
    assert kept == [f"wheatstone-001.{suffix}" for suffix in ("npy", "png", "toml")]
