"""Figures as plain data: plans, layouts, colour bars, tables."""

import json
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.image import AxesImage
from matplotlib.patches import Rectangle
from matplotlib.text import Text

from wheatstone.gpu.pipelines import PIPELINES
from wheatstone.viewer.choices.slot import default_slot
from wheatstone.viewer.choices.state import ViewerState
from wheatstone.viewer.display.frames.figures import Figures
from wheatstone.viewer.display.picture.colorbar import Colorbar
from wheatstone.viewer.figures.canvas import DrawnRow
from wheatstone.viewer.figures.cells import FigureContent, of_presets, of_values, with_common_ranges
from wheatstone.viewer.figures.drawing import bars_of, drawn
from wheatstone.viewer.figures.files import read_plan
from wheatstone.viewer.figures.panes import ColorKey, FigurePane
from wheatstone.viewer.figures.plan import (
    FigureCell,
    FigurePlan,
    FigureRow,
    FigureStyle,
    MeasuredVariant,
    from_text,
    to_text,
)
from wheatstone.viewer.figures.sheet import Box, text_size, wrapped
from wheatstone.viewer.figures.tables import latex, table_of
from wheatstone.viewer.figures.templates import TEMPLATES, padded
from wheatstone.viewer.figures.templates import laid_out as cells_of
from wheatstone.viewer.settings.layers import Machine

ABSENT = {"cpu": "", "cuda": "no GPU"}
MACHINE = Machine(ABSENT)
BAR = Colorbar("disparity", "px", 0, 47, 0.1, "cividis", has_invalid=True)
SCENE = {"scene": "orbit", "seed": 0, "size": "96x64"}


def letters(text: str, size: float) -> float:
    """Letters of 0.2 millimetres a point."""
    return 0.2 * size * len(text)


def pane(title: str = "a", *, height: int = 30, width: int = 40) -> FigurePane:
    return FigurePane(title, np.zeros((height, width, 3), np.uint8), bars=(BAR,))


def plan_of(*cells: FigureCell, columns: int = 2, width: float = 84.0) -> FigurePlan:
    rows = (FigureRow("pair", SCENE, cells or (FigureCell(),)),)
    return FigurePlan(rows, columns, FigureStyle(width))


def layout(*panes: FigurePane, plan: FigurePlan | None = None) -> Axes:
    return drawn(plan or plan_of(), [DrawnRow("pair", panes)], letters).axes[0]


def right_end(text: Text) -> float:
    return float(text.get_position()[0]) + letters(text.get_text(), float(text.get_fontsize()))


def wanted(*presets: str) -> FigureContent:
    state = ViewerState(default_slot("sgm", ABSENT), ABSENT)
    return FigureContent(state, of_presets(state, presets))


def test_a_plan_is_read_as_it_was_written() -> None:
    cells, columns = cells_of(TEMPLATES["two-presets"], wanted("balanced", "libsgm"))
    timed = replace(cells[0], measured=MeasuredVariant(1.25, "identical", "a GPU"))
    source = {"left": "/tmp/\udcff é.png", "right": "/tmp/b.png"}
    row = FigureRow("ä \\ ( ) <b> ]]>", source, (timed, *cells[1:]), "seal")
    plan = FigurePlan((row,), columns, FigureStyle(84, 600, "dark"), ((1, 2, 3, 4),))
    text = to_text(plan)
    assert text.isascii() and "\n" not in text
    again = from_text(text)
    assert to_text(again) == text
    assert again.rows[0].source == source and again.rows[0].name == row.name
    assert again.rows[0].cells[0].measured == timed.measured
    assert (again.style, again.insets) == (plan.style, plan.insets)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"columns": 0}, "columns must be in"),
        ({"columns": "2"}, "columns must be an integer"),
        ({"schema": "other"}, "schema must be wheatstone-figure"),
        ({"schema_version": 2}, "version 2 is not known"),
        ({"insets": [[0, 0, 0, 1]]}, "an inset is X,Y,WIDTH,HEIGHT"),
        ({"rows": []}, "1 to 400 cells (got 0)"),
        ({"style": {"width": 1e9, "dpi": 300, "theme": "light"}}, "width must be in"),
        ({"style": {"width": 84.0, "dpi": 300, "theme": "pink"}}, "theme must be one of"),
        ({"strange": 1}, "knows no 'strange'"),
    ],
)
def test_a_plan_that_no_figure_has_is_refused(change: dict[str, object], message: str) -> None:
    document = {**json.loads(to_text(plan_of())), **change}
    with pytest.raises(ValueError, match=re.escape(message)):
        from_text(json.dumps(document))


