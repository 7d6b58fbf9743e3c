"""Texts for the state of the user's kernels, as the panel shows them."""

import time
from collections.abc import Iterator

from wheatstone.gpu.own_kernels.sanitizer import TOOLS, SanitizerFinding
from wheatstone.viewer.run.kernels.sanitizing import SanitizerReport
from wheatstone.viewer.run.kernels.verdict import (
    FaultVerdict,
    KernelVerdict,
    StageVerdict,
)
from wheatstone.viewer.run.kernels.watching import KernelSave
from wheatstone.viewer.run.run import Run
from wheatstone.viewer.words import plural, spoken

NOT_JUDGED = "not judged"
WITHOUT_GPU = [("registers, shared memory, occupancy", NOT_JUDGED, "")]
DELAYED = (
    "A fault on the GPU can stop the drawing of all programs for about 20 seconds: this window "
    "may freeze, and then continues."
)
USE = "registers per thread, shared memory per block, occupancy of a multiprocessor"
ROOFLINE = "bytes of the images that the stage reads and writes, by its time"


def clock(save: KernelSave) -> str:
    """Format the time at which the user's kernels were saved, such as ``14:03:22``."""
    return time.strftime("%H:%M:%S", time.localtime(save.time))


def state_line(save: KernelSave) -> str:
    """Describe a saved version of the kernels: time of the save, compile time, and verdict."""
    compiled = [f"compiled in {save.compiled:.0f} ms"] if save.compiled is not None else []
    begun = f"saved {clock(save)}" if save.number > 1 else f"opened {clock(save)}"
    return "; ".join((begun, *compiled, *_outcome(save)))


def saved_state(save: KernelSave) -> str:
    """Describe a saved version in the list: its verdict, and the time of its kernels on a GPU."""
    times = [stage.time.milliseconds for stage in save.verdict.stages if stage.time]
    return f"{save.state}, {sum(times):.3g} ms" if times else save.state


def _outcome(save: KernelSave) -> Iterator[str]:
    """Yield short texts on the verdict about a saved version of the kernels."""
    verdict = save.verdict
    if save.state == "checking":
        yield f"checking {verdict.done} of {verdict.cases}"
    elif save.state == "compile error":
        yield plural(len(verdict.errors), "error")
    elif save.state == "identical":
        picture = save.picture
        seen = picture and not picture.why_not
        yield verdict.summary + (
            f", and in the picture shown, {picture.size}" if picture and seen else ""
        )
        yield from _times(verdict)
    else:
        yield save.state


def picture_line(save: KernelSave) -> str:
    """Describe why the kernels' picture is wrong or was not compared; empty otherwise."""
    picture = save.picture
    if save.verdict.state != "identical" or save.fault:
        return ""
    if picture is None:
        return "not compared yet: the picture shown"
    if picture.why_not:
        return f"not compared: the picture shown, {picture.size}: {picture.why_not}"
    if picture.wrong:
        shown = f"the picture shown, {picture.size}, is wrong"
        return f"{save.verdict.summary}, but {shown}: {picture.wrong}"
    return ""


def _times(verdict: KernelVerdict) -> Iterator[str]:
    """Yield the measured time of each stage with the user's kernels as text."""
    if verdict.emulated:
        yield f"emulated, so time is {NOT_JUDGED}"
    for stage in verdict.stages:
        if stage.time:
            name = f"{stage.stage} " if verdict.stages[1:] else ""
            yield f"{name}{stage.time.milliseconds:.3g} ms"


def fault_line(fault: FaultVerdict) -> str:
    """Describe a fault of a kernel, with file and line if they are known."""
    return f"{f'{fault.file}:{fault.line}: ' if fault.file else ''}{fault.message}"


def sanitizer_line(report: SanitizerReport) -> str:
    """Summarise the report of compute-sanitizer: number of findings, tools and seconds."""
    count = len(report.findings)
    words = plural(count, "finding") if count else "no findings"
    return f"{words} by {', '.join(TOOLS)} in {report.seconds:.1f} s"


def finding_line(finding: SanitizerFinding) -> str:
    """Describe a finding of compute-sanitizer, and how often it occurred."""
    place = f"{finding.file}:{finding.line}: " if finding.line else ""
    often = f" ({finding.count} times)" if finding.count > 1 else ""
    return f"{place}{finding.tool}: {finding.message}{often}"


def case_lines(verdict: KernelVerdict, stage: StageVerdict, shown: Run) -> Iterator[str]:
    """Describe the smallest test case that fails, and how it differs from the run shown."""
    if not (case := stage.case):
        return
    yield f"smallest failing case: {case.words(verdict.pipeline, stage.stage)}"
    values = shown.params.values()
    differ = {n: v for n, v in case.read_by(verdict.pipeline, stage.stage).items() if n in values}
    if other := [f"{spoken(n)} {v}" for n, v in differ.items() if values[n] != v]:
        yield f"The picture shown may be right: it is not computed with {', '.join(other)}."


def cost_rows(stage: StageVerdict) -> list[tuple[str, str, str]]:
    """List table rows for a stage: kernels' resources, speed against variants, roofline."""
    rows = [
        (use.entry, f"{use.registers} registers, {use.shared} B shared, {use.occupancy:.0%}", USE)
        for use in stage.use
    ]
    if time := stage.time:
        size = f"at {time.width} x {time.height}"
        ratios = time.ratios.items()
        rows += [(f"against {name}", f"{ratio:.2f} times as fast", size) for name, ratio in ratios]
        rows.append(("roofline", time.roofline, ROOFLINE))
    return rows


def access_rows(stage: StageVerdict) -> list[tuple[str, str, str]]:
    """List table rows for a stage's memory accesses by source line: access, number, meaning."""
    rows = []
    for counts, unit in ((stage.transactions, "sector"), (stage.conflicts, "pass")):
        for each in counts:
            verb = "writes" if each.write else "reads"
            asked = (
                f"{plural(each.requests, 'request')} of a warp, at best {plural(each.least, unit)}"
            )
            what = f"{each.file}:{each.line} {verb} {each.array}"
            rows.append((what, plural(each.transactions, unit), asked))
    return rows
