"""Themes: contrast of all that is read, colours named in one place, one scale for all text."""

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.offscreen_app import keys, running_app
from tests.theme_grounds import READ, SEEN
from wheatstone.viewer.display.picture.caption import Caption, caption_strip
from wheatstone.viewer.display.picture.legend import SMALLEST_TEXT, text_size
from wheatstone.viewer.display.screen.offscreen import OffscreenContext
from wheatstone.viewer.display.screen.style import FONT_SIZE, SERIES, Ink, byte_color, number
from wheatstone.viewer.theme import COLORS, THEMES, PictureStyle, color, contrast
from wheatstone.viewer.window.app import App

ROOT = Path(__file__).resolve().parent.parent
BYTES = r"\((?=[^)]*\d\d)\d{1,3}, \d{1,3}, \d{1,3}\)"
SHARES = r"\([01]?\.\d+, [01]?\.\d+, [01]?\.\d+(, [01]?\.\d+)?\)"
LITERAL = re.compile(rf"{BYTES}|{SHARES}|0x[0-9A-Fa-f]{{8}}\b|#[0-9a-f]{{6}}\b")
DATA = ("picture/panes.py", "picture/guides.py", "picture/labels.py", "screen/framebuffer.py")
"""Files whose colours stand for data, which no theme changes, or for none."""
WORDS = ("sgm", "--scene-size", "96x64", "--disparities", "16", "--variant", "cpu", "--fresh")


def test_contrast_is_that_of_the_webs_guidelines() -> None:
    assert contrast((0, 0, 0), (255, 255, 255)) == pytest.approx(21)
    assert contrast((9, 9, 9), (9, 9, 9)) == 1
    assert contrast((119, 119, 119), (255, 255, 255)) == pytest.approx(4.48, abs=0.005)


@pytest.mark.parametrize("theme", THEMES)
def test_all_words_and_marks_have_enough_contrast(theme: str) -> None:
    for name, grounds in READ.items():
        for ground in grounds:
            ratio = contrast(color(name, theme), color(ground, theme))
            assert ratio >= 4.5, (name, ground, ratio)
    for name, grounds in SEEN.items():
        for ground in grounds:
            assert contrast(color(name, theme), color(ground, theme)) >= 3, (name, ground)


def test_verdicts_differ_in_blue_which_nearly_all_eyes_tell_apart() -> None:
    for theme in THEMES:
        good, bad = color("good", theme), color("bad", theme)
        assert good[2] > good[0] and bad[0] > bad[2] + 40


def test_colours_have_names_and_no_literals_stand_elsewhere() -> None:
    rooms = ("panels", "display/picture", "display/screen")
    files = [file for room in rooms for file in (ROOT / "viewer" / room).rglob("*.py")]
    files += [ROOT / "viewer" / name for name in ("window/app.py", "window/window_layout.py")]
    for file in files:
        if not file.as_posix().endswith(DATA):
            lines = [line for line in file.read_text().splitlines() if LITERAL.search(line)]
            assert lines == [] or all(_no_colour(line) for line in lines), (file, lines)
    assert {*READ, *SEEN} <= COLORS.keys()


def _no_colour(line: str) -> bool:
    return any(word in line for word in ("_draw_columns", "black, white", "struct.pack"))


def test_inks_wear_the_theme_that_is_worn(app: App) -> None:
    assert [round(255 * share) for share in SERIES[0][:3]] == list(byte_color("series 1"))
    app.state.open_panels = {"parameters"}
    app.step()
    dark = app.window.read()  # type: ignore[attr-defined]
    assert tuple(dark[300, 4]) == color("ground", "dark")
    app.state.look = app.state.look.chosen("theme", "light")
    app.step()
    light = app.window.read()  # type: ignore[attr-defined]
    assert tuple(light[300, 4]) == color("ground", "light")
    assert tuple(light[-4, 4]) == color("ground", "light")  # the status line
    assert color("paper", "light") in {tuple(pixel) for pixel in light[-40, -200:].tolist()}
    assert [round(255 * share) for share in Ink("text")[:3]] == list(color("text", "light"))
    app.state.look = app.state.look.chosen("theme", "dark")
    app.step()
    assert tuple(app.window.read()[300, 4]) == color("ground", "dark")  # type: ignore[attr-defined]


def test_a_packed_colour_begins_with_red_in_its_lowest_byte() -> None:
    assert number("on picture too") == 0xFF009EFF


