"""The texts of the status line, and the order in which they are omitted if space is short."""

from collections.abc import Callable
from dataclasses import dataclass

from wheatstone.viewer.choices.judging import SHOWN_AS, is_disparity
from wheatstone.viewer.choices.mixing import DIFFERENCES
from wheatstone.viewer.choices.state import FITTED, ViewerState
from wheatstone.viewer.choices.tuning import likeness
from wheatstone.viewer.choices.unfolding import watched
from wheatstone.viewer.display.frames.facts import Facts, over_time
from wheatstone.viewer.display.frames.session import Session
from wheatstone.viewer.display.frames.source_findings import row_warning_place
from wheatstone.viewer.io.cameras.rows import RowError
from wheatstone.viewer.io.footage.counters import Counters
from wheatstone.viewer.io.reading.plain_text import label
from wheatstone.viewer.io.sources.frame import Source
from wheatstone.viewer.words import spoken


def in_place(state: ViewerState) -> str:
    """Describe the image that run A shows in place of its view; empty if the view is shown."""
    if watched(state):
        return f"slow motion: {state.unfolding.stage}"
    pipeline = state.slot.pipeline
    if not is_disparity(pipeline.image(pipeline.output)):
        return ""
    if state.temporal.show != "off":
        return f"over time: {state.temporal.show}"
    if state.truth.show != "off" and state.mixing.mode not in DIFFERENCES:
        return SHOWN_AS[state.truth.show]
    return ""


SEPARATOR = "  ·  "
SHORT = 0.1  # milliseconds, below which a time needs more digits
DROPPED = (
    *("display", "device", "size", "known", "zoom", "rate"),
    *("view", "preset", "source", "frame", "error", "time"),
)
"""The parts that are omitted for lack of room, the first of them first; ``slot`` stays."""

Parts = tuple[tuple[str, str], ...]
"""Parts of the status line, from left to right: the name and the text of each."""


@dataclass(frozen=True)
class Status:
    """The parts of the status line as texts.

    Attributes:
        remark: a remark on the variant; it stands last, for it may be long.
        alarm: why the whole picture may be wrong; it is never omitted.
        recording: progress of a recording, never omitted either; empty without one.
        coming: the source that is being opened; empty if there is none.
        pictured: whether the described picture is on screen already.
    """

    parts: Parts
    remark: str = ""
    alarm: str = ""
    recording: str = ""
    coming: str = ""
    pictured: bool = False

    @property
    def cells(self) -> tuple[str, ...]:
        """List the texts of all parts of the status line."""
        return tuple(words for _, words in self.parts)

    def __str__(self) -> str:
        return SEPARATOR.join(self.cells)


@dataclass(frozen=True)
class KnownOfSource:
    """The facts about the source and its frames that the status line shows.

    Attributes:
        frame: the frame shown, such as ``frame 3 of 20``; empty for a still.
        rows: by how many rows the views are apart; None if not measured.
        rows_alarm: whether the status line is the place that warns of shifted rows.
        over_time: describes changes from frame to frame, while they are shown.
        error: the main error of the result, by ground truth; empty if it is not known.
        decoding: the decoder of the frames; empty if none are decoded.
        live: counts of the frames of a live source; None for any other one.
        wrong: the problem of a live source; empty if there is none.
    """

    name: str = ""
    frame: str = ""
    rows: RowError | None = None
    rows_alarm: bool = False
    over_time: str = ""
    error: str = ""
    damaged: int = 0
    decoding: str = ""
    live: Counters | None = None
    wrong: str = ""

    @property
    def cells(self) -> list[str]:
        """List the texts about the source that get a cell of the status line."""
        damaged = f"{self.damaged} damaged" if self.damaged else ""
        rows = self.rows.words if self.rows and not self.rows.misaligned else ""
        counted = _of_source(self.live) if self.live else ()
        return [text for text in (self.decoding, *counted, self.over_time, damaged, rows) if text]

    @property
    def alarm(self) -> str:
        """Return why the whole picture may be wrong; empty if there is no reason."""
        warning = f"{self.rows.words}: not rectified" if self.rows and self.rows_alarm else ""
        return SEPARATOR.join(filter(None, (self.wrong, warning)))


def _of_source(counted: Counters) -> tuple[str, ...]:
    """List a live source's frame rate, the age of its frames, and counts of skipped frames."""
    kept = [words for words in counted.words if words.split()[0] not in ("received", "shown")]
    return f"source {counted.rate:.0f} fps", *reversed(kept)


NOTHING_KNOWN = KnownOfSource()


