"""The panes of a picture that a session shows: pixels one to one, colours explained, metrics."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from wheatstone.viewer.choices.judging import is_disparity
from wheatstone.viewer.choices.words import spoken
from wheatstone.viewer.figures.plan import FigureCell, MeasuredVariant
from wheatstone.viewer.frames.figures import FigureQuestion, Figures, figures
from wheatstone.viewer.frames.latest import Latest
from wheatstone.viewer.frames.runner import Runner
from wheatstone.viewer.frames.session import Session
from wheatstone.viewer.picture.colorbar import Colorbar
from wheatstone.viewer.picture.combined import label
from wheatstone.viewer.picture.layout import natural_size
from wheatstone.viewer.picture.legend import Entry
from wheatstone.viewer.picture.panes import Picture

Pixels = NDArray[np.uint8]


@dataclass(frozen=True)
class ColorKey:
    """What the colours of labels mean: a heading, and names with their colours."""

    heading: str
    entries: tuple[Entry, ...]


@dataclass(frozen=True, eq=False)
class FigurePane:
    """One place of a figure's grid, drawn.

    Attributes:
        pixels: (H, W, 3) RGB, a pixel of the image each; None where nothing is shown.
        why: why nothing is shown; empty also where nothing was to be shown.
        question: what is judged to be told; None where nothing is.
        figures: the metrics of the result; None until it is judged.
        convention: the one that it was judged by.
        bars, keys: what its colours mean.
    """

    title: str
    pixels: Pixels | None = None
    why: str = ""
    question: FigureQuestion | None = None
    figures: Figures | None = None
    convention: str = ""
    measured: MeasuredVariant | None = None
    bars: tuple[Colorbar, ...] = ()
    keys: tuple[ColorKey, ...] = ()


def panes_shown(session: Session, cell: FigureCell) -> tuple[FigurePane, ...]:
    """Take the panes of what a session computed last, with what is told of them.

    The display's picture is another one then; whoever shows it draws it again.

    Args:
        cell: names the panes; several are named by their images.
    """
    state = session.state
    look = state.look
    state.look = replace(look, colorbar=True, pixel_values=False)
    try:
        picture = session.drawing.picture
    finally:
        state.look = look
    images = _images(session, picture)
    sides = _sides(session) or [None] * len(images)
    titles = _titles(session, cell.title, sides)
    bars, keys = _explained(session, picture, cell)
    panes = zip(titles, images, sides, strict=True)
    return tuple(
        FigurePane(
            title,
            pixels,
            question=_question(session, side) if cell.tells else None,
            convention=session.state.truth.convention,
            measured=cell.measured,
            bars=bars,
            keys=keys,
        )
        for title, pixels, side in panes
    )


def judged(panes: Iterable[FigurePane]) -> tuple[FigurePane, ...]:
    """Find out how good the results of panes are, which takes long where they are large."""
    return tuple(
        replace(pane, figures=figures(pane.question), question=None) if pane.question else pane
        for pane in panes
    )


def _images(session: Session, picture: Picture) -> list[Pixels]:
    """Draw every pane without what surrounds it, each in the size of its image: (H, W, 3)."""
    whole = {"zoom": 1.0, "center": (0.5, 0.5), "caption": None, "legend": (), "bars": ()}
    bare, display = replace(picture, **whole), session.display  # type: ignore[arg-type]
    height, width = session.source.height, session.source.width
    display.draw(bare, *natural_size(width, height, len(picture.cells)))
    found: dict[int, Pixels] = {}
    for high, wide in dict.fromkeys(sizes := display.drawn.arrangement.sizes):
        if (high, wide) != (height, width):
            display.draw(bare, *natural_size(wide, high, len(picture.cells)))
        pixels = display.read()
        for number, place in enumerate(display.drawn.arrangement.cells):
            if sizes[number] == (high, wide):
                rows = slice(place.y, place.y + place.height)
                found[number] = pixels[rows, place.x : place.x + place.width].copy()
    return [found[number] for number in sorted(found)]


@dataclass(frozen=True)
class _Side:
    """What a pane shows: an image of a slot.

    Attributes:
        letter: the slot's, where A and B are beside each other.
    """

    runner: Runner
    letter: str
    image: str


def _sides(session: Session) -> list[_Side | None]:
    """List what the panes show, from the left; None for a pane that mixes two slots."""
    mixing, slots = session.state.mixing, {"a": session.a, "b": session.b}
    letters = mixing.alone or ("ab" if mixing.mode == "side-by-side" else "")
    found: list[_Side | None] = []
    for letter in letters:
        runner, shown = slots[letter], slots[letter].shown
        names = shown.view.panes if shown else ()
        own = names[:1] if shown and shown.view.one_cell else names
        found += [_Side(runner, letter if len(letters) > 1 else "", name) for name in own]
    return found


def _titles(session: Session, title: str, sides: Sequence[_Side | None]) -> list[str]:
    """Name the panes: a single one by the cell's title, several by slot and image."""
    if len(sides) == 1:
        return [title]
    a, b = session.state.slot, session.state.slot_b
    found = []
    for side in sides:
        shown = side.runner.shown if side else None
        if not side or not shown:
            found.append(title)
            continue
        other = b if side.letter == "a" else a
        of_slot = f"{side.letter.upper()}: {label(shown.slot, other)}" if side.letter else ""
        several = not of_slot or len(shown.view.panes) > 1
        found.append(", ".join(filter(None, (of_slot, spoken(side.image) if several else ""))))
    return found


def _question(session: Session, side: _Side | None) -> FigureQuestion | None:
    """Ask how good the result is that a pane shows, or whose errors it shows."""
    shown = side.runner.shown if side else None
    if not side or not shown or side.image != shown.slot.pipeline.output or shown.temporal:
        return None
    image = shown.slot.pipeline.image(side.image)
    if not is_disparity(image) or (shown.judged and not shown.of_errors):
        return None
    # The session's own copies may be a moment old.
    copy, choice = Latest(session.display).image(side.runner, side.image), session.state.truth
    if not copy:
        return None
    return FigureQuestion(copy.values, image, shown.slot.params, copy.frame, choice.judging)


def _explained(
    session: Session, picture: Picture, cell: FigureCell
) -> tuple[tuple[Colorbar, ...], tuple[ColorKey, ...]]:
    """Say what the colours of a picture mean, whether the window shows that or not."""
    if not picture.legend:
        return picture.bars, ()
    heading, entries = _heading(session, cell), picture.legend
    if len(cell.names) == 2:
        own = dict(zip(("only A has a value", "only B"), cell.names, strict=True))
        entries = tuple((f"only {own[n]}" if n in own else n, color) for n, color in entries)
    return picture.bars, (ColorKey(heading, entries),)


def _heading(session: Session, cell: FigureCell) -> str:
    """Name what a legend is of."""
    mixing = session.state.mixing
    if not mixing.alone and mixing.mode != "side-by-side":
        return f"difference {cell.title}" if cell.names else spoken(mixing.mode).replace("-", " ")
    shown = session.b.shown if mixing.alone == "b" else session.a.shown
    if shown and shown.of_errors and shown.judged:
        return f"errors in px ({shown.judged.title})"
    return spoken(shown.view.name) if shown else ""
