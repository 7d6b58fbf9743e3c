"""What is drawn, compared byte for byte with the same picture composed in NumPy."""

from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.composition import BACKGROUND, Pixels, compose, grey
from wheatstone.gpu.device import open_device
from wheatstone.viewer.colormaps import COLORMAPS, INVALID, LABELS, ROWS, colormap
from wheatstone.viewer.display.picture.caption import Caption
from wheatstone.viewer.display.picture.colorbar import Colorbar
from wheatstone.viewer.display.picture.panes import MARK, MOST_BOXES, Cloud
from wheatstone.viewer.display.picture.pixel_values import ValueForm
from wheatstone.viewer.display.screen.display import Display, Pane, Picture
from wheatstone.viewer.display.screen.offscreen import OffscreenContext
from wheatstone.viewer.display.screen.pixels import open_pixels
from wheatstone.viewer.resources import SHADERS
from wheatstone.viewer.theme import AROUND, PictureStyle, color

pytestmark = pytest.mark.opengl


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


def test_around_the_image_is_the_ground_of_the_theme(display: Display) -> None:
    disparity = np.full((2, 2), 160, np.int16)
    display.style = PictureStyle("light")
    picture = Picture((Pane("d", 1 / 16, 0, 63, invalid=-16, colormap="turbo"),))
    seen = drawn(display, {"d": disparity}, picture, 8, 6)
    assert np.all(seen[:, :1] == color(AROUND, "light")) and min(seen[0, 0]) > 200
    assert not np.any(seen[:, 1:7] == color(AROUND, "light"))


@pytest.mark.parametrize("size", [(8, 6), (20, 14), (5, 30), (1, 1)])
@pytest.mark.parametrize(("x", "y"), [(0, 0), (5, 3), (12, 8), (-2, -3), (30, 30)])
def test_a_window_shows_the_picture_and_the_ground_and_nothing_of_before(
    display: Display, size: tuple[int, int], x: int, y: int
) -> None:
    from wheatstone.viewer.display.screen.offscreen_window import OffscreenWindow
    from wheatstone.viewer.display.screen.painter import clear

    picture = Picture((Pane("d", 1, 0, 255, colormap="turbo"),), zoom=1.0)
    seen = drawn(display, {"d": noise("uint8")}, picture, *size)
    with closing(OffscreenWindow(20, 14)) as window:
        clear((1, 2, 3))  # of the window, which is bound
        display.blit(20, 14, window.framebuffer, x, y)
        shown = window.read()
        display.draw(Picture(()), *size)
        display.blit(20, 14, window.framebuffer, x, y)
        assert np.all(window.read() == BACKGROUND)
    around = np.empty((100, 100, 3), np.uint8)
    around[:] = BACKGROUND
    around[10 + y : 10 + y + size[1], 10 + x : 10 + x + size[0]] = seen
    assert np.array_equal(shown, around[10:24, 10:30])


def test_a_picture_after_others_is_the_picture_of_a_display_that_drew_nothing(
    display: Display,
) -> None:
    """What lies around the images is not painted again in frames of the same picture."""
    panes = (
        Pane("d", 1 / 16, 0, 255, colormap="turbo"),
        Pane("e", 1 / 16, 0, 200, colormap="grey"),
    )
    bar = Colorbar("disparity", "px", 0.0, 63.0, 1 / 16, "turbo", has_invalid=True)
    pictures = (
        Picture(panes, bars=(bar,), caption=Caption(("sgm/fast", "sgm/cpu"))),
        Picture(panes[:1], bars=(bar,), zoom=3.0),
        Picture(panes, region=(5, 4, 20, 30), values=(ValueForm(0), ValueForm(0)), zoom=30.0),
        Picture(panes[:1], bars=(bar,), cloud=Cloud(panes[1], guides=True, pivot=0.5)),
    )
    generator = np.random.default_rng(5)
    steps = [0, 0, 0, 1, 1, 0, 2, 2, 1, 3, 3, 0, 0, 2, 0]
    for step, number in enumerate(steps):
        display.style = PictureStyle("light" if step > 11 else "dark")
        size = (700, 420) if step % 7 < 5 else (500, 300)
        images = {name: generator.integers(1, 4000, (47, 61), np.int16) for name in "de"}
        seen = drawn(display, images, pictures[number], *size)
        with closing(Display(computes=display._painter.computes)) as fresh:
            fresh.style = display.style
            assert np.array_equal(seen, drawn(fresh, images, pictures[number], *size)), step


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


@pytest.mark.parametrize("name", ROWS)
def test_the_colour_of_invalid_pixels_lies_outside_the_map(name: str) -> None:
    distance = np.linalg.norm(colormap(name).astype(float) - INVALID[name], axis=1)
    assert distance.min() >= 40


@pytest.mark.parametrize("dtype", ["uint8", "int16", "float32"])
def test_a_pixel_buffer_shows_what_was_written_last(display: Display, dtype: str) -> None:
    values = noise(dtype, (33, 35))  # rows that are no multiple of 4 bytes
    pixels = open_pixels("auto", (33, 35), dtype, open_device("cpu"))
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
            hit = display.drawn.hit(x + 0.5, y + 0.5)
            if hit and 0 <= hit.row < 6 and 0 <= hit.column < 9:
                assert seen[y, x, 0] == values[int(hit.row), int(hit.column)]


