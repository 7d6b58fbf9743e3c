"""Two pictures mixed, compared byte for byte with the same mix composed in NumPy."""

from dataclasses import replace
from typing import get_args

import numpy as np
import pytest

from tests.composition import Pixels, compose
from tests.test_display import boxes_of_all_kinds, drawn, noise
from wheatstone.viewer.colormaps import INVALID, SIGNED, colormap
from wheatstone.viewer.display.picture.caption import Caption, caption_height
from wheatstone.viewer.display.picture.panes import LONE, Mix, Way
from wheatstone.viewer.display.screen.display import Display, Pane, Picture

pytestmark = pytest.mark.opengl
WAYS = get_args(Way)
CAPTION = Caption(("sgm/fast", "sgm/shared"), badge="identical: 0 of 2,867 differ", tone="good")


def looks(way: Way, pane: Pane, reach: float) -> Pane:
    signed = way == "signed-difference"
    low, name = (-reach, SIGNED) if signed else (0.0, "viridis")
    return replace(pane, low=low, high=reach, colormap=name)


def two_pictures(way: Way, amount: float) -> tuple[dict[str, Pixels], Picture]:
    first, second = noise("int16") % 640, noise("int16")[::-1] % 640
    edges = (np.random.default_rng(3).random((2, 47, 61)) < 0.03).astype(np.uint8)
    images = {"left": noise("uint8", (47, 61, 3)), "a": first, "b": second.copy()}
    images |= {"edges a": edges[0], "edges b": edges[1], "boxes": boxes_of_all_kinds()}
    left, data = Pane("left"), Pane("a", 1 / 16, 0, 40, int(first[3, 4]), "turbo")
    other = replace(data, image="b", invalid=int(second[9, 9]))
    mix = Mix(way, amount, (None, looks(way, data, 20)) if "difference" in way else ())
    below = Picture((left, other), overlay="edges b", region=(20, 10, 9, 11))
    return images, Picture(
        (left, data), overlay="edges a", boxes="boxes", second=below, mix=mix, caption=CAPTION
    )


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    ("amount", "zoom", "size"),
    [
        (0.0, 7.3, (131, 97)),
        (0.37, 0.31, (63, 40)),
        (0.37, 7.3, (131, 97)),
        (1.0, 1.0, (300, 200)),
    ],
)
def test_every_way_to_mix_as_in_numpy(
    display: Display, way: Way, amount: float, zoom: float, size: tuple[int, int]
) -> None:
    images, picture = two_pictures(way, amount)
    picture = replace(picture, zoom=zoom, center=(0.37, 0.61))
    seen = drawn(display, images, picture, *size)
    assert np.array_equal(seen, compose(images, picture, *size))
    assert len(np.unique(seen.reshape(-1, 3), axis=0)) > 2


@pytest.mark.parametrize("way", ["difference", "signed-difference"])
@pytest.mark.parametrize(
    "dtypes", [("uint8", "int16"), ("uint16", "uint16"), ("int32", "int32"), ("float32",) * 2]
)
def test_differences_of_every_dtype_as_in_numpy(
    display: Display, way: Way, dtypes: tuple[str, str]
) -> None:
    first, second = noise(dtypes[0]), np.roll(noise(dtypes[1]), 3, 1)
    reach = 1.0 if first.dtype == np.float32 else 300.0
    pane = Pane("a", 1.0, 0, reach, None, "turbo")
    mix = Mix(way, differences=(looks(way, pane, reach),))
    picture = Picture((pane,), second=Picture((replace(pane, image="b"),)), mix=mix)
    images = {"a": first, "b": second}
    seen = drawn(display, images, picture, 99, 70)
    assert np.array_equal(seen, compose(images, picture, 99, 70))


def test_a_difference_tells_who_has_a_value_and_who_is_larger(display: Display) -> None:
    images = {
        "a": np.array([[160, 161, 159, -16, 50, -16, 900]], np.int16),
        "b": np.array([[160, 160, 160, -16, -16, 50, 100]], np.int16),
    }
    pane = Pane("a", 1 / 16, 0, 63, -16, "turbo")
    mix = Mix("signed-difference", differences=(looks("signed-difference", pane, 4.0),))
    picture = Picture((pane,), second=Picture((replace(pane, image="b"),)), mix=mix)
    same, more, less, neither, only_a, only_b, much = drawn(display, images, picture, 7, 1)[0]
    berlin = colormap(SIGNED)
    assert tuple(same) == tuple(berlin[128]) and tuple(much) == tuple(berlin[255])
    assert tuple(more) == tuple(berlin[129]) and tuple(less) == tuple(berlin[126])
    assert tuple(neither) == INVALID[SIGNED]
    assert [tuple(only_a), tuple(only_b)] == list(LONE)


def test_panes_beside_each_other_are_linked_and_below_the_caption(display: Display) -> None:
    images, picture = two_pictures("side-by-side", 0.5)
    display_size = 400, 200
    drawn(display, images, picture, *display_size)
    top = caption_height(CAPTION, *display_size)
    assert 0 < top < 100
    assert display.drawn.hit(50, top - 1) is None
    hits = [display.drawn.hit(10 + 102 * pane, top + 30) for pane in range(4)]
    assert [hit.pane for hit in hits if hit] == [0, 1, 2, 3]
    assert len({hit.fraction for hit in hits if hit}) == 1


@pytest.mark.parametrize(("way", "place"), [("wipe", 0.25), ("wipe-down", 0.5)])
def test_a_seam_is_found_where_it_is_drawn(display: Display, way: Way, place: float) -> None:
    images, picture = two_pictures(way, place)
    picture = replace(picture, caption=None)
    drawn(display, images, picture, 208, 60)
    assert display.drawn.seam_at(25, 30) == place
    assert display.drawn.seam_at(108 + 25, 30) == place
    assert display.drawn.seam_at(104, 30) is None


def test_pictures_of_different_sizes_are_not_mixed(display: Display) -> None:
    images = {"a": noise("int16"), "b": noise("int16", (9, 8))}
    second = Picture((Pane("b"),))
    with pytest.raises(ValueError, match=r"one size can be mixed \(got .*47, 61.* and .*9, 8"):
        drawn(display, images, Picture((Pane("a"),), second=second, mix=Mix("wipe")), 50, 50)
    neighbours = Picture((Pane("a"),), second=second, mix=Mix("side-by-side"))
    assert np.array_equal(
        drawn(display, images, neighbours, 90, 40), compose(images, neighbours, 90, 40)
    )
