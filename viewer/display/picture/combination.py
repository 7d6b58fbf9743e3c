"""Combination of results A and B into one picture, with caption, legend and colour bars."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from wheatstone.viewer.choices.mixing import DIFFERENCES
from wheatstone.viewer.choices.state import ViewerState
from wheatstone.viewer.colormaps import SIGNED
from wheatstone.viewer.colormaps import colormap as map_colors
from wheatstone.viewer.display.picture import temporal
from wheatstone.viewer.display.picture.caption import Caption
from wheatstone.viewer.display.picture.colorbar import Bars
from wheatstone.viewer.display.picture.identity import Badge
from wheatstone.viewer.display.picture.legend import Entry
from wheatstone.viewer.display.picture.panes import LONE, Mix, Pane, Picture, Way
from wheatstone.viewer.display.picture.shown import Shown
from wheatstone.viewer.io.cameras.calibration import Calibration
from wheatstone.viewer.run.run import Run
from wheatstone.viewer.words import spoken

MOST_CHANGES = 3  # parameters that a label names
ROUNDED = 0.01  # tolerance of a reach's logarithm: keys round reaches to six decimals
Calibrations = tuple[Calibration | None, Calibration | None]  # of A and of B
NOT_CALIBRATED: Calibrations = (None, None)


@dataclass(frozen=True)
class Remarks:
    """Remarks for the caption: a warning, images being computed, and quality figures.

    Attributes:
        warning: that the result shown may be wrong; it is never omitted.
        pending: description of the images computed next; empty while the user need not wait.
        figures: how good A and B are, where their errors are shown; empty where unknown.
    """

    warning: str = ""
    pending: str = ""
    figures: tuple[str, str] = ("", "")


NO_REMARKS = Remarks()


def combined(
    state: ViewerState,
    a: Shown | None,
    b: Shown | None,
    badge: Badge | None,
    calibrations: Calibrations = NOT_CALIBRATED,
    remarks: Remarks = NO_REMARKS,
) -> Picture:
    """Combine the images of results A and B into the picture that the comparison mode requires.

    Args:
        a, b: the images computed last for each run; those that the mode needs must be given.
        badge: the result of comparing them; None unless asked for.
        calibrations: of the frames that A and B show, for 3D views.
    """
    mixing = state.mixing
    alone = {"a": a, "b": b}.get(mixing.alone)
    if alone:
        picture = alone.picture(state, calibrations[mixing.alone == "b"])
    else:
        assert a and b
        picture = _mixed(state, a, b, calibrations)
    if mixing.mode == "off" and not badge:
        caption = Caption(title=title_of(a, remarks.figures[0]), warning=remarks.warning)
        return replace(picture, caption=caption) if caption != Caption() else picture
    caption = caption_of(state, a, b, badge_of(a, badge), remarks)
    return replace(picture, caption=replace(caption, warning=remarks.warning))


def before_b(
    state: ViewerState,
    a: Shown,
    of_a: Picture,
    left_view: Picture | None,
    remarks: Remarks = NO_REMARKS,
) -> Picture:
    """Make the picture of result A while B is first computed; its caption states this.

    Args:
        left_view: drawn in place of B's panes where they stand next to A's.
    """
    caption = caption_of(state, a, None, None, replace(remarks, pending=""))
    labels = caption.labels[0], f"{caption.labels[1]}: not computed yet"
    caption = replace(caption, labels=labels, lit=(True, False), warning=remarks.warning)
    if state.mixing.mode == "side-by-side" and left_view:
        panes = left_view.panes * len(state.view_of(state.slot_b).panes)
        second = replace(left_view, panes=panes)
        of_a = replace(of_a, second=second, mix=Mix("side-by-side"))
    else:
        caption = replace(caption, beside=0.0, note="")
    return replace(of_a, caption=caption)


def _mixed(state: ViewerState, a: Shown, b: Shown, calibrations: Calibrations) -> Picture:
    both = zip((a, b), calibrations, strict=True)
    first, second = (shown.picture(state, known) for shown, known in both)
    mixing = state.mixing
    amount = mixing.share if mixing.mode == "onion" else mixing.seam
    mix = Mix(mixing.mode, amount)  # type: ignore[arg-type]  # the modes of two are the ways
    legend = tuple(dict.fromkeys(first.legend + second.legend))
    bars = joined_bars(first.bars, second.bars)
    if mixing.mode in DIFFERENCES:
        signed = mixing.mode == "signed-difference" or a.of_two_values
        way: Way = "signed-difference" if signed else "difference"
        mix = replace(mix, way=way, differences=tuple(_looks(state, first, second, signed=signed)))
        legend, bars = difference_legend(mix, second, a), ()
    return replace(first, second=second, mix=mix, legend=legend, bars=bars)


def joined_bars(a: Bars, b: Bars) -> Bars:
    """Join the colour bars of results A and B: equal ones once, others titled with A or B."""
    if not a or not b:
        return a + b
    of_a = [bar if bar in b else replace(bar, title=f"A {bar.title}") for bar in a]
    return (*of_a, *(replace(bar, title=f"B {bar.title}") for bar in b if bar not in a))


def _looks(
    state: ViewerState, first: Picture, second: Picture, *, signed: bool
) -> list[Pane | None]:
    looks: list[Pane | None] = []
    for pane, other in zip(first.panes, second.panes, strict=True):
        reach = difference_reach(state, pane)
        low, colors = (-reach, SIGNED) if signed else (0.0, state.colormap)
        look = replace(pane, low=low, high=reach, colormap=colors)
        looks.append(None if pane.image == other.image or pane.colored else look)
    return looks


def difference_reach(state: ViewerState, pane: Pane) -> float:
    """Compute the largest difference that colours can show: a power of two, in image units."""
    reach = max(state.mixing.reach * (pane.high - pane.low), pane.scale)
    return float(2.0 ** math.ceil(math.log2(reach) - ROUNDED))


def difference_legend(mix: Mix, second: Picture, shown: Shown) -> tuple[Entry, ...]:
    """List the legend entries that explain the colours of the difference of results A and B."""
    entries: list[Entry] = []
    for name, look, other in zip(shown.view.panes, mix.differences, second.panes, strict=True):
        if not look or not look.colormap:
            continue
        image, colors = shown.slot.image(name), map_colors(look.colormap).tolist()
        if image.binary:
            yes = image.binary[1]
            says = {255: f"{yes} only in A", -255: f"{yes} only in B", 0: "the same in A and B"}
            entries += [(text, (*colors[look.entry(value)],)) for value, text in says.items()]
            continue
        for step in range(5):
            value = look.low + (look.high - look.low) * step / 4
            sign = "+" if look.low and value > 0 else ""
            text = f"{sign}{value:g} {image.unit}".strip()
            if step == 4 or (look.low and step == 0):
                text += " or more" if step else " or less"
            entries.append((text, (*colors[look.entry(value / look.scale)],)))
        if look.invalid is not None or other.invalid is not None:
            entries += [("only A has a value", LONE[0]), ("only B", LONE[1])]
    return tuple(dict.fromkeys(entries))


def caption_of(
    state: ViewerState,
    a: Shown | None,
    b: Shown | None,
    badge: Badge | None,
    remarks: Remarks = NO_REMARKS,
) -> Caption:
    """Compose the caption: labels of results A and B, how they are mixed, and if they are equal."""
    mixing = state.mixing
    slots = (
        a.slot if a and mixing.uses_a else state.slot,
        b.slot if b and mixing.uses_b else state.slot_b,
    )
    frozen = "" if mixing.frozen is None else f", frozen at frame {mixing.frozen}"
    other = state.sources.other
    of_other = f", {other.title}" if other else ""
    labels = (
        name_of(a, label(slots[0], slots[1]), remarks.figures[0]),
        name_of(b, label(slots[1], slots[0]), remarks.figures[1]) + of_other + frozen,
    )
    notes = {
        "wipe-down": "A above, B below",
        "onion": mixing.described(),
        "difference": "" if a and a.of_two_values else "| A - B |",
        "signed-difference": "A - B",
    }
    note = remarks.pending or ", ".join(filter(None, (notes.get(mixing.mode, ""), view_note(a, b))))
    return Caption(
        labels,
        lit=(mixing.alone != "b", mixing.alone != "a"),
        beside=_share_of_a(a, b) if mixing.mode == "side-by-side" and a and b else 0.0,
        note=note,
        badge=badge.text if badge else "",
        tone=badge.tone if badge else "neutral",
    )


def _share_of_a(a: Shown, b: Shown) -> float:
    panes = [1 if shown.view.one_cell else len(shown.view.panes) for shown in (a, b)]
    return panes[0] / sum(panes)


def label(slot: Run, other: Run) -> str:
    """Describe run A or B: pipeline, variant, and parameters that differ from the other run's.

    If several differ and both runs match declared presets, the preset is named instead.
    """
    words = [f"{slot.name} (peer)" if slot.declaration.peer else slot.name]
    if slot.pipeline.name == other.pipeline.name:
        there = other.params.values()
        changes = [
            f"{spoken(name)} {_shown(value)}"
            for name, value in slot.params.values().items()
            if value != there[name]
        ]
        hidden = len(changes) - MOST_CHANGES
        if len(changes) > 1 and (preset := slot.preset) and other.preset:
            return ", ".join((*words, f"preset {preset}"))
        words += changes[:MOST_CHANGES] + ([f"{hidden} more"] if hidden > 0 else [])
    return ", ".join(words)


def _shown(value: object) -> str:
    return {True: "on", False: "off"}[value] if isinstance(value, bool) else str(value)


def name_of(shown: Shown | None, slot: str, figures: str = "") -> str:
    """Return the name of the image of A or B: its result, or the image shown in its place.

    Args:
        slot: the run's own name, with the settings that distinguish it from the other one.
        figures: how good it is, where its errors are shown and that is known.
    """
    if shown and shown.temporal:
        return f"{slot}: {temporal.title_of(shown.temporal)}"
    if shown and shown.judged:
        errors = f"errors of {slot}: {figures}" if figures else f"errors of {slot}"
        return "ground truth" if shown.judged.show == "truth" else errors
    return slot


def title_of(shown: Shown | None, figures: str) -> str:
    """Return the title of a single picture that shows errors; empty for other pictures.

    The title states how the errors are judged.
    """
    if not shown or not shown.judged or not shown.of_errors:
        return ""
    return f"{name_of(shown, shown.slot.name, figures)} ({shown.judged.title})"


def view_note(a: Shown | None, b: Shown | None) -> str:
    """Return the names of the views on screen; empty if they are the default views."""
    views = [
        shown.view.name
        for shown in (a, b)
        if shown and not (shown.judged or shown.temporal)
        if shown.view != shown.slot.pipeline.views[0]
    ]
    return " | ".join(f"view {name}" for name in dict.fromkeys(views))


def badge_of(a: Shown | None, badge: Badge | None) -> Badge | None:
    """Return a comparison's badge (equal or not), with a note if its results are not shown."""
    hidden = a and (a.judged or a.temporal)
    if not badge or not hidden or badge.tone == "neutral":
        return badge
    return replace(badge, text=f"results, not shown here: {badge.text}")


def pending(shown: list[Shown | None], wanted: Sequence[Shown]) -> str:
    """Describe the images that are still being computed for the picture; empty if none."""
    known = [(s.slot, s.view) for s in shown if s]
    missing = [s for s in wanted if (s.slot, s.view) not in known]
    names = dict.fromkeys(
        s.view.name if any(s.slot == slot for slot, _ in known) else s.slot.name for s in missing
    )
    return f"computing {' and '.join(names)} ..." if names else ""
