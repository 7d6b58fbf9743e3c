"""What a stranger's screenshot or settings may open without being asked about."""

from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from tests.offscreen_app import do, keys, running_app, settle
from wheatstone.viewer.choices.slot import default_slot
from wheatstone.viewer.choices.state import ViewerState
from wheatstone.viewer.cli.cli import main, parse
from wheatstone.viewer.cli.start import open_view
from wheatstone.viewer.display.screen.events import Event
from wheatstone.viewer.display.screen.offscreen import OffscreenContext
from wheatstone.viewer.io.sources.source_spec import SourceSpec
from wheatstone.viewer.settings import recipe as settings
from wheatstone.viewer.settings.screenshot import write_screenshot
from wheatstone.viewer.settings.trust import foreign_files
from wheatstone.viewer.window.app import App

ABSENT = {"cpu": "", "cuda": "no GPU"}


def recipe_for(source: dict[str, Any], *, own: bool = False) -> settings.Recipe:
    state = ViewerState(default_slot("invert", ABSENT), ABSENT)
    state.zoom = 2.0
    recipe = settings.to_recipe(state, SourceSpec.from_dict(source))
    return recipe if own else recipe | {"seal": "0" * 64}


def foreign(file: Path, recipe: settings.Recipe) -> tuple[str, ...]:
    return foreign_files(file, settings.source_of(recipe), recipe.get("seal"))


@pytest.fixture
def places(tmp_path: Path) -> tuple[Path, Path]:
    folder = tmp_path / "downloads"
    folder.mkdir()
    picture = tmp_path / "private.png"
    Image.new("L", (40, 30), 99).save(picture)
    return folder, picture


def shot(folder: Path, recipe: settings.Recipe) -> Path:
    write_screenshot(folder / "shot.png", np.zeros((2, 2, 3), np.uint8), recipe)
    return folder / "shot.png"


def toml(folder: Path, recipe: settings.Recipe) -> Path:
    (folder / "mine.toml").write_text(settings.dumps(recipe))
    return folder / "mine.toml"


@pytest.mark.parametrize("word", ["left", "right", "calibration", "calibration_right", "truth"])
def test_files_elsewhere_are_foreign_and_those_beside_are_not(word: str, tmp_path: Path) -> None:
    folder = tmp_path / "downloads"
    neighbours, elsewhere = str(folder / "a" / "b.png"), str(tmp_path / "b.png")
    for there, expected in ((neighbours, ()), (elsewhere, (elsewhere,))):
        recipe = recipe_for({"left": neighbours, "calibration": neighbours, word: there})
        assert foreign(folder / "shot.png", recipe) == expected
    assert foreign(folder / "shot.png", recipe_for({"scene": "orbit"})) == ()


def test_a_link_is_judged_by_what_it_leads_to(places: tuple[Path, Path]) -> None:
    folder, picture = places
    (folder / "left.png").symlink_to(picture)
    named = str(folder / "left.png")
    assert foreign(folder / "shot.png", recipe_for({"left": named})) == (named,)


def test_the_user_s_own_are_known_again_until_they_name_another_file() -> None:
    recipe = recipe_for({"left": "/somewhere/left.png"}, own=True)
    assert foreign(Path("shot.png"), recipe) == ()
    recipe["source"]["left"] = "/etc/shadow.png"
    assert foreign(Path("shot.png"), recipe) == ("/etc/shadow.png",)


def test_another_user_s_seal_counts_for_nothing(own_settings: Path) -> None:
    recipe = recipe_for({"left": "/somewhere/left.png"}, own=True)
    key = own_settings / "seal.key"
    assert key.stat().st_mode & 0o777 == 0o600
    key.write_bytes(bytes(32))
    assert foreign(Path("shot.png"), recipe) == ("/somewhere/left.png",)


def test_without_a_place_for_a_key_nothing_is_sealed(own_settings: Path) -> None:
    own_settings.write_text("a file where the folder would be")
    recipe = recipe_for({"left": "/somewhere/left.png"}, own=True)
    assert "seal" not in recipe
    assert foreign(Path("shot.png"), recipe) == ("/somewhere/left.png",)


@pytest.mark.parametrize("write", [shot, toml])
def test_without_a_window_a_foreign_file_is_refused(
    write: Callable[[Path, settings.Recipe], Path],
    places: tuple[Path, Path],
    capsys: pytest.CaptureFixture[str],
) -> None:
    folder, picture = places
    file = write(folder, recipe_for({"left": str(picture)}))
    named = [str(file)] if write is shot else ["--settings", str(file)]
    assert main(["render", *named, "--out", str(folder / "out.png")]) == 2
    errors = capsys.readouterr().err
    assert str(picture) in errors and "--trust-sources" in errors
    for words in (["--trust-sources"], ["--scene", "garden"]):
        _, source = open_view(parse(["render", *named, *words]))
        with closing(source):
            assert ("left" in source.spec.to_dict()) == (words == ["--trust-sources"])


@pytest.fixture
def app(
    offscreen: OffscreenContext, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[App]:
    monkeypatch.chdir(tmp_path)
    with running_app("invert", "--scene-size", "64x48", "--variant", "reference") as running:
        yield running


@pytest.mark.opengl
@pytest.mark.parametrize("write", [shot, toml])
def test_the_window_asks_before_it_opens_a_foreign_file(
    app: App, places: tuple[Path, Path], write: Callable[[Path, settings.Recipe], Path]
) -> None:
    folder, picture = places
    file = write(folder, recipe_for({"left": str(picture)}))
    do(app, Event("drop", paths=(str(file),)))
    settle(app)
    assert app.state.question and app.state.question.about == (str(picture),)
    assert app.state.zoom == 2.0  # the settings can do no harm
    keys(app, "1", "Esc")
    settle(app)
    assert "scene" in app.session.source.spec.to_dict() and not app.state.question
    assert str(picture) in app.state.message and not app.state.closing

    do(app, Event("drop", paths=(str(file),)))
    settle(app)
    keys(app, "Enter")
    settle(app)
    assert app.session.source.spec.to_dict() == {"left": str(picture)}


@pytest.mark.opengl
def test_a_start_with_a_stranger_s_screenshot_asks_too(
    offscreen: OffscreenContext, places: tuple[Path, Path]
) -> None:
    file = shot(places[0], recipe_for({"left": str(places[1])}))
    with running_app(str(file)) as app:
        assert app.state.question and "scene" in app.session.source.spec.to_dict()
        keys(app, "Enter")
        settle(app)
        assert app.session.source.spec.to_dict() == {"left": str(places[1])}
        assert app.state.zoom == 2.0
