"""``wheatstone kernel``: create, check or grade folders with kernels of the user's own."""

from wheatstone.gpu.own_kernels.bases import own_stages
from wheatstone.gpu.own_kernels.emulating import force_emulation
from wheatstone.gpu.pipelines import PIPELINES, known_pipeline
from wheatstone.viewer.cli.kernel.request import KernelRequest
from wheatstone.viewer.io.files.streams import say
from wheatstone.viewer.lazy_import import import_object
from wheatstone.viewer.run.kernels.new import new_files, write_folder

WORKERS = {
    "new": "checking:begin_assignment",
    "check": "checking:check_folder",
    "grade": "checking:grade_submissions",
}
"""The functions that need more than is loaded to make a folder, by action."""


def kernel(request: KernelRequest) -> int:
    """Run ``wheatstone kernel``: create, check or grade folders; return the exit code."""
    if request.action != "new" and request.stages:
        words = " ".join(request.stages)
        raise ValueError(f"{request.action} takes only a folder (got {words} as well)")
    if request.emulated:
        force_emulation()
    if request.action == "new" and request.assignment is None:
        return make_folder(request)
    code: int = import_object(f"wheatstone.viewer.cli.kernel.{WORKERS[request.action]}")(request)
    return code


def make_folder(request: KernelRequest) -> int:
    """Write a new folder with files for the user's own kernels; return 0.

    Raises:
        OSError, ValueError: the words name no pipeline or stage, or a file exists already.
    """
    if not request.stages:
        raise ValueError(f"name a pipeline ({', '.join(PIPELINES)}) and stages after FOLDER")
    name, *stages = request.stages
    pipeline = known_pipeline(name)
    if not stages:
        known = ", ".join(stage.name for stage in own_stages(pipeline))
        raise ValueError(f"name one or more stages of {name}: {known}")
    variant = request.name or request.folder.resolve().name
    files = new_files(
        pipeline, stages, variant, request.base, in_python=request.python, hide=request.hide
    )
    write_folder(request.folder, files)
    for file in files:
        say(f"wrote {request.folder / file}")
    say(f"next: wheatstone kernel check {request.folder}")
    say(f"then: wheatstone view {name} --kernel {request.folder}")
    return 0
