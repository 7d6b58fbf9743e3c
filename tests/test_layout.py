"""Where panes lie and what their pixels show; no OpenGL."""

import math

import numpy as np
import pytest

from wheatstone.viewer.display.picture.layout import (
    GAP,
    LARGEST,
    WEIGHT,
    Arrangement,
    Axis,
    axes,
    cells,
    footprints,
    inside,
    natural_size,
)


def test_cells_are_equal_and_a_gap_apart() -> None:
    left, right = cells(2, 1280 + GAP, 720)
    assert (left.width, right.width) == (640, 640)
    assert right.x - left.x == 640 + GAP


@pytest.mark.parametrize("size", [(0, 0), (1, 1), (GAP, 5)])
def test_a_framebuffer_without_room_has_empty_cells(size: tuple[int, int]) -> None:
    assert [cell.width for cell in cells(2, *size)] == [0, 0]


@pytest.mark.parametrize("panes", [1, 2])
def test_the_natural_size_shows_texel_by_pixel(panes: int) -> None:
    width, height = natural_size(631, 479, panes)
    for cell in cells(panes, width, height):
        for axis, pixels in zip(axes(479, 631, cell, 1, (0.5, 0.5)), (479, 631), strict=True):
            shown = footprints(axis, pixels)
            assert np.array_equal(shown[:, 0], np.arange(pixels))


def test_the_natural_size_is_bounded() -> None:
    assert natural_size(8192, 8192, 2) == (LARGEST, math.floor(8192 * LARGEST / (16384 + GAP)))
    assert natural_size(1, 1, 1) == (1, 1)


def test_two_and_a_half_texels_a_pixel() -> None:
    shown = footprints(Axis(texels=5, scale=0.4, origin=1), pixels=4)
    half = WEIGHT // 2
    assert shown.tolist() == [
        [-1, -1, -1, -1],
        [1, 0, 2, WEIGHT + 65536 * half],
        [3, 2, 4, half + 65536 * WEIGHT],
        [-1, -1, -1, -1],
    ]


@pytest.mark.parametrize("scale", [1.0, 1.7, 3.0, 40.5])
def test_magnified_pixels_show_the_texel_in_their_middle(scale: float) -> None:
    axis = Axis(texels=50, scale=scale, origin=-11)
    shown = footprints(axis, 131)
    for pixel, (texel, first, last, _) in enumerate(shown.tolist()):
        expected = math.floor((pixel + 0.5 + 11) / scale)
        assert texel == first == last == (expected if expected < 50 else -1)


@pytest.mark.parametrize("scale", [0.05, 0.3, 0.77, 0.999])
def test_minified_pixels_weigh_texels_by_what_they_cover(scale: float) -> None:
    axis = Axis(texels=200, scale=scale, origin=2)
    for pixel, (texel, first, last, weights) in enumerate(footprints(axis, 220).tolist()):
        if texel < 0:
            continue
        begin, end = max((pixel - 2) / scale, 0), min((pixel - 1) / scale, 200)
        covered = [min(end, t + 1) - max(begin, t) for t in range(first, last + 1)]
        assert sum(covered) == pytest.approx(end - begin)
        assert weights & 0xFFFF == pytest.approx(covered[0] * WEIGHT, abs=1)
        if last > first:
            assert weights >> 16 == pytest.approx(covered[-1] * WEIGHT, abs=1)


def test_zooming_keeps_the_image_point_that_is_in_the_middle() -> None:
    center = (0.3, 0.8)
    for zoom in (0.5, 1, 2, 17.3, 200):
        hit = Arrangement(((480, 640),), (800, 600), zoom, center).hit(400, 300)
        assert hit
        assert hit.fraction == pytest.approx(center, abs=1 / 640)


def test_linked_panes_show_the_same_place() -> None:
    shown = Arrangement(((48, 64), (48, 64)), (800 + GAP, 300), 3.0, (0.2, 0.7))
    left, right = shown.hit(123, 45), shown.hit(123 + 400 + GAP, 45)
    assert left and right
    assert (left.pane, right.pane) == (0, 1)
    assert left.fraction == right.fraction


def test_there_is_nothing_between_panes_and_outside() -> None:
    shown = Arrangement(((4, 4), (4, 4)), (100 + GAP, 50))
    assert shown.hit(50 + GAP / 2, 25) is None
    assert shown.hit(-1, 25) is None
    assert shown.hit(25, 50) is None


def test_a_drag_out_of_a_pane_stays_in_its_image() -> None:
    shown = Arrangement(((40, 60), (40, 60)), (120 + GAP, 40))
    for x, y in ((-13, 7), (60 + GAP / 2, 7), (90, 70)):
        place = shown.position(x, y, 0)
        assert (place.pane, place.column, place.row) == (0, x, y)


def test_the_pixels_that_show_the_image_are_one_run() -> None:
    assert inside(footprints(Axis(texels=5, scale=0.4, origin=1), pixels=4)) == (1, 2)
    assert inside(footprints(Axis(texels=5, scale=1.0, origin=9), pixels=4)) == (0, -1)


@pytest.mark.parametrize("zoom", [1.0, 3.7, 40.0])
def test_what_is_visible_are_the_texels_that_pixels_show(zoom: float) -> None:
    arrangement = Arrangement(((30, 41), (30, 41)), (201, 77), zoom, (0.3, 0.6), 9)
    for pane, cell in enumerate(arrangement.cells):
        for axis, pixels, shown in zip(
            axes(30, 41, cell, zoom, (0.3, 0.6)),
            (cell.height, cell.width),
            arrangement.visible(pane),
            strict=True,
        ):
            texels = footprints(axis, pixels)[:, 0]
            texels = texels[texels >= 0]
            assert shown.start <= texels.min() <= shown.start + 1
            assert shown.stop - 2 <= texels.max() <= shown.stop - 1


def test_a_place_in_an_image_is_where_it_is_hit() -> None:
    arrangement = Arrangement(((30, 41), (30, 41)), (201, 77), 3.7, (0.3, 0.6), 9)
    for pane in range(2):
        hit = arrangement.hit(*arrangement.place(16.25, 12.5, pane))
        assert hit and (hit.pane, hit.row, hit.column) == pytest.approx((pane, 16.25, 12.5))


def test_an_image_moved_out_of_its_cell_is_not_visible() -> None:
    rows, columns = Arrangement(((30, 41),), (80, 60), 1.0, (9.0, 0.5)).visible(0)
    assert rows == slice(0, 30) and columns.start == columns.stop
