"""The panel of a pixel's cost curves: how its disparity was chosen, checked and refined."""

from dataclasses import replace

from wheatstone.gpu.pipelines.sgm.curves import Curves
from wheatstone.viewer.choices.state import ViewerState
from wheatstone.viewer.display.frames.session import Session
from wheatstone.viewer.display.picture.cell_contents import Letter
from wheatstone.viewer.display.screen.dear_imgui import imgui
from wheatstone.viewer.display.screen.gestures import for_pointer
from wheatstone.viewer.io.sources.frame import Frame
from wheatstone.viewer.panels.costs.cost_plot import Patches, draw_plot
from wheatstone.viewer.panels.costs.cost_traces import Traces, traces_of
from wheatstone.viewer.panels.costs.cost_words import (
    PLAIN,
    Sentence,
    compositions,
    draw_numbers,
    draw_part,
    draw_sentence,
    judgements,
    table,
)
from wheatstone.viewer.panels.costs.marks import MarkedPixel, draw_marks, marks
from wheatstone.viewer.panels.costs.probe import (
    is_second,
    probed_pixel,
    probed_slot,
    question,
)
from wheatstone.viewer.panels.inspector.pixel_facts import PixelFacts
from wheatstone.viewer.panels.panel import Body, PanelContext
from wheatstone.viewer.panels.widgets import (
    draw_progress,
    draw_tip,
    draw_wrapped,
    stay_on_line,
    text_width,
)

NARROW = 760  # units of an unscaled screen, below which the table does not fit beside the plot
TABLE = 470  # width of the table
ROOMY, PATCHES = 700, 230  # where patches fit beside the plot, and their width
LEAST_PLOT = 160  # height of the plot; a lower panel scrolls
HOW = "Point at the picture to see the costs of a pixel; Shift+I pins it."


