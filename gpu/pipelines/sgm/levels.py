"""The levels (image sizes) of a hierarchical search, and the sizes of their arrays."""

from typing import Any, NamedTuple

from wheatstone.gpu.pipelines.sgm.params import (
    BLOCK_DISPARITIES,
    SEARCH_TILE,
    is_hierarchical,
    lower_range,
    searched_in_full,
)

ALIGNED = 16  # elements: where views of a level begin


class Level(NamedTuple):
    """One level of a hierarchical search: the size of its image and its range of disparities."""

    height: int
    width: int
    first: int
    disparities: int

    @property
    def pixels(self) -> int:
        """Return the number of pixels of the level's image."""
        return self.height * self.width

    @property
    def candidates(self) -> int:
        """Return the number of matching candidates of the level: pixels times disparities."""
        return self.pixels * self.disparities

    @property
    def tiles(self) -> tuple[int, int, int]:
        """Return the number of rows of tiles, of tiles in a row, and of blocks of disparities."""
        rows, columns = -(-self.height // SEARCH_TILE), -(-self.width // SEARCH_TILE)
        return rows, columns, self.disparities // BLOCK_DISPARITIES

    @property
    def view(self) -> int:
        """Return the number of array elements for one view of the level, with padding."""
        return ALIGNED * -(-self.pixels // ALIGNED)


def levels_below(level: Level) -> list[Level]:
    """List the smaller levels (halved images) below a given level, the largest first."""
    height, width, first, disparities = level
    if searched_in_full(height, width, disparities):
        return []
    below = Level(height // 2, width // 2, *lower_range(first, disparities))
    return [below, *levels_below(below)]


def lower_levels(height: int, width: int, params: Any) -> list[Level]:
    """List the levels (reduced images) below the image, largest first; none in a full search."""
    if not is_hierarchical(params):
        return []
    return levels_below(Level(height, width, params.min_disparity, params.disparities))


def lower_views(height: int, width: int, params: Any) -> int:
    """Compute the number of array elements for both views of all reduced images, at least 1."""
    return max(sum(2 * level.view for level in lower_levels(height, width, params)), 1)


def lower_pixels(height: int, width: int, params: Any) -> int:
    """Count the pixels of the largest reduced image of a hierarchical search, at least 1."""
    return max((level.pixels for level in lower_levels(height, width, params)), default=1)


def two_views(height: int, width: int, params: Any) -> int:
    """Count the pixels of both views of a hierarchical search's largest reduced image."""
    return 2 * lower_pixels(height, width, params)


def lower_candidates(height: int, width: int, params: Any) -> int:
    """Count the matching candidates of the largest reduced image, at least 1."""
    return max((level.candidates for level in lower_levels(height, width, params)), default=1)


def lower_blocks(height: int, width: int, params: Any) -> int:
    """Count the blocks of disparities of all tiles of the largest reduced image, at least 1."""
    sizes = (level.tiles for level in lower_levels(height, width, params))
    return max((rows * columns * blocks for rows, columns, blocks in sizes), default=1)
