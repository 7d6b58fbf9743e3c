"""The user's own kernels in a window: each saved state that compiles computes the picture."""

import time
from dataclasses import replace
from typing import TYPE_CHECKING

from wheatstone.gpu.own_kernels.fault import KernelFault
from wheatstone.gpu.own_variants import any_declared, own_variant
from wheatstone.viewer.display.frames.session import Session
from wheatstone.viewer.lazy_import import import_object
from wheatstone.viewer.run.run import Run

if TYPE_CHECKING:
    from wheatstone.gpu.own_kernels.contract import OwnKernels
    from wheatstone.viewer.run.kernels.watching import KernelWatch

WATCHING = "wheatstone.viewer.run.kernels.watching:watch_folders"


class FollowedKernels:
    """Follows the folders of the user's kernels; without any, it imports and does nothing.

    Attributes:
        watches: one for each folder.
    """

    def __init__(self, session: Session) -> None:
        self._session, self._state = session, session.state
        self.watches: tuple[KernelWatch, ...] = ()
        if any_declared():
            self.watches = import_object(WATCHING)()
        self._left: dict[str, list[str]] = {}  # slots that a fault drove away, by variant

    def follow(self) -> None:
        """Compute the picture with kernels that were saved and have compiled since."""
        for watch in self.watches:
            if name := watch.take():
                for letter in self._left.pop(name, ()):
                    self._put(letter, name)
                self._session.renew(name)
                self._state.messages = self._state.messages.after_action(time.monotonic())

    def note_computed(self) -> None:
        """Record which kernels computed the picture without a fault."""
        runners = self._session.a, self._session.b
        shown = {each.shown.slot.variant for each in runners if each.shown and not each.outdated}
        for watch in self.watches:
            if watch.kernels.name in shown:
                watch.note_computed()

    def leave(self, fault: KernelFault) -> bool:
        """Compute the picture without kernels that have a fault.

        Their last state that computed it takes their place; if there is none, a built-in variant.

        Returns:
            Whether a slot had such kernels.
        """
        state = self._state
        chosen: dict[str, list[str]] = {}
        for letter, slot in (("a", state.slot), ("b", state.slot_b)):
            own = _kernels_of(slot)
            if own and fault.stage in [each.stage for each in own.stages]:
                chosen.setdefault(slot.variant, []).append(letter)
        for watch in self.watches:
            if watch.kernels.name in chosen and watch.take_back(fault):
                self._session.renew(watch.kernels.name)
                return True
        for variant, letters in chosen.items():
            self._left[variant] = letters
            for letter in letters:
                self._put(letter, self._built_in(letter))
        return bool(chosen)

    def _built_in(self, letter: str) -> str:
        """Return the built-in variant that takes the place of a slot's kernels."""
        slot = self._state.slot if letter == "a" else self._state.slot_b
        own = _kernels_of(slot)
        assert own
        return own.stand_in

    def _put(self, letter: str, variant: str) -> None:
        """Switch A or B to a variant, if it has its pipeline."""
        state = self._state
        if letter == "a":
            state.slot = replace(state.slot, variant=variant)
        elif state.b is not None:
            state.b = replace(state.slot_b, variant=variant)

    def close(self) -> None:
        """Stop following the folders."""
        for watch in self.watches:
            watch.close()


def _kernels_of(slot: Run) -> "OwnKernels | None":
    """Return the user's kernels that a slot's variant is made of; None for any other variant."""
    from wheatstone.gpu.own_kernels.contract import OwnKernels

    own = own_variant(slot.pipeline.name, slot.variant)
    return own if isinstance(own, OwnKernels) else None
