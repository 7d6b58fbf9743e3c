"""The images of a figure, drawn from a session: full-size pixels, legends and metrics."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from wheatstone.viewer.choices.judging import is_disparity
from wheatstone.viewer.display.frames.figures import FigureQuestion, Figures, figures
from wheatstone.viewer.display.frames.latest import Latest
from wheatstone.viewer.display.frames.runner import Runner
from wheatstone.viewer.display.frames.session import Session
from wheatstone.viewer.display.picture.colorbar import Colorbar
from wheatstone.viewer.display.picture.combination import label
from wheatstone.viewer.display.picture.layout import natural_size
from wheatstone.viewer.display.picture.legend import Entry
from wheatstone.viewer.display.picture.panes import Picture
from wheatstone.viewer.figures.plan import FigureCell, MeasuredVariant
from wheatstone.viewer.words import spoken

Pixels = NDArray[np.uint8]


@dataclass(frozen=True)
class ColorKey:
    """A legend of label colours: a heading, and names with their colours."""

    heading: str
    entries: tuple[Entry, ...]


@dataclass(frozen=True, eq=False)
class FigurePane:
    """One image of a figure's grid, with its title, colour legends and the result to evaluate.

    Attributes:
        pixels: (H, W, 3) RGB, a pixel of the image each; None where nothing is shown.
        why: why nothing is shown; empty also where nothing was to be shown.
        question: the result to judge; None if there is none.
        figures: the metrics of the result; None until it is judged.
        convention: the convention used to judge it.
        bars, keys: the explanation of its colours.
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
    """Draw the images of the session's last result, with titles, colours and results to evaluate.

    The display then holds another picture; the caller draws the old one again.

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
    """Compute the metrics of the results in a figure's images, which takes long for large ones."""
    return tuple(
        replace(pane, figures=figures(pane.question), question=None) if pane.question else pane
        for pane in panes
    )


def _images(session: Session, picture: Picture) -> list[Pixels]:
    """Draw each image of a picture without caption and legend, at its own size: (H, W, 3)."""
    whole = {"zoom": 1.0, "center": (0.5, 0.5), "caption": None, "legend": (), "bars": ()}
    bare, display = replace(picture, **whole), session.display  # type: ignore[arg-type]
    height, width = session.source.height, session.source.width
    display.draw(bare, *natural_size(width, height, len(picture.cells)))
    by_pane: dict[int, Pixels] = {}
    for high, wide in dict.fromkeys(sizes := display.drawn.arrangement.sizes):
        if (high, wide) != (height, width):
            display.draw(bare, *natural_size(wide, high, len(picture.cells)))
        pixels = display.read()
        for number, place in enumerate(display.drawn.arrangement.cells):
            if sizes[number] == (high, wide):
                rows = slice(place.y, place.y + place.height)
                by_pane[number] = pixels[rows, place.x : place.x + place.width].copy()
    return [by_pane[number] for number in sorted(by_pane)]


@dataclass(frozen=True)
class _Side:
    """The image of run A or B that is shown at one place of a figure.

    Attributes:
        letter: the slot's, where A and B stand side by side; else empty.
    """

    runner: Runner
    letter: str
    image: str


def _sides(session: Session) -> list[_Side | None]:
    """List the run (A or B) and name of every image, from the left; None for a mix of both."""
    mixing, slots = session.state.mixing, {"a": session.a, "b": session.b}
    letters = mixing.alone or ("ab" if mixing.mode == "side-by-side" else "")
    sides: list[_Side | None] = []
    for letter in letters:
        runner, shown = slots[letter], slots[letter].shown
        names = shown.view.panes if shown else ()
        own = names[:1] if shown and shown.view.one_cell else names
        sides += [_Side(runner, letter if len(letters) > 1 else "", name) for name in own]
    return sides


def _titles(session: Session, title: str, sides: Sequence[_Side | None]) -> list[str]:
    """Return the titles of images: the cell's title for a single one, else run and image names."""
    if len(sides) == 1:
        return [title]
    a, b = session.state.slot, session.state.slot_b
    titles = []
    for side in sides:
        shown = side.runner.shown if side else None
        if not side or not shown:
            titles.append(title)
            continue
        other = b if side.letter == "a" else a
        of_slot = f"{side.letter.upper()}: {label(shown.slot, other)}" if side.letter else ""
        several = not of_slot or len(shown.view.panes) > 1
        shows = "errors" if shown.of_errors else spoken(side.image) if several else ""
        titles.append(", ".join(filter(None, (of_slot, shows))))
    return titles


def _question(session: Session, side: _Side | None) -> FigureQuestion | None:
    """Return the result to compare with truth if an image shows it or its errors; else None."""
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
    """Return the colour bars and legend of a picture, even if the window hides them."""
    if not picture.legend:
        return picture.bars, ()
    heading, entries = _heading(session, cell), picture.legend
    if len(cell.names) == 2:
        own = dict(zip(("only A has a value", "only B"), cell.names, strict=True))
        entries = tuple((f"only {own[n]}" if n in own else n, color) for n, color in entries)
    return picture.bars, (ColorKey(heading, entries),)


def _heading(session: Session, cell: FigureCell) -> str:
    mixing = session.state.mixing
    if not mixing.alone and mixing.mode != "side-by-side":
        return f"difference {cell.title}" if cell.names else spoken(mixing.mode).replace("-", " ")
    shown = session.b.shown if mixing.alone == "b" else session.a.shown
    if shown and shown.of_errors and shown.judged:
        return f"errors in px ({shown.judged.title})"
    return spoken(shown.view.name) if shown else ""
