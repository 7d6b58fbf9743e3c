"""The inspector panel: every image's value at the pixel that is pinned or under the cursor."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from wheatstone.viewer.display.frames.runner import Runner
from wheatstone.viewer.display.frames.session import Session
from wheatstone.viewer.display.picture.cell_contents import Letter
from wheatstone.viewer.display.screen.dear_imgui import imgui
from wheatstone.viewer.display.screen.gestures import for_pointer
from wheatstone.viewer.panels.costs.probe import question
from wheatstone.viewer.panels.inspector.pinned_pixels import (
    PinnedPixel,
    draw_pinned,
    pinned_rows,
)
from wheatstone.viewer.panels.inspector.pixel_facts import PixelFacts
from wheatstone.viewer.panels.inspector.pixel_rows import DASH, PixelRow, collapsed
from wheatstone.viewer.panels.inspector.pixel_words import (
    Levels,
    source_levels,
    table,
)
from wheatstone.viewer.panels.inspector.reading import Pixel, runners_used
from wheatstone.viewer.panels.marks import draw_cross
from wheatstone.viewer.panels.panel import Body, PanelContext
from wheatstone.viewer.panels.widgets import (
    draw_at_right,
    draw_progress,
    draw_tip,
    end_table,
    next_row,
    opaque,
)
from wheatstone.viewer.words import plural


def draw_levels(levels: list[Levels]) -> None:
    """Draw a table of the source's views: name, colour and levels of the pixel in each."""
    side = imgui.get_font_size()
    quiet = imgui.ColorEditFlags_.no_tooltip | imgui.ColorEditFlags_.no_drag_drop
    if not imgui.begin_table("levels", 2):
        return
    for number, level in enumerate(levels):
        next_row()
        imgui.text(level.name)
        imgui.table_next_column()
        if level.color:
            color = opaque(level.color)
            imgui.color_button(f"##{number}", color, int(quiet), (side, side))
            imgui.same_line()
        imgui.text(level.text)
    end_table()


def draw_table(rows: list[PixelRow], letters: tuple[Letter, ...]) -> None:
    """Draw the table of a pixel's values.

    The last column holds the stored value for one slot, A - B for two.
    """
    both = len(letters) == 2
    last = "A - B" if both else "stored"
    flags = imgui.TableFlags_.row_bg | imgui.TableFlags_.sizing_stretch_prop
    scale = imgui.get_style().font_scale_dpi
    imgui.push_style_var(imgui.StyleVar_.cell_padding, (3 * scale, 2 * scale))
    if imgui.begin_table("pixel", 2 + len(letters), int(flags)):
        weights = (3.1, 2.2, 2.2, 2.2) if both else (3.1, 3.4, 1.4)
        for number, weight in enumerate(weights):
            imgui.table_setup_column(
                str(number), int(imgui.TableColumnFlags_.width_stretch), weight
            )
        for row in rows:
            next_row()
            if row.heading:
                _draw_heading(row, letters, last)
            else:
                _draw_row(row, both=both)
        end_table()
    imgui.pop_style_var()


def _draw_row(row: PixelRow, *, both: bool) -> None:
    imgui.text_wrapped(row.name)
    if row.help:
        draw_tip(row.help)
    nothing = ("",) * len(row.values)
    for value, stored, absent in zip(
        row.values, row.stored or nothing, row.absent or nothing, strict=True
    ):
        imgui.table_next_column()
        _draw_value(value if both else absent or value, dim=bool(absent) or value == DASH)
        if both and (stored or absent):
            draw_tip(absent or f"stored as {stored}")
    imgui.table_next_column()
    draw_at_right(
        row.difference if both else "".join(row.stored), dim=not both or row.difference == "0"
    )


def _draw_value(text: str, *, dim: bool) -> None:
    """Draw the text of a value right-aligned; wrap a text that does not fit."""
    if imgui.calc_text_size(text).x <= imgui.get_content_region_avail().x:
        draw_at_right(text, dim=dim)
    else:
        imgui.text_wrapped(text)


def _draw_heading(row: PixelRow, letters: tuple[Letter, ...], last: str) -> None:
    imgui.text_disabled(row.name)
    for name in (*(letter.upper() for letter in letters), last):
        imgui.table_next_column()
        draw_at_right(name, dim=True)


def draw_absent(absent: Mapping[str, Sequence[str]]) -> None:
    """Draw a line for each reason why images have no value; its tooltip lists the images."""
    for why, names in absent.items():
        imgui.text_disabled(f"{plural(len(names), 'image')} {why}")
        draw_tip(", ".join(names))


EMPTY = "Point at the picture to see values. Shift+I pins the pixel, "
EMPTY += "Ctrl+Shift+I or Ctrl+Shift+click lists several in a table."