def test_an_image_may_change_size_and_dtype(display: Display) -> None:
    for image in (noise("uint8"), noise("int16", (1, 1)), noise("uint8", (5, 200, 3))):
        picture = Picture((Pane("v"),))
        seen = drawn(display, {"v": image}, picture, 64, 48)
        assert np.array_equal(seen, compose({"v": image}, picture, 64, 48))


def test_an_empty_window_is_harmless(display: Display) -> None:
    display.upload_image("v", noise("uint8"))
    display.draw(Picture((Pane("v"),)), 0, 0)
    assert display.drawn.hit(0, 0) is None


def test_what_cannot_be_shown_is_named(display: Display) -> None:
    with pytest.raises(ValueError, match="no image 'v'"):
        display.draw(Picture((Pane("v"),)), 8, 8)
    with pytest.raises(ValueError, match="complex128"):
        display.upload_image("v", np.zeros((2, 2), complex))
    display.upload_image("v", noise("uint8"))
    with pytest.raises(ValueError, match="no colour map 'jet'"):
        display.draw(Picture((Pane("v", colormap="jet"),)), 8, 8)


@pytest.mark.parametrize("zoom", [0.05, 0.31, 0.77, 1.0, 2.7, 30.0])
@pytest.mark.parametrize("size", [(1, 1), (63, 40), (131, 97), (16, 211)])
def test_overlay_boxes_and_region_as_in_numpy(
    display: Display, zoom: float, size: tuple[int, int]
) -> None:
    disparity = noise("int16")
    edges = np.where(np.random.default_rng(3).random((47, 61)) < 0.02, 255, 0).astype(np.uint8)
    images = {"left": noise("uint8", (47, 61, 3)), "disparity": disparity, "edges": edges}
    images["boxes"] = boxes_of_all_kinds()
    panes = (Pane("left"), Pane("disparity", 1 / 16, -40, 40, None, "viridis"))
    marks = {"overlay": "edges", "boxes": "boxes", "region": (30, 20, 9, 11)}
    picture = Picture(panes, zoom=zoom, center=(0.37, 0.61), **marks)  # type: ignore[arg-type]
    assert np.array_equal(drawn(display, images, picture, *size), compose(images, picture, *size))


def boxes_of_all_kinds() -> Pixels:
    """Boxes of one texel, at the border, beyond it, around the image, next to it, and omitted."""
    chosen = [[3, 4, 3, 4], [0, 0, 60, 46], [50, 40, 70, 50], [-5, -9, 90, 99], [70, 3, 80, 9]]
    omitted = [[9, 9, 8, 20], [9, 9, 20, 8], [-1, -1, -2, -2]]
    random = np.random.default_rng(5).integers(0, 47, (MOST_BOXES - 8, 4)).tolist()
    return np.array(chosen + omitted + random, np.int32)


def test_an_anaglyph_is_marked_too(display: Display) -> None:
    left = noise("uint8")
    images = {"left": left, "right": left[::-1].copy(), "edges": (left > 240).astype(np.uint8)}
    panes = (Pane("left"), Pane("right"))
    picture = Picture(panes, anaglyph=True, overlay="edges", region=(5, 6, 7, 8))
    assert np.array_equal(drawn(display, images, picture, 99, 70), compose(images, picture, 99, 70))


def test_a_line_of_one_texel_does_not_vanish_when_minified(display: Display) -> None:
    images = {"left": np.zeros((300, 500), np.uint8), "edges": np.zeros((300, 500), np.uint8)}
    images["edges"][:, 123] = 1
    images["boxes"] = np.array([[200, 100, 301, 177]], np.int32)
    picture = Picture((Pane("left"),), overlay="edges", boxes="boxes")
    seen = drawn(display, images, picture, 50, 30)
    marked = np.all(seen == MARK, axis=2)
    assert np.flatnonzero(marked.all(0)).tolist() == [12]
    assert np.flatnonzero(marked[12]).tolist() == [12, 20, 30]
    assert np.flatnonzero(marked[:, 25]).tolist() == [10, 17]


def test_a_region_has_a_dark_rim_and_lines_of_a_texel(display: Display) -> None:
    images = {"left": np.full((6, 7), 99, np.uint8)}
    seen = drawn(display, images, Picture((Pane("left"),), region=(1, 1, 4, 3)), 70, 60)
    assert np.array_equal(seen, seen[5::10, 5::10].repeat(10, 0).repeat(10, 1))
    assert seen[5::10, 5::10, 0].tolist() == [
        [0, 0, 0, 0, 0, 0, 99],
        [0, 255, 255, 255, 255, 0, 99],
        [0, 255, 99, 99, 255, 0, 99],
        [0, 255, 255, 255, 255, 0, 99],
        [0, 0, 0, 0, 0, 0, 99],
        [99, 99, 99, 99, 99, 99, 99],
    ]


