"""A and B as one picture, and why they may not be one."""

import math
from dataclasses import replace

from viewer.choices.mixing import DIFFERENCES
from viewer.choices.slot import Slot
from viewer.choices.state import ViewerState
from viewer.colormaps import SIGNED
from viewer.colormaps import colormap as map_colors
from viewer.picture.caption import Caption
from viewer.picture.colorbar import Colorbar
from viewer.picture.identity import Badge
from viewer.picture.legend import Entry
from viewer.picture.panes import LONE, Mix, Pane, Picture
from viewer.picture.shown import Shown, chosen, chosen_b
from viewer.sources.grey import SOURCE_IMAGES

MOST_CHANGES = 3  # parameters that a label names
ROUNDED = 0.01  # of a reach's logarithm: keys round reaches to six decimals, which adds up
ANY_SIZE = (4096, 4096)  # height and width of a source that no parameter is too large for
Bars = tuple[Colorbar, ...]


def combined(state: ViewerState, a: Shown | None, b: Shown | None, badge: Badge | None) -> Picture:
    """What is drawn of what was computed last.

    Args:
        a, b: what the slots show; the one the state's mode needs must be there.
        badge: what is known of their equality, if it is asked for.
    """
    mixing = state.mixing
    alone = {"a": a, "b": b}.get(mixing.alone)
    if alone:
        picture = alone.picture(state)
    else:
        assert a and b
        picture = _mixed(state, a, b)
    if mixing.mode == "off" and not badge:
        return picture
    return replace(picture, caption=caption(state, a, b, badge))


def _mixed(state: ViewerState, a: Shown, b: Shown) -> Picture:
    mixing, first, second = state.mixing, a.picture(state), b.picture(state)
    amount = mixing.share if mixing.mode == "onion" else mixing.seam
    mix = Mix(mixing.mode, amount)  # type: ignore[arg-type]  # the modes of two are the ways
    legend = tuple(dict.fromkeys(first.legend + second.legend))
    bars = joined_bars(first.bars, second.bars)
    if mixing.mode in DIFFERENCES:
        mix = replace(mix, differences=tuple(_looks(state, first, second)))
        legend, bars = difference_legend(mix, second, a), ()
    return replace(first, second=second, mix=mix, legend=legend, bars=bars)


def joined_bars(a: Bars, b: Bars) -> Bars:
    """The bars of A and B: those that differ with their letters, those of both once."""
    if not a or not b:
        return a + b
    of_a = [bar if bar in b else replace(bar, title=f"A {bar.title}") for bar in a]
    return (*of_a, *(replace(bar, title=f"B {bar.title}") for bar in b if bar not in a))


def _looks(state: ViewerState, first: Picture, second: Picture) -> list[Pane | None]:
    """How the difference of every pane is shown."""
    signed = state.mixing.mode == "signed-difference"
    looks: list[Pane | None] = []
    for pane, other in zip(first.panes, second.panes, strict=True):
        reach = difference_reach(state, pane)
        low, colors = (-reach, SIGNED) if signed else (0.0, state.colormap)
        look = replace(pane, low=low, high=reach, colormap=colors)
        looks.append(None if pane.image == other.image else look)
    return looks


def difference_reach(state: ViewerState, pane: Pane) -> float:
    """The largest difference that has a colour of its own, in the pane's unit.

    It is the reach chosen, rounded up to a power of two.
    """
    reach = max(state.mixing.reach * (pane.high - pane.low), pane.scale)
    return float(2.0 ** math.ceil(math.log2(reach) - ROUNDED))


def difference_legend(mix: Mix, second: Picture, shown: Shown) -> tuple[Entry, ...]:
    """What the colours of a difference mean."""
    entries: list[Entry] = []
    for name, look, other in zip(shown.view.panes, mix.differences, second.panes, strict=True):
        if not look or not look.colormap:
            continue
        unit, colors = shown.slot.pipeline.image(name).unit, map_colors(look.colormap).tolist()
        for step in range(5):
            value = look.low + (look.high - look.low) * step / 4
            sign = "+" if look.low and value > 0 else ""
            text = f"{sign}{value:g} {unit}".strip()
            if step == 4 or (look.low and step == 0):
                text += " or more" if step else " or less"
            entries.append((text, (*colors[look.entry(value / look.scale)],)))
        if look.invalid is not None or other.invalid is not None:
            entries += [("only A has a value", LONE[0]), ("only B", LONE[1])]
    return tuple(dict.fromkeys(entries))


