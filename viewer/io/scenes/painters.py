"""Painters: functions that paint the textures of the built-in scenes.

Every painter returns (side, side, 3) colours in [0, 1] that tile seamlessly.
"""

from collections.abc import Sequence

import numpy as np

from wheatstone.viewer.io.scenes.textures import (
    Colour,
    Field,
    Painter,
    chips,
    grid,
    ramp,
    ranks,
    value_noise,
)


def _shade(colours: Field, random: np.random.Generator, amount: float) -> Field:
    """Modulate brightness by fine noise, so that there is structure to match at every scale."""
    noise = value_noise(colours.shape[0], random, 8, 0.75)
    return colours * (1 + np.float32(1.7 * amount) * (noise[..., None] - np.float32(0.5)))


def cloudy(
    colours: Sequence[Colour], amount: float = 0.35, lowest: int = 4, gain: float = 0.55
) -> Painter:
    """Create a painter of noise in several colours, as of stone, grass or leaves."""

    def painter(side: int, random: np.random.Generator) -> Field:
        return _shade(ramp(ranks(value_noise(side, random, lowest, gain)), colours), random, amount)

    return painter


def plain(colour: Colour) -> Painter:
    """Make a painter of plaster with almost no structure: noise of a few grey levels."""
    low, high = (tuple(part * factor for part in colour) for factor in (0.975, 1.025))
    return cloudy(((low[0], low[1], low[2]), (high[0], high[1], high[2])), 0.02)


def even(colour: Colour) -> Painter:
    """Make a painter of a painted wall: stains of one grey level, many texels wide."""
    low, high = (tuple(part * factor for part in colour) for factor in (0.9975, 1.0025))
    stains = (low[0], low[1], low[2]), (high[0], high[1], high[2])

    def painter(side: int, random: np.random.Generator) -> Field:
        return ramp(value_noise(side, random, 8, 0.3), stains)

    return painter


def terrazzo(ground: Colour, colours: Sequence[Colour], cells: int = 20) -> Painter:
    """Create a painter of stone chips on a ground of one colour."""

    def painter(side: int, random: np.random.Generator) -> Field:
        tile = np.broadcast_to(np.asarray(ground, np.float32), (side, side, 3))
        for count in (cells, cells * 3):
            chip, border = chips(side, random, count)
            shown = (border > 0.12) & (chip < 0.72)
            tile = np.where(shown[..., None], ramp(chip / np.float32(0.72), colours), tile)
        return _shade(tile, random, 0.22)

    return painter


def bricks(mortar: Colour, colours: Sequence[Colour], rows: int, columns: int) -> Painter:
    """Make a painter of bricks, boards or tiles, each with its own colour."""

    def painter(side: int, random: np.random.Generator) -> Field:
        brick, _, _, joint = grid(side, rows, columns, 0.5)
        own = random.random(rows * columns).astype(np.float32)[brick]
        stone = ramp(np.clip(own * 0.8 + value_noise(side, random, 8) * 0.2, 0, 1), colours)
        part = np.clip((joint - 0.03) / 0.05, 0, 1)[..., None]
        return _shade(part * stone + (1 - part) * np.asarray(mortar, np.float32), random, 0.4)

    return painter


def boards(colours: Sequence[Colour], count: int) -> Painter:
    """Create a painter of wooden boards along the texture's t axis, with grain."""

    def painter(side: int, random: np.random.Generator) -> Field:
        board, _, _, joint = grid(side, 1, count)
        own = random.random(count).astype(np.float32)[board]
        stretched = value_noise(side, random, 8, 0.8)[np.arange(side) // 8]
        wood = ramp(np.clip(own * 0.5 + stretched * 0.5, 0, 1), colours)
        return _shade(wood * np.clip(joint * count * 12, 0.35, 1)[..., None], random, 0.3)

    return painter


def checks(light: Colour, dark: Colour, count: int) -> Painter:
    """Make a painter of equal checks, which are hard to match because they are periodic."""

    def painter(side: int, random: np.random.Generator) -> Field:
        number, _, _, joint = grid(side, count, count)
        odd = (number // count + number % count) % 2
        tile = np.where(
            odd[..., None] == 1, np.asarray(light, np.float32), np.asarray(dark, np.float32)
        )
        return _shade(tile * np.clip(joint * 12, 0.7, 1)[..., None], random, 0.03)

    return painter


def bands(colours: Sequence[Colour], count: int) -> Painter:
    """Make a painter of wavy bands, as on a painted ball; the colours repeat ``count`` times."""

    def painter(side: int, random: np.random.Generator) -> Field:
        warp = ranks(value_noise(side, random, 2, 0.45)) * np.float32(1.2)
        place = ((np.arange(side, dtype=np.float32) + np.float32(0.5)) / side * count)[:, None]
        band = np.floor((place + warp) * len(colours)).astype(np.int64) % len(colours)
        return _shade(np.asarray(colours, np.float32)[band], random, 0.3)

    return painter
