"""Several pixels pinned, with a table of their values."""

from dataclasses import replace

import pytest

from tests.offscreen_app import do, keys, running_app, settle
from wheatstone.viewer.choices.look import MOST_PINS, Look
from wheatstone.viewer.display.screen.events import Event
from wheatstone.viewer.display.screen.offscreen import OffscreenContext
from wheatstone.viewer.panels.inspector.pinned_pixels import (
    HEADINGS,
    PinnedPixel,
    table_text,
)
from wheatstone.viewer.panels.inspector.pixel_words import with_pin
from wheatstone.viewer.settings import recipe as settings

WORDS = ("sgm", "--scene-size", "96x64", "--disparities", "16", "--variant", "cpu", "--fresh")


def test_a_pixel_pinned_twice_is_released() -> None:
    look = with_pin(with_pin(Look(), (3, 4)), (5, 6))
    assert look.pins == ((3, 4), (5, 6))
    assert with_pin(look, (3, 4)).pins == ((5, 6),)


def test_there_is_room_for_so_many_pixels_and_for_no_more() -> None:
    look = Look(pins=tuple((row, 0) for row in range(MOST_PINS)))
    with pytest.raises(ValueError, match="at most 16 pixels"):
        with_pin(look, (99, 0))
    with pytest.raises(ValueError, match=r"in \[0,"):
        Look(pins=((0, -1),))


def test_the_table_is_copied_as_csv() -> None:
    rows = [PinnedPixel((3, 4), "1.5", "2.5", "-1.0", "1.25", "left-right check, speckle")]
    assert table_text(rows).splitlines() == [
        ",".join(HEADINGS),
        '1,4,3,1.5,2.5,-1.0,1.25,"left-right check, speckle"',
    ]


@pytest.mark.opengl
def test_pixels_are_pinned_reported_copied_and_kept(offscreen: OffscreenContext) -> None:
    with running_app(*WORDS, "--compare", "wipe", "--b-set", "p1=30", size=(1000, 640)) as app:
        do(app, Event("move", x=420, y=300))
        keys(app, "Ctrl+Shift+I")
        x, y = 520.0, 340.0
        do(app, Event("move", x=x, y=y))
        for kind in ("press", "release"):
            do(app, Event(kind, x=x, y=y, ctrl=True, shift=True))
        settle(app)
        pins = app.state.look.pins
        assert len(pins) == 2 and "inspector" in app.state.open_panels
        app.state.look = replace(app.state.look, pins=(*pins, (5000, 3)))
        settle(app)
        *rows, beyond = app.layout.body("inspector").pinned  # type: ignore[union-attr]
        assert beyond == PinnedPixel((5000, 3))
        truth, name = app.session.frames.frame(0).truth, app.state.slot.pipeline.output
        of_a = app.session.values(name)
        assert truth is not None
        for row in rows:
            if row.a[0].isdigit():
                assert float(row.a) == of_a[row.place] / 16
            assert float(row.truth) == pytest.approx(truth[row.place], abs=1e-3)
        app.state.effects.append(("copy pins",))
        app.step()
        assert app.window.clipboard == table_text([*rows, beyond])  # type: ignore[attr-defined]
        recipe = settings.loads(settings.dumps(settings.recipe_of(app.session)))
        assert recipe["chosen"]["look"]["pins"] == [list(pin) for pin in app.state.look.pins]