def test_text_follows_the_pictures_width_and_is_never_smaller_than_the_scale_says() -> None:
    assert text_size(0) == SMALLEST_TEXT
    assert text_size(1800) == 20 and text_size(1800, PictureStyle(scale=1.5)) == 20
    assert text_size(1800, PictureStyle(scale=2)) == text_size(300, PictureStyle(scale=2)) == 26
    assert text_size(1800, PictureStyle(scale=0.5)) == 10
    caption = Caption(labels=("x", "y"), badge="A and B are identical", tone="good")
    heights = [len(caption_strip(caption, 900, PictureStyle(scale=scale))) for scale in (1, 2)]
    assert heights[1] == pytest.approx(2 * heights[0], abs=4)


def test_the_sign_of_a_verdict_tells_it_without_its_colour() -> None:
    strips = [
        caption_strip(Caption(labels=("x", "y"), badge=" ", tone=tone), 300)
        for tone in ("good", "bad", "neutral")
    ]
    inked = [(strip != color("paper")).any(axis=2)[-26:, :40] for strip in strips]
    assert not any(np.array_equal(inked[a], inked[b]) for a, b in ((0, 1), (0, 2), (1, 2)))


@pytest.fixture(scope="module")
def app(offscreen: OffscreenContext) -> Iterator[App]:
    with running_app(*WORDS, size=(900, 640)) as running:
        yield running


@pytest.mark.opengl
def test_keys_scale_all_text_and_the_screens_scale_multiplies_it(app: App) -> None:
    from imgui_bundle import imgui

    state = app.state
    state.open_panels = {"parameters"}
    app.step()
    width = app.layout.area.x
    keys(app, *["Ctrl+Plus"] * 4)
    assert state.look.scale == app.presentation.scale == 2.0
    assert text_size(600, app.session.display.style) == 2 * SMALLEST_TEXT
    assert imgui.get_style().font_scale_dpi * FONT_SIZE == 30
    assert app.layout.area.x > width
    keys(app, *["Ctrl+Minus"] * 9)
    assert state.look.scale == 0.5
    keys(app, *["Ctrl+Plus"] * 20)
    assert state.look.scale == 3.0
    keys(app, "Ctrl+0")
    assert (state.look.scale, state.message) == (1.0, "text size 100%")
    assert imgui.get_style().window_padding.x == 12


@pytest.mark.opengl
@pytest.mark.parametrize("theme", THEMES)
def test_sizes_depend_on_the_scale_and_not_on_those_before(app: App, theme: str) -> None:
    from imgui_bundle import imgui

    def sizes() -> list[float]:
        style = imgui.get_style()
        small = style.window_min_size.x, style.scrollbar_size, style.frame_border_size
        own = style._main_scale  # of what Dear ImGui draws by itself, such as crosses
        return [*small, own, style.tab_rounding, style.item_inner_spacing.x, style.window_padding.x]

    app.state.look = replace(app.state.look, theme=theme)
    app.step()
    before = sizes()
    for scale in (1.5, 2.0, 1.25, 1.0):
        app.window.scale = scale  # type: ignore[misc]
        app.step()
    assert sizes() == before


@pytest.mark.opengl
def test_keys_go_through_a_panel_while_it_has_the_focus(app: App) -> None:
    state = app.state
    state.open_panels = {"parameters", "histogram"}
    app.step()
    keys(app, "Ctrl+Tab")
    assert state.focus == "parameters"
    for _ in range(5):
        app.step()
    keys(app, "Ctrl+Tab")
    assert state.focus == "histogram"
    keys(app, "Ctrl+Shift+Tab")
    assert state.focus == "parameters"
    seam, paused = state.mixing.seam, state.paused
    before, changed = state.slot.params, False
    for key in ("Down",) * 4 + ("Down", "Space", "Right", "Right", "Space") * 6:
        keys(app, key)
        for _ in range(6):
            app.step()
        changed = changed or state.slot.params != before or state.slot.variant != "cpu"
    assert changed, "no key reached the panel"
    assert (state.mixing.seam, state.paused) == (seam, paused)
    for _ in range(2):  # the first may close a list
        if state.focus:
            keys(app, "Esc")
    assert not state.focus and not state.closing
    keys(app, "Space")
    assert state.paused != paused
    state.open_panels = set()
    keys(app, "Ctrl+Tab")
    assert not state.focus and "no panel" in state.message
