"""Texts and tables that explain the costs of a pixel, and the widgets that draw them."""

from collections.abc import Sequence

import numpy as np

from wheatstone.gpu.pipelines.sgm.curves import CostVerdict, Curves
from wheatstone.gpu.pipelines.sgm.params import LARGEST_GRADIENT_COST
from wheatstone.viewer.choices.scrub import choose_part, described, parts
from wheatstone.viewer.choices.state import ViewerState
from wheatstone.viewer.display.screen.dear_imgui import imgui
from wheatstone.viewer.display.screen.style import Ink
from wheatstone.viewer.panels.widgets import (
    AMBER,
    draw_at_right,
    draw_combo,
    draw_tip,
    draw_wrapped,
)

Sentence = tuple[str, bool]  # its words, and whether they tell why the pixel was rejected


NOT_SEARCHED = "not searched"


def table(
    curves: Curves, names: tuple[str, ...], line: int, truth: float | None = None
) -> list[tuple[str, ...]]:
    """Return a table of costs and ranks: headings, then the marked, two best and true disparities.

    Args:
        line: index of the disparity that the user marked.
        truth: the true disparity in pixels; None if unknown: without a row of its own.
    """
    rows: list[tuple[str, ...]] = [("", "d px", "C", *names, "S", "rank")]
    marked = {"line": line, "winner": curves.winner, "runner-up": curves.rival}
    for label, index in (marked | {"truth": index_of(curves, truth)}).items():
        if index is None:
            continue
        d, own = str(curves.first + index), str(curves.costs[index])
        if not curves.searched[index]:
            rows.append((label, d, own, *("" for _ in names), NOT_SEARCHED, ""))
            continue
        paths = (str(int(cost)) for cost in curves.path_costs[:, index])
        total = curves.sums[index]
        rank = str(1 + np.count_nonzero(curves.sums < total))
        rows.append((label, d, own, *paths, str(total), rank))
    return rows


def index_of(curves: Curves, disparity: float | None) -> int | None:
    """Return the index of the searched disparity nearest to a given one; None if not searched."""
    index = -1 if disparity is None else round(disparity) - curves.first
    return index if 0 <= index < curves.sums.size else None


def compared_sums(curves: Curves, matched: float, truth: float | None) -> str:
    """Describe the winner's summed cost, compared with the true disparity or the runner-up."""
    winner, lowest = curves.first + curves.winner, curves.sums[curves.winner]
    text = f"the summed cost at {winner} is {lowest}"
    if abs(matched - winner) > 1:
        text = f"the median of its neighbours replaced {winner}, where the summed cost is {lowest}"
    true = index_of(curves, truth)
    if true is not None and not curves.searched[true]:
        return (
            f"{text}, and the truth is not among the {curves.searched.sum()} disparities searched"
        )
    if true is not None and true != curves.winner:
        return f"{text}, {curves.sums[true]} at the truth"
    text += f", {curves.sums[curves.rival]} at the runner-up {curves.first + curves.rival}"
    if truth is not None and true is None:
        last = curves.first + curves.sums.size - 1
        text += f", and the truth lies outside the disparities searched ({curves.first} to {last})"
    return text


def checked(why: str) -> str:
    """Describe which check rejected a pixel, given the label of the reason; empty: none did."""
    if not why:
        return "no check rejects it"
    if why.startswith("outside"):
        return f"rejected as its match lies {why}"
    return f"rejected by the {why}" if why.endswith("check") else f"rejected by the {why} check"


def short(disparity: float) -> str:
    """Format a disparity with up to two decimals."""
    return f"{disparity:.2f}".rstrip("0").rstrip(".")


def compositions(all_curves: Sequence[Curves], disparity: int) -> list[Sentence]:
    """Describe the components of a disparity's matching cost, for runs A and B if they differ."""
    texts: list[str] = []
    for curves in all_curves:
        index = disparity - curves.first
        text = _made_of(curves, index) if 0 <= index < curves.costs.size else ""
        texts += [text] if text and text not in texts else []
    return [
        (f"C{' of B' * number} at {disparity} px: {s}", False) for number, s in enumerate(texts)
    ]


def _made_of(curves: Curves, index: int) -> str:
    """Describe the components of the matching cost at an index of the searched disparities."""
    cost, parts = int(curves.costs[index]), curves.parts
    if parts.outside[index]:
        return f"{cost}, as the right pixel lies outside the image"
    if not parts.bits:
        return f"grey levels differ by {cost}"
    bits = f"{parts.compared[index]} of {parts.bits} bits differ"
    if parts.gradient is None:
        return bits
    added = f"{parts.gradient[index]} of at most {LARGEST_GRADIENT_COST} by gradient (ΔG)"
    return f"{bits} + {added} = {cost}"


