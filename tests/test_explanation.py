"""The sentence that explains the result at a pixel."""

from typing import Any

import numpy as np
import pytest

from tests.test_costs_panel import curves
from tests.test_inspector import INVALID, reading
from wheatstone.gpu.execution import prepare
from wheatstone.gpu.pipelines.canny import CANNY
from wheatstone.gpu.pipelines.sgm import SGM, SgmParams
from wheatstone.viewer.panels.inspector.pixel_facts import explained
from wheatstone.viewer.panels.inspector.pixel_rows import PixelRow, collapsed
from wheatstone.viewer.panels.inspector.reading import Reading
from wheatstone.viewer.panels.panel_menu import table_of
from wheatstone.viewer.run.run import Run

VALUES = ("refined", "smoothed", "unique", "consistent", "filtered", "filled", "disparity")


def stored(*values: int) -> dict[str, Any]:
    return dict(zip(VALUES, values, strict=True))


@pytest.mark.parametrize(
    ("values", "reason", "sentence"),
    [
        ((160,) * 7, 0, "Matched 10 px (truth 15.25), no check rejects it."),
        ((160,) * 6 + (168,), 0, "Matched 10 px (truth 15.25), then smoothed to 10.5."),
        (
            (241, 242, 242, *(INVALID,) * 3, INVALID),
            2,
            "Matched 15.12 px (truth 15.25), rejected by the left-right check.",
        ),
        (
            (242, 242, *(INVALID,) * 3, 69, 72),
            4,
            "Matched 15.12 px (truth 15.25), rejected by the speckle check, filled with 4.31, "
            "then smoothed to 4.5.",
        ),
        (
            (242, 242, *(INVALID,) * 3, 69, 69),
            1,
            "Matched 15.12 px (truth 15.25), rejected as its match lies outside the image, "
            "filled with 4.31.",
        ),
        (
            (242, 242, *(INVALID,) * 3, 69, 69),
            3,
            "Matched 15.12 px (truth 15.25), rejected by the uniqueness check, filled with 4.31.",
        ),
    ],
)
def test_a_hand_made_pixel_is_explained(
    values: tuple[int, ...], reason: int, sentence: str
) -> None:
    text = reading(invalid_reason=reason, **stored(*values))
    assert explained(text, 15.25, (0, 0)) == sentence
    assert explained(text, None, (0, 0)) == sentence.replace(" (truth 15.25)", "")


def test_a_check_is_named_only_once_its_result_is_known() -> None:
    text = explained(reading(**stored(*(160,) * 7)), 15.25, (0, 0))
    assert text == "Matched 10 px (truth 15.25)."


def test_costs_say_why_a_pixel_was_matched_so() -> None:
    pixel = reading(invalid_reason=0, **stored(*(96,) * 7))
    begin = "Matched 6 px (truth 5.25): the summed cost at 6 is 3, 20 at the truth"
    sentence = explained(pixel, 5.25, (0, 0), curves=curves())
    assert sentence == f"{begin}; no check rejects it."
    pixel = reading(invalid_reason=3, **stored(96, 96, *(INVALID,) * 3, 69, 69))
    sentence = explained(pixel, 5.25, (0, 0), curves=curves())
    assert sentence == f"{begin}; rejected by the uniqueness check, filled with 4.31."
    pixel = reading(invalid_reason=0, **stored(*(96,) * 6, 98))
    sentence = explained(pixel, 5.25, (0, 0), curves=curves())
    assert sentence == f"{begin}, then smoothed to 6.12."


def test_a_slot_that_keeps_only_the_result_is_explained_by_that() -> None:
    assert explained(reading(disparity=160), 9.0, (0, 0)) == "Disparity 10 px (truth 9)."
    assert explained(reading(disparity=INVALID), None, (0, 0)) == "No disparity."
    filled = explained(reading(disparity=160, invalid_reason=4), 9.0, (0, 0))
    assert filled == "No match (truth 9), rejected by the speckle check, filled with 10."


def test_the_source_of_a_filled_hole_is_named() -> None:
    slot = Run(SGM, "cpu", SgmParams(disparities=32))
    execution = prepare(SGM, "cpu", slot.params, 2, 40)
    row = np.full((2, 40), INVALID, np.int16)
    row[0, 10], row[0, 30], row[1, 30] = 64, 128, 96
    np.copyto(execution.array("filtered"), row)
    for pixel, final, words in (
        ((0, 20), 64, "filled with 4 from the left."),
        ((0, 20), 128, "filled with 8 from the right."),
        ((0, 20), 96, "filled with 6 from around it."),
        ((1, 20), 96, "filled with 6 from the right."),
    ):
        values = {"consistent": INVALID, "filtered": INVALID, "disparity": final}
        given = Reading("a", slot, {**values, "invalid_reason": 2})
        assert explained(given, None, pixel, [execution]).endswith(words)


def test_a_disparity_of_earlier_frames_is_named() -> None:
    slot = Run(SGM, "cpu", SgmParams(fill_holes=False, persistence="always"))
    lost = dict.fromkeys(("consistent", "filtered", "decimated"), INVALID)
    given = Reading("a", slot, {"refined": 80, **lost, "disparity": 64, "invalid_reason": 2})
    sentence = "Matched 5 px, rejected by the left-right check, filled with 4 from earlier frames."
    assert explained(given, None, (0, 0)) == sentence


def test_results_that_are_no_disparity_are_named() -> None:
    slot = Run(CANNY, "cpu")
    given = Reading("a", slot, {"edges": 255, "strength": 2, "direction": 0})
    assert explained(given, None, (0, 0)) == "Edges 255; strength weak, kept."


def test_rows_without_any_value_are_one_line() -> None:
    whole = PixelRow("cost", ("3", "4"), absent=("", ""))
    half = PixelRow("sums", ("3", "-"), absent=("", "not kept by cpu"))
    none = [
        PixelRow(n, ("-", "-"), absent=("off", "not kept by cpu")) for n in ("winner", "margin")
    ]
    kept, absent = collapsed([whole, *none, half])
    assert kept == [whole, half] and absent == {"off, not kept by cpu": ["winner", "margin"]}


def test_tables_of_a_copied_panel_become_csv() -> None:
    text = "x 3 y 4\n| Disparity | A | stored |\n| disparity, px | 22.7500 | 364 |\nnot kept"
    assert table_of(text) == 'Disparity,A,stored\n"disparity, px",22.7500,364\n'
    with pytest.raises(ValueError, match="shows no table"):
        table_of("x 3 y 4")
