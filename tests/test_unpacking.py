"""A buffer's numbers come into a texture as they are, whoever copies them."""

import numpy as np
import pytest

from wheatstone.gpu.device import open_device
from wheatstone.viewer.display.screen.display import Display
from wheatstone.viewer.display.screen.offscreen import OffscreenContext
from wheatstone.viewer.display.screen.pixels import open_pixels

pytestmark = pytest.mark.opengl
SIZES = ((1, 1), (3, 5), (8, 32), (33, 35), (9, 131))


@pytest.mark.parametrize("dtype", ["uint8", "uint16", "uint32", "int16", "int32", "float32"])
def test_numbers_come_as_they_are(display: Display, dtype: str) -> None:
    random = np.random.default_rng(4)
    for shape in SIZES:
        pixels = open_pixels("auto", shape, dtype, open_device("cpu"))
        numbers = random.integers(0, 256, (*shape, np.dtype(dtype).itemsize), np.uint8)
        expected = numbers.view(dtype)[..., 0]
        if dtype == "float32":  # of what is no number a GPU may keep another one
            expected = np.where(np.isnan(expected), np.float32(np.nan), expected)
        with pixels.map() as array:
            array[:] = expected
        display.upload_pixels("v", pixels)
        assert display.values("v").tobytes() == expected.tobytes()
        pixels.close()


@pytest.mark.parametrize("channels", [3, 4])
def test_colours_come_as_they_are(display: Display, channels: int) -> None:
    colours = np.random.default_rng(5).integers(0, 256, (7, 13, channels), np.uint8)
    pixels = open_pixels("auto", colours.shape, "uint8", open_device("cpu"))
    with pixels.map() as array:
        array[:] = colours
    display.upload_pixels("c", pixels)
    assert np.array_equal(display.values("c"), colours)
    pixels.close()


def test_what_no_shader_takes_is_left_to_opengl(offscreen: OffscreenContext) -> None:
    from wheatstone.viewer.display.screen.texture import GLTexture, Unpacker

    unpacker = Unpacker()
    textures = [GLTexture(shape, "uint8") for shape in ((4, 6), (4, 6, 4), (4, 6, 3))]
    assert [unpacker.takes(texture) for texture in textures] == [True, True, False]
    unpacker._most = 23
    assert not unpacker.takes(textures[0])
    for texture in textures:
        texture.close()
