"""Lessons: their files, what their texts name, and what they say of a picture."""

from collections.abc import Iterator
from dataclasses import replace
from math import ceil
from pathlib import Path

import pytest

from wheatstone.gpu.analysis.kernel_facts import kernel_facts
from wheatstone.gpu.analysis.memory_access import (
    ACCESSES,
    Access,
    sectors,
    tile,
    warp_offsets,
    warp_sectors,
    window_pixels,
)
from wheatstone.gpu.pipelines import PIPELINES
from wheatstone.gpu.pipelines.canny import CannyParams
from wheatstone.gpu.pipelines.mean import MeanParams
from wheatstone.gpu.pipelines.sgm import SgmParams
from wheatstone.gpu.pipelines.sgm.probe import SgmProbe
from wheatstone.gpu.steps import Setup
from wheatstone.viewer.choices.learning import Lesson, LessonChoice, LessonUnderWay, StateLine
from wheatstone.viewer.choices.slot import default_slot
from wheatstone.viewer.choices.state import ViewerState
from wheatstone.viewer.io.scenes import SCENES
from wheatstone.viewer.io.sources.grey import grey_levels
from wheatstone.viewer.io.sources.opening import open_source
from wheatstone.viewer.io.sources.source_spec import SourceSpec
from wheatstone.viewer.panels.lessons.drawing import BoxShape, check_drawing, drawing
from wheatstone.viewer.panels.lessons.facts import FACTS, check_fact, find_out
from wheatstone.viewer.panels.lessons.facts.subject import FactSubject
from wheatstone.viewer.panels.lessons.reading import (
    BUILT_IN,
    BrokenLesson,
    parse_lesson,
    read_lesson,
)
from wheatstone.viewer.panels.lessons.wording import (
    NO_GPU,
    PENDING,
    WITHOUT,
    FactCall,
    GpuPart,
    facts_in,
    parse_text,
    worded,
)
from wheatstone.viewer.resources import ASSETS
from wheatstone.viewer.settings.layers import Machine
from wheatstone.viewer.settings.lesson_states import (
    StepState,
    base_state,
    check_lesson,
    show_state,
    step_state,
)

NOBODY = {"cpu": "", "cuda": "no NVIDIA driver is installed"}
SIZE = (128, 192)
WHOLE = """# A title

About it.

```wheatstone
mean --radius 2
```

## A step

Its radius is {param radius}.

Try: Look.

> Why?

```wheatstone
--radius 3
```

Because of {pixels} pixels.
"""


@pytest.fixture(scope="module")
def subject() -> Iterator[FactSubject]:
    source = open_source(SourceSpec(size=(SIZE[1], SIZE[0]), scene=SCENES[0], seed=0))
    slot = default_slot("sgm", NOBODY)
    yield FactSubject(slot, source.frame(0), (60, 100), NOBODY)
    source.close()


def state_of(pipeline: str) -> ViewerState:
    return ViewerState(default_slot(pipeline, NOBODY), NOBODY)


def state_at(
    state: ViewerState, lesson: Lesson, step: int = 0, answered: bool = False
) -> StepState:
    machine = Machine(state.absent, state.presets)
    lines = LessonUnderWay(lesson, {}, step, answered).lines
    return step_state(base_state(state, lesson, SIZE), lines, machine, SIZE)


def fact_text(about: FactSubject, *words: str) -> str:
    return next(find_out([FactCall(words[0], words[1:])], about))[1]


def test_a_text_is_taken_apart_and_put_together_with_facts_in_their_places() -> None:
    text = "It is {ms shared} {gpu: or {ms fast} there}."
    fast, shared = FactCall("ms", ("fast",)), FactCall("ms", ("shared",))
    parts = ("It is ", shared, " ", GpuPart(("or ", fast, " there")), ".")
    assert parse_text(text) == parts
    assert facts_in(text, text) == [shared, fast]
    assert worded(text, {shared: "2 ms", fast: "1 ms"}, has_gpu=True) == "It is 2 ms or 1 ms there."
    assert worded(text, {}, has_gpu=True) == f"It is {PENDING} or {PENDING} there."
    without = worded(text, {shared: NO_GPU, fast: NO_GPU}, has_gpu=False)
    assert without == f"It is {NO_GPU} [{WITHOUT}or ? there (?: {NO_GPU})]."


