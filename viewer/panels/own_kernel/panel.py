"""The panel of the user's own kernels: the state of the newest saved version, and all versions."""

import math
from pathlib import Path

from wheatstone.viewer.choices.comparison import compare
from wheatstone.viewer.choices.state import ViewerState
from wheatstone.viewer.display.screen.dear_imgui import imgui
from wheatstone.viewer.panels.own_kernel.kernel_words import (
    DELAYED,
    WITHOUT_GPU,
    access_rows,
    case_lines,
    clock,
    cost_rows,
    fault_line,
    finding_line,
    picture_line,
    sanitizer_line,
    saved_state,
    state_line,
)
from wheatstone.viewer.panels.panel import Body, PanelContext
from wheatstone.viewer.panels.widgets import (
    INKS,
    QUIET,
    begin_table,
    draw_pairs,
    draw_slot_button,
    draw_tip,
    draw_wrapped,
    end_table,
    next_row,
)
from wheatstone.viewer.run.kernels.folder import declare_variant
from wheatstone.viewer.run.kernels.sanitizing import SanitizerReport
from wheatstone.viewer.run.kernels.verdict import StageVerdict
from wheatstone.viewer.run.kernels.watching import KernelSave, KernelWatch

WITHOUT = (
    "No kernels of your own are loaded. Make a folder with wheatstone kernel new, and start the "
    "program with it."
)
OF_STATES = {
    "identical": INKS["success"],
    **dict.fromkeys(("wrong", "fault", "compile error", "not read"), INKS["error"]),
}


class OwnKernelPanel(Body):
    """The contents of the panel that shows the state of the user's own kernels."""

    def __init__(self) -> None:
        self._watches: tuple[KernelWatch, ...] = ()

    def update(self, context: PanelContext) -> None:
        """Store which folders of the user's kernels are watched for changes."""
        self._watches = context.kernels

    @property
    def due(self) -> float:
        """Return when a version was last saved or judged in the watched folders; infinite if never.

        It is in seconds of ``time.perf_counter``: a frame is due if none was drawn since.
        """
        return max((watch.changed for watch in self._watches), default=math.inf)

    def draw(self, context: PanelContext) -> None:
        """Draw for each folder of kernels its newest version's state, and all saved versions."""
        if not context.kernels:
            draw_wrapped(WITHOUT, QUIET)
        for watch in context.kernels:
            saves = watch.saves  # one state of it: another thread adds to it
            imgui.push_id(watch.kernels.name)
            if context.kernels[1:]:
                imgui.separator_text(watch.kernels.name)
            if saves:
                _draw_state(context.state, saves[-1])
                if watch.sanitized:
                    _draw_sanitized(context.state, watch.sanitized, saves)
                _draw_saves(context.state, watch, saves)
            imgui.pop_id()


def _draw_state(state: ViewerState, save: KernelSave) -> None:
    """Draw a saved version's state: its errors or faults, then each stage's results and costs."""
    draw_wrapped(state_line(save), OF_STATES.get(save.state, QUIET))
    if save.why_not:
        draw_wrapped(save.why_not, INKS["error"])
    for number, error in enumerate(save.verdict.errors):
        imgui.push_id(number)
        _draw_place(state, save, error.file, error.line, error.message)
        imgui.pop_id()
    if (fault := save.fault) and not save.verdict.errors:
        imgui.push_id("picture")
        _draw_place(state, save, fault.file, fault.line, f"in the picture: {fault.message}")
        imgui.pop_id()
    if picture := picture_line(save):
        wrong = save.picture.wrong if save.picture else None
        draw_wrapped(picture, INKS["error"] if wrong else QUIET)
        if wrong:
            _draw_difference(state, save, wrong.image)
    if save.faulted_gpu:
        draw_wrapped(DELAYED, INKS["warning"])
    for stage in save.verdict.stages:
        imgui.push_id(stage.stage)
        _draw_stage(state, save, stage, named=bool(save.verdict.stages[1:]))
        imgui.pop_id()
    if wrong := save.verdict.pipeline_wrong:
        draw_wrapped(f"every stage is identical alone, but in the pipeline {wrong}", INKS["error"])
    if save.state == "identical" and save.verdict.emulated:
        draw_pairs("use", WITHOUT_GPU)


def _draw_stage(state: ViewerState, save: KernelSave, stage: StageVerdict, *, named: bool) -> None:
    """Draw the fault or the first wrong pixel of a stage, its costs and its memory accesses."""
    rows, costs = access_rows(stage), cost_rows(stage)
    if named and (stage.case or stage.fault or rows or costs or stage.output):
        imgui.separator_text(stage.stage)
    if stage.fault:
        _draw_place(state, save, stage.fault.file, stage.fault.line, fault_line(stage.fault))
    if stage.wrong:
        draw_wrapped(f"first wrong: {stage.wrong}", INKS["error"])
    for line in case_lines(save.verdict, stage, state.slot):
        draw_wrapped(line, QUIET)
    if stage.wrong:
        _draw_difference(state, save, stage.wrong.image)
    if costs:
        draw_pairs("costs", costs)
    if rows:
        height, width = stage.counted or (0, 0)
        imgui.separator_text(f"memory, emulated at {width} x {height}")
        draw_pairs("accesses", rows)
    for line in stage.output:
        draw_wrapped(f"printed: {line}", QUIET)


