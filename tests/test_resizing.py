"""Pictures after the size, the view or the panels changed are those of a display that is new."""

from collections.abc import Iterator
from contextlib import closing
from itertools import cycle

import numpy as np
import pytest

from tests.resizes import RESIZES, by_new_display
from tests.test_window import run_window
from tests.turned import TurnedScene
from wheatstone.gpu.device import why_unavailable
from wheatstone.gpu.pipelines.sgm import SGM, SgmParams
from wheatstone.viewer.choices.state import ViewerState
from wheatstone.viewer.display.frames.session import Session
from wheatstone.viewer.display.screen.display import Display
from wheatstone.viewer.display.screen.offscreen import OffscreenContext
from wheatstone.viewer.run.run import Run

SIZES = ((161, 121), (203, 121), (203, 160), (97, 75), (161, 161), (310, 222), (130, 190))
"""Width and height of pictures: each differs from the one before in another direction."""


@pytest.fixture
def session(offscreen: OffscreenContext, display: Display) -> Iterator[Session]:
    slot = Run(SGM, "cpu", SgmParams(disparities=16))
    state = ViewerState(slot, {"cuda": why_unavailable("cuda")}, paused=True)
    source = TurnedScene(160, 120, colour=True)
    with closing(Session(state, source, display)) as made:
        yield made


@pytest.mark.opengl
def test_every_view_at_every_size_is_drawn_as_by_a_new_display(session: Session) -> None:
    state, display, sizes = session.state, session.display, cycle(SIZES)
    for name in ("sgm", "ncc"):
        state.choose_pipeline(name)
        state.choose_variant("cpu")
        for view in state.slot.pipeline.views[::-1]:  # the view in space comes first
            state.choose_view(state.slot, view.name)
            session.compute()
            size = next(sizes)
            session.drawing.draw(*size)
            seen = display.read()
            assert np.array_equal(seen, by_new_display(display, *size)), (name, view.name, size)
            assert seen.std() > 10  # it shows something


@pytest.mark.window
def test_pictures_of_a_real_window_stay_right_when_it_is_resized(
    x_display: dict[str, str],
) -> None:
    assert run_window("resizes", x_display)["pictures"] == ["right"] * len(RESIZES)
