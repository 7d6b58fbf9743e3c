"""What the status line says: what is shown, of what, how fast, and what is left out first."""

from collections.abc import Callable
from dataclasses import dataclass

from wheatstone.viewer.cameras.rows import RowError
from wheatstone.viewer.choices.in_place import in_place
from wheatstone.viewer.choices.presets import likeness
from wheatstone.viewer.choices.state import ViewerState
from wheatstone.viewer.choices.words import spoken
from wheatstone.viewer.footage.counters import Counters
from wheatstone.viewer.frames.facts import Facts, over_time
from wheatstone.viewer.frames.session import Session
from wheatstone.viewer.run.run import Run
from wheatstone.viewer.sources.frame import Source

SEPARATOR = "  ·  "
SHORT = 0.1  # milliseconds, below which a time needs more digits
ORDER = (
    *("source", "frame", "slot", "preset", "view", "zoom", "time", "rate"),
    *("known", "size", "device", "display"),
)
"""The parts of the status line, from left to right."""
DROPPED = (
    *("display", "device", "size", "known", "zoom", "rate"),
    *("view", "preset", "source", "frame", "time"),
)
"""The parts that go where there is no room, the first of them first; ``slot`` stays."""

Parts = tuple[tuple[str, str], ...]
"""Parts of the status line: which of ``ORDER`` each is, and its words."""


@dataclass(frozen=True)
class Status:
    """The status line in words.

    Attributes:
        remark: what the variant has to say; it stands last, for it may be long.
        alarm: what makes all that is shown doubtful; it is never left out.
        recording: how far a recording is, which is never left out either; empty without one.
        coming: what is opened to be shown next; empty while nothing is.
        pictured: whether what it describes is on screen, and no longer on its way there.
    """

    parts: Parts
    remark: str = ""
    alarm: str = ""
    recording: str = ""
    coming: str = ""
    pictured: bool = False

    @property
    def cells(self) -> tuple[str, ...]:
        """List the words of all parts."""
        return tuple(words for _, words in self.parts)

    def __str__(self) -> str:
        return SEPARATOR.join(self.cells)


@dataclass(frozen=True)
class KnownOfSource:
    """What the status line says of the source and its frames.

    Attributes:
        name: the source's.
        frame: which of its frames is shown, such as ``frame 3 of 20``; empty for a still.
        rows: by how many the views are apart; None where that is not measured.
        over_time: of changes from frame to frame, while they are shown.
        damaged: frames found damaged so far.
        decoding: who decodes them; empty where none are decoded.
        live: what became of the frames of a live source; None for any other one.
        wrong: what is wrong with a live source; empty: nothing.
    """

    name: str = ""
    frame: str = ""
    rows: RowError | None = None
    over_time: str = ""
    damaged: int = 0
    decoding: str = ""
    live: Counters | None = None
    wrong: str = ""

    @property
    def cells(self) -> list[str]:
        """List what is worth a cell."""
        damaged = f"{self.damaged} damaged" if self.damaged else ""
        rows = self.rows.words if self.rows and not self.rows.apart else ""
        counted = _of_source(self.live) if self.live else ()
        return [said for said in (self.decoding, *counted, self.over_time, damaged, rows) if said]

    @property
    def alarm(self) -> str:
        """Say what makes all that is shown doubtful; empty if nothing does."""
        apart = f"{self.rows.words}: not rectified" if self.rows and self.rows.apart else ""
        return SEPARATOR.join(filter(None, (self.wrong, apart)))


def _of_source(counted: Counters) -> tuple[str, ...]:
    """Say of a live source how fast and how old its frames are, and what became of the others."""
    said = counted.words
    kept = [words for words in said if words.split()[0] not in ("received", "shown")]
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
    """Put into words what is shown, of what, and how fast.

    Args:
        facts: of A, or of B where only B is computed.
        size: width and height of the source in pixels.
        rate: frames presented per second.
        second: of B, where both are computed.
        known: what is known of the source and its frames.
    """
    slot = state.slot if state.mixing.uses_a else state.slot_b
    said = {
        "source": [known.name],
        "frame": [known.frame],
        "slot": [_named(slot)],
        "preset": [_preset(state, slot)],
        "view": [_view(state, slot)],
        "zoom": ["fitted" if state.zoom == 1.0 else f"zoom {state.zoom:.3g}"],
        "time": [_time(facts, second, state.slot_b.variant)],
        "rate": [f"{rate:.0f} fps"] if known.frame and not state.paused else [],
        "known": known.cells,
        "size": [f"{size[0]} x {size[1]}"],
        "device": [facts.device],
        "display": [f"display {facts.mode}"],
    }
    parts = tuple((name, words) for name in ORDER for words in said[name] if words)
    remark = slot.declaration.remark(slot.params, size[1], size[0])
    return Status(parts, remark, known.alarm)


def _named(slot: Run) -> str:
    return f"{slot.name} (peer)" if slot.declaration.peer else slot.name


def _view(state: ViewerState, slot: Run) -> str:
    """Name the view on screen, or what stands in its place."""
    return in_place(state) or f"view {spoken(state.view_of(slot).name)}"


def _preset(state: ViewerState, slot: Run) -> str:
    """Name the preset that a slot's parameters are like; nothing where there are no presets."""
    like = likeness(state, slot)
    return f"preset {like}" if like.preset else ""


def _time(facts: Facts, second: Facts | None, variant: str) -> str:
    """Say how long computing takes, of A and B where both are computed, and which time that is.

    Nothing before there is any time.
    """
    if all(each.usual is None for each in (facts, second) if each):
        return ""
    if second:
        words = f"A {_milliseconds(facts)}, B {variant} {_milliseconds(second)}"
        return f"compute {words} {_which(facts, second)}".rstrip()
    return f"compute {_milliseconds(facts)} {_which(facts)}".rstrip()


def _milliseconds(facts: Facts) -> str:
    """Format the time of a frame, which may be microseconds; a dash before there is one."""
    took = facts.usual
    return "- ms" if took is None else f"{took:.{2 if took >= SHORT else 4}f} ms"


def _which(*all_facts: Facts) -> str:
    """Say which time it is: the median that a race shows, or that of the one frame there was."""
    if any(facts.usual is None for facts in all_facts):
        return ""
    return "(median)" if all(facts.median is not None for facts in all_facts) else "(one frame)"


def known_of(state: ViewerState, session: Session) -> KnownOfSource:
    """Find out what the status line says of the source shown."""
    source, live = session.source, session.source.live
    return KnownOfSource(
        name=source.name,
        frame=frame_words(state, source),
        rows=session.rows.newest,
        over_time=over_time(session),
        damaged=source.damaged,
        decoding=source.decoding,
        live=session.meters.counters(live),
        wrong=live.alarm if live else "",
    )


def frame_words(state: ViewerState, source: Source) -> str:
    """Say which frame of a source is shown, counted from 0 as ``--frame`` does; or nothing."""
    if source.live:
        return f"frame {state.frame}"
    return f"frame {state.frame % source.length} of {source.length}" if source.length > 1 else ""


def fitted(parts: Parts, room: float, width: Callable[[str], float]) -> tuple[str, ...]:
    """Leave out parts, in the order of ``DROPPED``, until the words of the others fit.

    Args:
        room: for all words and what separates them, in the unit of ``width``.
        width: measures a text.
    """
    kept = list(parts)
    for name in DROPPED:
        for part in [part for part in reversed(kept) if part[0] == name]:
            if width(SEPARATOR.join(words for _, words in kept)) <= room:
                break
            kept.remove(part)
    return tuple(words for _, words in kept)
