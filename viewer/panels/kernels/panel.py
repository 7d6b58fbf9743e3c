"""The kernel panel: launches, resources and source code of kernels, side by side."""

from collections.abc import Sequence
from dataclasses import replace

from wheatstone.gpu.analysis.kernel_facts import KernelFacts, with_resources
from wheatstone.viewer.choices.panel_choices import NOBODY, KernelChoice
from wheatstone.viewer.choices.state import ViewerState
from wheatstone.viewer.display.screen.dear_imgui import imgui
from wheatstone.viewer.panels.kernels.kernel_card import (
    COLUMNS,
    Card,
    CardSide,
    cells,
    chosen_slots,
    notes,
    read,
)
from wheatstone.viewer.panels.kernels.source_view import SourceView
from wheatstone.viewer.panels.panel import Body, PanelContext
from wheatstone.viewer.panels.widgets import AMBER, QUIET, draw_combo, draw_wrapped, text_width

NOTHING = "no other variant"  # stands in the list for an empty side
BESIDE, WHOLE = "beside", "whole files"
OF_VARIANTS = 0.36  # of the width of a side's lists
SOURCE_SIZE = 14.0  # of the font, at scale 1
ROOMY = 56.0  # heights of a letter from which both sides stand in one line
MOST_KNOWN = 256  # kernels whose resources are kept: another image size makes other launches


class KernelsPanel(Body):
    """The contents of the kernel panel: source code of kernels, their launches and resources."""

    def __init__(self) -> None:
        self._shown_for: object = None  # the choices that the card is of
        self._card: Card | None = None
        self._why_not = ""  # why there is no card
        self._known: dict[KernelFacts, KernelFacts] = {}  # with resources, by the facts without
        self._view = SourceView()

    def update(self, context: PanelContext) -> None:
        """Read the code again if the choice changed, and query the resources of one kernel."""
        state, source = context.state, context.session.source
        left, right = chosen_slots(state)
        size = (source.height, source.width)
        wanted = state.view.images
        chosen = (left, right, state.kernel_card, size, wanted)
        if chosen != self._shown_for:
            self._shown_for, self._why_not = chosen, ""
            try:
                self._card = card = read(left, right, state.kernel_card, size, wanted)
            except ValueError as error:
                self._card, self._why_not = None, str(error)
                return
            self._view.show(card.rows, card.right is not None, card.longest, card.entry)
        if self._card and not state.absent.get("cuda"):
            self._card = self._ask_gpu(self._card)

    def _ask_gpu(self, card: Card) -> Card:
        """Add the GPU resources of one more kernel to the panel; this may compile the kernel."""
        for side in (card.left, card.right):
            facts = side.part.facts if side else None
            if side and facts and facts.resources is None:
                if facts not in self._known:
                    if len(self._known) == MOST_KNOWN:
                        self._known.clear()
                    self._known[facts] = with_resources(facts)
                changed = side.with_facts(self._known[facts])
                if side is card.left:
                    return replace(card, left=changed)
                return replace(card, right=changed)
        return card

    def draw(self, context: PanelContext) -> None:
        """Draw the choice of variants and kernels, facts about the kernels, and their source."""
        if self._card is None:
            _draw_refusal(context.state, self._why_not)
            return
        card, state = self._card, context.state
        _draw_choice(state, card)
        _draw_facts(card)
        for line in notes(card, state.absent.get("cuda", "")):
            draw_wrapped(line, QUIET)
        self._view.draw(SOURCE_SIZE)


def _draw_refusal(state: ViewerState, why_not: str) -> None:
    """Draw the reason why no code is shown, and a button to show the kernels of runs A and B."""
    imgui.text_wrapped(why_not)
    if imgui.button("Show kernels of A and B"):
        state.kernel_card = KernelChoice(whole=state.kernel_card.whole)


