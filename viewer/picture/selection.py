"""Save the choices that decide which images are computed, to restore them after a failure."""

from dataclasses import dataclass, replace
from typing import Self

from wheatstone.gpu.pipeline import View
from wheatstone.viewer.choices.state import ViewerState
from wheatstone.viewer.run.run import Run


@dataclass(frozen=True)
class Selection:
    """The choices of a state that decide which images are computed: both slots and their mix.

    Attributes:
        watched: the stage in slow motion, and the path that it follows.
    """

    slot: Run
    view: View
    b: Run | None
    linked: bool
    mode: str
    frozen: int | None
    check: bool
    watched: tuple[str, int]

    @classmethod
    def of(cls, state: ViewerState) -> Self:
        """Save the choices of a state."""
        mixing = state.mixing
        mixed = mixing.mode, mixing.frozen, mixing.check
        watched = state.unfolding.stage, state.unfolding.path
        return cls(state.slot, state.view, state.b, state.linked, *mixed, watched)

    def restore(self, state: ViewerState) -> None:
        """Restore the saved choices in a state."""
        state.slot, state.b, state.linked = self.slot, self.b, self.linked
        state.set_view(self.slot.pipeline, self.view.name)
        state.mix(mode=self.mode, frozen=self.frozen, check=self.check)
        stage, path = self.watched
        state.unfolding = replace(state.unfolding, stage=stage, path=path)
