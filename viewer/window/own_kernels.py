"""The user's own kernels in a window: after each save that compiles, the picture is recomputed."""

import time
from dataclasses import replace
from typing import TYPE_CHECKING

from wheatstone.gpu.own_kernels.fault import KernelFault
from wheatstone.gpu.own_variants import any_declared, own_variant
from wheatstone.viewer.display.frames.latest import Latest
from wheatstone.viewer.display.frames.runner import Runner
from wheatstone.viewer.display.frames.session import Session
from wheatstone.viewer.display.frames.worker import Cancelled, Task
from wheatstone.viewer.lazy_import import import_object
from wheatstone.viewer.run.run import Run

if TYPE_CHECKING:
    from wheatstone.gpu.own_kernels.contract import OwnKernels
    from wheatstone.viewer.run.kernels.picture import ComparedPicture
    from wheatstone.viewer.run.kernels.verdict import PictureVerdict
    from wheatstone.viewer.run.kernels.watching import KernelSave, KernelWatch

WATCHING = "wheatstone.viewer.run.kernels.watching:watch_folders"
WARNING = "fault on the GPU: drawing may stop for about 20 s, and then continues"
PICTURE = "wheatstone.viewer.run.kernels.picture"


class FollowedKernels:
    """The use, in the window, of the user's kernels from watched folders.

    Without such folders, nothing is imported or done.

    Attributes:
        watches: one for each folder.
    """

    def __init__(self, session: Session) -> None:
        self._session, self._state = session, session.state
        self.watches: tuple[KernelWatch, ...] = ()
        self._pictures: list[_FollowedPicture] = []
        if any_declared():
            self.watches = import_object(WATCHING)()
            self._pictures = [_FollowedPicture(session, watch) for watch in self.watches]
        self._left: dict[str, list[str]] = {}  # slots that a fault drove away, by variant

    @property
    def warning(self) -> str:
        """Return the warning for the window's title after a GPU fault that can delay drawing."""
        return WARNING if any(watch.delays for watch in self.watches) else ""

    def follow(self) -> None:
        """Switch to newly compiled kernels, and compare their pictures with the reference."""
        for watch in self.watches:
            if name := watch.take():
                for letter in self._left.pop(name, ()):
                    self._put(letter, name)
                self._session.renew(name)
                self._state.messages = self._state.messages.after_action(time.monotonic())
        for picture in self._pictures:
            picture.follow()

    def note_computed(self) -> None:
        """Record which kernels computed a picture without a fault."""
        runners = self._session.a, self._session.b
        shown = {each.shown.slot.variant for each in runners if each.shown and not each.outdated}
        for watch in self.watches:
            if watch.kernels.name in shown:
                watch.note_computed()

    def leave(self, fault: KernelFault) -> bool:
        """Replace kernels that had a fault by their last working state or a built-in variant.

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
        """Return the built-in variant that stands in for the user's kernels of run A or B."""
        slot = self._state.slot if letter == "a" else self._state.slot_b
        own = _kernels_of(slot)
        assert own
        return own.stand_in

    def _put(self, letter: str, variant: str) -> None:
        """Set the variant of run A or B; nothing happens if run B is not in use."""
        state = self._state
        if letter == "a":
            state.slot = replace(state.slot, variant=variant)
        elif state.b is not None:
            state.b = replace(state.slot_b, variant=variant)

    def close(self) -> None:
        """Stop watching the folders of kernels."""
        for picture in self._pictures:
            picture.cancel()
        for watch in self.watches:
            watch.close()


class _FollowedPicture:
    """A background comparison of a folder's newest kernels with the reference.

    It does so once for a save that is identical in all cases, and again for every other picture
    that stands still.
    """

    def __init__(self, session: Session, watch: "KernelWatch") -> None:
        self._session, self._watch = session, watch
        self._comparison = import_object(f"{PICTURE}:PictureComparison")()
        self._of: tuple[object, ...] = ()  # the save and the picture compared last, or now
        self._number = 0  # of that save
        self._task: Task[PictureVerdict] | None = None

    def follow(self) -> None:
        """Record a finished comparison, and begin the next one if it is due."""
        if self._task and self._task.done:
            self._take(self._task)
        save, runner = self._watch.comparable, self._runner()
        if not save or not runner or not runner.shown or not runner.frame:
            return
        session, shown = self._session, runner.shown
        of = save.number, session.source, shown.frame, shown.slot, shown.computed
        still = session.state.paused or session.source.length == 1
        if of == self._of or (self._number == save.number and not still):
            return
        if self._task:
            self._task.cancel()  # another picture is shown
        elif self._begin(save, runner):
            self._of, self._number = of, save.number

    def _runner(self) -> Runner | None:
        """Return the runner of run A or B that shows the newest kernels; None if neither does."""
        names = [self._watch.kernels.name, *(save.variant for save in self._watch.saves[-1:])]
        for side in (self._session.a, self._session.b):
            if side.shown and side.shown.slot.variant in names and not side.outdated:
                return side
        return None

    def _begin(self, save: "KernelSave", runner: Runner) -> bool:
        """Begin a comparison in the background: the picture's images with the reference's.

        An image that is not on screen is skipped while the next frame is being computed.

        Returns:
            Whether there is an image to compare.
        """
        shown, frame, stages = runner.shown, runner.frame, save.folder.kernels.stages
        assert shown and frame
        pipeline = shown.slot.pipeline
        on_screen = [name for name, array in shown.arrays.items() if array in shown.computed]
        names = import_object(f"{PICTURE}:compared_names")(
            pipeline, [own.stage for own in stages], on_screen
        )
        copies = Latest(self._session.display, every=0)
        images = {name: copy.values for name in names if (copy := copies.image(runner, name))}
        if not images:
            return False
        key = self._session.source, shown.frame
        picture: ComparedPicture = import_object(f"{PICTURE}:ComparedPicture")(
            shown.slot, frame, key, images
        )

        def compare(task: "Task[PictureVerdict]") -> "PictureVerdict":
            verdict: PictureVerdict = self._comparison.verdict(picture, task.report)
            return verdict

        self._task = self._session.worker.submit("comparing the picture", compare)
        return True

    def _take(self, task: "Task[PictureVerdict]") -> None:
        """Record a finished comparison's verdict; if it was cancelled, allow it to begin again."""
        self._task = None
        try:
            self._watch.note_picture(self._number, task.result())
        except Cancelled:
            self._of, self._number = (), 0

    def cancel(self) -> None:
        """Cancel the running comparison of the picture with the reference."""
        if self._task:
            self._task.cancel()


def _kernels_of(slot: Run) -> "OwnKernels | None":
    """Return the user's kernels of a run's variant; None for any other variant."""
    from wheatstone.gpu.own_kernels.contract import OwnKernels

    own = own_variant(slot.pipeline.name, slot.variant)
    return own if isinstance(own, OwnKernels) else None
