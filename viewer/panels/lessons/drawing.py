"""Drawings of lessons over the picture, such as the pixels that the threads of a GPU read.

A drawing is made for a moment, from 0 to 1, so that it can move: by the clock in a window, picture
by picture in a film.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from wheatstone.gpu.analysis import memory_access
from wheatstone.gpu.analysis.kernel_facts import WARP, KernelFacts
from wheatstone.gpu.parameters import did_you_mean
from wheatstone.gpu.pipelines.sgm.params import SgmParams
from wheatstone.viewer.panels.lessons.facts.subject import FactSubject, Unknown, check_word

WORK, READ, DONE = "work", "read", "done"
"""The role of a shape: working now, being read now, or already done."""
MOST_BOXES = 2000  # blocks that are drawn one by one; of more, the area that they cover


@dataclass(frozen=True)
class BoxShape:
    """A rectangle drawn by a lesson, in image pixels: an outline, or a thinly coloured area."""

    x: float
    y: float
    width: float
    height: float
    ink: str
    filled: bool = False


@dataclass(frozen=True)
class LineShape:
    """A line drawn by a lesson between two image positions, (column, row) each."""

    begin: tuple[float, float]
    end: tuple[float, float]
    ink: str


@dataclass(frozen=True)
class ShapeDrawing:
    """The shapes of a lesson's drawing over the picture, with a description in one line."""

    shapes: tuple[BoxShape | LineShape, ...]
    description: str


def _place(moment: float, count: int) -> int:
    """Return the index of the item that an animation shows at a position, 0 to 1, of its time."""
    return min(int(moment * count), count - 1)


def _block_of_pixels(about: FactSubject, facts: KernelFacts) -> tuple[int, int]:
    """Return the columns and rows of pixels that a thread block computes.

    Raises ``Unknown`` if the blocks do not cover rectangles of the picture.
    """
    height, width = about.size
    if len(facts.block) > 1:
        return facts.block[0], facts.block[1]
    if facts.grids[-1] == (width, height):
        return 1, 1
    raise Unknown(f"the blocks of {facts.kernel.name} lie along paths, not over the picture")


