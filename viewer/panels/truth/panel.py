"""The ground truth panel: how good A and B are, by the convention chosen and without any truth."""

from gpu.analysis.conventions import CONVENTIONS, REGIONS
from viewer.choices.judging import REGION_NAMES, SHOWN_AS, is_disparity
from viewer.choices.state import ViewerState
from viewer.choices.table import choose
from viewer.frames.session import Session
from viewer.panels.panel import PanelContext
from viewer.panels.truth.figures import HELP, FigureLine, Figures, by_truth, without_truth
from viewer.panels.truth.following import Following, Subject
from viewer.picture.caption import CHIPS

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
    """See ``viewer.panels.panel.Body``."""

    def __init__(self) -> None:
        self._following = (Following(), Following())
        self.shown: tuple[Following, ...] = ()

    def update(self, desk: PanelContext) -> None:
        """Have the figures found out of the slots that are on screen."""
        session, state = desk.session, desk.state
        runners, slots = (session.a, session.b), (state.slot, state.slot_b)
        used = (state.mixing.uses_a, state.mixing.uses_b)
        frame = next((runner.frame for runner, on in zip(runners, used, strict=True) if on), None)
        for number, following in enumerate(self._following):
            if used[number]:
                following.update(session, runners[number])
            elif following.subject != Subject(slots[number], frame, state.truth.judging):
                following.close()  # else A and B stay to be compared while they take turns
        both = used[1] or self._following[1].figures is not None
        self.shown = self._following if both else self._following[:1]

    @property
    def busy(self) -> bool:
        """Whether figures are being found out."""
        return any(following.busy for following in self._following)

    def draw(self, desk: PanelContext) -> None:
        from imgui_bundle import imgui

        state = desk.state
        pipeline = state.slot.pipeline
        if not is_disparity(pipeline.image(pipeline.output)):
            imgui.text_wrapped(NO_DISPARITY.format(pipeline.name))
            return
        found = tuple(following.figures for following in self.shown)
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
        """Which frame the figures are of, and what the mark means."""
        subjects = [following.subject for following in self.shown]
        frames = [s.frame.index if s and s.frame else None for s in subjects]
        known = [index for index in frames if index is not None]
        if not known:
            return "counting ..."
        if len(set(known)) == 1:
            said = f"frame {known[0]}"
        else:
            said = ", ".join(f"{x} frame {i}" for x, i in zip(LETTERS, frames, strict=False))
        if len(self.shown) == 1:
            return f"{said}; C shows B beside A"
        return f"{said}; a dot marks the better of the two"

    def close(self) -> None:
        """Ask no more."""
        for following in self._following:
            following.close()


def _draw_choice(state: ViewerState) -> None:
    """The convention, the region and what is seen in the picture."""
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
    """What the picture shows of it, and the way to the worst regions."""
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
    from imgui_bundle import imgui

    imgui.separator_text("without ground truth")
    _draw_table("own", without_truth(found))


def _draw_table(name: str, lines: list[FigureLine]) -> None:
    """Names left, figures right, the unit behind."""
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
        _right(LETTERS[slot], _color(slot))
    for line in lines:
        _draw_line(line)
    imgui.end_table()


def _draw_line(line: FigureLine) -> None:
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
        _right(text)
    imgui.table_next_column()
    imgui.text_disabled(line.unit)


def _draw_mark(slot: int) -> None:
    """A dot at the column's left border."""
    from imgui_bundle import imgui

    place, font = imgui.get_cursor_screen_pos(), imgui.get_font_size()
    middle = (place.x + MARK_SIZE * font, place.y + imgui.get_text_line_height() / 2)
    color = imgui.get_color_u32(_color(slot))
    imgui.get_window_draw_list().add_circle_filled(middle, MARK_SIZE * font, color)


def _color(slot: int) -> tuple[float, float, float, float]:
    red, green, blue = (level / 255 for level in CHIPS[slot])
    return red, green, blue, 1.0


def _right(text: str, color: tuple[float, float, float, float] | None = None) -> None:
    """Text that ends at the column's right border."""
    from imgui_bundle import imgui

    room = imgui.get_content_region_avail().x - imgui.calc_text_size(text).x
    imgui.set_cursor_pos_x(imgui.get_cursor_pos_x() + max(room, 0.0))
    if color:
        imgui.text_colored(color, text)
    else:
        imgui.text(text)
