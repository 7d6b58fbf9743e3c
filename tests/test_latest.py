"""Whole images on the host: of what is shown, and not too often."""

from collections.abc import Iterator
from contextlib import ExitStack, closing
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from wheatstone.gpu.device import why_unavailable
from wheatstone.gpu.pipelines.sgm import SGM, SgmParams
from wheatstone.viewer.choices.state import ViewerState
from wheatstone.viewer.display.frames import latest as latest_module
from wheatstone.viewer.display.frames.latest import EVERY, Latest
from wheatstone.viewer.display.frames.session import Session
from wheatstone.viewer.display.screen.display import Display
from wheatstone.viewer.display.screen.offscreen import OffscreenContext
from wheatstone.viewer.io.sources.opening import open_source
from wheatstone.viewer.io.sources.source_spec import SourceSpec
from wheatstone.viewer.run.run import Run

pytestmark = pytest.mark.opengl
PARAMS = SgmParams(disparities=16)
VARIANTS = [
    pytest.param("cpu"),
    *(pytest.param(name, marks=pytest.mark.cuda) for name in ("shared", "fast")),
]


@pytest.fixture
def session(offscreen: OffscreenContext) -> Iterator[Session]:
    with ExitStack() as stack:
        source = stack.enter_context(closing(open_source(SourceSpec(size=(67, 41)))))
        absent = {"cuda": why_unavailable("cuda")}
        state = ViewerState(Run(SGM, "cpu", PARAMS), absent, paused=True)
        display = stack.enter_context(closing(Display()))
        yield stack.enter_context(closing(Session(state, source, display)))


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("view", ["disparity", "left", "pair"])
def test_a_copy_is_what_was_computed_whether_or_not_it_is_on_screen(
    session: Session, variant: str, view: str
) -> None:
    session.state.slot = Run(SGM, variant, PARAMS)
    session.state.views["sgm"] = view
    assert session.latest.image(session.a, "disparity") is None  # nothing is computed yet
    session.compute()
    copy = session.latest.image(session.a, "disparity")
    assert copy and copy.frame is session.source.frame(0) and copy.values.dtype == np.int16
    assert np.array_equal(copy.values, session.values("disparity"))


def test_a_stage_that_is_off_passes_its_image_on(session: Session) -> None:
    session.state.slot = Run(
        SGM, "cpu", SgmParams(disparities=16, fill_holes=False, guided_median=0)
    )
    session.compute()
    copies = [session.latest.image(session.a, name) for name in ("disparity", "filtered")]
    assert copies[0] and copies[1] and np.array_equal(copies[0].values, copies[1].values)


def test_copies_are_taken_now_and_then_and_at_once_only_if_there_is_none(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 100.0
    latest = Latest(session.display, clock=lambda: now)
    reads: list[str] = []
    values = session.display.values

    def counted(name: str) -> NDArray[Any]:
        reads.append(name)
        return values(name)

    monkeypatch.setattr(session.display, "values", counted)
    session.compute()
    first = latest.image(session.a, "disparity")
    assert first is latest.image(session.a, "disparity") and len(reads) == 1
    session.state.frame = 1
    session.compute()
    assert latest.image(session.a, "disparity") is first and len(reads) == 1
    now += EVERY
    second = latest.image(session.a, "disparity")
    assert second and second.shown.frame == 1 and len(reads) == 2
    now += EVERY
    assert latest.image(session.a, "disparity") is second and len(reads) == 2


def test_an_image_that_is_not_kept_has_no_copy(session: Session) -> None:
    session.state.slot = Run(SGM, "opencv-sgbm", PARAMS)
    session.compute()
    assert session.latest.image(session.a, "sums") is None


def test_copies_asked_for_longest_ago_are_forgotten(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(latest_module, "MOST_COPIES", 2)
    session.compute()
    latest, a = Latest(session.display), session.a
    first, second = latest.image(a, "disparity"), latest.image(a, "filtered")
    assert latest.image(a, "disparity") is first is not None
    assert latest.image(a, "consistent")
    assert latest.image(a, "disparity") is first and latest.image(a, "filtered") is not second