def _blocks(about: FactSubject, moment: float, variant: str, stage: str) -> ShapeDrawing:
    facts = about.launch(variant, stage)
    columns, rows = _block_of_pixels(about, facts)
    height, width = about.size
    across, down = -(-width // columns), -(-height // rows)
    now = _place(moment, across * down)
    row, column = divmod(now, across)
    shapes: list[BoxShape | LineShape] = [
        BoxShape(0, 0, width, row * rows, DONE, filled=True)
    ] * bool(row)
    shapes += [BoxShape(0, row * rows, column * columns, rows, DONE, filled=True)] * bool(column)
    if across * down <= MOST_BOXES:
        lines = [LineShape((x * columns, 0), (x * columns, height), DONE) for x in range(1, across)]
        shapes += lines + [
            LineShape((0, y * rows), (width, y * rows), DONE) for y in range(1, down)
        ]
    shapes.append(BoxShape(column * columns, row * rows, columns, rows, WORK))
    threads = " x ".join(map(str, facts.block))
    description = f"Block {now + 1} of {across * down}: {threads} threads. "
    each = "a thread for each pixel" if len(facts.block) > 1 else "a thread for each disparity"
    return ShapeDrawing(
        tuple(shapes), f"{description}Every block is {columns} x {rows} pixels, {each}."
    )


def _own_block(about: FactSubject, facts: KernelFacts) -> tuple[int, int, int, int]:
    """Return the thread block of the chosen pixel: its first column and row, and its size."""
    columns, rows = _block_of_pixels(about, facts)
    row, column = about.place
    return column // columns * columns, row // rows * rows, columns, rows


def _tile(about: FactSubject, moment: float, variant: str, stage: str) -> ShapeDrawing:
    """Draw the thread block of the chosen pixel, and the tile of pixels that it loads first."""
    facts = about.launch(variant, stage)
    if memory_access.memory_of(about.variant(variant), stage) != "shared":
        raise Unknown(f"{variant} fills no tile for {stage}")
    if "shared" not in facts.kernel.name:
        raise Unknown(f"no tile fits here: {facts.kernel.name} runs, which has none")
    x, y, columns, rows = _own_block(about, facts)
    height, width = memory_access.tile(stage, about.slot.params, facts.block)
    left, top = x - (width - columns) // 2, y - (height - rows) // 2
    loads = [(i, j) for j in range(0, height, rows) for i in range(0, width, columns)]
    now = _place(moment, len(loads))
    boxes = [
        BoxShape(
            left + i, top + j, min(columns, width - i), min(rows, height - j), ink, filled=True
        )
        for (i, j), ink in zip(loads[: now + 1], [DONE] * now + [READ], strict=True)
    ]
    frame = (BoxShape(left, top, width, height, READ), BoxShape(x, y, columns, rows, WORK))
    description = (
        f"Load {now + 1} of {len(loads)}: the block's {columns} x {rows} threads fill a tile of "
    )
    asked = columns * rows * memory_access.window_pixels(stage, about.slot.params)
    description += f"{width} x {height} pixels, {width * height} reads instead of {asked}."
    return ShapeDrawing((*boxes, *frame), description)


def _warp(about: FactSubject, moment: float, variant: str, stage: str) -> ShapeDrawing:
    """Draw a warp of the chosen pixel's block, and the pixels of its successive reads."""
    facts = about.launch(variant, stage)
    x, y, columns, _ = _own_block(about, facts)
    if len(facts.block) < 2:
        raise Unknown("the threads of a warp work on disparities of one pixel")
    across = min(columns, WARP)
    down = WARP // across
    first = y + (about.place[0] - y) // down * down
    offsets = _offsets(stage, about)
    now = _place(moment, len(offsets))
    dy, dx = offsets[now]
    boxes = [BoxShape(x + c, first, 1, down, WORK) for c in range(across)]
    read = BoxShape(x + dx, first + dy, across, down, READ, filled=True)
    description = f"Read {now + 1} of {len(offsets)}: each of the warp's {WARP} threads reads "
    description += f"{_relative(dy, dx)}{_cost(about, variant, stage, dx)}."
    return ShapeDrawing((*boxes, read, BoxShape(x, first, across, down, WORK)), description)


def _relative(dy: int, dx: int) -> str:
    """Describe the position of a read pixel relative to the thread's own pixel."""
    rows = f"{abs(dy)} {'above' if dy < 0 else 'below'}" if dy else ""
    columns = f"{abs(dx)} to the {'left' if dx < 0 else 'right'}" if dx else ""
    place = " and ".join(filter(None, (rows, columns)))
    return f"the pixel {place}" if place else "its own pixel"


def _offsets(stage: str, about: FactSubject) -> list[tuple[int, int]]:
    """List the offsets (row, column) of a window's pixels from its centre, row by row."""
    rows, columns = memory_access.reach(stage, about.slot.params)
    return [(dy, dx) for dy in range(-rows, rows + 1) for dx in range(-columns, columns + 1)]


def _cost(about: FactSubject, variant: str, stage: str, shift: int) -> str:
    """Describe one read by a warp: bytes and sectors of global memory, else the memory used."""
    memory = memory_access.memory_of(about.variant(variant), stage)
    if memory in ("texture", "shared", "constant"):
        return f", through {memory} memory" if memory != "texture" else ", through a texture"
    _, count, nbytes = memory_access.warp_sectors(about.setup(variant), stage, shift)
    return f": {nbytes} bytes in {count} sector{'s' * (count > 1)} of {memory_access.SECTOR} bytes"


def _window(about: FactSubject, moment: float, stage: str) -> ShapeDrawing:
    row, column = about.place
    rows, columns = memory_access.reach(stage, about.slot.params)
    size = 2 * columns + 1, 2 * rows + 1
    box = BoxShape(column - columns, row - rows, *size, READ)
    description = (
        f"The window is {size[0]} x {size[1]} pixels; the pixel in its middle is computed."
    )
    return ShapeDrawing((box, BoxShape(column, row, 1, 1, WORK)), description)


def _paths(about: FactSubject, moment: float) -> ShapeDrawing:
    params, (row, column) = about.slot.params, about.place
    if not isinstance(params, SgmParams):
        raise Unknown(f"{about.pipeline.name} has no paths")
    height, width = about.size
    shapes: list[BoxShape | LineShape] = []
    for dx, dy in params.directions:
        steps = min(
            column if dx > 0 else width - 1 - column if dx < 0 else height + width,
            row if dy > 0 else height - 1 - row if dy < 0 else height + width,
        )
        begin = column - steps * dx + 0.5, row - steps * dy + 0.5
        done = moment * steps
        end = begin[0] + done * dx, begin[1] + done * dy
        shapes.append(LineShape(begin, (column + 0.5, row + 0.5), DONE))
        shapes += [LineShape(begin, end, READ), BoxShape(end[0] - 0.5, end[1] - 0.5, 1, 1, WORK)]
    count = len(params.directions)
    description = f"{count} path{'s run' if count > 1 else ' runs'} from the border to the pixel"
    description += f", {moment:.0%} so far."
    return ShapeDrawing(tuple(shapes), description)


@dataclass(frozen=True)
class _Kind:
    """The declaration of a kind of lesson drawing: function, kinds of arguments, and seconds."""

    draw: Callable[..., ShapeDrawing]
    takes: tuple[str, ...] = ()
    seconds: float = 6.0


KINDS: Mapping[str, _Kind] = {
    "blocks": _Kind(_blocks, ("VARIANT", "STAGE"), 12.0),
    "tile": _Kind(_tile, ("VARIANT", "STAGE"), 4.0),
    "warp": _Kind(_warp, ("VARIANT", "STAGE"), 12.0),
    "window": _Kind(_window, ("STAGE",)),
    "paths": _Kind(_paths),
}
"""The kinds of drawings of a lesson, by name."""


def check_drawing(words: tuple[str, ...]) -> None:
    """Raise ``ValueError`` unless the words are the name of a lesson drawing and its arguments."""
    if not words or words[0] not in KINDS:
        like = did_you_mean(words[0], KINDS) if words else ""
        raise ValueError(f"draw takes one of {', '.join(KINDS)}{like}")
    takes = KINDS[words[0]].takes
    if len(words) != 1 + len(takes):
        raise ValueError(f"draw {words[0]} takes {' '.join(takes) or 'no words'}")
    for kind, word in zip(takes, words[1:], strict=True):
        check_word(kind, word)


def seconds_of(words: tuple[str, ...]) -> float:
    """Return the duration in seconds of a drawing that moves."""
    return KINDS[words[0]].seconds


def drawing(words: tuple[str, ...], about: FactSubject, moment: float) -> ShapeDrawing:
    """Build a drawing at a position, 0 to 1, of its animation; if impossible, give the reason."""
    try:
        return KINDS[words[0]].draw(about, moment, *words[1:])
    except ValueError as reason:
        message = str(reason)
        return ShapeDrawing((), f"{message[:1].upper()}{message[1:]}.")