class CostsPanel(Body):
    """The contents of the panel that explains a pixel's matching costs."""

    def __init__(self) -> None:
        self._facts = PixelFacts()  # those of the window, once they are known
        self._sentence, self._key = "", tuple[object, ...]()
        self._pixel: tuple[int, int] | None = None
        self._why_not = HOW
        self._final: float | None = None
        self._has_final = False
        self._traces: Traces | None = None
        self._drawn: Traces | None = None
        self._patches = Patches()
        self._size = (0, 0)

    def update(self, context: PanelContext) -> None:
        """Request the costs of the pixel under the cursor, or of the pinned pixel."""
        session, state = context.session, context.state
        frame = (session.a if state.mixing.uses_a else session.b).frame
        if not frame:
            return
        self._facts, self._size = context.facts, frame.shape
        self._facts.update(session, context.hit)
        pixel = self._facts.pixel
        if pixel != self._pixel:
            self._pixel = pixel
            state.probing = replace(state.probing, disparity=None)
        asked = question(session, pixel, frame) if pixel else None
        self._why_not = _why_not(state, frame, asked is not None)
        if asked:
            self._facts.prober.ask(asked)
            self._look_up_shown(context)
            known = self._facts.prober.answer
            if known and known.question.frame.shape != frame.shape:
                self._traces = None  # of the previous source, which may be larger
            elif known and (not self._traces or self._traces.curves is not known.curves[0]):
                self._traces = traces_of(known)
        if asked and self._traces:
            self._explain(session, "a" if state.mixing.uses_a else "b", self._traces.curves)

    def _explain(self, session: Session, letter: Letter, curves: Curves) -> None:
        """Update the sentence that explains the pixel's result, if its values have changed."""
        facts, runner = self._facts, session.a if letter == "a" else session.b
        if not (runner.shown and runner.frame and (runner.execution or not self._sentence)):
            return
        pixel = curves.row, curves.column
        key = (pixel, *facts.values_key(session, letter, runner))
        if key != self._key:
            reading = facts.reading(session, letter, runner, pixel)
            self._sentence, self._key = facts.sentence(reading, runner, pixel), key

    def _look_up_shown(self, context: PanelContext) -> None:
        """Read the disparity of the pixel in the result, if it is available."""
        session, known = context.session, self._facts.prober.answer
        runner = session.a if context.state.mixing.uses_a else session.b
        slot = probed_slot(context.state)
        copy = session.latest.image(runner, slot.pipeline.output) if known else None
        self._has_final = bool(
            copy
            and known
            and copy.shown.slot.params == known.question.params[0]
            and copy.frame is known.question.frame
        )
        if copy and known and self._has_final:
            image = slot.pipeline.image(slot.pipeline.output)
            stored = int(copy.values[known.question.row, known.question.column])
            invalid = image.invalid and image.invalid(slot.params) == stored
            self._final = None if invalid else stored * image.scale

    def draw(self, context: PanelContext) -> None:
        """Draw the panel (selection of paths, plot and numbers), and the marks over the images."""
        traces, probing = self._traces, context.state.probing
        if self._why_not or not traces:
            draw_part(context.state)
            self._draw_missing()
            return
        draw_wrapped(self._sentence, PLAIN)
        wide = imgui.get_content_region_avail().x >= NARROW * context.scale
        if wide:
            imgui.begin_child("numbers", (TABLE * context.scale, 0))
        draw_part(context.state)
        self._draw_heading(context, traces.curves)
        self._draw_numbers(context, traces, wide)
        if wide:
            imgui.end_child()
            imgui.same_line()
        patches_width = self._patches_width(context) if wide else 0.0
        fresh, self._drawn = traces is not self._drawn, traces
        width = imgui.get_content_region_avail().x - patches_width
        height = max(imgui.get_content_region_avail().y, LEAST_PLOT * context.scale)
        imgui.begin_child("plot", (max(width, 1.0), height))
        chosen = draw_plot(traces, probing.disparity, context.scale, fresh=fresh)
        imgui.end_child()
        if patches_width:
            imgui.same_line()
            at = traces.curves.first + _marked(traces.curves, probing.disparity)
            self._patches.draw(traces, at, context.scale)
        if chosen is not None:
            context.state.probing = replace(probing, disparity=chosen)
        self._draw_marks(context, traces.curves)

    def _draw_missing(self) -> None:
        """Draw the progress of computing the costs, or the reason why there are no costs."""
        waiting = self._facts.prober.waiting
        if waiting and not (self._facts.prober.complaint or self._why_not):
            draw_progress(*waiting)
        else:
            imgui.text_wrapped(for_pointer(self._facts.prober.complaint or self._why_not))

    def _draw_heading(self, context: PanelContext, curves: Curves) -> None:
        """Draw the pixel's row and column, and whether the pixel is pinned."""
        here = probed_pixel(
            context.state, context.hit, context.session.display.drawn.images, self._size
        )
        at_pin = here and (here == context.state.look.pin or here in context.state.look.pins)
        pinned = "pinned" if at_pin else "at the cursor" if here else "probed last"
        place = f"row {curves.row}, column {curves.column}"
        stay_on_line(text_width(place))
        imgui.text(place)
        stay_on_line(text_width(pinned))
        imgui.text_disabled(pinned)
        draw_tip("Shift+I pins a pixel, or releases it.")

    def _draw_numbers(self, context: PanelContext, traces: Traces, roomy: bool) -> None:
        """Draw the table and all sentences; in a small panel, only the most important sentence."""
        sentences = self._sentences(context, traces)
        if not roomy:
            rejections = [sentence for sentence in sentences if sentence[1]]
            draw_sentence((rejections or sentences[-1:])[0])
            return
        curves, second = traces.curves, traces.second
        at = _marked(curves, context.state.probing.disparity)
        made = compositions([curves, second] if second else [curves], curves.first + at)
        draw_numbers(
            table(curves, traces.names, at, traces.truth), [*made, *sentences], context.scale
        )

    def _sentences(self, context: PanelContext, traces: Traces) -> list[Sentence]:
        known = self._facts.prober.answer
        verdict = known.verdict if known else None
        final = (self._final,) if self._has_final else None
        slot = probed_slot(context.state)
        peer = slot.variant if slot.declaration.peer else ""
        return judgements(traces.curves, verdict, traces.truth, final, peer)

    def _patches_width(self, context: PanelContext) -> float:
        """Return the width for image patches; 0 in a small panel, or if the right view is shown."""
        pipeline = probed_slot(context.state).pipeline
        seen = any(
            is_second(pipeline, (name,))
            for pane in context.session.display.drawn.images
            for name in pane
        )
        roomy = imgui.get_content_region_avail().x >= ROOMY * context.scale
        return PATCHES * context.scale if roomy and not seen else 0.0

    def _draw_marks(self, context: PanelContext, curves: Curves) -> None:
        drawn = context.session.display.drawn
        disparity = curves.first + _marked(curves, context.state.probing.disparity)
        searched = curves.first, curves.first + curves.sums.size - 1
        pixel = MarkedPixel(curves.row, curves.column, disparity, searched)
        whole = [drawn.of_frame(n) and not drawn.in_space(n) for n in range(len(drawn.images))]
        flat = [names if whole[n] else () for n, names in enumerate(drawn.images)]
        listed = marks(drawn.arrangement, flat, probed_slot(context.state).pipeline, pixel)
        draw_marks(listed, context.area, context.scale)


def _why_not(state: ViewerState, frame: Frame, asked: bool) -> str:
    """Return the reason why there are no costs to show, or a hint; empty if costs are expected."""
    pipeline = probed_slot(state).pipeline
    if not pipeline.probe:
        return f"{pipeline.name} has no matching costs; Ctrl+1..9 chooses another pipeline."
    if not frame.is_pair:
        return "The source is a single image: costs need a stereo pair."
    return "" if asked else HOW


def _marked(curves: Curves, disparity: int | None) -> int:
    """Return the index of the disparity marked by the user's line, else of the winner."""
    if disparity is None:
        return curves.winner
    return min(max(disparity - curves.first, 0), curves.sums.size - 1)
