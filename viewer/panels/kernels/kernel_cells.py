"""The kernel card's table: short texts about a kernel's launch and resources."""

import math
from collections.abc import Sequence

from wheatstone.gpu.kernels.kernel import Dim
from wheatstone.viewer.panels.kernels.kernel_card import Card
from wheatstone.viewer.panels.kernels.kernel_parts import CodePart

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
