"""The lesson panel: the list of lessons, or a lesson's step and its drawings in the picture."""

import math
import time
from collections.abc import Mapping, Sequence

from wheatstone.viewer.choices.learning import LESSON, Lesson, LessonUnderWay
from wheatstone.viewer.choices.messages import Kind
from wheatstone.viewer.choices.state import ViewerState
from wheatstone.viewer.display.screen.dear_imgui import imgui
from wheatstone.viewer.display.screen.gestures import for_pointer
from wheatstone.viewer.display.screen.style import number
from wheatstone.viewer.panels.lesson.finding import FactFinder
from wheatstone.viewer.panels.lessons.drawing import (
    DONE,
    READ,
    WORK,
    BoxShape,
    LineShape,
    drawing,
    seconds_of,
)
from wheatstone.viewer.panels.lessons.reading import BUILT_IN, read_lesson
from wheatstone.viewer.panels.lessons.wording import PENDING, FactCall, worded
from wheatstone.viewer.panels.marks import CASING, MarkedPane, clipped, draw_cross, panes, place_of
from wheatstone.viewer.panels.panel import Body, PanelContext
from wheatstone.viewer.panels.widgets import AMBER, ICONS, INKS, QUIET, disabled, draw_wrapped
from wheatstone.viewer.resources import ASSIGNMENTS

SHAPE_INKS: Mapping[str, tuple[int, int]] = {
    WORK: (number("on picture"), number("on picture", 0.35)),
    READ: (number("on picture too"), number("on picture too", 0.35)),
    DONE: (number("rim", 0.55), number("rim", 0.35)),
}
"""The colour of lines and of areas, by the meaning of a shape."""


def draw_shapes(context: PanelContext, shapes: Sequence[BoxShape | LineShape]) -> None:
    """Draw shapes over every image that shows the left view, but under the panels."""
    for pane in panes(context.session.display.drawn):
        with clipped(context, pane):
            for shape in shapes:
                if isinstance(shape, BoxShape):
                    _draw_box(context, pane, shape)
                else:
                    _draw_line(context, pane, shape)


def _draw_box(context: PanelContext, pane: MarkedPane, box: BoxShape) -> None:
    """Draw a rectangle of a lesson over the image: filled, or its outline with a dark rim."""
    canvas, (line, area) = imgui.get_background_draw_list(), SHAPE_INKS[box.ink]
    begin = place_of(context, pane, box.y, box.x)
    end = place_of(context, pane, box.y + box.height, box.x + box.width)
    if box.filled:
        canvas.add_rect_filled(begin, end, area)
        return
    for color, width in ((CASING, 3.0), (line, 1.5)):
        canvas.add_rect(begin, end, color, thickness=width * context.scale)


def _draw_line(context: PanelContext, pane: MarkedPane, line: LineShape) -> None:
    """Draw a line of a lesson over the image, thinner if it shows finished work."""
    canvas = imgui.get_background_draw_list()
    begin, end = (place_of(context, pane, y, x) for x, y in (line.begin, line.end))
    strokes = ((CASING, 4.0), (SHAPE_INKS[line.ink][0], 2.0))
    for color, width in strokes[1:] if line.ink == DONE else strokes:
        canvas.add_line(begin, end, color, width * context.scale / (1 + (line.ink == DONE)))


TITLE = 1.25  # size of a step's title, in sizes of other text
MARKING = {"costs", "inspector", "measure"}
"""Panels that themselves mark the pinned pixel."""
COMPUTING = "The numbers are being computed."
REST = 0.25  # of the time that a drawing moves, it stands still at its end