def test_boxes_come_through_a_pixel_buffer(display: Display) -> None:
    boxes = boxes_of_all_kinds()
    pixels = open_pixels("auto", boxes.shape, "int32", open_device("cpu"))
    with pixels.map() as array:
        array[:] = boxes
    display.upload_pixels("boxes", pixels)
    images = {"left": noise("uint8")}
    picture = Picture((Pane("left"),), boxes="boxes")
    expected = compose(images | {"boxes": boxes}, picture, 61, 47)
    assert np.array_equal(drawn(display, images, picture, 61, 47), expected)
    pixels.close()


@pytest.mark.parametrize(
    ("name", "marks", "complaint"),
    [
        ("overlay", np.zeros((9, 8), np.uint8), r"size \(47, 61\) \(got uint8 \(9, 8\)\)"),
        ("overlay", np.zeros((47, 61), np.int16), "must be uint8"),
        ("boxes", np.zeros((4, 5), np.int32), r"shape \(N, 4\)"),
        ("boxes", np.zeros((4, 4), np.int16), "must be int32"),
        ("boxes", np.zeros((65, 4), np.int32), "N <= 64"),
    ],
)
def test_marks_that_do_not_fit_are_refused(
    display: Display, name: str, marks: Pixels, complaint: str
) -> None:
    images = {"left": noise("uint8"), "marks": marks}
    with pytest.raises(ValueError, match=f"{name} 'marks' .*{complaint}"):
        drawn(display, images, Picture((Pane("left"),), **{name: "marks"}), 8, 8)  # type: ignore[arg-type]


LABEL_COLORS = {
    "hysteresis": [(0, 0, 0), (120, 24, 32), (60, 200, 90), (255, 255, 255)],
    "direction": [(86, 180, 233), (240, 228, 66), (213, 94, 0), (120, 60, 200), (0, 0, 0)],
    "reasons": [(44, 46, 52), (0, 114, 178), (213, 94, 0), (240, 228, 66), (86, 180, 233)],
}


@pytest.mark.parametrize("name", LABELS)
@pytest.mark.parametrize("zoom", [0.31, 1.0, 7.3])
def test_every_label_has_its_own_colour(display: Display, name: str, zoom: float) -> None:
    colors = LABEL_COLORS[name]
    labels = np.random.default_rng(2).integers(0, len(colors), (47, 61)).astype(np.uint8)
    picture = Picture((Pane("v", low=0, high=len(colors) - 1, colormap=name),), zoom=zoom)
    seen = drawn(display, {"v": labels}, picture, 140, 110)
    assert np.array_equal(seen, compose({"v": labels}, picture, 140, 110))
    assert {tuple(color) for color in seen.reshape(-1, 3).tolist()} - {BACKGROUND} == {*colors}


def test_a_label_is_shown_in_the_colour_the_readme_names(display: Display) -> None:
    for name, colors in LABEL_COLORS.items():
        labels = np.arange(len(colors), dtype=np.uint8)[None]
        pane = Pane("v", low=0, high=len(colors) - 1, colormap=name)
        seen = drawn(display, {"v": labels}, Picture((pane,)), len(colors), 1)
        assert [tuple(color) for color in seen[0].tolist()] == colors


def test_scores_between_minus_one_and_one_as_in_numpy(display: Display) -> None:
    scores = np.random.default_rng(9).uniform(-1.1, 1.1, (47, 61)).astype(np.float32)
    scores[0, :6] = -1, 1, 0, np.nan, np.inf, -np.inf
    pixels = open_pixels("auto", scores.shape, "float32", open_device("cpu"))
    with pixels.map() as array:
        array[:] = scores
    display.upload_pixels("v", pixels)
    picture = Picture((Pane("v", low=-1, high=1, colormap="viridis"),))
    display.draw(picture, 61, 47)
    seen = display.read()
    assert np.array_equal(seen, compose({"v": scores}, picture, 61, 47))
    viridis, invalid = colormap("viridis"), INVALID["viridis"]
    ends = [viridis[0], viridis[255], viridis[128], invalid, invalid, invalid]
    assert np.array_equal(seen[0, :6], ends)
    pixels.close()


def test_a_shader_error_shows_the_line(
    offscreen: OffscreenContext, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from wheatstone.viewer.display.screen import program  # needs OpenGL bound

    (tmp_path / "bad.frag").write_text(
        "#version 330 core\nvoid main() {\n    color = nonsense;\n}\n"
    )
    (tmp_path / "quad.vert").write_text((SHADERS / "quad.vert").read_text())
    monkeypatch.setattr(program, "SHADERS", tmp_path)
    with pytest.raises(RuntimeError, match=r"(?s)bad\.frag:3: .*\n    color = nonsense;"):
        program.ShaderProgram("quad.vert", "bad.frag")
    (tmp_path / "shared.glsl").write_text("float one = 1.0;\nfloat two = more;\n")
    included = '#version 330 core\n#include "shared.glsl"\nvoid main() {}\n'
    (tmp_path / "bad.frag").write_text(included)
    with pytest.raises(RuntimeError, match=r"(?s)shared\.glsl:2: .*\n    float two = more;"):
        program.ShaderProgram("quad.vert", "bad.frag")