def caption(state: ViewerState, a: Shown | None, b: Shown | None, badge: Badge | None) -> Caption:
    """What stands above the picture."""
    mixing = state.mixing
    slots = (
        a.slot if a and mixing.uses_a else state.slot,
        b.slot if b and mixing.uses_b else state.slot_b,
    )
    frozen = "" if mixing.frozen is None else f", frozen at frame {mixing.frozen}"
    labels = label(slots[0], slots[1]), label(slots[1], slots[0]) + frozen
    notes = {
        "wipe-down": "A above, B below",
        "onion": mixing.described(),
        "difference": "| A - B |",
        "signed-difference": "A - B",
    }
    return Caption(
        labels,
        lit=(mixing.alone != "b", mixing.alone != "a"),
        beside=_share_of_a(state) if mixing.mode == "side-by-side" else 0.0,
        note=notes.get(mixing.mode, ""),
        badge=badge.text if badge else "",
        tone=badge.tone if badge else "neutral",
    )


def _share_of_a(state: ViewerState) -> float:
    """How much of the width A's panes take when B's are beside them."""
    panes = [len(state.view_of(slot).panes) for slot in (state.slot, state.slot_b)]
    return panes[0] / sum(panes)


def label(slot: Slot, other: Slot) -> str:
    """A slot in words: what it is, and the parameters in which it differs from the other."""
    words = [f"{slot.name} (peer)" if slot.declaration.peer else slot.name]
    if slot.pipeline.name == other.pipeline.name:
        there = other.params.values()
        changes = [
            f"{name.replace('_', ' ')} {_shown(value)}"
            for name, value in slot.params.values().items()
            if value != there[name]
        ]
        hidden = len(changes) - MOST_CHANGES
        words += changes[:MOST_CHANGES] + ([f"{hidden} more"] if hidden > 0 else [])
    return ", ".join(words)


def _shown(value: object) -> str:
    return {True: "on", False: "off"}[value] if isinstance(value, bool) else str(value)


def mixes(state: ViewerState) -> bool:
    """Whether A and B can be mixed as chosen, as far as that is known without the source."""
    if state.mixing.alone:
        return True
    try:
        check(state, chosen(state), chosen_b(state), *ANY_SIZE)
    except ValueError:
        return False
    return True


def check(state: ViewerState, a: Shown, b: Shown, height: int, width: int) -> None:
    """Raise ``ValueError``, which says why, if what A and B show cannot be mixed as chosen.

    Args:
        height, width: of the source.
    """
    mode = state.mixing.mode
    for shown in (a, b):
        if shown.view.anaglyph:
            raise ValueError(
                f"view {shown.view.name} lays two images over each other already; "
                "choose another view to compare A and B"
            )
    if mode == "side-by-side":
        return
    if len(a.view.panes) != len(b.view.panes):
        raise ValueError(
            f"{mode}: view {a.view.name} of {a.slot.pipeline.name} has {len(a.view.panes)} panes, "
            f"view {b.view.name} of {b.slot.pipeline.name} {len(b.view.panes)}"
        )
    for name, other in zip(a.view.panes, b.view.panes, strict=True):
        shapes = [
            s.slot.pipeline.image(n).shape(height, width, s.slot.params)
            for s, n in ((a, name), (b, other))
        ]
        if shapes[0] != shapes[1]:
            raise ValueError(f"{mode}: A's {name} is {shapes[0]}, B's {other} is {shapes[1]}")
        if mode in DIFFERENCES:
            _check_difference(a, b, name, other)


def _check_difference(a: Shown, b: Shown, name: str, other: str) -> None:
    if a.texture(a.arrays[name]) == b.texture(b.arrays[other]):
        return  # the same image: shown as it is
    one, two = a.slot.pipeline.image(name), b.slot.pipeline.image(other)
    for shown, image in ((a, name), (b, other)):
        if shown.arrays[image] in SOURCE_IMAGES:
            raise ValueError(f"there is no difference with the source's image {image}")
    for side in (one, two):
        if side.labels:
            raise ValueError(f"{side.name} holds labels, which have no difference")
    if (one.unit, one.scale) != (two.unit, two.scale):
        raise ValueError(
            f"no difference of {_kind(a, name)} and {_kind(b, other)}: they differ in unit"
        )


def _kind(shown: Shown, name: str) -> str:
    image = shown.slot.pipeline.image(name)
    return f"{shown.slot.pipeline.name}'s {name} in {image.scale:g} {image.unit}".rstrip()
