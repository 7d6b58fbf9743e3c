"""The kernel card: what kernels are and take, and their source, two beside each other."""

from collections.abc import Sequence
from dataclasses import replace

from gpu.analysis.kernel_facts import KernelFacts, with_resources
from viewer.choices.kernel_card import NOBODY, KernelChoice
from viewer.choices.state import ViewerState
from viewer.panels.kernels.kernel_card import Card, CardSide, chosen_slots, read
from viewer.panels.kernels.kernel_cells import COLUMNS, cells, notes
from viewer.panels.kernels.source_view import SourceView
from viewer.panels.panel import PanelContext

NOTHING = "nothing"  # what the list calls nobody
SOURCE_SIZE = 14.0  # of the font, at scale 1
QUIET, STRONG = (0.62, 0.62, 0.64, 1.0), (1.0, 0.78, 0.35, 1.0)


class KernelsPanel:
    """The body of the panel."""

    def __init__(self) -> None:
        self._asked: object = None
        self._card: Card | None = None
        self._why = ""  # there is none
        self._known: dict[KernelFacts, KernelFacts] = {}  # with what a GPU tells
        self._view = SourceView()

    def update(self, desk: PanelContext) -> None:
        """Find out what is read when another choice is made, and one kernel's resources a frame."""
        state, source = desk.state, desk.session.source
        left, right = chosen_slots(state)
        size = (source.height, source.width)
        wanted = state.view.images
        asked = (left, right, state.kernel_card, size, wanted)
        if asked != self._asked:
            self._asked, self._why = asked, ""
            try:
                self._card = found = read(left, right, state.kernel_card, size, wanted)
            except ValueError as error:
                self._card, self._why = None, str(error)
                return
            self._view.show(found.rows, found.right is not None, found.longest, found.entry)
        if self._card and not state.absent.get("cuda"):
            self._card = self._ask_gpu(self._card)

    def _ask_gpu(self, found: Card) -> Card:
        """The card with what one more kernel takes; it may have to be compiled."""
        for side in (found.left, found.right):
            facts = side.part.facts if side else None
            if side and facts and facts.resources is None:
                if facts not in self._known:
                    self._known[facts] = with_resources(facts)
                changed = side.with_facts(self._known[facts])
                return (
                    replace(found, left=changed)
                    if side is found.left
                    else replace(found, right=changed)
                )
        return found

    def draw(self, desk: PanelContext) -> None:
        """Draw what is chosen, the facts, the source."""
        if self._card is None:
            _draw_refusal(desk.state, self._why)
            return
        found, state = self._card, desk.state
        _draw_choice(state, found)
        _draw_facts(found)
        _draw_notes(found, state.absent.get("cuda", ""))
        self._view.draw(SOURCE_SIZE * desk.scale)

    def close(self) -> None:
        """Nothing is held."""


def _draw_refusal(state: ViewerState, why: str) -> None:
    """Draw why there is nothing to read, and the way back."""
    from imgui_bundle import imgui

    imgui.text_wrapped(why)
    if imgui.button("Read what is on the screen"):
        state.kernel_card = KernelChoice(whole=state.kernel_card.whole)


def _draw_choice(state: ViewerState, found: Card) -> None:
    """Draw what the user chooses: variant and part on either side, how much of the source."""
    from imgui_bundle import imgui

    choice, names = state.kernel_card, [v.name for v in state.slot.pipeline.variants]
    variant, part = _draw_side("left", found.left, names)
    if variant:
        choice = replace(choice, left=variant, left_part="", right_part="")
    if part:
        choice = replace(choice, left_part=part, right_part="")
    imgui.same_line(0, imgui.get_font_size())
    imgui.text("beside")
    imgui.same_line()
    variant, part = _draw_side("right", found.right, [NOTHING, *names])
    if variant:
        choice = replace(choice, right=NOBODY if variant == NOTHING else variant, right_part="")
    if part:
        choice = replace(choice, right_part=part)
    imgui.same_line(0, imgui.get_font_size())
    _, whole = imgui.checkbox("whole files", choice.whole)
    state.kernel_card = replace(choice, whole=whole)


def _draw_side(name: str, side: CardSide | None, variants: Sequence[str]) -> tuple[str, str]:
    """Draw variant and part of a side; what was chosen of each just now, or nothing."""
    from imgui_bundle import imgui

    width = imgui.get_window_size().x
    imgui.set_next_item_width(width * 0.15)
    variant = _combo(f"##{name}", side.variant.name if side else NOTHING, variants)
    if side is None:
        return variant, ""
    imgui.same_line()
    imgui.set_next_item_width(width * 0.24)
    part = _combo(f"##{name} part", side.part.name, [one.name for one in side.parts])
    return variant, part


def _combo(label: str, shown: str, names: Sequence[str]) -> str:
    """Draw a list to choose from; what was chosen just now, or nothing."""
    from imgui_bundle import imgui

    chosen = ""
    if imgui.begin_combo(label, shown):
        for name in names:
            if imgui.selectable(name, name == shown)[0]:
                chosen = name
        imgui.end_combo()
    return chosen


def _draw_facts(found: Card) -> None:
    """Draw a table of what is known of the kernels."""
    from imgui_bundle import imgui

    sides = [side for side in (found.left, found.right) if side]
    if not any(side.part.facts for side in sides):
        return
    rows = [(side.variant.name, *cells(side.part)) for side in sides]
    flags = imgui.TableFlags_.borders_inner_h | imgui.TableFlags_.sizing_fixed_fit
    if not imgui.begin_table("facts", len(COLUMNS) + 1, flags):
        return
    imgui.table_next_row()
    for name in ("variant", *COLUMNS):
        imgui.table_next_column()
        imgui.text_colored(QUIET, name)
    for row in rows:
        imgui.table_next_row()
        for index, text in enumerate(row):
            imgui.table_next_column()
            differs = index > 0 and len({other[index] for other in rows}) > 1
            imgui.text_colored(STRONG, text) if differs else imgui.text(text)
    imgui.end_table()


def _draw_notes(found: Card, absent: str) -> None:
    """Draw what the compiler was told, and why something is not known or not marked."""
    from imgui_bundle import imgui

    imgui.push_style_color(imgui.Col_.text, QUIET)
    for line in notes(found, absent):
        imgui.text_wrapped(line)
    imgui.pop_style_color()
