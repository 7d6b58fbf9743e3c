"""What the calibration panel says of cameras: by hand arithmetic, and in a window."""

import math
from pathlib import Path

import numpy as np
import pytest

from tests.offscreen_app import keys, running_app, settle
from tests.rigs import SIZE, identity_map, write_pair
from wheatstone.viewer.io.cameras.calibration import RELATIVE, Calibration
from wheatstone.viewer.io.cameras.rectification import Rectification, ViewMap
from wheatstone.viewer.io.cameras.rows import RowError
from wheatstone.viewer.panels.camera import (
    NO_BASELINE,
    NO_CALIBRATION,
    CameraPanel,
    depth_facts,
    field_of_view,
    rectification_facts,
    row_facts,
    view_facts,
)
from wheatstone.viewer.window.app import App

KNOWN = Calibration(100.0, 0.5, (99.5, 49.5))  # of images of 200 x 100


def test_the_field_of_view_reaches_from_border_to_border() -> None:
    assert field_of_view(KNOWN, 200, 100) == pytest.approx((90.0, 2 * math.degrees(math.atan(0.5))))
    aside = Calibration(100.0, 0.5, (-0.5, 49.5))
    assert field_of_view(aside, 100, 100)[0] == pytest.approx(45.0)


def test_depths_lie_between_those_of_the_disparities_searched() -> None:
    by_key = dict(depth_facts(KNOWN, (0, 100), 0.0625))
    assert by_key["disparities"] == "0 to 100 px, steps of 0.0625 px"
    assert by_key["depths"] == "0.500 m to infinity"
    assert by_key["one step at 1.00 m"] == "1.25 mm"  # 1 m^2 / 50 m px * 1/16 px
    near = dict(depth_facts(KNOWN, (10, 40), 1.0))
    assert near["depths"] == "1.25 m to 5.00 m"
    assert near["one step at 2.00 m"] == "80.0 mm"  # at 25 px: 4 m^2 / 50 m px
    units = dict(depth_facts(Calibration(100.0, 0.5, (0, 0), unit="units"), (10, 40), 1.0))
    assert "one step at 1.00 units" not in units and len(units) == 3


def test_a_pair_is_reported_with_its_unit() -> None:
    by_key = dict(view_facts(KNOWN, 200, 100))
    assert (by_key["focal length"], by_key["baseline"]) == ("100.00 px", "0.5 m")
    assert by_key["field of view"] == "90.0° x 53.1°" and "offset" not in by_key
    relative = dict(view_facts(Calibration(100.0, 1.0, (0, 0), 3.0, RELATIVE), 200, 100))
    assert "relative" in relative["baseline"] and relative["offset"] == "3.00 px"


def test_pixels_from_outside_are_counted() -> None:
    whole, part = identity_map(40, 30), identity_map(40, 30)
    place = part.place.copy()
    place[:, :10] = -500
    maps = Rectification(
        whole, ViewMap(place, part.fraction), KNOWN, "rig.toml", facts=(("a", "b"),)
    )
    assert rectification_facts(maps) == [
        ("rectified by", "rig.toml"),
        ("pixels from outside", "left 0.0%, right 25.0%"),
        ("a", "b"),
    ]


def test_rows_are_reported_if_they_are_known() -> None:
    assert dict(row_facts(RowError(99, 0.25, 1.5)))["row offset, median"] == "0.25 px"
    assert row_facts(RowError(3)) == [("row offset", "unknown: 3 points match")]


def panel_of(app: App) -> CameraPanel:
    keys(app, "F9")
    settle(app)
    panel = app.layout.body("camera")
    assert isinstance(panel, CameraPanel)
    return panel


@pytest.mark.opengl
def test_the_panel_tells_of_a_rig_and_of_the_rectified_pair(
    offscreen: object, tmp_path: Path
) -> None:
    pytest.importorskip("imgui_bundle")
    left, right, rig = write_pair(tmp_path)
    small = ("--disparities", "16", "--variant", "cpu")
    with running_app("sgm", left, right, "--calibration", rig, *small, size=(900, 600)) as app:
        panel = panel_of(app)
        cameras, pair, depth = panel.facts.values()
        assert dict(cameras)["rectified by"] == Path(rig).name
        assert "angle between cameras" in dict(cameras) and "focal lengths" in dict(cameras)
        assert f"rectified pair, {SIZE[0]} x {SIZE[1]}" in panel.facts
        assert dict(depth)["disparities"].startswith("0 to 15 px")
        assert "m" in dict(pair)["baseline"] and panel.remark == ""
        assert panel.rows and panel.rows is app.session.rows.newest
        with_panel = app.window.read()  # type: ignore[attr-defined]
        assert with_panel[:, 640:].std() > 5


@pytest.mark.opengl
def test_without_a_calibration_the_panel_says_what_to_give(
    offscreen: object, tmp_path: Path
) -> None:
    pytest.importorskip("imgui_bundle")
    left, right, _ = write_pair(tmp_path)
    small = ("--disparities", "16", "--variant", "cpu")
    with running_app("sgm", left, right, *small) as app:
        panel = panel_of(app)
        assert panel.remark == NO_CALIBRATION and not panel.facts
        rows = app.session.rows.newest
        assert np.isfinite(rows.median if rows else math.nan)
    with running_app("sgm", left, right, "--rectify", "auto", *small) as app:
        panel = panel_of(app)
        assert panel.remark == NO_BASELINE and len(panel.facts) == 3
