"""Watch the files of a folder with the user's kernels; compile and check each saved version.

    watch = KernelWatch(folder).start()
    name = watch.take()       # between two frames; "my-census" once, when a new state compiles
    watch.saves[-1].verdict   # grows step by step

Compiling and judging take place in a thread of their own; a save ends the check of the one before.
"""

import threading
import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Self

from wheatstone.gpu import Unavailable
from wheatstone.gpu.own_kernels.contract import OwnKernels
from wheatstone.gpu.own_kernels.fault import KernelFault
from wheatstone.viewer.io.sources.file_watch import stamps_of
from wheatstone.viewer.run.kernels.comparing import QUICK
from wheatstone.viewer.run.kernels.folder import KernelFolder, declare_variant, loaded_folders
from wheatstone.viewer.run.kernels.judging import judge
from wheatstone.viewer.run.kernels.verdict import FaultVerdict, KernelVerdict, PictureVerdict

if TYPE_CHECKING:  # which few kernels need
    from wheatstone.viewer.run.kernels.sanitizing import SanitizerReport

EVERY = 0.05  # seconds between two looks at the files
SETTLING = 0.02  # seconds in which a file that is read must not change
MOST_SAVES = 100  # that are remembered
OF_DRIVER = ("access", "time", "crash")  # reasons of faults that end the work of a GPU
DELAY = 30.0  # seconds for which the window warns that the driver may delay it


@dataclass(frozen=True)
class KernelSave:
    """A saved state of a folder of kernels: the contents as read, with the verdict on them.

    Attributes:
        number: counts the saves of a session, from 1: the state in which the window opened.
        time: when it was noticed, in seconds of ``time.time``.
        folder: what was read.
        verdict: so far.
        compiled: milliseconds from the save until it was compiled; None: it is not.
        why_not: why it could not be read or judged; empty if it could.
        fault: with which the picture could not be computed; None: there is none.
        picture: the comparison of the picture shown; None: it was not compared yet.
    """

    number: int
    time: float
    folder: KernelFolder
    verdict: KernelVerdict
    compiled: float | None = None
    why_not: str = ""
    fault: FaultVerdict | None = None
    picture: PictureVerdict | None = None

    @property
    def variant(self) -> str:
        """Return the variant's name under which this saved state is declared, such as ``own@3``."""
        return replace(self.folder.kernels, version=self.number).variant

    @property
    def faulted_gpu(self) -> bool:
        """Whether kernels of this saved state had a GPU fault that can delay all drawing."""
        faults = (self.fault, *(stage.fault for stage in self.verdict.stages))
        reasons = {fault.reason for fault in faults if fault}
        return not self.verdict.emulated and not reasons.isdisjoint(OF_DRIVER)

    @property
    def state(self) -> str:
        """Return the state of the kernels in one or two words: the verdict, or a fault."""
        if self.why_not:
            return "not read" if self.compiled is None else "not judged"
        faulty = self.fault and self.verdict.state != "compile error"
        if self.verdict.state == "identical" and self.picture and self.picture.wrong:
            return "wrong"
        return "fault" if faulty else self.verdict.state


