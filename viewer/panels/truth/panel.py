"""The ground truth panel: quality of A and B, by the chosen convention and without truth."""

from wheatstone.gpu.analysis.conventions import CONVENTIONS, REGIONS
from wheatstone.viewer.choices.judging import REGION_NAMES, SHOWN_AS, is_disparity
from wheatstone.viewer.choices.state import ViewerState
from wheatstone.viewer.choices.table import choose
from wheatstone.viewer.frames.figures import Figures, FigureSubject, SlotFigures
from wheatstone.viewer.frames.session import Session
from wheatstone.viewer.panels.panel import PanelContext
from wheatstone.viewer.panels.truth.figure_lines import HELP, FigureLine, by_truth, without_truth
from wheatstone.viewer.panels.widgets import draw_at_right
from wheatstone.viewer.screen.style import Ink

LETTER_INKS = Ink("letter a"), Ink("letter b")

NO_TRUTH = (
    "This source has no ground truth. Open a folder of Middlebury, ETH3D or KITTI, or two images "
    "beside which it lies as there; or name it: wheatstone view sgm LEFT RIGHT --truth FILE. The "
    "built-in scenes have it."
)
NO_DISPARITY = (
    "{} computes no disparity that truth could judge. Ctrl+1 chooses a pipeline that does."
)
LETTERS = ("A", "B")
NUMBER_WIDTH, UNIT_WIDTH, MARK_SIZE = 4.6, 1.9, 0.2  # in sizes of the font


class TruthPanel:
    """The body of the ground truth panel.

    Attributes:
        shown: figures of A, and of B if B is shown or was.
    """

    def __init__(self) -> None:
        self.shown: tuple[SlotFigures, ...] = ()

    def update(self, desk: PanelContext) -> None:
        """Request the figures of the slots on screen."""
        session, state = desk.session, desk.state
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

    @property
    def busy(self) -> bool:
        """Return whether figures are being computed."""
        return any(figures.busy for figures in self.shown)

    def draw(self, desk: PanelContext) -> None:
        """Draw the choice of convention and region, the tables of figures, and the footnote."""
        from imgui_bundle import imgui

        state = desk.state
        pipeline = state.slot.pipeline
        if not is_disparity(pipeline.image(pipeline.output)):
            imgui.text_wrapped(NO_DISPARITY.format(pipeline.name))
            return
        found = tuple(slot.figures for slot in self.shown)
        _draw_choice(state)
        lines = by_truth(found)
        if lines:
            _draw_table("truth", lines)
        elif any(found):
            imgui.separator()
            imgui.text_wrapped(NO_TRUTH)
        _draw_without(found)
        imgui.text_disabled(self._footnote(desk.session))

    def _footnote(self, session: Session) -> str:
        """Return the footnote: which frame the figures belong to, and the meaning of the dot."""
        subjects = [slot.subject for slot in self.shown]
        frames = [s.frame.index if s and s.frame else None for s in subjects]
        known = [index for index in frames if index is not None]
        if not known:
            return "counting ..."
        if len(set(known)) == 1:
            told = f"frame {known[0]}"
        else:
            told = ", ".join(f"{x} frame {i}" for x, i in zip(LETTERS, frames, strict=False))
        if len(self.shown) == 1:
            return f"{told}; C shows B beside A"
        return f"{told}; a dot marks the better of the two"

    def close(self) -> None:
        """Show nothing more; the session keeps the figures."""
        self.shown = ()


def _draw_choice(state: ViewerState) -> None:
    """Draw the choices of convention, region and content of the picture."""
    from imgui_bundle import imgui

    names = list(CONVENTIONS)
    imgui.set_next_item_width(imgui.get_font_size() * 8)
    changed, index = imgui.combo("##convention", names.index(state.truth.convention), names)
    imgui.set_item_tooltip(f"U: the next. {CONVENTIONS[state.truth.convention].help}")
    if changed:
        choose(state, "truth.convention", names[index])
    for region in REGIONS:
        imgui.same_line()
        if imgui.radio_button(REGION_NAMES[region], state.truth.region == region):
            choose(state, "truth.region", region)
        imgui.set_item_tooltip("Shift+U: which pixels are judged")
    _draw_shows(state)


def _draw_shows(state: ViewerState) -> None:
    """Draw the choice of the picture's content, and the button that goes to the worst regions."""
    from imgui_bundle import imgui

    for number, (name, said) in enumerate(SHOWN_AS.items()):
        if number:
            imgui.same_line()
        if imgui.radio_button(said.removeprefix("the "), state.truth.show == name):
            choose(state, "truth.show", name)
        imgui.set_item_tooltip("Y: what the picture shows")
    imgui.same_line()
    if imgui.small_button("worst"):
        state.errands.append(("worst region", "1"))
    imgui.set_item_tooltip("Shift+Y: go to the next of the worst regions")


def _draw_without(found: tuple[Figures | None, ...]) -> None:
    """Draw the table of figures that need no truth."""
    from imgui_bundle import imgui

    imgui.separator_text("without ground truth")
    _draw_table("own", without_truth(found))


def _draw_table(name: str, lines: list[FigureLine]) -> None:
    """Draw a table: names on the left, the figures of each slot, their unit.

    Args:
        name: identifies this table to Dear ImGui.
    """
    from imgui_bundle import imgui

    slots, font = len(lines[0].texts), imgui.get_font_size()
    if not imgui.begin_table(name, slots + 2, int(imgui.TableFlags_.row_bg)):
        return
    flags = imgui.TableColumnFlags_
    imgui.table_setup_column("name", int(flags.width_stretch))
    for letter in LETTERS[:slots]:
        imgui.table_setup_column(letter, int(flags.width_fixed), NUMBER_WIDTH * font)
    imgui.table_setup_column("unit", int(flags.width_fixed), UNIT_WIDTH * font)
    imgui.table_next_row()
    imgui.table_next_column()
    for slot in range(slots):
        imgui.table_next_column()
        draw_at_right(LETTERS[slot], color=LETTER_INKS[slot])
    for line in lines:
        _draw_line(line)
    imgui.end_table()


def _draw_line(line: FigureLine) -> None:
    """Draw one figure of each slot, and a dot at the better one."""
    from imgui_bundle import imgui

    imgui.table_next_row()
    imgui.table_next_column()
    imgui.text(line.name)
    if line.name in HELP:
        imgui.set_item_tooltip(HELP[line.name])
    for slot, text in enumerate(line.texts):
        imgui.table_next_column()
        if line.better == slot:
            _draw_mark(slot)
        draw_at_right(text)
    imgui.table_next_column()
    imgui.text_disabled(line.unit)


def _draw_mark(slot: int) -> None:
    """Draw a dot in a slot's colour, at the column's left border."""
    from imgui_bundle import imgui

    place, font = imgui.get_cursor_screen_pos(), imgui.get_font_size()
    middle = (place.x + MARK_SIZE * font, place.y + imgui.get_text_line_height() / 2)
    canvas = imgui.get_window_draw_list()
    canvas.add_circle_filled(middle, MARK_SIZE * font, imgui.get_color_u32(LETTER_INKS[slot]))