class LessonPanel(Body):
    """The contents of the lesson panel: the list of lessons, or the current step of one."""

    def __init__(self) -> None:
        self._finder = FactFinder()
        self._listed: list[Lesson] = []
        self._state: ViewerState | None = None
        self._shown: tuple[int, bool] | None = None  # step, and whether its answer is shown
        self._began = 0.0
        self._begins = False  # the words of another step begin at the top
        self._follows = False  # the words scroll to the answer until all of it is known
        self._complaint = ""
        self._texts_before: Mapping[
            FactCall, str
        ] = {}  # before the answer, which may show other numbers

    @property
    def busy(self) -> bool:
        return self._finder.busy

    @property
    def due(self) -> float:
        under_way = self._state.lesson if self._state else None
        if not under_way or under_way.moment is not None or not self._finder.about:
            return math.inf
        passed = time.monotonic() - self._began
        rests = (seconds_of_rest(passed, seconds_of(words)) for words in under_way.draws)
        return time.perf_counter() + min(rests, default=math.inf)

    def update(self, context: PanelContext) -> None:
        """Request the facts that the step names; without a lesson, read the list of lessons."""
        self._state, under_way = context.state, context.state.lesson
        if not under_way:
            self._list()
            return
        if self._shown != (under_way.step, under_way.answered):
            if not under_way.answered or not self._shown or self._shown[0] != under_way.step:
                self._texts_before = {}
            self._shown, self._began = (under_way.step, under_way.answered), time.monotonic()
            self._follows, self._begins = under_way.answered, not under_way.answered
        frame, step = context.session.frame_shown, under_way.now
        if frame and context.session.complete:
            texts = step.text, step.to_do, step.question, *(each.text for each in step.choices)
            if under_way.answered:
                texts = (step.answer, *(() if self._texts_before else texts))
            self._finder.ask(texts, context.state, frame)
            if not under_way.answered and not self.busy:
                self._texts_before = self._finder.texts

    def _list(self) -> None:
        """Read the built-in lessons, unless they were read already."""
        if self._listed or self._complaint:
            return
        try:
            self._listed = [read_lesson(name) for name in BUILT_IN]
        except (OSError, ValueError) as error:
            self._complaint = str(error)

    def draw(self, context: PanelContext) -> None:
        """Draw the lesson's step and its shapes over the picture, or the list of lessons."""
        under_way = context.state.lesson
        if under_way:
            texts = self._draw_over_picture(context, under_way)
            self._draw_step(context, under_way, texts)
        else:
            self._draw_list(context.state)

    def _draw_list(self, state: ViewerState) -> None:
        draw_wrapped("A lesson shows step by step how a pipeline computes its result.", QUIET)
        if self._complaint:
            draw_wrapped(self._complaint)
        for known in self._listed:
            imgui.spacing()
            at = state.learning.steps.get(known.name, 0)
            enter = " (Enter)" if known.name == first_lesson(state) else ""
            verb = f"go on at step {at + 1}" if 0 < at < len(known.steps) else "begin"
            imgui.separator_text(known.title)
            draw_wrapped(f"{known.about} {len(known.steps)} steps.")
            if imgui.button(f"{for_pointer(verb.capitalize() + enter)}##{known.name}", (-1, 0)):
                state.effects.append((LESSON, "begin", known.name))

    def _draw_over_picture(self, context: PanelContext, under_way: LessonUnderWay) -> list[str]:
        """Draw the shapes of a lesson's step over the picture; return texts that describe them."""
        about = self._finder.about
        if not about or not context.session.complete:
            return []
        texts: list[str] = []
        marked = MARKING & context.state.open_panels
        if context.state.look.pin and not (marked or under_way.draws or context.state.unfolding.on):
            draw_cross(context, *context.state.look.pin)
        for words in under_way.draws:
            moment = under_way.moment
            if moment is None:
                moment = clock_moment(time.monotonic() - self._began, seconds_of(words))
            shapes = drawing(words, about, moment)
            draw_shapes(context, shapes.shapes)
            texts.append(shapes.description)
        return texts

    def _draw_step(
        self, context: PanelContext, under_way: LessonUnderWay, texts: list[str]
    ) -> None:
        """Draw the texts of the lesson's step, and buttons for the next and the previous step."""
        state, step, count = context.state, under_way.step, len(under_way.lesson.steps)
        draw_wrapped(f"{under_way.lesson.title}, step {step + 1} of {count}", QUIET)
        imgui.progress_bar((step + 1) / count, (-1, 3 * context.scale), "")
        foot = imgui.get_frame_height_with_spacing() + 2 * imgui.get_style().item_spacing.y
        imgui.begin_child("words", (0, -foot))
        if self._begins:
            imgui.set_scroll_y(0)
            self._begins = False
        self._draw_words(context, under_way, texts)
        imgui.end_child()
        imgui.separator()
        _draw_buttons(state, under_way, count)

    def _draw_words(
        self, context: PanelContext, under_way: LessonUnderWay, texts: list[str]
    ) -> None:
        """Draw the texts of the lesson's step: title, paragraph, exercise, question and answer."""
        step, known_facts = under_way.now, self._finder.texts
        before = self._texts_before if under_way.answered and self._texts_before else known_facts
        has_gpu = not context.state.absent.get("cuda", "")

        def put(text: str, known: Mapping[FactCall, str] = before) -> str:
            return for_pointer(worded(text, known, has_gpu=has_gpu))

        imgui.push_font(None, imgui.get_style().font_size_base * TITLE)
        imgui.text_wrapped(step.title)
        imgui.pop_font()
        imgui.text_wrapped(put(step.text))
        for line in texts:
            imgui.spacing()
            draw_wrapped(line, AMBER)
        if step.to_do:
            imgui.separator_text("Try")
            imgui.text_wrapped(put(step.to_do))
        if step.question:
            imgui.separator_text("Question")
            imgui.text_wrapped(put(step.question))
            choices = [put(each.text) for each in step.choices]
            if self._waits_for(*choices):
                draw_wrapped(COMPUTING, QUIET)
            else:
                _draw_choices(context.state, under_way, choices)
            if under_way.answered:
                imgui.separator_text("Answer")
                answer = put(step.answer, known_facts)
                if self._waits_for(answer):
                    draw_wrapped(COMPUTING, QUIET)
                else:
                    imgui.text_wrapped(answer)
                self._follow_answer(context)
        _draw_assignment(context.state, under_way)
        if self._finder.complaint:
            draw_wrapped(self._finder.complaint)

    def _waits_for(self, *texts: str) -> bool:
        """Return whether numbers in the lesson's texts are still being computed."""
        return not self._finder.complaint and any(PENDING in text for text in texts)

    def _follow_answer(self, context: PanelContext) -> None:
        """Scroll to the end of the lesson's answer until it is complete."""
        if self._follows:
            imgui.set_scroll_here_y(1.0)
            self._follows = self.busy or not context.session.complete

    def close(self) -> None:
        self._finder.close()
        state = self._state
        if state and state.lesson and LESSON not in state.open_panels:
            state.effects.append((LESSON, "end"))


