"""Parts of the panel of matching costs."""

from viewer.choices.scrub import choose_part, described, parts
from viewer.choices.state import ViewerState
from viewer.panels.costs.cost_words import Sentence


def draw_part(state: ViewerState) -> None:
    """The choice of the part of the sum that is shown."""
    from imgui_bundle import imgui

    slot = state.slot
    terms = slot.pipeline.terms
    if not terms:
        return
    shown = parts(terms.count(slot.params))
    here = terms.summed(slot.params)
    imgui.set_next_item_width(imgui.get_font_size() * 15)
    if imgui.begin_combo("##part", described(terms, slot.params, here)):
        for part in shown:
            if imgui.selectable(described(terms, slot.params, part), part == here)[0]:
                choose_part(state, part)
        imgui.end_combo()
    if imgui.is_item_hovered():
        imgui.set_tooltip(f"Which {terms.noun}s the picture is made of; A and Shift+A step.")


def say(sentence: Sentence) -> None:
    """A sentence, in another colour where it tells why the pixel was rejected."""
    from imgui_bundle import imgui

    text, alarming = sentence
    color = (1.0, 0.78, 0.35, 1.0) if alarming else (0.86, 0.86, 0.87, 1.0)
    imgui.push_style_color(imgui.Col_.text, color)
    imgui.text_wrapped(text)
    imgui.pop_style_color()


def right(text: str, *, dim: bool, left: bool) -> None:
    """A cell's text, numbers against the right side so that they do not jump."""
    from imgui_bundle import imgui

    if not left:
        width = imgui.get_column_width() - imgui.calc_text_size(text).x
        imgui.set_cursor_pos_x(imgui.get_cursor_pos_x() + max(width, 0.0))
    if dim:
        imgui.text_disabled(text)
    else:
        imgui.text(text)
