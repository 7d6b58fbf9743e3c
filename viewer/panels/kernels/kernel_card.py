"""The contents of the kernel panel: the code of a variant, or of two variants side by side."""

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from itertools import zip_longest
from typing import TYPE_CHECKING, Literal

from wheatstone.gpu.analysis.kernel_facts import KernelFacts
from wheatstone.gpu.execution import check_fit
from wheatstone.gpu.kernels.kernel import Dim
from wheatstone.gpu.pipeline import Variant
from wheatstone.gpu.steps import Setup, on_demand
from wheatstone.viewer.choices.panel_choices import NOBODY, KernelChoice
from wheatstone.viewer.panels.kernels.kernel_parts import CodePart, counterpart, parts
from wheatstone.viewer.panels.kernels.listing import Listing, ListingLine

if TYPE_CHECKING:
    from wheatstone.viewer.choices.state import ViewerState
    from wheatstone.viewer.run.run import Run

ALIKE = 0.5  # share of common names from which two lines are one that was changed
_NAME = re.compile(r"\w+")


@dataclass(frozen=True)
class LinePair:
    """Two lines of code side by side, or a single line without a counterpart.

    Attributes:
        mark: blank: the same, or an empty line; ``~``: changed; ``-``: on the left only; ``+``: on
            the right only.
    """

    left: ListingLine | None
    right: ListingLine | None
    mark: Literal[" ", "~", "-", "+"] = " "


def side_by_side(left: Listing, right: Listing) -> tuple[LinePair, ...]:
    """Align two listings side by side, with equal lines in one row.

    Listings in different languages are not compared: their functions begin in the same row.
    """
    if left.language != right.language:
        entry = max(left.entry, right.entry)
        shifted = ((*[None] * (entry - one.entry), *one.lines) for one in (left, right))
        return tuple(LinePair(a, b) for a, b in zip_longest(*shifted))
    ours, theirs = ([line.text for line in listing.lines] for listing in (left, right))
    rows: list[LinePair] = []
    for kind, a, b, c, d in SequenceMatcher(None, ours, theirs, autojunk=False).get_opcodes():
        mine, others = left.lines[a:b], right.lines[c:d]
        if kind == "equal":
            rows += [LinePair(one, other) for one, other in zip(mine, others, strict=True)]
        else:
            rows += _paired(mine, others)
    return tuple(rows)


def _paired(left: Sequence[ListingLine], right: Sequence[ListingLine]) -> Iterator[LinePair]:
    """Pair similar lines of two listings in order, so that their total similarity is highest."""
    mine, others = ([set(_NAME.findall(line.text)) for line in one] for one in (left, right))
    best = [[0.0] * (len(right) + 1) for _ in range(len(left) + 1)]  # of the lines from i and j on
    for i in reversed(range(len(left))):
        for j in reversed(range(len(right))):
            pair = _likeness(mine[i], others[j]) + best[i + 1][j + 1]
            best[i][j] = max(best[i + 1][j], best[i][j + 1], pair)
    i = j = 0
    while i < len(left) or j < len(right):
        if i < len(left) and best[i][j] == best[i + 1][j]:
            yield LinePair(left[i], None, "-" if left[i].text.strip() else " ")
            i += 1
        elif j < len(right) and best[i][j] == best[i][j + 1]:
            yield LinePair(None, right[j], "+" if right[j].text.strip() else " ")
            j += 1
        else:
            yield LinePair(left[i], right[j], "~")
            i, j = i + 1, j + 1


def _likeness(one: set[str], other: set[str]) -> float:
    """Compute the share of names that two lines have in common; 0 if it is below ``ALIKE``."""
    share = len(one & other) / max(len(one | other), 1)
    return share if share >= ALIKE else 0.0


@dataclass(frozen=True)
class CardSide:
    """One side of the kernel panel: a variant, its kernels or functions, and the one shown."""

    variant: Variant
    parts: tuple[CodePart, ...]
    part: CodePart

    def with_facts(self, facts: KernelFacts) -> "CardSide":
        """Copy this side of the panel with other facts about its kernel."""
        return replace(self, part=replace(self.part, facts=facts))


@dataclass(frozen=True)
class Card:
    """The contents of the kernel panel: one side alone, or two side by side.

    Attributes:
        right: None if the left side stands alone.
        entry: index of the row where the part on the left begins.
        longest: characters of the longest line.
    """

    left: CardSide
    right: CardSide | None
    rows: tuple[LinePair, ...]
    entry: int
    compared: bool
    longest: int


def card(left: CardSide, right: CardSide | None, whole: bool) -> Card:
    """Build the panel's contents from one or two sides; ``whole``: show whole files."""
    ours = left.part.listing(whole)
    if right is None:
        rows = tuple(LinePair(line, None) for line in ours.lines)
        return Card(left, None, rows, ours.entry, False, ours.longest)
    theirs = right.part.listing(whole)
    rows = side_by_side(ours, theirs)
    entry = next(i for i, row in enumerate(rows) if row.left is ours.lines[ours.entry])
    compared = ours.language == theirs.language
    return Card(left, right, rows, entry, compared, max(ours.longest, theirs.longest))