def offers_assignment(state: ViewerState, lesson: Lesson) -> bool:
    """Return whether the user can begin a lesson's assignment; not in a browser's window."""
    own = lesson.name in BUILT_IN and lesson.pipeline in ASSIGNMENTS
    return own and state.bounds.root is None and not state.bounds.read_only


def _draw_assignment(state: ViewerState, under_way: LessonUnderWay) -> None:
    """Draw the button that begins the lesson's assignment, below the last step."""
    lesson, step = under_way.lesson, under_way.now
    ends = under_way.step == len(lesson.steps) - 1 and (under_way.answered or not step.question)
    if not ends or not offers_assignment(state, lesson):
        return
    imgui.separator_text("Write it yourself")
    imgui.text_wrapped(
        "Write the kernels of this pipeline: a folder with their signatures and specifications, "
        f"my-{lesson.pipeline}, and a window that shows what they compute and where they differ."
    )
    if imgui.button("Begin the assignment", (-1, 0)):
        state.request(LESSON, "assignment")


def first_lesson(state: ViewerState) -> str:
    """Return the name of the lesson that Enter starts: the current pipeline's or the first one."""
    name = state.slot.pipeline.name
    return name if name in BUILT_IN else BUILT_IN[0]


def clock_moment(seconds: float, moves: float) -> float:
    """Return an animation's position, 0 to 1: it moves ``moves`` seconds, rests, and repeats."""
    period = moves * (1 + REST)
    return min(seconds % period / moves, 1.0)


def seconds_of_rest(seconds: float, moves: float) -> float:
    """Return the seconds for which an animation still rests; 0 while it moves."""
    period = moves * (1 + REST)
    return 0.0 if seconds % period < moves else period - seconds % period


def _draw_choices(state: ViewerState, under_way: LessonUnderWay, texts: Sequence[str]) -> None:
    """Draw the answers to a lesson's question; after the choice, show which one is right."""
    choices, answered = under_way.now.choices, under_way.answered
    right = next((n for n, choice in enumerate(choices) if choice.right), 0)
    for n, (choice, text) in enumerate(zip(choices, texts, strict=True)):
        if n != right and text == texts[right]:
            continue  # numbers of this picture also make it right
        imgui.push_id(n)
        if not answered:
            pressed = imgui.small_button(f" {n + 1} ")
            imgui.same_line()
            imgui.text_wrapped(text)
            if pressed or imgui.is_item_clicked():
                state.request(LESSON, "choose", str(n + 1))
        else:
            wrong: Kind = "error" if n + 1 == under_way.chosen else "hint"
            kind: Kind = "success" if choice.right else wrong
            draw_wrapped(f"{n + 1 if kind == 'hint' else ICONS[kind]}  {text}", INKS[kind])
        imgui.pop_id()
    if answered and under_way.chosen:
        kind = "success" if under_way.chosen == right + 1 else "error"
        draw_wrapped("Right." if kind == "success" else "Wrong.", INKS[kind])


def _draw_buttons(state: ViewerState, under_way: LessonUnderWay, count: int) -> None:
    waits = bool(under_way.now.question) and not under_way.answered
    with disabled(under_way.step == 0 and not under_way.answered):
        if imgui.button(for_pointer("Back (Backspace)")):
            state.request(LESSON, "back")
    imgui.same_line()
    last = under_way.step == count - 1
    label = "Show the answer (Enter)" if waits else "The end" if last else "Next (Enter)"
    with disabled(last and not waits):
        if imgui.button(for_pointer(label), (-1, 0)):
            state.request(LESSON, "on")