class KernelWatch:
    """A watcher of one folder's files, which compiles and judges the kernels after each save.

    Attributes:
        saves: the states seen so far, the newest last.
        changed: when something was noted last, in seconds of ``time.perf_counter``.
        sanitized: the findings of compute-sanitizer; None: it did not run.
    """

    def __init__(self, folder: KernelFolder, every: float = EVERY) -> None:
        self.saves: tuple[KernelSave, ...] = ()
        self.changed = time.perf_counter()
        self.sanitized: SanitizerReport | None = None
        self._folder, self._every = folder, every
        self._stamps = self._look()
        self._looked, self._differs = self.changed, False
        self._ready: KernelFolder | None = None  # compiled, and not yet taken for the picture
        self._taken = self._good = folder  # for the picture; with which it was computed last
        self._proven = False  # whether any state computed the picture
        self._closing, self._lock = threading.Event(), threading.Lock()

    @property
    def kernels(self) -> OwnKernels:
        """Return the kernels in use as the variant: those saved last that compile."""
        return self._taken.kernels

    @property
    def saved_kernels(self) -> OwnKernels:
        """Return the kernels saved last, with the number of this save as their version."""
        newest = self.saves[-1]
        return replace(newest.folder.kernels, version=newest.number)

    def note_sanitized(self, report: "SanitizerReport") -> None:
        """Record the report of NVIDIA's compute-sanitizer on the kernels."""
        self.sanitized, self.changed = report, time.perf_counter()

    @property
    def busy(self) -> bool:
        """Whether the newest kernels are being compiled or judged, or are not yet in use."""
        newest = self.saves[-1] if self.saves else None
        begun = newest is None or newest.verdict.state in ("compiling", "checking")
        return self._ready is not None or (begun and not (newest and newest.why_not))

    @property
    def delays(self) -> bool:
        """Whether the newest kernels had a recent GPU fault, which may delay all drawing."""
        recent = time.perf_counter() - self.changed < DELAY
        return recent and bool(self.saves) and self.saves[-1].faulted_gpu

    @property
    def comparable(self) -> KernelSave | None:
        """Return the newest saved state if it passed all test cases and is in use, else None."""
        newest = self.saves[-1] if self.saves else None
        identical = newest and newest.verdict.state == "identical" and not newest.fault
        return newest if identical and newest and newest.folder is self._taken else None

    def note_picture(self, number: int, verdict: PictureVerdict) -> None:
        """Store, in a numbered saved state, how its picture compares with the reference's."""
        with self._lock:
            self.saves = tuple(
                replace(save, picture=verdict) if save.number == number else save
                for save in self.saves
            )
        self.changed = time.perf_counter()

    def start(self) -> Self:
        """Start to watch the files of the kernels, until ``close`` is called."""
        threading.Thread(target=self._work, name="own kernels", daemon=True).start()
        return self

    def close(self) -> None:
        """Stop watching the files; a running check ends after its current call."""
        self._closing.set()

    def take(self) -> str:
        """Use the newest compiled kernels as the variant; return its name, empty if unchanged.

        Call it on the thread that computes pictures, between two frames.
        """
        ready, self._ready = self._ready, None
        if not ready:
            return ""
        self._taken = ready
        return declare_variant(ready)

    def note_computed(self) -> None:
        """Record that the kernels in use computed a picture without a fault."""
        self._good, self._proven = self._taken, True

    def take_back(self, fault: KernelFault) -> bool:
        """Record a kernel's fault; use the last kernels that computed pictures again.

        Returns:
            Whether there is such a state.
        """
        verdict = FaultVerdict(fault.reason, fault.message, fault.file, fault.line)
        faulty, self._taken = self._taken, self._good
        with self._lock:
            self.saves = tuple(
                replace(save, fault=verdict) if save.folder is faulty else save
                for save in self.saves
            )
        self.changed = time.perf_counter()
        if not self._proven or faulty is self._good:
            return False
        declare_variant(self._good)
        return True

    def _work(self) -> None:
        self._judge(self._folder)
        while not self._closing.wait(self._every):
            if self._has_changed():
                self._read()

    def _look(self) -> dict[str, tuple[int, int]]:
        """Return the stamps (time and size) of all files of the folder as last read."""
        return dict(stamps_of(tuple(str(path) for path in self._folder.files)))

    def _has_changed(self) -> bool:
        """Return whether a file was saved since the last reading; checked periodically."""
        now = time.perf_counter()
        if now - self._looked >= self._every:
            self._looked, stamps = now, self._look()
            self._differs = stamps != self._stamps
        return self._differs

    def _read(self) -> None:
        """Read the folder of kernels again; check the kernels if their text changed."""
        if self._being_written():
            return  # the next look reads it
        self._stamps, self._differs, before = self._look(), False, self._folder.kernels
        try:
            folder = KernelFolder.read(self._folder.path)
        except FileNotFoundError:
            self._stamps = {}  # an editor replaces the file; the next look reads it
            return
        except (OSError, ValueError) as error:
            self._add(self._folder, str(error))
            return
        kernels = folder.kernels
        if (kernels.name, kernels.pipeline) != (before.name, before.pipeline):
            self._add(self._folder, f"{before.name}: name and pipeline cannot change here")
            return
        self._folder = folder
        self._stamps = self._look() | self._stamps  # of headers that it includes now
        if self.saves[-1].why_not or kernels.digest != before.digest:
            self._judge(folder)

    def _being_written(self) -> bool:
        """Return whether an editor is still writing a file, or has emptied it."""
        before = self._look()
        self._closing.wait(SETTLING)
        after = self._look()
        return after != before or any(not size for _, size in after.values())

    def _add(self, folder: KernelFolder, why_not: str = "") -> None:
        number = self.saves[-1].number + 1 if self.saves else 1
        kernels = folder.kernels
        verdict = KernelVerdict(kernels.variant, kernels.pipeline, "compiling")
        save = KernelSave(number, time.time(), folder, verdict, why_not=why_not)
        with self._lock:
            self.saves = (*self.saves, save)[-MOST_SAVES:]
        self.changed = time.perf_counter()

    def _judge(self, folder: KernelFolder) -> None:
        """Compile a saved version of the kernels and compare its results; stop at a newer save."""
        self._add(folder)
        number, begin = self.saves[-1].number, time.perf_counter()
        kernels = replace(folder.kernels, version=number)

        def note(verdict: KernelVerdict) -> None:
            save = self.saves[-1]
            if verdict.state == "checking" and save.compiled is None:
                self._note(verdict, compiled=(time.perf_counter() - begin) * 1e3)
                if number > 1:  # the first one is declared already
                    self._ready = folder
            else:
                self._note(verdict)

        def stop() -> bool:
            return self._closing.is_set() or self._has_changed()

        try:
            judge(replace(folder, kernels=kernels), effort=QUICK, progress=note, stop=stop)
        except (OSError, ValueError, RuntimeError, MemoryError, Unavailable) as error:
            self._note(self.saves[-1].verdict, why_not=str(error) or "out of memory")

    def _note(self, verdict: KernelVerdict, **changes: Any) -> None:
        with self._lock:
            save = replace(self.saves[-1], verdict=verdict, **changes)
            self.saves = (*self.saves[:-1], save)
        self.changed = time.perf_counter()


def watch_folders() -> tuple[KernelWatch, ...]:
    """Start a watcher for every kernel folder that this program was started with."""
    return tuple(KernelWatch(folder).start() for folder in loaded_folders())