def named(parts_of_slot: Sequence[CodePart], name: str, default: CodePart | None) -> CodePart:
    """Return the kernel or function with a name; without one, ``default``, else the first one."""
    return next((part for part in parts_of_slot if part.name == name), default or parts_of_slot[0])


def chosen_slots(state: "ViewerState") -> "tuple[Run, Run | None]":
    """Choose the runs whose code is shown on the left and on the right.

    The user's choice for the card comes first, then the slots on screen.
    """
    choice, left, right = state.kernel_card, state.slot, None
    names = [variant.name for variant in left.pipeline.offered]
    if choice.left in names:
        left = replace(left, variant=choice.left)
    if choice.right in names:
        right = replace(state.slot, variant=choice.right)
    elif choice.right != NOBODY and state.mixing.uses_b:
        right = state.slot_b
    return left, (None if right == left else right)


def read(
    left: "Run",
    right: "Run | None",
    choice: KernelChoice,
    size: tuple[int, int],
    wanted: Sequence[str] = (),
) -> Card:
    """Read the code of one or two runs for the kernel panel.

    Args:
        choice: which part is read on either side, and how much of it.
        size: height and width of the source.

    Raises:
        ValueError: a variant does not run with these parameters at this size.
    """
    for slot in (left, right):
        if slot:
            check_fit(slot.pipeline, slot.variant, slot.params, *size)
    ours = _parts(left, size, wanted)
    part = named(ours, choice.left_part, None)
    first = CardSide(left.declaration, ours, part)
    if right is None:
        return card(first, None, choice.whole)
    theirs = _parts(right, size, wanted)
    usual = counterpart(part, ours, theirs)
    second = CardSide(right.declaration, theirs, named(theirs, choice.right_part, usual))
    return card(first, second, choice.whole)


def _parts(slot: "Run", size: tuple[int, int], wanted: Sequence[str]) -> tuple[CodePart, ...]:
    """List the kernels or functions of a run's variant, including those for images on demand."""
    seldom = on_demand(slot.pipeline, slot.declaration)
    own = [name for name in wanted if name in seldom]
    if listed := parts(Setup(slot.pipeline, slot.declaration, slot.params, *size), own):
        return listed
    raise ValueError(f"{slot.name} computes nothing")


UNKNOWN = "-"

COLUMNS = (
    "launches",
    "grid, blocks",
    "block, threads",
    "registers",
    "shared per block",
    "local per thread",
    "constant",
    "occupancy",
)
"""The headings of the values that ``cells`` lists."""


def cells(part: CodePart) -> tuple[str, ...]:
    """Format the facts about a kernel, a text for each of ``COLUMNS``; dashes for unknown facts."""
    facts = part.facts
    if facts is None:
        return (UNKNOWN,) * len(COLUMNS)
    launch = (str(len(facts.grids)), _grids(facts.grids), _product(facts.block))
    resources = facts.resources
    if resources is None:
        dynamic = f"{facts.shared} B dynamic" if facts.shared else UNKNOWN
        return (*launch, UNKNOWN, dynamic, *(UNKNOWN,) * 3)
    return (
        *launch,
        str(resources.registers),
        f"{resources.shared} + {facts.shared} B" if facts.shared else f"{resources.shared} B",
        f"{resources.local} B",
        f"{resources.constant} B",
        f"{resources.occupancy:.0%}, {resources.warps} of {resources.most_warps} warps",
    )


def _grids(grids: Sequence[Dim]) -> str:
    """Format the grid of a kernel's launches; for several, the smallest and the largest."""
    ordered = sorted(set(grids), key=math.prod)
    if len(ordered) == 1:
        return _product(ordered[0])
    return f"{_product(ordered[0])} .. {_product(ordered[-1])}"


def _product(dim: Dim) -> str:
    """Format the sides of a grid or block and their product: "32 x 8 = 256".

    Trailing sides of 1 are omitted.
    """
    while len(dim) > 1 and dim[-1] == 1:
        dim = dim[:-1]
    text = " x ".join(map(str, dim))
    return text if len(dim) == 1 else f"{text} = {math.prod(dim)}"


def notes(card: Card, absent: str) -> list[str]:
    """List notes: compiler options, why facts are unknown, and why sources are not compared."""
    sides = [side for side in (card.left, card.right) if side]
    facts = {side.variant.name: side.part.facts for side in sides}
    options = {name: " ".join(f.kernel.options) if f else "" for name, f in facts.items()}
    if len(options) == 2 and len(set(options.values())) == 1:
        options = {"both": options[card.left.variant.name]}
    lines = [f"{name}: {text}" for name, text in options.items() if text]
    if absent and any(side.part.facts for side in sides):
        lines.append(f"Registers, memory and occupancy need a GPU: {absent}.")
    if card.right and not card.compared:
        lines.append("The sources are in two languages: they are not compared.")
    return lines