def _draw_choice(state: ViewerState, card: Card) -> None:
    """Draw the lists of variants and kernels for both sides, and the switch for whole files."""
    choice, names = state.kernel_card, [v.name for v in state.slot.pipeline.offered]
    width = _lists_width()
    variant, part = _draw_side("left", card.left, names, width)
    if variant:
        choice = replace(choice, left=variant, left_part="", right_part="")
    if part:
        choice = replace(choice, left_part=part, right_part="")
    if _roomy():
        imgui.same_line(0, imgui.get_font_size())
        imgui.text(BESIDE)
        imgui.same_line()
    variant, part = _draw_side("right", card.right, [NOTHING, *names], width)
    if variant:
        choice = replace(choice, right=NOBODY if variant == NOTHING else variant, right_part="")
    if part:
        choice = replace(choice, right_part=part)
    if _roomy():
        imgui.same_line(0, imgui.get_font_size())
    _, whole = imgui.checkbox(WHOLE, choice.whole)
    state.kernel_card = replace(choice, whole=whole)


def _roomy() -> bool:
    """Return whether the lists of both sides fit next to each other."""
    return bool(imgui.get_window_width() >= ROOMY * imgui.get_font_size())


def _lists_width() -> float:
    """Compute the width in pixels of one side's lists of variants and kernels."""
    sizes = imgui.get_style()
    gap, line = sizes.item_spacing.x, imgui.get_content_region_avail().x
    if not _roomy():
        return line - gap
    words = sum(imgui.calc_text_size(word).x for word in (BESIDE, WHOLE))
    switch = imgui.get_frame_height() + sizes.item_inner_spacing.x
    return float(line - words - switch - 2 * imgui.get_font_size() - 3 * gap) / 2


def _draw_side(
    name: str, side: CardSide | None, variants: Sequence[str], width: float
) -> tuple[str, str]:
    """Draw a side's lists of variants and kernels; return new choices, empty if unchanged."""
    imgui.set_next_item_width(width * OF_VARIANTS)
    variant = draw_combo(f"##{name}", side.variant.name if side else NOTHING, variants, str)
    if side is None:
        return variant or "", ""
    needed = text_width(side.part.name) + 2 * imgui.get_frame_height()
    rest = width * (1 - OF_VARIANTS)
    if _roomy() or needed <= rest:
        imgui.same_line()
        width = rest
    imgui.set_next_item_width(width)
    part = draw_combo(f"##{name} part", side.part.name, [one.name for one in side.parts], str)
    return variant or "", part or ""


def _draw_facts(card: Card) -> None:
    """Draw the table of facts about the kernels, with differences in amber."""
    sides = [side for side in (card.left, card.right) if side]
    if not any(side.part.facts for side in sides):
        return
    lines = [("variant", *COLUMNS), *((side.variant.name, *cells(side.part)) for side in sides)]
    upright = _width(lines) > imgui.get_content_region_avail().x  # a line for each fact
    lines = list(zip(*lines, strict=True)) if upright else lines
    flags = imgui.TableFlags_.borders_inner_h | imgui.TableFlags_.sizing_fixed_fit
    if imgui.begin_table("facts", len(lines[0]), flags):
        if upright:
            imgui.table_setup_column("heads")
            for _ in sides:  # they share what is left, and break their lines
                imgui.table_setup_column("", imgui.TableColumnFlags_.width_stretch)
        for number, line in enumerate(lines):
            imgui.table_next_row()
            for index, text in enumerate(line):
                imgui.table_next_column()
                fact = line[1:] if upright else [other[index] for other in lines[1:]]
                differs = len(set(fact)) > 1 and (number if upright else index) > 0
                heads = index == 0 if upright else number == 0
                imgui.push_text_wrap_pos(0 if upright and not heads else -1)
                _draw_fact(text, heads=heads, differs=differs)
                imgui.pop_text_wrap_pos()
        imgui.end_table()


def _width(lines: Sequence[tuple[str, ...]]) -> float:
    """Measure the width of a table with these lines, in pixels."""
    padding = 2 * imgui.get_style().cell_padding.x
    columns = zip(*lines, strict=True)
    return sum(padding + max(imgui.calc_text_size(t).x for t in column) for column in columns)


def _draw_fact(text: str, *, heads: bool, differs: bool) -> None:
    """Draw a cell of the table of facts: headings in grey, differences in amber."""
    if heads:
        imgui.text_colored(QUIET, text)
    elif differs:
        imgui.text_colored(AMBER, text)
    else:
        imgui.text(text)