def test_files_that_are_no_figures_hold_no_plan(tmp_path: Path) -> None:
    for name in ("a.svg", "a.pdf", "a.png", "a.txt"):
        (tmp_path / name).write_bytes(b"%PDF-1.4 or anything")
        assert read_plan(tmp_path / name) is None
        assert read_plan(tmp_path / f"absent-{name}") is None
    (tmp_path / "b.svg").write_text("<dc:description>wheatstone-figure {}")
    (tmp_path / "c.pdf").write_text("%PDF-1.4 /Subject (wheatstone-figure {\\(}")
    (tmp_path / "d.pdf").write_text("%PDF-1.4 /Subject (wheatstone-figure {})")
    for name, why in (("b.svg", "its end"), ("c.pdf", "its end"), ("d.pdf", "lacks")):
        with pytest.raises(ValueError, match=f"{name}: its plan is damaged: .*{why}"):
            read_plan(tmp_path / name)


def box_of(image: AxesImage) -> Box:
    left, right, bottom, top = image.get_extent()
    return Box(left, top, right - left, bottom - top)


def test_cells_fill_the_width_and_keep_their_shape() -> None:
    result = layout(pane(), pane(height=40, width=40))
    one, two = map(box_of, result.images[:2])
    assert one.x == pytest.approx(0.6) and one.width / one.height == pytest.approx(4 / 3)
    assert two.width == pytest.approx(two.height) and two.y == one.y
    gap = 0.35 * 7  # of text of 7 points, in a figure of 84 mm
    place = (84 - 2 * 0.6 - gap) / 2
    assert one.width == pytest.approx(place) and two.x == pytest.approx(0.6 + place + gap)
    assert result.get_xlim() == (0, 84)
    below, height = max(box.y + box.height for box in (one, two)), result.get_ylim()[0]
    assert result.texts and all(below < text.get_position()[1] < height for text in result.texts)


@pytest.mark.parametrize(("width", "points"), [(84, 7.0), (174, 8.4), (42, 5.9)])
def test_text_follows_the_width(width: float, points: float) -> None:
    assert text_size(width) == points
    name = layout(pane("name"), plan=plan_of(width=width)).texts[0]
    assert name.get_text() == "name" and name.get_fontsize() == points


def test_insets_lie_below_their_image_as_wide_as_it() -> None:
    plan = replace(plan_of(columns=1), insets=((0, 0, 10, 5), (10, 10, 20, 20), (30, 0, 20, 5)))
    image, *insets, _ = layout(pane(), plan=plan).images  # the last is the colour bar
    assert [np.asarray(inset.get_array()).shape[:2] for inset in insets] == [
        (5, 10),
        (20, 20),
    ]  # one leaves it
    place, one, two = map(box_of, (image, *insets))
    assert one.y == two.y > place.y + place.height
    assert one.height == pytest.approx(one.width / 2) and two.height == pytest.approx(two.width)
    assert two.x + two.width == pytest.approx(place.x + place.width)


def test_too_many_cells_for_the_width_are_refused() -> None:
    with pytest.raises(ValueError, match="24 cells next to each other need more than 84 mm"):
        layout(pane(), plan=plan_of(columns=24))


def test_an_empty_cell_says_why_within_its_place() -> None:
    why = "a-very-long-name-that-fits-no-cell-of-any-figure.png: no such file; check the path"
    result = layout(FigurePane("a", why=f"/home/my own/{why}"), FigurePane(""))
    patch = result.patches[0]
    assert isinstance(patch, Rectangle)
    place = patch.get_bbox()
    texts = [text for text in result.texts if text.get_horizontalalignment() == "center"]
    assert "".join(text.get_text() for text in texts).replace(" ", "") == why.replace(" ", "")
    assert all(
        letters(text.get_text(), float(text.get_fontsize())) <= place.width for text in texts
    )
    assert all(place.y0 < text.get_position()[1] < place.y1 for text in texts)


