"""Widgets of the panel of matching costs: the choice of paths, numbers, sentences."""

from collections.abc import Sequence

from wheatstone.viewer.choices.scrub import choose_part, described, parts
from wheatstone.viewer.choices.state import ViewerState
from wheatstone.viewer.panels.costs.cost_words import Sentence
from wheatstone.viewer.panels.widgets import AMBER, draw_at_right, draw_combo, draw_wrapped
from wheatstone.viewer.screen.dear_imgui import imgui
from wheatstone.viewer.screen.style import Ink

PLAIN = Ink("text")


def draw_part(state: ViewerState) -> None:
    """Draw the list of partial sums of paths, and apply the user's choice."""
    slot = state.slot
    terms = slot.pipeline.terms
    if not terms:
        return
    imgui.set_next_item_width(imgui.get_font_size() * 15)
    summed, listed = terms.summed(slot.params), parts(terms.count(slot.params))
    part = draw_combo("##part", summed, listed, lambda part: described(terms, slot.params, part))
    if part is not None:
        choose_part(state, part)
    if imgui.is_item_hovered():
        imgui.set_tooltip(f"Which {terms.noun}s the picture is made of; A and Shift+A step.")


def draw_sentence(sentence: Sentence) -> None:
    """Draw a sentence, in amber if it explains why the pixel was rejected."""
    text, alarming = sentence
    draw_wrapped(text, AMBER if alarming else PLAIN)


def draw_numbers(
    rows: Sequence[tuple[str, ...]], sentences: Sequence[Sentence], scale: float
) -> None:
    """Draw the table of costs, with a heading as first row, and sentences below.

    Args:
        scale: screen pixels per unscaled unit.
    """
    style = imgui.StyleVar_
    imgui.push_style_var(style.cell_padding, imgui.ImVec2(3 * scale, scale))
    imgui.push_style_var(style.item_spacing, imgui.ImVec2(8 * scale, scale))
    if imgui.begin_table("costs", len(rows[0])):
        flags = imgui.TableColumnFlags_
        imgui.table_setup_column("", int(flags.width_fixed), 4.2 * imgui.get_font_size())
        for number, row in enumerate(rows):
            imgui.table_next_row()
            for cell, text in enumerate(row):
                imgui.table_next_column()
                _draw_cell(text, dim=number == 0 or cell == 0, at_right=cell > 0)
        imgui.end_table()
    for sentence in sentences:
        draw_sentence(sentence)
    imgui.pop_style_var(2)


def _draw_cell(text: str, *, dim: bool, at_right: bool) -> None:
    """Draw a cell of the table; numbers are right-aligned so that they do not jump."""
    if at_right:
        draw_at_right(text, dim=dim)
    else:
        (imgui.text_disabled if dim else imgui.text)(text)
