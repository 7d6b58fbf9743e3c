"""The comparison of the images of runs A and B, and the search for places where they differ."""

import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from wheatstone.gpu import Unavailable
from wheatstone.gpu.analysis.comparison import differing
from wheatstone.gpu.pipeline import Array
from wheatstone.viewer.choices.mixing import DIFFERENCES
from wheatstone.viewer.choices.zooming import zoom_to
from wheatstone.viewer.display.frames.regions import Cluster, clusters
from wheatstone.viewer.display.frames.runner import Runner
from wheatstone.viewer.display.frames.stage_check import StageCheck, StagesAsked
from wheatstone.viewer.display.frames.worker import Task
from wheatstone.viewer.display.picture import identity
from wheatstone.viewer.display.picture.identity import Badge
from wheatstone.viewer.display.picture.shown import Shown, chosen, chosen_b
from wheatstone.viewer.words import plural

if TYPE_CHECKING:
    from wheatstone.viewer.display.frames.session import Session

Values = Callable[[Runner, Shown, str], Task[NDArray[Any]]]

CHECK_EVERY = 0.5  # seconds between two checks while the picture runs


class Checks:
    """The comparison of the images of runs A and B, made periodically while frames pass.

    Args:
        values: starts to copy an image of the view that a slot is to show, computed if necessary.

    Attributes:
        of: the views compared last.
    """

    def __init__(self, session: "Session", values: Values) -> None:
        self._state, self._source = session.state, session.source
        self._runners, self._worker = (session.a, session.b), session.worker
        self._values = values
        self.of: list[Shown] = []
        self._badge: Badge | None = None
        self._last, self._just_checked = float("-inf"), False
        self._cluster: int | None = None  # the one jumped to last
        self._jumped: list[Shown] = []  # what that was of
        self._finding: tuple[list[Shown], Task[list[Cluster]]] | None = None
        self._filling: tuple[StagesAsked, list[Task[NDArray[Any]]]] | None = None
        self._stages: StageCheck | None = None

    def due(self, wanted: list[Shown]) -> bool:
        """Return whether runs A and B are compared in the next frame, which is then not timed."""
        if not self.needed(wanted):
            self.of, self._badge, self._just_checked = [], None, False
            return False
        changed = not _same_views(self.of, wanted)
        waited = time.perf_counter() - self._last >= CHECK_EVERY
        due = self._state.paused or changed or (waited and not self._just_checked)
        self._just_checked = due  # of two frames one is timed, however long they take
        return due

    def needed(self, wanted: list[Shown]) -> bool:
        """Return whether an equality check is requested, or binary images' difference is shown."""
        mixing = self._state.mixing
        return mixing.check or (
            mixing.mode in DIFFERENCES and any(shown.of_two_values for shown in wanted)
        )

    def check(self, a: Shown, b: Shown, arrays: list[Mapping[str, Array]]) -> None:
        """Compare the first images of runs A and B, on the device if both use the same one."""
        self.of, self._last = [a, b], time.perf_counter()
        if reason := identity.why_incomparable(a, b, self._source):
            self._badge = Badge(reason, "neutral")
            return
        executions = [runner.execution for runner in self._runners]
        assert executions[0] and executions[1]
        first, second = (execution.separate_bands for execution in executions if execution)
        if first != second:
            counts = f"A in {first} bands of rows, B in {second}"
            self._badge = Badge(f"not compared: {counts}, which may differ", "neutral")
            return
        name, other = identity.compared_image(a), identity.compared_image(b)
        first, second = arrays[0][a.arrays[name]], arrays[1][b.arrays[other]]
        devices = executions[0].device, executions[1].device
        invalid = identity.invalid_values(a, b)
        difference = identity.difference(name, first, second, devices, invalid)
        image = a.slot.image(name)
        self._badge = identity.badge(difference, int(np.prod(first.shape)), image)

    def badge(self, shown: Shown | None) -> Badge | None:
        """Return the result of the newest comparison of A and B, as a badge to draw on the picture.

        None if there is no result for the views shown. The badge names its frame if that is not
        the frame of A on screen.
        """
        badge, runner_b = self._badge, self._runners[1]
        if not badge or not shown or not runner_b.shown:
            return badge
        if not _same_views(self.of, [shown, runner_b.shown]):
            return None
        if badge.tone != "neutral" and self.of[0].frame != shown.frame:
            return replace(badge, text=f"{badge.text} (frame {self.of[0].frame})")
        return badge

    def find_clusters(self) -> Task[list[Cluster]]:
        """Start a task that finds clusters of pixels where the results of the compared runs differ.

        Raises:
            ValueError: they cannot be compared.
        """
        a, b = chosen(self._state), chosen_b(self._state)
        if reason := identity.why_incomparable(a, b, self._source):
            raise ValueError(reason)
        first, second = (
            self._values(runner, s, s.arrays[identity.compared_image(s)])
            for runner, s in zip(self._runners, (a, b), strict=True)
        )
        invalid = identity.invalid_values(a, b)
        return self._worker.submit(
            "differences", lambda _: clusters(differing(first.result(), second.result(), invalid))
        )

    def jump(self, step: int) -> bool:
        """Centre on the next or previous cluster of differences; return whether that is done.

        Call it once per frame until it returns True.
        """
        shown = [chosen(self._state), chosen_b(self._state)]
        try:
            if not self._finding or self._finding[0] != shown:
                self._finding = shown, self.find_clusters()
            if not self._finding[1].done:
                return False
            listed = self._finding[1].result()
        except (ValueError, Unavailable) as error:
            self._state.report_error(str(error))
        else:
            self._go_to(listed, step)
        self._finding = None
        return True

    def _go_to(self, listed: list[Cluster], step: int) -> None:
        if not listed:
            self._state.hint("A and B do not differ")
            return
        self._cluster = (self._before(step) + step) % len(listed)
        cluster, size = listed[self._cluster], (self._source.width, self._source.height)
        self._state.marked = (cluster.x, cluster.y, cluster.width, cluster.height)
        zoom_to(self._state, self._state.marked, size)
        at, pixels = f"({cluster.x}, {cluster.y})", plural(cluster.count, "pixel")
        self._state.hint(f"cluster {self._cluster + 1} of {len(listed)} at {at}: {pixels}")

    def _before(self, step: int) -> int:
        """Return the index of the last cluster visited or, for new images, one to start from."""
        shown = [chosen(self._state), chosen_b(self._state)]
        if self._cluster is None or self._jumped != shown:
            self._jumped = shown
            return -1 if step > 0 else 0
        return self._cluster

    @property
    def stages(self) -> StageCheck | None:
        """Return the comparison of runs A and B stage by stage; None before it is requested."""
        return self._stages

    @property
    def holds(self) -> bool:
        """Whether the frame must not change, because a comparison stage by stage is unfinished.

        Until then, the frame stays.
        """
        if not self._state.stages:
            return False
        known = self._stages
        return not (known and known.asked == self._asked and known.done)

    @property
    def _asked(self) -> StagesAsked:
        a, b = chosen(self._state), chosen_b(self._state)
        return StagesAsked(a.slot, b.slot, a.frame, b.frame)

    def compare_stages(self) -> None:
        """Continue the comparison of runs A and B stage by stage; call it once per frame.

        Raises:
            ValueError: the pipelines or frames differ, or one is a peer.
        """
        if self._stages and self._stages.asked == self._asked:
            self._stages.step()
            return
        if not self._filling or self._filling[0] != self._asked:
            self._filling = self._asked, self._fill()
        asked, tasks = self._filling
        if all(task.done for task in tasks):
            self._filling = None
            self._stages = self._begin_stages(asked, tasks)

    def _fill(self) -> list[Task[NDArray[Any]]]:
        shown = chosen(self._state), chosen_b(self._state)
        if shown[0].slot.pipeline.name != shown[1].slot.pipeline.name:
            raise ValueError("A and B are different pipelines: their stages cannot be compared")
        if reason := identity.why_slots_incomparable(*shown, self._source):
            raise ValueError(reason)
        pairs = zip(self._runners, shown, strict=True)
        return [self._values(runner, s, s.slot.pipeline.output) for runner, s in pairs]

    def _begin_stages(
        self, asked: StagesAsked, filled: list[Task[NDArray[Any]]]
    ) -> StageCheck | None:
        """Start to compare A and B stage by stage; None if their arrays hold other views."""
        for task in filled:
            task.result()  # raises what went wrong
        shown = chosen(self._state), chosen_b(self._state)
        first, second = (runner.prepared(s) for runner, s in zip(self._runners, shown, strict=True))
        return StageCheck(asked, first, second, self._worker) if first and second else None


def _same_views(some: list[Shown], others: list[Shown]) -> bool:
    """Return whether two lists have the same runs shown in the same views; frames may differ."""
    one, other = (
        [(s.slot, s.view, s.judged, s.temporal) for s in shown] for shown in (some, others)
    )
    return one == other
