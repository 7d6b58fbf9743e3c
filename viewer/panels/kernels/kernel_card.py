"""What the kernel card says: the code of one step of a variant, or of two beside each other."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from gpu.analysis.kernel_facts import KernelFacts
from gpu.execution import check_fit
from gpu.pipeline import Variant
from viewer.choices.kernel_card import NOBODY, KernelChoice
from viewer.panels.kernels.kernel_parts import CodePart, counterpart, parts
from viewer.panels.kernels.side_by_side import LinePair, side_by_side

if TYPE_CHECKING:  # the state holds the choice
    from viewer.choices.slot import Slot
    from viewer.choices.state import ViewerState


@dataclass(frozen=True)
class CardSide:
    """One side of the card: a variant, all its parts, and the one that is read."""

    variant: Variant
    parts: tuple[CodePart, ...]
    part: CodePart

    def with_facts(self, facts: KernelFacts) -> "CardSide":
        """The same with more known of the part that is read."""
        return replace(self, part=replace(self.part, facts=facts))


@dataclass(frozen=True)
class Card:
    """What is read; without ``right`` it is one side alone.

    Attributes:
        rows: the lines of both.
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
    """The card of one or two sides."""
    mine = left.part.listing(whole)
    if right is None:
        rows = tuple(LinePair(line, None) for line in mine.lines)
        return Card(left, None, rows, mine.entry, False, mine.longest)
    other = right.part.listing(whole)
    rows = side_by_side(mine, other)
    entry = next(i for i, row in enumerate(rows) if row.left is mine.lines[mine.entry])
    compared = mine.language == other.language
    return Card(left, right, rows, entry, compared, max(mine.longest, other.longest))


def named(found: Sequence[CodePart], name: str, default: CodePart | None) -> CodePart:
    """The part of a name; if there is none the default, or else the first."""
    return next((part for part in found if part.name == name), default or found[0])


def chosen_slots(state: "ViewerState") -> "tuple[Slot, Slot | None]":
    """What is read on the left and on the right, as chosen or as on the screen."""
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
    left: "Slot",
    right: "Slot | None",
    choice: KernelChoice,
    size: tuple[int, int],
    wanted: Sequence[str] = (),
) -> Card:
    """The card of one or two slots.

    Args:
        size: height and width of the source.
        wanted: images on the screen.

    Raises:
        ValueError: a variant does not run with these parameters at this size.
    """
    for slot in (left, right):
        if slot:
            check_fit(slot.pipeline, slot.variant, slot.params, *size)
    ours = _side(left, size, wanted)
    part = named(ours, choice.left_part, None)
    one = CardSide(left.declaration, ours, part)
    if right is None:
        return card(one, None, choice.whole)
    theirs = _side(right, size, wanted)
    answer = counterpart(part, ours, theirs)
    other = CardSide(right.declaration, theirs, named(theirs, choice.right_part, answer))
    return card(one, other, choice.whole)


def _side(slot: "Slot", size: tuple[int, int], wanted: Sequence[str]) -> tuple[CodePart, ...]:
    own = [name for name in wanted if name in slot.pipeline.on_demand]
    return parts(slot.pipeline, slot.declaration, slot.params, *size, own)