def status(
    state: ViewerState,
    facts: Facts,
    size: tuple[int, int],
    rate: float,
    second: Facts | None = None,
    known: KnownOfSource = NOTHING_KNOWN,
) -> Status:
    """Compose the status line: source, run, view, speed and device.

    Args:
        facts: of A, or of B if only B is computed.
        size: width and height of the source in pixels.
    """
    slot = state.slot if state.mixing.uses_a else state.slot_b
    like = likeness(state, slot)
    texts_by_name = {
        "source": [known.name],
        "frame": [known.frame],
        "slot": [f"{slot.name} (peer)" if slot.declaration.peer else slot.name],
        "preset": [f"preset {like}" if like.preset else ""],
        "view": [in_place(state) or f"view {spoken(state.view_of(slot).name)}"],
        "error": [known.error],
        "zoom": ["fitted" if (state.zoom, state.center) == FITTED else f"zoom {state.zoom:.3g}"],
        "time": [_time(facts, second, state.slot_b.variant)],
        "rate": [f"{rate:.0f} fps"] if known.frame and not state.paused else [],
        "known": known.cells,
        "size": [f"{size[0]} x {size[1]}"],
        "device": [facts.device],
        "display": [f"display {facts.mode}"],
    }
    parts = tuple(
        (name, words) for name, texts in texts_by_name.items() for words in texts if words
    )
    remark = slot.declaration.remark(slot.params, size[1], size[0])
    return Status(parts, remark, known.alarm)


def _time(facts: Facts, second: Facts | None, variant: str) -> str:
    """Format the compute time of the runs shown (A, B or both); empty before the first frame."""
    if all(each.usual is None for each in (facts, second) if each):
        return ""
    if second:
        words = f"A {_milliseconds(facts)}, B {variant} {_milliseconds(second)}"
        return f"compute {words} {_which(facts, second)}".rstrip()
    return f"compute {_milliseconds(facts)} {_which(facts)}".rstrip()


def _milliseconds(facts: Facts) -> str:
    """Format the compute time of a frame in milliseconds; a dash before the first time."""
    took = facts.usual
    return "- ms" if took is None else f"{took:.{2 if took >= SHORT else 4}f} ms"


def _which(*all_facts: Facts) -> str:
    """Return whether the compute times are medians or of one frame; empty without times."""
    if any(facts.usual is None for facts in all_facts):
        return ""
    return "(median)" if all(facts.median is not None for facts in all_facts) else "(one frame)"


def known_of(state: ViewerState, session: Session) -> KnownOfSource:
    """Collect the facts about the current source for the status line."""
    source, live = session.source, session.source.live
    return KnownOfSource(
        name=source.name,
        frame=frame_words(state, source),
        rows=session.rows.newest,
        rows_alarm=row_warning_place(session) == "status",
        over_time=over_time(session),
        error=session.figures.error,
        damaged=source.damaged,
        decoding=source.decoding,
        live=session.meters.counters(live),
        wrong=live.alarm if live else "",
    )


def frame_words(state: ViewerState, source: Source) -> str:
    """Return the number of the frame shown, counted from 0; empty for a single image."""
    if source.live:
        return f"frame {state.frame}"
    return f"frame {state.frame % source.length} of {source.length}" if source.length > 1 else ""


TIPS = {
    "slot": "Pipeline and variant of A, which select how the result is computed.",
    "preset": "The parameters; a star marks changed ones.",
    "error": "The main error of the result against the ground truth.",
    "time": "Time to compute a frame, without reading and drawing: the median of the last frames, "
    "or the time of one frame.",
    "rate": "Frames per second.",
    "size": "Width and height of a view in pixels.",
    "device": "The device that computes.",
    "display": "Path of results to the screen: cpu: from main memory; copy: from the GPU through "
    "main memory; interop: within the GPU.",
}
"""Explanations of the parts of the status line, by name."""
ROWS_TIP = (
    "Median row offset of matching points of the two views; less than a pixel in a rectified pair."
)
PEER_TIP = "A peer is an external network or program; its results are not those of the reference."


def tip_at(parts: Parts, x: float, width: Callable[[str], float]) -> str:
    """Return the tooltip of the part at a position of the status line, or an empty text.

    Args:
        x: from the beginning of the first part, as ``width`` measures texts.
    """
    before = ""
    for name, words in parts:
        before += words
        if x <= width(before):
            if words.startswith("rows "):
                return ROWS_TIP
            return PEER_TIP if words.endswith("(peer)") else TIPS.get(name, "")
        before += SEPARATOR
    return ""


def fitted(parts: Parts, room: float, width: Callable[[str], float]) -> Parts:
    """Omit parts, in the order of ``DROPPED``, until the remaining ones fit into a width."""
    kept = list(parts)
    for name in DROPPED:
        for part in [part for part in reversed(kept) if part[0] == name]:
            if width(SEPARATOR.join(words for _, words in kept)) <= room:
                break
            kept.remove(part)
    return tuple(kept)


PROGRAM = "Wheatstone"


def title(state: ViewerState, source_name: str) -> str:
    """Compose the window's title: file, pipeline, variant, and preset (with a star if changed)."""
    slot = state.slot if state.mixing.uses_a else state.slot_b
    like = likeness(state, slot)
    preset = f"  {like}" if like.preset else ""
    return f"{label(source_name)}  {slot.name}{preset} - {PROGRAM}"