def _draw_difference(state: ViewerState, save: KernelSave, image: str) -> None:
    """Draw the buttons that show where an image differs from the built-in variant."""
    if imgui.button("Show difference"):
        show_difference(state, save, image)
    draw_tip("your kernel as A, the built-in variant as B, and their difference")
    imgui.same_line()
    if imgui.button("Go to first wrong pixel"):
        show_difference(state, save, image)
        state.paused, state.jump = True, 1
    draw_tip("in the picture; J goes to the next one")


def _draw_sanitized(
    state: ViewerState, report: SanitizerReport, saves: tuple[KernelSave, ...]
) -> None:
    """Draw the findings of compute-sanitizer; a click on one opens its line in the editor."""
    imgui.separator_text("compute-sanitizer")
    save = next((each for each in saves if each.number == report.save), saves[-1])
    draw_wrapped(sanitizer_line(report), INKS["error" if report.findings else "success"])
    if save is not saves[-1]:
        draw_wrapped(f"of save {report.save}; it is not the newest", QUIET)
    for number, finding in enumerate(report.findings):
        imgui.push_id(f"sanitizer {number}")
        _draw_place(state, save, finding.file, finding.line, finding_line(finding))
        imgui.pop_id()


def _draw_place(state: ViewerState, save: KernelSave, file: str, line: int, text: str) -> None:
    """Draw a message about a line of a file; a click opens the line in the editor."""
    path = save.folder.path / file
    if not file or not path.is_file():
        draw_wrapped(text, INKS["error"])
        return
    begin, place = imgui.get_cursor_pos(), f"{file}:{line}"
    shown = text if text.startswith(place) else f"{place}: {text}"
    height = imgui.calc_text_size(shown, False, imgui.get_content_region_avail().x).y
    if imgui.selectable("##place", False, 0, (0, height))[0]:
        state.effects.append(("edit file", str(Path(path).resolve()), str(line)))
    draw_tip("open it in the editor")
    imgui.set_cursor_pos(begin)
    draw_wrapped(shown, INKS["error"])


def _draw_saves(state: ViewerState, watch: KernelWatch, saves: tuple[KernelSave, ...]) -> None:
    """Draw a row for each saved version, newest first, with buttons to use it as run A or B."""
    imgui.separator_text("saves")
    size = imgui.get_font_size()
    columns = {"number": size * 2, "time": size * 4.5, "state": None, "slots": size * 4.2}
    if not begin_table("saves", columns, imgui.TableFlags_.row_bg):
        return
    for save in reversed(saves):
        imgui.push_id(save.number)
        next_row()
        imgui.text(str(save.number))
        imgui.table_next_column()
        imgui.text(clock(save))
        imgui.table_next_column()
        imgui.text_colored(OF_STATES.get(save.state, QUIET), saved_state(save))
        imgui.table_next_column()
        names = [save.variant]
        if watch.kernels is save.folder.kernels:
            names.append(watch.kernels.name)
        for letter in "ab" if save.compiled is not None else "":
            shown = (state.slot if letter == "a" else state.slot_b).variant
            if draw_slot_button(letter, "this save", there=shown in names):
                choose_save(state, save, letter)
        imgui.pop_id()
    end_table()


def choose_save(state: ViewerState, save: KernelSave, letter: str) -> None:
    """Set run A or B to a saved version of the kernels, which later saves do not change."""
    _choose_pipeline(state, save)
    name = declare_variant(save.folder, save.number)
    if letter == "a":
        state.choose_variant(name)
        return
    state.choose_variant_b(name)
    if not state.mixing.uses_b:
        compare(state, "side-by-side")


def _choose_pipeline(state: ViewerState, save: KernelSave) -> None:
    if state.slot.pipeline.name != save.folder.kernels.pipeline:
        state.choose_pipeline(save.folder.kernels.pipeline)


def show_difference(state: ViewerState, save: KernelSave, image: str) -> None:
    """Show the difference between the newest saved kernels (A) and the built-in variant (B).

    If possible, the view is one that shows the image. Later saves replace A in the picture.
    """
    _choose_pipeline(state, save)
    state.choose_variant(save.folder.kernels.name)
    state.choose_variant_b(save.folder.kernels.stand_in)
    view = next((v for v in state.slot.pipeline.views if image in v.panes), None)
    if view:
        state.choose_view(state.slot, view.name)
    state.mix(mode="difference", check=True)
