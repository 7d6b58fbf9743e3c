"""The cameras that a calibration file describes, and the choice of two among several cameras."""

from collections.abc import Sequence
from dataclasses import dataclass

from wheatstone.viewer.io.cameras.calibration import Calibration
from wheatstone.viewer.io.cameras.rig import Rig

Size = tuple[int, int]
"""Width and height in pixels."""
Pair = tuple[int, int]
"""The numbers of the left and the right camera in a file."""
METRES = {"mm": 1e-3, "cm": 1e-2, "m": 1.0}
"""Length in metres of each unit that a file may use."""
MOST_NAMED = 12


@dataclass(frozen=True, eq=False)
class FileContent:
    """The two cameras that calibration files describe: a rectified pair or a rig.

    Attributes:
        cameras: a rectified pair, or a rig; its lengths are the numbers in the file.
        size: width and height of the images; None if it is not known. A rig has its own.
        unit: of these lengths in this format, unless the file or the user names another one.
        remarks: what was assumed or contradicts itself, for the user.
    """

    cameras: Calibration | Rig
    size: Size | None = None
    unit: str = "m"
    remarks: tuple[str, ...] = ()


def two_of(known: Sequence[int], chosen: Pair | None) -> Pair:
    """Choose the numbers of the left and the right camera in a file that may have several.

    Args:
        known: the numbers in the file.
        chosen: by the user; None: the file must have exactly two.

    Raises:
        ValueError: a chosen camera is not in the file, or a choice is needed.
    """
    numbers = sorted(known)
    listed = ", ".join(map(str, numbers[:MOST_NAMED])) + ", ..." * (len(numbers) > MOST_NAMED)
    if chosen:
        if absent := [number for number in chosen if number not in numbers]:
            raise ValueError(f"camera {absent[0]} is not in the file (it has {listed})")
        return chosen
    if len(numbers) < 2:
        raise ValueError("two cameras are needed, and the file has one")
    if len(numbers) > 2:
        raise ValueError(
            f"the file has cameras {listed}: choose the left and the right one, "
            f"such as cameras {numbers[0]},{numbers[1]}"
        )
    return numbers[0], numbers[1]


def is_central(principal: tuple[float, float], size: Size) -> bool:
    """Return whether a principal point lies in the middle half of images, along both sides."""
    return all(
        side / 4 <= place + 0.5 <= side * 3 / 4 for place, side in zip(principal, size, strict=True)
    )


def one_size(sizes: Sequence[Size | None], names: Sequence[str]) -> Size | None:
    """Return the common image size of two cameras; None if no size is known.

    Raises:
        ValueError: the sizes differ.
    """
    first, second = sizes
    if first and second and first != second:
        raise ValueError(
            f"{names[0]} and {names[1]} must have one resolution (got {first} and {second})"
        )
    return first or second
