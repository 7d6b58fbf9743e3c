"""The ground truth panel: quality figures of runs A and B, with and without ground truth."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

from wheatstone.gpu.analysis.conventions import CONVENTIONS, MEASURES, REGIONS
from wheatstone.viewer.choices.judging import REGION_NAMES, SHOWN_AS, TruthChoice
from wheatstone.viewer.choices.state import ViewerState
from wheatstone.viewer.choices.table import choose
from wheatstone.viewer.display.frames.figures import (
    CONSISTENT,
    DIGITS,
    FILLED,
    INVALID,
    OWN,
    WARPED,
    Figures,
    FigureSubject,
    SlotFigures,
)
from wheatstone.viewer.display.frames.session import Session
from wheatstone.viewer.display.screen.dear_imgui import imgui
from wheatstone.viewer.display.screen.gestures import for_pointer
from wheatstone.viewer.display.screen.style import Ink
from wheatstone.viewer.io.sources.frame import Frame
from wheatstone.viewer.panels.panel import Body, PanelContext
from wheatstone.viewer.panels.widgets import (
    INKS,
    begin_table,
    draw_at_right,
    draw_tip,
    next_row,
    stay_on_line,
    text_width,
)

JUDGED = "pixels judged"
SET_REFERENCE = "Set reference result"
HIGHER = ("density", FILLED, CONSISTENT)
"""The figures for which larger is better."""
NOTHING = "\N{EN DASH}"
HELP = {
    **{
        f"bad-{limit}": f"Pixels judged that are wrong by more than {limit} px."
        for limit in ("0.5", "1", "2", "4")
    },
    "D1": "Pixels judged that are wrong by more than 3 px and by more than 5 %.",
    "average error": "Mean of |d - truth|, of the pixels judged that have a result.",
    "RMS": "Root of the mean of (d - truth) squared, of the same pixels.",
    **{
        f"A{percent}": f"The error that {percent} % of these pixels do not exceed."
        for percent in (50, 90, 95, 99)
    },
    "density": "Pixels judged that have a result; ETH3D calls it coverage.",
    INVALID: "Pixels judged that have no result.",
    JUDGED: "Pixels whose truth is known, in the region and inside the border that does not count.",
    FILLED: "Pixels of the whole image that have a result.",
    CONSISTENT: "Left-right check of the left disparity alone: pixels of the whole image whose "
    "match lies inside the right view, and is not that of a nearer pixel.",
    WARPED: "Mean of |left - right|, with the right view sampled at the disparities, linearly "
    "between columns: small if they are right, or without texture.",
}


@dataclass(frozen=True)
class FigureLine:
    """A line of the table of figures: the same quality figure for run A and for run B.

    Attributes:
        texts: the figure of A and of B, without the unit.
        better: 0 or 1, the slot whose figure is the better one; None if neither is.
        change: the figure less that of the reference result; None without one.
        improves: whether that makes it better.
    """

    name: str
    unit: str
    texts: tuple[str, ...]
    better: int | None = None
    change: float | None = None
    improves: bool = False


@dataclass(frozen=True)
class ReferenceResult:
    """Stored quality figures of result A, with which later figures of a frame are compared."""

    frame: Frame | None
    choice: TruthChoice
    values: Mapping[str, float]


def with_changes(
    lines: list[FigureLine], figures: Figures, before: ReferenceResult
) -> list[FigureLine]:
    """Return table lines with each figure's change since the stored reference result added."""
    now = figures.values
    return [
        replace(
            line,
            change=now[line.name] - before.values[line.name],
            improves=(now[line.name] > before.values[line.name]) == (line.name in HIGHER),
        )
        if line.name in now and line.name in before.values
        else line
        for line in lines
    ]


def by_truth(figures: tuple[Figures | None, ...]) -> list[FigureLine]:
    """List the table lines of figures that need ground truth; empty if there is no ground truth."""
    if not any(each and each.judged for each in figures):
        return []
    units = {**MEASURES, INVALID: "%"}
    counts = tuple(f"{each.judged:,}" if each else NOTHING for each in figures)
    return [
        *(_line(name, unit, figures) for name, unit in units.items()),
        FigureLine(JUDGED, "", counts),
    ]


