"""The panes of a picture that a session shows: pixels one to one, colours explained, metrics."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from viewer.choices.judging import is_disparity
from viewer.choices.words import spoken
from viewer.figures.plan import FigureCell, MeasuredVariant
from viewer.frames.figures import FigureQuestion, Figures, figures
from viewer.frames.runner import Runner
from viewer.frames.session import Session
from viewer.picture.colorbar import Colorbar
from viewer.picture.layout import natural_size
from viewer.picture.legend import Entry
from viewer.picture.panes import Picture

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
        figures: the metrics of the result; None where none are told.
        convention: the one that it was judged by.
        bars, keys: what its colours mean.
    """

    title: str
    pixels: Pixels | None = None
    why: str = ""
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
    picture = session.drawing.picture
    images = _images(session, picture)
    sides = list(_sides(session, len(images)))
    titles = _titles(cell.title, sides)
    bars, keys = _explained(session, picture, cell)
    panes = zip(titles, images, sides, strict=True)
    return tuple(
        FigurePane(
            title,
            pixels,
            figures=_figures(session, *side) if cell.tells else None,
            convention=session.state.truth.convention,
            measured=cell.measured,
            bars=bars,
            keys=keys,
        )
        for title, pixels, side in panes
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


def _sides(session: Session, count: int) -> Iterator[tuple[Runner | None, str, str]]:
    """List for every pane the slot that it is of, the slot's letter, and the image shown.

    What mixes two slots is of none.
    """
    mixing, slots = session.state.mixing, {"a": session.a, "b": session.b}
    letters = mixing.alone or ("ab" if mixing.mode == "side-by-side" else "")
    if not letters:
        yield from [(None, "", "")] * count
    for letter in letters:
        runner, shown = slots[letter], slots[letter].shown
        names = shown.view.panes if shown else ()
        for name in names[:1] if shown and shown.view.one_cell else names:
            yield runner, letter if len(letters) > 1 else "", name


def _titles(title: str, sides: list[tuple[Runner | None, str, str]]) -> list[str]:
    """Name the panes: one by the cell's title, several by slot and image."""
    if len(sides) == 1:
        return [title]
    found = []
    for runner, letter, name in sides:
        shown = runner.shown if runner else None
        of_slot = f"{letter.upper()}: {shown.slot.name}" if letter and shown else ""
        several = not letter or (shown is not None and len(shown.view.panes) > 1)
        image = (title if shown and shown.view.one_cell else spoken(name)) if several else ""
        found.append(", ".join(filter(None, (of_slot, image))) or title)
    return found


def _figures(session: Session, runner: Runner | None, letter: str, name: str) -> Figures | None:
    """Judge the result that a pane shows, or whose errors it shows; None for any other image."""
    shown = runner.shown if runner else None
    if not runner or not shown or name != shown.slot.pipeline.output or shown.temporal:
        return None
    image = shown.slot.pipeline.image(name)
    if not is_disparity(image) or (shown.judged and not shown.of_errors):
        return None
    copy, choice = session.latest.image(runner, name), session.state.truth.judging
    if not copy:
        return None
    return figures(FigureQuestion(copy.values, image, shown.slot.params, copy.frame, choice))


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
