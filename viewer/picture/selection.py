"""What of a state decides whether a frame can be computed: to come back to what could."""

from dataclasses import dataclass
from typing import Self

from gpu.pipeline import View
from viewer.choices.slot import Slot
from viewer.choices.state import ViewerState


@dataclass(frozen=True)
class Selection:
    """The slots, and how they are seen; all else is looks, or time."""

    slot: Slot
    view: View
    b: Slot | None
    linked: bool
    mode: str
    frozen: int | None
    check: bool

    @classmethod
    def of(cls, state: ViewerState) -> Self:
        """What a state chooses."""
        mixing = state.mixing
        mixed = mixing.mode, mixing.frozen, mixing.check
        return cls(state.slot, state.view, state.b, state.linked, *mixed)

    def restore(self, state: ViewerState) -> None:
        """Choose it again."""
        state.slot, state.b, state.linked = self.slot, self.b, self.linked
        state.views[self.slot.pipeline.name] = self.view.name
        state.mix(mode=self.mode, frozen=self.frozen, check=self.check)
