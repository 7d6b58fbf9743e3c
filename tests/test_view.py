"""However a window ends, what it showed last is saved; what a damaged state says is not."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.offscreen_app import keys, running_app
from wheatstone.viewer.choices.slot import default_slot
from wheatstone.viewer.choices.state import ViewerState
from wheatstone.viewer.cli.cli import parse
from wheatstone.viewer.cli.signals import closing_at_signals
from wheatstone.viewer.cli.start import NothingShown
from wheatstone.viewer.cli.view import saved_at_end, with_defaults_if_broken
from wheatstone.viewer.cli.view_request import WindowRequest
from wheatstone.viewer.display.screen.offscreen import OffscreenContext
from wheatstone.viewer.settings import user_settings
from wheatstone.viewer.window.app import App

WORDS = ("invert", "--scene-size", "64x48", "--variant", "reference")


@pytest.fixture
def app(offscreen: OffscreenContext) -> Iterator[App]:
    with running_app(*WORDS) as running:
        yield running


def saved_colormap() -> str:
    return str(user_settings.read(user_settings.last_session())["view"]["colormap"])


@pytest.mark.usefixtures("heeded_signals")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_closes_the_window_and_a_second_one_interrupts(number: int) -> None:
    state, before = ViewerState(default_slot("sgm", {"cuda": "none"})), signal.getsignal(number)
    with closing_at_signals(state) as came:
        os.kill(os.getpid(), number)
        assert state.closing and came == [number]
        with pytest.raises(KeyboardInterrupt):
            os.kill(os.getpid(), number)
    assert signal.getsignal(number) is before


def test_a_signal_that_is_ignored_stays_so() -> None:
    state, before = ViewerState(default_slot("sgm", {"cuda": "none"})), signal.SIG_IGN
    old = signal.signal(signal.SIGHUP, before)
    try:
        with closing_at_signals(state) as came:
            os.kill(os.getpid(), signal.SIGHUP)
        assert not came and not state.closing
    finally:
        signal.signal(signal.SIGHUP, old)


@pytest.mark.opengl
@pytest.mark.parametrize("error", [RuntimeError("broke"), KeyboardInterrupt(), SystemExit(143)])
def test_what_was_shown_is_saved_when_the_loop_breaks(
    app: App, error: BaseException, monkeypatch: pytest.MonkeyPatch
) -> None:
    keys(app, "M")
    slot = app.state.slot

    def breaks() -> None:
        app.state.choose_pipeline("mean")  # what broke is no good to start with
        raise error

    monkeypatch.setattr(app, "step", breaks)
    with pytest.raises(type(error)), saved_at_end(app):
        app.run()
    assert saved_colormap() == "turbo"
    if isinstance(error, Exception):
        assert app.state.slot == slot


@pytest.mark.opengl
def test_before_the_first_picture_a_broken_loop_saves_nothing(
    offscreen: OffscreenContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    with running_app(*WORDS, first=False) as app:
        monkeypatch.setattr(app.session, "compute", lambda patience: False)  # as a long one does
        monkeypatch.setattr("wheatstone.viewer.window.app.Overlay.frame", None)
        with pytest.raises(NothingShown) as broken, saved_at_end(app):
            app.run()
        assert isinstance(broken.value.__cause__, TypeError)
    assert not user_settings.last_session().exists()


@pytest.mark.opengl
@pytest.mark.parametrize("damage", [{"colormap": "mud"}, {"colormap": 7.5}, {"mixing": None}])
def test_a_damaged_state_leaves_the_last_good_session(
    app: App, damage: dict[str, object], capfd: pytest.CaptureFixture[str]
) -> None:
    user_settings.save_quietly(app.state, app.spec)
    before = user_settings.last_session().read_bytes()
    vars(app.state).update(damage, closing=True)
    with saved_at_end(app):
        app.run()
    assert user_settings.last_session().read_bytes() == before
    assert "the settings are not saved" in capfd.readouterr().err


@pytest.mark.opengl
def test_an_end_waits_for_files_and_says_which_are_not_written(app: App, tmp_path: Path) -> None:
    for name in ("good", "absent/bad"):
        app.state.effects.append(("save settings", str(tmp_path / name)))
    app.step()
    assert "does not exist" in "".join(app.finish())
    assert (tmp_path / "good.toml").is_file()


def remembered_session() -> Path:
    """Write a file of the last session, and return its path."""
    session = user_settings.last_session()
    session.parent.mkdir(parents=True, exist_ok=True)
    session.write_text("remembered")
    return session


def test_a_last_session_that_breaks_the_start_is_set_aside(
    capfd: pytest.CaptureFixture[str],
) -> None:
    session = remembered_session()

    @with_defaults_if_broken
    def show(request: WindowRequest) -> int:
        if session.exists():
            raise NothingShown from OverflowError("too far away")
        return 7

    assert show(parse(["view"])) == 7
    assert session.with_name("settings.toml.damaged").read_text() == "remembered"
    assert "ignored: OverflowError: too far away; kept as " in capfd.readouterr().err


def test_a_last_session_that_cannot_be_renamed_is_ignored(
    capfd: pytest.CaptureFixture[str],
) -> None:
    session = remembered_session()
    for number in ("", *range(2, 1000)):  # every name that it could get
        session.with_name(f"settings.toml.damaged{number}").touch()

    @with_defaults_if_broken
    def show(request: WindowRequest) -> int:
        if not request.fresh:
            raise NothingShown from OverflowError("too far away")
        return 7

    assert show(parse(["view"])) == 7
    assert session.read_text() == "remembered"
    assert "cannot be renamed" in capfd.readouterr().err


@pytest.mark.parametrize("remembered", [True, False])
def test_a_start_that_breaks_without_a_last_session_says_why(remembered: bool) -> None:
    session = user_settings.last_session()
    session.parent.mkdir(parents=True, exist_ok=True)
    if remembered:
        session.write_text("remembered")

    @with_defaults_if_broken
    def show(request: WindowRequest) -> int:
        raise NothingShown from OverflowError("too far away")

    with pytest.raises(OverflowError):
        show(parse(["view"]))
    assert session.exists() == remembered
