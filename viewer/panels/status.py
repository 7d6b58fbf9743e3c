"""The status line: what is computed, on what, how fast, and the newest message."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from gpu.parameters import controls
from viewer.cameras.rows import RowError
from viewer.choices.state import ViewerState
from viewer.footage.counters import Counters
from viewer.frames.session import Facts, Session
from viewer.panels.widgets import AMBER, QUIET, bare_window
from viewer.reading.plain_text import one_line
from viewer.screen.style import Ink

SEPARATOR = "  ·  "
BAR_HEIGHT = 32  # in units of an unscaled screen
RED = Ink("red")
RECORDS = Ink("dot")
DOT = 0.28  # radius of the dot of a recording, in heights of the text


@dataclass(frozen=True)
class Status:
    """The status line in words, one cell each.

    Attributes:
        remark: what the variant has to say; it stands last, for it may be long.
        alarm: what makes all that is shown doubtful; it is never left out.
        recording: how far a recording is, which is never left out either; empty without one.
    """

    cells: tuple[str, ...]
    remark: str = ""
    alarm: str = ""
    recording: str = ""

    def __str__(self) -> str:
        return SEPARATOR.join(self.cells)


@dataclass(frozen=True)
class KnownOfSource:
    """What the status line says of the source's frames.

    Attributes:
        rows: by how many the views are apart; None where that is not measured.
        over_time: of changes from frame to frame, while they are shown.
        damaged: frames found damaged so far.
        decoding: who decodes them; empty where none are decoded.
        live: what became of the frames of a live source; None for any other one.
        wrong: what is wrong with a live source; empty: nothing.
    """

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
    """Put into words pipeline, variant, device, size, parameters, time, rate, display mode, rows.

    Args:
        facts: of A, or of B where only B is computed.
        size: width and height of the source in pixels.
        rate: frames presented per second.
        second: of B, where both are computed.
        known: what is known of the source's frames.
    """
    slot = state.slot if state.mixing.uses_a else state.slot_b
    name = f"{slot.variant} (peer)" if slot.declaration.peer else slot.variant
    time = _milliseconds(facts)
    if second:
        time = f"A {time}, B {state.slot_b.variant} {_milliseconds(second)}"
    cells = [slot.pipeline.name, name, facts.device, f"{size[0]} x {size[1]}"]
    for parameter, control in controls(type(slot.params)).items():
        if control.symbol:
            cells.append(f"{control.symbol} {slot.params.values()[parameter]}")
    remark = slot.declaration.remark(slot.params, size[1], size[0])
    cells += [time, f"{rate:.0f} fps", facts.mode, *known.cells]
    return Status(tuple(cells), remark, known.alarm)


def _milliseconds(facts: Facts) -> str:
    """Format the time of a frame; a dash before there is one."""
    return "- ms" if facts.milliseconds is None else f"{facts.milliseconds:.2f} ms"


def bar_height(state: ViewerState, scale: float) -> int:
    """Compute the height in pixels that the status line takes; 0 while panels are hidden."""
    return round(BAR_HEIGHT * scale) if state.panels else 0


def draw_status(state: ViewerState, session: Session, rate: float, scale: float) -> None:
    """Draw the status line at the window's lower border.

    Args:
        rate: frames presented per second.
        scale: pixels a unit of the unscaled screen.
    """
    from imgui_bundle import imgui

    screen = imgui.get_io().display_size
    height = bar_height(state, scale)
    imgui.set_next_window_pos((0, screen.y - height))
    imgui.set_next_window_size((screen.x, height))
    imgui.push_style_var(imgui.StyleVar_.window_rounding, 0.0)
    imgui.begin("status", None, bare_window())
    imgui.pop_style_var()
    size = (session.source.width, session.source.height)
    both = state.mixing.uses_a and state.mixing.uses_b
    second = session.facts("b") if both else None
    live = session.source.live
    counted = session.meters.counters(live)
    source, alarm = session.source, live.alarm if live else ""
    of_frames = source.damaged, source.decoding, counted, alarm
    words = KnownOfSource(session.rows, session.over_time, *of_frames)
    shown = status(state, session.facts(), size, rate, second, words)
    shown = replace(shown, recording=session.recordings.words)
    _draw_line(shown, one_line(state.message))
    imgui.end()


def _draw_line(shown: Status, message: str) -> None:
    """Draw cells, alarm, message and remark beside each other; leave out what does not fit."""
    from imgui_bundle import imgui

    width = text_width
    gap = imgui.get_font_size() * 2
    room = imgui.get_content_region_avail().x
    if shown.recording:
        room -= _draw_recording(shown.recording) + gap
        imgui.same_line(0, gap)
    if shown.alarm:
        room -= width(shown.alarm) + gap
        imgui.text_colored(AMBER, shown.alarm)
        imgui.same_line(0, gap)
    fitting = SEPARATOR.join(without_longest(shown.cells, room - width(message) - gap, width))
    room -= width(fitting) + gap
    imgui.text(fitting)
    for text, color in ((message, AMBER), (shown.remark, QUIET)):
        if text:
            imgui.same_line(0, gap)
            imgui.text_colored(color, clipped(text, room, width))
            if width(text) > room and imgui.is_item_hovered():
                imgui.set_tooltip(text)
            room -= width(text) + gap


def _draw_recording(words: str) -> float:
    """Draw a red dot and how far the recording is; return the width in pixels."""
    from imgui_bundle import imgui

    place, height = imgui.get_cursor_screen_pos(), imgui.get_text_line_height()
    center = (place.x + height / 2, place.y + height / 2)
    red = imgui.get_color_u32(RECORDS)
    imgui.get_window_draw_list().add_circle_filled(center, DOT * height, red)
    imgui.dummy((height, height))
    imgui.same_line(0, height / 3)
    imgui.text_colored(RED, words)
    return height * 4 / 3 + text_width(words)


def text_width(text: str) -> float:
    """Measure a text in pixels, within a frame of Dear ImGui."""
    from imgui_bundle import imgui

    return float(imgui.calc_text_size(text).x)


def without_longest(
    cells: Sequence[str], room: float, width: Callable[[str], float]
) -> tuple[str, ...]:
    """Leave out cells until the rest fit: the longest first, but never the first two.

    Args:
        room: for all cells and what separates them, in the unit of ``width``.
        width: measures a text.
    """
    kept = list(cells)
    while len(kept) > 2 and width(SEPARATOR.join(kept)) > room:
        kept.remove(max(kept[2:], key=width))
    return tuple(kept)


def clipped(text: str, room: float, width: Callable[[str], float]) -> str:
    """Shorten a text to as much of its beginning as fits, with an ellipsis.

    Args:
        room: for the text, in the unit of ``width``.
        width: measures a text.
    """
    if width(text) <= room:
        return text
    fits = [n for n in range(len(text)) if width(f"{text[:n]}...") <= room]
    return f"{text[: fits[-1]]}..." if fits else ""