def without_truth(figures: tuple[Figures | None, ...]) -> list[FigureLine]:
    """List the table lines of figures that need no ground truth, for one run or two."""
    return [_line(name, unit, figures) for name, unit in OWN.items()]


def _line(name: str, unit: str, figures: tuple[Figures | None, ...]) -> FigureLine:
    values = [each.values.get(name, math.nan) if each else math.nan for each in figures]
    texts = tuple(f"{v:.{DIGITS[unit]}f}" if math.isfinite(v) else NOTHING for v in values)
    better = None
    if len(values) == 2 and all(map(math.isfinite, values)) and values[0] != values[1]:
        better = int((values[1] > values[0]) == (name in HIGHER))
    return FigureLine(name, unit, texts, better)


LETTER_INKS = Ink("letter a"), Ink("letter b")

NO_TRUTH = (
    "This source has no ground truth. It is found next to the images of Middlebury, ETH3D and "
    "KITTI; the built-in scenes have it."
)
LETTERS = ("A", "B")
NUMBER_WIDTH, UNIT_WIDTH, MARK_SIZE = 4.6, 1.9, 0.2  # in sizes of the font


class TruthPanel(Body):
    """The contents of the ground truth panel, drawn while it is open."""

    def __init__(self) -> None:
        self.shown: tuple[SlotFigures, ...] = ()  # figures of A, and of B if B is shown or was
        self.reference: ReferenceResult | None = None

    def update(self, context: PanelContext) -> None:
        """Request the error figures of the runs (A, B) on screen."""
        session, state = context.session, context.state
        runners, slots = (session.a, session.b), (state.slot, state.slot_b)
        used = (state.mixing.uses_a, state.mixing.uses_b)
        frame = next((runner.frame for runner, on in zip(runners, used, strict=True) if on), None)
        for number, figures in enumerate(session.figures.slots):
            if used[number]:
                figures.update(session, runners[number])
            elif figures.subject != FigureSubject(slots[number], frame, state.truth.judging):
                figures.close()  # else A and B stay to be compared while they take turns
        slots_shown = session.figures.slots
        both = used[1] or slots_shown[1].figures is not None
        self.shown = slots_shown if both else slots_shown[:1]
        subject, kept = self.shown[0].subject, self.reference
        if subject and (not kept or (kept.frame, kept.choice) != (subject.frame, subject.choice)):
            self.set_reference()

    def set_reference(self) -> None:
        """Store the present figures of result A as the reference result for later comparisons."""
        a = self.shown[0]
        if a.figures and a.subject:
            self.reference = ReferenceResult(a.subject.frame, a.subject.choice, a.figures.values)

    @property
    def busy(self) -> bool:
        return any(figures.busy for figures in self.shown)

    def draw(self, context: PanelContext) -> None:
        """Draw the choice of convention and region, the tables of figures, and the footnote."""
        state = context.state
        figures = tuple(slot.figures for slot in self.shown)
        _draw_choice(state)
        lines, own = by_truth(figures), without_truth(figures)
        if self.reference and figures[0] and len(figures) == 1:
            lines, own = (with_changes(each, figures[0], self.reference) for each in (lines, own))
            stay_on_line(text_width(SET_REFERENCE) + 2 * imgui.get_style().frame_padding.x)
            if imgui.small_button(SET_REFERENCE):
                self.set_reference()
            draw_tip("show later figures with their change from these")
        if lines:
            _draw_table("truth", lines)
        elif any(figures):
            imgui.separator()
            imgui.text_wrapped(NO_TRUTH)
            if imgui.button("Load ground truth..."):
                state.request("load", "truth")
        imgui.separator_text("without ground truth")
        _draw_table("own", own)
        imgui.text_disabled(for_pointer(self._footnote(context.session)))

    def _footnote(self, session: Session) -> str:
        """Return the footnote: the frame number of the figures, and how to compare two runs."""
        subjects = [slot.subject for slot in self.shown]
        frames = [s.frame.index if s and s.frame else None for s in subjects]
        known = [index for index in frames if index is not None]
        if not known:
            return "computing ..."
        if len(set(known)) == 1:
            text = f"frame {known[0]}"
        else:
            text = ", ".join(f"{x} frame {i}" for x, i in zip(LETTERS, frames, strict=False))
        if len(self.shown) == 1:
            return f"{text}; C shows A and B side by side"
        return f"{text}; a dot marks the better of the two"

    def close(self) -> None:
        self.shown = ()


