"""Actions (effects) on the user's own kernels."""

from typing import TYPE_CHECKING

from wheatstone.viewer.display.frames.worker import Task
from wheatstone.viewer.lazy_import import import_object
from wheatstone.viewer.window.effects.program import ProgramActions

if TYPE_CHECKING:
    from wheatstone.viewer.run.kernels.sanitizing import SanitizerReport

SANITIZING = "wheatstone.viewer.run.kernels.sanitizing"


def sanitize_kernel(app: ProgramActions) -> None:
    """Run compute-sanitizer on the kernels of run A, or of the first kernel folder.

    The check runs in the background.

    Raises:
        Unavailable: there is no compute-sanitizer, or no GPU.
        ValueError: there are no kernels.
    """
    watches = {watch.kernels.name: watch for watch in app.layout.kernels}
    import_object(f"{SANITIZING}:check_sanitizer")()
    if not watches:
        raise ValueError("no kernels of your own are loaded")
    own = app.state.slot.variant.partition("@")[0]
    watch = watches.get(own, app.layout.kernels[0])
    sanitized = import_object(f"{SANITIZING}:sanitized")
    kernels = watch.saved_kernels

    def check(task: "Task[SanitizerReport]") -> "SanitizerReport":
        report: SanitizerReport = sanitized(kernels, task.report, lambda: task.cancelled)
        return report

    app.state.show_panel("own_kernel")
    app.background.begin(Task("compute-sanitizer", check), watch.note_sanitized)