@pytest.mark.parametrize(
    "text", ["{", "}", "{}", "a {b", "{a {b}}", "{gpu: {gpu: {a}}}", "{gpu: a"]
)
def test_braces_that_do_not_match_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"[{}]"):
        parse_text(text)


def test_a_lesson_is_read_as_it_is_written() -> None:
    lesson = parse_lesson(WHOLE, "x.md")
    assert (lesson.title, lesson.about) == ("A title", "About it.")
    assert lesson.base == (StateLine(6, ("mean", "--radius", "2")),)
    (step,) = lesson.steps
    assert (step.line, step.title, step.to_do, step.question) == (9, "A step", "Look.", "Why?")
    assert step.text == "Its radius is {param radius}."
    assert step.shows == ()
    assert step.answer_shows == (StateLine(18, ("--radius", "3")),)
    assert step.answer == "Because of {pixels} pixels."


BROKEN = {
    "no step": ("# A\n", "steps", 1),
    "no title": (WHOLE.replace("# A title\n", "\n", 1), "title", 1),
    "a fact nobody knows": (WHOLE.replace("{pixels}", "{pixls}"), "did you mean 'pixels'", 21),
    "a fact without its word": (WHOLE.replace("{pixels}", "{ms}"), "takes VARIANT", 21),
    "a variant nobody has": (WHOLE.replace("{pixels}", "{ms warp}"), "no variant 'warp'", 21),
    "an open brace": (WHOLE.replace("radius}.", "radius."), "without its }", 11),
    "another language": (WHOLE.replace("```wheatstone\n--", "```python\n--"), "a block begins", 17),
    "an open block": (WHOLE.rsplit("```", 1)[0], "no end", 17),
    "two blocks": (
        WHOLE.replace("Try:", "```wheatstone\n```\n\n```wheatstone\n```\nTry:"),
        "block",
        16,
    ),
    "no answer": (WHOLE.split("```wheatstone\n--radius")[0], "followed by its answer", 9),
    "no text": ("# A\n\n## B\n\n> Why?\n\nSo.\n", "a paragraph", 3),
    "a deeper title": (WHOLE + "\n### C\n", "a title begins", 23),
    "a title too long": (WHOLE.replace("A step", "A" * 61), "60 characters", 9),
    "too long a paragraph": (WHOLE.replace("Look.", "Look. " * 300), "1200 characters", 13),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_lesson_says_what_is_wrong_and_where(name: str, tmp_path: Path) -> None:
    text, message, line = BROKEN[name]
    with pytest.raises(BrokenLesson, match=message) as broken:
        parse_lesson(text, "x.md")
    assert str(broken.value).endswith(f"(line {line})")
    path = tmp_path / "x.md"
    path.write_text(text)
    with pytest.raises(ValueError, match=f"^{path}: .*line {line}"):
        read_lesson(str(path))


WRONG_LINES = {
    "--radius 99": "radius must be",
    "--radus 3": "did you mean '--radius'",
    "--view edges": "invalid choice",
    "canny --low 3": "one pipeline, mean",
    "pixel 2,0": "between 0,0 and 1,1",
    "pixel here": "a point is X,Y",
    "template 0,0,1,1": "mean has no template",
    "panel cost": "did you mean",
    "panel start": "no panel",
    "key Shift+Alt+F99": "no key",
    "key S": "it cannot press S",
    "key Q": "it cannot press Q",
    "key Ctrl+Shift+P": "it cannot press",
    "draw": "draw takes one of",
    "draw warp global": "takes VARIANT STAGE",
    "draw tile local mean_filter": "no variant 'local'",
    "open file.png": "a line begins",
    "--variant": "expected one argument",
    "--out x.png": "unrecognized",
}


@pytest.mark.parametrize("line", WRONG_LINES)
def test_a_line_that_means_nothing_is_refused_with_its_number(line: str) -> None:
    lesson = parse_lesson(WHOLE.replace("--radius 3", line), "x.md")
    state = state_of("mean")
    with pytest.raises(ValueError, match=WRONG_LINES[line]) as wrong:
        check_lesson(lesson, state)
    assert "line 18)" in str(wrong.value)
    assert (state.effects, state.closing, state.slot.params) == ([], False, MeanParams())


def test_a_step_is_the_same_whatever_was_shown_before() -> None:
    lesson = parse_lesson(WHOLE, "x.md")
    shown = []
    for pipeline in ("mean", "sgm"):
        state = state_of(pipeline)
        state.zoom, state.colormap, state.frame = 9.0, "turbo", 7
        show_state(state, state_at(state, lesson))
        shown.append((state.slot, state.zoom, state.colormap, state.frame))
    assert shown[0] == shown[1]
    assert shown[0][0].params == MeanParams(radius=2)
    assert shown[0][1:] == (1.0, state_of("mean").colormap, 7)


def test_answers_to_choose_from_are_read_and_one_is_right() -> None:
    choices = "> Why?\n\n- [ ] {width}\n- [x] {pixels}\n"
    (step,) = parse_lesson(WHOLE.replace("> Why?\n", choices), "x.md").steps
    assert step.choices == (LessonChoice("{width}", False), LessonChoice("{pixels}", True))
    assert step.answer == "Because of {pixels} pixels."
    for broken, why in (
        (choices.replace("[x]", "[ ]"), "one of the answers"),
        (choices.replace("{pixels}", "{pixel}"), "pixel"),
        (choices + "- [ ] a\n- [ ] b\n- [ ] c\n", "at most 4 answers"),
    ):
        with pytest.raises(ValueError, match=why):
            parse_lesson(WHOLE.replace("> Why?\n", broken), "x.md")


def test_what_only_a_gpu_runs_is_noted_and_shown_by_the_cpu() -> None:
    lesson = parse_lesson(WHOLE.replace("--radius 2", "--variant shared"), "x.md")
    state = state_at(state_of("sgm"), lesson)
    assert state.recipe["view"]["variant"] == "cpu"
    assert "shared needs a GPU" in state.notes[0]


@pytest.mark.parametrize("name", BUILT_IN)
def test_built_in_lessons_have_steps_with_questions_that_all_can_be_shown(name: str) -> None:
    lesson = read_lesson(name)
    assert 8 <= len(lesson.steps) <= 15
    assert all(step.question and step.answer and step.to_do for step in lesson.steps)
    assert all(3 <= len(step.choices) <= 4 for step in lesson.steps)
    right = [[each.right for each in step.choices].index(True) for step in lesson.steps]
    assert len(set(right)) == 3  # its place tells nothing
    check_lesson(lesson, state_of(name), SIZE)


@pytest.mark.parametrize("name", BUILT_IN)
def test_every_number_of_a_lesson_is_known_on_a_small_scene(name: str) -> None:
    lesson, state = read_lesson(name), state_of(name)
    with_pair = open_source(SourceSpec(size=(SIZE[1], SIZE[0]), scene=SCENES[0], seed=0))
    frame = with_pair.frame(0)
    known: dict[tuple[int, bool, FactCall], str] = {}
    for number, step in enumerate(lesson.steps):
        for answered in (False, True):
            shown = state_at(state, lesson, number, answered)
            show_state(state, shown)
            about = FactSubject(state.slot, frame, state.look.pin, NOBODY)
            choices = [choice.text for choice in step.choices]
            before = step.text, step.to_do, step.question, *choices
            texts = (step.answer,) if answered else before
            timed = ("ms", "stage_ms", "speedup")
            calls = [call for call in facts_in(*texts) if call.name not in timed]
            for call, text in find_out(calls, about):
                known[number, answered, call] = text
            for words in shown.draws:
                assert drawing(words, about, 0.5).shapes, (number, words)
    with_pair.close()
    silent = {key: message for key, message in known.items() if message.startswith("(")}
    assert known and not silent


def test_facts_of_a_pixel_are_those_of_the_probe(subject: FactSubject) -> None:
    assert isinstance(subject.slot.params, SgmParams) and subject.frame.right is not None
    views = [grey_levels(pixels) for pixels in (subject.frame.left, subject.frame.right)]
    curves = SgmProbe(subject.slot.params, *views).curves(60, 100)
    assert fact_text(subject, "winner") == str(curves.first + curves.winner)
    assert fact_text(subject, "sum") == str(curves.sums[curves.winner])
    assert fact_text(subject, "cost") == str(curves.costs[curves.winner])
    assert fact_text(subject, "path", "2") == str(curves.path_costs[1, curves.winner])
    assert fact_text(subject, "margin") == f"{curves.percent:.1f} %"
    left, right = (fact_text(subject, "word", side).replace(" ", "") for side in ("left", "right"))
    differing = sum(a != b for a, b in zip(left, right, strict=True))
    assert differing == curves.parts.compared[curves.winner]


def test_costs_and_threads_without_a_pixel_are_counted(subject: FactSubject) -> None:
    height, width = subject.size
    assert fact_text(subject, "costs").replace(" ", "") == str(height * width * 64)
    about = FactSubject(default_slot("mean", NOBODY), subject.frame, (5, 5), NOBODY)
    columns, rows = -(-width // 32) * 32, -(-height // 16) * 16
    assert fact_text(about, "idle", "global", "mean_filter") == str(columns * rows - width * height)
    assert fact_text(subject, "idle", "global", "path_aggregation").startswith("(the threads of")


def test_facts_say_why_there_are_none(subject: FactSubject) -> None:
    assert fact_text(subject, "ms", "shared") == NO_GPU
    assert fact_text(subject, "window_sum") == "(sgm sums no window)"
    assert fact_text(subject, "path", "9").startswith("(there are")
    assert (
        fact_text(FactSubject(subject.slot, subject.frame, None, NOBODY), "x")
        == "(no pixel is chosen)"
    )
    outside = FactSubject(subject.slot, subject.frame, (subject.size[0], 0), NOBODY)
    assert fact_text(outside, "value", "left") == "(the chosen pixel is outside this image)"


def test_a_variant_that_refuses_the_parameters_says_so_in_place_of_its_time(
    subject: FactSubject, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(variant: str) -> None:
        raise ValueError(f"{variant} refuses")

    monkeypatch.setattr(subject, "measured", refused)
    assert fact_text(subject, "ms", "cpu") == "(cpu refuses)"


def test_times_are_measured_here_and_now(subject: FactSubject) -> None:
    measured = subject.measured("cpu")
    assert fact_text(subject, "ms", "cpu") == f"{measured.device.median:.3g} ms"
    assert fact_text(subject, "speedup", "cpu", "cpu") == "1.0 times"


def test_every_fact_is_declared_with_words_that_exist() -> None:
    words = {"VARIANT": "cpu", "STAGE": "mean_filter", "IMAGE": "left", "PARAMETER": "radius"}
    words |= {"SIDE": "left", "NUMBER": "1", "LABEL": "valid"}
    for name, fact in FACTS.items():
        assert fact.help and fact.help[0].islower()
        check_fact(FactCall(name, tuple(words[kind] for kind in fact.takes)))


def test_a_warp_that_reads_pixels_of_a_row_touches_one_sector_and_beside_it_two() -> None:
    access = Access("left", "pixels")
    offsets = warp_offsets(access, (48, 640), 1, (32, 16), (3, 64))
    assert offsets.tolist() == list(range(3 * 640 + 64, 3 * 640 + 96))
    assert sectors(offsets, 1) == 1
    assert sectors(offsets + 1, 1) == 2
    assert sectors(offsets * 4, 4) == 4  # the same of four bytes each: 128 in 32-byte sectors


def test_a_warp_of_scanlines_touches_a_sector_for_each_thread() -> None:
    offsets = warp_offsets(Access("path_costs", "scanlines"), (64, 100, 16), 4, (32,), (0, 5))
    assert offsets[1] - offsets[0] == 100 * 16 * 4
    assert sectors(offsets, 4) == 32
    by_disparity = warp_offsets(
        Access("path_costs", "disparities"), (64, 100, 64), 2, (64,), (1, 0)
    )
    assert sectors(by_disparity, 2) == 2


def test_blocks_of_a_warp_of_two_rows_lie_in_two_rows() -> None:
    offsets = warp_offsets(Access("left", "pixels"), (48, 640), 1, (16, 8), (0, 0))
    assert offsets[15:17].tolist() == [15, 640]


@pytest.mark.parametrize(("stage", "memory"), ACCESSES)
def test_every_access_declared_is_of_a_kernel_there_is(stage: str, memory: str) -> None:
    pipeline = next(p for p in PIPELINES.values() if any(s.name == stage for s in p.stages))
    wanted = [v for v in pipeline.variants if v.on_gpu and v.memory.get(stage, "global") == memory]
    listed = [
        v
        for v in wanted
        if any(f.stage == stage for f in kernel_facts(Setup(pipeline, v, pipeline.params(), *SIZE)))
    ]
    access, count, nbytes = warp_sectors(
        Setup(pipeline, listed[0], pipeline.params(), 128, 192), stage
    )
    assert ceil(nbytes / 32) <= count <= 32
    assert access.image in {image.name for image in pipeline.images}


def test_windows_and_tiles_follow_the_parameters() -> None:
    assert window_pixels("mean_filter", MeanParams(radius=3)) == 49
    assert tile("mean_filter", MeanParams(radius=3), (32, 16)) == (22, 38)
    assert window_pixels("gradient", CannyParams(aperture=5)) == 25
    assert window_pixels("census_transform", SgmParams(cost="census-symmetric")) == 62
    with pytest.raises(ValueError, match="reads no window"):
        window_pixels("path_sum", SgmParams())


def test_blocks_are_drawn_in_order_and_cover_the_picture() -> None:
    source = open_source(SourceSpec(size=(96, 64), scene=SCENES[0], seed=0))
    about = FactSubject(default_slot("mean", NOBODY), source.frame(0), (20, 40), NOBODY)
    first, last = (drawing(("blocks", "global", "mean_filter"), about, m) for m in (0.0, 1.0))
    assert first.description.startswith("Block 1 of 12:") and last.description.startswith(
        "Block 12 of 12:"
    )
    assert first.shapes[-1] == BoxShape(0, 0, 32, 16, "work")
    assert last.shapes[-1] == BoxShape(64, 48, 32, 16, "work")
    warp = drawing(("warp", "global", "mean_filter"), about, 0.0)
    assert "the pixel 1 above and 1 to the left: 32 bytes in 2 sectors" in warp.description
    filled = drawing(("tile", "shared", "mean_filter"), about, 0.0)
    assert "34 x 18 pixels, 612 reads instead of 4608" in filled.description
    assert BoxShape(31, 15, 34, 18, "read") in filled.shapes
    source.close()


def test_a_drawing_that_cannot_be_made_says_why(subject: FactSubject) -> None:
    shapes = drawing(("warp", "global", "path_aggregation"), subject, 0.0)
    assert not shapes.shapes and "path_aggregation_global" in shapes.description
    small, large = (0, 0, 20, 20), (0, 0, 60, 60)
    slot = default_slot("ncc", NOBODY)
    for template, text in ((small, "Load 1"), (large, "correlation_texture runs, which has none")):
        params = slot.params.changed(template=template)
        about = FactSubject(replace(slot, params=params), subject.frame, (60, 100), NOBODY)
        shapes = drawing(("tile", "shared", "correlation"), about, 0.0)
        assert text in shapes.description and bool(shapes.shapes) == (template == small)
    with pytest.raises(ValueError, match="did you mean 'warp'"):
        check_drawing(("warps",))


def test_lessons_lie_where_the_wheel_takes_them_from() -> None:
    assert {path.stem for path in (ASSETS / "lessons").glob("*.md")} == set(BUILT_IN)