def _draw_choice(state: ViewerState) -> None:
    """Draw the choices of benchmark convention, evaluated pixels, and content of the picture."""
    names = list(CONVENTIONS)
    imgui.set_next_item_width(imgui.get_font_size() * 8)
    changed, index = imgui.combo("##convention", names.index(state.truth.convention), names)
    draw_tip(f"U: next convention. {CONVENTIONS[state.truth.convention].help}")
    if changed:
        choose(state, "truth.convention", names[index])
    for region in REGIONS:
        imgui.same_line()
        if imgui.radio_button(REGION_NAMES[region], state.truth.region == region):
            choose(state, "truth.region", region)
        draw_tip("Shift+U: pixels judged")
    _draw_shows(state)


def _draw_shows(state: ViewerState) -> None:
    """Draw the choice of the picture's content, and a button that visits the worst regions."""
    for number, (name, text) in enumerate(SHOWN_AS.items()):
        if number:
            imgui.same_line()
        if imgui.radio_button(text, state.truth.show == name):
            choose(state, "truth.show", name)
        draw_tip("Y: result, errors or ground truth")
    stay_on_line(text_width("worst") + 2 * imgui.get_style().frame_padding.x)
    if imgui.small_button("worst"):
        state.effects.append(("worst region", "1"))
    draw_tip("Shift+Y: go to the next worst region")


def _draw_table(name: str, lines: list[FigureLine]) -> None:
    """Draw a table of figures: names on the left, a column for each of runs A and B, the unit."""
    slots, font = len(lines[0].texts), imgui.get_font_size()
    numbers = dict.fromkeys(LETTERS[:slots], NUMBER_WIDTH * font)
    changes = (
        {"change": NUMBER_WIDTH * font} if any(line.change is not None for line in lines) else {}
    )
    columns = {"name": None, **numbers, **changes, "unit": UNIT_WIDTH * font}
    if not begin_table(name, columns, imgui.TableFlags_.row_bg):
        return
    next_row()
    for slot in range(slots):
        imgui.table_next_column()
        draw_at_right(LETTERS[slot], color=LETTER_INKS[slot])
    if changes:
        imgui.table_next_column()
        draw_at_right("change", dim=True)
    for line in lines:
        _draw_line(line, changes=bool(changes))
    imgui.end_table()


def _draw_line(line: FigureLine, *, changes: bool) -> None:
    next_row()
    imgui.text(line.name)
    if line.name in HELP:
        draw_tip(HELP[line.name])
    for slot, text in enumerate(line.texts):
        imgui.table_next_column()
        if line.better == slot:
            _draw_mark(slot)
        draw_at_right(text)
    if changes:
        imgui.table_next_column()
        _draw_change(line)
    imgui.table_next_column()
    imgui.text_disabled(line.unit)


def _draw_change(line: FigureLine) -> None:
    """Draw the change of a figure since the reference result: green if better, red if worse."""
    digits = DIGITS[line.unit] if line.unit in DIGITS else 0
    text = "" if line.change is None else f"{line.change:+.{digits}f}"
    if not text or float(text) == 0 or not math.isfinite(line.change or 0.0):
        draw_at_right(NOTHING, dim=True)
    else:
        draw_at_right(text, color=INKS["success" if line.improves else "error"])


def _draw_mark(slot: int) -> None:
    """Draw a dot in the colour of run A or B, at the column's left border."""
    place, font = imgui.get_cursor_screen_pos(), imgui.get_font_size()
    middle = (place.x + MARK_SIZE * font, place.y + imgui.get_text_line_height() / 2)
    canvas = imgui.get_window_draw_list()
    canvas.add_circle_filled(middle, MARK_SIZE * font, imgui.get_color_u32(LETTER_INKS[slot]))
