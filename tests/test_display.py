"""What is drawn, compared byte for byte with the same picture composed in NumPy."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from gpu.device import open_device
from viewer.colormaps import COLORMAPS, INVALID, colormap, palette
from viewer.display import Display, Pane, Picture
from viewer.layout import WEIGHT, axes, cells, footprints
from viewer.offscreen import OffscreenContext
from viewer.picture import BACKGROUND
from viewer.pixels import open_pixels
from viewer.resources import SHADERS

pytestmark = pytest.mark.opengl

Pixels = NDArray[Any]
LONGEST = 16  # texels averaged along an axis, as in the shader


@pytest.fixture
def display(offscreen: OffscreenContext) -> Iterator[Display]:
    drawn = Display()
    yield drawn
    drawn.close()


def compose(
    images: dict[str, Pixels], picture: Picture, width: int, height: int
) -> NDArray[np.uint8]:
    """The picture as ``Display`` promises it."""
    result = np.full((height, width, 3), BACKGROUND, np.uint8)
    shown = [picture.panes] if picture.anaglyph else [(pane,) for pane in picture.panes]
    for panes, cell in zip(shown, cells(len(shown), width, height), strict=True):
        if cell.width == 0:
            continue
        texels_y, texels_x = images[panes[0].image].shape[:2]
        rows, columns = axes(texels_y, texels_x, cell, picture.zoom, picture.center)
        tables = footprints(rows, cell.height), footprints(columns, cell.width)
        colors = [shade(images[pane.image], pane, *tables) for pane in panes]
        if picture.anaglyph:
            first, second = (grey(color) for color in colors)
            colors = [np.stack([first, second, second], 2)]
        inside = (tables[0][:, None, 0] >= 0) & (tables[1][None, :, 0] >= 0)
        result[:, cell.x : cell.x + cell.width][inside] = colors[0][inside]
    return result


def shade(image: Pixels, pane: Pane, rows: Pixels, columns: Pixels) -> NDArray[np.uint8]:
    plain = pane.colormap is None and pane.invalid is None and image.dtype == np.uint8
    if image.ndim == 3 or plain:
        weighted = coverage(rows, image.shape[0]), coverage(columns, image.shape[1])
        return averaged(image if image.ndim == 3 else image[..., None].repeat(3, 2), *weighted)
    stored = image[rows[:, 0]][:, columns[:, 0]]
    span = max(pane.high - pane.low, pane.scale)
    entries = np.float32(255 * pane.scale / span)
    low = np.float32(pane.low / pane.scale - 0.5 / (255 * pane.scale / span))
    finite = np.isfinite(stored)
    steps = (np.where(finite, stored, 0).astype(np.float32) - low) * entries
    entry = np.clip(np.floor(steps), 0, 255).astype(int)
    entry[~finite | (False if pane.invalid is None else stored == pane.invalid)] = 256
    colors: NDArray[np.uint8] = palette()[COLORMAPS.index(pane.colormap or "grey")][entry]
    return colors


def coverage(table: Pixels, texels: int) -> NDArray[np.int64]:
    """Row p: the weights of all texels under pixel p."""
    weights = np.zeros((len(table), texels), np.int64)
    for pixel, (texel, first, last, ends) in enumerate(table.tolist()):
        if texel >= 0:
            stride = (last - first) // LONGEST + 1
            weights[pixel, first : last + 1 : stride] = WEIGHT
            if (last - first) % stride == 0:
                weights[pixel, last] = ends >> 16
            weights[pixel, first] = ends & 0xFFFF
    return weights


def averaged(image: Pixels, rows: Pixels, columns: Pixels) -> NDArray[np.uint8]:
    sums = np.einsum("yi,ijc,xj->yxc", rows, image.astype(np.int64), columns, optimize=True)
    total = np.maximum(rows.sum(1)[:, None, None] * columns.sum(1)[None, :, None], 1)
    mean: NDArray[np.int64] = (sums + total // 2) // total
    return mean.astype(np.uint8)


def grey(color: NDArray[np.uint8]) -> NDArray[np.uint8]:
    return np.asarray(cv2.cvtColor(color, cv2.COLOR_RGB2GRAY), np.uint8)


def drawn(
    display: Display, images: dict[str, Pixels], picture: Picture, width: int, height: int
) -> NDArray[np.uint8]:
    for name, image in images.items():
        display.upload_image(name, image)
    display.draw(picture, width, height)
    return display.read()


def noise(dtype: str, shape: tuple[int, ...] = (47, 61)) -> Pixels:
    generator = np.random.default_rng(7)
    if dtype == "float32":
        values = generator.normal(0, 1, shape).astype(np.float32)
        values.flat[::11], values.flat[5::17] = np.nan, np.inf
        return values
    info = np.iinfo(dtype)
    low, high = max(info.min, -(2**20)), min(info.max, 2**20)
    return generator.integers(low, high, shape, dtype, endpoint=True)


def test_four_disparities_are_four_blocks_of_their_colours(display: Display) -> None:
    disparity = np.array([[0, 63 * 16], [-16, 32 * 16]], np.int16)
    pane = Pane("d", 1 / 16, 0, 63, invalid=-16, colormap="turbo")
    seen = drawn(display, {"d": disparity}, Picture((pane,)), 8, 6)
    turbo = colormap("turbo")
    assert np.all(seen[:, 0] == BACKGROUND) and np.all(seen[:, 7] == BACKGROUND)
    assert np.all(seen[:3, 1:4] == turbo[0])
    assert np.all(seen[:3, 4:7] == turbo[255])
    assert np.all(seen[3:, 1:4] == INVALID["turbo"])
    assert np.all(seen[3:, 4:7] == turbo[round(32 / 63 * 255)])


def test_a_minified_photo_is_averaged(display: Display) -> None:
    photo = np.array([[0, 255, 10, 20], [255, 0, 30, 41]], np.uint8)
    seen = drawn(display, {"p": photo}, Picture((Pane("p"),)), 2, 1)
    assert seen[0, :, 0].tolist() == [128, 25]


@pytest.mark.parametrize("dtype", ["uint8", "uint16", "uint32", "int16", "int32", "float32"])
@pytest.mark.parametrize("name", COLORMAPS)
def test_every_dtype_and_map_as_in_numpy(display: Display, dtype: str, name: str) -> None:
    values = noise(dtype)
    low, high = (-2.0, 2.0) if dtype == "float32" else (-300.0, 900.0)
    invalid = float(values[3, 4]) if dtype == "float32" else int(values[3, 4])
    images = {"v": values}
    picture = Picture((Pane("v", 1 / 16, low / 16, high / 16, invalid, name),))
    assert np.array_equal(
        drawn(display, images, picture, 199, 131), compose(images, picture, 199, 131)
    )


@pytest.mark.parametrize("zoom", [0.05, 0.31, 1.0, 2.7, 30.0])
@pytest.mark.parametrize("size", [(1, 1), (63, 40), (131, 97), (16, 211)])
def test_every_zoom_as_in_numpy(display: Display, zoom: float, size: tuple[int, int]) -> None:
    images = {"left": noise("uint8", (47, 61, 3)), "disparity": noise("int16")}
    panes = (Pane("left"), Pane("disparity", 1 / 16, -40, 40, None, "viridis"))
    picture = Picture(panes, zoom=zoom, center=(0.37, 0.61))
    assert np.array_equal(drawn(display, images, picture, *size), compose(images, picture, *size))


def test_a_photo_shrunk_beyond_the_longest_average_as_in_numpy(display: Display) -> None:
    images = {"left": noise("uint8", (300, 500))}
    picture = Picture((Pane("left"),), zoom=0.7)
    assert np.array_equal(drawn(display, images, picture, 13, 11), compose(images, picture, 13, 11))


@pytest.mark.parametrize("channels", [(), (3,)])
def test_an_anaglyph_is_left_in_red_and_right_in_cyan(
    display: Display, channels: tuple[int, ...]
) -> None:
    left = noise("uint8", (47, 61, *channels))
    images = {"left": left, "right": left[::-1].copy()}
    picture = Picture((Pane("left"), Pane("right")), anaglyph=True)
    seen = drawn(display, images, picture, 61, 47)
    assert np.array_equal(seen[..., 0], grey(left) if channels else left)
    assert np.array_equal(seen[..., 1], (grey(left) if channels else left)[::-1])
    assert np.array_equal(seen, compose(images, picture, 61, 47))


def test_data_is_never_blended(display: Display) -> None:
    disparity = np.where(np.indices((60, 80)).sum(0) % 2, 0, 63 * 16).astype(np.int16)
    pane = Pane("d", 1 / 16, 0, 63, invalid=-16, colormap="turbo")
    seen = drawn(display, {"d": disparity}, Picture((pane,), zoom=0.77), 80, 60)
    ends = {tuple(colormap("turbo")[entry]) for entry in (0, 255)}
    assert {tuple(color) for color in seen.reshape(-1, 3)} == ends | {BACKGROUND}


@pytest.mark.parametrize("name", COLORMAPS)
def test_the_colour_of_invalid_pixels_lies_outside_the_map(name: str) -> None:
    distance = np.linalg.norm(colormap(name).astype(float) - INVALID[name], axis=1)
    assert distance.min() >= 40


@pytest.mark.parametrize("dtype", ["uint8", "int16", "float32"])
def test_a_pixel_buffer_shows_what_was_written_last(display: Display, dtype: str) -> None:
    values = noise(dtype, (33, 35))  # rows that are no multiple of 4 bytes
    pixels, _ = open_pixels("auto", (33, 35), dtype, open_device("cpu"))
    for content in (np.zeros_like(values), values):
        with pixels.map() as array:
            array[:] = content
        display.upload_pixels("v", pixels)
    picture = Picture((Pane("v", 1, -3, 200, None, "cividis"),))
    display.draw(picture, 70, 66)
    assert np.array_equal(display.read(), compose({"v": values}, picture, 70, 66))
    pixels.close()


def test_what_lies_under_a_pixel_is_what_it_shows(display: Display) -> None:
    values = np.arange(6 * 9, dtype=np.uint8).reshape(6, 9)
    pane = Pane("v", low=0, high=255, colormap="grey")
    seen = drawn(display, {"v": values}, Picture((pane, pane), zoom=1.3, center=(0.4, 0.6)), 97, 41)
    for y in range(0, 41, 3):
        for x in range(0, 97, 3):
            found = display.hit(x + 0.5, y + 0.5)
            if found and 0 <= found.row < 6 and 0 <= found.column < 9:
                assert seen[y, x, 0] == values[int(found.row), int(found.column)]


def test_an_image_may_change_size_and_dtype(display: Display) -> None:
    for image in (noise("uint8"), noise("int16", (1, 1)), noise("uint8", (5, 200, 3))):
        picture = Picture((Pane("v"),))
        seen = drawn(display, {"v": image}, picture, 64, 48)
        assert np.array_equal(seen, compose({"v": image}, picture, 64, 48))


def test_an_empty_window_is_harmless(display: Display) -> None:
    display.upload_image("v", noise("uint8"))
    display.draw(Picture((Pane("v"),)), 0, 0)
    assert display.hit(0, 0) is None


def test_what_cannot_be_shown_is_named(display: Display) -> None:
    with pytest.raises(ValueError, match="no image 'v'"):
        display.draw(Picture((Pane("v"),)), 8, 8)
    with pytest.raises(ValueError, match="complex128"):
        display.upload_image("v", np.zeros((2, 2), complex))


def test_a_shader_error_shows_the_line(
    offscreen: OffscreenContext, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from viewer import program  # needs OpenGL bound

    (tmp_path / "bad.frag").write_text(
        "#version 330 core\nvoid main() {\n    color = nonsense;\n}\n"
    )
    (tmp_path / "quad.vert").write_text((SHADERS / "quad.vert").read_text())
    monkeypatch.setattr(program, "SHADERS", tmp_path)
    with pytest.raises(RuntimeError, match=r"(?s)bad\.frag:3: .*\n    color = nonsense;"):
        program.Program("quad.vert", "bad.frag")