def test_a_long_name_of_a_pair_stays_within_the_width() -> None:
    name = "take 042 of the afternoon " * 9
    rows = [DrawnRow(name, (pane(),)), DrawnRow("b", (pane(),))]
    texts = drawn(plan_of(columns=1), rows, letters).axes[0].texts
    messages = [text for text in texts if "take" in text.get_text() or "noon" in text.get_text()]
    assert len(messages) > 1 and " ".join(text.get_text() for text in messages) == name.strip()
    assert all(right_end(text) <= 84 for text in messages)


def test_text_is_broken_where_it_must_be() -> None:
    assert wrapped("one two three", 7, len) == ["one two", "three"]
    assert wrapped("abcdefgh ij", 3, len) == ["abc", "def", "gh", "ij"]
    assert wrapped("", 3, len) == []


def test_one_bar_explains_truth_and_results_in_the_same_range() -> None:
    truth = replace(BAR, title="ground truth", has_invalid=False)
    other = replace(BAR, high=63, has_invalid=False)
    whole, none = replace(pane(), bars=(truth,)), replace(BAR, has_invalid=False)
    assert bars_of([whole]) == [truth]
    assert bars_of([whole, pane(), replace(pane(), bars=(none,))]) == [BAR]
    assert bars_of([pane(), replace(pane(), bars=(other,))]) == [BAR, other]
    hatched = replace(BAR, hatched=True)
    assert bars_of([pane(), replace(pane(), bars=(hatched,))]) == [hatched]


def test_names_of_labels_stay_within_the_width() -> None:
    entries = tuple((f"a label with number {number}", (number, 0, 0)) for number in range(12))
    result = layout(replace(pane(), keys=(ColorKey("labels", entries),)))
    colors = [patch.get_facecolor() for patch in result.patches if patch.get_fill()]
    assert len([color for color in colors if color[1:3] == (0, 0)]) == 12
    left = [text for text in result.texts if text.get_horizontalalignment() == "left"]
    assert len(left) > 12 and all(right_end(text) <= 84 for text in left)


def test_images_of_one_kind_have_one_range() -> None:
    state = ViewerState(default_slot("sgm", ABSENT), ABSENT)
    compared = of_values(state.slot, "disparities", (16, 64))
    cells, _ = cells_of(TEMPLATES["ablation"], FigureContent(state, compared))
    (row,) = with_common_ranges((FigureRow("", SCENE, cells),), MACHINE)
    results = [c for c in row.cells if "chosen" in c.recipe and "look" in c.recipe["chosen"]]
    ranges = [cell.recipe["chosen"]["look"]["ranges"]["sgm.disparity"] for cell in results]
    assert ranges == [[0, 63], [0, 63]]
    same, _ = cells_of(TEMPLATES["two-presets"], wanted("balanced", "indoor"))
    rows = (FigureRow("", SCENE, same),)
    assert with_common_ranges(rows, MACHINE) == rows


def test_two_presets_are_named_apart_and_compared() -> None:
    cells, columns = cells_of(TEMPLATES["two-presets"], wanted("balanced", "libsgm"))
    assert columns == 3 and len(cells) == 6
    assert [cell.tells for cell in cells] == [False, True, True, False, False, False]
    difference = cells[3]
    assert difference.recipe["compare"]["mode"] == "difference"
    assert difference.names == ("balanced", "libsgm")
    three, columns = cells_of(TEMPLATES["two-presets"], wanted("balanced", "indoor", "fast"))
    assert columns == 4 and three[4].title == "ground truth"


@pytest.mark.parametrize("pipeline", PIPELINES)
def test_every_pipeline_has_figures(pipeline: str) -> None:
    state = ViewerState(default_slot(pipeline, ABSENT), ABSENT)
    shown = FigureContent(state, of_presets(state, ()))
    for template in TEMPLATES.values():
        if template.judges and not shown.judged:
            with pytest.raises(ValueError, match="computes no disparity"):
                cells_of(template, shown)
            continue
        cells, columns = cells_of(template, shown)
        assert sum(cell.places for cell in cells) % columns == 0
        assert any(MACHINE.state(dict(cell.recipe)) for cell in cells if cell.recipe)