class InspectorPanel(Body):
    """The contents of the inspector panel: values at a pixel, and the table of pinned pixels."""

    def __init__(self) -> None:
        self._facts = PixelFacts()  # those of the window, once they are known
        self._key: tuple[object, ...] = ()
        self._rows: list[PixelRow] = []
        self._absent: dict[str, list[str]] = {}
        self._sentences: list[str] = []
        self._letters: tuple[Letter, ...] = ()
        self._levels: list[Levels] = []
        self.pinned: list[PinnedPixel] = []
        self._pinned_key: tuple[object, ...] = ()

    def update(self, context: PanelContext) -> None:
        """Determine the pixel to inspect; request and read the values of all images there."""
        self._facts = context.facts
        self._facts.update(context.session, context.hit)
        runners = runners_used(context.session)
        self._probe(context)
        self._read(context.session, runners)
        self._read_pinned(context, runners)

    def _probe(self, context: PanelContext) -> None:
        """Request the matching costs of the pinned pixel, which explain its match."""
        session, facts = context.session, self._facts
        frame = (session.a if context.state.mixing.uses_a else session.b).frame
        pin = facts.pixel if facts.pixel == context.state.look.pin else None
        if pin and frame and (asked := question(session, pin, frame)):
            facts.prober.ask(asked)

    def _read_pinned(self, context: PanelContext, runners: dict[Letter, Runner]) -> None:
        """Read the table of pinned pixels again if the pins or the frame of run A or B changed."""
        shown = [(runner.shown, runner.frame, runner.execution) for runner in runners.values()]
        extras = {
            letter: extra
            for letter, runner in runners.items()
            if runner.shown and runner.frame
            if (extra := self._facts.extra(letter, runner))
        }
        key = (context.state.look.pins, *shown, *extras.values())
        if key != self._pinned_key:
            self.pinned, self._pinned_key = pinned_rows(context.session, extras), key

    def _read(self, session: Session, runners: dict[Letter, Runner]) -> None:
        """Read the values of the inspected pixel again if the pixel or a frame shown changed."""
        frames = [r.frame for r in runners.values() if r.shown and r.frame]
        pixel = self._facts.pixel
        if not pixel or len(frames) < len(runners) or not frames:
            return
        frame = frames[0]
        if pixel[0] >= frame.shape[0] or pixel[1] >= frame.shape[1]:
            return
        key: tuple[object, ...] = (
            pixel,
            session.rows.newest,
            *(self._facts.values_key(session, *runner) for runner in runners.items()),
        )
        if key == self._key or (self._rows and any(not x.execution for x in runners.values())):
            return
        readings = [
            self._facts.reading(session, letter, runner, pixel)
            for letter, runner in runners.items()
        ]
        rows = table(readings, frames, pixel, session.rows.newest)
        (self._rows, self._absent), self._key = collapsed(rows), key
        self._sentences = [
            self._facts.sentence(reading, runner, pixel)
            for reading, runner in zip(readings, runners.values(), strict=True)
        ]
        self._levels, self._letters = source_levels(readings, frames, pixel), tuple(runners)

    def draw(self, context: PanelContext) -> None:
        """Draw the position and values of the inspected pixel, and the table of pinned pixels."""
        if self._facts.pixel and self._rows:
            self._draw_pixel(context, self._facts.pixel)
        else:
            imgui.text_wrapped(for_pointer(EMPTY))
        if self.pinned:
            draw_pinned(context, self.pinned)
        if self._facts.pixel and self._rows:
            self._draw_values()

    def _draw_pixel(self, context: PanelContext, pixel: Pixel) -> None:
        """Draw the pixel's position and the sentence that explains its result.

        A pinned pixel is marked in the picture by a cross.
        """
        row, column = pixel
        pin = context.state.look.pin
        imgui.text(f"x {column}  y {row}")
        imgui.same_line()
        if imgui.small_button("release" if pin else "pin"):
            context.state.look = replace(context.state.look, pin=None if pin else self._facts.pixel)
        draw_tip("Shift+I pins the pixel under the cursor, or releases it")
        imgui.same_line()
        imgui.text_disabled("pinned" if pin else "")
        for letter, sentence in zip(self._letters, self._sentences, strict=True):
            imgui.text_wrapped(f"{letter.upper()}: {sentence}" if self._letters[1:] else sentence)
        if pin and (waiting := self._facts.prober.waiting):
            draw_progress(*waiting)
        if pin:
            draw_cross(context, *pin)

    def _draw_values(self) -> None:
        """Draw the colours of the source, the values of all images, and notes about the values."""
        draw_levels(self._levels)
        draw_table(self._rows, self._letters)
        draw_absent(self._absent)
        for note in self._notes():
            imgui.text_wrapped(note)

    def _notes(self) -> list[str]:
        """List notes: which values are still being computed, and why others are missing."""
        notes = []
        for letter in self._letters:
            extras = self._facts.extras[letter]
            if extras.computing or extras.why_not:
                why = extras.why_not or "computing values on demand ..."
                notes.append(f"{letter.upper()}: {why}")
        absent = {why for row in self._rows for why in row.absent if why}
        if absent and len(self._letters) > 1:
            notes.append(f"{DASH} {', '.join(sorted(absent))}")
        return notes
