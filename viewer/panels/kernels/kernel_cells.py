"""The kernel card's table: what is known of a kernel in a few words."""

import math
from collections.abc import Sequence

from gpu.kernels.kernel import Dim
from viewer.panels.kernels.kernel_card import Card
from viewer.panels.kernels.kernel_parts import CodePart

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
"""Heads of ``cells``."""


def cells(part: CodePart) -> tuple[str, ...]:
    """What is known of a kernel, a value for each of ``COLUMNS``; dashes for what is not."""
    facts = part.facts
    if facts is None:
        return (UNKNOWN,) * len(COLUMNS)
    launch = (str(len(facts.grids)), _grids(facts.grids), _product(facts.block))
    found = facts.resources
    if found is None:
        dynamic = f"{facts.shared} B dynamic" if facts.shared else UNKNOWN
        return (*launch, UNKNOWN, dynamic, *(UNKNOWN,) * 3)
    return (
        *launch,
        str(found.registers),
        f"{found.shared} + {facts.shared} B" if facts.shared else f"{found.shared} B",
        f"{found.local} B",
        f"{found.constant} B",
        f"{found.occupancy:.0%}, {found.warps} of {found.most_warps} warps",
    )


def _grids(grids: Sequence[Dim]) -> str:
    """The grid, or the smallest and the largest one."""
    ordered = sorted(set(grids), key=math.prod)
    if len(ordered) == 1:
        return _product(ordered[0])
    return f"{_product(ordered[0])} .. {_product(ordered[-1])}"


def _product(dim: Dim) -> str:
    """Sides and what they make, without sides of 1 at the end."""
    while len(dim) > 1 and dim[-1] == 1:
        dim = dim[:-1]
    text = " x ".join(map(str, dim))
    return text if len(dim) == 1 else f"{text} = {math.prod(dim)}"


def built_with(part: CodePart) -> str:
    """The compiler's options."""
    return " ".join(part.facts.kernel.options) if part.facts else ""


def notes(found: Card, absent: str) -> list[str]:
    """What there is to say below the table, a line each.

    Args:
        absent: why there is no GPU; empty if there is one.
    """
    sides = [side for side in (found.left, found.right) if side]
    options = {side.variant.name: built_with(side.part) for side in sides}
    if len(options) == 2 and len(set(options.values())) == 1:
        options = {"both": options[found.left.variant.name]}
    said = [f"{name}: {text}" for name, text in options.items() if text]
    if absent and any(side.part.facts for side in sides):
        said.append(f"Registers, memory and occupancy need a GPU: {absent}.")
    if found.right and not found.compared:
        said.append("Two languages: the sources stand beside each other uncompared.")
    return said
