"""The model card of a stereo network: the description in a document next to its file."""

from dataclasses import dataclass
from typing import Literal

Order = Literal["rgb", "bgr", "grey"]
Layout = Literal["nchw", "nhwc"]
MOST_SIDE = 8192
"""Most rows or columns of a network's input."""
MOST_MULTIPLE = 1024
SMALLEST, LARGEST = 1e-9, 1e9  # of a number, which arithmetic of 32 bits can hold


@dataclass(frozen=True)
class ModelCard:
    """The description of a stereo network: its inputs and outputs.

    Attributes:
        inputs: names of the inputs: left, right; or one that takes both views, the left one's
            channels first.
        output: name of the output that holds disparities.
        order: channels of a view: ``rgb``, ``bgr`` or ``grey``.
        range: the values that black and white become, before ``mean`` and ``std``.
        mean: subtracted from each channel, in its order; empty: nothing.
        std: each channel is divided by it after that; empty: by nothing.
        layout: ``nchw``: channels before rows; ``nhwc``: after columns.
        size: height and width to which views are resized; empty: that of the file where it has
            one, otherwise that of the views.
        multiple: height and width of a view are padded to a multiple of it.
        channel: the channel of the output that holds disparities, from 0.
        sign: 1, or -1 where a match further left is a negative number.
        scale: factor to pixels of the network's input.
        confidence: name of an output with a confidence for each pixel; empty: none.
        least_confidence: pixels of less confidence are invalid.
        licence: of the weights, in words.
        source: where the weights are from, in words.
    """

    inputs: tuple[str, ...]
    output: str
    order: Order = "rgb"
    range: tuple[float, float] = (0.0, 255.0)
    mean: tuple[float, ...] = ()
    std: tuple[float, ...] = ()
    layout: Layout = "nchw"
    size: tuple[int, ...] = ()
    multiple: int = 1
    channel: int = 0
    sign: int = 1
    scale: float = 1.0
    confidence: str = ""
    least_confidence: float = 0.0
    licence: str = ""
    source: str = ""

    def __post_init__(self) -> None:
        """Raise ``ValueError`` if a value is impossible."""
        if not 1 <= len(self.inputs) <= 2 or len({*self.inputs}) < len(self.inputs):
            raise ValueError(f"inputs must be one or two names (got {list(self.inputs)})")
        for name in ("mean", "std"):
            if len(values := getattr(self, name)) not in (0, self.channels):
                raise ValueError(f"{name} must have {self.channels} numbers (got {len(values)})")
        if not all(SMALLEST <= value <= LARGEST for value in (*self.std, self.scale)):
            raise ValueError(
                f"std and scale must be in [{SMALLEST:g}, {LARGEST:g}] "
                f"(got {list(self.std)} and {self.scale})"
            )
        if self.sign not in (1, -1):
            raise ValueError(f"sign must be 1 or -1 (got {self.sign})")
        numbers = (*self.range, *self.mean, self.least_confidence)
        if not all(-LARGEST <= number <= LARGEST for number in numbers):
            raise ValueError(f"numbers must be in [{-LARGEST:g}, {LARGEST:g}] (got {numbers})")
        if len(self.size) not in (0, 2) or not all(1 <= side <= MOST_SIDE for side in self.size):
            raise ValueError(f"size must be height and width, 1 to {MOST_SIDE} each")
        if not 1 <= self.multiple <= MOST_MULTIPLE:
            raise ValueError(f"multiple must be in [1, {MOST_MULTIPLE}] (got {self.multiple})")
        if not 0 <= self.channel < MOST_MULTIPLE:
            raise ValueError(f"channel must be in [0, {MOST_MULTIPLE}) (got {self.channel})")

    @property
    def channels(self) -> int:
        """Number of channels of a view that the network takes."""
        return 1 if self.order == "grey" else 3
