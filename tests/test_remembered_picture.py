"""The picture drawn, its layout and the window's title: kept, yet every choice is seen at once."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from tests.offscreen_app import running_app, settle
from tests.test_history import ANY
from wheatstone.viewer.choices.state import ViewerState
from wheatstone.viewer.choices.table import Choice, choices
from wheatstone.viewer.display.frames.drawing import FrameDrawing
from wheatstone.viewer.display.frames.session import Session
from wheatstone.viewer.display.picture.identity import Badge
from wheatstone.viewer.display.picture.panes import Picture
from wheatstone.viewer.io.cameras.calibration import Calibration
from wheatstone.viewer.panels.status_words import title
from wheatstone.viewer.window.app import App

pytestmark = pytest.mark.opengl

WORDS = ("sgm", "--variant", "cpu", "--scene-size", "96x64", "--disparities", "16")
OTHERS = {
    **{"center": (0.25, 0.75), "cloud.orbit": (1.0, 2.0, 1.5), "cloud.pivot": 4.0},
    "learning.steps": {"sgm": 2},
    "look.fitted": (1.0, 2.0),
}


@pytest.fixture(scope="module")
def app(offscreen: Any) -> Iterator[App]:
    with running_app(*WORDS, "--compare", "wipe") as app:
        yield app


def another(choice: Choice, state: ViewerState) -> Any:
    """Another value of a choice than a state has."""
    now, control = choice.get(state), choice.control
    if control.choices:
        return next(value for value in control.choices if value != now)
    if control.kind in ("numbers", "text"):
        return (ANY | OTHERS).get(choice.path, f"{now}x")
    return control.low if now != control.low else control.high


def made_again(session: Session) -> Picture:
    """The picture as another drawing makes it, which remembers none."""
    drawing = FrameDrawing(session, session.display)
    drawing.show(session.drawing.mode, before_b=False)
    return drawing.picture


CHOICES = {each.path: each for each in choices() if each.path != "view"}


@pytest.mark.parametrize("path", CHOICES)
def test_the_picture_equals_one_made_again_after_every_choice(app: App, path: str) -> None:
    session, state, choice = app.session, app.state, CHOICES[path]
    held = dict(vars(state))
    assert session.drawing.picture is session.drawing.picture
    try:
        holder = getattr(state, choice.group) if choice.group else None
        value = another(choice, state)
        if holder is None:
            setattr(state, choice.name, value)
        else:
            setattr(state, choice.group, replace(holder, **{choice.name: value}))
        assert session.drawing.picture == made_again(session)
    finally:
        vars(state).update(held)
    assert session.drawing.picture == made_again(session)


@pytest.mark.parametrize("of_session", ["mode", "badge", "calibration"])
def test_what_was_computed_is_seen(
    app: App, of_session: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = app.session
    if of_session == "calibration":  # which a view in space alone is drawn by
        app.state.set_view(app.state.slot.pipeline, "cloud")
        app.state.mix(mode="off")
        settle(app)
    before = session.drawing.picture
    if of_session == "mode":
        monkeypatch.setattr(session.drawing, "mode", "side-by-side")
    elif of_session == "badge":
        monkeypatch.setattr(session.checks, "badge", lambda shown: Badge("equal", "good"))
    else:
        monkeypatch.setattr(session.a.frame, "calibration", Calibration(5.0, 1.0, (1.0, 1.0)))
    after = session.drawing.picture
    assert after == made_again(session) != before
    app.state.set_view(app.state.slot.pipeline, "disparity")
    app.state.mix(mode="wipe")
    settle(app)


def test_frames_of_the_same_view_have_the_very_same_picture(app: App) -> None:
    pictures = []
    for frame in (4, 5, 6):
        app.state.frame = frame
        settle(app)
        assert app.session.a.shown and app.session.a.shown.frame == frame
        pictures.append(app.session.drawing.picture)
    assert pictures[0] is pictures[1] is pictures[2]


def test_the_title_follows_all_that_it_tells(app: App) -> None:
    state, held = app.state, dict(vars(app.state))
    changes: list[dict[str, Any]] = [
        {"slot": replace(state.slot, params=state.slot.params.stepped("p1", 1))},
        {"slot": replace(state.slot, variant="reference")},
        {"mixing": replace(state.mixing, mode="b")},
        {"b": replace(state.slot, variant="reference"), "linked": False},
        {"presets": {"sgm": {"mine": {"p1": state.slot.params.values()["p1"] + 1}}}},
    ]
    for change in changes:
        vars(state).update(change)
        app.presentation.name_window()
        assert app.window.title == title(state, app.session.source.name)  # type: ignore[attr-defined]
    vars(state).update(held)
    app.presentation.name_window()
    assert app.window.title == title(state, app.session.source.name)  # type: ignore[attr-defined]


def test_what_is_drawn_follows_textures_sizes_and_styles(offscreen: Any) -> None:
    from wheatstone.viewer.display.picture.panes import Pane, Picture
    from wheatstone.viewer.display.screen.display import Display
    from wheatstone.viewer.theme import PictureStyle

    picks = np.random.default_rng(3)
    picture = Picture((Pane("x", colormap="turbo", high=60000.0),) * 2, legend=(("a", (1, 2, 3)),))
    shown = Display()
    for shape, dtype, size, style in (
        ((20, 30), np.uint8, (160, 120), PictureStyle()),
        ((20, 30), np.uint8, (160, 120), PictureStyle()),
        ((31, 17), np.uint8, (160, 120), PictureStyle()),
        ((31, 17), np.uint16, (160, 120), PictureStyle()),
        ((31, 17), np.uint16, (161, 140), PictureStyle()),
        ((31, 17), np.uint16, (161, 140), PictureStyle("light", 2.0)),
        ((20, 30), np.uint8, (160, 120), PictureStyle()),
    ):
        image = picks.integers(0, 250, shape).astype(dtype)
        fresh = Display()
        for display in (shown, fresh):
            display.style = style
            display.upload_image("x", image)
            display.draw(picture, *size)
        assert np.array_equal(shown.read(), fresh.read())
        assert shown.drawn == fresh.drawn
        fresh.close()
    shown.remove("x")
    with pytest.raises(ValueError, match="there is no image 'x'"):
        shown.draw(picture, 160, 120)
    shown.close()
