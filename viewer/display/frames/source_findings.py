"""Findings (warnings and remarks) about the source of a session, for its window."""

from collections.abc import Collection, Iterator
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from wheatstone.viewer.findings import FINDINGS, Finding
from wheatstone.viewer.io.cameras.calibration import RELATIVE
from wheatstone.viewer.io.sources.frame import Frame
from wheatstone.viewer.io.sources.source_spec import SourceSpec
from wheatstone.viewer.run.run import Run

if TYPE_CHECKING:  # which has what findings are about
    from wheatstone.viewer.display.frames.session import Session

UNKNOWN = Finding("relative", why="the cameras are not calibrated")
NO_BASELINE = Finding("relative", why="the distance between the cameras is unknown")
NO_TRUTH = Finding("no truth")
LARGE_IMAGE, LARGE_RANGE = 2_000_000, 128
"""Pixels and disparities from which on hierarchical search is offered."""
EXAMINED = 37
"""Disparities that hierarchical search examines per pixel, of all levels: measured up to 39."""
SAY_NO_TRUTH = ("truth scale", "truth scale 2006", "possible truth")
"""The findings that say what may be done about absent ground truth."""
SAY_RELATIVE = ("relative", "features", "calibration size", "calibration shape")
"""The findings of which one is enough for depth that is not in metres."""


def source_findings(session: "Session") -> tuple[Finding, ...]:
    """List the warnings and remarks about the source that are not dismissed, by importance."""
    if not session.drawing.shows:
        return tuple(_incomplete(session))
    dismissed = _dismissed(session)
    by_name = {finding.name: finding for finding in _all(session)}
    if sum(name in by_name for name in SAY_RELATIVE) > 1:
        by_name.pop("relative", None)
    kept = {n: by_name[n] for n in FINDINGS if n in by_name and n not in dismissed}
    offered = kept.get("possible truth")
    if offered and not session.state.bounds.holds(offered.values["path"]):
        del kept["possible truth"]  # whoever is served may not open it
    if any(name in kept for name in SAY_NO_TRUTH):
        kept.pop("no truth", None)
    return tuple(kept.values())


def row_warning_place(session: "Session") -> Literal["bar", "status", "caption", ""]:
    """Return where the window warns that image rows are shifted; empty if there is no warning."""
    warning = session.rows.warning
    if not isinstance(warning, Finding):
        return ""
    if warning.name in _dismissed(session):
        return "status"
    return "bar" if session.state.shows_bars else "caption"


def _dismissed(session: "Session") -> Collection[str]:
    """Return the names of the warnings that the user dismissed for the source shown."""
    kept = session.state.dismissed
    return kept.get(key_of(session.source.spec), ()) if kept else ()


def key_of(spec: SourceSpec) -> str:
    """Return the key under which the dismissed warnings about a source are stored."""
    named = "\0".join(str(part) for part in (spec.left, spec.right, spec.topics, spec.scene))
    return sha256(named.encode("utf-8", "surrogateescape")).hexdigest()[:24]


def _all(session: "Session") -> Iterator[Finding]:
    source, frame = session.source, session.frame_shown
    yield from _incomplete(session)
    metric = frame and frame.calibration and frame.calibration.unit != RELATIVE
    for note in source.notes:
        if isinstance(note, Finding) and not (metric and note.name == "features"):
            yield note
    yield from (each for each in session.rows.warnings if isinstance(each, Finding))
    pipeline = session.state.slot.pipeline
    if (
        frame
        and frame.is_pair
        and (offered := large_range(session.state.slot, *frame.left.shape[:2]))
    ):
        yield offered
    judged = bool(source.spec.left) and bool(pipeline.image(pipeline.output).disparity)
    if frame and frame.is_pair and judged:
        yield from _lacking(frame)
        if frame.truth is None and source.length == 1:
            yield NO_TRUTH


def large_range(run: Run, height: int, width: int) -> Finding | None:
    """Return the remark that offers hierarchical search; None unless it is possible and faster.

    On the CPU it takes longer than full search.
    """
    values = run.params.values()
    if values.get("search") != "full" or run.declaration.device != "cuda":
        return None
    pixels, count = height * width, values["disparities"]
    if pixels < LARGE_IMAGE or count < LARGE_RANGE:
        return None
    if run.declaration.refuses(run.params.changed(search="hierarchical"), height, width):
        return None
    return Finding("large range", megapixels=pixels / 1e6, count=count, share=EXAMINED / count)


def _incomplete(session: "Session") -> Iterator[Finding]:
    """Yield warnings about the files opened last: refused, or without a right view."""
    if refused := session.state.refused:
        yield refused
    if path := session.state.single:
        pipeline = session.state.slot.pipeline.name
        halved = SourceSpec(path, layout="side-by-side").to_toml()
        name = Path(path).name
        yield Finding("single image", name=name, path=path, pipeline=pipeline, halved=halved)


def _lacking(frame: Frame) -> Iterator[Finding]:
    """Yield a warning if a frame has no calibration for depths in metres."""
    if frame.calibration is None:
        yield UNKNOWN
    elif frame.calibration.unit == RELATIVE:
        yield NO_BASELINE