def judgements(
    curves: Curves,
    verdict: CostVerdict | None,
    truth: float | None,
    final: tuple[float | None] | None,
    peer: str = "",
) -> list[Sentence]:
    """Describe step by step how a pixel's winning disparity was checked, refined and shown.

    Args:
        truth: the true disparity in pixels; None if unknown.
        final: the picture's value: a disparity in pixels, or None for a pixel without one; None
            instead of the tuple while that is unknown.
        peer: the external program that made the picture, if any: it has costs and checks of its
            own, which are unknown.
    """
    sentences = [_margin(curves), (_refined(curves, verdict), False), _partner(curves, verdict)]
    if peer:
        sentences.insert(0, (f"by the program's own costs; {peer} has others:", False))
    cause = None if peer else verdict
    text, alarming = _final(cause, final[0]) if final is not None else ("", False)
    known = [text] if text else []
    if truth is not None:
        known.append(f"truth {truth:.2f} px")
        if text and final and final[0] is not None:
            known.append(f"error {final[0] - truth:+.2f} px")
    sentences.append((", ".join(known), alarming))
    return [sentence for sentence in sentences if sentence[0]]


def _margin(curves: Curves) -> Sentence:
    """Describe the margin between winner and runner-up, and whether it is sufficient."""
    percent, needed = f"{curves.percent:.2f} %", f"{curves.needed} %"
    if not curves.needed:
        return f"margin over the runner-up {percent}; no minimum is set", False
    if curves.unique:
        return f"unique: margin over the runner-up {percent} >= {needed}", False
    return f"rejected: uniqueness {percent} < {needed}", True


def _refined(curves: Curves, verdict: CostVerdict | None) -> str:
    """State the winner's refined disparity, and its value after the median filter."""
    text = f"refined {pixels(curves.pixels)} px"
    if curves.fit:
        text += f" ({curves.fit.name}'s vertex {curves.first + curves.fit.vertex[0]:.3f} px)"
    if verdict and verdict.smoothed != curves.refined:
        text += f", median {pixels(verdict.pixels)} px"
    return text


def _partner(curves: Curves, verdict: CostVerdict | None) -> Sentence:
    """Describe the result of the left-right check of the winner."""
    if not verdict:
        return "left-right check once the picture is computed ...", False
    if verdict.allowed < 0:
        return f"partner in right column {verdict.partner}; no left-right check", False
    if verdict.right_winner is None:
        return f"rejected: partner in right column {verdict.partner}, outside the image", True
    own, distance = curves.first + verdict.right_winner, abs(verdict.right_winner - curves.winner)
    text = f"left-right check: right column {verdict.partner} has {own} px, difference {distance}"
    if distance > verdict.allowed:
        return f"rejected: {text} > {verdict.allowed} px", True
    return f"{text} <= {verdict.allowed} px", False


def pixels(disparity: float) -> str:
    """Format a disparity in pixels, exact to a sixteenth of a pixel, without trailing zeros."""
    return f"{disparity:.4f}".rstrip("0").rstrip(".")


def _final(verdict: CostVerdict | None, shown: float | None) -> Sentence:
    """Describe the pixel's disparity in the result: shown, filled after a rejection, or missing."""
    if shown is not None and not verdict:
        return f"shown {pixels(shown)} px", False
    if not verdict:
        return "shown without disparity", False
    if shown is None:
        islands = "" if verdict.rejected else " (rejected: a small island)"
        return f"shown without disparity{islands}", not verdict.rejected
    filled = " (filled from other pixels or frames)" if verdict.rejected else ""
    return f"shown {pixels(shown)} px{filled}", False


PLAIN = Ink("text")


def draw_part(state: ViewerState) -> None:
    """Draw the list from which the user selects which paths are summed, and apply the choice."""
    slot = state.slot
    terms = slot.pipeline.terms
    if not terms:
        return
    imgui.set_next_item_width(imgui.get_font_size() * 15)
    summed, listed = terms.summed(slot.params), parts(terms.count(slot.params))
    part = draw_combo("##part", summed, listed, lambda part: described(terms, slot.params, part))
    if part is not None:
        choose_part(state, part)
    draw_tip(f"{terms.noun.capitalize()}s summed in the picture; A and Shift+A step.")


def draw_sentence(sentence: Sentence) -> None:
    """Draw a sentence, in amber if it explains why the pixel was rejected."""
    text, alarming = sentence
    draw_wrapped(text, AMBER if alarming else PLAIN)


def draw_numbers(
    rows: Sequence[tuple[str, ...]], sentences: Sequence[Sentence], scale: float
) -> None:
    """Draw the table of costs, and sentences below it."""
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
                if cell:  # numbers are right-aligned so that they do not jump
                    draw_at_right(text, dim=number == 0)
                else:
                    imgui.text_disabled(text)
        imgui.end_table()
    for sentence in sentences:
        draw_sentence(sentence)
    imgui.pop_style_var(2)