def test_lines_are_as_long_as_each_other() -> None:
    state = wanted().state
    compared = of_values(state.slot, "p2", range(40, 47))
    cells, columns = cells_of(TEMPLATES["ablation"], FigureContent(state, compared))
    assert columns == 4 and len(cells) == 16
    assert [bool(cell.recipe) for cell in cells[12:]] == [True, True, True, False]


def test_a_table_is_latex_whatever_it_holds() -> None:
    hostile = r"50 % & $x_1$ \input{x} #{~^} <|>"
    figures = Figures(9, {"bad-2": 1.234, "average error": 0.5, "filled": 99.0})
    judged = replace(pane(hostile), figures=figures, convention="middlebury")
    timed = replace(pane("b"), measured=MeasuredVariant(0.0123, "identical"))
    header, body = table_of([DrawnRow("p", (judged, timed)), DrawnRow("q", (judged,))])
    assert header[:3] == ("pair", "", "bad-2, %") and body[0][:3] == ("p", hostile, "1.23")
    assert body[1][-2:] == ("0.0123", "identical")
    assert body[-1] == ("mean", hostile, "1.23", "0.500", "99.00", "", "", "")
    lines = latex(header, body).splitlines()
    assert lines[0].startswith("%") and lines[1] == r"\begin{tabular}{llrrrrrl}"
    rows = [line for line in lines if line.endswith(r" \\")]
    assert len(rows) == 5 and lines[-1] == r"\end{tabular}"
    for row in rows:
        cells = re.split(r"(?<!\\)&", row.removesuffix(r" \\"))
        assert len(cells) == len(header)
        rest = re.sub(r"\\(text\w+\{\}|[&%$#_{}])", "", row.removesuffix(r" \\"))
        assert not set(rest) & set("\\%$#_{}~^<>|")


def test_a_table_sets_what_latex_reads_at_the_begin_of_a_line() -> None:
    lines = latex(("", "bad-2, %"), [("[1] a--b", "1"), ("*", "2")]).splitlines()
    assert r"{[}1] a-{}-b & 1 \\" in lines and r"{*} & 2 \\" in lines
    assert not any("XeLaTeX" in line for line in lines)
    named = latex(("", "bad-2, %"), [("\u5ead \u00fc", "1")]).splitlines()
    assert named[1].startswith("% needs a font") and named[1].endswith(": \u5ead")


def test_what_nothing_is_known_of_has_no_table() -> None:
    assert table_of([DrawnRow("p", (pane(), FigurePane("b", why="gone")))]) == ((), [])


def test_lines_of_pairs_that_show_less_are_filled_up() -> None:
    two, pair = FigureCell("two", places=2), FigureCell("one")
    assert padded((pair,), 1, 3) == (pair, FigureCell(), FigureCell())
    assert padded((two, pair, pair, two), 3, 4) == (
        *(two, pair, FigureCell()),
        *(pair, two, FigureCell()),
    )
    assert padded((pair, pair), 2, 2) == (pair, pair)


def test_of_several_pairs_the_means_stand_last() -> None:
    def judged(title: str, bad: float, **more: float) -> FigurePane:
        figures = Figures(1, {"bad-2": bad, "average error": bad / 2, **more})
        return replace(pane(title), figures=figures, convention="middlebury")

    rows = [
        DrawnRow("p", (judged("a", 1.0, filled=90.0), judged("b", 4.0))),
        DrawnRow("p", (judged("a", 2.0), judged("c", 8.0))),
    ]
    header, body = table_of(rows)
    assert header == ("pair", "", "bad-2, %", "average error, px", "filled, %", "L-R consistent, %")
    assert [line[:3] for line in body[2:]] == [
        ("p", "a", "2.00"),
        ("p", "c", "8.00"),
        ("mean", "a", "1.50"),
    ]
    assert body[-1][3:] == ("0.750", "", "")
    assert len(table_of(rows[:1])[1]) == 2
