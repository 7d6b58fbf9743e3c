"""The kernel card as plain data: the code of one step of a variant, or of two side by side."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from wheatstone.gpu.analysis.kernel_facts import KernelFacts
from wheatstone.gpu.execution import check_fit
from wheatstone.gpu.kernels.kernel import Dim
from wheatstone.gpu.pipeline import Variant
from wheatstone.gpu.steps import on_demand
from wheatstone.viewer.choices.panel_choices import NOBODY, KernelChoice
from wheatstone.viewer.panels.kernels.kernel_parts import CodePart, counterpart, parts
from wheatstone.viewer.panels.kernels.side_by_side import LinePair, side_by_side

if TYPE_CHECKING:
    from wheatstone.viewer.choices.state import ViewerState
    from wheatstone.viewer.run.run import Run


@dataclass(frozen=True)
class CardSide:
    """One side of the card: a variant, all its parts, and the part whose code is shown."""

    variant: Variant
    parts: tuple[CodePart, ...]
    part: CodePart

    def with_facts(self, facts: KernelFacts) -> "CardSide":
        """Copy this side with new facts about its kernel."""
        return replace(self, part=replace(self.part, facts=facts))


@dataclass(frozen=True)
class Card:
    """The contents of the card: one side alone, or two side by side.

    Attributes:
        right: None if the left side stands alone.
        rows: the lines of code.
        entry: index of the row where the part on the left begins.
        compared: whether differences are marked.
        longest: characters of the longest line.
    """

    left: CardSide
    right: CardSide | None
    rows: tuple[LinePair, ...]
    entry: int
    compared: bool
    longest: int


def card(left: CardSide, right: CardSide | None, whole: bool) -> Card:
    """Arrange the code of one or two sides in rows.

    Args:
        whole: whether to show whole files, not only the lines that the parts use.
    """
    ours = left.part.listing(whole)
    if right is None:
        rows = tuple(LinePair(line, None) for line in ours.lines)
        return Card(left, None, rows, ours.entry, False, ours.longest)
    theirs = right.part.listing(whole)
    rows = side_by_side(ours, theirs)
    entry = next(i for i, row in enumerate(rows) if row.left is ours.lines[ours.entry])
    compared = ours.language == theirs.language
    return Card(left, right, rows, entry, compared, max(ours.longest, theirs.longest))


def named(found: Sequence[CodePart], name: str, default: CodePart | None) -> CodePart:
    """Return the part of this name; without one, the default or else the first part."""
    return next((part for part in found if part.name == name), default or found[0])


def chosen_slots(state: "ViewerState") -> "tuple[Run, Run | None]":
    """Choose the slots whose code is shown on the left and on the right.

    The user's choice for the card comes first, then the slots on screen.
    """
    choice, left, right = state.kernel_card, state.slot, None
    names = [variant.name for variant in left.pipeline.variants]
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
    """Read the code of one or two slots into a card.

    Args:
        choice: which part is read on either side, and how much of it.
        size: height and width of the source.
        wanted: images on screen.

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
    """List the parts of a slot's variant, including those that the wanted images need."""
    seldom = on_demand(slot.pipeline, slot.declaration)
    own = [name for name in wanted if name in seldom]
    return parts(slot.pipeline, slot.declaration, slot.params, *size, own)


UNKNOWN = "-"

COLUMNS = (
    "launches",
    "grid, blocks",
    "block, threads",
    "registers",
    "shared a block",
    "local a thread",
    "constant",
    "occupancy",
)
"""The headings of the values that ``cells`` lists."""


def cells(part: CodePart) -> tuple[str, ...]:
    """List the facts about a kernel, a text for each of ``COLUMNS``; dashes for unknown ones."""
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
    """Format the grid of a kernel's launches, or the smallest and the largest grid."""
    ordered = sorted(set(grids), key=math.prod)
    if len(ordered) == 1:
        return _product(ordered[0])
    return f"{_product(ordered[0])} .. {_product(ordered[-1])}"


def _product(dim: Dim) -> str:
    """Format a grid's or a block's sides and their product, without trailing sides of 1."""
    while len(dim) > 1 and dim[-1] == 1:
        dim = dim[:-1]
    text = " x ".join(map(str, dim))
    return text if len(dim) == 1 else f"{text} = {math.prod(dim)}"


def built_with(part: CodePart) -> str:
    """List the options that a kernel is compiled with; empty for a part that is not a kernel."""
    return " ".join(part.facts.kernel.options) if part.facts else ""


def notes(card: Card, absent: str) -> list[str]:
    """List how kernels were compiled, and why facts are unknown or sources not compared.

    Args:
        absent: why there is no GPU; empty if there is one.
    """
    sides = [side for side in (card.left, card.right) if side]
    options = {side.variant.name: built_with(side.part) for side in sides}
    if len(options) == 2 and len(set(options.values())) == 1:
        options = {"both": options[card.left.variant.name]}
    lines = [f"{name}: {text}" for name, text in options.items() if text]
    if absent and any(side.part.facts for side in sides):
        lines.append(f"Registers, memory and occupancy need a GPU: {absent}.")
    if card.right and not card.compared:
        lines.append("Two languages: the sources stand beside each other uncompared.")
    return lines
